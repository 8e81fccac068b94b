/* SPDX-License-Identifier: MIT */
/*
 * Witnesses of the rules of placement: on several CPUs in a state built by hand (place_bed.h), where one task goes.
 *
 *	rule x value ---> one small machine, that rule flipped and nothing else ---> a CPU, or how many were looked at
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"
#include "tests/witness.h"

static void bed_under(struct bed *b, enum bed_shape shape, const struct under *u)
{
	bed_init(b, shape, &(struct driver_args){ .row = u->row, .rules = { u->flipped, u->also } });
}

/* @figure of @b, which is done with. */
static s64 and_done(struct bed *b, s64 figure)
{
	bed_fini(b);
	return figure;
}

/* ---- loads, and the CPU to start from ---- */

static s64 load_of_a_busy_cpu(const struct under *u)
{
	struct bed b;

	bed_under(&b, M4, u);
	hog_on(&b, 0);
	settle(&b, 0, 900, 1024);
	rq_of(&b, 0)->cfs.runnable_load_avg = 600;
	return and_done(&b, (s64)cpu_load(rq_of(&b, 0)));
}

/* @p, which sleeps on CPU 0, runs there, has used @util of it by its last update, of @runnable that it could, and sleeps. */
static void runs_once(struct bed *b, struct task_struct *p, u64 util, u64 runnable)
{
	begin(b, p);
	p->se.avg.util_avg = util;
	p->se.avg.runnable_avg = runnable;
	p->se.avg.util_est &= ~UTIL_AVG_UNCHANGED;
	block(&b->d, 0);
}

static struct task_struct *slept_after(struct bed *b, const struct under *u, u64 util, u64 again, u64 runnable)
{
	struct task_struct *p;

	bed_under(b, M4, u);
	p = sleeper_on(b, 0);
	runs_once(b, p, util, util);
	runs_once(b, p, again, runnable);
	return p;
}

static s64 usual_after(const struct under *u, u64 util, u64 again, u64 runnable)
{
	struct bed b;
	s64 usual = slept_after(&b, u, util, again, runnable)->util_usual;

	return and_done(&b, usual);
}

static s64 usual_of_a_lighter_one(const struct under *u) { return usual_after(u, 512, 128, 128); }
static s64 usual_of_one_that_waited(const struct under *u) { return usual_after(u, 512, 128, 300); }

static s64 used_where_it_wakes(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	p = slept_after(&b, u, 512, 512, 512);
	settle(&b, 0, 128, 128); /* what is left of it */
	begin(&b, p);
	return and_done(&b, (s64)cpu_util(rq_of(&b, 0)));
}

static s64 usual_after_8_periods(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 0);
	begin(&b, p);
	at(&b.d, 8 * 1048576);
	block(&b.d, 0);
	return and_done(&b, (s64)p->util_usual);
}

static s64 used_without_who_looks(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	p = slept_after(&b, u, 512, 512, 512);
	begin(&b, p);
	return and_done(&b, (s64)cpu_util_without(rq_of(&b, 0), p));
}

static s64 with_flips(const struct under *u, u64 waker, u64 wakee)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M36, u);
	p = sleeper_on(&b, 7);
	hogs_up_to(&b, 36);
	settle(&b, 0, 0, 0);
	rq_of(&b, 0)->curr->last_wakee = p->id;
	rq_of(&b, 0)->curr->wakee_flips = waker;
	rq_of(&b, 0)->curr->wakee_flips_halved = b.d.now;
	p->wakee_flips = wakee;
	return and_done(&b, wakes_from(&b, 0, p));
}

static s64 woken_by_a_master(const struct under *u) { return with_flips(u, 36 * 37 + 1, 37); }
static s64 master_woken(const struct under *u) { return with_flips(u, 37, 36 * 37 + 1); }

static s64 interrupt_beside_an_idle_prev(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 1);
	return and_done(&b, interrupt_wakes(&b, 0, p));
}

static s64 interrupt_on_a_loaded_idle_cpu(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, P8, u);
	p = sleeper_on(&b, 4);
	settle(&b, 0, 2000, 0);
	return and_done(&b, interrupt_wakes(&b, 0, p));
}

