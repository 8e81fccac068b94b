/* SPDX-License-Identifier: MIT */
/*
 * kernels_since.h - from when to when a rule had which value, out of the words of rules.def.
 *
 *	"deadline 3.2-3.15, inverted 3.16-4.17, seq 4.18-5.3, none from 5.4"	--> four spans
 */
#ifndef REPORT_KERNELS_SINCE_H
#define REPORT_KERNELS_SINCE_H

#include "core/model.h"

#define RULE_SPANS_MAX 8

struct rule_span {
	char value[24];
	char since[12], until[12]; /* "5.4"; "" where it has no end on that side */
	char also[48];		   /* "in 5.10.y", or "" */
};

/* The spans of @info in order, into @spans (RULE_SPANS_MAX); returns their number.  A value that is not listed is index 0's. */
u32 rule_spans(const struct rule_info *info, struct rule_span *spans);

/* Does the kernel "5.10" have @span, its stable series not counted? */
bool rule_span_holds(const struct rule_span *span, const char *kernel);
/* ... and its stable series too: does @span name "5.10.y" beside? */
bool rule_span_also(const struct rule_span *span, const char *kernel);

/*
 * The last release in which the rule is something else than off or none, into @buf (of 12); "" where it still is, or never was.
 * Returns @buf.
 */
char *rule_until(const struct rule_info *info, char *buf);

#endif
