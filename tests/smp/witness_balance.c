/* SPDX-License-Identifier: MIT */
/*
 * Witnesses of the rules of balancing: CPUs with just the tasks that show the difference, and one attempt, or a few (bed.h).
 *
 *	rule x value ---> one small machine, that rule flipped and nothing else ---> a size, a CPU, a count
 */
#include "tests/test.h"

#include "core/eevdf.h"
#include "tests/smp/bed.h"
#include "tests/witness.h"

#define bed_under(b, u, ...) lb_bed_of(b, .row = (u)->row, .rules = { (u)->flipped, (u)->also }, __VA_ARGS__)

/* @figure of @b, which is done with. */
static s64 and_done(struct lb_bed *b, s64 figure)
{
	lb_bed_fini(b);
	return figure;
}

static s64 kilo(s64 load) { return (load + 10) / 1000; } /* about a task's load */

/* ---- who, and how much ---- */

/* Two tasks on CPU 0 of two, of which it uses @util. */
static s64 size_beside_two(const struct under *u, u64 util)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 2);
	hogs(&b, 0, 2);
	let_settle(&b);
	cpu_rq(b.lab, 0)->cfs.avg.util_avg = util;
	return and_done(&b, size_for(&b, 1, 0, LB_IDLE, NULL));
}

static s64 size_beside_two_light_ones(const struct under *u) { return kilo(size_beside_two(u, 400)); }
static s64 size_beside_two_hogs(const struct under *u)
{
	s64 size = size_beside_two(u, 1024);

	return size > 1 ? kilo(size) * 1000 : size;
}

static s64 busy_interval_of_four(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 4);
	return and_done(&b, (s64)level_interval(b.lab, level(&b, 0, 0), true));
}

static s64 next_look_beside_idle_policy(const struct under *u)
{
	struct task_struct *p;
	struct lb_bed b;
	struct rq *rq;

	bed_under(&b, u, .cpus = 4);
	p = hog_on(&b, 0);
	let_settle(&b);
	CHECK_EQ(lab_set_nice(b.lab, 0, p, SCHED_IDLE, 0), 0);
	rq = cpu_rq(b.lab, 0);
	level(&b, 0, 0)->balance_interval = 8;
	level(&b, 0, 0)->last_balance = 0;
	rebalance_domains(rq, LB_BUSY, MOVE_BUSY);
	return and_done(&b, (s64)(rq->smp.next_balance - lab_jiffies(b.lab)));
}

static s64 who_balances(const struct under *u)
{
	struct lb_bed b;
	int cpu;

	bed_under(&b, u, .cpus = 8, .llc = 4, .threads = 2);
	hogs(&b, 0, 1);
	let_settle(&b);
	for (cpu = 0; cpu < 4 && !designated(&b, cpu, 2); cpu++)
		;
	return and_done(&b, cpu);
}

/* Two caches of four: loads 2,1,1,0 against four light tasks. */
static s64 size_beside_a_lopsided_cache(const struct under *u)
{
	struct lb_bed b;
	int cpu;

	bed_under(&b, u, .cpus = 8, .llc = 4);
	hogs(&b, 0, 2);
	hogs(&b, 1, 1);
	hogs(&b, 2, 1);
	for (cpu = 4; cpu < 8; cpu++)
		CHECK_EQ(lab_set_nice(b.lab, cpu, hog_on(&b, cpu), SCHED_NORMAL, 5), 0);
	let_settle(&b);
	return and_done(&b, size_for(&b, 4, 1, LB_BUSY, NULL) > 0);
}

/* The group is flagged; it has one task, which is heavier than the one of the other. */
static s64 size_beside_a_flagged_cache(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 8, .llc = 4);
	CHECK_EQ(lab_set_nice(b.lab, 0, hog_on(&b, 0), SCHED_NORMAL, -5), 0);
	hogs(&b, 4, 1);
	let_settle(&b);
	level(&b, 0, 1)->groups[0]->imbalance = true;
	return and_done(&b, size_for(&b, 5, 1, LB_BUSY, NULL) > 0);
}

