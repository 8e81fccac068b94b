/* SPDX-License-Identifier: MIT */
/*
 * Who queues a wakee: the waker, or the CPU where it shall run, by interrupt (fair-78 of docs/rules/fair.md, section 8 of smp.md).
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

/* ---- fair-78: who queues a wakee, and who says so ---- */

static struct task_struct *remote_polling_wakeup(struct bed *b, const char *row)
{
	struct task_struct *p, *second;

	bed_of(b, M4, .row = row);
	p = sleeper_on(b, 1);
	second = sleeper_on(b, 1);
	allow(b, second, 1 << 1);
	hog_on(b, 0);
	b->d.polling[1] = true;
	memset(b->d.events, 0, sizeof(b->d.events));
	CHECK_ROW(wakes_from(b, 0, p), 1, row);
	return second;
}

/* fair-78 in 5.10: the waker queues it there, sees that CPU 1 polls, and says woken itself. */
TEST(placement, fair_78_direct)
{
	struct bed b;
	struct task_struct *second = remote_polling_wakeup(&b, "5.10");

	CHECK_EQ(b.d.events[EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI], 1);
	CHECK_EQ(b.d.last[EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI].cpu, 1);
	CHECK_EQ(b.d.events[EVENT_SCHED_WAKEUP], 1);
	CHECK_EQ(b.d.last[EVENT_SCHED_WAKEUP].cpu, 1);
	CHECK_EQ(b.d.last[EVENT_SCHED_WAKEUP].arg, 0); /* on CPU 0 */
	CHECK_EQ(rq_of(&b, 1)->nr_running, 1);
	CHECK(b.d.resched[1] && !b.d.ipi[1]);
	interrupt_wakes(&b, 0, second); /* asked once is enough */
	CHECK_EQ(rq_of(&b, 1)->nr_running, 2);
	CHECK_EQ(b.d.events[EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI], 1);
	bed_fini(&b);
}

/* fair-78 in 6.1: it goes on CPU 1's list; that CPU queues it and says woken, and is not idle for anybody meanwhile. */
TEST(placement, fair_78_by_the_wake_list)
{
	static const char *const rows[] = { "6.1", "6.12", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed b;

		remote_polling_wakeup(&b, rows[i]);
		CHECK_ROW(b.d.events[EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI], 1, rows[i]);
		CHECK_ROW(b.d.events[EVENT_SCHED_WAKEUP], 0, rows[i]);
		CHECK_ROW(rq_of(&b, 1)->nr_running, 0, rows[i]);
		CHECK_ROW(cpu_is_idle(rq_of(&b, 1)), false, rows[i]);
		CHECK(b.d.ipi[1] && !b.d.resched[1]);
		obey_kicks(&b.d);
		CHECK_ROW(b.d.events[EVENT_SCHED_WAKEUP], 1, rows[i]);
		CHECK_ROW(b.d.last[EVENT_SCHED_WAKEUP].arg, 1, rows[i]); /* on CPU 1 */
		CHECK_ROW(b.d.events[EVENT_SCHED_SWITCH], 1, rows[i]);
		bed_fini(&b);
	}
}

/* 8: to another cache always by the list; a busy CPU that shares one, and the own CPU, are served directly. */
TEST(placement, the_wake_list_by_distance)
{
	static const struct { const char *row; enum bed_shape shape; int prev; bool busy, listed; } rows[] = {
		{ "5.10", P8, 4, false, true }, { "5.10", P8, 4, true, true }, { "5.10", M4, 1, false, false },
		{ "6.1", M4, 1, false, true },  { "6.1", M4, 1, true, false }, { "3.2", P8, 4, false, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, rows[i].shape, .row = rows[i].row);
		p = sleeper_on(&b, rows[i].prev);
		allow(&b, p, (u64)1 << rows[i].prev);
		hog_on(&b, 0);
		if (rows[i].busy)
			hog_on(&b, rows[i].prev);
		wakes_from(&b, 0, p);
		CHECK_ROW(p->state == TASK_WAKING, rows[i].listed, rows[i].row);
		bed_fini(&b);
	}
}

/* Wakees of one list come in the order in which they were sent, by one interrupt; asked to move meanwhile, one goes on at arrival. */
TEST(placement, the_wake_list_keeps_order)
{
	struct task_struct *p, *q;
	struct bed b;
	u64 only_3 = 1 << 3;

	bed_of(&b, M4, .row = "6.1");
	p = sleeper_on(&b, 1);
	q = sleeper_on(&b, 1);
	allow(&b, p, 1 << 1);
	allow(&b, q, 1 << 1);
	hog_on(&b, 0);
	wakes_from(&b, 0, p);
	wakes_from(&b, 0, q);
	CHECK(b.d.ipi[1]);
	CHECK_EQ(lab_affinity(b.lab, 0, q, &only_3), 0);
	CHECK_EQ(lab_task_cpu(q), 1);
	lab_ipi(b.lab, 1);
	CHECK_EQ(lab_task_cpu(p), 1);
	CHECK_EQ(lab_task_cpu(q), 3);
	CHECK_EQ(rq_of(&b, 1)->nr_running, 1);
	CHECK_EQ(rq_of(&b, 3)->nr_running, 1);
	bed_fini(&b);
}

/* A CPU that goes offline first takes in what was sent to it; then all of that moves on. */
TEST(placement, hotplug_empties_the_wake_list)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "6.1");
	p = sleeper_on(&b, 1);
	hog_on(&b, 0);
	CHECK_EQ(wakes_from(&b, 0, p), 1);
	CHECK_EQ(lab_hotplug(b.lab, 1, false), 0);
	CHECK(lab_task_cpu(p) != 1);
	CHECK_EQ(p->state, TASK_RUNNING);
	CHECK_EQ(rq_of(&b, 1)->nr_running, 0);
	bed_fini(&b);
}

/* 8: the idle time that a wakeup ends goes into the mean by an eighth, which is capped. */
TEST(placement, idle_time_has_a_mean)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, S2, .row = "5.10");
	p = sleeper_on(&b, 1);
	rq_of(&b, 1)->smp.avg_idle = 400 * US;
	rq_of(&b, 1)->smp.idle_stamp = b.d.now;
	at(&b.d, 80 * US);
	interrupt_wakes(&b, 1, p);
	CHECK_EQ(rq_of(&b, 1)->smp.avg_idle, 360 * US);
	CHECK_EQ(rq_of(&b, 1)->smp.idle_stamp, 0);
	obey_kicks(&b.d);
	block(&b.d, 1);
	rq_of(&b, 1)->smp.idle_stamp = b.d.now;
	at(&b.d, 1 * SEC);
	interrupt_wakes(&b, 1, p);
	CHECK_EQ(rq_of(&b, 1)->smp.avg_idle, 1 * MS);
	bed_fini(&b);
}

TEST_MAIN("smp: who queues a wakee")
