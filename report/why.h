/* SPDX-License-Identifier: MIT */
/*
 * why.h - which single rule makes the difference between two kernels: the second kernel again, with one rule as the first has it.
 */
#ifndef REPORT_WHY_H
#define REPORT_WHY_H

#include <stdio.h>

#include "report/series.h"
#include "text/json_write.h"

struct why_row {
	const char *rule;
	char value[64];		/* as the first kernel has it */
	bool alone;		/* false: it cannot be set without others, and was not tried */
	struct figure figure;	/* the one it moves most; its value: of the second kernel */
	u64 then, before;	/* with that rule as in the first; in the first */
	double effect;		/* (then - value) in parts of the larger; sign aside */
};

struct why {
	const char *from, *to; /* labels */
	const struct why_row *rows; /* the strongest first */
	u32 nr, tried, left_out;    /* left_out: could not be set alone */
};

void why_text(FILE *out, const struct why *why);
/* As one member "why" of the object at hand. */
void why_json(struct json_write *j, const struct why *why);

#endif
