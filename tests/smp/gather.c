/* SPDX-License-Identifier: MIT */
/*
 * Rule gather: examples smp-67 to smp-74 of docs/rules/smp.md, and what a group does that is on too many CPUs.  States are built directly (place_bed.h): the group's tasks sleep on their CPUs first, and 10 ms later nobody is active any more.
 */
#include "tests/test.h"

#include "core/balance.h"
#include "core/gather.h"
#include "tests/smp/place_bed.h"

#define CPUS(n) ((n) * 100 * MS), (100 * MS) /* a limit worth so many */
#define HALF (500 * MS), (1 * SEC)

static void old(struct bed *b) { at(&b->d, 10 * MS); }

static void bed_with(struct bed *b, enum bed_shape shape, const char *row, const char *rule)
{
	bed_init(b, shape, &(struct driver_args){ .row = row, .rules = { rule } });
}

static struct task_struct *of(struct bed *b, struct task_group *tg, int cpu) { return sleeper_of(b, tg, cpu, SCHED_NORMAL, false); }

/* ---- wakeups ---- */

/* Davydov's: the second task of half a CPU wakes while the first one runs on CPU 0. */
TEST(wakes, smp_67_two_tasks_of_half_a_cpu)
{
	static const struct {
		const char *rule;
		int cpu;
	} rows[] = { { "gather=off", 1 }, { "gather=active_set", 0 }, { "gather=openvz", 0 }, { "gather=funded", 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *t1, *t2;
		struct task_group *tg;
		struct bed b;

		bed_with(&b, S2, "6.1", rows[i].rule);
		tg = limited(&b.d, NULL, HALF);
		t1 = of(&b, tg, 0);
		t2 = of(&b, tg, 1);
		old(&b);
		begin(&b, t1);
		CHECK_EQ(wakes_from(&b, 0, t2), rows[i].cpu);
		bed_fini(&b);
	}
}

/* 5 ms after the last task has gone to sleep its CPU is active no longer, and the set has room again. */
TEST(wakes, smp_68_the_set_is_left_after_5_ms)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz" };
	size_t i;
	int late;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		for (late = 0; late < 2; late++) {
			struct task_struct *t1, *t2;
			struct task_group *tg;
			struct bed b;

			bed_with(&b, S2, "6.1", rules[i]);
			tg = limited(&b.d, NULL, HALF);
			t1 = of(&b, tg, 0);
			t2 = of(&b, tg, 1);
			old(&b);
			begin(&b, t1);
			at(&b.d, 11 * MS);
			block(&b.d, 0);
			at(&b.d, 16 * MS - !late);
			CHECK_EQ(interrupt_wakes(&b, 1, t2), late);
			bed_fini(&b);
		}
}

/* Two CPUs' worth, on 0 and 1; on 3 one is woken that was on 1.  @asleep: since when CPU 0's task sleeps, or 0: it runs. */
static int woken_on_three(const char *rule, u64 asleep)
{
	struct task_struct *t0, *t1, *p;
	struct task_group *tg;
	struct bed b;
	int cpu;

	bed_with(&b, M4, "6.1", rule);
	tg = limited(&b.d, NULL, CPUS(2));
	t0 = of(&b, tg, 0);
	t1 = of(&b, tg, 1);
	p = of(&b, tg, 1);
	hog_on(&b, 3);
	old(&b);
	begin(&b, t0);
	begin(&b, t1);
	at(&b.d, 11 * MS);
	if (asleep) {
		block(&b.d, 0);
		at(&b.d, 11 * MS + asleep);
	}
	cpu = wakes_with(&b, 3, p, WAKE_SYNC);
	bed_fini(&b);
	return cpu;
}

TEST(wakes, smp_69_at_the_cap)
{
	CHECK_EQ(woken_on_three("gather=off", 2 * MS), 3); /* nobody looks beside the waker, who is about to sleep */
	CHECK_EQ(woken_on_three("gather=active_set", 2 * MS), 0);
	CHECK_EQ(woken_on_three("gather=active_set", 0), 1); /* as many tasks on both: its last one */
	CHECK_EQ(woken_on_three("gather=openvz", 2 * MS), 1);
}

