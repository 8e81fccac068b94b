/* SPDX-License-Identifier: MIT */
/*
 * util_est.c - what a task usually uses: its utilisation as it was at its last sleeps, where util_avg has forgotten half of it after 32 ms asleep.
 *
 *	         ______        ______        ______	util_est: counts in the CPU's sum from the wakeup on
 *	    .-'|      |   .-'|      |   .-'|
 *	 .-'   |`-._  |.-'   |`-._  |.-'   |`-._	util_avg: has to grow anew
 *	 runs    sleeps  runs
 *
 * A CPU is used as much as its util_avg says, or as the sum over its queued tasks does, whichever is more (cpu_load.c).  The sum is in the root queue's
 * avg.util_est and needs no clock: it changes where a task is queued or taken off (fair.c), by the task's util_usual, which changes only while it
 * is not queued.  Delayed sleepers do not count; tasks below a limit do, throttled or not, until they are parked.
 *
 * Law (check.c): the sum is that of util_usual over the tasks that are queued and awake.
 * Rules: docs/rules/fair.md 6.3.
 */
#include "core/sched.h"

#define MARGIN (1024 / 100) /* about 1 % of a CPU */
#define WEIGHT_SHIFT 2	    /* a new sample counts for 1/4 */

static bool keeps(const struct lab *lab, enum util_est_keeps what) { return lab_rule(lab, UTIL_EST_KEEPS) == (u8)what; }

static bool is_close(u32 a, u32 b) { return (a > b ? a - b : b - a) < MARGIN; }

/* To 5.12 (rule util_est_keeps=average) the lowest bit of what is kept said what UTIL_AVG_UNCHANGED says here: whoever counted it set it. */
static u32 marked(const struct lab *lab, u32 util) { return keeps(lab, UTIL_EST_AVERAGE) ? util | 1 : util; }

void util_est_init(const struct lab *lab, struct task_struct *p) { p->util_usual = lab_rule(lab, UTIL_EST) ? marked(lab, 0) : 0; }

/* By a quarter of the way to @util, in whole numbers, rounded down. */
static u32 nearer(u32 ewma, u32 util) { return ((ewma << WEIGHT_SHIFT) + util - ewma) >> WEIGHT_SHIFT; }

/* Two values, the last use and an average, of which the larger counts. */
static void keep_two(const struct lab *lab, struct task_struct *p, u32 util)
{
	u32 last = p->se.avg.util_est;

	if (lab_rule(lab, UTIL_EST_FASTUP) && p->util_ewma < util)
		p->util_ewma = util;
	else if (!is_close(util, p->util_ewma))
		p->util_ewma = nearer(p->util_ewma, util);
	else if (keeps(lab, UTIL_EST_AVERAGE) || is_close(last, util))
		return; /* nothing is kept of this sleep */
	p->util_usual = marked(lab, (u32)max_u64(util, p->util_ewma));
	p->se.avg.util_est = util | UTIL_AVG_UNCHANGED;
}

/* One value, from 6.8: up at once, down by quarters, unless it is that the task had to wait. */
static void keep_one(struct task_struct *p, u32 util)
{
	u32 usual = p->util_usual;

	if (usual <= util)
		usual = util;
	else if (usual - util >= MARGIN && util + MARGIN >= p->se.avg.runnable_avg)
		usual = nearer(usual, util);
	p->util_usual = usual;
	p->se.avg.util_est = usual | UTIL_AVG_UNCHANGED;
}

void util_est_keep(const struct lab *lab, struct task_struct *p)
{
	u32 util = (u32)p->se.avg.util_avg;

	if (keeps(lab, UTIL_EST_ONE))
		keep_one(p, util);
	else
		keep_two(lab, p, marked(lab, util));
}
