/* SPDX-License-Identifier: MIT */
/*
 * witness.c - each rule of the fair class is there for a reason: see tests/witness.h.
 *
 * The sections are those of docs/rules/fair.md.
 */
#include "tests/test.h"

#include "tests/fair/bench.h"
#include "tests/machine_of.h"
#include "tests/witness.h"

/* ---- states on one queue ---- */

struct scene {
	struct bench b;
	struct task_struct *curr, *wakee;
};

/* One runs alone at 100 ms on the first of 8 CPUs; another is there and sleeps. */
static void set_scene(struct scene *s, const struct under *u)
{
	bench_of(&s->b, .cpus = 8, .row = u->row, .rules = { u->flipped, u->also }, .cgroup = 1);
	s->curr = thread(&s->b, 0, 0);
	s->wakee = thread(&s->b, 0, 0);
	start(&s->b.d, s->wakee);
	block(&s->b.d, 0);
	runs_alone(&s->b, s->curr, 100 * MS);
}

static s64 placed_at(const struct under *u)
{
	struct scene s;
	s64 v;

	set_scene(&s, u);
	wakes(&s.b, s.wakee, 50 * MS);
	v = (s64)s.wakee->se.vruntime;
	bench_fini(&s.b);
	return v;
}

static s64 child_placed_at(const struct under *u)
{
	struct task_spec spec = { .cpus = &(u64){ 1 } };
	struct task_struct *child;
	struct scene s;
	s64 v;

	set_scene(&s, u);
	child = lab_fork(s.b.lab, 0, s.curr, &spec);
	lab_wake_new(s.b.lab, 0, child);
	v = (s64)child->se.vruntime;
	bench_fini(&s.b);
	return v;
}

/* It slept on CPU 0, 3 ms ahead of the others there, and wakes on CPU 1, whose current has run 3 ms since it was charged. */
static s64 placed_on_the_other_cpu(const struct under *u)
{
	struct scene s;
	s64 v;

	set_scene(&s, u);
	wakes(&s.b, s.wakee, 0);
	pass(&s.b.d, 0);
	set_vruntime(&s.b, &s.wakee->se, 103 * MS);
	root_queue(&s.b, 0)->min_vruntime = 100 * MS;
	block(&s.b.d, 0);
	CHECK_EQ(root_queue(&s.b, 0)->min_vruntime, 100 * MS);
	runs_alone(&s.b, thread(&s.b, 1, 0), 900 * MS);
	lab_affinity(s.b.lab, 0, s.wakee, &(u64){ 2 });
	at(&s.b.d, 3 * MS);
	lab_wake(s.b.lab, 0, s.wakee, NULL, 0);
	v = (s64)s.wakee->se.vruntime;
	bench_fini(&s.b);
	return v;
}

/* The one at 100 falls asleep beside one at 110; a long sleeper wakes at the same moment. */
static s64 placed_after_a_sleep(const struct under *u)
{
	struct task_struct *other;
	struct scene s;
	s64 v;

	set_scene(&s, u);
	other = thread(&s.b, 0, 0);
	wakes(&s.b, other, 110 * MS);
	block(&s.b.d, 0);
	wakes(&s.b, s.wakee, 0);
	v = (s64)s.wakee->se.vruntime;
	bench_fini(&s.b);
	return v;
}

/* Asleep for 105 days, 400 ms ahead of where the queue stands. */
static s64 placed_after_105_days(const struct under *u)
{
	struct scene s;
	s64 v;

	set_scene(&s, u);
	s.curr->se.vruntime = 500 * MS;
	block(&s.b.d, 0);
	root_queue(&s.b, 0)->min_vruntime = 100 * MS;
	at(&s.b.d, (u64)105 * 24 * 3600 * SEC);
	lab_wake(s.b.lab, 0, s.curr, NULL, 0);
	v = (s64)s.curr->se.vruntime;
	bench_fini(&s.b);
	return v;
}

/* Eight more wait, the k-th at 100 + k ms; thread 2 wakes at 103 ms and does not preempt.  Who is next when the current one sleeps? */
static s64 next_of_a_crowd(const struct under *u)
{
	struct scene s;
	s64 id;
	u32 k;

	set_scene(&s, u);
	for (k = 1; k <= 8; k++)
		wakes(&s.b, thread(&s.b, 0, 0), (100 + k) * MS);
	CHECK_EQ(wakes(&s.b, s.wakee, 103 * MS), false);
	block(&s.b.d, 0);
	id = lab_task_id(lab_curr(s.b.lab, 0));
	bench_fini(&s.b);
	return id;
}

