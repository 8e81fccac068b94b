/* SPDX-License-Identifier: MIT */
/*
 * expiry.c - what the 5.4 fix (de53fd7aedb1) removes, judgement by judgement.
 *
 *	refill:  pool.deadline = clock + P, pool.seq++
 *	draw:    queue.seq != pool.seq ? take over both
 *	charge:  queue.deadline passed ? (queue.seq == pool.seq ? extend by a tick : L = 0)
 *	walk:    queue.deadline = pool.deadline (not the sequence)
 *	slack:   taken back only if the deadlines are equal
 *	slack timer: settles with the pool only if its deadline has not moved meanwhile
 *
 * Each row does one of these on the kernel of the first seed, 4.14.133, as it was (bw_expiry=seq) and with the patch
 * (bw_expiry=none), and reads one figure.  The patch deletes the stamps with the judges; here everything is stamped always
 * and only judged conditionally, so stamps that nobody reads may show the same figure on both sides.
 *
 * A task charges itself by reading its own CPU clock: so a charge stands where the test wants one, not at a tick.
 */
#include "tests/test.h"

#include "tests/driver.h"

#define QUOTA (20 * MS)
#define TICK (4 * MS)

struct bed {
	struct driver d;
	struct task_group *tg;
};

static void charge(struct bed *b, struct task_struct *p) { lab_read_runtime(b->d.lab, p); }
static u64 lost(struct bed *b) { return stat_now(&b->d, b->tg).ledger.lost; }
static s64 held(struct bed *b, int cpu) { return queue(&b->d, b->tg, cpu).runtime_remaining; }
static u64 local_deadline(struct bed *b, int cpu) { return queue(&b->d, b->tg, cpu).runtime_expires - b->d.epoch; }
static u64 pool_deadline(struct bed *b) { return pool(&b->d, b->tg).runtime_expires - b->d.epoch; }

static struct task_struct *start_at(struct bed *b, u64 t, int cpu)
{
	struct task_struct *p = sleeper(&b->d, b->tg, cpu);

	at(&b->d, t);
	start(&b->d, p);
	return p;
}

static void refill_at(struct bed *b, u64 t)
{
	at(&b->d, t);
	fire(&b->d, TIMER_PERIOD, b->tg);
}

/* ---- the stamps ---- */

/* The refill reads the clock of the CPU on which the timer runs (the one that wrote the limit), here 1 ms ahead. */
static s64 refill_stamps_the_deadline(struct bed *b)
{
	b->d.skew[0] = 1 * MS;
	refill_at(b, 100 * MS);
	return (s64)pool_deadline(b);
}

/* ... when it really runs, so lateness is in it. */
static s64 late_refill_stamps_later(struct bed *b)
{
	refill_at(b, 106 * MS);
	return (s64)pool_deadline(b);
}

static s64 refill_steps_the_sequence(struct bed *b)
{
	u32 seq = pool(&b->d, b->tg).expires_seq;

	refill_at(b, 100 * MS);
	return pool(&b->d, b->tg).expires_seq - seq;
}

static s64 draw_takes_over_the_deadline(struct bed *b)
{
	refill_at(b, 100 * MS);
	start_at(b, 110 * MS, 1);
	return (s64)local_deadline(b, 1);
}

/* How far the queue's sequence is behind the pool's after a draw.  Without expiry nobody takes it over, as nobody reads it. */
static s64 draw_takes_over_the_sequence(struct bed *b)
{
	refill_at(b, 100 * MS);
	start_at(b, 110 * MS, 1);
	return pool(&b->d, b->tg).expires_seq - queue(&b->d, b->tg, 1).expires_seq;
}

/* A failed draw stamps as well. */
static s64 failed_draw_takes_over_too(struct bed *b)
{
	struct task_struct *p = start_at(b, 10 * MS, 1);

	at(&b->d, 50 * MS); /* 40 ms of 20 */
	charge(b, p);
	refill_at(b, 100 * MS); /* 50 more in the pass that was asked for, of 20 */
	CHECK(held(b, 1) < 0);
	return (s64)local_deadline(b, 1);
}

/* ---- the charge ---- */

static s64 charge_before_the_deadline_does_nothing(struct bed *b)
{
	struct task_struct *p = start_at(b, 98 * MS, 1);

	at(&b->d, 99999999);
	charge(b, p);
	return held(b, 1);
}

/*
 * This CPU's clock runs ahead: its deadline has passed, but the pool has not been refilled.  The deadline moves by a tick
 * ...
 */
static s64 ahead_of_the_pool_extends(struct bed *b)
{
	struct task_struct *p = start_at(b, 98 * MS, 1);

	b->d.skew[1] = 3 * MS;
	at(&b->d, 98500 * US); /* there it is 101.5 */
	charge(b, p);
	return (s64)local_deadline(b, 1);
}