/* Five nice 0 tasks on four CPUs; the other cache has room, and one task that weighs more than all of them. */
static s64 size_for_an_idle_cpu_beside_a_heavy_task(const struct under *u)
{
	struct lb_bed b;
	int cpu;

	bed_under(&b, u, .cpus = 8, .llc = 4);
	for (cpu = 0; cpu < 4; cpu++)
		hogs(&b, cpu, cpu ? 1 : 2);
	CHECK_EQ(lab_set_nice(b.lab, 4, hog_on(&b, 4), SCHED_NORMAL, -15), 0);
	let_settle(&b);
	return and_done(&b, size_for(&b, 5, 1, LB_IDLE, NULL) > 0);
}

/* A core of two threads beside CPU 2, a core of one, which is idle; @first and @second tasks on the threads. */
static s64 size_beside_a_core(const struct under *u, int first, int second)
{
	struct lb_bed b;
	int cpu;

	bed_under(&b, u, .cpus = 4, .threads = 2);
	b.place[3].core = b.place[3].cluster = 3;
	CHECK(build_domains(b.lab));
	hogs(&b, 0, first);
	hogs(&b, 1, second);
	let_settle(&b);
	for (cpu = 0; cpu < 2; cpu++)
		CHECK_EQ(level(&b, 2, 0)->nr_groups, 3);
	return and_done(&b, size_for(&b, 2, 0, LB_IDLE, NULL));
}

static s64 size_beside_a_full_core(const struct under *u) { return size_beside_a_core(u, 1, 1); }

/* Four against two running on nodes of 48. */
static s64 size_between_nodes(const struct under *u)
{
	struct lb_bed b;
	int cpu;

	bed_under(&b, u, .cpus = 96, .node = 48, .llc = 48);
	for (cpu = 0; cpu < 4; cpu++)
		hogs(&b, cpu, 1);
	hogs(&b, 48, 1);
	hogs(&b, 49, 1);
	let_settle(&b);
	return and_done(&b, size_for(&b, 50, 1, LB_IDLE, NULL));
}

/* ---- which queue, which task ---- */

static s64 queue_with_sleepers_load(const struct under *u)
{
	struct lb_bed b;
	struct lb_env env = { .by = MIGRATE_LOAD, .imbalance = 100000 };
	struct rq *busiest;
	int cpu;

	bed_under(&b, u, .cpus = 8, .llc = 4);
	for (cpu = 0; cpu < 8; cpu++)
		hogs(&b, cpu, cpu == 1 ? 0 : 2);
	let_settle(&b);
	stain(cpu_rq(b.lab, 1));
	cpu_rq(b.lab, 1)->cfs.avg.load_avg = 5000;
	env.lab = b.lab;
	env.sd = level(&b, 4, 1);
	env.dst = cpu_rq(b.lab, 4);
	env.cpus = env.sd->span;
	busiest = b.lab->balance->busiest_queue(&env, env.sd->groups[1]);
	return and_done(&b, busiest->cpu);
}

static s64 attempts_for(struct lb_bed *b, int cpu)
{
	s64 i;

	for (i = 1; i <= 9 && !attempt(b, cpu, 0, LB_BUSY); i++)
		let_pass(b, 20 * MS + 600 * US);
	return i;
}

static s64 attempts_of_six_on_four(const struct under *u)
{
	struct lb_bed b;
	int cpu;

	bed_under(&b, u, .cpus = 4);
	for (cpu = 0; cpu < 4; cpu++)
		hogs(&b, cpu, cpu < 2 ? 2 : 1);
	let_settle(&b);
	cpu_rq(b.lab, 3)->cfs.avg.load_avg -= 8; /* so that half a task surely fits */
	return and_done(&b, attempts_for(&b, 3));
}

static s64 the_last_of_four_goes(const struct under *u)
{
	struct task_struct *p[4];
	struct lb_bed b;
	s64 k;

	bed_under(&b, u, .cpus = 2);
	p[0] = hog_on(&b, 0);
	let_settle(&b);
	for (k = 1; k < 4; k++) {
		p[k] = hog_on(&b, 0);
		set_free(&b, p[k]);
	}
	let_pass(&b, 900 * US);
	attempt(&b, 1, 0, LB_NEWIDLE);
	return and_done(&b, p[3]->cpu);
}

