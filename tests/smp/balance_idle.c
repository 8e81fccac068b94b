/* SPDX-License-Identifier: MIT */
/*
 * A CPU that runs out of work, and CPUs that sleep without ticks: docs/rules/smp.md sections 6 and 7, smp-checked.md A5, A7 and A8.
 */
#include "tests/test.h"

#include "core/eevdf.h"
#include "tests/smp/bed.h"

/* ---- newly idle ---- */

/* Two hogs on CPU 0; a third thread on CPU 1 is about to sleep. */
static struct task_struct *about_to_sleep(struct lb_bed *b, const char *row)
{
	struct task_struct *p;

	lb_bed_of(b, .cpus = 4, .row = row);
	hogs(b, 0, 2);
	p = hog_on(b, 1);
	let_settle(b);
	return p;
}

static bool pulls(struct lb_bed *b)
{
	block(&b->d, 1);
	return tasks_on(b, 1);
}

TEST(idle, smp_36_a_newly_idle_cpu_pulls_at_once)
{
	static const char *const rows[] = { "3.2", "4.14", "5.4", "5.10", "5.15", "6.1", "6.6", "6.12", "6.18", "7.2" };
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		about_to_sleep(&b, rows[i]);
		CHECK_ROW(pulls(&b), true, rows[i]);
		CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].other, MOVE_NEWIDLE);
		CHECK_EQ(tasks_on(&b, 0), 1);
		lb_bed_fini(&b);
	}
}

/* Who has run less than 500 us ago is left where it is. */
TEST(idle, smp_36_but_not_what_is_hot)
{
	struct lb_bed b;

	about_to_sleep(&b, "5.10");
	b.lab->model.param[PARAM_MIGRATION_COST] = 1 * SEC;
	cpu_rq(b.lab, 1)->smp.avg_idle = 2 * SEC;
	CHECK(!pulls(&b));
	CHECK_EQ(failed(&b, 1, 0), 0);
	lb_bed_fini(&b);
}

/* The gate: to 5.15 a mean sleep of 500 us; later what the lowest level cost so far. */
TEST(idle, smp_59_the_gate)
{
	static const struct {
		const char *row;
		bool pulls;
	} rows[] = { { "3.2", false }, { "5.4", false }, { "5.10", false }, { "5.15", false }, { "6.1", true }, { "6.6", true } };
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		about_to_sleep(&b, rows[i].row);
		cpu_rq(b.lab, 1)->smp.avg_idle = 300 * US;
		level(&b, 1, 0)->max_newidle_lb_cost = 20 * US;
		CHECK_ROW(pulls(&b), rows[i].pulls, rows[i].row);
		lb_bed_fini(&b);
	}
	about_to_sleep(&b, "6.6");
	cpu_rq(b.lab, 1)->smp.avg_idle = 300 * US;
	level(&b, 1, 0)->max_newidle_lb_cost = 400 * US;
	CHECK(!pulls(&b));
	lb_bed_fini(&b);
}

/* Nobody has two tasks: nothing is looked at, only the next look is brought forward. */
TEST(idle, smp_60_not_overloaded)
{
	struct lb_bed b;

	lb_bed_of(&b, .cpus = 4, .row = "5.10");
	hogs(&b, 0, 1);
	hogs(&b, 1, 1);
	let_settle(&b);
	b.lab->smp.overloaded = false;
	level(&b, 1, 0)->last_balance = lab_jiffies(b.lab) - 1;
	level(&b, 1, 0)->balance_interval = 4;
	cpu_rq(b.lab, 1)->smp.next_balance = lab_jiffies(b.lab) + 1000;
	CHECK(!pulls(&b));
	CHECK_EQ(cpu_rq(b.lab, 1)->smp.next_balance, lab_jiffies(b.lab) + 3);
	lb_bed_fini(&b);
}

