/* SPDX-License-Identifier: MIT */
/*
 * delayed.c - who falls asleep owing time stays in the queue, until that is waited off or it is woken.
 *
 *	A runs 2 ms, sleeps	V 1: A owes 1	     B runs: V goes on	     V 2.5: A is owed 0.5, picked, and leaves with nothing
 *	0 --------------------- 2 ------------------------------------------ 5 ---
 *
 * The worked examples of docs/rules/fair.md 10.4 by their numbers, and what may happen to a sleeper meanwhile.
 */
#include "tests/test.h"

#include "tests/eevdf/bed.h"

static const char *const rows[] = { "6.12", "6.18", "7.2" };
#define EACH(row, i) for (i = 0; i < ARRAY_SIZE(rows) && ((row) = rows[i]); i++)

struct pair {
	struct bed b;
	struct task_struct *a, *p;
};

/* HZ 1000, requests of 3 ms: A has run 2 ms and fallen asleep; B, with v 0, runs. */
static void a_sleeps(struct pair *s, const char *row, const char *rule)
{
	bed_of(&s->b, .row = row, .base_slice = 3 * MS, .hz = 1000, .rules = { "hrtick=off", rule });
	s->a = thread_on(&s->b, 0, 0, 0);
	s->p = thread_on(&s->b, 0, 0, 0);
	runs_at(&s->b, s->a, 0, 3 * MS);
	waits_at(&s->b, s->p, 0, 3 * MS);
	at(&s->b.d, 1 * MS);
	tick(&s->b.d, 0);
	at(&s->b.d, 2 * MS);
	tick(&s->b.d, 0);
	block(&s->b.d, 0);
}

static void ticks_to(struct pair *s, u64 last)
{
	u64 t;

	for (t = (s->b.d.now - s->b.d.epoch) / MS * MS + MS; t <= last; t += MS) {
		at(&s->b.d, t);
		tick(&s->b.d, 0);
	}
}

/* It counts in the mean and the number, but does not run. */
TEST(eevdf, fair_60_a_debtor_stays_until_it_has_waited)
{
	struct cfs_rq *cfs_rq;
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		a_sleeps(&s, row, NULL);
		cfs_rq = queue_at(&s.b, 0);
		CHECK_ROW(s.a->se.sched_delayed && s.a->se.on_rq, true, row);
		CHECK_ROW(runs(&s.b.d, s.p), true, row);
		CHECK_EQ(cfs_rq->nr_running, 2);
		CHECK_EQ(mean_of(&s.b, cfs_rq), 1 * MS);
		ticks_to(&s, 4 * MS);
		CHECK_ROW(s.a->se.sched_delayed, true, row);
		ticks_to(&s, 5 * MS); /* B's request ends: V 2.5, A would be next */
		CHECK_ROW(s.a->se.on_rq || s.a->se.sched_delayed, false, row);
		CHECK_ROW(s.a->se.vlag, 0, row); /* of 0.5 */
		CHECK_ROW(runs(&s.b.d, s.p), true, row);
		CHECK_EQ(cfs_rq->nr_running, 1);
		bed_fini(&s.b);
	}
	a_sleeps(&s, "6.6", NULL);
	CHECK_EQ(s.a->se.on_rq, false);
	CHECK_EQ(s.a->se.vlag, -1 * (s64)MS);
	bed_fini(&s.b);
}

/* Woken at 3.5, with a lag of -0.25, it goes on where it stands; it never left. */
TEST(eevdf, fair_61_woken_in_debt)
{
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		a_sleeps(&s, row, NULL);
		ticks_to(&s, 3 * MS);
		at(&s.b.d, 3500 * US);
		wake(&s.b.d, s.a);
		CHECK_ROW(v_of(&s.b, s.a), 2 * MS, row);
		CHECK_ROW(d_of(&s.b, s.a), 3 * MS, row);
		CHECK_ROW(s.a->se.sched_delayed, false, row);
		CHECK_ROW(runs(&s.b.d, s.p), true, row);
		CHECK_EQ(s.b.d.events[EVENT_SCHED_WAKING], 1);
		CHECK_EQ(s.b.d.events[EVENT_SCHED_WAKEUP], 1);
		bed_fini(&s.b);
	}
}

