/* SPDX-License-Identifier: MIT */
/*
 * witness.c - no rule of EEVDF, or of when a request to reschedule takes effect, without a witness: see tests/witness.h.
 *
 * The sections are those of docs/rules/fair.md.
 */
#include "tests/test.h"

#include "tests/eevdf/bed.h"
#include "tests/witness.h"

#define BED(b, u, ...) \
	bed_of(b, .row = (u)->row, .rules = { (u)->flipped, (u)->also }, .base_slice = 3 * MS, .hz = 1000, .cpus = 2, __VA_ARGS__)

/* ---- joining ---- */

/* One that is owed 2 ms joins three of its weight at 100. */
static s64 place_of_a_creditor(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 v;
	int i;

	BED(&b, u);
	for (i = 0; i < 3; i++)
		waits_at(&b, thread_on(&b, 0, 0, 0), 100 * MS, 103 * MS);
	p = thread_on(&b, 0, 0, 0);
	wakes_with(&b, p, 2 * MS);
	v = v_of(&b, p);
	bed_fini(&b);
	return v;
}

/* What a thread asks for that was started with a slice of 0.5 ms. */
static s64 request_of_a_short_one(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 request;

	BED(&b, u);
	p = thread_on(&b, 0, 0, 500 * US);
	wakes_with(&b, p, 0);
	request = d_of(&b, p) - v_of(&b, p);
	bed_fini(&b);
	return request;
}

/* What its group asks for. */
static s64 request_of_its_group(const struct under *u)
{
	struct task_group *tg;
	struct bed b;
	s64 request;

	BED(&b, u);
	tg = limited(&b.d, NULL, RUNTIME_INF, 100 * MS);
	start(&b.d, thread_in(&b, tg, 0, SCHED_NORMAL, 0, 500 * US));
	request = (s64)(group_pair(tg, 0)->se.deadline - group_pair(tg, 0)->se.vruntime);
	bed_fini(&b);
	return request;
}

static struct task_struct *fork_of(struct bed *b, struct task_struct *parent)
{
	struct task_struct *child = lab_fork(b->lab, 0, parent, &(struct task_spec){ .cpus = &(u64){ 1 } });

	lab_wake_new(b->lab, 0, child);
	return child;
}

static s64 first_request_of_a_child(const struct under *u)
{
	struct task_struct *parent, *child;
	struct bed b;
	s64 request;

	BED(&b, u);
	parent = thread_on(&b, 0, 0, 0);
	runs_at(&b, parent, 0, 3 * MS);
	child = fork_of(&b, parent);
	request = d_of(&b, child) - v_of(&b, child);
	bed_fini(&b);
	return request;
}

/* v 199, d 201.5 at a mean of 200 moves to a CPU with one at 50. */
static s64 deadline_after_a_move(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 d;

	BED(&b, u);
	p = thread_on(&b, 0, 0, 0);
	runs_at(&b, thread_on(&b, 0, 0, 0), 201 * MS, 204 * MS);
	runs_at(&b, thread_on(&b, 1, 0, 0), 50 * MS, 53 * MS);
	waits_at(&b, p, 199 * MS, 201500 * US);
	lab_affinity(b.lab, 0, p, &(u64){ 2 });
	d = d_of(&b, p);
	bed_fini(&b);
	return d;
}

/* One that is 99 ms behind the other, so 49.5 behind the mean, moves to another CPU. */
static s64 lag_of_one_far_behind(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 lag;

	BED(&b, u);
	p = thread_on(&b, 0, 0, 0);
	waits_at(&b, p, 100 * MS, 103 * MS);
	waits_at(&b, thread_on(&b, 0, 0, 0), 199 * MS, 202 * MS);
	lab_affinity(b.lab, 0, p, &(u64){ 2 });
	lag = p->se.vlag;
	bed_fini(&b);
	return lag;
}

/* ---- a change of weight ---- */

