/* SPDX-License-Identifier: MIT */
/*
 * witness.c - each rule of the fair class is there for a reason: a figure that changes when it alone is flipped.
 *
 * A row: the rule, a kernel row in which it is flipped, the figure with the rule's first and with its second value, and the
 * sentence from which both follow.
 */
#include "tests/test.h"

#include "tests/fair/bench.h"
#include "tests/machine_of.h"

/* ---- states on one queue ---- */

struct scene {
	struct bench b;
	struct task_struct *curr, *wakee;
};

/* One runs alone at 100 ms on the first of 8 CPUs; another is there and sleeps. */
static void set_scene(struct scene *s, const char *row, const char *rule)
{
	bench_of(&s->b, .cpus = 8, .row = row, .rules = { rule }, .cgroup = 1);
	s->curr = thread(&s->b, 0, 0);
	s->wakee = thread(&s->b, 0, 0);
	start(&s->b.d, s->wakee);
	block(&s->b.d, 0);
	runs_alone(&s->b, s->curr, 100 * MS);
}

static s64 placed_at(const char *row, const char *rule)
{
	struct scene s;
	s64 v;

	set_scene(&s, row, rule);
	wakes(&s.b, s.wakee, 50 * MS);
	v = (s64)s.wakee->se.vruntime;
	bench_fini(&s.b);
	return v;
}

static s64 child_placed_at(const char *row, const char *rule)
{
	struct task_spec spec = { .cpus = &(u64){ 1 } };
	struct task_struct *child;
	struct scene s;
	s64 v;

	set_scene(&s, row, rule);
	child = lab_fork(s.b.lab, 0, s.curr, &spec);
	lab_wake_new(s.b.lab, 0, child);
	v = (s64)child->se.vruntime;
	bench_fini(&s.b);
	return v;
}