static s64 far_from_an_idle_loaded_prev(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, P8, u);
	p = sleeper_on(&b, 4);
	hogs_up_to(&b, 4);
	settle(&b, 0, 0, 1024);
	settle(&b, 4, 900, 0);
	return and_done(&b, wakes_from(&b, 0, p));
}

static s64 waker_is_not_allowed(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 1);
	allow(&b, p, 0xe);
	hogs_up_to(&b, 2);
	return and_done(&b, wakes_from(&b, 0, p));
}

static s64 waker_exits(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_under(&b, P8, u);
	p = sleeper_on(&b, 4);
	weighs(&b, p, 20);
	hog_on(&b, 0);
	lab_exit(b.lab, 0);
	cpu = wakes_with(&b, 0, p, WAKE_SYNC);
	lab_schedule(b.lab, 0);
	return and_done(&b, cpu);
}

static s64 beside_a_delayed_sleeper(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, P8, u);
	p = sleeper_on(&b, 4);
	begin(&b, sleeper_on(&b, 0));
	hog_on(&b, 0);
	at(&b.d, 5 * MS);
	block(&b.d, 0);
	hog_on(&b, 4);
	settle(&b, 0, 2048, 1024);
	settle(&b, 4, 1024, 1024);
	weighs(&b, p, 900);
	llc_of_cpu(&b, 0)->shared->nr_idle_scan = 4;
	return and_done(&b, wakes_with(&b, 0, p, WAKE_SYNC));
}

static s64 asked_for_the_wakers_cpu(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 1);
	hog_on(&b, 0);
	return and_done(&b, wakes_with(&b, 0, p, WAKE_CURRENT_CPU));
}

/* ---- beside it ---- */

static s64 prev_is_idle_and_so_are_others(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 3);
	hog_on(&b, 0);
	settle(&b, 0, 0, 1024);
	return and_done(&b, wakes_with(&b, 0, p, WAKE_SYNC));
}

static s64 kworker_wakes(const struct under *u, bool by_interrupt)
{
	struct task_struct *p, *k;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 2);
	k = sleeper_of(&b, NULL, 2, SCHED_NORMAL, true);
	allow(&b, k, 1 << 2);
	begin(&b, k);
	hogs_on(&b, 2, 0, 1);
	return and_done(&b, by_interrupt ? interrupt_wakes(&b, 2, p) : wakes_from(&b, 2, p));
}

static s64 by_a_kworker(const struct under *u) { return kworker_wakes(u, false); }
static s64 by_an_interrupt_of_it(const struct under *u) { return kworker_wakes(u, true); }

/* CPU 0's task wakes one that was on 2 before 1; both are busy. */
static s64 remembered(const struct under *u, bool of_waker)
{
	struct task_struct *p, *waker;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 1);
	waker = hog_on(&b, 0);
	hogs_on(&b, 2, 1, 2);
	waker->recent_used_cpu = 3;
	p->recent_used_cpu = 2;
	wakes_from(&b, 0, p);
	return and_done(&b, of_waker ? waker->recent_used_cpu : p->recent_used_cpu);
}

static s64 recent_of_the_waker(const struct under *u) { return remembered(u, true); }
static s64 recent_of_the_wakee(const struct under *u) { return remembered(u, false); }

static s64 looked_at(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 3);
	hogs_on(&b, 2, 3, 0);
	interrupt_wakes(&b, 3, p);
	return and_done(&b, (s64)b.d.scanned);
}

static s64 looked_at_with_little_idle_time(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_under(&b, M36, u);
	p = sleeper_on(&b, 0);
	for (cpu = 0; cpu < 36; cpu++)
		if (cpu != 20)
			hog_on(&b, cpu);
	rq_of(&b, 0)->smp.avg_idle = 10 * US;
	llc_of_cpu(&b, 0)->avg_scan_cost = 2000;
	wakes_from(&b, 0, p);
	return and_done(&b, (s64)b.d.scanned);
}

