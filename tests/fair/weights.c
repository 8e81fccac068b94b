/* SPDX-License-Identifier: MIT */
/* weights.c - docs/rules/fair.md 10.1: weights, and the kernel's own arithmetic with them (fair-1 to fair-11). */
#include "tests/test.h"

#include "tests/fair/bench.h"
#include "tests/machine_of.h"

/* The inverse is tabulated and the quotient truncated; nice 0 passes through. */
TEST(fair, fair_1_virtual_time_of_one_ms)
{
	static const struct { enum sched_policy policy; int nice; u64 v; } rows[] = {
		{ SCHED_NORMAL, -20, 11536 }, { SCHED_NORMAL, -5, 328099 }, { SCHED_NORMAL, -1, 801879 },
		{ SCHED_NORMAL, 0, 1000000 }, { SCHED_NORMAL, 1, 1248780 }, { SCHED_NORMAL, 5, 3056716 },
		{ SCHED_NORMAL, 10, 9309090 }, { SCHED_NORMAL, 19, 68266666 }, { SCHED_IDLE, 0, 341333333 },
		{ SCHED_IDLE, -20, 341333333 }, { SCHED_BATCH, 5, 3056716 },
	};
	struct bench b;
	size_t i;

	bench_of(&b);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p = thread_of(&b, NULL, 0, rows[i].policy, rows[i].nice);

		CHECK_EQ(calc_delta_fair(b.lab, 1 * MS, &p->se), rows[i].v);
	}
	bench_fini(&b);
}

/* Two hogs share by their weights: 1024 to 335. */
TEST(fair, fair_2_shares_follow_weights)
{
	struct testbed *m = machine_of(.cpus = 8);
	struct task_args nice_5 = { .cpu = 0, .loops = -1, .nice = 5 };
	u32 a = hog(m, NULL, 0, 0), b = task_of_args(m, &nice_5, STEPS(RUN(1 * SEC)));

	run_until(m, 100 * SEC);
	CHECK_WITHIN(ran(m, a, 0, 100 * SEC), 75.35 * SEC - 24 * MS, 75.35 * SEC + 24 * MS);
	CHECK_EQ(ran(m, a, 0, 100 * SEC) + ran(m, b, 0, 100 * SEC), 100 * SEC);
	done(m);
}

/* The slice of a thread of @policy and @nice that waits on CPU 0 beside @others nice-0 threads, on 8 CPUs. */
static u64 slice_of(const char *row, enum sched_policy policy, int nice, u32 others)
{
	struct bench b;
	struct task_struct *p;
	u64 slice;

	bench_of(&b, .cpus = 8, .row = row);
	while (others--)
		start(&b.d, thread(&b, 0, 0));
	p = thread_of(&b, NULL, 0, policy, nice);
	start(&b.d, p);
	slice = sched_slice(b.lab, p->se.cfs_rq, &p->se);
	bench_fini(&b);
	return slice;
}

/* The inverse of a total is 2^32 - 1 over it, truncated: 6 ns are lost; to 3.13 it was 2^32 over it, rounded. */
TEST(fair, fair_3_two_equals_have_half_a_period_less_6_ns)
{
	CHECK_EQ(slice_of("5.10", SCHED_NORMAL, 0, 1), 11999994);
	CHECK_EQ(slice_of("3.2", SCHED_NORMAL, 0, 1), 12000000);
}

/* One slice of @a and one of @b, alone with each other. */
static void two_slices(const char *row, enum sched_policy policy, int nice, u64 *slice_a, u64 *slice_b)
{
	struct bench b;
	struct task_struct *p, *q;

	bench_of(&b, .cpus = 8, .row = row);
	p = thread(&b, 0, 0);
	q = thread_of(&b, NULL, 0, policy, nice);
	start(&b.d, p);
	start(&b.d, q);
	*slice_a = sched_slice(b.lab, p->se.cfs_rq, &p->se);
	*slice_b = sched_slice(b.lab, q->se.cfs_rq, &q->se);
	bench_fini(&b);
}

/* Slices are parts of the period by weight over the total of 1359. */
TEST(fair, fair_4_slices_of_nice_0_and_nice_5)
{
	u64 a, b;

	two_slices("5.10", SCHED_NORMAL, 5, &a, &b);
	CHECK_EQ(a, 18083885);
	CHECK_EQ(b, 5916114);
}

/* Over a total of 1027 an idle thread's part is 70 us; BASE_SLICE raises it to 3 ms, from 5.16 to 0.75 ms. */
TEST(fair, fair_5_slices_of_nice_0_and_idle)
{
	static const struct { const char *row; u64 idle; } rows[] = {
		{ "5.4", 70107 }, { "5.10", 3 * MS }, { "5.15", 3 * MS }, { "6.1", 750 * US },
	};
	u64 a, b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		two_slices(rows[i].row, SCHED_IDLE, 0, &a, &b);
		CHECK_ROW(a, 23929887, rows[i].row);
		CHECK_ROW(b, rows[i].idle, rows[i].row);
	}
}

/* More than nr_latency = 8 threads: the period is 3 ms for each; BASE_SLICE rounds the lost 3 ns up. */
TEST(fair, fair_6_ten_hogs)
{
	CHECK_EQ(slice_of("5.4", SCHED_NORMAL, 0, 9), 2999997);
	CHECK_EQ(slice_of("5.10", SCHED_NORMAL, 0, 9), 3000000);
	CHECK_EQ(slice_of("5.4", SCHED_NORMAL, 0, 7), 2999994); /* eight share 24 ms */
}

