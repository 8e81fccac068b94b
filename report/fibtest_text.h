/* SPDX-License-Identifier: MIT */
/*
 * fibtest_text.h - a comparison in the words of fibtest's own driver, runfibtest, as they stand in the public reports:
 *
 *	Before: 4.14.133
 *	Iterations Completed(M): 228
 *	Throttled for: 53
 *	CPU Usage (msecs) = 231
 *
 * For scenarios with "present": "runfibtest".
 */
#ifndef REPORT_FIBTEST_TEXT_H
#define REPORT_FIBTEST_TEXT_H

#include <stdio.h>

#include "report/series.h"

/* What somebody measured: one block of figures per series, and the ratios; a NULL string or a 0 is unknown. */
struct fibtest_published {
	const char *source; /* "5162532e, c5.9xlarge" */
	struct {
		u64 iterations_m, throttled, usage_ms;
	} before, after;
	const char *iterations_ratio, *usage_ratio; /* as printed there: "2.2x" */
};

/* @published may be NULL. */
void fibtest_text(FILE *out, const struct compare *cmp, const struct fibtest_published *published);

/* One result in the same three lines. */
void fibtest_result(FILE *out, const struct result *res);

#endif