/* An idle CPU of the set is found by the one and not looked for by the other. */
TEST(wakes, smp_70_an_idle_member)
{
	static const struct {
		const char *rule;
		int cpu;
	} rows[] = { { "gather=off", 2 }, { "gather=active_set", 0 }, { "gather=openvz", 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *t0, *t1, *p;
		struct task_group *tg;
		struct bed b;

		bed_with(&b, M4, "5.10", rows[i].rule);
		tg = limited(&b.d, NULL, CPUS(2));
		t0 = of(&b, tg, 0);
		t1 = of(&b, tg, 1);
		p = of(&b, tg, 1);
		old(&b);
		begin(&b, t0);
		begin(&b, t1);
		at(&b.d, 11 * MS);
		block(&b.d, 0);
		at(&b.d, 13 * MS);
		CHECK_EQ(wakes_from(&b, 1, p), rows[i].cpu);
		bed_fini(&b);
	}
}

/* CPU 2 has nothing of the group's quota, 3 has kept some. */
TEST(wakes, smp_72_idle_and_funded_first)
{
	int limit;

	for (limit = 0; limit < 2; limit++) {
		struct task_struct *p;
		struct task_group *tg;
		struct bed b;

		bed_with(&b, M4, "5.10", "gather=funded");
		tg = limited(&b.d, NULL, limit ? 50 * MS : RUNTIME_INF, 100 * MS);
		of(&b, tg, 3);
		p = of(&b, tg, 0);
		hogs_on(&b, 2, 0, 1);
		old(&b);
		CHECK_EQ(limit && queue(&b.d, tg, 3).runtime_remaining > 0, limit);
		CHECK_EQ(wakes_from(&b, 1, p), limit ? 3 : 2);
		bed_fini(&b);
	}
}

/* Bound to a CPU each they stay there: affinity wins, and the set is larger than the limit is worth. */
TEST(wakes, smp_74_bound_threads)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz" };
	size_t i;
	int cpu;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct task_struct *t[4], *p;
		struct task_group *tg;
		struct bed b;

		bed_with(&b, M8, "5.10", rules[i]);
		tg = limited(&b.d, NULL, 10 * MS, 100 * MS);
		for (cpu = 0; cpu < 4; cpu++)
			t[cpu] = sleeper(&b.d, tg, cpu);
		p = of(&b, tg, 7);
		old(&b);
		for (cpu = 0; cpu < 4; cpu++) {
			start(&b.d, t[cpu]);
			CHECK_EQ(lab_task_cpu(t[cpu]), cpu);
		}
		pass(&b.d, 0); /* nobody is pushed for that */
		CHECK_EQ(lab_task_cpu(t[0]), 0);
		CHECK(interrupt_wakes(&b, 7, p) < 4);
		bed_fini(&b);
	}
}

/* ---- forks ---- */

TEST(forks, a_child_stays_in_the_set)
{
	static const struct {
		const char *rule;
		int cpu;
	} rows[] = { { "gather=off", 1 }, { "gather=active_set", 0 }, { "gather=openvz", 0 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *parent, *child;
		struct task_spec spec = { 0 };
		struct bed b;

		bed_with(&b, S2, "6.1", rows[i].rule);
		spec.tg = limited(&b.d, NULL, HALF);
		parent = of(&b, spec.tg, 0);
		old(&b);
		begin(&b, parent);
		child = lab_fork(b.lab, 0, parent, &spec);
		lab_wake_new(b.lab, 0, child);
		obey_kicks(&b.d);
		CHECK_EQ(lab_task_cpu(child), rows[i].cpu);
		bed_fini(&b);
	}
}

/* ---- balancing ---- */

/* place_bed.h gives its tasks their CPUs behind the back of who counts those that may move. */
static u32 attempt(struct bed *b, int cpu, enum idle_type idle)
{
	bool mine;
	u32 came;

	b->lab->nr_movable = 1;
	update_rq_clock(rq_of(b, cpu));
	came = load_balance(rq_of(b, cpu), rq_of(b, cpu)->smp.sd, idle, idle == LB_NEWIDLE ? MOVE_NEWIDLE : MOVE_IDLE, &mine);
	lab_verb_done(b->lab);
	return came;
}

/* Two tasks of half a CPU on CPU 0: idle CPU 3 may have neither, however often it asks, and none of that is a failure; a stranger may come. */
TEST(balance, smp_73_refused_as_if_bound)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct task_struct *g1, *g2, *stranger;
		struct task_group *tg;
		struct bed b;
		int k;

		bed_with(&b, M4, "6.1", rules[i]);
		tg = limited(&b.d, NULL, HALF);
		g1 = of(&b, tg, 0);
		g2 = of(&b, tg, 0);
		stranger = sleeper_on(&b, 0);
		old(&b);
		begin(&b, g1);
		begin(&b, g2);
		settle(&b, 0, 2048, 1024);
		at(&b.d, 12 * MS);
		CHECK_EQ(attempt(&b, 3, LB_NEWIDLE), 0);
		for (k = 0; k < 8; k++)
			CHECK_EQ(attempt(&b, 3, LB_IDLE), 0);
		CHECK_EQ(rq_of(&b, 3)->smp.sd->nr_balance_failed, 0);
		CHECK_EQ(b.d.events[EVENT_ACTIVE_LOAD_BALANCE_CPU_STOP], 0);
		begin(&b, stranger);
		settle(&b, 0, 3072, 1024);
		at(&b.d, 14 * MS);
		CHECK_EQ(attempt(&b, 3, LB_IDLE), 1);
		CHECK_EQ(lab_task_cpu(stranger), 3);
		bed_fini(&b);
	}
}