/* The flag rises with the first second task anywhere, and falls when the highest level is looked at and nobody has two. */
TEST(idle, the_overload_flag)
{
	struct lb_bed b;
	struct task_struct *p;

	lb_bed_of(&b, .cpus = 4, .row = "5.10");
	p = hog_on(&b, 0);
	CHECK(!b.lab->smp.overloaded);
	hogs(&b, 0, 1);
	CHECK(b.lab->smp.overloaded);
	CHECK_EQ(b.lab->smp.nr_crowded, 1);
	let_settle(&b);
	set_free(&b, p);
	attempt(&b, 1, 0, LB_IDLE);
	CHECK_EQ(b.lab->smp.nr_crowded, 0);
	CHECK(b.lab->smp.overloaded);
	attempt(&b, 2, 0, LB_IDLE);
	CHECK(!b.lab->smp.overloaded);
	lb_bed_fini(&b);
}

/* The dice of 6.1.y, 6.12.y and later: fresh after boot it says no in half of the cases; then the CPU's next tick is the next chance. */
TEST(idle, the_dice)
{
	static const struct {
		const char *row;
		u64 thrown;
		bool pulls;
	} rows[] = {
		{ "5.10", 1023, true }, { "5.15", 1023, true }, { "6.4", 1023, true }, { "6.6", 1023, true }, { "6.1", 513, true },
		{ "6.1", 514, false }, { "6.12", 513, true }, { "6.12", 514, false }, { "6.12", 1024 + 5, true }, { "7.2", 514, false },
	};
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		about_to_sleep(&b, rows[i].row);
		level(&b, 1, 0)->last_balance = lab_jiffies(b.lab) - 10;
		level(&b, 1, 0)->balance_interval = 4;
		cpu_rq(b.lab, 1)->smp.next_balance = lab_jiffies(b.lab) + 1000;
		b.d.random = rows[i].thrown;
		CHECK_ROW(pulls(&b), rows[i].pulls, rows[i].row);
		if (!rows[i].pulls) { /* next_balance was brought forward before the dice was thrown */
			CHECK(cpu_rq(b.lab, 1)->smp.next_balance <= lab_jiffies(b.lab));
			tick_all(&b);
			CHECK_EQ(tasks_on(&b, 1), 1);
			CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].other, MOVE_IDLE);
		}
		lb_bed_fini(&b);
	}
}

/* It learns: every throw counts, one that paid counts for those that were not taken as well; with the 1024th the ratio is set anew. */
TEST(idle, the_dice_learns)
{
	struct sched_domain *sd;
	struct lb_bed b;

	about_to_sleep(&b, "6.12");
	sd = level(&b, 1, 0);
	CHECK_EQ(sd->newidle_call, 512);
	CHECK_EQ(sd->newidle_success, 256);
	CHECK_EQ(sd->newidle_ratio, 512);
	pulls(&b);
	CHECK_EQ(sd->newidle_call, 513);
	CHECK_EQ(sd->newidle_success, 256 + 2); /* 1024 / 513 */
	sd->newidle_call = 1023;
	sd->newidle_success = 100;
	b.d.random = 1023;
	block(&b.d, 1); /* what it had pulled: the dice says no */
	CHECK_EQ(sd->newidle_ratio, 100);
	CHECK_EQ(sd->newidle_call, 512);
	CHECK_EQ(sd->newidle_success, 50);
	lb_bed_fini(&b);
	about_to_sleep(&b, "7.2"); /* 1024 throws that took 3 s are worth 715 more, and a full ratio throws no dice */
	sd = level(&b, 1, 0);
	sd->newidle_call = 1023;
	sd->newidle_success = 600;
	b.d.random = 514;
	pulls(&b);
	CHECK_EQ(sd->newidle_ratio, 1024);
	lb_bed_fini(&b);
}

/* The ratio with which it begins is a tunable. */
TEST(idle, the_dice_of_a_machine_that_has_been_up)
{
	struct lb_bed b;

	about_to_sleep(&b, "6.12");
	level(&b, 1, 0)->newidle_ratio = 50;
	b.d.random = 52;
	CHECK(!pulls(&b));
	lb_bed_fini(&b);
}