/* A hog, and a kernel thread bound to the same CPU, which waits. */
static void hog_and_kthread(struct lb_bed *b, int beside)
{
	struct task_struct *hog = hog_on(b, 0);

	hog_in(b, NULL, 0, true, true);
	hogs(b, 1, beside);
	let_settle(b);
	while (cpu_rq(b->lab, 0)->curr != hog)
		let_pass(b, 1 * MS);
	let_pass(b, 600 * US);
}

static s64 flag_after_a_bound_kthread(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 8, .llc = 4);
	hog_and_kthread(&b, 0);
	attempt(&b, 1, 0, LB_IDLE);
	return and_done(&b, level(&b, 1, 1)->groups[0]->imbalance);
}

static s64 sleepers_that_moved(const struct under *u)
{
	struct task_struct *p;
	struct lb_bed b;

	bed_under(&b, u, .cpus = 2);
	hogs(&b, 0, 2);
	let_settle(&b);
	do {
		let_pass(&b, 1 * MS);
		p = cpu_rq(b.lab, 0)->curr;
	} while (eevdf_eligible(b.lab, p->se.cfs_rq, &p->se));
	block(&b.d, 0);
	let_pass(&b, 600 * US);
	return and_done(&b, attempt(&b, 1, 0, LB_IDLE));
}

/* Three on CPU 0, of which the two that wait have had more than their share; one on CPU 1. */
static s64 attempts_where_those_who_wait_ran_ahead(const struct under *u)
{
	struct lb_bed b;
	struct cfs_rq *cfs_rq;
	u32 ahead;

	bed_under(&b, u, .cpus = 2);
	hogs(&b, 0, 3);
	hogs(&b, 1, 1);
	let_settle(&b);
	cfs_rq = &cpu_rq(b.lab, 0)->cfs;
	do {
		struct list_head *pos;

		let_pass(&b, 1 * MS);
		ahead = 0;
		list_for_each(pos, &cpu_rq(b.lab, 0)->smp.cfs_tasks) {
			struct task_struct *p = list_entry(pos, struct task_struct, group_node);

			ahead += cpu_rq(b.lab, 0)->curr != p && !eevdf_eligible(b.lab, cfs_rq, &p->se);
		}
	} while (ahead < 2);
	return and_done(&b, attempt(&b, 1, 0, LB_BUSY));
}

/* ---- outcomes ---- */

static s64 failures_left_by_a_taken_level(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 8, .llc = 4, .node = 4);
	hogs(&b, 0, 2);
	let_settle(&b);
	level(&b, 4, 1)->nr_balance_failed = 2;
	level(&b, 4, 1)->last_balance = 0;
	b.lab->smp.serial_until = b.d.now + 5 * US; /* another CPU is at it */
	rebalance_domains(cpu_rq(b.lab, 4), LB_IDLE, MOVE_IDLE);
	return and_done(&b, failed(&b, 4, 1));
}

/* CPU 1 has a hog itself, so its size is a load. */
static s64 stops_after_six_failures_by_load(const struct under *u)
{
	struct lb_bed b;
	int i;

	bed_under(&b, u, .cpus = 2);
	hog_and_kthread(&b, 1);
	for (i = 0; i < 6 && !stops(&b); i++)
		attempt(&b, 1, 0, LB_BUSY);
	return and_done(&b, (s64)stops(&b));
}

static s64 failures_after_a_kick(const struct under *u)
{
	struct lb_bed b;
	bool mine;
	s64 nr;
	int i;

	bed_under(&b, u, .cpus = 2);
	hog_and_kthread(&b, 0);
	for (i = 0; i < 4; i++)
		load_balance(cpu_rq(b.lab, 1), level(&b, 1, 0), LB_IDLE, MOVE_IDLE, &mine);
	nr = failed(&b, 1, 0);
	obey_kicks(&b.d);
	return and_done(&b, nr);
}

