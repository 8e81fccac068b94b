/* SPDX-License-Identifier: MIT */
/* The real owner of time: the same scheduler, rows and programs, and real work.  See rt_bed.h for what a busy host leaves to judge. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "rt/rt.h"
#include "tests/rt_bed.h"
#include "tests/test.h"

/* ---- limits ---- */

/* One run; true where it was throttled and got some work done, which a host that keeps the CPU for most of 0.2 s does not allow. */
static bool limit_was_met(const char *row)
{
	struct scenario sc;
	struct result *res;
	bool met;

	read_text(&sc, "{ 'machine': { 'cpus': 1 }, 'kernel': '5.10', 'groups': { '/a': { 'cpu.max': '5000 20000' }, '/b': { 'cpu.max': "
		       "'8000 20000' } }, 'global': { 'duration': 0.2 }, 'tasks': { 'a': { 'taskgroup': '/a', 'loop': -1, 'run': 700 }, "
		       "'b': { 'taskgroup': '/b', 'loop': -1, 'run': 1300, 'sleep': 200 } } }");
	sc.kernel.row = row;
	res = play(&sc);
	check_bound(res, row);
	met = res->groups[0].stat.nr_throttled > 0 && task_in(res, "a")->sum.loops > 0;
	result_free(res);
	scenario_free(&sc);
	return met;
}

/* A limit holds under every way of throttling: by group, at the return to user mode, in the charge; and with every bound on the slice. */
TEST(rt, limits_hold_in_every_row)
{
	static const char *const rows[] = { "3.2", "4.14", "5.4", "5.10", "5.15", "6.6", "6.12", "6.18", "7.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bool met = false;
		int tries;

		for (tries = 0; !met && tries < 10; tries++)
			met = limit_was_met(rows[i]);
		CHECK(met);
	}
}

/* A run covers [0, duration): of ten periods nine begin inside after the first, as in a simulation, and the records of all ten add up. */
TEST(rt, periods_are_those_of_a_simulation)
{
	struct scenario sc;
	struct result *live, *model;
	u64 charged = 0;
	u32 i;

	read_text(&sc, "{ 'machine': { 'cpus': 1 }, 'groups': { '/g': { 'cpu.max': '10000 50000' } }, 'global': { 'duration': 0.5 }, "
		       "'tasks': { 'hog': { 'taskgroup': '/g', 'loop': -1, 'run': 1000 } } }");
	live = play(&sc);
	model = simulate(&sc);
	CHECK_EQ(live->groups[0].stat.nr_periods, model->groups[0].stat.nr_periods);
	CHECK_EQ(live->groups[0].wall_periods, 10);
	CHECK_EQ(live->groups[0].nr_periods, 10);
	for (i = 0; i < live->groups[0].nr_periods; i++)
		charged += live->groups[0].periods[i].charged;
	CHECK_EQ(charged, live->groups[0].stat.ledger.charged);
	CHECK_EQ(model->groups[0].nr_periods, 10);
	for (i = 0; i < 10; i++) { /* a busy thread of each period either runs or is stopped, also in the one that the run ends in */
		const struct period_record *p = &model->groups[0].periods[i];

		CHECK_EQ(p->start, i * 50 * MS);
		CHECK_WITHIN(p->charged + p->throttled, 50 * MS - 100 * US, 50 * MS + 1);
	}
	result_free(live);
	result_free(model);
	scenario_free(&sc);
}

/* ---- programs ---- */

/*
 * Programs that end do the same in real time as in a simulation: as many threads and loops, and the work that was asked for.  Nothing in
 * them depends on who is faster.
 */