static s64 fifth_task(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	p = sleeper_on(&b, 1);
	hogs_up_to(&b, 3);
	weighs(&b, p, 20);
	balancer_looks(&b);
	return and_done(&b, wakes_from(&b, 0, p));
}

static s64 few_allowed(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M8, u);
	p = sleeper_on(&b, 0);
	allow(&b, p, 0x21); /* 0 and 5 */
	hog_on(&b, 0);
	rq_of(&b, 0)->smp.avg_idle = 1;
	return and_done(&b, wakes_from(&b, 0, p));
}

static s64 prev_in_another_cluster(const struct under *u)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, K2x2, u);
	p = sleeper_on(&b, 2);
	hog_on(&b, 0);
	llc_of_cpu(&b, 0)->shared->nr_idle_scan = 1;
	return and_done(&b, wakes_with(&b, 0, p, WAKE_SYNC));
}

static s64 beside_an_idle_policy_hog(const struct under *u, enum sched_policy policy)
{
	struct task_struct *p, *low;
	struct bed b;

	bed_under(&b, S2, u);
	p = sleeper_of(&b, NULL, 0, policy, false);
	low = sleeper_of(&b, NULL, 1, SCHED_IDLE, false);
	hog_on(&b, 0);
	begin(&b, low);
	return and_done(&b, wakes_from(&b, 0, p));
}

static s64 a_normal_wakee(const struct under *u) { return beside_an_idle_policy_hog(u, SCHED_NORMAL); }
static s64 another_idle_policy_wakee(const struct under *u) { return beside_an_idle_policy_hog(u, SCHED_IDLE); }

/* ---- fork ---- */

/* All busy; CPU 1 with this much load, of which this much is queued. */
static s64 forks_beside(const struct under *u, u64 load, u64 queued)
{
	struct bed b;

	bed_under(&b, M4, u);
	hogs_up_to(&b, 4);
	settle(&b, 1, load, 1024);
	rq_of(&b, 1)->cfs.runnable_load_avg = queued;
	return and_done(&b, forks(&b, 0));
}

static s64 forks_beside_a_little_less(const struct under *u) { return forks_beside(u, 900, 900); }
static s64 forks_beside_fewer_sleepers(const struct under *u) { return forks_beside(u, 900, 1024); }

static s64 few_allowed_in_the_idler_group(const struct under *u)
{
	u64 cpus[2] = { 0xf1, 0 }; /* CPU 0 here, all of the other cache */
	struct task_spec spec = { .cpus = cpus };
	struct task_struct *p;
	struct bed b;

	bed_under(&b, P8, u);
	hogs_on(&b, 3, 0, 4, 5);
	p = lab_fork(b.lab, 0, rq_of(&b, 0)->curr, &spec);
	lab_wake_new(b.lab, 0, p);
	return and_done(&b, lab_task_cpu(p) / 4);
}

static s64 node_of_the_third_child(const struct under *u)
{
	struct bed b;

	bed_under(&b, N96, u);
	hog_on(&b, 0);
	forks(&b, 0);
	forks(&b, 0);
	return and_done(&b, forks(&b, 0) / 48);
}

/* The other cache is idler; in it CPU 5 is idle, and CPU 4 busy with less. */
static s64 an_idle_cpu_beside_a_light_one(const struct under *u)
{
	struct bed b;

	bed_under(&b, P8, u);
	hogs_on(&b, 7, 0, 1, 2, 3, 4, 6, 7);
	settle(&b, 4, 150, 100);
	rq_of(&b, 4)->cfs.runnable_load_avg = 100;
	settle(&b, 5, 150, 0);
	return and_done(&b, forks(&b, 0));
}

static s64 migrations_by_a_fork(const struct under *u)
{
	struct bed b;

	bed_under(&b, M4, u);
	hog_on(&b, 0);
	forks(&b, 0);
	return and_done(&b, (s64)b.d.events[EVENT_SCHED_MIGRATE_TASK]);
}

/* ---- affinity, the wake list ---- */