/* How much: half of the difference, or one where the kernel is preemptible. */
TEST(idle, how_much_a_newly_idle_cpu_takes)
{
	static const struct {
		const char *row;
		u32 nr, came;
	} rows[] = {
		{ "5.10", 2, 1 }, { "5.10", 3, 1 }, { "5.10", 4, 2 }, { "5.10", 5, 2 }, { "5.10", 6, 3 }, { "5.15", 6, 3 }, { "6.1", 6, 1 }, { "6.12", 5, 1 },
	};
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		lb_bed_of(&b, .cpus = 4, .row = rows[i].row);
		hogs(&b, 0, (int)rows[i].nr);
		let_settle(&b);
		CHECK_ROW(attempt(&b, 1, 0, LB_NEWIDLE), rows[i].came, rows[i].row);
		lb_bed_fini(&b);
	}
	lb_bed_of(&b, .cpus = 4, .row = "5.10"); /* an older kernel built that way */
	b.lab->cfg.preempt = PREEMPT_FULL;
	hogs(&b, 0, 6);
	let_settle(&b);
	CHECK_EQ(attempt(&b, 1, 0, LB_NEWIDLE), 1);
	CHECK_EQ(attempt(&b, 2, 0, LB_IDLE), 2); /* five are left; that is another matter at a tick */
	lb_bed_fini(&b);
}

/* The source is the one with most tasks, ties go to the first behind the destination (smp-checked.md A6). */
TEST(idle, the_source_is_the_first_with_most_tasks)
{
	struct lb_bed b;

	lb_bed_of(&b, .cpus = 8, .row = "5.10");
	hogs(&b, 0, 2);
	hogs(&b, 4, 2);
	hogs(&b, 6, 2);
	let_settle(&b);
	CHECK_EQ(attempt(&b, 3, 0, LB_NEWIDLE), 1);
	CHECK_EQ(tasks_on(&b, 4), 1);
	CHECK_EQ(attempt(&b, 7, 0, LB_NEWIDLE), 1);
	CHECK_EQ(tasks_on(&b, 0), 1);
	lb_bed_fini(&b);
}

/* ... and of it the task that was picked longest ago: here the first, over which the second took; to 4.14 the one queued last. */
TEST(idle, the_task_is_the_one_picked_longest_ago)
{
	static const struct {
		const char *row;
		int which;
	} rows[] = { { "4.14", 3 }, { "4.18", 0 }, { "5.10", 0 }, { "6.1", 0 } };
	struct task_struct *p[4];
	struct lb_bed b;
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		lb_bed_of(&b, .cpus = 2, .row = rows[i].row);
		p[0] = hog_on(&b, 0);
		let_settle(&b);
		for (k = 1; k < 4; k++) {
			p[k] = hog_on(&b, 0);
			set_free(&b, p[k]);
		}
		CHECK(runs(&b.d, p[1]));
		let_pass(&b, 900 * US);
		attempt(&b, 1, 0, LB_NEWIDLE);
		CHECK_ROW(p[rows[i].which]->cpu, 1, rows[i].row);
		lb_bed_fini(&b);
	}
}

/* ---- delayed sleepers (6.12) ---- */

/* One of @nr hogs on CPU 0 goes to sleep in debt, and stays queued. */
static struct task_struct *delayed_sleeper(struct lb_bed *b, const char *row, int nr)
{
	struct task_struct *p;

	lb_bed_of(b, .cpus = 2, .row = row);
	hogs(b, 0, nr);
	let_settle(b);
	do { /* until who runs there has had more than its share */
		let_pass(b, 1 * MS);
		p = cpu_rq(b->lab, 0)->curr;
	} while (eevdf_eligible(b->lab, p->se.cfs_rq, &p->se));
	block(&b->d, 0);
	CHECK(p->se.sched_delayed);
	let_pass(b, 600 * US);
	return p;
}