/* v 96 at a mean of 100, and twice the weight. */
static s64 place_with_twice_the_weight(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 v;

	BED(&b, u);
	p = thread_on(&b, 0, 0, 0);
	waits_at(&b, p, 96 * MS, 99 * MS);
	waits_at(&b, thread_on(&b, 0, 0, 0), 104 * MS, 107 * MS);
	reweight_entity(b.lab, queue_at(&b, 0), &p->se, scale_load(b.lab, 2048));
	v = v_of(&b, p);
	bed_fini(&b);
	return v;
}

/* 3 ms from its deadline, a thread becomes nice 5: how far it is then. */
static s64 to_the_deadline_after_a_nice_change(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 left;

	BED(&b, u);
	p = thread_on(&b, 0, 0, 0);
	waits_at(&b, p, 98 * MS, 101 * MS);
	waits_at(&b, thread_on(&b, 0, 0, 0), 102 * MS, 105 * MS);
	lab_set_nice(b.lab, 0, p, SCHED_NORMAL, 5);
	left = d_of(&b, p) - v_of(&b, p);
	bed_fini(&b);
	return left;
}

/* ---- turns ---- */

static s64 end_of_the_first_turn(const struct under *u)
{
	struct testbed *m = machine_of(.cpus = 8, .row = u->row, .rules = { u->flipped, u->also });
	s64 to;

	hog(m, NULL, 0, 0);
	hog(m, NULL, 0, 0);
	run_until(m, 100 * MS);
	to = (s64)nth_run(m, 0, 0).to;
	done(m);
	return to;
}

/* A has run 2 of its 3 ms; one that is owed nothing but has more weight wakes, its deadline at 2.98.  Does it preempt? */
static s64 a_heavy_one_preempts(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 yes;

	BED(&b, u);
	p = thread_on(&b, 0, -5, 0);
	runs_at(&b, thread_on(&b, 0, 0, 0), 0, 3 * MS);
	at(&b.d, 2 * MS);
	yes = wakes_with(&b, p, 0);
	bed_fini(&b);
	return yes;
}

/* After 1 ms, one of the same weight that asks for 0.5 ms. */
static s64 a_short_one_preempts(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 yes;

	BED(&b, u);
	p = thread_on(&b, 0, 0, 500 * US);
	runs_at(&b, thread_on(&b, 0, 0, 0), 0, 3 * MS);
	at(&b.d, 1 * MS);
	yes = wakes_with(&b, p, 0);
	bed_fini(&b);
	return yes;
}

/* A, at 0, asks for 8 ms, another for 4; at 3 A changes its own slice to 7.  At which tick does its turn end? */
static s64 end_of_a_turn_with_a_change(const struct under *u)
{
	struct task_struct *a;
	struct bed b;
	u64 t;

	BED(&b, u);
	a = thread_on(&b, 0, 0, 8 * MS);
	start(&b.d, a);
	waits_at(&b, thread_on(&b, 0, 0, 4 * MS), 0, 4 * MS);
	set_place(&b, &a->se, 0, 8 * MS);
	b.lab->pick->set_next(b.lab, a->se.cfs_rq, &a->se, true);
	for (t = 1 * MS; t < 20 * MS && runs(&b.d, a); t += MS) {
		at(&b.d, t);
		tick(&b.d, 0);
		if (t == 3 * MS)
			lab_set_slice(b.lab, 0, a, 7 * MS);
	}
	bed_fini(&b);
	return (s64)(t - MS);
}

/* A, at 1 of 3 ms, yields. */
static s64 place_after_a_yield(const struct under *u)
{
	struct task_struct *a;
	struct bed b;
	s64 v;

	BED(&b, u);
	a = thread_on(&b, 0, 0, 0);
	runs_at(&b, a, 1 * MS, 3 * MS);
	waits_at(&b, thread_on(&b, 0, 0, 0), 1 * MS, 4 * MS);
	lab_yield(b.lab, 0);
	v = v_of(&b, a);
	bed_fini(&b);
	return v;
}

/* ---- wakeups ---- */