static const struct { const char *name, *text; } programs[] = {
	{ "mutex", "{ 'machine': { 'cpus': 2 }, 'global': { 'duration': -1 }, 'tasks': { 'w': { 'instance': 3, 'loop': 20, 'lock': 'm', "
		   "'run': 200, 'unlock': 'm' } } }" },
	{ "condition", "{ 'machine': { 'cpus': 2 }, 'global': { 'duration': -1 }, 'tasks': { 'a': { 'loop': 1, 'phases': { 'p': { 'loop': 15, 'lock': "
		       "'m', 'wait': { 'ref': 'c', 'mutex': 'm' }, 'unlock': 'm', 'run': 100 }, 'q': { 'set': 'over' } } }, 'any': { 'loop': -1, 'until': "
		       "'over', 'sleep': 2000, 'signal': 'c' } } }" },
	{ "queue", "{ 'machine': { 'cpus': 2 }, 'global': { 'duration': -1 }, 'tasks': { 'put': { 'loop': 40, 'run': 50, 'put': { 'ref': 'q', "
		   "'work': 150 } }, 'get': { 'loop': 40, 'get': 'q' } } }" },
	{ "semaphore", "{ 'machine': { 'cpus': 1 }, 'global': { 'duration': -1 }, 'tasks': { 'a': { 'loop': 30, 'sem_wait': 's', 'run': 20 }, "
		       "'b': { 'loop': 30, 'run': 30, 'sem_post': 's' } } }" },
	{ "spin", "{ 'machine': { 'cpus': 2 }, 'global': { 'duration': -1 }, 'tasks': { 'a': { 'cpus': [0], 'loop': 1, 'phases': { 'p': { 'loop': 5, "
		  "'run': 100, 'spin': 'c' }, 'q': { 'set': 'over' } } }, 'any': { 'cpus': [1], 'loop': -1, 'until': 'over', 'sleep': 3000, 'resume': "
		  "'c' } } }" },
	{ "fork", "{ 'machine': { 'cpus': 2 }, 'global': { 'duration': -1 }, 'tasks': { 'main': { 'loop': 1, 'fork0': 'w', 'fork1': 'w', 'run': 100, "
		  "'join': 'w' }, 'w': { 'instance': 0, 'loop': 5, 'run': 400, 'yield': '' } } }" },
	{ "calls", "{ 'machine': { 'cpus': 1 }, 'global': { 'duration': -1 }, 'tasks': { 'a': { 'loop': 10, 'sys': 300, 'run': 100 }, 'b': { 'loop': 10, "
		   "'sys': { 'us': 300, 'resched': true }, 'sleep': 500 }, 'clock': { 'loop': 3, 'runtime': 2000 } } }" },
	{ "timer", "{ 'machine': { 'cpus': 1 }, 'global': { 'duration': -1 }, 'tasks': { 'w': { 'loop': 20, 'run': 200, 'timer': { 'ref': 'unique', "
		   "'period': 5000, 'mode': 'absolute' } } } }" },
	{ "io", "{ 'machine': { 'cpus': 1 }, 'global': { 'duration': -1 }, 'tasks': { 'w': { 'loop': 20, 'run': 100, 'io': { 'ref': 'disk', 'service': "
		"1000, 'depth': 1 } } } }" },
	{ "phases", "{ 'machine': { 'cpus': 2 }, 'groups': { '/a': { 'cpu.max': '5000 10000' }, '/b': { 'cpu.weight': '200' } }, 'global': { 'duration': -1 "
		    "}, 'tasks': { 'w': { 'loop': 3, 'phases': { 'p': { 'taskgroup': '/a', 'cpus': [0], 'loop': 5, 'run': 900 }, 'q': { 'taskgroup': "
		    "'/b', 'cpus': [1], 'priority': 5, 'loop': 5, 'run': 300, 'sleep': 100 } } } } }" },
};

/* CPU time cannot fall short of what was asked; of a run a piece more may be done, when the host is faster than it was measured. */
static void check_work(const struct task_result *live, const struct task_result *model, const char *row)
{
	u64 asked = model->sum.work;

	if (live->sum.work < asked)
		fail_msg("%s: %s did %" PRIu64 " ns of work, but %" PRIu64 " were asked for", row, live->name, live->sum.work, asked);
}

TEST(rt, programs_do_what_they_do_in_a_simulation)
{
	size_t i;
	u32 k;

	need_cpus(2);
	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		struct scenario sc;
		struct result *live, *model;

		read_text(&sc, programs[i].text);
		live = play(&sc);
		model = simulate(&sc);
		for (k = 0; k < live->nr_tasks; k++) {
			CHECK_ROW(live->tasks[k].count, model->tasks[k].count, programs[i].name);
			if (!strcmp(live->tasks[k].name, "any")) /* it goes on for as long as it takes */
				continue;
			CHECK_ROW(live->tasks[k].sum.loops, model->tasks[k].sum.loops, programs[i].name);
			if (strcmp(programs[i].name, "spin") && strcmp(live->tasks[k].name, "clock"))
				check_work(&live->tasks[k], &model->tasks[k], programs[i].name);
		}
		CHECK_ROW(live->events[EVENT_SCHED_PROCESS_EXIT], model->events[EVENT_SCHED_PROCESS_EXIT], programs[i].name);
		result_free(live);
		result_free(model);
		scenario_free(&sc);
	}
}