/* ---- newly idle ---- */

static void two_and_one(struct lb_bed *b)
{
	hogs(b, 0, 2);
	hogs(b, 1, 1);
	let_settle(b);
}

static s64 came_to_who_slept(struct lb_bed *b)
{
	block(&b->d, 1);
	return and_done(b, tasks_on(b, 1));
}

static s64 came_after_short_sleeps(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 4);
	two_and_one(&b);
	cpu_rq(b.lab, 1)->smp.avg_idle = 300 * US;
	return came_to_who_slept(&b);
}

static s64 came_though_nobody_is_said_to_be_crowded(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 4);
	two_and_one(&b);
	b.lab->smp.overloaded = false;
	return came_to_who_slept(&b);
}

static s64 came_of_six(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 4);
	hogs(&b, 0, 6);
	let_settle(&b);
	return and_done(&b, attempt(&b, 1, 0, LB_NEWIDLE));
}

static s64 came_with_a_wakee_on_its_way(const struct under *u)
{
	struct lb_bed b;
	s64 came;

	bed_under(&b, u, .cpus = 4);
	two_and_one(&b);
	dequeue_task_fair(cpu_rq(b.lab, 1), cpu_rq(b.lab, 1)->curr, DEQUEUE_SLEEP | DEQUEUE_SPECIAL);
	cpu_rq(b.lab, 1)->smp.ttwu_pending = true;
	came = newidle_balance(cpu_rq(b.lab, 1));
	cpu_rq(b.lab, 1)->smp.ttwu_pending = false;
	return and_done(&b, came);
}

static s64 came_after_a_throw_of_514(const struct under *u)
{
	struct lb_bed b;

	bed_under(&b, u, .cpus = 4);
	two_and_one(&b);
	b.d.random = 514;
	return came_to_who_slept(&b);
}

static s64 ratio_after_1024_throws_in_3_s(const struct under *u)
{
	struct sched_domain *sd;
	struct lb_bed b;

	bed_under(&b, u, .cpus = 4);
	two_and_one(&b);
	sd = level(&b, 1, 0);
	sd->newidle_call = 1023;
	sd->newidle_success = 200;
	b.d.random = 514;
	block(&b.d, 1);
	return and_done(&b, sd->newidle_ratio);
}

/* Two CPUs with two tasks each: 0 uses more, 1 would if nobody waited.  Which is taken from? */
static s64 cpu_with_most_utilisation(const struct under *u)
{
	static const u64 util[] = { 900, 600 }, runnable[] = { 950, 1000 };
	struct lb_bed b;
	struct lb_env env;
	int cpu;

	bed_under(&b, u, .cpus = 4, .llc = 2);
	for (cpu = 0; cpu < 2; cpu++) {
		hogs(&b, cpu, 2);
		cpu_rq(b.lab, cpu)->cfs.avg.util_avg = util[cpu];
		cpu_rq(b.lab, cpu)->cfs.avg.runnable_avg = runnable[cpu];
	}
	env = (struct lb_env){ .lab = b.lab, .sd = level(&b, 2, 1), .dst = cpu_rq(b.lab, 2), .by = MIGRATE_UTIL, .cpus = b.lab->smp.lb_cpus };
	memcpy(env.cpus, env.sd->span, BITS_WORDS((size_t)b.d.cpus) * sizeof(*env.cpus));
	return and_done(&b, b.lab->balance->busiest_queue(&env, env.sd->groups[1])->cpu);
}