/* Who runs there is a stranger, and only gathered tasks wait behind: the stopper does not push it off for them. */
TEST(balance, a_stranger_is_not_pushed_off_for_gathered_tasks)
{
	static const struct {
		const char *rule;
		u32 failed;
	} rows[] = { { "gather=off", 0 }, { "gather=active_set", 0 }, { "gather=openvz", 0 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *g1, *stranger;
		struct task_group *tg;
		struct bed b;
		u32 came = 0;
		int k;

		bed_with(&b, M4, "6.1", rows[i].rule);
		tg = limited(&b.d, NULL, HALF);
		stranger = sleeper_on(&b, 0);
		g1 = of(&b, tg, 0);
		old(&b);
		begin(&b, stranger);
		begin(&b, g1);
		settle(&b, 0, 2048, 1024);
		at(&b.d, 12 * MS);
		for (k = 0; k < 8 && !came; k++)
			came = attempt(&b, 3, LB_IDLE);
		CHECK_EQ(came, !i); /* without the rule the one that waits comes */
		CHECK_EQ(rq_of(&b, 3)->smp.sd->nr_balance_failed, rows[i].failed);
		CHECK(runs(&b.d, stranger));
		CHECK_EQ(b.d.events[EVENT_ACTIVE_LOAD_BALANCE_CPU_STOP], 0);
		bed_fini(&b);
	}
}

/* ---- too many CPUs ---- */

/* Two CPUs' worth becomes half a CPU: at its next pass one of the two CPUs gives up all that it has of the group, and the other one nothing. */
TEST(over, a_lowered_limit_pushes_one_queue_over)
{
	static const char *const rules[] = { "gather=active_set", "gather=openvz" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct task_struct *t[3];
		struct task_group *tg;
		struct bed b;
		int k;

		bed_with(&b, M4, "6.1", rules[i]);
		tg = limited(&b.d, NULL, CPUS(2));
		t[0] = of(&b, tg, 0);
		t[1] = of(&b, tg, 0);
		t[2] = of(&b, tg, 1);
		old(&b);
		for (k = 0; k < 3; k++)
			begin(&b, t[k]);
		pass(&b.d, 0);
		CHECK_EQ(lab_task_cpu(t[0]), 0); /* two CPUs it may use */
		CHECK_EQ(write_limit(&b.d, tg, HALF), 0);
		at(&b.d, 12 * MS);
		pass(&b.d, 0);
		pass(&b.d, 1);
		obey_kicks(&b.d);
		for (k = 0; k < 3; k++)
			CHECK_EQ(lab_task_cpu(t[k]), 1);
		bed_fini(&b);
	}
}

/* ---- adaptive: the width follows the throttling ---- */

/* Ticks of all CPUs, and the period timer, from after @from to @to (ms). */
static void runs_on(struct bed *b, struct task_group *tg, u64 from, u64 to)
{
	u64 ms;
	int cpu;

	for (ms = from + 4; ms <= to; ms += 4) {
		at(&b->d, ms * MS);
		if (timer_of(&b->d, TIMER_PERIOD, tg)->armed && timer_of(&b->d, TIMER_PERIOD, tg)->when <= ms * MS)
			fire(&b->d, TIMER_PERIOD, tg);
		obey_kicks(&b->d);
		for (cpu = 0; cpu < b->cpus; cpu++)
			tick(&b->d, cpu);
	}
}

/* CPUs whose queue of @tg has somebody on it. */
static int cpus_used(struct bed *b, struct task_group *tg)
{
	int cpu, nr = 0;

	for (cpu = 0; cpu < b->cpus; cpu++)
		nr += group_pair(tg, cpu) && group_pair(tg, cpu)->cfs_rq.h_nr_running > 0;
	return nr;
}

/* Nine tenths of a CPU for four tasks: they are throttled in every period. */
TEST(adaptive, smp_71_one_cpu_less_per_throttled_period)
{
	static const int width[] = { 4, 4, 3, 2, 1, 1 }; /* behind refill 0, 1, ... */
	struct task_struct *t[4];
	struct task_group *tg;
	struct bed b;
	int k;

	bed_with(&b, M4, "5.10", "gather=adaptive");
	tg = limited(&b.d, NULL, 90 * MS, 100 * MS);
	for (k = 0; k < 4; k++)
		t[k] = of(&b, tg, k);
	at(&b.d, 8 * MS);
	for (k = 0; k < 4; k++)
		begin(&b, t[k]);
	for (k = 0; k < (int)ARRAY_SIZE(width); k++) {
		runs_on(&b, tg, k ? (u64)k * 100 + 4 : 8, (u64)k * 100 + 104);
		CHECK_EQ(cpus_used(&b, tg), k + 1 < (int)ARRAY_SIZE(width) ? width[k + 1] : 1);
	}
	CHECK_EQ(tg->gather.width, 1);
	for (k = 0; k < 4; k++)
		CHECK_EQ(lab_task_cpu(t[k]), lab_task_cpu(t[0]));
	bed_fini(&b);
}

/* Ten periods in which nothing was stopped double it; nine do not. */
TEST(adaptive, smp_71_twice_as_wide_after_ten_clean_periods)
{
	struct task_group *tg;
	struct bed b;
	int k;

	bed_with(&b, M4, "5.10", "gather=adaptive");
	tg = limited(&b.d, NULL, CPUS(1));
	tg->gather.width = 1;
	at(&b.d, 100 * MS);
	gather_period(b.lab, tg, 1, true);
	for (k = 1; k < 10; k++) {
		at(&b.d, 100 * MS * (u64)(k + 1));
		gather_period(b.lab, tg, 1, false);
	}
	CHECK_EQ(tg->gather.width, 1);
	at(&b.d, 1100 * MS);
	gather_period(b.lab, tg, 1, false);
	CHECK_EQ(tg->gather.width, 2);
	at(&b.d, 5000 * MS); /* the timer stood still meanwhile, as nobody ran */
	gather_period(b.lab, tg, 1, false);
	CHECK_EQ(tg->gather.width, 0); /* all four: no bound */
	bed_fini(&b);
}

/* One that waited for long while there was quota: more CPUs at once; where there was none they would not help. */
TEST(adaptive, a_long_wait_widens_unless_the_quota_made_it)
{
	int throttled;

	for (throttled = 0; throttled < 2; throttled++) {
		struct task_struct *p;
		struct task_group *tg;
		struct bed b;

		bed_with(&b, M8, "5.10", "gather=adaptive");
		tg = limited(&b.d, NULL, CPUS(1));
		p = of(&b, tg, 0);
		tg->gather.width = 2;
		hog_on(&b, 0);
		at(&b.d, 10 * MS);
		begin(&b, p);
		runs_on(&b, tg, 10, 60); /* they take turns of 12 ms */
		CHECK(p->wait_contended > 10 * MS);
		at(&b.d, 100 * MS);
		gather_period(b.lab, tg, 1, throttled);
		CHECK_EQ(tg->gather.width, throttled ? 2 : 4);
		bed_fini(&b);
	}
}

/* A group that never meets its quota is as wide as it likes. */
TEST(adaptive, who_is_never_throttled_is_never_packed)
{
	struct task_struct *t0, *p;
	struct task_group *tg;
	struct bed b;

	bed_with(&b, M4, "5.10", "gather=adaptive");
	tg = limited(&b.d, NULL, CPUS(1));
	t0 = of(&b, tg, 0);
	p = of(&b, tg, 1);
	old(&b);
	begin(&b, t0);
	CHECK_EQ(wakes_from(&b, 0, p), 1);
	CHECK_EQ(tg->gather.width, 0);
	bed_fini(&b);
}

/* ---- home ---- */

/* Two groups worth 0.6 CPUs, one worth 0.4: that one shares a CPU with the first that has room, and the two large ones none. */
TEST(home, the_largest_first_and_no_cpu_promised_twice)
{
	struct task_group *small, *a, *c;
	struct task_struct *p;
	struct bed b;

	bed_with(&b, M4, "6.12", "gather=home");
	small = limited(&b.d, NULL, 40 * MS, 100 * MS);
	a = limited(&b.d, NULL, 60 * MS, 100 * MS);
	c = limited(&b.d, NULL, 60 * MS, 100 * MS);
	p = of(&b, small, 3);
	hog_on(&b, 2);
	settle(&b, 2, 1024, 1024);
	old(&b);
	CHECK_EQ(wakes_from(&b, 2, p), 0);
	CHECK(bit_test(a->gather.home, 0) && a->gather.nr_home == 1);
	CHECK(bit_test(c->gather.home, 1) && c->gather.nr_home == 1);
	CHECK(bit_test(small->gather.home, 0) && small->gather.nr_home == 1);
	bed_fini(&b);
}

/* CPU 0 would be the first choice, but works for others all the time. */
TEST(home, not_where_others_are_busy)
{
	struct task_group *tg;
	struct task_struct *p;
	struct bed b;

	bed_with(&b, M4, "6.12", "gather=home");
	tg = limited(&b.d, NULL, HALF);
	p = of(&b, tg, 3);
	hog_on(&b, 0);
	settle(&b, 0, 1024, 1024);
	old(&b);
	CHECK_EQ(wakes_from(&b, 0, p), 1);
	bed_fini(&b);
}

/* Three wait at home already: with quota in hand the next one is placed as by the kernel; without it stays. */
TEST(home, left_by_who_would_wait_while_there_is_quota)
{
	int funded;

	for (funded = 0; funded < 2; funded++) {
		struct task_struct *t[3], *p;
		struct task_group *tg;
		struct bed b;
		int k;

		bed_with(&b, M4, "6.12", "gather=home");
		tg = limited(&b.d, NULL, funded ? 50 * MS : 5 * MS, 100 * MS);
		for (k = 0; k < 3; k++)
			t[k] = of(&b, tg, 0);
		p = of(&b, tg, 3);
		old(&b);
		for (k = 0; k < 3; k++)
			begin(&b, t[k]);
		CHECK_EQ(wakes_from(&b, 0, p), funded ? 3 : 0);
		bed_fini(&b);
	}
}

/* An idle CPU outside gets who waits at home once it has failed often enough, like a task that is hot; a newly idle one only who waited long. */
TEST(home, left_for_an_idle_cpu_after_enough_failures)
{
	struct task_struct *g1, *g2;
	struct task_group *tg;
	struct bed b;
	int k;

	bed_with(&b, M4, "6.12", "gather=home");
	tg = limited(&b.d, NULL, HALF);
	g1 = of(&b, tg, 0);
	g2 = of(&b, tg, 0);
	old(&b);
	begin(&b, g1);
	begin(&b, g2);
	settle(&b, 0, 2048, 1024);
	at(&b.d, 12 * MS);
	CHECK_EQ(attempt(&b, 3, LB_NEWIDLE), 0);
	for (k = 0; k < 2; k++)
		CHECK_EQ(attempt(&b, 3, LB_IDLE), 0);
	CHECK_EQ(rq_of(&b, 3)->smp.sd->nr_balance_failed, 2);
	CHECK_EQ(attempt(&b, 3, LB_IDLE), 1);
	CHECK_EQ(lab_task_cpu(g2), 3);
	bed_fini(&b);
}

TEST_MAIN("smp: a limited group on few CPUs")
