/* SPDX-License-Identifier: MIT */
/*
 * Who is woken by a kthread bound to its last CPU: examples smp-12 to smp-14 of docs/rules/smp.md, fair-85 and fair-86 of fair.md.
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

/* A kworker bound to CPU 2 runs there, with @hogs others that wait, and CPU 3 is idle; @prev is where its wakee slept. */
static int kworker_wakes(const char *row, const char *rule, int prev, int hogs, bool by_interrupt)
{
	struct task_struct *p, *k;
	struct bed b;
	int cpu;

	bed_of(&b, M4, .row = row, .rules = { rule });
	p = sleeper_on(&b, prev);
	k = sleeper_of(&b, NULL, 2, SCHED_NORMAL, true);
	allow(&b, k, 1 << 2);
	begin(&b, k);
	while (hogs--)
		hog_on(&b, 2);
	hogs_on(&b, 2, 0, 1);
	balancer_looks(&b);
	p->recent_used_cpu = prev;
	cpu = by_interrupt ? interrupt_wakes(&b, 2, p) : wakes_from(&b, 2, p);
	bed_fini(&b);
	return cpu;
}

/* smp-12: it waits behind the kworker from 5.6 on; in 5.4 it goes to the idle CPU. */
TEST(placement, smp_12_it_stacks_behind_a_bound_kworker)
{
	CHECK_EQ(kworker_wakes("5.4", NULL, 2, 0, false), 3);
	CHECK_EQ(kworker_wakes("5.10", NULL, 2, 0, false), 2);
	CHECK_EQ(kworker_wakes("6.1", NULL, 2, 0, false), 2);
	CHECK_EQ(kworker_wakes("7.2", NULL, 2, 0, false), 2);
}

/* smp-13: not where somebody else waits there already.  (In 6.1 three hogs in four CPUs would end the search: so only two.) */
TEST(placement, smp_13_not_behind_two)
{
	CHECK_EQ(kworker_wakes("5.10", NULL, 2, 1, false), 3);
}

/* smp-14: nor where it slept elsewhere. */
TEST(placement, smp_14_not_from_another_cpu)
{
	CHECK_EQ(kworker_wakes("5.10", NULL, 1, 0, false), 3);
}

/* fair-85: the same in the words of fair.md. */
TEST(placement, fair_85_one_runnable_stays_two_search)
{
	CHECK_EQ(kworker_wakes("5.15", NULL, 2, 0, false), 2);
	CHECK_EQ(kworker_wakes("5.15", NULL, 2, 1, false), 3);
}

/* fair-86: an interrupt that hits the kworker counts as it to 5.16; from 5.17, and in the stable 5.10 and 5.15 that the rows are, it does not. */
TEST(placement, fair_86_an_interrupt_is_not_the_kworker)
{
	CHECK_EQ(kworker_wakes("5.10", "kthread_stacking=any", 2, 0, true), 2);
	CHECK_EQ(kworker_wakes("5.10", NULL, 2, 0, true), 3);
	CHECK_EQ(kworker_wakes("5.15", NULL, 2, 0, true), 3);
}

TEST_MAIN("smp: behind a bound kthread")