/* What is to happen at a moment happens then: writes with their errors, moves, affinity, a CPU that goes and comes. */
TEST(rt, events_come_at_their_time)
{
	struct scenario sc;
	struct result *res;

	need_cpus(2);
	read_text(&sc, "{ 'machine': { 'cpus': 2 }, 'groups': { '/a': { 'cpu.max': 'max 20000' }, '/b': {} }, 'global': { 'duration': 0.2 }, 'tasks': { "
		       "'w': { 'taskgroup': '/a', 'cpus': [0], 'loop': -1, 'run': 500 }, 'v': { 'loop': -1, 'run': 300, 'sleep': 700 } }, 'at': [ "
		       "{ 't': 40000, 'write': { '/a/cpu.max': '5000 20000' } }, { 't': 50000, 'write': { '/a/cpu.max': '1 1' }, 'expect': 'EINVAL' }, "
		       "{ 't': 100000, 'move': { 'task': 'w', 'to': '/b' } }, { 't': 120000, 'affinity': { 'task': 'w', 'cpus': [1] } }, "
		       "{ 't': 140000, 'cpu': 0, 'online': false }, { 't': 160000, 'cpu': 0, 'online': true } ] }");
	res = play(&sc);
	CHECK_EQ(res->nr_writes, 3);
	CHECK_WITHIN(res->writes[1].t, 40 * MS, 199 * MS);
	CHECK_EQ(res->writes[2].err, EINVAL);
	CHECK(res->groups[0].stat.nr_throttled > 0);
	CHECK(res->groups[1].stat.usage > 0);
	CHECK_EQ(task_in(res, "w")->threads[0].cpu, 1);
	result_free(res);
	scenario_free(&sc);
}

/* Figures of a window are differences, and with a history the clock begins before the scenario does. */
TEST(rt, the_window_counts_what_is_inside)
{
	struct scenario sc;
	struct result *res;

	read_text(&sc, "{ 'machine': { 'cpus': 1 }, 'groups': { '/g': {} }, 'history': true, 'measure': { 'from': 100000, 'to': 200000 }, "
		       "'global': { 'duration': 5 }, 'tasks': { 'w': { 'taskgroup': '/g', 'loop': -1, 'run': 100 } } }");
	res = play(&sc);
	CHECK_EQ(res->start, 100 * MS);
	CHECK_EQ(res->end, 200 * MS);
	CHECK_WITHIN(res->groups[0].stat.usage, 1, 104 * MS + 2 * res->notes.longest_late);
	CHECK_WITHIN(task_in(res, "w")->sum.work, 1, 104 * MS + 2 * res->notes.longest_late);
	CHECK_WITHIN(res->notes.elapsed, 1700 * MS, 60 * SEC);
	result_free(res);
	scenario_free(&sc);
}

/* ---- nobody left to wake anybody ---- */

static const char deadlock[] = "{ 'machine': { 'cpus': 1 }, 'global': { 'duration': 30 }, 'tasks': { 'a': { 'loop': 1, 'lock0': 'm', 'sleep': 1000, "
			       "'lock1': 'n' }, 'b': { 'loop': 1, 'lock0': 'n', 'sleep': 1000, 'lock1': 'm' } } }";

/* Threads that wait for each other are named at once, not after the scenario's half minute. */
TEST(rt, a_deadlock_is_said)
{
	struct scenario sc;
	struct err err = { 0 };

	read_text(&sc, deadlock);
	CHECK(!play_err(&sc, &err));
	CHECK_EQ(err.code, ERR_INPUT);
	CHECK(strstr(err.message, "a-0 waits for mutex n, held by b-0"));
	scenario_free(&sc);
}

