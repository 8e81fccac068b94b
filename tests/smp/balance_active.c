/* SPDX-License-Identifier: MIT */
/*
 * Active balance: what runs is taken off its CPU by the stopper, when failures show that nothing else helps.  The mechanism behind the third
 * seed (docs/rules/smp.md section 5): a kernel thread bound to the CPU of a busy thread waits there, and it is the busy one that is moved.
 */
#include "tests/test.h"

#include "tests/smp/bed.h"

static struct task_struct *bound_kthread(struct lb_bed *b, int cpu) { return hog_in(b, NULL, cpu, true, true); }

/* A hog that runs and a bound kthread that waits on CPU 0; CPU 1 is idle. */
static struct task_struct *hog_before_kthread(struct lb_bed *b, int threads, const char *row)
{
	struct task_struct *hog;

	lb_bed_of(b, .cpus = 2, .threads = threads, .row = row);
	hog = hog_on(b, 0);
	bound_kthread(b, 0);
	let_settle(b);
	while (cpu_rq(b->lab, 0)->curr != hog)
		let_pass(b, 1 * MS);
	let_pass(b, 600 * US);
	return hog;
}

/* The attempt of CPU 1 with which the stopper goes. */
static u32 attempts_until_stop(struct lb_bed *b, int nr)
{
	u32 i;

	for (i = 1; i <= 12; i++) {
		u64 before = stops(b);

		attempt(b, 1, nr, LB_IDLE);
		if (stops(b) > before)
			return i;
	}
	return 0;
}

/* Between cores the fourth failure sends it, between threads the third. */
TEST(active, smp_37_a_waiting_kthread_drives_the_hog_away)
{
	static const char *const rows[] = { "5.4", "5.10", "5.15", "6.1", "6.6", "6.12", "6.18", "7.2" };
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *hog = hog_before_kthread(&b, 1, rows[i]);
		u64 switches = b.d.events[EVENT_SCHED_SWITCH];

		CHECK_ROW(attempts_until_stop(&b, 0), 4, rows[i]);
		CHECK_EQ(hog->cpu, 1);
		CHECK(runs(&b.d, hog));
		CHECK_EQ(hog->migrations, 1);
		CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].other, MOVE_ACTIVE);
		CHECK_EQ(b.d.last[EVENT_SCHED_MIGRATE_TASK].arg, 1);
		/* hog -> migration/0 -> kthread on the source, and the hog comes in on the other */
		CHECK_EQ(b.d.events[EVENT_SCHED_SWITCH] - switches, 3);
		CHECK_EQ(failed(&b, 1, 0), 0);
		lb_bed_fini(&b);
		hog_before_kthread(&b, 2, rows[i]);
		CHECK_ROW(attempts_until_stop(&b, 0), 3, rows[i]);
		lb_bed_fini(&b);
	}
}

/* Its stopper is a task above all others, with a name in the records of its own: made when it is first needed. */
TEST(active, the_stopper_is_a_task_of_its_cpu)
{
	struct lb_bed b;
	struct task_struct *p;

	hog_before_kthread(&b, 1, "5.10");
	CHECK(!cpu_rq(b.lab, 0)->smp.stopper);
	attempts_until_stop(&b, 0);
	p = cpu_rq(b.lab, 0)->smp.stopper;
	CHECK(lab_task_is_stopper(p));
	CHECK_EQ(p->cpu, 0);
	CHECK_EQ(p->nr_cpus_allowed, 1);
	CHECK_EQ(b.d.last[EVENT_ACTIVE_LOAD_BALANCE_CPU_STOP].task, lab_task_id(p));
	CHECK_EQ(b.d.last[EVENT_ACTIVE_LOAD_BALANCE_CPU_STOP].arg, 1); /* to whom */
	CHECK_EQ(p->nvcsw, 1);
	CHECK(!cpu_rq(b.lab, 1)->smp.stopper);
	lb_bed_fini(&b);
}

