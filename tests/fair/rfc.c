/* SPDX-License-Identifier: MIT */
/* rfc.c - docs/rules/fair.md 8.1 and fair-80 to fair-84: when the RFC of 2019 lets a bound wakee preempt. */
#include "tests/test.h"

#include "tests/fair/bench.h"

/* A task runs at vruntime 100 ms; another, bound to its CPU, wakes 12 ms behind: too little of a lead for a granularity of 15 ms. */
static const struct rfc_row {
	const char *name, *rule;
	bool kthread;		     /* the wakee */
	u64 nvcsw, nivcsw;	     /* the wakee's switches */
	u64 curr_nvcsw, curr_nivcsw;
	bool curr_bound;	     /* the current task may use one CPU only */
	bool third;		     /* one more task waits on the queue */
	bool preempts;
} rows[] = {
	{ "without the rule", "rfc_kthread=off", true, 1000, 1, 50, 400, false, false, false },
	{ "fair-80: 1000 * 400 >= 1 * 50", "rfc_kthread=posted", true, 1000, 1, 50, 400, false, false, true },
	{ "fair-81: 10 * 10 < 100 * 100", "rfc_kthread=posted", true, 10, 100, 100, 10, false, false, false },
	{ "fair-82: fresh tasks tie", "rfc_kthread=posted", true, 0, 0, 0, 0, false, false, true },
	{ "fair-83: as posted, a bound user task profits too", "rfc_kthread=posted", false, 0, 0, 0, 0, false, false, true },
	{ "fair-83: by its text it does not", "rfc_kthread=text", false, 0, 0, 0, 0, false, false, false },
	{ "by its text a kthread does", "rfc_kthread=text", true, 0, 0, 0, 0, false, false, true },
	{ "fair-84: three on the queue", "rfc_kthread=posted", true, 0, 0, 0, 0, false, true, false },
	{ "fair-84: current is bound as well", "rfc_kthread=posted", true, 0, 0, 0, 0, true, false, false },
};

static bool preempts(const struct rfc_row *row)
{
	struct task_struct *curr, *wakee;
	struct bench b;
	bool did;

	bench_of(&b, .cpus = 8, .row = "5.4", .rules = { row->rule });
	b.lab->wakeup_granularity = 15 * MS;
	curr = thread(&b, 0, 0);
	wakee = thread(&b, 0, 0);
	curr->nr_cpus_allowed = row->curr_bound ? 1 : 8;
	curr->nvcsw = row->curr_nvcsw;
	curr->nivcsw = row->curr_nivcsw;
	wakee->kthread = row->kthread;
	runs_alone(&b, curr, 100 * MS);
	curr->nvcsw = row->curr_nvcsw; /* its first switch-in is not part of the example */
	wakee->nvcsw = row->nvcsw;
	wakee->nivcsw = row->nivcsw;
	if (row->third) {
		struct task_struct *third = thread(&b, 0, 0);

		third->nr_cpus_allowed = 8; /* or it would profit itself */
		wakes(&b, third, 100 * MS);
	}
	did = wakes(&b, wakee, 50 * MS);
	bench_fini(&b);
	return did;
}

/* The rule needs its flag, a wakee bound to one CPU, a current task that is not, two on the queue, and the better switch ratio. */
TEST(rfc, fair_80_to_84_all_conditions)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(preempts(&rows[i]), rows[i].preempts, rows[i].name);
}

TEST_MAIN("rfc")