/* Somebody waits for good, and the only other one is throttled: that is none. */
TEST(rt, a_throttled_task_is_no_deadlock)
{
	struct scenario sc;
	struct result *res;

	read_text(&sc, "{ 'machine': { 'cpus': 1 }, 'groups': { '/g': { 'cpu.max': '1000 20000' } }, 'global': { 'duration': 0.15 }, 'tasks': { 'hog': { "
		       "'taskgroup': '/g', 'loop': -1, 'run': 10000 }, 'w': { 'loop': -1, 'suspend': 'c', 'run': 10 } } }");
	res = play(&sc);
	CHECK(res->groups[0].stat.nr_throttled > 0);
	result_free(res);
	sc.duration = 200 * SEC;
	res = simulate(&sc);
	CHECK_EQ(res->groups[0].stat.nr_throttled, 9999);
	result_free(res);
	scenario_free(&sc);
}

/* A machine that is not there is refused, with its size. */
TEST(rt, too_many_cpus_are_refused)
{
	struct scenario sc;
	struct err err = { 0 };

	read_text(&sc, "{ 'machine': { 'cpus': 1024 }, 'tasks': { 'w': { 'run': 1 } } }");
	if (rt_host_cpus() < 1024) {
		CHECK(!play_err(&sc, &err));
		CHECK_EQ(err.code, ERR_INPUT);
		CHECK(strstr(err.message, "1024 CPUs"));
	}
	scenario_free(&sc);
}

/* ---- functions as tasks ---- */

static struct rt *create(int cpus)
{
	struct rt_config cfg = { .cpus = cpus, .check_laws = true };
	struct err err = { 0 };
	struct rt *rt = rt_create(&cfg, &err);

	if (!rt)
		fail_with_err(&err);
	return rt;
}

static void run(struct rt *rt, u64 ns)
{
	struct err err = { 0 };

	if (rt_run(rt, ns, &err))
		fail_with_err(&err);
}

static void nap(u64 ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / SEC), .tv_nsec = (long)(ns % SEC) };

	nanosleep(&ts, NULL);
}

struct counter {
	volatile u64 turns; /* volatile: the loop shall not be shortened */
	u64 pieces, most;   /* pieces after which it exits, 0: never */
	struct rt_then then;
};

static struct rt_then count_on(void *arg, u64 ns)
{
	struct counter *c = arg;
	u64 i;

	for (i = 0; i < ns / 4; i++)
		c->turns++;
	if (++c->pieces == c->most)
		return rt_exit();
	return c->then;
}

/* Two tenants share one CPU as their limits say, and neither can take more. */
TEST(rt, tenants_get_their_limits)
{
	struct rt *rt = create(1);
	struct counter a = { 0 }, b = { 0 };
	struct group_stat st;
	struct live_notes notes;

	CHECK_EQ(rt_group(rt, "/a"), 0);
	CHECK_EQ(rt_group(rt, "/b"), 0);
	CHECK_EQ(rt_write(rt, "/a", "cpu.max", "5000 20000", NULL), 0);
	CHECK_EQ(rt_write(rt, "/b", "cpu.max", "15000 20000", NULL), 0);
	CHECK(rt_spawn(rt, &(struct rt_spec){ .group = "/a" }, count_on, &a));
	CHECK(rt_spawn(rt, &(struct rt_spec){ .group = "/b" }, count_on, &b));
	run(rt, 400 * MS);
	rt_notes(rt, &notes);
	CHECK_EQ(rt_stat(rt, "/a", &st), 0);
	CHECK_WITHIN(st.usage, 90 * MS - notes.longest_late, 104 * MS + notes.longest_late);
	CHECK(st.nr_throttled > 0);
	CHECK_EQ(rt_stat(rt, "/b", &st), 0);
	CHECK_WITHIN(st.usage, 270 * MS - 2 * notes.longest_late, 304 * MS + notes.longest_late);
	CHECK(a.turns > 0 && b.turns > 0);
	rt_destroy(rt);
}

/* Where a task's pieces ran: the host's CPU, as seen from inside. */
struct seen {
	int cpu, pieces;
	bool moved;
};

static struct rt_then look_around(void *arg, u64 ns)
{
	struct seen *seen = arg;
	int cpu = sched_getcpu();

	(void)ns;
	seen->moved |= seen->pieces++ && cpu != seen->cpu;
	seen->cpu = cpu;
	return seen->pieces == 20 ? rt_exit() : (struct rt_then){ .what = RT_SLEEP, .ns = 1 * MS };
}

