/* SPDX-License-Identifier: MIT */
/*
 * places.c - who is picked, where one that joins stands, and what it takes to break a turn: states built by hand.
 *
 *	v 8 [C d 14]   V 10 [A d 13]   v 12 [B d 12.5]	--->  A: B is not eligible, C is later
 *
 * The worked examples of docs/rules/fair.md 10.4 by their numbers.
 */
#include "tests/test.h"

#include "tests/eevdf/bed.h"

static const char *const all_rows[] = { "6.6", "6.12", "6.18", "7.2" };
static const char *const new_rows[] = { "6.12", "6.18", "7.2" };

#define EACH(row, rows, i) for (i = 0; i < ARRAY_SIZE(rows) && ((row) = (rows)[i]); i++)

/* ---- the pick ---- */

struct waiting {
	s64 v, d;
	int nice;
};

/* The id of the one of three waiting threads that is picked; their mean in *@mean. */
static u32 picked(const char *row, const struct waiting w[3], s64 *mean)
{
	struct task_struct *p[3];
	struct cfs_rq *cfs_rq;
	struct bed b;
	u32 id;
	int i;

	bed_of(&b, .row = row);
	for (i = 0; i < 3; i++)
		p[i] = thread_on(&b, 0, w[i].nice, 0);
	for (i = 0; i < 3; i++)
		waits_at(&b, p[i], w[i].v, w[i].d);
	cfs_rq = queue_at(&b, 0);
	*mean = mean_of(&b, cfs_rq);
	id = lab_task_id(container_of(b.lab->pick->pick(b.lab, cfs_rq, NULL), struct task_struct, se));
	lab_check(b.lab);
	bed_fini(&b);
	return id;
}

/* B has the earliest deadline but is ahead of the mean; A is earlier than C. */
TEST(eevdf, fair_44_the_earliest_of_the_eligible)
{
	static const struct waiting w[3] = { { 10 * MS, 13 * MS, 0 }, { 12 * MS, 12500 * US, 0 }, { 8 * MS, 14 * MS, 0 } };
	const char *row;
	size_t i;
	s64 mean;

	EACH(row, all_rows, i) {
		CHECK_ROW(picked(row, w, &mean), 1, row);
		CHECK_ROW(mean, 10 * MS, row);
	}
}

/* Weights move the mean: 10,846,205 ns, so that only A is owed time. */
TEST(eevdf, fair_45_the_mean_is_weighted)
{
	static const struct waiting w[3] = { { 10 * MS, 13 * MS, 0 }, { 12 * MS, 12500 * US, 5 }, { 11 * MS, 11900 * US, -5 } };
	const char *row;
	size_t i;
	s64 mean;

	EACH(row, all_rows, i) {
		CHECK_ROW(picked(row, w, &mean), 1, row);
		CHECK_ROW(mean, 10846205, row);
	}
}

/* Of equal deadlines the one that was queued first wins; current only by a strictly earlier one, and it is in the race while eligible. */
TEST(eevdf, ties_go_to_the_first_and_not_to_current)
{
	static const struct waiting w[3] = { { 10 * MS, 13 * MS, 0 }, { 10 * MS, 13 * MS, 0 }, { 10 * MS, 13 * MS, 0 } };
	struct task_struct *curr, *p;
	const char *row;
	struct bed b;
	size_t i;
	s64 mean;

	EACH(row, all_rows, i) {
		CHECK_ROW(picked(row, w, &mean), 1, row);
		bed_of(&b, .row = row);
		curr = thread_on(&b, 0, 0, 0);
		p = thread_on(&b, 0, 0, 0);
		runs_at(&b, curr, 10 * MS, 13 * MS);
		waits_at(&b, p, 10 * MS, 13 * MS);
		b.lab->pick->cancel_protection(b.lab, &curr->se);
		CHECK_ROW(b.lab->pick->pick(b.lab, queue_at(&b, 0), &curr->se) == &p->se, true, row);
		set_place(&b, &curr->se, 10 * MS, 13 * MS - 1);
		b.lab->pick->cancel_protection(b.lab, &curr->se);
		CHECK_ROW(b.lab->pick->pick(b.lab, queue_at(&b, 0), &curr->se) == &curr->se, true, row);
		bed_fini(&b);
	}
}

/* ---- joining ---- */

struct join {
	int others, nice; /* how many of nice 0 are there, at 100; the one that joins */
	s64 vlag, v, d, mean;
};