/* A runs at 10 ahead of another at 0 with a late deadline, and forks: its child asks for 1.5 at the mean of 5.  Does it preempt? */
static s64 a_child_preempts(const struct under *u)
{
	struct task_struct *a;
	struct bed b;
	s64 yes;

	BED(&b, u);
	a = thread_on(&b, 0, 0, 0);
	runs_at(&b, a, 10 * MS, 13 * MS);
	waits_at(&b, thread_on(&b, 0, 0, 0), 0, 30 * MS);
	fork_of(&b, a);
	yes = lab_need_resched(b.lab, 0);
	bed_fini(&b);
	return yes;
}

/* A thread of policy idle in a normal group runs; a normal one outside wakes that is owed nothing.  Does it preempt? */
static s64 preempts_an_idle_one_in_a_group(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 yes;

	BED(&b, u);
	start(&b.d, thread_in(&b, limited(&b.d, NULL, RUNTIME_INF, 100 * MS), 0, SCHED_IDLE, 0, 0));
	p = thread_on(&b, 0, 0, 0);
	at(&b.d, 1 * MS);
	yes = wakes_with(&b, p, 0);
	bed_fini(&b);
	return yes;
}

/* An idle one has just begun on its request; a normal one wakes.  Does it run at the next pass? */
static s64 let_in_by_an_idle_one(const struct under *u)
{
	struct task_struct *p;
	struct bed b;
	s64 yes;

	BED(&b, u);
	p = thread_on(&b, 0, 0, 0);
	runs_at(&b, thread_in(&b, NULL, 0, SCHED_IDLE, 0, 0), 0, 1024 * MS);
	at(&b.d, 1 * US);
	CHECK_EQ(wakes_with(&b, p, 0), true);
	obey_kicks(&b.d);
	yes = runs(&b.d, p);
	bed_fini(&b);
	return yes;
}

/*
 * D sleeps in the queue with a deadline of 1; A, behind, is not protected any more when another wakes.  How many are queued afterwards?
 */
static s64 queued_after_a_wakeup(const struct under *u)
{
	struct task_struct *a, *d, *p;
	struct bed b;
	s64 n;

	BED(&b, u);
	a = thread_on(&b, 0, 0, 0);
	d = thread_on(&b, 0, 0, 0);
	p = thread_on(&b, 0, 0, 0);
	runs_at(&b, d, 2 * MS, 3 * MS);
	waits_at(&b, a, 0, 3 * MS);
	block(&b.d, 0); /* d owes 1 ms */
	CHECK_EQ(runs(&b.d, a), true);
	set_place(&b, &a->se, 6 * MS, 9 * MS);
	CHECK_EQ(d->se.sched_delayed, true);
	wakes_with(&b, p, 0);
	n = queue_at(&b, 0)->nr_running;
	bed_fini(&b);
	return n;
}

/* ---- buddies ---- */

/*
 * Two of a group, whose deadline is 5, and one outside with 4; the first of the group sleeps.  Is the other one of it next?
 */
static s64 next_is_of_the_same_group(const struct under *u)
{
	struct task_struct *in[2], *out;
	struct sched_entity *g;
	struct task_group *tg;
	struct bed b;
	s64 yes;
	int i;

	BED(&b, u);
	tg = limited(&b.d, NULL, RUNTIME_INF, 100 * MS);
	for (i = 0; i < 2; i++)
		in[i] = thread_in(&b, tg, 0, SCHED_NORMAL, 0, 0);
	out = thread_on(&b, 0, 0, 0);
	start(&b.d, in[0]);
	waits_at(&b, in[1], 0, 3 * MS);
	waits_at(&b, out, 0, 4 * MS);
	g = &group_pair(tg, 0)->se;
	set_place(&b, g, 0, 5 * MS);
	set_place(&b, &in[0]->se, 0, 3 * MS);
	b.lab->pick->cancel_protection(b.lab, g);
	block(&b.d, 0);
	CHECK_EQ(runs(&b.d, in[1]) || runs(&b.d, out), true);
	yes = runs(&b.d, in[1]);
	bed_fini(&b);
	return yes;
}

