/* SPDX-License-Identifier: MIT */
/*
 * patches.c - three patches of the 2011 posting (the second seed) whose text changed in its last revision, each as the
 * fact it establishes.
 *
 *	09/18 "add support for unthrottling group entities"		entities go back, up to the first throttled ancestor
 *	11/18 "prevent interactions with throttled entities"		a throttled queue changes no group share
 *	12/18 "prevent buddy interactions with throttled entities"	no buddy points into a throttled hierarchy
 *
 * All kernels since 3.2 have them, so each test runs on several rows.
 */
#include "tests/test.h"

#include "core/sched.h"
#include "tests/driver.h"

static const char *const rows[] = { "3.2", "3.16", "4.14.133", "5.4", "5.10", "6.1", "6.4" };

/* ---- 09 ---- */

/*
 *	root -- /p (50 ms in 100) -- /p/m -- /p/m/c (10 ms in 60)	two threads in c, one in p itself
 *
 * At 12 c is out of runtime: c leaves m, m is empty and leaves p; p stays for its own thread.  At 52 p is out too.  At 60
 * c's timer releases c: c and m go back on the queues of m and p, and there the walk ends.  At 100 p goes back on the root
 * queue, with all three threads.
 */
struct three_levels {
	struct driver d;
	struct task_group *p, *m, *c;
};

static void two_throttled_levels(struct three_levels *l, const char *row)
{
	u64 t;

	driver_of(&l->d, .row = row, .rules = { "bw_phase=grid" });
	l->p = limited(&l->d, NULL, 50 * MS, 100 * MS);
	l->m = limited(&l->d, l->p, RUNTIME_INF, 0);
	l->c = limited(&l->d, l->m, 10 * MS, 60 * MS);
	start(&l->d, sleeper(&l->d, l->c, 0));
	start(&l->d, sleeper(&l->d, l->c, 0));
	start(&l->d, sleeper(&l->d, l->p, 0));
	for (t = 4 * MS; t < 60 * MS; t += 4 * MS) {
		at(&l->d, t);
		tick(&l->d, 0);
	}
}

/* Entities queued and threads counted on the queues of the root, p, m and c. */
static void check_levels(struct three_levels *l, const u32 (*want)[2], const char *row)
{
	struct task_group *level[] = { lab_root(l->d.lab), l->p, l->m, l->c };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(level); i++) {
		struct cfs_rq_view v = queue(&l->d, level[i], 0);

		CHECK_ROW(v.nr_running, want[i][0], row);
		CHECK_ROW(v.h_nr_running, want[i][1], row);
	}
}

TEST(patch09, unthrottling_goes_up_to_the_first_throttled_ancestor)
{
	static const u32 both[4][2] = { { 0, 0 }, { 1, 1 }, { 0, 0 }, { 2, 2 } };
	static const u32 child_back[4][2] = { { 0, 0 }, { 2, 3 }, { 1, 2 }, { 2, 2 } };
	static const u32 all_back[4][2] = { { 1, 3 }, { 2, 3 }, { 1, 2 }, { 2, 2 } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct three_levels l;

		two_throttled_levels(&l, rows[i]);
		CHECK_ROW(queue(&l.d, l.p, 0).throttled && queue(&l.d, l.c, 0).throttled, true, rows[i]);
		CHECK_ROW(queue(&l.d, l.c, 0).throttle_count, 2, rows[i]);
		CHECK_ROW(queue(&l.d, l.m, 0).throttle_count, 1, rows[i]);
		check_levels(&l, both, rows[i]);

		at(&l.d, 60 * MS);
		fire(&l.d, TIMER_PERIOD, l.c);
		CHECK_ROW(queue(&l.d, l.c, 0).throttled, false, rows[i]);
		CHECK_ROW(queue(&l.d, l.c, 0).throttle_count, 1, rows[i]);
		check_levels(&l, child_back, rows[i]);
		CHECK_ROW(lab_task_is_idle(lab_curr(l.d.lab, 0)), true, rows[i]); /* nobody was asked to reschedule */

		at(&l.d, 100 * MS);
		fire(&l.d, TIMER_PERIOD, l.p);
		CHECK_ROW(queue(&l.d, l.c, 0).throttle_count, 0, rows[i]);
		check_levels(&l, all_back, rows[i]);
		CHECK_ROW(lab_task_is_idle(lab_curr(l.d.lab, 0)), false, rows[i]);
		driver_fini(&l.d);
	}
}

/* ---- 11 ---- */

/* What the group's entities weigh on CPUs 0 and 1, beside a thread of the root group there. */
static u64 weight_on(struct driver *d, const struct task_group *tg, int cpu) { return queue(d, tg, cpu).tg_se_weight; }

static struct task_group *throttled_on_cpu_0(struct driver *d, const char *row)
{
	struct task_group *tg;
	u64 t;

	driver_of(d, .cpus = 2, .row = row, .rules = { "bw_phase=grid" });
	tg = limited(d, NULL, 20 * MS, 100 * MS);
	start(d, sleeper(d, tg, 0));
	start(d, sleeper(d, tg, 1));
	for (t = 4 * MS; !queue(d, tg, 0).throttled; t += 4 * MS) {
		at(d, t);
		tick(d, 0);
		tick(d, 1);
	}
	return tg;
}

