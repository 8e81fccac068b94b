/* SPDX-License-Identifier: MIT */
/*
 * Where a task that wakes goes: examples smp-1 to smp-24 of docs/rules/smp.md (12 to 14 in stacking.c, 20 and 21 in scan.c, 24 in weights.c), and
 * A3 of smp-checked.md.
 *
 * States are built directly (place_bed.h).  Where a page and a test differ the test says which is right and why.
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

/* One kernel, and the CPU that the wakee goes to there. */
struct on_row {
	const char *row;
	int cpu;
};

/* All rows that search as the examples say "all K4.14+" or later. */
#define FROM_4_14 "4.14", "5.4", "5.10", "6.1", "6.12", "7.2"
#define NR_FROM_4_14 6

/* ---- smp-1 to smp-5: the order of candidates, and how far the scan goes ---- */

/* smp-1: prev is idle: there, whoever wakes. */
TEST(placement, smp_1_an_idle_prev_is_taken)
{
	static const char *const rows[] = { FROM_4_14 };
	int i;

	for (i = 0; i < NR_FROM_4_14; i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, M4, .row = rows[i]);
		p = sleeper_on(&b, 3);
		hogs_up_to(&b, 3);
		balancer_looks(&b);
		CHECK_ROW(wakes_from(&b, 0, p), 3, rows[i]);
		bed_fini(&b);
	}
}

/* smp-2 and smp-3: prev is busy and one CPU idle; @load decides whether the waker draws it, the scan whether CPU 3 is seen. */
static int fifth_task(const char *row, u64 load, u64 avg_idle, u64 *scanned)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M4, .row = row);
	p = sleeper_on(&b, 1);
	hogs_up_to(&b, 3);
	weighs(&b, p, load);
	balancer_looks(&b);
	if (avg_idle)
		rq_of(&b, 0)->smp.avg_idle = avg_idle;
	cpu = wakes_from(&b, 0, p);
	*scanned = b.d.scanned;
	bed_fini(&b);
	return cpu;
}

/* smp-2: a light fifth task is drawn to the waker; 5.10 looks around it as far as its idle time pays for, 6.x not at all with three busy CPUs. */
TEST(placement, smp_2_a_light_fifth_task)
{
	u64 scanned;

	CHECK_EQ(fifth_task("5.10", 20, 0, &scanned), 3);
	CHECK_EQ(scanned, 4);
	CHECK_EQ(fifth_task("5.10", 20, 1, &scanned), 0); /* nothing is worth it: at least 4, so 3 are looked at */
	CHECK_EQ(scanned, 3);
	CHECK_EQ(fifth_task("6.1", 20, 0, &scanned), 0);
	CHECK_EQ(scanned, 0);
	CHECK_EQ(fifth_task("6.12", 20, 0, &scanned), 0);
	CHECK_EQ(fifth_task("7.2", 20, 0, &scanned), 0);
}

/* smp-3: a heavy one stays at prev. */
TEST(placement, smp_3_a_heavy_fifth_task)
{
	u64 scanned;

	CHECK_EQ(fifth_task("5.10", 1024, 0, &scanned), 3);
	CHECK_EQ(scanned, 3); /* 1, 2, 3 */
	CHECK_EQ(fifth_task("6.1", 1024, 0, &scanned), 1);
	CHECK_EQ(fifth_task("6.12", 1024, 0, &scanned), 1);
}

