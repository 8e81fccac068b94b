/* SPDX-License-Identifier: MIT */
/*
 * advise_search.h - the smallest limit that meets a target, what else would, and the curve between.
 *
 *	now, without, highest --> bisection by 1/1000 CPU --> answer, just below		each at every phase
 *	the limit as it is, but: period, burst, fewer threads, newer kernel, no limit	alternatives
 */
#ifndef CLI_ADVISE_SEARCH_H
#define CLI_ADVISE_SEARCH_H

#include "cli/advise_try.h"

#define ALTERNATIVES_MAX 24
#define CURVE_MAX 16

struct advice {
	struct subject *s;
	u64 period;		 /* of the limits that are tried */
	struct trial now, free_run, highest, answer, below;
	bool found, is_free, has_below;
	struct trial alternatives[ALTERNATIVES_MAX];
	u32 nr_alternatives;
	struct trial curve[CURVE_MAX];
	u32 nr_curve;
};

/* 0, or -1 with @err set; advice_fini() is due in both cases. */
int advice_find(struct advice *a, struct err *err);
/* Only where now is a limit that misses the target; else there is nothing to add. */
int advice_alternatives(struct advice *a, struct err *err);
int advice_curve(struct advice *a, struct err *err);
void advice_fini(struct advice *a);

/* Limit of @milli thousandths of a CPU; 1/1000 CPUs of @quota. */
u64 milli_quota(u64 milli, u64 period);
u64 quota_milli(u64 quota, u64 period);

#endif