/* ... and the slice lives. */
static s64 ahead_of_the_pool_keeps_the_slice(struct bed *b)
{
	struct task_struct *p = start_at(b, 98 * MS, 1);

	b->d.skew[1] = 3 * MS;
	at(&b->d, 98500 * US);
	charge(b, p);
	return held(b, 1);
}

/* One tick a charge, however far ahead: 10 ms take three charges. */
static s64 each_charge_extends_by_one_tick(struct bed *b)
{
	struct task_struct *p = start_at(b, 90 * MS, 1);
	u32 i;

	b->d.skew[1] = 10200 * US;
	for (i = 1; i <= 3; i++) {
		at(&b->d, 90 * MS + i);
		charge(b, p);
	}
	return (s64)local_deadline(b, 1);
}

/* A second draw in the same period does not take the extension back: the sequence is the same. */
static s64 draw_keeps_the_extension(struct bed *b)
{
	struct task_struct *p = start_at(b, 94 * MS, 1);

	b->d.skew[1] = 6500 * US;
	at(&b->d, 94 * MS + 1); /* there it is 100.5: 6.5 ms charged, a slice drawn */
	charge(b, p);
	at(&b->d, 94 * MS + 2); /* extended to 104 */
	charge(b, p);
	at(&b->d, 99500 * US); /* there it is 106: 5.5 ms more, another slice drawn */
	charge(b, p);
	return (s64)local_deadline(b, 1);
}

/* The pool has been refilled: the rest of the old slice is gone, and the same charge draws a new one. */
static s64 after_a_refill_the_slice_is_lost(struct bed *b)
{
	struct task_struct *p = start_at(b, 99 * MS, 1);
	u64 before_charge;

	refill_at(b, 100 * MS);
	before_charge = lost(b);
	at(&b->d, 101 * MS);
	charge(b, p); /* 5 - 2 */
	return (s64)(lost(b) - before_charge);
}

static s64 after_a_refill_a_new_slice_is_drawn(struct bed *b)
{
	struct task_struct *p = start_at(b, 99 * MS, 1);

	refill_at(b, 100 * MS);
	at(&b->d, 101 * MS);
	charge(b, p);
	return held(b, 1);
}

/* A debt is no slice: it never dies.  The old pool's 15 ms were drawn and did not do; then the new one's 20. */
static s64 debt_never_expires(struct bed *b)
{
	struct task_struct *p = start_at(b, 50 * MS, 1);

	at(&b->d, 99 * MS);
	charge(b, p); /* 5 - 49 + 15 = -29 */
	refill_at(b, 100 * MS); /* the pass that was asked for charges: -29 - 1 + 20 */
	return held(b, 1);
}

/* The first task that joins charges nothing, which is a charge: the kept millisecond dies. */
static s64 joining_expires_what_was_kept(struct bed *b)
{
	struct task_struct *p = start_at(b, 50 * MS, 1);
	u64 before_wake;

	at(&b->d, 50500 * US);
	block(&b->d, 1);
	refill_at(b, 100 * MS);
	before_wake = lost(b);
	at(&b->d, 150 * MS);
	wake(&b->d, p);
	return (s64)(lost(b) - before_wake);
}

/* ---- distribution ---- */

/* CPUs 1 to 4 take all slices, CPU 5 is throttled as it wakes. */
static void throttle_cpu_5(struct bed *b)
{
	int cpu;

	for (cpu = 1; cpu <= 5; cpu++)
		start_at(b, 10 * MS, cpu);
	CHECK(queue(&b->d, b->tg, 5).throttled);
}

static s64 distribution_stamps_the_deadline(struct bed *b)
{
	throttle_cpu_5(b);
	refill_at(b, 100 * MS);
	return (s64)local_deadline(b, 5);
}

/* One behind: so the first charge after this deadline, if no draw comes before, would find the 1 ns dead. */
static s64 distribution_leaves_the_sequence(struct bed *b)
{
	throttle_cpu_5(b);
	refill_at(b, 100 * MS);
	return pool(&b->d, b->tg).expires_seq - queue(&b->d, b->tg, 5).expires_seq;
}

/* ---- slack ---- */

/* Equal deadlines: all but a millisecond goes back. */
static s64 slack_of_this_period_comes_back(struct bed *b)
{
	start_at(b, 50 * MS, 1);
	at(&b->d, 51 * MS);
	block(&b->d, 1);
	return (s64)pool(&b->d, b->tg).runtime;
}