/* Bound threads stay on the CPUs that this process may use, lab CPU i on the i-th; more than there are cannot be bound. */
TEST(rt, threads_can_be_bound)
{
	struct rt_config cfg = { .bind = true, .check_laws = true };
	struct err err = { 0 };
	struct rt *rt = rt_create(&cfg, &err);
	struct seen seen[16] = { { 0 } };
	int cpus = rt_host_cpus() < 16 ? rt_host_cpus() : 16, cpu, host;
	cpu_set_t set;

	CHECK(rt != NULL);
	for (cpu = 0; cpu < cpus; cpu++) {
		const u64 mask = (u64)1 << cpu;

		CHECK(rt_spawn(rt, &(struct rt_spec){ .cpus = rt_host_cpus() <= 64 ? &mask : NULL }, look_around, &seen[cpu]));
	}
	run(rt, 100 * MS);
	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	for (cpu = 0, host = 0; cpu < cpus && rt_host_cpus() <= 64; cpu++, host++) {
		while (!CPU_ISSET(host, &set))
			host++;
		CHECK(seen[cpu].pieces > 0 && !seen[cpu].moved);
		CHECK_EQ(seen[cpu].cpu, host);
	}
	rt_destroy(rt);
	cfg.cpus = rt_host_cpus() + 1;
	CHECK(!rt_create(&cfg, &err));
	CHECK(strstr(err.message, "cannot be bound"));
}

/* Between two runs time stands still, and the second goes on where the first stopped. */
TEST(rt, time_stands_still_between_runs)
{
	struct rt *rt = create(1);
	struct counter c = { 0 };
	struct live_notes notes;
	u64 first, pieces;

	CHECK(rt_spawn(rt, &(struct rt_spec){ 0 }, count_on, &c));
	run(rt, 30 * MS);
	first = rt_now(rt);
	pieces = c.pieces;
	CHECK(first >= 30 * MS);
	nap(20 * MS);
	CHECK_EQ(rt_now(rt), first);
	CHECK_EQ(c.pieces, pieces);
	run(rt, 30 * MS);
	CHECK(rt_now(rt) >= first + 30 * MS);
	CHECK(c.pieces > pieces);
	rt_notes(rt, &notes);
	CHECK_EQ(notes.elapsed, rt_now(rt));
	rt_destroy(rt);
}

/* With no end given a run lasts until every task has exited; tasks may begin again after that. */
TEST(rt, a_run_may_end_with_its_tasks)
{
	struct rt *rt = create(2);
	struct counter c[8];
	size_t i, round;

	for (round = 0; round < 2; round++) {
		memset(c, 0, sizeof(c));
		for (i = 0; i < ARRAY_SIZE(c); i++) {
			c[i].most = 20 + i;
			CHECK(rt_spawn(rt, &(struct rt_spec){ .nice = (int)i }, count_on, &c[i]));
		}
		run(rt, NEVER);
		for (i = 0; i < ARRAY_SIZE(c); i++)
			CHECK_EQ(c[i].pieces, 20 + i);
	}
	run(rt, NEVER); /* nobody is there */
	rt_destroy(rt);
}

/* A task that sleeps is called again after its time, not before. */
TEST(rt, sleep_lasts_as_long_as_it_says)
{
	struct rt *rt = create(1);
	struct counter c = { .most = 6, .then = rt_sleep(10 * MS) };

	CHECK(rt_spawn(rt, &(struct rt_spec){ 0 }, count_on, &c));
	run(rt, NEVER);
	CHECK_EQ(c.pieces, 6);
	CHECK(rt_now(rt) >= 50 * MS);
	rt_destroy(rt);
}

struct ping {
	struct rt *rt;
	struct rt_task **other;
	bool second; /* waits for the first ping, and gives the last pong */
	u64 calls, most;
};

/* Wake the other one, then wait for it. */
static struct rt_then ping(void *arg, u64 ns)
{
	struct ping *p = arg;
	u64 call = p->calls++;

	(void)ns;
	if (p->second && !call)
		return rt_wait();
	if (!p->second && call == p->most)
		return rt_exit();
	rt_wake(p->rt, *p->other);
	return p->second && call == p->most ? rt_exit() : rt_wait();
}