/* ---- asleep in the queue ---- */

/* A has run 2 ms of its 3 and sleeps at 2 with a debt of 1 ms; B runs. */
struct pair {
	struct bed b;
	struct task_struct *a, *p;
};

static void a_sleeps(struct pair *s, const struct under *u)
{
	BED(&s->b, u);
	s->a = thread_on(&s->b, 0, 0, 0);
	s->p = thread_on(&s->b, 0, 0, 0);
	runs_at(&s->b, s->a, 0, 3 * MS);
	waits_at(&s->b, s->p, 0, 3 * MS);
	at(&s->b.d, 2 * MS);
	block(&s->b.d, 0);
}

static s64 lag_when_woken(struct pair *s)
{
	s64 lag;

	wake(&s->b.d, s->a);
	lag = mean_of(&s->b, queue_at(&s->b, 0)) - v_of(&s->b, s->a);
	bed_fini(&s->b);
	return lag;
}

/* B runs to 3; then A wakes. */
static s64 lag_after_a_short_sleep(const struct under *u)
{
	struct pair s;

	a_sleeps(&s, u);
	at(&s.b.d, 3 * MS);
	tick(&s.b.d, 0);
	return lag_when_woken(&s);
}

/* B runs to 4.5, past A; then A wakes. */
static s64 lag_after_a_long_sleep(const struct under *u)
{
	struct pair s;

	a_sleeps(&s, u);
	at(&s.b.d, 4500 * US);
	lab_read_runtime(s.b.lab, s.p);
	return lag_when_woken(&s);
}

/* One joins far behind, which pulls the mean to -2; then A wakes. */
static s64 lag_after_one_far_behind_came(const struct under *u)
{
	struct pair s;

	a_sleeps(&s, u);
	waits_at(&s.b, thread_on(&s.b, 0, 0, 0), -8 * (s64)MS, 0);
	return lag_when_woken(&s);
}

/* ---- requests to reschedule ---- */

/* Two threads, the first in a call of 30 ms; its request is done at the tick of 4 ms.  When does the other run? */
static s64 end_of_a_turn_in_a_call(const struct under *u)
{
	struct testbed *m = machine_of(.row = u->row, .base_slice = 3 * MS, .rules = { u->flipped, u->also, "hrtick=off" });
	s64 from;

	scenario_of(m)->machine.preempt = -1; /* the row's own */
	program(m, NULL, 0, 0, SYS(30 * MS), RUN(1 * SEC));
	hog(m, NULL, 0, 0);
	run_until(m, 100 * MS);
	from = (s64)nth_run(m, 1, 0).from;
	done(m);
	return from;
}

/* ---- the table ---- */