/* Threads that wake in, or sleep in, a throttled queue are counted there; the entity's weight, and the other CPU's, stay. */
TEST(patch11, a_throttled_queue_changes_no_group_share)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_group *tg = throttled_on_cpu_0(&d, rows[i]);
		u64 here = weight_on(&d, tg, 0), there = weight_on(&d, tg, 1);

		for (k = 1; k <= 4; k++) {
			start(&d, sleeper(&d, tg, 0));
			CHECK_ROW(queue(&d, tg, 0).nr_running, 1 + k, rows[i]);
			CHECK_ROW(queue(&d, tg, 0).load_weight, (1 + k) * 1024, rows[i]);
			CHECK_ROW(queue(&d, lab_root(d.lab), 0).h_nr_running, 0, rows[i]);
			CHECK_ROW(queue(&d, lab_root(d.lab), 0).load_weight, 0, rows[i]);
			CHECK_ROW(weight_on(&d, tg, 0), here, rows[i]);
			CHECK_ROW(weight_on(&d, tg, 1), there, rows[i]);
		}
		driver_fini(&d);
	}
}

/* The control: where nothing is throttled the same wakeups do change it. */
TEST(patch11, an_unthrottled_queue_does)
{
	struct driver d;
	struct task_group *tg;
	u64 weight, t;
	u32 k;

	driver_of(&d, .cpus = 2, .row = "5.10");
	tg = limited(&d, NULL, RUNTIME_INF, 0);
	start(&d, sleeper(&d, tg, 0));
	start(&d, sleeper(&d, tg, 1));
	for (t = 4 * MS; t <= 40 * MS; t += 4 * MS) {
		at(&d, t);
		tick(&d, 0);
		tick(&d, 1);
	}
	weight = weight_on(&d, tg, 0);
	for (k = 1; k <= 4; k++)
		start(&d, sleeper(&d, tg, 0));
	CHECK(weight_on(&d, tg, 0) > weight);
	driver_fini(&d);
}

/* ---- 12 ---- */

/* The root queue's buddies; the driver has no verb for these, so this looks inside. */
static const struct cfs_rq *root_queue(struct driver *d) { return &d->lab->rqs[0].cfs; }

/* /web is throttled on CPU 0, and many threads of the root group keep that CPU crowded, so that wakeups nominate buddies. */
static struct task_group *throttled_beside_a_crowd(struct driver *d, const char *row, struct task_struct **inside)
{
	struct task_group *tg;
	u64 t;
	u32 i;

	driver_of(d, .row = row, .rules = { "bw_phase=grid", "next_buddy=on" });
	tg = limited(d, NULL, 4 * MS, 100 * MS);
	*inside = sleeper(d, tg, 0);
	start(d, sleeper(d, tg, 0));
	start(d, *inside);
	at(d, 1 * MS);
	while (!runs(d, *inside)) { /* its turn comes, and it sleeps */
		d->now += MS;
		pass(d, 0);
		tick(d, 0);
	}
	block(d, 0);
	for (t = d->now - d->epoch + 4 * MS; !queue(d, tg, 0).throttled; t += 4 * MS) {
		at(d, t);
		tick(d, 0);
	}
	for (i = 0; i < 12; i++)
		start(d, sleeper(d, NULL, 0));
	return tg;
}

/* A wakee in a throttled hierarchy is nobody's buddy and asks for no reschedule; one outside is nominated. */
TEST(patch12, no_wakee_of_a_throttled_group_is_a_buddy)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_struct *inside, *outside;
		struct task_group *tg = throttled_beside_a_crowd(&d, rows[i], &inside);
		const struct sched_entity *group_se = &group_pair(tg, 0)->se;

		lab_wake(d.lab, 0, inside, NULL, 0);
		CHECK_ROW(root_queue(&d)->next == group_se, false, rows[i]);
		CHECK_ROW(group_pair(tg, 0)->cfs_rq.next != NULL, false, rows[i]);
		CHECK_ROW(lab_need_resched(d.lab, 0), false, rows[i]);
		outside = lab_curr(d.lab, 0);
		block(&d, 0);
		lab_wake(d.lab, 0, outside, NULL, 0);
		CHECK_ROW(root_queue(&d)->next == &outside->se, true, rows[i]);
		driver_fini(&d);
	}
}

/* A group's entity that somebody preferred is forgotten as the group is throttled. */
TEST(patch12, a_throttle_clears_the_buddies)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct driver d;
		struct task_group *tg;
		struct sched_entity *se;

		driver_of(&d, .row = rows[i], .rules = { "bw_phase=grid" });
		tg = limited(&d, NULL, 4 * MS, 100 * MS);
		start(&d, sleeper(&d, tg, 0));
		start(&d, sleeper(&d, NULL, 0));
		se = &group_pair(tg, 0)->se;
		while (!se->cfs_rq->curr || se->cfs_rq->curr != se) {
			d.now += 4 * MS;
			tick(&d, 0);
		}
		se->cfs_rq->next = se->cfs_rq->last = se;
		while (!queue(&d, tg, 0).throttled) {
			d.now += 4 * MS;
			tick(&d, 0);
		}
		CHECK_ROW(root_queue(&d)->next != NULL, false, rows[i]);
		CHECK_ROW(root_queue(&d)->last != NULL, false, rows[i]);
		driver_fini(&d);
	}
}

/* yield_to() refuses a thread that is throttled. */
TEST(patch12, nobody_yields_to_a_throttled_thread)
{
	struct driver d;
	struct task_struct *inside;
	struct task_group *tg = throttled_beside_a_crowd(&d, "5.10", &inside);

	lab_wake(d.lab, 0, inside, NULL, 0);
	lab_yield_to(d.lab, 0, inside);
	CHECK(!group_pair(tg, 0)->cfs_rq.next);
	CHECK(root_queue(&d)->next != &group_pair(tg, 0)->se);
	driver_fini(&d);
}

TEST_MAIN("bandwidth: patches 09, 11 and 12 of 2011")