/* Two tasks that wake each other in turn lose no wakeup, on one CPU and on two. */
TEST(rt, no_wakeup_is_lost)
{
	int cpus;

	for (cpus = 1; cpus <= 2; cpus++) {
		struct rt *rt = create(cpus);
		struct rt_task *task[2];
		struct ping p[2] = { { rt, &task[1], false, 0, 300 }, { rt, &task[0], true, 0, 300 } };

		task[0] = rt_spawn(rt, &(struct rt_spec){ 0 }, ping, &p[0]);
		task[1] = rt_spawn(rt, &(struct rt_spec){ 0 }, ping, &p[1]);
		CHECK(task[0] && task[1]);
		run(rt, NEVER);
		CHECK_EQ(p[0].calls, 301);
		CHECK_EQ(p[1].calls, 301);
		rt_destroy(rt);
	}
}

struct outsider {
	struct rt *rt;
	struct rt_task *t;
	int errors;
};

/* Another thread of the process: reads, writes limits and wakes while it runs; its first look may come before that begins. */
static void *meddle(void *arg)
{
	struct outsider *o = arg;
	struct group_stat st;
	u64 now, before = 0;
	int i;

	for (i = 0; i < 40; i++) {
		o->errors += rt_write(o->rt, "/g", "cpu.max", i % 2 ? "2000 10000" : "max 10000", NULL) != 0;
		o->errors += rt_stat(o->rt, "/g", &st) != 0;
		now = rt_now(o->rt);
		o->errors += now < before;
		before = now;
		rt_wake(o->rt, o->t);
		nap(2 * MS);
	}
	return NULL;
}

TEST(rt, other_threads_may_meddle_while_it_runs)
{
	struct rt *rt = create(2);
	struct counter hog = { 0 }, waiter = { .then = rt_wait() };
	struct outsider o = { .rt = rt };
	struct group_stat st;
	pthread_t thread;

	CHECK_EQ(rt_group(rt, "/g"), 0);
	CHECK(rt_spawn(rt, &(struct rt_spec){ .group = "/g" }, count_on, &hog));
	o.t = rt_spawn(rt, &(struct rt_spec){ .group = "/g" }, count_on, &waiter);
	CHECK(o.t);
	CHECK_EQ(pthread_create(&thread, NULL, meddle, &o), 0);
	run(rt, 150 * MS);
	pthread_join(thread, NULL);
	CHECK_EQ(o.errors, 0);
	CHECK(rt_now(rt) > 0);
	CHECK(waiter.pieces > 1);
	CHECK_EQ(rt_stat(rt, "/g", &st), 0);
	CHECK_EQ((s64)st.ledger.granted + st.ledger.created, (s64)(st.ledger.pool + st.ledger.charged + st.ledger.lost) + st.ledger.held);
	rt_destroy(rt);
}

/* What is refused is refused with an error, and the kernel's reason where it has one. */
TEST(rt, bad_requests_are_refused)
{
	struct rt *rt = create(0);
	struct err err = { 0 };
	struct group_stat st;
	const char *why;

	CHECK_EQ(rt_group(rt, "a"), -EINVAL);
	CHECK_EQ(rt_group(rt, "/"), -EINVAL);
	CHECK_EQ(rt_group(rt, "/a/b"), 0);
	CHECK_EQ(rt_group(rt, "/a"), -EEXIST);
	CHECK_EQ(rt_write(rt, "/a", "cpu.max", "1 100000", &why), -EINVAL);
	CHECK(why);
	CHECK_EQ(rt_write(rt, "/c", "cpu.max", "max", &why), -ENOENT);
	CHECK_EQ(rt_stat(rt, "/c", &st), -ENOENT);
	CHECK(!rt_spawn(rt, &(struct rt_spec){ .group = "/c" }, count_on, NULL));
	rt_destroy(rt);
	CHECK(!rt_create(&(struct rt_config){ .row = "9.99" }, &err));
	CHECK_EQ(err.code, ERR_INPUT);
	memset(&err, 0, sizeof(err));
	CHECK(!rt_create(&(struct rt_config){ .cpus = LAB_MAX_CPUS + 1 }, &err));
	CHECK_EQ(err.code, ERR_INPUT);
}

TEST_MAIN("rt")
