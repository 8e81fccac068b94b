/* SPDX-License-Identifier: MIT */
/*
 * fsperf_text.h - a comparison in the words of the mail that measured fsperf with perf stat (docs/seeds.md, part 3):
 *
 *	event					5.4			mail	rfc_kthread=posted	mail
 *	probe:active_load_balance_cpu_stop	1,602 ( +-  4.06% )	1,740	4 ( +- 15.41% )		4
 *	...
 *	I/O time:....................... 263.17 s (Throughput: 19.455 MB/s)
 *
 * For scenarios with "present": "fsperf".  Spans "trigger", "submit" and "io" are its times; each "submit" is one I/O of 4 KiB.
 */
#ifndef REPORT_FSPERF_TEXT_H
#define REPORT_FSPERF_TEXT_H

#include <stdio.h>

#include "report/series.h"

/* What somebody measured, as words: @column is "15 ms" or "15 ms, patch", @row a name of the table; NULL: nobody. */
struct fsperf_published {
	void *ctx;
	const char *(*words)(void *ctx, const char *column, const char *row);
};

/*
 * Figures are those of the mail's 5 GiB: where less was written, counts and times are what was counted, times that share.  @p may be NULL.
 */
void fsperf_text(FILE *out, const struct compare *cmp, const struct fsperf_published *p);

#endif