/* d is that of the default request, 3 ms. */
static void check_join(const char *row, const struct join *j)
{
	struct task_struct *p;
	struct bed b;
	int i;

	bed_of(&b, .row = row, .base_slice = 3 * MS);
	for (i = 0; i < j->others; i++)
		waits_at(&b, thread_on(&b, 0, 0, 0), 100 * MS, 103 * MS);
	p = thread_on(&b, 0, j->nice, 0);
	wakes_with(&b, p, j->vlag);
	CHECK_ROW(v_of(&b, p), j->v, row);
	CHECK_ROW(d_of(&b, p), j->d, row);
	CHECK_WITHIN(mean_of(&b, queue_at(&b, 0)), j->mean - 1, j->mean + 1);
	CHECK_WITHIN(mean_of(&b, queue_at(&b, 0)) - v_of(&b, p), j->vlag - 1, j->vlag + 1); /* the lag is what it was */
	bed_fini(&b);
}

/* W 3072: stretched by 4096 / 3072 it is 2 again once the newcomer pulls the mean back. */
TEST(eevdf, fair_46_lag_is_stretched)
{
	const char *row;
	size_t i;

	EACH(row, all_rows, i)
		check_join(row, &(struct join){ .others = 3, .vlag = 2 * MS, .v = 97333334, .d = 100333334, .mean = 99333333 });
}

/* Nice 5: stretched by 3407 / 3072; its request is 9,170,149 of virtual time. */
TEST(eevdf, fair_47_a_light_one_is_stretched_less)
{
	const char *row;
	size_t i;

	EACH(row, all_rows, i)
		check_join(row, &(struct join){ .others = 3, .nice = 5, .vlag = 2 * MS, .v = 97781902, .d = 106952051, .mean = 99781902 });
}

/* Debt is stretched as well. */
TEST(eevdf, fair_48_debt_is_stretched)
{
	const char *row;
	size_t i;

	EACH(row, all_rows, i)
		check_join(row, &(struct join){ .others = 1, .vlag = -1 * MS, .v = 102 * MS, .d = 105 * MS, .mean = 101 * MS });
}

/* On an empty queue the lag is lost: v is where the last one left. */
TEST(eevdf, fair_49_an_empty_queue_forgets)
{
	static const s64 lags[] = { 2 * MS, -2 * MS, 0 };
	const char *row;
	size_t i, k;

	EACH(row, all_rows, i) {
		for (k = 0; k < ARRAY_SIZE(lags); k++) {
			struct task_struct *p;
			struct bed b;

			bed_of(&b, .row = row, .base_slice = 3 * MS);
			runs_at(&b, thread_on(&b, 0, 0, 0), 100 * MS, 103 * MS);
			at(&b.d, 1 * MS);
			block(&b.d, 0);
			p = thread_on(&b, 0, 0, 0);
			wakes_with(&b, p, lags[k]);
			CHECK_ROW(v_of(&b, p), 101 * MS, row);
			CHECK_ROW(d_of(&b, p), 104 * MS, row);
			bed_fini(&b);
		}
	}
}

/* With place_lag off it joins at the mean, whatever it is owed. */
TEST(eevdf, without_place_lag_all_join_at_the_mean)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, .row = "6.12", .base_slice = 3 * MS, .rules = { "NO_PLACE_LAG" });
	waits_at(&b, thread_on(&b, 0, 0, 0), 100 * MS, 103 * MS);
	p = thread_on(&b, 0, 0, 0);
	wakes_with(&b, p, 2 * MS);
	CHECK_EQ(v_of(&b, p), 100 * MS);
	bed_fini(&b);
}

/* ---- wakeups ---- */

struct meeting {
	u64 slice; /* the wakee's own, or 0 */
	s64 vlag;
	s64 v, d;
	bool preempts;
};

/* A runs alone with v 1 and d 3, picked at 0, and is protected; another wakes. */
static void check_meeting(const char *row, const struct meeting *m)
{
	struct task_struct *a, *p;
	struct bed b;

	bed_of(&b, .row = row, .base_slice = 3 * MS, .hz = 250, .rules = { "hrtick=off" });
	a = thread_on(&b, 0, 0, 0);
	p = thread_on(&b, 0, 0, m->slice);
	runs_at(&b, a, 0, 3 * MS);
	at(&b.d, 1 * MS);
	CHECK_ROW(wakes_with(&b, p, m->vlag), m->preempts, row);
	CHECK_ROW(v_of(&b, a), 1 * MS, row);
	CHECK_ROW(v_of(&b, p), m->v, row);
	CHECK_ROW(d_of(&b, p), m->d, row);
	obey_kicks(&b.d);
	CHECK_ROW(runs(&b.d, p), m->preempts, row);
	if (!m->preempts) { /* but at the first tick behind its request */
		at(&b.d, 4 * MS);
		tick(&b.d, 0);
		CHECK_ROW(runs(&b.d, p), true, row);
	}
	bed_fini(&b);
}