/* 6.12 moves it like any other: it is there, asleep, until the new CPU picks it, takes it out, and is idle again. */
TEST(idle, a_delayed_sleeper_is_moved_in_6_12)
{
	struct task_struct *p;
	struct lb_bed b;

	p = delayed_sleeper(&b, "6.12", 2);
	CHECK_EQ(tasks_on(&b, 0), 2);
	CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 1);
	CHECK_EQ(p->cpu, 1);
	CHECK_EQ(p->migrations, 1);
	CHECK(!p->se.on_rq);
	CHECK(!p->se.sched_delayed);
	CHECK(task_is_idle_thread(cpu_rq(b.lab, 1)->curr));
	CHECK_EQ(tasks_on(&b, 1), 0);
	lb_bed_fini(&b);
	p = delayed_sleeper(&b, "6.18", 2); /* later only where the size is a load */
	CHECK_EQ(attempt(&b, 1, 0, LB_IDLE), 0);
	CHECK_EQ(p->cpu, 0);
	lb_bed_fini(&b);
}

/* ---- ticks of idle CPUs, and the mask ---- */

static bool sleeps_tickless(struct lb_bed *b, int cpu) { return bit_test(b->lab->smp.nohz_mask, cpu); }

/* An idle CPU has one more tick, then none; it leaves the mask at its first tick with work. */
TEST(nohz, an_idle_cpu_has_one_more_tick)
{
	struct lb_bed b;

	lb_bed_of(&b, .cpus = 4, .row = "5.10");
	hogs(&b, 0, 1);
	hogs(&b, 1, 1);
	let_settle(&b);
	CHECK(sleeps_tickless(&b, 2));
	CHECK(!sleeps_tickless(&b, 1));
	CHECK_EQ(level(&b, 0, 0)->shared->nr_busy_cpus, 2);
	block(&b.d, 1);
	CHECK(!sleeps_tickless(&b, 1));
	CHECK(lab_tick_due(b.lab, 1) != NEVER);
	tick_all(&b);
	CHECK(sleeps_tickless(&b, 1));
	CHECK_EQ(lab_tick_due(b.lab, 1), NEVER);
	CHECK_EQ(level(&b, 0, 0)->shared->nr_busy_cpus, 1);
	hogs(&b, 1, 1);
	CHECK(sleeps_tickless(&b, 1));
	tick_all(&b);
	CHECK(!sleeps_tickless(&b, 1));
	CHECK_EQ(level(&b, 0, 0)->shared->nr_busy_cpus, 2);
	lb_bed_fini(&b);
}

/* Where every task is bound nothing of it happens: an idle CPU has no ticks at all. */
TEST(nohz, nothing_balances_where_all_are_bound)
{
	struct lb_bed b;

	lb_bed_of(&b, .cpus = 4, .row = "5.10");
	hog_in(&b, NULL, 0, true, false);
	hog_in(&b, NULL, 0, true, false);
	hog_in(&b, NULL, 1, true, false);
	block(&b.d, 1);
	CHECK_EQ(lab_tick_due(b.lab, 1), NEVER);
	let_pass(&b, 1 * SEC);
	CHECK_EQ(b.lab->smp.nr_nohz, 0);
	CHECK_EQ(cpu_rq(b.lab, 1)->smp.next_balance, level(&b, 1, 0)->last_balance); /* as at the start */
	lb_bed_fini(&b);
}

/*
 * CPU 1 sleeps; the tick of CPU 0, which has two tasks, wakes it, and it takes one when its level is due.  smp-36 says 1 to 3 ms, which is for
 * an interval at its least, 2 ms; one that has been balanced for a while looks every 4.
 */
TEST(nohz, smp_36_a_sleeper_is_woken_to_balance)
{
	struct task_struct *p;
	struct lb_bed b;
	u32 i;

	lb_bed_of(&b, .cpus = 2, .row = "5.10");
	p = hog_on(&b, 0);
	let_settle(&b);
	set_free(&b, hog_in(&b, NULL, 0, true, false));
	CHECK_EQ(tasks_on(&b, 0), 2);
	for (i = 1; i <= 9 && !tasks_on(&b, 1); i++)
		tick_all(&b);
	CHECK_WITHIN(i - 1, 1, 5);
	CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].other, MOVE_IDLE);
	CHECK(p->cpu == 0 || p->cpu == 1);
	lb_bed_fini(&b);
}

