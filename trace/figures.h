/* SPDX-License-Identifier: MIT */
/* figures.h - what a recording shows of a group, counted as a run of the model counts it. */
#ifndef TRACE_FIGURES_H
#define TRACE_FIGURES_H

#include "trace/recover.h"

/*
 * Fill figures, counts, worst and what is left out in @rec, whose scenario has one workload per element of @bursts.
 * 0, or -1 when memory is out.
 */
int count_figures(struct recovered *rec, const struct timeline *tl, const struct throttle_guess *guess,
		  const struct bursts *bursts, const bool *member);

#endif