static const struct witness witnesses[] = {
	{ "balancer", "5.4", NULL, size_beside_two_hogs, "the size for an idle CPU beside two hogs on another: load, in round thousands, or tasks", IN_NOTHING,
	  { { "tasks", 1000 }, { "load", 1000 }, { "types", 1 } },
	  "4.4: from 5.5 a group of one CPU gives half of the difference in tasks; before, load (smp-36)" },
	{ "balancer", "5.4", NULL, size_beside_two_light_ones, "the same in tasks of load, if the other CPU is used to 40 % only", IN_NOTHING,
	  { { "tasks", 1 }, { "load", 0 }, { "types", 0 } },
	  "4.5: two waiting tasks with little utilisation do not make a group overloaded; where tasks are counted they do" },
	{ "busy_interval", "5.10", NULL, busy_interval_of_four, "ticks between two looks of a CPU with work at four CPUs, 1000 Hz", IN_NOTHING,
	  { { "whole", 64 }, { "less", 63 } },
	  "1.6: busy intervals lose one tick from 5.10 on (smp-40)" },
	{ "lb_sched_idle", "5.10", NULL, next_look_beside_idle_policy, "ticks to the next look of a CPU with one SCHED_IDLE task, of four", IN_NOTHING,
	  { { "off", 127 }, { "on", 8 } },
	  "4.1: a CPU running only SCHED_IDLE tasks counts as not busy" },
	{ "lb_designated", "6.1", NULL, who_balances, "who balances for CPUs 0-3, cores of two threads, if CPU 0 is busy", IN_NOTHING,
	  { { "cpu", 1 }, { "core", 2 } },
	  "4.2: from 6.6 the first idle CPU whose whole core is idle (smp-52)" },
	{ "lb_imbalanced", "3.2", NULL, size_beside_a_lopsided_cache, "whether a busy CPU takes from a cache whose CPUs have 2, 1, 1 and 0 tasks", YES_OR_NO,
	  { { "loads", 1 }, { "flag", 0 } },
	  "4.5: imbalanced where the loads of two CPUs differ by a task's" },
	{ "lb_imbalanced", "3.16", NULL, size_beside_a_flagged_cache, "whether one takes from a flagged cache with one task, heavier than that of the other", YES_OR_NO,
	  { { "loads", 0 }, { "flag", 1 } },
	  "4.9: the flag makes the level above move one task" },
	{ "lb_force", "4.18", NULL, size_for_an_idle_cpu_beside_a_heavy_task, "whether an idle CPU takes from a cache with five tasks, if its own has one that weighs more", YES_OR_NO,
	  { { "newidle", 0 }, { "idle", 1 } },
	  "4.5: forced if newly idle (4.14), or at any idle look (5.4)" },
	{ "prefer_sibling", "6.1", NULL, size_beside_a_full_core, "tasks that an idle core of one thread wants of a core with both threads busy", IN_NOTHING,
	  { { "child", 0 }, { "group", 1 } },
	  "1.2: read from the level below, which that CPU has not, or from the busiest group's own flags" },
	{ "smt_balance", "6.1", NULL, size_beside_a_full_core, "the same", IN_NOTHING,
	  { { "off", 0 }, { "on", 1 } },
	  "4.3: a core of threads with more than one task asks for one to be moved" },
	{ "lb_numa", "5.10", NULL, size_between_nodes, "tasks to move between nodes of 48 CPUs with four and two running", IN_NOTHING,
	  { { "pair", 1 }, { "limit", 0 } },
	  "4.4: from 5.18 a difference of two does not matter while no more than imb_numa_nr, 6, run there (smp-48)" },
	{ "lb_source", "5.10", NULL, queue_with_sleepers_load, "the CPU to take from, if CPU 1 has no task but the load of sleepers", IN_NOTHING,
	  { { "any", 1 }, { "queued", 0 } },
	  "4.4: from 5.12 CPUs without fair tasks are skipped" },
	{ "lb_util", "6.6", NULL, cpu_with_most_utilisation, "the CPU that utilisation is taken from, if of two CPU 0 uses 900 and has 950 runnable, and CPU 1 600 and 1,000", IN_NOTHING,
	  { { "used", 0 }, { "runnable", 1 } },
	  "4.4: the most utilisation; from 6.5 the larger of util and runnable of each" },
	{ "lb_relax", "5.10", NULL, attempts_of_six_on_four, "at which attempt a hog moves, six on four CPUs", IN_NOTHING,
	  { { "half", 1 }, { "failed", 2 } },
	  "4.6: half a task's load fits at once; from 5.10 after one failure (smp-41)" },
	{ "lb_order", "4.14", NULL, the_last_of_four_goes, "whether a newly idle CPU takes the task that came last, of four", YES_OR_NO,
	  { { "queued", 1 }, { "picked", 0 } },
	  "4.6: from the most recently queued end, or from the least recently picked" },
	{ "lb_kthread", "5.10", NULL, flag_after_a_bound_kthread, "whether the level above is told, where a bound kernel thread waits", YES_OR_NO,
	  { { "pinned", 1 }, { "skipped", 0 } },
	  "4.6: a per-CPU kernel thread is refused without flags from 5.13 on (smp-38)" },
	{ "lb_delayed", "6.12", NULL, sleepers_that_moved, "delayed sleepers that an idle CPU takes", IN_NOTHING,
	  { { "moved", 1 }, { "load", 0 } },
	  "4.6: 6.12 has no such test; later they are refused, except for sizes in load" },
	{ "lb_ineligible", "6.12", NULL, attempts_where_those_who_wait_ran_ahead, "tasks that come at the first attempt, if all that wait have had more than their share", IN_NOTHING,
	  { { "off", 1 }, { "on", 0 } },
	  "4.6: refused while nothing has failed, where others are queued at the destination" },
	{ "lb_serialized", "6.18", NULL, failures_left_by_a_taken_level, "failures left, of two, after a level between nodes was found taken", IN_NOTHING,
	  { { "later", 2 }, { "balanced", 0 } },
	  "4.1: skipped without touching anything, or treated as balanced" },
	{ "active_cause", "5.10", NULL, stops_after_six_failures_by_load, "stoppers sent by six failures of a CPU with work, whose sizes are loads", IN_NOTHING,
	  { { "any", 1 }, { "tasks", 0 } },
	  "4.8: from 5.12 only when the size was in tasks" },
	{ "active_kick", "5.10", NULL, failures_after_a_kick, "the count of failures after the stopper was sent", IN_NOTHING,
	  { { "settles", 2 }, { "counts", 4 } },
	  "4.8: tries + 1, or as it was (smp-64)" },
	{ "newidle_gate", "5.10", NULL, came_after_short_sleeps, "tasks that come to a CPU that sleeps 300 us on average", IN_NOTHING,
	  { { "time", 0 }, { "overload", 0 }, { "cost", 1 } },
	  "6: below 500 us it does not look; later only if that is less than the lowest level costs (smp-59)" },
	{ "newidle_gate", "5.10", NULL, came_though_nobody_is_said_to_be_crowded, "tasks that come if no CPU is known to have two", IN_NOTHING,
	  { { "time", 1 }, { "overload", 0 }, { "cost", 0 } },
	  "6: the overload flag is asked from 3.17 on (smp-60)" },
	{ "newidle_amount", "5.10", NULL, came_of_six, "tasks of six that a newly idle CPU takes", IN_NOTHING,
	  { { "size", 3 }, { "one", 1 } },
	  "4.6: preemptible kernels stop after one task (smp-45)" },
	{ "newidle_pending", "5.10", NULL, came_with_a_wakee_on_its_way, "tasks that come while a wakee is on its way", IN_NOTHING,
	  { { "off", 1 }, { "on", 0 } },
	  "6: not if a wakeup is pending, from 6.1 on" },
	{ "newidle_dice", "5.10", NULL, came_after_a_throw_of_514, "tasks that come after a throw of 514", IN_NOTHING,
	  { { "off", 1 }, { "ratio", 0 }, { "timed", 0 } },
	  "6: it looks only if the throw is no more than 1 + ratio, 512 at first" },
	{ "newidle_dice", "6.12", NULL, ratio_after_1024_throws_in_3_s, "the ratio after 1024 throws that took 3 s, of which 200 paid", IN_NOTHING,
	  { { "off", 202 }, { "ratio", 200 }, { "timed", 915 } },
	  "6: without a dice it has looked and pulled once more; from 7.0 the time they took counts, some 240 a second" },
};

WITNESS_MAIN("smp: what each rule of balancing changes", witnesses, RULE_BALANCER, RULE_NEWIDLE_DICE)