/* smp-38: to 5.4 a group with two tasks is only overloaded where its CPU is used to 85 % (or 91 %); a CPU that is less busy is left alone. */
TEST(active, smp_38_before_5_5_only_from_a_cpu_that_is_used_up)
{
	static const struct {
		u64 util;
		u32 attempts;
	} rows[] = { { 1020, 4 }, { 880, 4 }, { 870, 0 }, { 400, 0 } };
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		hog_before_kthread(&b, 1, "5.4");
		cpu_rq(b.lab, 0)->cfs.avg.util_avg = rows[i].util;
		CHECK_EQ(attempts_until_stop(&b, 0), rows[i].attempts);
		lb_bed_fini(&b);
	}
	hog_before_kthread(&b, 1, "5.10"); /* later two tasks are enough */
	cpu_rq(b.lab, 0)->cfs.avg.util_avg = 400;
	CHECK_EQ(attempts_until_stop(&b, 0), 4);
	lb_bed_fini(&b);
}

/* ... and it tells the level above of the pinned kthread, which later is nothing to a balancer. */
TEST(active, smp_38_a_bound_kthread_is_a_pinned_task_before_5_13)
{
	static const struct {
		const char *row;
		bool flag;
	} rows[] = { { "5.4", true }, { "5.10", false }, { "6.12", false } };
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		lb_bed_of(&b, .cpus = 8, .llc = 4, .row = rows[i].row);
		hogs(&b, 0, 1);
		bound_kthread(&b, 0);
		let_settle(&b);
		attempt(&b, 1, 0, LB_IDLE);
		CHECK_ROW(level(&b, 1, 1)->groups[0]->imbalance, rows[i].flag, rows[i].row);
		lb_bed_fini(&b);
	}
}

/* Where the hog may not leave either nobody is sent: all are pinned, nothing counts as a failure. */
TEST(active, smp_39_a_bound_hog_stays)
{
	static const char *const rows[] = { "5.4", "5.10", "6.1", "6.12" };
	struct lb_bed b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *hog = hog_before_kthread(&b, 1, rows[i]);

		hogs(&b, 1, 1); /* somebody has to be free, or nobody balances */
		block(&b.d, 1);
		bind_to(&b, hog, 1);
		level(&b, 1, 0)->balance_interval = 2;
		CHECK_ROW(attempts_until_stop(&b, 0), 0, rows[i]);
		CHECK_EQ(failed(&b, 1, 0), 0);
		CHECK_EQ(level(&b, 1, 0)->balance_interval, 512);
		lb_bed_fini(&b);
	}
}

/* Two hogs on the threads of one core, another core idle: nobody waits, and the fourth failure moves one. */
TEST(active, smp_46_hogs_spread_over_cores)
{
	static const char *const rows[] = { "5.10", "6.1" };
	struct lb_bed b;
	size_t i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		lb_bed_of(&b, .cpus = 4, .threads = 2, .row = rows[i]);
		hogs(&b, 0, 1);
		hogs(&b, 1, 1);
		let_settle(&b);
		CHECK_EQ(size_for(&b, 2, 1, LB_IDLE, NULL), 1);
		for (k = 1; k <= 3; k++) {
			attempt(&b, 2, 1, LB_IDLE);
			CHECK_EQ(failed(&b, 2, 1), k);
			CHECK_EQ(stops(&b), 0);
		}
		attempt(&b, 2, 1, LB_IDLE);
		CHECK_EQ(stops(&b), 1);
		CHECK_EQ(tasks_on(&b, 2), 1);
		CHECK_EQ(size_for(&b, 3, 1, LB_IDLE, NULL), 0);
		lb_bed_fini(&b);
	}
}