/* smp-4: two busy CPUs: everybody finds CPU 2. */
TEST(placement, smp_4_two_hogs_leave_room)
{
	static const struct { const char *row; u64 scanned; } rows[] = { { "5.10", 3 }, { "6.1", 2 }, { "6.12", 2 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		p = sleeper_on(&b, 1);
		hogs_up_to(&b, 2);
		weighs(&b, p, 20);
		balancer_looks(&b);
		CHECK_ROW(wakes_from(&b, 0, p), 2, rows[i].row);
		CHECK_ROW(b.d.scanned, rows[i].scanned, rows[i].row);
		bed_fini(&b);
	}
}

/* smp-5: bound to one CPU it goes there, however full that is, and nothing is searched. */
TEST(placement, smp_5_a_bound_task_is_not_placed)
{
	struct task_struct *p;
	struct bed b;
	int i;

	bed_of(&b, M4, .row = "5.10");
	p = sleeper_on(&b, 3);
	allow(&b, p, 1 << 3);
	hog_on(&b, 0);
	for (i = 0; i < 5; i++)
		hog_on(&b, 3);
	CHECK_EQ(wakes_from(&b, 0, p), 3);
	CHECK_EQ(b.d.scanned, 0);
	CHECK_EQ(rq_of(&b, 0)->curr->wakee_flips, 0); /* nor does it count as a partner */
	bed_fini(&b);
}

/* ---- smp-6 to smp-11: the waker's CPU or prev ---- */

/* smp-6: a pipe's writer is about to sleep and alone, so its CPU is the target; but the reader's own CPU is idle: pairs stay on two. */
TEST(placement, smp_6_a_pair_stays_on_two_cpus)
{
	static const char *const rows[] = { FROM_4_14 };
	int i;

	for (i = 0; i < NR_FROM_4_14; i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, M4, .row = rows[i]);
		p = sleeper_on(&b, 1);
		hog_on(&b, 0);
		CHECK_ROW(wakes_with(&b, 0, p, WAKE_SYNC), 1, rows[i]);
		bed_fini(&b);
	}
}

/* smp-7: prev is busy: a CPU beside the writer. */
TEST(placement, smp_7_a_busy_prev)
{
	static const struct { const char *row; u64 scanned; } rows[] = { { "5.10", 3 }, { "6.1", 2 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		p = sleeper_on(&b, 1);
		hogs_on(&b, 2, 0, 1);
		balancer_looks(&b);
		CHECK_ROW(wakes_with(&b, 0, p, WAKE_SYNC), 2, rows[i].row);
		CHECK_ROW(b.d.scanned, rows[i].scanned, rows[i].row);
		bed_fini(&b);
	}
}

/* smp-8: from another node the reader comes over, because only the writer's cache is searched. */
TEST(placement, smp_8_the_reader_crosses_nodes)
{
	static const struct { const char *row; u64 scanned; } rows[] = { { "5.10", 2 }, { "6.1", 1 }, { "6.12", 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, N96, .row = rows[i].row);
		p = sleeper_on(&b, 50);
		hog_on(&b, 0);
		balancer_looks(&b);
		CHECK_ROW(wakes_with(&b, 0, p, WAKE_SYNC), 1, rows[i].row);
		CHECK_ROW(b.d.scanned, rows[i].scanned, rows[i].row);
		bed_fini(&b);
	}
}

/* smp-9: without that hint it stays: 6.1 sees that prev is idle, 5.10 that nothing loads it. */
TEST(placement, smp_9_without_sync_it_stays_on_its_node)
{
	static const char *const rows[] = { "5.10", "6.1", "6.12", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, N96, .row = rows[i]);
		p = sleeper_on(&b, 50);
		weighs(&b, p, 20);
		hog_on(&b, 0);
		balancer_looks(&b);
		CHECK_ROW(wakes_from(&b, 0, p), 50, rows[i]);
		bed_fini(&b);
	}
}

/* smp-10: an interrupt on an idle CPU: prev if that is idle, too; in 4.14 where the interrupt is.  Prev busy: there. */
TEST(placement, smp_10_an_interrupt_on_an_idle_cpu)
{
	static const struct on_row rows[] = { { "4.14", 0 }, { "5.4", 1 }, { "5.10", 1 }, { "6.1", 1 }, { "6.12", 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p, *q;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		p = sleeper_on(&b, 1);
		q = sleeper_on(&b, 2);
		CHECK_ROW(interrupt_wakes(&b, 0, p), rows[i].cpu, rows[i].row);
		obey_kicks(&b.d);
		block(&b.d, lab_task_cpu(p));
		hog_on(&b, 2);
		CHECK_ROW(interrupt_wakes(&b, 0, q), 0, rows[i].row);
		bed_fini(&b);
	}
}

/* smp-11: with prev on another node, idle: 6.1 stays because it is idle, the others because own load is more there than here. */
TEST(placement, smp_11_an_interrupt_far_from_prev)
{
	static const char *const rows[] = { "5.4", "5.10", "6.1" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, N96, .row = rows[i]);
		p = sleeper_on(&b, 50);
		weighs(&b, p, 20);
		CHECK_ROW(interrupt_wakes(&b, 0, p), 50, rows[i]);
		bed_fini(&b);
	}
}