/* A group of twice the shares has twice the slice of a task beside it. */
TEST_IF(FAIRGROUND_GROUPS, fair, fair_7_a_group_of_2048_beside_a_task)
{
	struct task_group *tg;
	struct task_struct *in, *out;
	struct bench b;

	bench_of(&b, .cpus = 8, .cgroup = 1);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	CHECK_EQ(lab_write(b.lab, 0, tg, KNOB_SHARES, 2048, 0, NULL), 0);
	in = thread_of(&b, tg, 0, SCHED_NORMAL, 0);
	out = thread(&b, 0, 0);
	start(&b.d, in);
	start(&b.d, out);
	CHECK_EQ(sched_slice(b.lab, root_queue(&b, 0), group_entity(&b, tg, 0)), 15999996);
	CHECK_EQ(sched_slice(b.lab, root_queue(&b, 0), &out->se), 7999998);
	bench_fini(&b);
}

/* Tunables grow by 1 + floor(log2(min(CPUs, 8))). */
TEST(fair, fair_8_the_factor_of_the_tunables)
{
	static const struct { int cpus; u64 factor; } rows[] = { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 3 }, { 7, 3 }, { 8, 4 }, { 64, 4 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = machine_of(.cpus = rows[i].cpus);
		const struct lab *lab;

		run_until(m, 1);
		lab = machine_lab(machine_in(m));
		CHECK_EQ(lab->latency, rows[i].factor * 6 * MS);
		CHECK_EQ(lab->min_granularity, rows[i].factor * 750 * US);
		CHECK_EQ(lab->wakeup_granularity, rows[i].factor * 1 * MS);
		CHECK_EQ(lab->nr_latency, 8);
		done(m);
	}
}

/* The factor follows CPUs that go and come back. */
TEST(fair, fair_8_hotplug_moves_the_factor)
{
	struct bench b;

	bench_of(&b, .cpus = 2);
	CHECK_EQ(b.lab->latency, 12 * MS);
	lab_hotplug(b.lab, 1, false);
	CHECK_EQ(b.lab->latency, 6 * MS);
	lab_hotplug(b.lab, 1, true);
	CHECK_EQ(b.lab->latency, 12 * MS);
	bench_fini(&b);
}

static struct group_stat written(struct bench *b, struct task_group *tg, enum knob knob, u64 value, int ret)
{
	CHECK_EQ(lab_write(b->lab, 0, tg, knob, value, 0, NULL), ret);
	return stat_now(&b->d, tg);
}

/* cpu.weight and cpu.shares turn into each other by 1024 to 100, rounded to the nearest. */
TEST_IF(FAIRGROUND_GROUPS, fair, fair_9_weight_and_shares)
{
	static const struct { u64 weight, shares; } rows[] = {
		{ 1, 10 }, { 10, 102 }, { 33, 338 }, { 50, 512 }, { 100, 1024 }, { 200, 2048 }, { 1000, 10240 }, { 10000, 102400 },
	};
	struct task_group *tg;
	struct bench b;
	size_t i;

	bench_of(&b, .cpus = 8);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(written(&b, tg, KNOB_WEIGHT, rows[i].weight, 0).shares, rows[i].shares);
	CHECK_EQ(written(&b, tg, KNOB_SHARES, 335, 0).weight, 33);
	CHECK_EQ(written(&b, tg, KNOB_SHARES, 820, 0).weight, 80);
	CHECK_EQ(written(&b, tg, KNOB_SHARES, 1024, 0).weight, 100);
	CHECK_EQ(written(&b, tg, KNOB_SHARES, 1, 0).shares, 2); /* clamped to 2 .. 262144 */
	CHECK_EQ(written(&b, tg, KNOB_SHARES, 300000, 0).shares, 262144);
	bench_fini(&b);
}

/* cpu.weight.nice takes its weight from the table of nice levels and finds its way back. */
TEST_IF(FAIRGROUND_GROUPS, fair, fair_10_weight_of_a_nice_level)
{
	struct task_group *tg;
	struct group_stat st;
	struct bench b;
	int nice;

	bench_of(&b, .cpus = 8);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	st = written(&b, tg, KNOB_WEIGHT_NICE, 5, 0);
	CHECK_EQ(st.shares, 335);
	CHECK_EQ(st.weight_nice, 5);
	CHECK_EQ(st.weight, 33);
	for (nice = -20; nice <= 19; nice++)
		CHECK_EQ(written(&b, tg, KNOB_WEIGHT_NICE, (u64)(s64)nice, 0).weight_nice, nice);
	bench_fini(&b);
}

/* cpu.idle forces the weight to 3, refuses writes of a weight, and leaves 1024 behind, not what was there before. */
TEST_IF(FAIRGROUND_GROUPS, fair, fair_11_an_idle_group)
{
	struct task_group *tg;
	struct bench b;

	bench_of(&b, .cpus = 8, .row = "5.15");
	tg = lab_group_create(b.lab, lab_root(b.lab));
	CHECK_EQ(written(&b, tg, KNOB_WEIGHT, 50, 0).shares, 512);
	CHECK_EQ(written(&b, tg, KNOB_IDLE, 1, 0).shares, 3);
	CHECK_EQ(written(&b, tg, KNOB_WEIGHT, 200, -EINVAL).shares, 3);
	CHECK_EQ(written(&b, tg, KNOB_SHARES, 200, -EINVAL).shares, 3);
	CHECK_EQ(written(&b, tg, KNOB_IDLE, 0, 0).shares, 1024);
	CHECK_EQ(written(&b, lab_root(b.lab), KNOB_SHARES, 200, -EINVAL).shares, 1024);
	bench_fini(&b);
}

TEST_MAIN("fair: weights")