/* Drawn before the refill, not expired because this CPU's clock is behind: the deadlines differ. */
static s64 slack_of_the_last_period_is_refused(struct bed *b)
{
	b->d.skew[1] = -2 * (s64)MS;
	start_at(b, 99 * MS, 1);
	refill_at(b, 100 * MS);
	at(&b->d, 100500 * US);
	block(&b->d, 1); /* 5 - 1.5 - 1 */
	return (s64)pool(&b->d, b->tg).runtime;
}

/* ... and destroyed: the queue is left with its millisecond all the same. */
static s64 refused_slack_is_lost(struct bed *b)
{
	u64 before_block;

	b->d.skew[1] = -2 * (s64)MS;
	start_at(b, 99 * MS, 1);
	refill_at(b, 100 * MS);
	before_block = lost(b);
	at(&b->d, 100500 * US);
	block(&b->d, 1);
	CHECK_EQ(held(b, 1), 1 * MS);
	return (s64)(lost(b) - before_block);
}

/* An extended deadline is not the pool's any more: same period, and still refused. */
static s64 extended_slack_is_refused(struct bed *b)
{
	start_at(b, 98 * MS, 1);
	b->d.skew[1] = 2 * MS;
	at(&b->d, 98500 * US); /* there it is 100.5; 5 - 2.5 - 1 */
	block(&b->d, 1);
	return (s64)pool(&b->d, b->tg).runtime;
}

/* ---- the slack timer ---- */

/*
 * The slack timer has handed 1 ns to each of two queues when a write refills the pool.  What it handed out is taken from
 * the pool only if the deadline is still the one it began with: with the fix always, and so from a pool it was never in.
 * (3.17-5.6: from a snapshot.)
 */
static s64 slack_timer_settles_with_its_own_pool_only(struct bed *b)
{
	int cpu;

	for (cpu = 1; cpu <= 7; cpu++) /* 1 to 4 take 5 each, 5 to 7 are throttled */
		start_at(b, 10 * MS, cpu);
	for (cpu = 1; cpu <= 2; cpu++)
		block(&b->d, cpu); /* 4 + 4 come back */
	b->d.walk_cost = 10 * US;
	at(&b->d, 15 * MS);
	fire(&b->d, TIMER_SLACK, b->tg);
	at(&b->d, timer_of(&b->d, TIMER_DISTRIBUTE, b->tg)->when);
	fire(&b->d, TIMER_DISTRIBUTE, b->tg);
	write_limit(&b->d, b->tg, QUOTA, 100 * MS);
	at(&b->d, timer_of(&b->d, TIMER_DISTRIBUTE, b->tg)->when);
	fire(&b->d, TIMER_DISTRIBUTE, b->tg);
	return (s64)(QUOTA - pool(&b->d, b->tg).runtime);
}

/* No refill in between: it settles, before and after the fix. */
static s64 slack_timer_settles(struct bed *b)
{
	int cpu;
	u64 before_walk;

	for (cpu = 1; cpu <= 6; cpu++)
		start_at(b, 10 * MS, cpu);
	for (cpu = 1; cpu <= 2; cpu++)
		block(&b->d, cpu);
	before_walk = pool(&b->d, b->tg).runtime;
	at(&b->d, 15 * MS);
	fire(&b->d, TIMER_SLACK, b->tg);
	return (s64)(before_walk - pool(&b->d, b->tg).runtime);
}

static const struct judgement {
	const char *name;
	s64 (*figure)(struct bed *b);
	s64 before, after; /* the fix */
} judgements[] = {
	{ "a refill stamps the deadline", refill_stamps_the_deadline, 201 * MS, 201 * MS },
	{ "a late refill stamps a later one", late_refill_stamps_later, 206 * MS, 206 * MS },
	{ "a refill steps the sequence", refill_steps_the_sequence, 1, 1 },
	{ "a draw takes over the deadline", draw_takes_over_the_deadline, 200 * MS, 200 * MS },
	{ "a draw takes over the sequence", draw_takes_over_the_sequence, 0, 2 },
	{ "a draw that fails takes them over too", failed_draw_takes_over_too, 200 * MS, 200 * MS },
	{ "a charge before the deadline does nothing", charge_before_the_deadline_does_nothing, 3 * MS + 1, 3 * MS + 1 },
	{ "ahead of the pool: the deadline is extended", ahead_of_the_pool_extends, 100 * MS + TICK, 100 * MS },
	{ "ahead of the pool: the slice lives", ahead_of_the_pool_keeps_the_slice, 1500 * US, 1500 * US },
	{ "each charge extends by one tick", each_charge_extends_by_one_tick, 100 * MS + TICK, 100 * MS },
	{ "a draw keeps the extension", draw_keeps_the_extension, 100 * MS + TICK, 100 * MS },
	{ "after a refill the slice is lost", after_a_refill_the_slice_is_lost, 3 * MS, 0 },
	{ "after a refill a new slice is drawn", after_a_refill_a_new_slice_is_drawn, 5 * MS, 3 * MS },
	{ "a debt never expires", debt_never_expires, -10 * (s64)MS, -10 * (s64)MS },
	{ "joining expires what was kept", joining_expires_what_was_kept, 1 * MS, 0 },
	{ "a distribution stamps the deadline", distribution_stamps_the_deadline, 200 * MS, 200 * MS },
	{ "a distribution leaves the sequence", distribution_leaves_the_sequence, 1, 2 },
	{ "slack of this period comes back", slack_of_this_period_comes_back, 18 * MS, 18 * MS },
	{ "slack of the last period is refused", slack_of_the_last_period_is_refused, 20 * MS, 22500 * US },
	{ "refused slack is lost", refused_slack_is_lost, 2500 * US, 0 },
	{ "slack behind an extended deadline is refused", extended_slack_is_refused, 15 * MS, 16500 * US },
	{ "the slack timer settles with its own pool only", slack_timer_settles_with_its_own_pool_only, 0, 2 },
	{ "the slack timer settles", slack_timer_settles, 2, 2 },
};