/* Its request is not complete, and it is eligible. */
TEST(eevdf, fair_50_a_turn_is_protected)
{
	const char *row;
	size_t i;

	EACH(row, all_rows, i)
		check_meeting(row, &(struct meeting){ .v = 1 * MS, .d = 4 * MS, .preempts = false });
}

/* One that is owed 2 ms pulls the mean to -1: the runner is not eligible any more. */
TEST(eevdf, fair_51_unless_it_is_not_eligible)
{
	const char *row;
	size_t i;

	EACH(row, all_rows, i)
		check_meeting(row, &(struct meeting){ .vlag = 2 * MS, .v = -3 * MS, .d = 0, .preempts = true });
}

/* A shorter request breaks the protection; before 6.12 nobody has one of its own. */
TEST(eevdf, fair_52_unless_a_short_request_comes)
{
	const char *row;
	size_t i;

	EACH(row, new_rows, i)
		check_meeting(row, &(struct meeting){ .slice = 500 * US, .v = 1 * MS, .d = 1500 * US, .preempts = true });
	check_meeting("6.6", &(struct meeting){ .slice = 500 * US, .v = 1 * MS, .d = 4 * MS, .preempts = false });
}

/* Lag is kept while asleep, however long: B is 1.45 behind the mean again, A ahead of it. */
TEST(eevdf, fair_54_lag_outlives_a_sleep)
{
	struct task_struct *a, *p;
	const char *row;
	struct bed b;
	size_t i;

	EACH(row, all_rows, i) {
		bed_of(&b, .row = row, .base_slice = 3 * MS, .rules = { "hrtick=off" });
		a = thread_on(&b, 0, 0, 0);
		p = thread_on(&b, 0, 0, 0);
		runs_at(&b, a, 4 * MS, 7 * MS);
		at(&b.d, 2 * MS);
		CHECK_ROW(wakes_with(&b, p, 1450 * US), true, row);
		CHECK_ROW(v_of(&b, a), 6 * MS, row);
		CHECK_ROW(v_of(&b, p), 3100 * US, row);
		CHECK_ROW(d_of(&b, p), 6100 * US, row);
		CHECK_ROW(mean_of(&b, queue_at(&b, 0)), 4550 * US, row);
		bed_fini(&b);
	}
}

/* ---- the limit of lag ---- */

/* The lag with which one of @nice leaves that is far behind (@sign 1) or ahead of another. */
static s64 lag_kept(const char *row, int cpus, int nice, int sign)
{
	struct task_struct *p, *other;
	struct bed b;
	s64 lag;

	bed_of(&b, .row = row, .cpus = cpus, .hz = 250, .rules = { "place_rel_deadline=off" });
	p = thread_on(&b, 0, nice, 0);
	other = thread_on(&b, 0, 0, 0);
	waits_at(&b, p, 100 * MS, 103 * MS);
	waits_at(&b, other, (100 + sign * 99) * MS, (103 + sign * 99) * MS);
	p->cpus_allowed[0] = 3;
	lab_affinity(b.lab, 0, p, &(u64){ 2 });
	lag = p->se.vlag;
	bed_fini(&b);
	return lag;
}

/* The debt with which one that ran falls asleep on a machine with one CPU, 100 ms ahead of another. */
static s64 debt_kept_on_one_cpu(const char *row)
{
	struct task_struct *p;
	struct bed b;
	s64 lag;

	bed_of(&b, .row = row, .hz = 250);
	CHECK_EQ(b.lab->base_slice, 750 * US);
	p = thread_on(&b, 0, 0, 0);
	runs_at(&b, p, 200 * MS, 200750 * US);
	waits_at(&b, thread_on(&b, 0, 0, 0), 100 * MS, 100750 * US);
	block(&b.d, 0);
	lag = p->se.vlag;
	bed_fini(&b);
	return lag;
}

/* Twice the slice, 6 ms, or a tick where that is more: one CPU has a slice of 0.75 ms. */
TEST(eevdf, fair_55_lag_is_at_most_two_slices)
{
	CHECK_EQ(lag_kept("6.6", 8, 0, 1), 6 * MS);
	CHECK_EQ(lag_kept("6.6", 8, 0, -1), -6 * (s64)MS);
	CHECK_EQ(lag_kept("6.6", 8, 5, 1), 18340298);
	CHECK_EQ(lag_kept("6.6", 8, 5, -1), -18340298);
	CHECK_EQ(debt_kept_on_one_cpu("6.6"), -4 * (s64)MS);
}