/* Nobody looks again whether there is still a reason: the stopper itself is the second task. */
TEST(active, smp_63_a_lone_hog_is_moved)
{
	struct lb_bed b;
	struct task_struct *hog = hog_before_kthread(&b, 1, "5.10");
	struct rq *rq = cpu_rq(b.lab, 0);
	bool mine;
	u32 i;

	for (i = 0; i < 4; i++)
		load_balance(cpu_rq(b.lab, 1), level(&b, 1, 0), LB_IDLE, MOVE_IDLE, &mine);
	CHECK(rq->smp.active_balance); /* it has been woken, and has not run yet */
	CHECK_EQ(rq->nr_running, 3);
	CHECK_EQ(lab_schedule(b.lab, 0), rq->smp.stopper);
	{ /* meanwhile the kthread has finished */
		struct task_struct *kthread = list_entry(rq->smp.cfs_tasks.prev, struct task_struct, group_node);

		if (kthread == hog)
			kthread = list_entry(rq->smp.cfs_tasks.next, struct task_struct, group_node);
		dequeue_task_fair(rq, kthread, DEQUEUE_SLEEP | DEQUEUE_SPECIAL);
		kthread->state = TASK_INTERRUPTIBLE;
		stop_waiting(kthread);
	}
	CHECK_EQ(rq->nr_running, 2);
	lab_stopper(b.lab, 0);
	CHECK_EQ(hog->cpu, 1);
	CHECK(task_is_idle_thread(lab_schedule(b.lab, 0)));
	lb_bed_fini(&b);
}

/* A stopper that finds nobody it may move; the counter shows it all the same. */
TEST(active, a_stopper_may_come_in_vain)
{
	struct lb_bed b;
	struct task_struct *hog = hog_before_kthread(&b, 1, "6.1");
	bool mine;
	u32 i;

	hogs(&b, 1, 1);
	block(&b.d, 1);
	for (i = 0; i < 4; i++)
		load_balance(cpu_rq(b.lab, 1), level(&b, 1, 0), LB_IDLE, MOVE_IDLE, &mine);
	bind_to(&b, hog, 1); /* too late to be seen */
	obey_kicks(&b.d);
	CHECK_EQ(stops(&b), 1);
	CHECK_EQ(hog->cpu, 0);
	CHECK_EQ(hog->migrations, 0);
	lb_bed_fini(&b);
}

/* What sending it does to the count: to 5.11 two more failures are needed for the next, later one is. */
TEST(active, smp_64_a_kick_sets_the_count_back_to_5_11)
{
	static const struct {
		const char *row;
		u32 then, next;
	} rows[] = { { "5.4", 2, 2 }, { "5.10", 2, 2 }, { "5.15", 4, 1 }, { "6.1", 4, 1 }, { "6.12", 4, 1 } };
	struct lb_bed b;
	size_t i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *hog = hog_before_kthread(&b, 1, rows[i].row);
		bool mine;

		for (k = 0; k < 4; k++)
			load_balance(cpu_rq(b.lab, 1), level(&b, 1, 0), LB_IDLE, MOVE_IDLE, &mine);
		CHECK_ROW(failed(&b, 1, 0), rows[i].then, rows[i].row);
		bind_to(&b, hog, 1); /* so that it comes in vain */
		obey_kicks(&b.d);
		CHECK_EQ(stops(&b), 1);
		set_free(&b, hog);
		while (cpu_rq(b.lab, 0)->curr != hog)
			let_pass(&b, 1 * MS);
		let_pass(&b, 600 * US);
		CHECK_ROW(attempts_until_stop(&b, 0), rows[i].next, rows[i].row);
		CHECK_EQ(failed(&b, 1, 0), 0);
		lb_bed_fini(&b);
	}
}

/* A look that finds the level balanced, as the kthread was not there at that moment, makes the count begin anew. */
TEST(active, smp_65_a_balanced_look_makes_it_begin_anew)
{
	struct lb_bed b;
	struct task_struct *hog = hog_before_kthread(&b, 1, "5.10");
	struct rq *rq = cpu_rq(b.lab, 0);
	struct task_struct *kthread = list_entry(rq->smp.cfs_tasks.prev, struct task_struct, group_node);

	CHECK(kthread != hog);
	attempt(&b, 1, 0, LB_IDLE);
	attempt(&b, 1, 0, LB_IDLE);
	CHECK_EQ(failed(&b, 1, 0), 2);
	dequeue_task_fair(rq, kthread, 0);
	attempt(&b, 1, 0, LB_IDLE);
	CHECK_EQ(failed(&b, 1, 0), 0);
	enqueue_task_fair(rq, kthread, 0);
	CHECK_EQ(attempts_until_stop(&b, 0), 4);
	lb_bed_fini(&b);
}