static s64 second_choice(const struct under *u)
{
	struct task_struct *p, *q;
	struct bed b;
	u64 cpus = 0xc;

	bed_under(&b, M4, u);
	hog_on(&b, 0);
	p = hog_on(&b, 0);
	q = hog_on(&b, 0);
	lab_affinity(b.lab, 1, p, &cpus);
	lab_affinity(b.lab, 1, q, &cpus);
	return and_done(&b, lab_task_cpu(q));
}

/* It asked for CPU 1; its cpuset was narrowed to CPU 2, and is all four again. */
static s64 allowed_in_the_end(const struct under *u)
{
	const u64 asked = 2, narrow = 4, all = 0xf;
	struct task_spec spec = { 0 };
	struct task_struct *p;
	struct bed b;

	bed_under(&b, M4, u);
	spec.tg = limited(&b.d, NULL, RUNTIME_INF, 100 * MS);
	p = lab_fork(b.lab, 0, NULL, &spec);
	lab_affinity(b.lab, 0, p, &asked);
	lab_set_cpuset(b.lab, 0, spec.tg, &narrow, NULL);
	lab_set_cpuset(b.lab, 0, spec.tg, &all, NULL);
	return and_done(&b, (s64)*p->cpus_allowed);
}

static s64 cpuset_smaller_than_its_childs(const struct under *u)
{
	const u64 two = 3, one = 1;
	struct task_group *tg, *child;
	struct bed b;

	bed_under(&b, M4, u);
	tg = limited(&b.d, NULL, RUNTIME_INF, 100 * MS);
	child = limited(&b.d, tg, RUNTIME_INF, 100 * MS);
	lab_set_cpuset(b.lab, 0, tg, &two, NULL);
	lab_set_cpuset(b.lab, 0, child, &two, NULL);
	return and_done(&b, -lab_set_cpuset(b.lab, 0, tg, &one, NULL));
}

static s64 cpuset_emptied_with_a_task(const struct under *u)
{
	const u64 two = 3;
	struct task_spec spec = { 0 };
	struct bed b;

	bed_under(&b, M4, u);
	spec.tg = limited(&b.d, NULL, RUNTIME_INF, 100 * MS);
	lab_set_cpuset(b.lab, 0, spec.tg, &two, NULL);
	lab_fork(b.lab, 0, NULL, &spec);
	return and_done(&b, -lab_set_cpuset(b.lab, 0, spec.tg, NULL, NULL));
}

static s64 sent_to(const struct under *u, int prev)
{
	struct task_struct *p;
	struct bed b;

	bed_under(&b, P8, u);
	p = sleeper_on(&b, prev);
	allow(&b, p, (u64)1 << prev);
	hog_on(&b, 0);
	wakes_from(&b, 0, p);
	return and_done(&b, p->state == TASK_WAKING);
}

static s64 sent_to_another_cache(const struct under *u) { return sent_to(u, 4); }
static s64 sent_to_an_idle_neighbour(const struct under *u) { return sent_to(u, 1); }