/* It slept on CPU 0, 3 ms ahead of the others there, and wakes on CPU 1, whose current has run 3 ms since it was charged. */
static s64 placed_on_the_other_cpu(const char *row, const char *rule)
{
	struct scene s;
	s64 v;

	set_scene(&s, row, rule);
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
static s64 placed_after_a_sleep(const char *row, const char *rule)
{
	struct task_struct *other;
	struct scene s;
	s64 v;

	set_scene(&s, row, rule);
	other = thread(&s.b, 0, 0);
	wakes(&s.b, other, 110 * MS);
	block(&s.b.d, 0);
	wakes(&s.b, s.wakee, 0);
	v = (s64)s.wakee->se.vruntime;
	bench_fini(&s.b);
	return v;
}

/* Asleep for 105 days, 400 ms ahead of where the queue stands. */
static s64 placed_after_105_days(const char *row, const char *rule)
{
	struct scene s;
	s64 v;

	set_scene(&s, row, rule);
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
static s64 next_of_a_crowd(const char *row, const char *rule)
{
	struct scene s;
	s64 id;
	u32 k;

	set_scene(&s, row, rule);
	for (k = 1; k <= 8; k++)
		wakes(&s.b, thread(&s.b, 0, 0), (100 + k) * MS);
	CHECK_EQ(wakes(&s.b, s.wakee, 103 * MS), false);
	block(&s.b.d, 0);
	id = lab_task_id(lab_curr(s.b.lab, 0));
	bench_fini(&s.b);
	return id;
}

/* Eight more wait at 99 ms; thread 2 wakes, preempts thread 1 and sleeps again.  Who is next? */
static s64 next_after_a_visit(const char *row, const char *rule)
{
	struct scene s;
	s64 id;
	u32 k;

	set_scene(&s, row, rule);
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
static s64 slice_in_a_group(const char *row, const char *rule)
{
	struct task_group *tg[2];
	struct task_struct *p = NULL;
	struct bench b;
	s64 slice;
	u32 i;

	bench_of(&b, .cpus = 8, .row = row, .rules = { rule });
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

static s64 slice_of_an_idle_thread(const char *row, const char *rule)
{
	struct task_struct *p;
	struct scene s;
	s64 slice;

	set_scene(&s, row, rule);
	p = thread_of(&s.b, NULL, 0, SCHED_IDLE, 0);
	wakes(&s.b, p, 100 * MS);
	slice = (s64)sched_slice(s.b.lab, p->se.cfs_rq, &p->se);
	bench_fini(&s.b);
	return slice;
}

static s64 errno_of_cpu_idle(const char *row, const char *rule)
{
	struct bench b;
	s64 ret;

	bench_of(&b, .row = row, .rules = { rule });
	ret = lab_write(b.lab, 0, lab_group_create(b.lab, lab_root(b.lab)), KNOB_IDLE, 1, 0, NULL);
	bench_fini(&b);
	return -ret;
}

/* Two groups of 1025 shares with equal load on each of two CPUs: the slice of a nice-0 hog beside them on the first. */
static s64 slice_beside_halves(const char *row, const char *rule)
{
	struct task_struct *p;
	struct bench b;
	s64 slice;
	int g, cpu;

	bench_of(&b, .cpus = 8, .row = row, .rules = { rule }, .cgroup = 1);
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
static s64 weight_after_a_sleep(const char *row, const char *rule)
{
	struct task_group *tg;
	struct bench b;
	s64 weight;
	u64 t;

	bench_of(&b, .cpus = 2, .row = row, .rules = { rule }, .cgroup = 1);
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
static s64 contribution(const char *row, const char *rule)
{
	struct task_group *tg;
	struct cfs_rq *cfs_rq;
	struct bench b;
	s64 contrib;

	bench_of(&b, .cpus = 8, .row = row, .rules = { rule });
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
static s64 weight_of_an_empty_group(const char *row, const char *rule)
{
	struct task_group *tg;
	struct bench b;
	s64 weight;

	bench_of(&b, .cpus = 8, .row = row, .rules = { rule });
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

/* ---- runs ---- */

static struct testbed *hogs(const char *row, const char *rule, u32 hz, u32 nr)
{
	struct testbed *m = machine_of(.cpus = 8, .hz = hz, .row = row, .rules = { rule });

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

static s64 first_of_two_hogs(const char *row, const char *rule) { return first_turn_ends(hogs(row, rule, 250, 2)); }

static s64 first_of_ten_hogs(const char *row, const char *rule) { return first_turn_ends(hogs(row, rule, 1000, 10)); }

static s64 heavy_among_light(const char *row, const char *rule)
{
	struct testbed *m = hogs(row, rule, 250, 0);
	u32 i;

	task_of_args(m, &(struct task_args){ .cpu = 0, .loops = -1, .nice = -20 }, STEPS(RUN(1000 * SEC)));
	for (i = 0; i < 29; i++)
		hog(m, NULL, 0, 0);
	return first_turn_ends(m);
}

/* fair-22: when does A leave the CPU that it got from B, in the same group, at 68? */
static s64 end_of_the_groups_turn(const char *row, const char *rule)
{
	struct testbed *m = hogs(row, rule, 250, 0);
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
static s64 wait_of_a_wakee(const char *row, const char *rule)
{
	struct testbed *m = hogs(row, rule, 250, 0);
	u32 t = program(m, NULL, 0, 0, RUN(1 * US), AT(1000 * MS + 500 * US), RUN(100 * US));
	s64 wait;

	program(m, NULL, 0, 0, RUN(900 * MS), AT(1000 * MS), RUN(100 * SEC));
	run_until(m, 1100 * MS);
	wait = (s64)(nth_run(m, t, 1).from - 1000 * MS - 500 * US);
	done(m);
	return wait;
}

/* ---- the table ---- */

static const struct witness {
	const char *first, *second; /* the rule with its two values */
	const char *row;
	s64 (*figure)(const char *row, const char *rule);
	s64 with_first, with_second;
	const char *sentence;
} witnesses[] = {
	{ "fair_inverse=rounded", "fair_inverse=truncated", "5.10", first_of_two_hogs, 16 * MS, 12 * MS,
	  "half of 24 ms is 12,000,000 or 11,999,994 ns, and a tick after 12 ms ends only what has run longer" },
	{ "load_scale=off", "load_scale=on", "5.10", slice_beside_halves, 11999994, 11994140,
	  "two halves of 1025 are 2 * 512, or with 10 more bits 2 * 512.5, so the hog's part of 24 ms is 1024/2048 or 1024/2049" },
	{ "wake_renorm=always", "wake_renorm=moved", "4.14", placed_on_the_other_cpu, 903 * MS, 906 * MS,
	  "3 ms are added to the new queue's min_vruntime before or after the 3 ms that its current has run are charged" },
	{ "put_chain=whole", "put_chain=differing", "5.10", end_of_the_groups_turn, 76 * MS, 72 * MS,
	  "a switch inside the group renews the group's turn, or the turn goes on since 60 and is above 11.99 at 72" },
	{ "min_vruntime_curr=always", "min_vruntime_curr=queued", "3.2", placed_after_a_sleep, 88 * MS, 98 * MS,
	  "min_vruntime stays with the one that just fell asleep at 100, or goes on to 110; half a latency is 12" },
	{ "gentle_fair_sleepers=off", "gentle_fair_sleepers=on", "5.10", placed_at, 76 * MS, 88 * MS,
	  "a long sleeper lands a whole latency of 24 ms, or half of it, left of min_vruntime" },
	{ "start_debit=off", "start_debit=on", "5.10", child_placed_at, 100 * MS, 111999994,
	  "a child starts where its parent is, or a slice of 11,999,994 behind" },
	{ "next_buddy=off", "next_buddy=on", "5.10", next_of_a_crowd, 3, 2,
	  "the leftmost, thread 3 at 101, is next, or the wakee at 103, which is not more than 4 behind" },
	{ "last_buddy=off", "last_buddy=on", "5.10", next_after_a_visit, 3, 1,
	  "the leftmost, thread 3 at 99, is next, or thread 1 at 100, which was preempted last" },
	{ "wakeup_preemption=off", "wakeup_preemption=on", "5.10", wait_of_a_wakee, 3500 * US, 0,
	  "a wakee 12 ms behind preempts at once, or waits for the tick at 4 ms" },
	{ "child_runs_first=off", "child_runs_first=on", "5.10", child_placed_at, 111999994, 100 * MS,
	  "parent and child exchange their places" },
	{ "alt_period=off", "alt_period=on", "5.4", slice_in_a_group, 2399996, 2999995,
	  "a tenth of 24 ms for the five of its queue, or of 30 ms for the ten of the CPU" },
	{ "base_slice=off", "base_slice=on", "5.4", first_of_ten_hogs, 3 * MS, 4 * MS,
	  "a tenth of 30 ms is 2,999,997, which 3 ms is above, or is raised to 3 ms, which it is not" },
	{ "idle_granularity=off", "idle_granularity=on", "5.15", slice_of_an_idle_thread, 3 * MS, 750 * US,
	  "the part of an idle thread is raised to min_granularity, or to that of idle entities" },
	{ "cpu_idle=off", "cpu_idle=on", "5.15", errno_of_cpu_idle, EINVAL, 0, "there is no file cpu.idle, or there is" },
	{ "slice_cap=off", "slice_cap=on", "6.4", heavy_among_light, 68 * MS, 28 * MS,
	  "30 threads have a period of 90 ms, of which nice -20 has 67.4; the tick wants that, or 24 ms" },
	{ "long_sleeper=off", "long_sleeper=on", "5.10", placed_after_105_days, 500 * MS, 88 * MS,
	  "the own vruntime counts if it is further right, or not after 104 days" },
	{ "group_load=windows", "group_load=averages", "5.10", weight_after_a_sleep, 512, 682,
	  "beside 1024 on the other CPU the load here is the 1024 that are queued, or 2048 as they were on average" },
	{ "group_load_rate=any", "group_load_rate=ms", "5.10", contribution, 2000, 1024,
	  "the change is above a 64th and is written, or it waits for the millisecond to be over" },
	{ "empty_weight=falls", "empty_weight=kept", "5.10", weight_of_an_empty_group, 2, 524288,
	  "the queue is empty and has no load yet, so the least weight is left, or the half of the shares that it had while it ran" },
};

/* Each rule changes its figure, and both values are as the sentence says. */
TEST(fair, witnesses)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(witnesses); i++) {
		const struct witness *w = &witnesses[i];

		CHECK_ROW(w->figure(w->row, w->first), w->with_first, w->first);
		CHECK_ROW(w->figure(w->row, w->second), w->with_second, w->second);
		CHECK_ROW(w->with_first != w->with_second, true, w->sentence);
	}
}

static bool has_witness(const char *name)
{
	size_t i, len = strlen(name);

	for (i = 0; i < ARRAY_SIZE(witnesses); i++)
		if (!strncmp(witnesses[i].first, name, len) && witnesses[i].first[len] == '=')
			return true;
	return false;
}

/* No rule of the fair class by vruntime is without one. */
TEST(fair, no_rule_without_a_witness)
{
	int rule;

	for (rule = RULE_FAIR_INVERSE; rule < RULE_RFC_KTHREAD; rule++)
		CHECK_ROW(has_witness(rule_info((enum rule)rule)->name), true, rule_info((enum rule)rule)->name);
}

TEST_MAIN("fair: witnesses")