/* From 7.0 the longest slice in the queue and a tick: 2.8 + 4. */
TEST(eevdf, fair_56_lag_is_at_most_the_longest_slice_and_a_tick)
{
	CHECK_EQ(lag_kept("7.2", 8, 0, 1), 6800 * US);
	CHECK_EQ(lag_kept("7.2", 8, 0, -1), -6800 * (s64)US);
	CHECK_EQ(lag_kept("7.2", 8, 5, 1), 20785671);
	CHECK_EQ(lag_kept("7.2", 8, 5, -1), -20785671);
}

/* ---- a change of weight ---- */

/* A thread at v 96, d 99 beside one at 104, so that the mean is 100, gets @weight. */
static void check_reweight(const char *row, u64 weight, s64 v, s64 d, s64 mean)
{
	struct task_struct *p, *other;
	struct cfs_rq *cfs_rq;
	struct bed b;

	bed_of(&b, .row = row, .base_slice = 3 * MS);
	p = thread_on(&b, 0, 0, 0);
	other = thread_on(&b, 0, 0, 0);
	waits_at(&b, p, 96 * MS, 99 * MS);
	waits_at(&b, other, 104 * MS, 107 * MS);
	cfs_rq = queue_at(&b, 0);
	reweight_entity(b.lab, cfs_rq, &p->se, scale_load(b.lab, weight));
	CHECK_ROW(v_of(&b, p), v, row);
	CHECK_ROW(d_of(&b, p), d, row);
	CHECK_WITHIN(mean_of(&b, cfs_rq), mean - 1, mean + 1);
	lab_check(b.lab);
	bed_fini(&b);
}

/* The lag and the time to the deadline keep their length in real time, and the mean stays; in 6.6 v stays. */
TEST(eevdf, fair_57_reweight)
{
	const char *row;
	size_t i;

	EACH(row, new_rows, i) {
		check_reweight(row, 2048, 98 * MS, 99500 * US, 100 * MS);
		check_reweight(row, 335, 87773135, 96943284, 100 * MS);
	}
	check_reweight("6.6", 2048, 96 * MS, 97500 * US, 98666666);
}