static const struct witness witnesses[] = {
	{ "cpu_load", "5.10", NULL, load_of_a_busy_cpu, "load of a CPU with weight 1,024 queued, whose averages are 600 queued and 900 in all", IN_NOTHING,
	  { { "weight", 1024 }, { "runnable", 600 }, { "total", 900 } },
	  "2.3: load is the runnable average to 5.4, the full one including blocked tasks later" },
	{ "util_est", "5.10", NULL, used_where_it_wakes, "how much a CPU counts as used the moment a task wakes there that used half of it twice, of which 128 is left", IN_NOTHING,
	  { { "off", 128 }, { "on", 512 } },
	  "fair.md 6.3: the larger of util_avg and of what its queued tasks usually use" },
	{ "util_est_fastup", "5.10", NULL, usual_of_a_lighter_one, "what a task usually uses that used 512 and then 128", IN_NOTHING,
	  { { "off", 128 }, { "on", 416 } },
	  "fair.md 6.3: the average goes to 512 / 4, to which 128 is near; or to 512, and then (3 * 512 + 128) / 4" },
	{ "util_est_keeps", "5.10", NULL, usual_of_one_that_waited, "the same, if it waited and was runnable for 300", IN_NOTHING,
	  { { "average", 417 }, { "both", 416 }, { "one", 512 } },
	  "fair.md 6.3: to 5.12 the lowest bit is a mark, (3 * 513 + 129) / 4; from 6.8 it stays where 128 + 10 is less than 300" },
	{ "util_est_as_of", "6.12", NULL, usual_after_8_periods, "what a task usually uses that has run for eight whole periods at a time, since its last update", IN_NOTHING,
	  { { "sleep", 162 }, { "update", 0 } },
	  "fair.md 6.3: its util_avg as of that moment, 162 (6.5), or as it was before" },
	{ "util_est_exec", "5.10", NULL, used_without_who_looks, "how much a CPU counts as used without the task that runs there, alone, and usually uses 512", IN_NOTHING,
	  { { "left", 512 }, { "taken", 0 } },
	  "fair.md 6.3: what a queued task usually uses is subtracted from 4.20 on" },
	{ "wake_wide", "5.10", NULL, woken_by_a_master, "where one that slept on CPU 7 goes, woken by a master of many on CPU 0", IN_NOTHING,
	  { { "off", 0 }, { "waker", 7 }, { "pair", 7 } },
	  "2.2: f = 36 CPUs; 37 flips of the wakee, 1,333 of the waker" },
	{ "wake_wide", "5.10", NULL, master_woken, "where a master of many that slept on CPU 7 goes, woken by one of them on CPU 0", IN_NOTHING,
	  { { "off", 0 }, { "waker", 0 }, { "pair", 7 } },
	  "2.2: the smaller count is at least f and the larger at least f times that, whosever they are" },
	{ "wake_affine", "5.10", NULL, interrupt_beside_an_idle_prev, "where one goes that slept on the idle CPU 1, woken by an interrupt on the idle CPU 0", IN_NOTHING,
	  { { "balanced", 0 }, { "idle", 0 }, { "shared", 1 }, { "prev", 1 } },
	  "2.3: to 5.3's predecessors the waker's idle CPU; later prev if that is idle (smp-10)" },
	{ "wake_affine", "5.10", NULL, interrupt_on_a_loaded_idle_cpu, "where one goes that slept in another cache, on CPU 4, woken by an interrupt on CPU 0, idle with load left", IN_NOTHING,
	  { { "balanced", 4 }, { "idle", 0 }, { "shared", 4 }, { "prev", 4 } },
	  "2.3: in 4.14 whether it is idle comes before its load, and the cache does not matter" },
	{ "wake_affine", "5.10", NULL, far_from_an_idle_loaded_prev, "where one goes that slept on CPU 4, idle with load left, woken from a full cache by CPU 0, whose load is small", IN_NOTHING,
	  { { "balanced", 0 }, { "idle", 0 }, { "shared", 0 }, { "prev", 4 } },
	  "2.3: from 5.11 a last test: prev idle, so prev" },
	{ "wake_search", "4.14", NULL, waker_is_not_allowed, "where one goes that slept on the busy CPU 1, beside the idle CPU 2, and may not use its waker's CPU", IN_NOTHING,
	  { { "affine", 1 }, { "always", 2 } },
	  "2.2: from 4.3 the idle search follows whatever the target is" },
	{ "sync_exiting", "5.10", NULL, waker_exits, "where one goes that slept on CPU 4, woken by an exiting task alone on CPU 0", IN_NOTHING,
	  { { "heard", 1 }, { "ignored", 4 } },
	  "2.2: the sync hint is ignored when the waker is exiting" },
	{ "sync_delayed", "6.12", NULL, beside_a_delayed_sleeper, "where one goes that slept on the busy CPU 4, woken by one about to sleep that only a delayed sleeper shares CPU 0 with", IN_NOTHING,
	  { { "off", 4 }, { "on", 1 } },
	  "2.3: from 6.12 delayed sleepers are subtracted before the waker counts as alone" },
	{ "current_cpu", "6.6", NULL, asked_for_the_wakers_cpu, "where one goes that slept on the idle CPU 1, if CPU 0's task asks for its own", IN_NOTHING,
	  { { "off", 1 }, { "on", 0 } },
	  "2.2: wakers that ask for the current CPU get it" },
	{ "prev_idle", "4.2", NULL, prev_is_idle_and_so_are_others, "where one goes that slept on CPU 3, if CPUs 1 to 3 are idle", IN_NOTHING,
	  { { "off", 1 }, { "on", 3 } },
	  "2.4: 3.3 has no test of prev; its ring begins with the target's group (smp-23)" },
	{ "kthread_stacking", "5.10", NULL, by_a_kworker, "where one goes that slept on CPU 2, woken by the bound kworker that runs there", IN_NOTHING,
	  { { "off", 3 }, { "any", 2 }, { "task", 2 } },
	  "2.5: it stacks behind the kthread that is about to sleep (smp-12)" },
	{ "kthread_stacking", "5.10", NULL, by_an_interrupt_of_it, "the same, woken by an interrupt that hits the kworker", IN_NOTHING,
	  { { "off", 3 }, { "any", 2 }, { "task", 3 } },
	  "2.5: in task context only, from 5.17 on (fair-86)" },
	{ "recent_used", "5.10", NULL, recent_of_the_waker, "the CPU before its last that a waker on CPU 0 remembers afterwards", IN_NOTHING,
	  { { "off", 3 }, { "waker", 0 }, { "wakee", 3 } },
	  "2.4: to 5.14 the waker's is set to its own CPU" },
	{ "recent_used", "5.10", NULL, recent_of_the_wakee, "the CPU before its last that the wakee remembers afterwards", IN_NOTHING,
	  { { "off", 2 }, { "waker", 2 }, { "wakee", 1 } },
	  "2.4: later the wakee's is set to its last CPU at every search" },
	{ "idle_search", "5.10", NULL, looked_at, "CPUs looked at where 3 is the target and 1 the first that is idle behind it", IN_NOTHING,
	  { { "groups", 0 }, { "twice", 3 }, { "once", 2 } },
	  "2.6: the scan begins at the target, which is busy; in one pass behind it; groups are not counted" },
	{ "sis_prop", "5.10", NULL, looked_at_with_little_idle_time, "CPUs looked at with a mean idle time of 10 us, if a look has cost 2 us", IN_NOTHING,
	  { { "off", 21 }, { "on", 3 } },
	  "2.6: 36 * 19 / 2001 is 0, so 4, and one less is looked at (smp-20)" },
	{ "sis_util", "6.1", NULL, fifth_task, "where a fifth task goes, woken on CPU 0, if only CPU 3 is idle", IN_NOTHING,
	  { { "off", 3 }, { "on", 0 } },
	  "2.6: three of four CPUs busy leave no CPU to look at (smp-2)" },
	{ "sis_counts", "5.10", NULL, few_allowed, "where one goes that may use CPUs 0, busy, and 5, if three CPUs are looked at", IN_NOTHING,
	  { { "all", 0 }, { "allowed", 5 } },
	  "2.6: to 5.9 CPUs that are not allowed count" },
	{ "cluster_first", "6.12", NULL, prev_in_another_cluster, "where one goes that slept on CPU 2, idle in another cluster, if CPU 1 in the target's is idle too", IN_NOTHING,
	  { { "off", 2 }, { "on", 1 } },
	  "2.4: prev only if it is in the target's cluster, else remembered" },
	{ "idle_policy_cpu", "5.10", NULL, a_normal_wakee, "where a normal task goes, if CPU 0 has a normal and CPU 1 a SCHED_IDLE hog", IN_NOTHING,
	  { { "off", 0 }, { "any", 1 }, { "normal", 1 } },
	  "2.4: a CPU that runs only SCHED_IDLE tasks counts as idle from 5.4 (smp-22)" },
	{ "idle_policy_cpu", "5.10", NULL, another_idle_policy_wakee, "where another SCHED_IDLE task goes", IN_NOTHING,
	  { { "off", 0 }, { "any", 1 }, { "normal", 0 } },
	  "2.4: in 7.2 not if the wakee is SCHED_IDLE itself" },
	{ "fork_search", "4.14", NULL, forks_beside_a_little_less, "where a child of CPU 0 begins, if CPU 1 has 900 of load and the others 1,024", IN_NOTHING,
	  { { "load", 1 }, { "spare", 1 }, { "types", 0 } },
	  "2.7: from 5.5 both are fully busy, and 100 * 1024 is no more than 117 * 900" },
	{ "fork_search", "4.14", NULL, forks_beside_fewer_sleepers, "the same, if just as much is queued there but less sleeps", IN_NOTHING,
	  { { "load", 0 }, { "spare", 1 }, { "types", 0 } },
	  "2.7: among about equal runnable loads the smaller average load, from 4.7 to 5.4" },
	{ "fork_counts", "5.10", NULL, few_allowed_in_the_idler_group, "the cache where a child begins that may use one busy CPU of cache 0, which has three idle ones, and all of cache 1, which has two", IN_NOTHING,
	  { { "all", 0 }, { "allowed", 1 } },
	  "2.7: all CPUs of the group count, or only those it may use" },
	{ "fork_numa", "6.1", NULL, node_of_the_third_child, "node of the third child of a task on node 0, 48 CPUs each", IN_NOTHING,
	  { { "idle", 0 }, { "limit", 1 } },
	  "2.7: to 5.17 it stays while a CPU of the node is idle; later while the nodes differ by no more than two idle CPUs (smp-28)" },
	{ "fork_cpu", "4.14", NULL, an_idle_cpu_beside_a_light_one, "where a child begins, if of the idler cache CPU 5 is idle and CPU 4 has less load", IN_NOTHING,
	  { { "load", 4 }, { "idle", 5 } },
	  "2.7: any idle CPU before the least loaded one" },
	{ "fork_event", "3.2", NULL, migrations_by_a_fork, "migrations counted at the fork of a child that begins elsewhere", IN_NOTHING,
	  { { "off", 0 }, { "on", 1 } },
	  "fair.md 9: 3.3 fires sched_migrate_task when the child's CPU differs" },
	{ "affinity_pick", "5.10", NULL, second_choice, "where the second of two waiting tasks goes that may use only CPUs 2 and 3 from now on", IN_NOTHING,
	  { { "lowest", 2 }, { "rotating", 3 } },
	  "3: each caller CPU remembers the last one and takes the next in the mask (smp-33)" },
	{ "user_cpus", "6.1", NULL, allowed_in_the_end, "mask of a task that asked for CPU 1, whose cpuset of four was CPU 2 alone for a while", IN_NOTHING,
	  { { "off", 0xf }, { "on", 0x2 } },
	  "3: the user's mask is remembered and applied again, from 6.2 (smp-35)" },
	{ "cpuset_v2", "6.12", NULL, cpuset_smaller_than_its_childs, "errno of a write that leaves a cpuset smaller than its child's", IN_NOTHING,
	  { { "nested", 16 }, { "own", 0 }, { "free", 0 } },
	  "3: to 6.0 EBUSY, as in cgroup v1; then the child has what is left" },
	{ "cpuset_v2", "6.12", NULL, cpuset_emptied_with_a_task, "errno of a write that empties the cpuset of a group with a task", IN_NOTHING,
	  { { "nested", 28 }, { "own", 28 }, { "free", 0 } },
	  "3: to 6.19 ENOSPC, as in cgroup v1; then it has its parent's" },
	{ "wake_list", "5.10", NULL, sent_to_another_cache, "whether a wakee for another cache is left to its CPU", YES_OR_NO,
	  { { "off", 0 }, { "far", 1 }, { "idle", 1 } },
	  "8: when the CPUs do not share a cache, in all versions" },
	{ "wake_list", "5.10", NULL, sent_to_an_idle_neighbour, "whether a wakee for an idle CPU of the same cache is", YES_OR_NO,
	  { { "off", 0 }, { "far", 0 }, { "idle", 1 } },
	  "8: from 6.0 whenever the target is a different CPU that is idle (fair-78)" },
};

WITNESS_MAIN("smp: what each rule of placement changes", witnesses, RULE_CPU_LOAD, RULE_WAKE_LIST)