/* Eight more wait at 99 ms; thread 2 wakes, preempts thread 1 and sleeps again.  Who is next? */
static s64 next_after_a_visit(const struct under *u)
{
	struct scene s;
	s64 id;
	u32 k;

	set_scene(&s, u);
	for (k = 1; k <= 8; k++)
		wakes(&s.b, thread(&s.b, 0, 0), 99 * MS);
	CHECK_EQ(wakes(&s.b, s.wakee, 0), true);
	obey_kicks(&s.b.d);
	CHECK_EQ(lab_task_id(lab_curr(s.b.lab, 0)), 2);
	block(&s.b.d, 0);
	id = lab_task_id(lab_curr(s.b.lab, 0));
	bench_fini(&s.b);
	return id;
}

/* Two groups of five hogs each on one CPU: the slice of one hog. */
static s64 slice_in_a_group(const struct under *u)
{
	struct task_group *tg[2];
	struct task_struct *p = NULL;
	struct bench b;
	s64 slice;
	u32 i;

	bench_of(&b, .cpus = 8, .row = u->row, .rules = { u->flipped, u->also });
	for (i = 0; i < 2; i++)
		tg[i] = lab_group_create(b.lab, lab_root(b.lab));
	for (i = 0; i < 10; i++) {
		p = thread_of(&b, tg[i % 2], 0, SCHED_NORMAL, 0);
		start(&b.d, p);
	}
	slice = (s64)sched_slice(b.lab, p->se.cfs_rq, &p->se);
	bench_fini(&b);
	return slice;
}

static s64 slice_of_an_idle_thread(const struct under *u)
{
	struct task_struct *p;
	struct scene s;
	s64 slice;

	set_scene(&s, u);
	p = thread_of(&s.b, NULL, 0, SCHED_IDLE, 0);
	wakes(&s.b, p, 100 * MS);
	slice = (s64)sched_slice(s.b.lab, p->se.cfs_rq, &p->se);
	bench_fini(&s.b);
	return slice;
}

static s64 errno_of_cpu_idle(const struct under *u)
{
	struct bench b;
	s64 ret;

	bench_of(&b, .row = u->row, .rules = { u->flipped, u->also });
	ret = lab_write(b.lab, 0, lab_group_create(b.lab, lab_root(b.lab)), KNOB_IDLE, 1, 0, NULL);
	bench_fini(&b);
	return ret;
}

/* Two groups of 1025 shares with equal load on each of two CPUs: the slice of a nice-0 hog beside them on the first. */
static s64 slice_beside_halves(const struct under *u)
{
	struct task_struct *p;
	struct bench b;
	s64 slice;
	int g, cpu;

	bench_of(&b, .cpus = 8, .row = u->row, .rules = { u->flipped, u->also }, .cgroup = 1);
	p = thread(&b, 0, 0);
	start(&b.d, p);
	for (g = 0; g < 2; g++) {
		struct task_group *tg = lab_group_create(b.lab, lab_root(b.lab));

		lab_write(b.lab, 0, tg, KNOB_SHARES, 1025, 0, NULL);
		for (cpu = 0; cpu < 2; cpu++) {
			start(&b.d, thread_of(&b, tg, cpu, SCHED_NORMAL, 0));
			group_queue(&b, tg, cpu)->avg.load_avg = 1024;
			update_group_load(b.lab, group_queue(&b, tg, cpu), true, false);
		}
		update_cfs_group(b.lab, group_entity(&b, tg, 0));
	}
	slice = (s64)sched_slice(b.lab, p->se.cfs_rq, &p->se);
	bench_fini(&b);
	return slice;
}

/* A group with two hogs on CPU 0 and one on CPU 1 for 1 s; then one of the two sleeps: what the group weighs on CPU 0, unscaled. */
static s64 weight_after_a_sleep(const struct under *u)
{
	struct task_group *tg;
	struct bench b;
	s64 weight;
	u64 t;

	bench_of(&b, .cpus = 2, .row = u->row, .rules = { u->flipped, u->also }, .cgroup = 1);
	tg = lab_group_create(b.lab, lab_root(b.lab));
	start(&b.d, thread_of(&b, tg, 0, SCHED_NORMAL, 0));
	start(&b.d, thread_of(&b, tg, 0, SCHED_NORMAL, 0));
	start(&b.d, thread_of(&b, tg, 1, SCHED_NORMAL, 0));
	for (t = 4 * MS; t <= 1 * SEC; t += 4 * MS) {
		at(&b.d, t);
		tick(&b.d, 0);
		tick(&b.d, 1);
	}
	block(&b.d, 0);
	weight = (s64)scale_load_down(b.lab, group_entity(&b, tg, 0)->load.weight);
	bench_fini(&b);
	return weight;
}