static s64 figure_under(const struct judgement *j, const char *rule)
{
	struct bed b;
	s64 value;

	driver_of(&b.d, .cpus = 8, .row = "4.14.133", .rules = { rule });
	b.tg = limited(&b.d, NULL, QUOTA, 100 * MS);
	value = j->figure(&b);
	driver_fini(&b.d);
	return value;
}

TEST(expiry, each_judgement_as_it_was)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(judgements); i++)
		CHECK_ROW(figure_under(&judgements[i], "bw_expiry=seq"), judgements[i].before, judgements[i].name);
}

TEST(expiry, each_judgement_with_the_fix)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(judgements); i++)
		CHECK_ROW(figure_under(&judgements[i], "bw_expiry=none"), judgements[i].after, judgements[i].name);
}

/*
 * What the back-port to 4.14.y left out (C1): arming the timer after an idle stop moves the deadline to the next expiry
 * and steps the sequence in 4.18 to 5.3.
 */
TEST(expiry, a_restart_advances_the_deadline_in_4_18_only)
{
	static const struct {
		const char *row;
		u64 deadline;
		u32 steps;
	} rows[] = { { "4.14.133", 200 * MS, 0 }, { "4.18", 600 * MS, 1 }, { "5.3", 600 * MS, 1 }, { "5.4", 200 * MS, 0 } };
	u32 i, seq;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		driver_of(&b.d, .cpus = 2, .row = rows[i].row);
		b.tg = limited(&b.d, NULL, QUOTA, 100 * MS);
		refill_at(&b, 100 * MS);
		refill_at(&b, 200 * MS); /* stops */
		CHECK_ROW(pool_deadline(&b), 200 * MS, rows[i].row);
		seq = pool(&b.d, b.tg).expires_seq;
		start_at(&b, 550 * MS, 1);
		CHECK_ROW(timer_of(&b.d, TIMER_PERIOD, b.tg)->when, 600 * MS, rows[i].row);
		CHECK_ROW(pool_deadline(&b), rows[i].deadline, rows[i].row);
		CHECK_ROW(pool(&b.d, b.tg).expires_seq - seq, rows[i].steps, rows[i].row);
		driver_fini(&b.d);
	}
}

/*
 * Nothing else differs: where no judgement is touched (a hog that never idles across a boundary) the two rows agree in
 * every figure.
 */
TEST(expiry, a_busy_cpu_without_leftovers_sees_no_difference)
{
	static const char *const rules[] = { "bw_expiry=seq", "bw_expiry=none" };
	struct group_stat st[2];
	u32 i;
	u64 t;

	for (i = 0; i < 2; i++) {
		struct bed b;

		driver_of(&b.d, .hz = 1000, .row = "4.14.133", .rules = { rules[i] });
		b.tg = limited(&b.d, NULL, QUOTA, 100 * MS);
		start_at(&b, 0, 0);
		for (t = 1 * MS; t <= 500 * MS; t += MS) {
			at(&b.d, t);
			if (!(t % (100 * MS)))
				fire(&b.d, TIMER_PERIOD, b.tg);
			tick(&b.d, 0);
		}
		st[i] = stat_now(&b.d, b.tg);
		driver_fini(&b.d);
	}
	CHECK_EQ(st[0].usage, 100 * MS);
	CHECK_EQ(st[0].usage, st[1].usage);
	CHECK_EQ(st[0].nr_throttled, st[1].nr_throttled);
	CHECK_EQ(st[0].throttled_time, st[1].throttled_time);
}

TEST_MAIN("bandwidth: expiry, judgement by judgement")