/* Newly idle looks do not count, but one may send the stopper where others have counted far enough. */
TEST(active, smp_66_newly_idle_failures_do_not_count)
{
	struct lb_bed b;

	hog_before_kthread(&b, 1, "5.10");
	attempt(&b, 1, 0, LB_IDLE);
	attempt(&b, 1, 0, LB_NEWIDLE);
	attempt(&b, 1, 0, LB_NEWIDLE);
	CHECK_EQ(failed(&b, 1, 0), 1);
	attempt(&b, 1, 0, LB_IDLE);
	attempt(&b, 1, 0, LB_IDLE);
	CHECK_EQ(failed(&b, 1, 0), 3);
	CHECK_EQ(stops(&b), 0);
	attempt(&b, 1, 0, LB_IDLE);
	CHECK_EQ(stops(&b), 1);
	lb_bed_fini(&b);
	hog_before_kthread(&b, 1, "5.10");
	level(&b, 1, 0)->nr_balance_failed = 4;
	attempt(&b, 1, 0, LB_NEWIDLE);
	CHECK_EQ(stops(&b), 1);
	lb_bed_fini(&b);
}

/* To 5.11 the stopper minds heat like everybody: it gets its way only while the count that sent it stands. */
TEST(active, the_stopper_minds_heat_to_5_11)
{
	static const struct {
		const char *row;
		bool moved;
	} rows[] = { { "5.10", false }, { "6.1", true } };
	struct lb_bed b;
	size_t i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *hog = hog_before_kthread(&b, 1, rows[i].row);
		bool mine;

		for (k = 0; k < 4; k++)
			load_balance(cpu_rq(b.lab, 1), level(&b, 1, 0), LB_IDLE, MOVE_IDLE, &mine);
		level(&b, 1, 0)->nr_balance_failed = 0; /* a balanced look came in between */
		obey_kicks(&b.d);
		CHECK_EQ(stops(&b), 1);
		CHECK_ROW(hog->cpu, rows[i].moved, rows[i].row);
		lb_bed_fini(&b);
	}
}

/* Affinity by the stopper: the running task goes where it was asked to be brought. */
TEST(active, a_stopper_brings_a_running_task_to_a_cpu)
{
	struct lb_bed b;
	struct task_struct *hog;

	lb_bed_of(&b, .cpus = 4);
	hog = hog_on(&b, 0);
	let_settle(&b);
	CHECK(stop_and_push(b.lab, hog, 3));
	obey_kicks(&b.d);
	CHECK_EQ(hog->cpu, 3);
	CHECK(runs(&b.d, hog));
	CHECK_EQ(hog->migrations, 1);
	CHECK(task_is_idle_thread(cpu_rq(b.lab, 0)->curr));
	CHECK_EQ(stops(&b), 0);
	lb_bed_fini(&b);
}

/* A task that ends before its stopper comes is nobody's any more. */
TEST(active, a_stopper_forgets_a_task_that_ended)
{
	struct lb_bed b;
	struct task_struct *hog;

	lb_bed_of(&b, .cpus = 4);
	hog = hog_on(&b, 0);
	let_settle(&b);
	CHECK(stop_and_push(b.lab, hog, 3));
	lab_exit(b.lab, 0);
	CHECK_EQ(lab_schedule(b.lab, 0), cpu_rq(b.lab, 0)->smp.stopper);
	CHECK(list_empty(&cpu_rq(b.lab, 0)->smp.stop_works));
	lab_stopper(b.lab, 0);
	obey_kicks(&b.d);
	pass(&b.d, 0);
	CHECK(task_is_idle_thread(cpu_rq(b.lab, 0)->curr));
	lb_bed_fini(&b);
}

TEST_MAIN("balancing: the stopper")