/* A CPU's load grows from 1024 to 2000 half a millisecond after it told its group. */
static s64 contribution(const struct under *u)
{
	struct task_group *tg;
	struct cfs_rq *cfs_rq;
	struct bench b;
	s64 contrib;

	bench_of(&b, .cpus = 8, .row = u->row, .rules = { u->flipped, u->also });
	tg = lab_group_create(b.lab, lab_root(b.lab));
	start(&b.d, thread_of(&b, tg, 0, SCHED_NORMAL, 0));
	cfs_rq = group_queue(&b, tg, 0);
	cfs_rq->avg.load_avg = 1024;
	update_group_load(b.lab, cfs_rq, true, false);
	at(&b.d, 500 * US);
	update_rq_clock(cpu_rq(b.lab, 0));
	cfs_rq->avg.load_avg = 2000;
	update_group_load(b.lab, cfs_rq, true, false);
	contrib = (s64)cfs_rq->tg_load_avg_contrib;
	bench_fini(&b);
	return contrib;
}

/* A group runs on CPU 1 for a second; a task of it that never ran wakes on CPU 0 and sleeps at once: what the group weighs there. */
static s64 weight_of_an_empty_group(const struct under *u)
{
	struct task_group *tg;
	struct bench b;
	s64 weight;

	bench_of(&b, .cpus = 8, .row = u->row, .rules = { u->flipped, u->also });
	tg = lab_group_create(b.lab, lab_root(b.lab));
	start(&b.d, thread_of(&b, tg, 1, SCHED_NORMAL, 0));
	ticks_until(&b, 1, 1 * SEC);
	group_queue(&b, tg, 1)->avg.load_avg = 1024;
	update_group_load(b.lab, group_queue(&b, tg, 1), true, false);
	start(&b.d, thread_of(&b, tg, 0, SCHED_NORMAL, 0));
	block(&b.d, 0);
	weight = (s64)group_entity(&b, tg, 0)->load.weight;
	bench_fini(&b);
	return weight;
}

/*
 * The RFC of 2019: a task that may move runs, and another bound to its CPU wakes 12 ms behind, where a lead of 15 ms would be needed.  Neither
 * has switched yet.
 */
static s64 a_bound_one_preempts(const struct under *u, bool kthread)
{
	struct scene s;
	s64 yes;

	set_scene(&s, u);
	s.b.lab->wakeup_granularity = 15 * MS;
	s.curr->nr_cpus_allowed = 8;
	s.curr->nvcsw = s.curr->nivcsw = s.wakee->nvcsw = s.wakee->nivcsw = 0;
	s.wakee->kthread = kthread;
	yes = wakes(&s.b, s.wakee, 50 * MS);
	bench_fini(&s.b);
	return yes;
}

static s64 a_bound_kthread_preempts(const struct under *u) { return a_bound_one_preempts(u, true); }
static s64 a_bound_user_thread_preempts(const struct under *u) { return a_bound_one_preempts(u, false); }

/* ---- runs ---- */

static struct testbed *hogs(const struct under *u, u32 hz, u32 nr)
{
	struct testbed *m = machine_of(.cpus = 8, .hz = hz, .row = u->row, .rules = { u->flipped, u->also });

	while (nr--)
		hog(m, NULL, 0, 0);
	return m;
}

static s64 first_turn_ends(struct testbed *m)
{
	s64 to;

	run_until(m, 200 * MS);
	to = (s64)nth_run(m, 0, 0).to;
	done(m);
	return to;
}

static s64 first_of_two_hogs(const struct under *u) { return first_turn_ends(hogs(u, 250, 2)); }

static s64 first_of_ten_hogs(const struct under *u) { return first_turn_ends(hogs(u, 1000, 10)); }

static s64 heavy_among_light(const struct under *u)
{
	struct testbed *m = hogs(u, 250, 0);
	u32 i;

	task_of_args(m, &(struct task_args){ .cpu = 0, .loops = -1, .nice = -20 }, STEPS(RUN(1000 * SEC)));
	for (i = 0; i < 29; i++)
		hog(m, NULL, 0, 0);
	return first_turn_ends(m);
}