/* ---- smp-15: many partners ---- */

static int with_flips(u64 waker, u64 wakee)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M36, .row = "5.10");
	p = sleeper_on(&b, 7);
	hogs_up_to(&b, 36);
	weighs(&b, p, 20);
	settle(&b, 0, 0, 0); /* nothing there that would speak against the waker's CPU */
	rq_of(&b, 0)->curr->last_wakee = p->id;
	rq_of(&b, 0)->curr->wakee_flips = waker;
	rq_of(&b, 0)->curr->wakee_flips_halved = b.d.now;
	p->wakee_flips = wakee;
	cpu = wakes_from(&b, 0, p);
	bed_fini(&b);
	return cpu;
}

/* smp-15: 36 * 36 = 1296 flips against 36 and the wakee is not drawn; one less of either, and it is. */
TEST(placement, smp_15_a_master_of_many_does_not_draw)
{
	CHECK_EQ(with_flips(1300, 36), 7);
	CHECK_EQ(with_flips(1296, 36), 7);
	CHECK_EQ(with_flips(1295, 36), 0);
	CHECK_EQ(with_flips(1300, 35), 0);
	CHECK_EQ(with_flips(36, 1300), 7);
}

/* 2.2 step 1: flips count wakees that are not the last one, and halve once after more than a second. */
TEST(placement, flips_count_and_decay)
{
	struct task_struct *p, *q, *waker;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	p = sleeper_on(&b, 1);
	q = sleeper_on(&b, 2);
	waker = hog_on(&b, 0);
	waker->wakee_flips_halved = b.d.now;
	wakes_from(&b, 0, p);
	wakes_from(&b, 0, q);
	CHECK_EQ(waker->wakee_flips, 2);
	obey_kicks(&b.d);
	block(&b.d, 2);
	wakes_from(&b, 0, q); /* the same once more */
	CHECK_EQ(waker->wakee_flips, 2);
	obey_kicks(&b.d);
	block(&b.d, 2);
	waker->wakee_flips = 100;
	at(&b.d, 1 * SEC);
	wakes_from(&b, 0, q);
	CHECK_EQ(waker->wakee_flips, 100);
	obey_kicks(&b.d);
	block(&b.d, 2);
	at(&b.d, 5 * SEC);
	wakes_from(&b, 0, q);
	CHECK_EQ(waker->wakee_flips, 50); /* once, however long it was */
	bed_fini(&b);
}

/* ---- smp-16, smp-17: threads of a core ---- */

/* smp-16: a core that is idle as a whole comes before the idle thread beside a busy one. */
TEST(placement, smp_16_an_idle_core_first)
{
	static const char *const rows[] = { "4.14", "5.10", "6.1", "6.12" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, C2x2, .row = rows[i]);
		p = sleeper_on(&b, 0);
		hog_on(&b, 0);
		begin(&b, sleeper_on(&b, 2));
		block(&b.d, 2); /* both threads of its core are idle: that is noted */
		CHECK_ROW(llc_of_cpu(&b, 0)->shared->has_idle_cores, true, rows[i]);
		balancer_looks(&b);
		CHECK_ROW(wakes_from(&b, 0, p), 2, rows[i]);
		bed_fini(&b);
	}
}