/* A nice change takes the task off the queue and puts it back: the lag it brings is scaled, what is left of its request only in 7.x. */
TEST(eevdf, a_nice_change_scales_what_is_carried_along)
{
	static const struct { const char *row; s64 to_deadline; } rows[] = {
		{ "6.6", 9170149 }, { "6.12", 3 * MS }, { "6.18", 3 * MS }, { "7.2", 9170149 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p, *other;
		struct bed b;

		bed_of(&b, .row = rows[i].row, .base_slice = 3 * MS);
		p = thread_on(&b, 0, 0, 0);
		other = thread_on(&b, 0, 0, 0);
		waits_at(&b, p, 98 * MS, 101 * MS);
		waits_at(&b, other, 102 * MS, 105 * MS);
		lab_set_nice(b.lab, 0, p, SCHED_NORMAL, 5);
		CHECK_WITHIN(mean_of(&b, queue_at(&b, 0)) - v_of(&b, p), 2 * MS * 1024 / 335 - 2, 2 * MS * 1024 / 335 + 2);
		CHECK_WITHIN(d_of(&b, p) - v_of(&b, p), rows[i].to_deadline - 1, rows[i].to_deadline + 1);
		bed_fini(&b);
	}
}

/* ---- fork ---- */

struct child {
	s64 v, d;
};

static struct child forked(struct bed *b, struct task_struct *parent, struct task_struct **child)
{
	struct task_spec spec = { .cpus = &(u64){ 1 } };

	*child = lab_fork(b->lab, 0, parent, &spec);
	lab_wake_new(b->lab, 0, *child);
	return (struct child){ v_of(b, *child), d_of(b, *child) };
}

/* The first request is half as long; it does not preempt, and runs at the tick behind its parent's. */
TEST(eevdf, fair_58_a_child_asks_for_half)
{
	struct task_struct *parent, *child;
	const char *row;
	struct child c;
	struct bed b;
	size_t i;

	EACH(row, new_rows, i) {
		bed_of(&b, .row = row, .base_slice = 3 * MS, .hz = 250, .rules = { "hrtick=off" });
		parent = thread_on(&b, 0, 0, 0);
		runs_at(&b, parent, 0, 3 * MS);
		at(&b.d, 1 * MS);
		c = forked(&b, parent, &child);
		CHECK_ROW(c.v, 1 * MS, row);
		CHECK_ROW(c.d, 2500 * US, row);
		CHECK_ROW(lab_need_resched(b.lab, 0), false, row);
		at(&b.d, 4 * MS);
		tick(&b.d, 0);
		CHECK_ROW(v_of(&b, parent), 4 * MS, row);
		CHECK_ROW(mean_of(&b, queue_at(&b, 0)), 2500 * US, row);
		CHECK_ROW(runs(&b.d, child), true, row);
		bed_fini(&b);
	}
}

/* To 6.11 the enqueue placed it again, with a whole request. */
TEST(eevdf, fair_59_the_half_is_lost_to_6_11)
{
	struct task_struct *parent, *child;
	struct child c;
	struct bed b;

	bed_of(&b, .row = "6.6", .base_slice = 3 * MS);
	parent = thread_on(&b, 0, 0, 0);
	runs_at(&b, parent, 0, 3 * MS);
	at(&b.d, 1 * MS);
	c = forked(&b, parent, &child);
	CHECK_EQ(c.v, 1 * MS);
	CHECK_EQ(c.d, 4 * MS);
	bed_fini(&b);
}

/* ---- migration ---- */

/* v 199, d 201.5 at a mean of 200: 1 ms of lag becomes 2 beside one of the same weight at 50, and 2.5 ms of its request are left. */
TEST(eevdf, fair_62_a_move_keeps_lag_and_deadline)
{
	static const struct { const char *row; s64 d; } rows[] = {
		{ "6.6", 51 * MS }, { "6.12", 50500 * US }, { "6.18", 50500 * US }, { "7.2", 50500 * US },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *here, *p, *there;
		struct bed b;

		bed_of(&b, .row = rows[i].row, .cpus = 2, .base_slice = 3 * MS);
		here = thread_on(&b, 0, 0, 0);
		there = thread_on(&b, 1, 0, 0);
		p = thread_on(&b, 0, 0, 0);
		runs_at(&b, here, 201 * MS, 204 * MS);
		runs_at(&b, there, 50 * MS, 53 * MS);
		waits_at(&b, p, 199 * MS, 201500 * US);
		CHECK_EQ(mean_of(&b, queue_at(&b, 0)), 200 * MS);
		lab_affinity(b.lab, 0, p, &(u64){ 2 });
		CHECK_ROW(lab_task_cpu(p), 1, rows[i].row);
		CHECK_ROW(v_of(&b, p), 48 * MS, rows[i].row);
		CHECK_ROW(d_of(&b, p), rows[i].d, rows[i].row);
		CHECK_ROW(mean_of(&b, queue_at(&b, 1)), 49 * MS, rows[i].row);
		bed_fini(&b);
	}
}

/* ---- yield ---- */

/* Before, the deadline only moves on; since, the rest of the request is given up.  The other runs; but to 6.18 the turn stays protected. */
TEST(eevdf, fair_63_yield)
{
	static const struct { const char *row; s64 v, d; bool gives_way; } rows[] = {
		{ "6.6", 1 * MS, 6 * MS, true }, { "6.12", 3 * MS, 6 * MS, true }, { "6.18", 1 * MS, 6 * MS, false },
		{ "7.2", 3 * MS, 6 * MS, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *a, *p;
		struct bed b;

		bed_of(&b, .row = rows[i].row, .base_slice = 3 * MS);
		a = thread_on(&b, 0, 0, 0);
		p = thread_on(&b, 0, 0, 0);
		runs_at(&b, a, 1 * MS, 3 * MS);
		waits_at(&b, p, 1 * MS, 4 * MS);
		lab_yield(b.lab, 0);
		CHECK_ROW(v_of(&b, a), rows[i].v, rows[i].row);
		CHECK_ROW(d_of(&b, a), rows[i].d, rows[i].row);
		pass(&b.d, 0);
		CHECK_ROW(runs(&b.d, p), rows[i].gives_way, rows[i].row);
		bed_fini(&b);
	}
}

/* One that is owed nothing has nothing to give up; one that is alone does not even look. */
TEST(eevdf, a_yield_without_effect)
{
	struct task_struct *a, *p;
	struct bed b;

	bed_of(&b, .row = "7.2", .base_slice = 3 * MS);
	a = thread_on(&b, 0, 0, 0);
	p = thread_on(&b, 0, 0, 0);
	runs_at(&b, a, 2 * MS, 3 * MS);
	lab_yield(b.lab, 0);
	CHECK_EQ(v_of(&b, a), 2 * MS);
	waits_at(&b, p, 1 * MS, 4 * MS);
	lab_yield(b.lab, 0);
	CHECK_EQ(v_of(&b, a), 2 * MS);
	CHECK_EQ(d_of(&b, a), 3 * MS);
	bed_fini(&b);
}

TEST_MAIN("eevdf: places")