/* fair-22: when does A leave the CPU that it got from B, in the same group, at 68? */
static s64 end_of_the_groups_turn(const struct under *u)
{
	struct testbed *m = hogs(u, 250, 0);
	u32 a = hog(m, "/g", 0, 0);
	s64 to;

	hog(m, NULL, 0, 0);
	hog(m, "/g", 0, 0);
	run_until(m, 200 * MS);
	CHECK_EQ(nth_run(m, a, 2).from, 68 * MS);
	to = (s64)nth_run(m, a, 2).to;
	done(m);
	return to;
}

/* Slept long, it wakes 0.5 ms into a hog's turn: how long does it wait? */
static s64 wait_of_a_wakee(const struct under *u)
{
	struct testbed *m = hogs(u, 250, 0);
	u32 t = program(m, NULL, 0, 0, RUN(1 * US), AT(1000 * MS + 500 * US), RUN(100 * US));
	s64 wait;

	program(m, NULL, 0, 0, RUN(900 * MS), AT(1000 * MS), RUN(100 * SEC));
	run_until(m, 1100 * MS);
	wait = (s64)(nth_run(m, t, 1).from - 1000 * MS - 500 * US);
	done(m);
	return wait;
}

/* ---- the table ---- */

static const struct witness witnesses[] = {
	{ "fair_inverse", "5.10", NULL, first_of_two_hogs, "when the first of two hogs' turn ends", IN_NS,
	  { { "rounded", 16 * MS }, { "truncated", 12 * MS } },
	  "1.2: half of 24 ms is 12,000,000 or 11,999,994 ns, and a tick after 12 ms ends only what has run longer" },
	{ "load_scale", "5.10", NULL, slice_beside_halves, "the slice of a hog beside two halves of groups with 1025 shares", IN_NS,
	  { { "off", 11999994 }, { "on", 11994140 } },
	  "1.3: two halves of 1025 are 2 * 512, or with 10 more bits 2 * 512.5, so the hog's part of 24 ms is 1024/2048 or 1024/2049" },
	{ "wake_renorm", "4.14", NULL, placed_on_the_other_cpu, "v on the other CPU, at 900 ms, of one 3 ms ahead", IN_NS,
	  { { "always", 903 * MS }, { "moved", 906 * MS } },
	  "3.5: 3 ms are added to the new queue's min_vruntime before or after the 3 ms that its current has run are charged" },
	{ "put_chain", "5.10", NULL, end_of_the_groups_turn, "when A leaves the CPU in example fair-22", IN_NS,
	  { { "whole", 76 * MS }, { "differing", 72 * MS } },
	  "2.4: a switch inside the group renews the group's turn, or the turn goes on since 60 and is above 11.99 at 72" },
	{ "min_vruntime_curr", "3.2", NULL, placed_after_a_sleep, "v of a long sleeper after one at 100 ms fell asleep beside one at 110", IN_NS,
	  { { "always", 88 * MS }, { "queued", 98 * MS } },
	  "2.2: min_vruntime stays with the one that just fell asleep at 100, or goes on to 110; half a latency is 12" },
	{ "gentle_fair_sleepers", "5.10", NULL, placed_at, "v of a long sleeper at a min_vruntime of 100 ms", IN_NS,
	  { { "off", 76 * MS }, { "on", 88 * MS } },
	  "3.3: a long sleeper lands a whole latency of 24 ms, or half of it, left of min_vruntime" },
	{ "start_debit", "5.10", NULL, child_placed_at, "v of a child of one at 100 ms", IN_NS,
	  { { "off", 100 * MS }, { "on", 111999994 } },
	  "3.3: a child starts where its parent is, or a slice of 11,999,994 behind" },
	{ "next_buddy", "5.10", NULL, next_of_a_crowd, "who is next: thread 3 is leftmost, thread 2 has just woken", IN_NOTHING,
	  { { "off", 3 }, { "on", 2 } },
	  "3.8: the leftmost, thread 3 at 101, is next, or the wakee at 103, which is not more than 4 behind" },
	{ "last_buddy", "5.10", NULL, next_after_a_visit, "who is next: thread 3 is leftmost, thread 1 was preempted", IN_NOTHING,
	  { { "off", 3 }, { "on", 1 } },
	  "3.8: the leftmost, thread 3 at 99, is next, or thread 1 at 100, which was preempted last" },
	{ "wakeup_preemption", "5.10", NULL, wait_of_a_wakee, "how long a wakee waits beside a hog that began 0.5 ms before", IN_NS,
	  { { "off", 3500 * US }, { "on", 0 } },
	  "3.7: a wakee 12 ms behind waits for the tick at 4 ms, or preempts at once" },
	{ "child_runs_first", "5.10", NULL, child_placed_at, "v of a child of one at 100 ms", IN_NS,
	  { { "off", 111999994 }, { "on", 100 * MS } },
	  "3.4: parent and child exchange their places" },
	{ "alt_period", "5.4", NULL, slice_in_a_group, "the slice of one of five hogs in one of two groups", IN_NS,
	  { { "off", 2399996 }, { "on", 2999995 } },
	  "3.2: a tenth of 24 ms for the five of its queue, or of 30 ms for the ten of the CPU" },
	{ "base_slice", "5.4", NULL, first_of_ten_hogs, "when the first of ten hogs' turn ends", IN_NS,
	  { { "off", 3 * MS }, { "on", 4 * MS } },
	  "3.2: a tenth of 30 ms is 2,999,997, which 3 ms is above, or is raised to 3 ms, which it is not" },
	{ "idle_granularity", "5.15", NULL, slice_of_an_idle_thread, "the slice of an idle thread beside a normal one", IN_NS,
	  { { "off", 3 * MS }, { "on", 750 * US } },
	  "3.2: the part of an idle thread is raised to min_granularity, or to that of idle entities" },
	{ "cpu_idle", "5.15", NULL, errno_of_cpu_idle, "errno of a write to cpu.idle", IN_NOTHING,
	  { { "off", -EINVAL }, { "on", 0 } },
	  "1.4: there is no file cpu.idle, or there is" },
	{ "slice_cap", "6.4", NULL, heavy_among_light, "when the turn of nice -20 among 29 hogs of nice 0 ends", IN_NS,
	  { { "off", 68 * MS }, { "on", 28 * MS } },
	  "3.6: 30 threads have a period of 90 ms, of which nice -20 has 67.4; the tick wants that, or 24 ms" },
	{ "long_sleeper", "5.10", NULL, placed_after_105_days, "v after 105 days of sleep, of one at 500 ms where the others are at 100", IN_NS,
	  { { "off", 500 * MS }, { "on", 88 * MS } },
	  "3.3: the own vruntime counts if it is further right, or not after 104 days" },
	{ "group_load", "5.10", NULL, weight_after_a_sleep, "what a group weighs on a CPU where one of its two hogs has just fallen asleep", IN_NOTHING,
	  { { "windows", 512 }, { "averages", 682 } },
	  "5.2: beside 1024 on the other CPU the load here is the 1024 that are queued, or 2048 as they were on average" },
	{ "group_load_rate", "5.10", NULL, contribution, "what a CPU has told its group half a millisecond after its load rose from 1024 to 2000", IN_NOTHING,
	  { { "any", 2000 }, { "ms", 1024 } },
	  "5.2: the change is above a 64th and is written, or it waits for the millisecond to be over" },
	{ "empty_weight", "5.10", NULL, weight_of_an_empty_group, "what a group weighs on a CPU where its only task has just fallen asleep", IN_NOTHING,
	  { { "falls", 2 }, { "kept", 524288 } },
	  "5.2: the queue is empty and has no load yet, so the least weight is left, or the half of the shares that it had while it ran" },
	{ "rfc_kthread", "5.4", NULL, a_bound_kthread_preempts, "does a bound kernel thread preempt that has a lead of 12 ms, where 15 are needed?", YES_OR_NO,
	  { { "off", 0 }, { "posted", 1 }, { "text", 1 } },
	  "8.1: the wakeup granularity decides, or that a bound thread has slept as willingly as the one that runs (fair-82)" },
	{ "rfc_kthread", "5.4", NULL, a_bound_user_thread_preempts, "and a bound thread of a user?", YES_OR_NO,
	  { { "off", 0 }, { "posted", 1 }, { "text", 0 } },
	  "8.1: the posted code passes its flag for every wakeup, its text means kernel threads (fair-83)" },
};

WITNESS_MAIN("fair: witnesses", witnesses, RULE_FAIR_INVERSE, RULE_RFC_KTHREAD)