/* smp-17: no core is: the thread beside; what the hint says makes no difference, but a search in vain takes it back. */
TEST(placement, smp_17_else_the_thread_beside)
{
	static const char *const rows[] = { "4.14", "5.10", "6.1", "6.12" };
	size_t i;
	int hint;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (hint = 0; hint < 2; hint++) {
			struct task_struct *p;
			struct bed b;

			bed_of(&b, C2x2, .row = rows[i]);
			p = sleeper_on(&b, 0);
			hogs_on(&b, 2, 0, 2);
			balancer_looks(&b);
			llc_of_cpu(&b, 0)->shared->has_idle_cores = hint;
			CHECK_ROW(wakes_from(&b, 0, p), 1, rows[i]);
			CHECK_ROW(llc_of_cpu(&b, 0)->shared->has_idle_cores, false, rows[i]);
			bed_fini(&b);
		}
	}
}

/* ---- smp-18, A3: the CPU before the last ---- */

/* smp-18: it is tried after prev, and prev takes its place. */
TEST(placement, smp_18_the_cpu_before_the_last)
{
	static const struct on_row rows[] = { { "4.14", 2 }, { "5.4", 1 }, { "5.10", 1 }, { "6.1", 1 }, { "6.12", 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		p = sleeper_on(&b, 3);
		hogs_on(&b, 2, 0, 3);
		weighs(&b, p, 20);
		p->recent_used_cpu = 1;
		if (!strcmp(rows[i].row, "4.14")) /* there only the scan could find it: let it find another first */
			hog_on(&b, 1);
		CHECK_ROW(wakes_from(&b, 0, p), rows[i].cpu, rows[i].row);
		CHECK_ROW(p->recent_used_cpu, strcmp(rows[i].row, "4.14") ? 3 : 1, rows[i].row);
		bed_fini(&b);
	}
}

/* A3: it begins as the CPU of the parent at the fork, wherever the child begins. */
TEST(placement, a3_a_child_remembers_its_parents_cpu)
{
	struct task_spec spec = { .tg = NULL };
	struct task_struct *parent, *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	parent = hog_on(&b, 2);
	p = lab_fork(b.lab, 2, parent, &spec);
	lab_wake_new(b.lab, 2, p);
	CHECK_EQ(lab_task_cpu(p), 3);
	CHECK_EQ(p->recent_used_cpu, 2);
	bed_fini(&b);
}

/* A3 and 2.4: in 5.10 a waker takes its own CPU for recent, as does a task that an interrupt hits; from 5.15 only the wakee's changes. */
TEST(placement, a3_who_remembers_what)
{
	static const struct { const char *row; int waker, wakee; } rows[] = { { "5.10", 0, 2 }, { "5.15", 3, 1 }, { "6.1", 3, 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p, *waker, *bound;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		p = sleeper_on(&b, 1);
		bound = sleeper_on(&b, 2);
		allow(&b, bound, 1 << 2);
		waker = hog_on(&b, 0);
		hogs_on(&b, 2, 1, 2);
		waker->recent_used_cpu = 3;
		p->recent_used_cpu = 2;
		interrupt_wakes(&b, 0, bound);
		CHECK_ROW(waker->recent_used_cpu, 3, rows[i].row); /* a wakee bound to one CPU leaves no trace */
		interrupt_wakes(&b, 0, p);
		CHECK_ROW(waker->recent_used_cpu, rows[i].waker, rows[i].row);
		CHECK_ROW(p->recent_used_cpu, rows[i].wakee, rows[i].row);
		bed_fini(&b);
	}
}

/* ---- smp-19: delayed sleepers ---- */

/* smp-19: a sleeper that is still queued is not placed at all. */
TEST(placement, smp_19_a_delayed_sleeper_stays)
{
	static const struct on_row rows[] = { { "6.12", 1 }, { "6.1", 2 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p, *hog;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		p = sleeper_on(&b, 1);
		begin(&b, p);
		hog = hog_on(&b, 1);
		at(&b.d, 5 * MS); /* so it owes when it goes to sleep */
		block(&b.d, 1);
		if (!runs(&b.d, hog))
			fail_msg("%s: the hog should run now", rows[i].row);
		CHECK_ROW(p->se.sched_delayed, !strcmp(rows[i].row, "6.12"), rows[i].row);
		CHECK_ROW(rq_of(&b, 1)->nr_delayed, !strcmp(rows[i].row, "6.12"), rows[i].row);
		settle(&b, 1, 1024, 1024);
		balancer_looks(&b);
		p->recent_used_cpu = 1;
		at(&b.d, 5100 * US);
		CHECK_ROW(interrupt_wakes(&b, 1, p), rows[i].cpu, rows[i].row);
		CHECK_ROW(rq_of(&b, 1)->nr_delayed, 0, rows[i].row);
		bed_fini(&b);
	}
}

/* ---- smp-22: SCHED_IDLE ---- */

static int beside_an_idle_policy_hog(const char *row, enum sched_policy policy)
{
	struct task_struct *p, *low;
	struct bed b;
	int cpu;

	bed_of(&b, S2, .row = row);
	p = sleeper_of(&b, NULL, 0, policy, false);
	low = sleeper_of(&b, NULL, 1, SCHED_IDLE, false);
	hog_on(&b, 0);
	begin(&b, low);
	balancer_looks(&b);
	p->recent_used_cpu = 0;
	cpu = wakes_from(&b, 0, p);
	bed_fini(&b);
	return cpu;
}

/* smp-22: a CPU with a SCHED_IDLE hog counts as idle from 5.4; in 7.2 not for another of that policy. */
TEST(placement, smp_22_idle_policy_is_idle)
{
	CHECK_EQ(beside_an_idle_policy_hog("4.14", SCHED_NORMAL), 0);
	CHECK_EQ(beside_an_idle_policy_hog("5.4", SCHED_NORMAL), 1);
	CHECK_EQ(beside_an_idle_policy_hog("5.10", SCHED_NORMAL), 1);
	CHECK_EQ(beside_an_idle_policy_hog("5.10", SCHED_IDLE), 1);
	CHECK_EQ(beside_an_idle_policy_hog("7.2", SCHED_NORMAL), 1);
	CHECK_EQ(beside_an_idle_policy_hog("7.2", SCHED_IDLE), 0);
}

/* ---- smp-23: 3.3 ---- */

/* smp-23: prev is no candidate by itself; the ring that begins with the target finds it first all the same. */
TEST(placement, smp_23_a_ring_of_groups)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "3.2");
	p = sleeper_on(&b, 1);
	hog_on(&b, 0);
	settle(&b, 0, 0, 0);
	CHECK_EQ(wakes_with(&b, 0, p, WAKE_SYNC), 1);
	bed_fini(&b);
}

/* 2.4: there a core must be idle as a whole; then its first thread. */
TEST(placement, a_group_must_be_idle_as_a_whole)
{
	struct task_struct *p, *q;
	struct bed b;

	bed_of(&b, C2x2, .row = "3.2");
	p = sleeper_on(&b, 0);
	q = sleeper_on(&b, 1);
	hog_on(&b, 0);
	CHECK_EQ(wakes_from(&b, 0, p), 2);
	obey_kicks(&b.d);
	allow(&b, q, 0xb); /* not CPU 2 */
	CHECK_EQ(wakes_from(&b, 0, q), 1); /* no core is: down to threads */
	bed_fini(&b);
}

/* ---- what else 2.2 to 2.4 say ---- */

/* smp-55: a CPU whose only task belongs to a group that is throttled there is as good as idle, to 6.17. */
TEST(placement, smp_55_a_throttled_cpu_looks_idle)
{
	struct task_group *tg;
	struct task_struct *hog, *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	tg = limited(&b.d, NULL, 1 * MS, 100 * MS);
	hog = sleeper_of(&b, tg, 1, SCHED_NORMAL, false);
	p = sleeper_on(&b, 1);
	hogs_on(&b, 3, 0, 2, 3);
	begin(&b, hog);
	at(&b.d, 1 * MS);
	tick(&b.d, 1);
	at(&b.d, 2 * MS);
	tick(&b.d, 1);
	CHECK_EQ(rq_of(&b, 1)->nr_running, 0);
	CHECK_EQ(hog->se.on_rq, true);
	CHECK_EQ(wakes_from(&b, 0, p), 1);
	bed_fini(&b);
}

/* 2.3 in 6.12: delayed sleepers beside the waker do not keep it from being alone. */
TEST(placement, a_waker_beside_a_delayed_sleeper_is_alone)
{
	static const struct on_row rows[] = { { "sync_delayed=off", 4 }, { "sync_delayed=on", 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p, *late;
		struct bed b;

		bed_of(&b, P8, .row = "6.12", .rules = { rows[i].row });
		p = sleeper_on(&b, 4);
		weighs(&b, p, 900);
		late = sleeper_on(&b, 0);
		begin(&b, late);
		hog_on(&b, 0);
		at(&b.d, 5 * MS);
		block(&b.d, 0);
		CHECK_ROW(late->se.sched_delayed, true, rows[i].row);
		hog_on(&b, 4);
		settle(&b, 0, 2048, 1024);
		settle(&b, 4, 1024 + 900, 1024);
		balancer_looks(&b);
		llc_of_cpu(&b, 4)->shared->nr_idle_scan = 0;
		CHECK_ROW(wakes_with(&b, 0, p, WAKE_SYNC), rows[i].cpu, rows[i].row);
		bed_fini(&b);
	}
}

/* 2.2: who exits is not listened to from 5.10 on. */
TEST(placement, an_exiting_waker_is_not_about_to_sleep)
{
	static const struct on_row rows[] = { { "sync_exiting=heard", 1 }, { "sync_exiting=ignored", 4 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, P8, .row = "5.10", .rules = { rows[i].row });
		p = sleeper_on(&b, 4);
		weighs(&b, p, 20);
		hog_on(&b, 0);
		lab_exit(b.lab, 0);
		CHECK_ROW(wakes_with(&b, 0, p, WAKE_SYNC), rows[i].cpu, rows[i].row);
		lab_schedule(b.lab, 0);
		bed_fini(&b);
	}
}

/* 2.2 step 2: a waker may ask for its own CPU, from 6.6. */
TEST(placement, the_wakers_cpu_on_request)
{
	static const struct on_row rows[] = { { "6.4", 1 }, { "6.6", 0 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		p = sleeper_on(&b, 1);
		hog_on(&b, 0);
		CHECK_ROW(wakes_with(&b, 0, p, WAKE_CURRENT_CPU), rows[i].cpu, rows[i].row);
		bed_fini(&b);
	}
}

/* 2.4 in 6.12: an idle prev in another cluster is only remembered; the target's cluster is looked at first. */
TEST(placement, clusters_come_first)
{
	static const struct { const char *row; bool neighbour_busy; int cpu; } rows[] = {
		{ "6.1", false, 2 }, { "6.12", false, 1 }, { "6.12", true, 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct bed b;

		bed_of(&b, K2x2, .row = rows[i].row);
		CHECK_EQ(b.lab->smp.has_clusters, true);
		p = sleeper_on(&b, 2);
		hog_on(&b, 0);
		if (rows[i].neighbour_busy)
			hog_on(&b, 1);
		settle(&b, 0, 0, 512);
		weighs(&b, p, 0);
		p->recent_used_cpu = 2;
		llc_of_cpu(&b, 0)->shared->nr_idle_scan = 1; /* the neighbour, and then prev is remembered */
		CHECK_ROW(wakes_with(&b, 0, p, WAKE_SYNC), rows[i].cpu, rows[i].row);
		bed_fini(&b);
	}
}

/* 2.1: an answer that is not allowed: the lowest CPU that is, first on the node where it slept. */
TEST(placement, a_cpu_that_is_not_allowed)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, N8, .row = "5.10");
	p = sleeper_on(&b, 5);
	hog_on(&b, 0);
	allow(&b, p, 0x84); /* 2 and 7 */
	hogs_on(&b, 7, 1, 2, 3, 4, 5, 6, 7);
	CHECK_EQ(wakes_from(&b, 4, p), 7);
	bed_fini(&b);
}

TEST_MAIN("smp: where a task that wakes goes")