/* Woken at 4.5, with a lag of +0.25: that is forgotten, it joins at the mean of the others with a new request. */
TEST(eevdf, fair_61_woken_in_credit)
{
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		a_sleeps(&s, row, NULL);
		ticks_to(&s, 4 * MS);
		at(&s.b.d, 4500 * US);
		lab_read_runtime(s.b.lab, s.p); /* what B has run is known */
		wake(&s.b.d, s.a);
		CHECK_ROW(v_of(&s.b, s.a), 2500 * US, row);
		CHECK_ROW(d_of(&s.b, s.a), 5500 * US, row);
		CHECK_ROW(mean_of(&s.b, queue_at(&s.b, 0)), 2500 * US, row);
		bed_fini(&s.b);
	}
}

/* To 6.18 the mean is that of the last charge, at 4: no credit yet.  From 7.0 the running one is charged first. */
TEST(eevdf, who_runs_is_charged_first_from_7_0)
{
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		bool late = !strcmp(row, "7.2");

		a_sleeps(&s, row, NULL);
		ticks_to(&s, 4 * MS);
		at(&s.b.d, 4500 * US);
		wake(&s.b.d, s.a);
		CHECK_ROW(v_of(&s.b, s.a), late ? 2500 * US : 2 * MS, row);
		CHECK_ROW(d_of(&s.b, s.a), late ? 5500 * US : 3 * MS, row);
		bed_fini(&s.b);
	}
}

/* From 7.0 its debt cannot have grown either: a third, far behind, pulls the mean to -2, but it still owes 1. */
TEST(eevdf, debt_does_not_grow_asleep)
{
	static const struct { const char *row; s64 lag; } expect[] = { { "6.18", -4 * (s64)MS }, { "7.2", -1 * (s64)MS } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(expect); i++) {
		struct pair s;

		a_sleeps(&s, expect[i].row, NULL);
		waits_at(&s.b, thread_on(&s.b, 0, 0, 0), -8 * (s64)MS, 0);
		CHECK_EQ(mean_of(&s.b, queue_at(&s.b, 0)), -2 * (s64)MS);
		wake(&s.b.d, s.a);
		CHECK_WITHIN(mean_of(&s.b, queue_at(&s.b, 0)) - v_of(&s.b, s.a), expect[i].lag - 1, expect[i].lag + 1);
		bed_fini(&s.b);
	}
}

/* A nice change, a move to another group or CPU leaves it a delayed sleeper, with what it owes. */
TEST(eevdf, a_delayed_sleeper_stays_one_through_changes)
{
	struct task_group *tg;
	struct pair s;
	const char *row;
	size_t i;
	int what;

	EACH(row, i) {
		for (what = 0; what < 3; what++) {
			a_sleeps(&s, row, NULL);
			tg = limited(&s.b.d, NULL, RUNTIME_INF, 100 * MS);
			start(&s.b.d, thread_in(&s.b, tg, 0, SCHED_NORMAL, 0, 0));
			switch (what) {
			case 0:
				lab_set_nice(s.b.lab, 0, s.a, SCHED_NORMAL, 3);
				break;
			case 1:
				lab_move(s.b.lab, 0, s.a, tg);
				CHECK_EQ(group_cfs_rq(s.b.lab, tg, 0)->nr_running, 2);
				break;
			default:
				lab_set_slice(s.b.lab, 0, s.a, 1 * MS);
			}
			CHECK_ROW(s.a->se.on_rq && s.a->se.sched_delayed, true, row);
			CHECK_EQ(s.a->state == TASK_INTERRUPTIBLE, true);
			wake(&s.b.d, s.a);
			CHECK_ROW(s.a->se.on_rq && !s.a->se.sched_delayed, true, row);
			bed_fini(&s.b);
		}
	}
}

/* One that dies leaves at once, in debt or not. */
TEST(eevdf, the_dead_are_not_delayed)
{
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		bed_of(&s.b, .row = row, .base_slice = 3 * MS, .hz = 1000);
		s.a = thread_on(&s.b, 0, 0, 0);
		s.p = thread_on(&s.b, 0, 0, 0);
		runs_at(&s.b, s.a, 0, 3 * MS);
		waits_at(&s.b, s.p, 0, 3 * MS);
		at(&s.b.d, 2 * MS);
		lab_exit(s.b.lab, 0);
		pass(&s.b.d, 0);
		CHECK_ROW(queue_at(&s.b, 0)->nr_running, 1, row);
		CHECK_ROW(runs(&s.b.d, s.p), true, row);
		bed_fini(&s.b);
	}
}