/* Whether anything is to be gained is not asked: two busy CPUs of one cache are enough for a kick, one is not. */
TEST(nohz, smp_61_kicks_for_nothing)
{
	struct lb_bed b;
	u32 i, kicks = 0;

	lb_bed_of(&b, .cpus = 4, .row = "5.10");
	hogs(&b, 0, 1);
	let_settle(&b);
	for (i = 0; i < 50; i++) {
		let_pass(&b, 1 * MS);
		CHECK(!b.d.softirq[1]);
	}
	hogs(&b, 1, 1);
	set_free(&b, b.task[1]);
	tick_all(&b);
	for (i = 0; i < 100; i++) {
		u64 next = b.lab->smp.nohz_next;

		tick_all(&b);
		kicks += b.lab->smp.nohz_next != next;
	}
	CHECK_EQ(moves(&b), 0);
	CHECK_WITHIN(kicks, 12, 26); /* the level is looked at every 4 ms, then 8; both sleepers at one kick */
	lb_bed_fini(&b);
}

/* Two tasks on CPU 0, of which one may move; CPUs 2, 3 and 7 sleep, all due but those in @late. */
static void three_sleepers(struct lb_bed *b, const char *row, u64 late)
{
	int cpu;

	lb_bed_of(b, .cpus = 8, .row = row);
	for (cpu = 0; cpu < 8; cpu++)
		hogs(b, cpu, cpu == 0 ? 2 : cpu == 2 || cpu == 3 || cpu == 7 ? 0 : 1);
	let_settle(b);
	for (cpu = 0; cpu < 8; cpu++) {
		bool due = !tasks_on(b, cpu) && !(late >> cpu & 1);

		level(b, cpu, 0)->last_balance = lab_jiffies(b->lab) - (due ? 100 : 0);
		cpu_rq(b->lab, cpu)->smp.next_balance = lab_jiffies(b->lab) + (due ? 0 : 100);
	}
	b->lab->smp.nohz_next = 0;
}

/* The lowest sleeper is asked; it goes on with those behind it that are due, and comes last itself. */
TEST(nohz, smp_62_who_is_served)
{
	static const struct {
		u64 late;
		int gets;
		enum move_cause cause;
	} rows[] = { { 0, 3, MOVE_NOHZ }, { 1 << 3, 7, MOVE_NOHZ }, { 1 << 3 | 1 << 7, 2, MOVE_IDLE }, { 1 << 2, 3, MOVE_NOHZ } };
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		three_sleepers(&b, "5.10", rows[i].late);
		tick_all(&b);
		CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].arg, rows[i].gets);
		CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].other, rows[i].cause);
		CHECK_EQ(moves(&b), 1);
		CHECK_EQ(b.lab->smp.nohz_next, lab_jiffies(b.lab) + (rows[i].cause == MOVE_IDLE ? 99 : 16)); /* when the first that is still idle is due */
		lb_bed_fini(&b);
	}
}

/* Without NOHZ idle CPUs go on ticking, and balance for themselves. */
TEST(nohz, idle_cpus_balance_for_themselves_where_they_tick)
{
	struct lb_bed b;
	u32 i;

	lb_bed_of(&b, .cpus = 4, .row = "5.10");
	b.lab->cfg.tick_always = true;
	hogs(&b, 3, 1);
	let_settle(&b);
	set_free(&b, hog_in(&b, NULL, 3, true, false));
	for (i = 1; i <= 20 && moves(&b) == 0; i++)
		tick_all(&b);
	CHECK_WITHIN(i - 1, 1, 9);
	CHECK_EQ(b.lab->smp.nr_nohz, 0);
	lb_bed_fini(&b);
}

TEST_MAIN("balancing: idle CPUs")