static const struct witness witnesses[] = {
	{ "pick", "6.6", NULL, end_of_the_first_turn, "when the first of two hogs' turn ends", IN_NS,
	  { { "vruntime", 12 * MS }, { "eevdf", 4 * MS } },
	  "3.6, 4.2: half of a latency of 24 ms, or the first tick behind a request of 3 ms" },
	{ "place_lag", "6.12", NULL, place_of_a_creditor, "v of one that is owed 2 ms, beside three at 100 ms", IN_NS,
	  { { "off", 100 * MS }, { "on", 97333334 } },
	  "4.4: it joins at the mean, or 2 ms stretched by 4/3 before it (fair-46)" },
	{ "place_deadline_initial", "6.12", NULL, first_request_of_a_child, "a child's first request", IN_NS,
	  { { "off", 3 * MS }, { "on", 1500 * US } },
	  "4.4: the request of a new task is halved (fair-58)" },
	{ "initial_deadline", "6.12", NULL, first_request_of_a_child, "a child's first request", IN_NS,
	  { { "lost", 3 * MS }, { "kept", 1500 * US } },
	  "4.4: to 6.11 the first enqueue placed it again, with a whole request (fair-59)" },
	{ "run_to_parity", "6.6", NULL, a_heavy_one_preempts, "does a heavy one preempt at 2 of 3 ms?", YES_OR_NO,
	  { { "off", 1 }, { "on", 0 } },
	  "4.5: the turn is protected until its deadline, or not at all" },
	{ "run_to_parity", "6.18", NULL, a_heavy_one_preempts, "does a heavy one preempt at 2 of 3 ms?", YES_OR_NO,
	  { { "off", 1 }, { "on", 0 } },
	  "4.5: until the shortest request queued is done, or for the base slice as it is before scaling, here 1.5 ms" },
	{ "slice_protect", "6.18", NULL, end_of_a_turn_with_a_change, "when a turn of 8 ms ends that began anew at 3, beside one of 4", IN_NS,
	  { { "deadline", 8 * MS }, { "time", 7 * MS }, { "pick", 4 * MS } },
	  "4.5: at its deadline; 4 ms after it became current again; or 4 ms after it was picked" },
	{ "reweight_keeps", "6.12", NULL, place_with_twice_the_weight, "v at twice the weight, from 96 ms at a mean of 100", IN_NS,
	  { { "v", 96 * MS }, { "lag", 98 * MS }, { "request", 98 * MS } },
	  "4.9: v stays, or the lag keeps its length in real time (fair-57)" },
	{ "reweight_keeps", "7.2", NULL, to_the_deadline_after_a_nice_change, "virtual time to the deadline, which was 3 ms away before nice 5", IN_NS,
	  { { "v", 3 * MS }, { "lag", 3 * MS }, { "request", 9170149 } },
	  "4.9: from 7.0 what is left of a request is scaled by the weights while the task is off the queue, too" },
	{ "delay_dequeue", "6.12", NULL, lag_after_a_short_sleep, "lag of a debtor of 1 ms when it wakes after 1 ms", IN_NS,
	  { { "off", -1 * (s64)MS }, { "on", -500 * (s64)US } },
	  "4.10: it comes back with what it left with, or has waited off half while it stayed queued (fair-60)" },
	{ "delay_zero", "6.12", NULL, lag_after_a_long_sleep, "lag of a debtor of 1 ms when it wakes after 2.5 ms", IN_NS,
	  { { "off", 250 * US }, { "on", 0 } },
	  "4.10: what it has waited too long is to its credit, or forgotten (fair-61)" },
	{ "delay_bound", "6.18", NULL, lag_after_one_far_behind_came, "lag of a debtor of 1 ms when the mean has fallen by 3", IN_NS,
	  { { "off", -4 * (s64)MS }, { "on", -1 * (s64)MS } },
	  "4.10: it owes what it is ahead of the mean now, or no more than when it fell asleep" },
	{ "place_rel_deadline", "6.12", NULL, deadline_after_a_move, "d after a move to where the mean is 50 ms", IN_NS,
	  { { "off", 51 * MS }, { "on", 50500 * US } },
	  "4.9: a new request of 3 ms, or the 2.5 ms that were left (fair-62)" },
	{ "custom_slice", "6.12", NULL, request_of_a_short_one, "request of a thread that wants 0.5 ms", IN_NS,
	  { { "off", 3 * MS }, { "on", 500 * US } },
	  "4.2: a slice of its own counts from 6.12" },
	{ "preempt_short", "6.12", NULL, a_short_one_preempts, "does one of 0.5 ms preempt at 1 of 3 ms?", YES_OR_NO,
	  { { "off", 0 }, { "on", 1 } },
	  "4.7: a shorter request with the earlier deadline takes the protection away (fair-52)" },
	{ "preempt_short", "6.18", NULL, a_short_one_preempts, "does one of 0.5 ms preempt at 1 of 3 ms?", YES_OR_NO,
	  { { "off", 0 }, { "on", 1 } },
	  "4.7: from 6.17 it is compared without protection" },
	{ "group_slice", "6.12", NULL, request_of_its_group, "request of the group of a thread that wants 0.5 ms", IN_NS,
	  { { "off", 3 * MS }, { "on", 500 * US } },
	  "4.2: a group asks for the shortest slice inside" },
	{ "pick_buddy", "6.12", NULL, next_is_of_the_same_group, "is the next of the same group, though its deadline is later?", YES_OR_NO,
	  { { "off", 0 }, { "on", 1 } },
	  "4.6: who falls asleep names its group as next, and an eligible buddy is picked first" },
	{ "next_buddy", "6.6", NULL, next_is_of_the_same_group, "is the next of the same group, though its deadline is later?", YES_OR_NO,
	  { { "off", 0 }, { "on", 1 } },
	  "4.6: to 6.11 a buddy counts only with NEXT_BUDDY" },
	{ "wake_test", "6.18", NULL, queued_after_a_wakeup, "queued after a wakeup that met a delayed sleeper", IN_NOTHING,
	  { { "deadline", 3 }, { "pick", 2 } },
	  "4.7: from 6.19 the test is a pick, and whoever sleeps in the queue and would be picked leaves" },
	{ "lag_limit", "7.2", NULL, lag_of_one_far_behind, "lag of one 49.5 ms behind the mean, slices of 3 ms, ticks of 1", IN_NS,
	  { { "slice", 6 * MS }, { "queue", 4 * MS } },
	  "4.4: at most two slices, or the longest slice and a tick (fair-55, fair-56)" },
	{ "yield_forfeits", "6.18", NULL, place_after_a_yield, "v after a yield at 1 of 3 ms", IN_NS,
	  { { "off", 1 * MS }, { "on", 3 * MS } },
	  "4.11: the deadline moves on, or v goes to it first (fair-63)" },
	{ "fork_preempts", "7.2", NULL, a_child_preempts, "does a child preempt its parent that is owed nothing?", YES_OR_NO,
	  { { "off", 0 }, { "on", 1 } },
	  "4.7: from 6.19 a new task takes over only by a shorter slice" },
	{ "idle_level", "6.12", NULL, preempts_an_idle_one_in_a_group, "does a wakee outside preempt an idle task in a normal group?", YES_OR_NO,
	  { { "task", 1 }, { "meeting", 0 } },
	  "4.7: the tasks' own policies decide, or those of the entities that meet: a normal group is not idle" },
	{ "idle_cancel", "6.12", NULL, let_in_by_an_idle_one, "does it run at once where an idle one has just begun?", YES_OR_NO,
	  { { "off", 0 }, { "on", 1 } },
	  "4.7: the idle one is asked but protected still, or its protection ends" },
	{ "resched_lazy", "6.18", "preempt=lazy", end_of_a_turn_in_a_call, "when one in a call of 30 ms leaves", IN_NS,
	  { { "off", 4 * MS }, { "on", 8 * MS } },
	  "7.3: a request in the kernel is obeyed at once, or by the tick after" },
	{ "hrtick", "7.2", NULL, end_of_the_first_turn, "when the first of two hogs' turn ends", IN_NS,
	  { { "off", 4 * MS }, { "on", 2800 * US } },
	  "4.8: a request of 2.8 ms ends at the next tick, or by its own timer (fair-41)" },
	{ "preempt", "6.18", NULL, end_of_a_turn_in_a_call, "when one in a call of 30 ms leaves", IN_NS,
	  { { "none", 30 * MS }, { "full", 4 * MS }, { "lazy", 8 * MS } },
	  "7.3: at its return to user mode; at once; or at the tick after the request (fair-64)" },
	{ "preempt", "6.18", NULL, end_of_a_turn_in_a_call, "when one in a call of 30 ms leaves", IN_NS,
	  { { "voluntary", 30 * MS }, { "full", 4 * MS }, { "lazy", 8 * MS } },
	  "7.3: as none, where the call offers nothing" },
};

/* In both a call is left only where it says so itself (STEP_RESCHED_POINT): the model has no call of which only voluntary would offer that. */
static const struct witness_alike alike[] = { { "preempt", "none", "voluntary" }, { NULL, NULL, NULL } };

WITNESS_MAIN_ALIKE("eevdf: a witness for every rule", witnesses, RULE_PICK, RULE_PREEMPT, alike)