/* A group whose last task leaves while the group owes time is delayed like a task, and revived by the next wakeup inside. */
TEST(eevdf, a_group_is_delayed_too)
{
	struct sched_entity *g;
	struct task_group *tg;
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		bed_of(&s.b, .row = row, .base_slice = 3 * MS, .hz = 1000, .rules = { "hrtick=off" });
		tg = limited(&s.b.d, NULL, RUNTIME_INF, 100 * MS);
		s.a = thread_in(&s.b, tg, 0, SCHED_NORMAL, 0, 0);
		s.p = thread_on(&s.b, 0, 0, 0);
		start(&s.b.d, s.a);
		waits_at(&s.b, s.p, 0, 3 * MS);
		g = &group_pair(tg, 0)->se;
		set_place(&s.b, g, 0, 3 * MS);
		at(&s.b.d, 2 * MS);
		block(&s.b.d, 0);
		CHECK_ROW(g->on_rq && g->sched_delayed, true, row); /* alone in its group the task owed nothing */
		CHECK_ROW(s.a->se.on_rq, false, row);
		CHECK_EQ(queue_at(&s.b, 0)->h_nr_running, 1);
		CHECK_EQ(runs(&s.b.d, s.p), true);
		at(&s.b.d, 3 * MS);
		tick(&s.b.d, 0);
		wake(&s.b.d, s.a);
		CHECK_ROW(g->on_rq && !g->sched_delayed, true, row);
		CHECK_EQ(queue_at(&s.b, 0)->h_nr_running, 2);
		bed_fini(&s.b);
	}
}

/* And one that is not woken leaves when it would be picked. */
TEST(eevdf, a_delayed_group_leaves_when_its_turn_comes)
{
	struct sched_entity *g;
	struct task_group *tg;
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		bed_of(&s.b, .row = row, .base_slice = 3 * MS, .hz = 1000, .rules = { "hrtick=off" });
		tg = limited(&s.b.d, NULL, RUNTIME_INF, 100 * MS);
		s.a = thread_in(&s.b, tg, 0, SCHED_NORMAL, 0, 0);
		s.p = thread_on(&s.b, 0, 0, 0);
		start(&s.b.d, s.a);
		waits_at(&s.b, s.p, 0, 3 * MS);
		g = &group_pair(tg, 0)->se;
		set_place(&s.b, g, 0, 3 * MS);
		at(&s.b.d, 2 * MS);
		block(&s.b.d, 0);
		ticks_to(&s, 5 * MS);
		CHECK_ROW(g->on_rq || g->sched_delayed, false, row);
		CHECK_ROW(queue_at(&s.b, 0)->nr_running, 1, row);
		CHECK_ROW(runs(&s.b.d, s.p), true, row);
		bed_fini(&s.b);
	}
}

/* A CPU that goes offline takes its delayed sleepers along. */
TEST(eevdf, a_delayed_sleeper_moves_with_its_cpu)
{
	struct pair s;
	const char *row;
	size_t i;

	EACH(row, i) {
		bed_of(&s.b, .row = row, .base_slice = 3 * MS, .hz = 1000, .cpus = 2, .rules = { "hrtick=off" });
		s.a = thread_on(&s.b, 0, 0, 0);
		s.p = thread_on(&s.b, 0, 0, 0);
		runs_at(&s.b, s.a, 0, 3 * MS);
		waits_at(&s.b, s.p, 0, 3 * MS);
		start(&s.b.d, thread_on(&s.b, 1, 0, 0));
		at(&s.b.d, 2 * MS);
		block(&s.b.d, 0);
		CHECK_ROW(s.a->se.sched_delayed, true, row);
		CHECK_EQ(lab_hotplug(s.b.lab, 0, false), 0);
		obey_kicks(&s.b.d);
		CHECK_ROW(lab_task_cpu(s.a), 1, row);
		CHECK_ROW(s.a->se.sched_delayed && s.a->se.on_rq, true, row);
		bed_fini(&s.b);
	}
}

TEST_MAIN("eevdf: delayed dequeue")
