/* SPDX-License-Identifier: MIT */
/* test_world.c - what programs do, on a machine where every task has a CPU to itself. */
#include "tests/play_bed.h"

/* ---- loops and phases ---- */

/* Three loops of a run of 300.5 us and a sleep: then the task exits. */
TEST(world, loops)
{
	struct play *p = play("{'tasks': {'w': {'loop': 3, 'run': 300.5, 'sleep': 700}}}", SEC);

	CHECK_EQ(p->nr_done, 3);
	CHECK_LOOP(p, 0, 0, 300500);
	CHECK_LOOP(p, 2, 2 * 1000500, 2 * 1000500 + 300500);
	CHECK(p->threads[0].exited);
	CHECK_EQ(p->threads[0].exit_at, 3 * 1000500);
	CHECK_EQ(worker_loops(p->threads[0].w), 3);
	play_free(p);
}

/* Without "loop" a task goes round for ever; its phases in order, each as often as it says. */
TEST(world, phases)
{
	struct play *p = play("{'tasks': {'w': {'phases': {'a': {'loop': 2, 'run': 1000}, 'b': {'run': 5000, 'sleep': 3000}}}}}", 25 * MS);

	CHECK_EQ(p->nr_done, 8); /* aab aab aa */
	CHECK_LOOP(p, 0, 0, 1 * MS);
	CHECK_LOOP(p, 1, 1 * MS, 2 * MS);
	CHECK_LOOP(p, 2, 2 * MS, 7 * MS);
	CHECK_LOOP(p, 3, 10 * MS, 11 * MS);
	play_free(p);
}

/* A phase that holds phases loops over all of them: 2 * (2 * 1 + 3 * 0.1) + 10 = 14.6 ms. */
TEST(world, nested_phases)
{
	struct play *p = play("{'tasks': {'w': {'loop': 1, 'phases': {"
			      "'out': {'loop': 2, 'phases': {'in1': {'loop': 2, 'run': 1000}, 'in2': {'loop': 3, 'run': 100}}},"
			      "'none': {'loop': 0, 'phases': {'x': {'run': 50000}}},"
			      "'end': {'run': 10000}}}}}", SEC);

	CHECK_EQ(p->threads[0].exit_at, 14600 * US);
	CHECK_EQ(p->nr_done, 11);
	play_free(p);
}

/* Entering a phase that changes policy, CPUs or group asks for it once; the CPUs of a phase end with it. */
TEST(world, phase_changes_scheduling)
{
	struct play *p = play("{'machine': {'cpus': 2}, 'tasks': {'w': {'loop': 1, 'phases': {"
			      "'a': {'cpus': [1], 'priority': 5, 'run': 10}, 'b': {'loop': 2, 'run': 10}, 'c': {'taskgroup': '/x', 'run': 10}}}}}", SEC);
	u32 i, nr = 0;
	const struct phase *seen[4] = { NULL };

	for (i = 0; i < p->nr_asked; i++)
		if (p->asked[i].kind == WANT_SCHED && nr < 4)
			seen[nr++] = p->asked[i].phase;
	CHECK_EQ(nr, 3);
	CHECK_EQ(seen[0]->nice, 5);
	CHECK_EQ(seen[0]->cpus[0], 2);
	CHECK_EQ(seen[1]->cpus[0], 3);
	CHECK(!seen[1]->sets_sched);
	CHECK_STR(seen[2]->taskgroup, "/x");
	play_free(p);
}

/* A program that takes no time is given 1 us each 4096 steps, so that time goes on. */
TEST(world, nothing_is_free)
{
	struct play *p = play("{'tasks': {'w': {'loop': -1, 'resume': 'x'}, 'y': {'loop': -1, 'yield': ''}}}", 100 * US);

	CHECK_WITHIN(worker_loops(p->threads[0].w), 100 * 1000, 100 * 4096);
	CHECK_WITHIN(worker_loops(p->threads[1].w), 100 * 500, 100 * 4096);
	play_free(p);
}

/* ---- time ---- */

/* The first timer fires one period after the start, delay included; a late absolute one keeps the grid, a relative one moves it. */
TEST(world, timers)
{
	static const struct { const char *mode; u64 third_release, third_end; } rows[] = {
		{ "absolute", 30500 * US, 55500 * US },	/* due at 30.5, begun when the second run ended at 45.5 */
		{ "relative", 45500 * US, 55500 * US },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[300];
		struct play *p;

		snprintf(text, sizeof(text), "{'tasks': {'w': {'delay': 500, 'loop': -1, 'timer': {'ref': 'unique', 'period': 10000, 'mode': '%s'},"
			 "'run': {'values': [1000, 25000, 10000]}}}}", rows[i].mode);
		p = play(text, 60 * MS);
		CHECK_LOOP(p, 0, 10500 * US, 11500 * US);
		CHECK_LOOP(p, 1, 20500 * US, 45500 * US);
		CHECK_LOOP(p, 2, rows[i].third_release, rows[i].third_end);
		play_free(p);
	}
}

/*
 * A thread with a past that begins with its timer has waited for its start as for a release, and has its first there; what a thread does before
 * its timer is its first release.
 */
TEST(world, a_past_ends_with_a_release)
{
	struct play *p = play("{'history': true, 'tasks': {'w': {'delay': 500, 'loop': -1, 'timer': {'ref': 'unique', 'period': 10000, 'mode': 'absolute'},"
			      "'run': 1000}}}", 15 * MS);

	CHECK_LOOP(p, 0, 500 * US, 1500 * US);
	CHECK_LOOP(p, 1, 10500 * US, 11500 * US);
	play_free(p);
	p = play("{'history': true, 'tasks': {'v': {'loop': -1, 'run': 1000, 'timer': {'ref': 'unique', 'period': 10000, 'mode': 'absolute'}}}}", 25 * MS);
	CHECK_LOOP(p, 0, 0, 1 * MS);
	CHECK_LOOP(p, 1, 10 * MS, 11 * MS);
	play_free(p);
}

/* A timer that stands last releases the next loop, across phases too; the first loop is released by its first event. */
TEST(world, timer_stands_last)
{
	struct play *p = play("{'tasks': {'w': {'delay': 100, 'phases': {"
			      "'a': {'loop': 2, 'run': 1000, 'timer': {'ref': 'unique', 'period': 10000}},"
			      "'b': {'run': 7000, 'timer': {'ref': 'unique', 'period': 10000}}}}}}", 45 * MS);

	CHECK_LOOP(p, 0, 100 * US, 1100 * US);
	CHECK_LOOP(p, 1, 10100 * US, 11100 * US);
	CHECK_LOOP(p, 2, 20100 * US, 27100 * US);
	CHECK_LOOP(p, 3, 30100 * US, 31100 * US);
	play_free(p);
}

/* The last timer before the first run counts; one behind the first run does not. */
TEST(world, last_timer_before_the_run)
{
	struct play *p = play("{'tasks': {'w': {'loop': 1, 'timer1': {'ref': 'unique1', 'period': 1000}, 'timer2': {'ref': 'unique2', 'period': 5000},"
			      "'run1': 100, 'timer3': {'ref': 'unique3', 'period': 9000}, 'run2': 50}}}", SEC);

	CHECK_LOOP(p, 0, 5 * MS, 9050 * US);
	play_free(p);
}

/* A timer of one name is shared by all tasks that use it: each takes the next expiry. */
TEST(world, shared_timer)
{
	struct play *p = play("{'tasks': {'a': {'loop': -1, 'timer': {'ref': 'tick', 'period': 1000, 'mode': 'absolute'}, 'run': 10},"
			      "'b': {'loop': -1, 'timer': {'ref': 'tick', 'period': 1000}, 'run': 10}}}", 4500 * US);

	CHECK_LOOP(p, 0, 1 * MS, 1010 * US);
	CHECK_LOOP(p, 1, 2 * MS, 2010 * US);
	CHECK_STR(p->done[0].task, "a");
	CHECK_STR(p->done[1].task, "b");
	CHECK_LOOP(p, 2, 3 * MS, 3010 * US);
	play_free(p);
}

/* Without a timer the release is the first event that is no wait; a lock that belongs to a wait is part of it. */
TEST(world, release_without_a_timer)
{
	struct play *p = play("{'tasks': {'w': {'loop': 1, 'sleep': 300, 'lock': 'm', 'wait': {'ref': 'c', 'mutex': 'm'}, 'unlock': 'm', 'run': 100},"
			      "'s': {'loop': 1, 'sleep': 1000, 'signal': 'c', 'run': 5}}}", SEC);

	CHECK_STR(p->done[0].task, "s");
	CHECK_LOOP(p, 0, 1 * MS, 1005 * US);
	CHECK_LOOP(p, 1, 1 * MS, 1100 * US);
	play_free(p);
}

/* ---- arrivals ---- */

/* Arrivals come whether anyone is ready or not: the latency of a late loop counts from its arrival. */
TEST(world, open_loop)
{
	struct play *p = play("{'tasks': {'w': {'loop': -1, 'arrive': {'every': 1000}, 'run': {'values': [2500, 100, 100]}}}}", 7 * MS);

	CHECK_LOOP(p, 0, 1000 * US, 3500 * US);
	CHECK_LOOP(p, 1, 2000 * US, 3600 * US);
	CHECK_LOOP(p, 2, 3000 * US, 3700 * US);
	CHECK_LOOP(p, 3, 4000 * US, 6500 * US);
	play_free(p);
}

/* A named stream is shared: two workers take every other arrival, and with the last of a recording both exit. */
TEST(world, shared_arrivals)
{
	struct play *p = play("{'resources': {'web': {'type': 'arrivals', 'times': [1000, 1100, 1200, 5000]}},"
			      "'tasks': {'w': {'instance': 2, 'loop': -1, 'arrive': 'web', 'run': 500}}}", SEC);

	CHECK_EQ(p->nr_done, 4);
	CHECK_LOOP(p, 0, 1000 * US, 1500 * US);
	CHECK_LOOP(p, 1, 1100 * US, 1600 * US);
	CHECK_LOOP(p, 2, 1200 * US, 2000 * US);
	CHECK_LOOP(p, 3, 5000 * US, 5500 * US);
	CHECK(p->threads[0].exited);
	CHECK(p->threads[1].exited);
	CHECK_EQ(worker_loops(p->threads[0].w) + worker_loops(p->threads[1].w), 4);
	play_free(p);
}

/* An owner of time without timers gets sleeps instead, to the same moments. */
TEST(world, arrivals_without_timers)
{
	struct play *p = play_with("{'tasks': {'w': {'loop': -1, 'arrive': {'every': 1000}, 'run': 100}}}", 4 * MS, false);

	CHECK_EQ(p->nr_done, 3);
	CHECK_LOOP(p, 2, 3 * MS, 3100 * US);
	play_free(p);
}

/* A Poisson stream of 1 ms brings about 1,000 arrivals a second (four deviations: 126), other ones under another seed. */
TEST(world, poisson)
{
	struct play *p = play("{'tasks': {'w': {'loop': -1, 'arrive': {'poisson': 1000}, 'run': 0}}}", SEC);
	struct play *q = play("{'seed': 2, 'tasks': {'w': {'loop': -1, 'arrive': {'poisson': 1000}, 'run': 0}}}", SEC);
	struct play *r = play("{'tasks': {'x': {'run': {'exponential': 5}}, 'w': {'loop': -1, 'arrive': {'poisson': 1000}, 'run': 0}}}", 10 * MS);
	u32 i;

	CHECK_WITHIN(p->nr_done, 874, 1126);
	CHECK(p->done[0].release != q->done[0].release);
	for (i = 0; i < r->nr_done; i++)
		if (!strcmp(r->done[i].task, "w"))
			break;
	CHECK_EQ(r->done[i].release, p->done[0].release); /* another task moves no stream */
	play_free(p);
	play_free(q);
	play_free(r);
}

/* ---- waiting for each other ---- */

/* resume wakes all who wait and is lost where nobody does. */
TEST(world, resume)
{
	struct play *p = play("{'tasks': {'r': {'loop': 1, 'resume1': 'x', 'sleep': 1000, 'resume2': 'x'},"
			      "'w': {'instance': 2, 'delay': 500, 'loop': 1, 'suspend': 'x', 'run': 10}}}", SEC);

	CHECK_EQ(p->nr_done, 2);
	CHECK_LOOP(p, 0, 1 * MS, 1010 * US);
	CHECK_LOOP(p, 1, 1 * MS, 1010 * US);
	play_free(p);
}

/* suspend waits under the task's own name where nobody resumes what it names, as rt-app does. */
TEST(world, suspend_under_own_name)
{
	struct play *p = play("{'tasks': {'r': {'loop': 1, 'sleep': 1000, 'resume': 'w'}, 'w': {'loop': 1, 'suspend': 'nobody', 'run': 10}}}", SEC);

	CHECK_LOOP(p, 0, 1 * MS, 1010 * US);
	play_free(p);
}

/* One holds a mutex at a time, others come in order. */
TEST(world, mutex)
{
	struct play *p = play("{'tasks': {'w': {'instance': 3, 'loop': 1, 'lock': 'm', 'run': 100, 'unlock': 'm'}}}", SEC);

	CHECK_LOOP(p, 0, 0, 100 * US);
	CHECK_LOOP(p, 1, 0, 200 * US);
	CHECK_LOOP(p, 2, 0, 300 * US);
	CHECK_EQ(p->done[2].instance, 2);
	play_free(p);
}

/* A mutex is not handed over: who unlocks and locks again at once gets it, the woken one waits again. */
TEST(world, mutex_is_not_handed_over)
{
	struct play *p = play("{'tasks': {'a': {'loop': 2, 'lock': 'm', 'run': 100, 'unlock': 'm'},"
			      "'b': {'delay': 50, 'loop': 1, 'lock': 'm', 'run': 10, 'unlock': 'm'}}}", SEC);

	CHECK_STR(p->done[1].task, "a");
	CHECK_LOOP(p, 1, 100 * US, 200 * US);
	CHECK_LOOP(p, 2, 50 * US, 210 * US);
	play_free(p);
}

/* wait gives the mutex up while it waits; sync signals and waits. */
TEST(world, wait_and_sync)
{
	struct play *p = play("{'tasks': {'a': {'loop': 1, 'lock': 'm', 'wait': {'ref': 'c', 'mutex': 'm'}, 'run': 10, 'signal': 'c', 'unlock': 'm'},"
			      "'b': {'delay': 100, 'loop': 1, 'lock': 'm', 'run': 20, 'sync': {'ref': 'c', 'mutex': 'm'}, 'run2': 5, 'unlock': 'm'}}}", SEC);

	CHECK_STR(p->done[0].task, "a");
	CHECK_LOOP(p, 0, 120 * US, 130 * US);
	CHECK_LOOP(p, 1, 100 * US, 135 * US);
	play_free(p);
}

/* A barrier opens when all who name it have come, and again the next time. */
TEST(world, barrier)
{
	struct play *p = play("{'tasks': {'a': {'instance': 2, 'loop': 2, 'run': 10, 'barrier': 'x', 'run1': 1},"
			      "'b': {'loop': 2, 'run': 100, 'barrier': 'x', 'run1': 1}}}", SEC);

	CHECK_EQ(p->nr_done, 6);
	CHECK_EQ(p->done[0].end, 101 * US);
	CHECK_EQ(p->done[2].end, 101 * US);
	CHECK_EQ(p->done[5].end, 202 * US);
	play_free(p);
}

/* A semaphore counts: two posts let two pass, whoever comes when. */
TEST(world, semaphore)
{
	struct play *p = play("{'resources': {'s': {'type': 'semaphore', 'count': 1}}, 'tasks': {"
			      "'w': {'instance': 3, 'loop': 1, 'sem_wait': 's', 'run': 10}, 'p': {'loop': 2, 'sleep': 1000, 'sem_post': 's'}}}", SEC);

	CHECK_EQ(p->nr_done, 3);
	CHECK_EQ(p->done[0].end, 10 * US);
	CHECK_EQ(p->done[1].end, 1010 * US);
	CHECK_EQ(p->done[2].end, 2010 * US);
	play_free(p);
}

/* spin burns until it is resumed. */
TEST(world, spin)
{
	struct play *p = play("{'tasks': {'s': {'loop': 1, 'spin': 'x', 'run': 10}, 'r': {'loop': 1, 'sleep': 500, 'resume': 'x'}}}", SEC);

	CHECK_EQ(p->asked[0].kind, WANT_SPIN);
	CHECK_LOOP(p, 0, 500 * US, 510 * US);
	play_free(p);
}

/* ---- queues and devices ---- */

/* A pool takes items in order; latency counts from the arrival an item stems from; a full queue holds the producer. */
TEST(world, queue)
{
	struct play *p = play("{'resources': {'q': {'type': 'queue', 'capacity': 1}}, 'tasks': {"
			      "'in': {'loop': 4, 'arrive': {'every': 100}, 'put': {'ref': 'q', 'work': 1000}},"
			      "'pool': {'instance': 2, 'loop': -1, 'get': 'q'}}}", SEC);

	CHECK_EQ(p->nr_done, 4);
	CHECK_LOOP(p, 0, 100 * US, 1100 * US);
	CHECK_LOOP(p, 1, 200 * US, 1200 * US);
	CHECK_LOOP(p, 2, 300 * US, 2100 * US);
	CHECK_LOOP(p, 3, 400 * US, 2200 * US);
	CHECK_EQ(p->threads[0].exit_at, 1100 * US); /* the fourth found room when the third was taken */
	play_free(p);
}

/* An item that stems from no arrival counts from when it was put. */
TEST(world, queue_without_arrivals)
{
	struct play *p = play("{'tasks': {'in': {'loop': 1, 'run': 50, 'put': 'q', 'sleep': 10, 'put2': 'q'}, 'out': {'loop': -1, 'get': 'q', 'run': 100}}}", SEC);

	CHECK_STR(p->done[0].task, "in");
	CHECK_LOOP(p, 1, 50 * US, 150 * US);
	CHECK_LOOP(p, 2, 60 * US, 250 * US);
	play_free(p);
}

/* A device serves so many at once; the others queue. */
TEST(world, device)
{
	struct play *p = play("{'resources': {'d': {'type': 'device', 'service': 100, 'depth': 2}}, 'tasks': {"
			      "'w': {'instance': 3, 'loop': 1, 'io': 'd', 'run': 1}}}", SEC);

	CHECK_LOOP(p, 0, 0, 101 * US);
	CHECK_LOOP(p, 1, 0, 101 * US);
	CHECK_LOOP(p, 2, 0, 201 * US);
	play_free(p);
}

/* A request that is not waited for resumes a condition, or posts a semaphore that keeps it. */
TEST(world, device_in_the_background)
{
	struct play *p = play("{'tasks': {'w': {'loop': 1, 'io': {'ref': 'd', 'service': 100, 'post': 's'}, 'run': 300, 'sem_wait': 's', 'run2': 1},"
			      "'k': {'loop': 1, 'suspend': 'k', 'run': 5}, 'v': {'loop': 1, 'io': {'ref': 'd', 'resume': 'k'}}}}", SEC);

	CHECK_STR(p->done[0].task, "k");
	CHECK_LOOP(p, 0, 200 * US, 205 * US);
	CHECK_LOOP(p, 1, 0, 301 * US);
	play_free(p);
}

/* Who is told when the work of an item is done: a semaphore, a condition, another queue, whose item needs no work. */
TEST(world, item_tells)
{
	struct play *p = play("{'tasks': {'a': {'loop': 1, 'put': {'ref': 'q', 'work': 100, 'post': 's'}, 'sem_wait': 's', 'run': 1},"
			      "'b': {'loop': 1, 'put': {'ref': 'q', 'work': 100, 'resume': 'c'}, 'suspend': 'c', 'run': 1},"
			      "'c': {'loop': 1, 'put': {'ref': 'q', 'work': 100, 'put': 'r'}, 'get': 'r', 'run': 1},"
			      "'pool': {'loop': -1, 'get': 'q'}}}", SEC);

	CHECK_STR(p->done[1].task, "a");
	CHECK_EQ(p->done[1].end, 101 * US);
	CHECK_STR(p->done[3].task, "b");
	CHECK_EQ(p->done[3].end, 201 * US);
	CHECK_STR(p->done[5].task, "c");
	CHECK_EQ(p->done[5].end, 301 * US);
	CHECK_EQ(p->done[5].release, 0); /* the item of the second queue counts from the first one's */
	play_free(p);
}

#define BOUND "{'machine': {'cpus': 4}, 'resources': {'w': {'type': 'queue', 'per_cpu': true}}, 'tasks': {" \
	"'k': {'cpus_each': 'all', 'kthread': true, 'loop': -1, 'get': 'w'}, "

/* A queue per CPU: each thread gets from its own CPU what was put there, for each CPU, or for one. */
TEST(world, queue_per_cpu)
{
	struct play *p = play(BOUND "'a': {'cpus_each': [2], 'loop': 1, 'sleep': 10, 'put': {'ref': 'w', 'work': 5}},"
			      "'b': {'loop': 1, 'sleep': 20, 'put': {'ref': 'w', 'work': 7, 'cpu': 'each', 'post': 's'}, 'sem_wait1': 's', 'sem_wait2': 's',"
			      "'sem_wait3': 's', 'sem_wait4': 's', 'run': 1},"
			      "'c': {'loop': 1, 'sleep': 40, 'put': {'ref': 'w', 'work': 9, 'cpu': 3}}}}", SEC);

	CHECK_EQ(p->threads[4].exit_at, 10 * US);
	CHECK_EQ(p->done[0].instance, 2);
	CHECK_LOOP(p, 0, 10 * US, 15 * US);
	CHECK_EQ(p->done[1].end, 27 * US);
	CHECK_EQ(p->done[4].end, 27 * US);
	CHECK_STR(p->done[5].task, "b");
	CHECK_LOOP(p, 5, 20 * US, 28 * US); /* all four were at work at once */
	CHECK_EQ(p->done[6].instance, 3);
	CHECK_LOOP(p, 6, 40 * US, 49 * US);
	play_free(p);
}

/* A completion interrupts the submitter's CPU and puts its item there; while the thread is at work items are appended and nobody is woken. */
TEST(world, completion_puts)
{
	struct play *p = play(BOUND "'s': {'cpus_each': [1], 'loop': 1, 'phases': {'submit': {'loop': 3, 'io': {'ref': 'd', 'service': 50, 'depth': 0, 'irq': 2,"
			      "'put': {'ref': 'w', 'work': 4, 'post': 'done'}}, 'run': 1}, 'wait': {'loop': 3, 'sem_wait': {'ref': 'done', 'spin': true}}}}}}", SEC);

	CHECK_EQ(p->nr_moments, 3);
	CHECK_EQ(p->moments[0].cpu, 1);
	CHECK_EQ(p->moments[0].irq, 2 * US);
	CHECK_EQ(p->moments[0].when, 50 * US);
	CHECK_EQ(p->nr_woken_by_nobody, 1); /* the second and the third found the thread at work */
	CHECK_EQ(p->done[3].instance, 1);
	CHECK_LOOP(p, 3, 0, 54 * US);
	CHECK_LOOP(p, 4, 1 * US, 58 * US);
	CHECK_LOOP(p, 5, 2 * US, 62 * US);
	CHECK_EQ(p->threads[4].exit_at, 62 * US);
	play_free(p);
}

/* Who spins for a unit or an item burns CPU. */
TEST(world, spinning_waits)
{
	struct play *p = play("{'tasks': {'a': {'loop': 1, 'sem_wait': {'ref': 's', 'spin': true}}, 'b': {'loop': 1, 'get': {'ref': 'q', 'spin': true}},"
			      "'c': {'loop': 1, 'sleep': 10, 'sem_post': 's', 'put': 'q'}}}", SEC);

	CHECK_EQ(p->asked[0].kind, WANT_SPIN);
	CHECK_EQ(p->asked[1].kind, WANT_SPIN);
	CHECK_EQ(p->threads[0].exit_at, 10 * US);
	CHECK_EQ(p->threads[1].exit_at, 10 * US);
	play_free(p);
}

/* A batch takes all that is there at once: their waits end then, though they are used one by one; without it each ends when it is taken. */
TEST(world, batches)
{
	static const struct { const char *get; u64 to[4]; } rows[] = {
		{ "'q'", { 100 * US, 110 * US, 120 * US, 130 * US } },
		{ "{'ref': 'q', 'batch': true}", { 100 * US, 100 * US, 100 * US, 130 * US } },
	};
	char text[512];
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct play *p;

		snprintf(text, sizeof(text), "{'resources': {'q': {'type': 'queue', 'measured': true}}, 'tasks': {"
			 "'in': {'phases': {'a': {'loop': 3, 'put': 'q', 'sleep': 10}, 'b': {'sleep': 80, 'put': 'q'}}, 'loop': 1},"
			 "'out': {'loop': -1, 'delay': 100, 'get': %s, 'run': 10}}}", rows[i].get);
		p = play(text, SEC);
		CHECK_EQ(p->nr_spans, 4);
		for (k = 0; k < 4; k++)
			CHECK_EQ(p->spans[k].to, rows[i].to[k]);
		CHECK_EQ(p->spans[1].from, 10 * US);
		CHECK_EQ(p->spans[3].from, 110 * US);
		play_free(p);
	}
}

/* A device with fewer queues than CPUs deals its interrupts; strays hit any CPU. */
TEST(world, interrupted_cpus)
{
	struct play *p = play("{'machine': {'cpus': 8}, 'resources': {'d': {'type': 'device', 'service': 5, 'irq_cpus': [6, 1]}}, 'tasks': {"
			      "'w': {'cpus_each': 'all', 'loop': 1, 'io': 'd'}}}", SEC);
	u32 i, hit[8] = { 0 };

	for (i = 0; i < 8; i++)
		CHECK_EQ(p->moments[i].cpu, i < 4 ? 6 : 1);
	CHECK_EQ(p->moments[0].irq, NEVER);
	play_free(p);
	p = play("{'machine': {'cpus': 8}, 'resources': {'d': {'type': 'device', 'service': 5, 'stray': 0.5}}, 'tasks': {"
		 "'w': {'cpus_each': [3], 'loop': 4000, 'io': 'd'}}}", SEC);
	CHECK_EQ(p->nr_moments, 4000);
	for (i = 0; i < 4000; i++)
		hit[p->moments[i].cpu]++;
	for (i = 0; i < 8; i++) /* a sixteenth each, and the rest on CPU 3; 4 standard deviations */
		CHECK(i == 3 ? hit[i] > 2250 - 127 && hit[i] < 2250 + 127 : hit[i] > 250 - 62 && hit[i] < 250 + 62);
	play_free(p);
}

/* Interrupts that wait for more to be done: one for all that is done within 100 us of the first, and only the first of them costs. */
TEST(world, coalesced_interrupts)
{
	struct play *p = play("{'machine': {'cpus': 2}, 'resources': {'d': {'type': 'device', 'service': 30, 'irq': 2, 'coalesce': 100}}, 'tasks': {"
			      "'w': {'loop': 6, 'io': {'ref': 'd', 'post': 's'}}}}", SEC);
	static const u64 when[] = { 130, 130, 130, 130, 250, 250 };
	u32 i;

	for (i = 0; i < 6; i++) {
		CHECK_EQ(p->moments[i].when, when[i] * US);
		CHECK_EQ(p->moments[i].irq, i % 4 ? 0 : 2 * US);
	}
	play_free(p);
}

/* What lies between begin and end is measured, each thread for itself; an end alone is nothing. */
TEST(world, spans)
{
	struct play *p = play("{'tasks': {'w': {'instance': 2, 'loop': 1, 'end': 'x', 'run': 10, 'begin': 'x', 'run1': 20, 'end1': 'x', 'end2': 'x'}}}", SEC);

	CHECK_EQ(p->nr_spans, 2);
	CHECK_EQ(p->spans[0].from, 10 * US);
	CHECK_EQ(p->spans[0].to, 30 * US);
	play_free(p);
}

/* ---- other tasks ---- */

/* fork starts one more of a task; join waits until all of it have exited. */
TEST(world, fork_and_join)
{
	struct play *p = play("{'tasks': {'w': {'instance': 0, 'loop': 1, 'run': 1000}, 'm': {'loop': 1, 'fork': 'w', 'fork2': 'w', 'run': 10, 'join': 'w', 'run2': 1}}}", SEC);

	CHECK_EQ(p->nr, 3);
	CHECK_EQ(p->done[2].end, 1001 * US);
	CHECK_STR(p->done[2].task, "m");
	CHECK_EQ(p->nr_waits, 1); /* one call, however long it takes */
	play_free(p);
}

/* A raised flag ends its task at the start of its next loop. */
TEST(world, until)
{
	struct play *p = play("{'tasks': {'w': {'until': 'stop', 'loop': -1, 'run': 300}, 'm': {'loop': 1, 'sleep': 1000, 'set': 'stop'}}}", SEC);

	CHECK_EQ(p->nr_done, 4);
	CHECK_EQ(p->threads[0].exit_at, 1200 * US);
	play_free(p);
}

/* exit ends the task in the middle of a loop; the loop counts if it ran. */
TEST(world, exit)
{
	struct play *p = play("{'tasks': {'w': {'loop': -1, 'run': 10, 'exit': '', 'run2': 10}}}", SEC);

	CHECK_EQ(p->nr_done, 1);
	CHECK_LOOP(p, 0, 0, 10 * US);
	CHECK_EQ(p->threads[0].exit_at, 10 * US);
	play_free(p);
}

/* request moves the start of what is measured. */
TEST(world, request)
{
	struct play *p = play("{'tasks': {'w': {'loop': 1, 'run': 10, 'request': '', 'run2': 20}}}", SEC);

	CHECK_LOOP(p, 0, 10 * US, 30 * US);
	play_free(p);
}

/* A system call says whether it offers to reschedule. */
TEST(world, sys)
{
	struct play *p = play("{'tasks': {'w': {'loop': 1, 'sys': 10, 'sys2': {'us': 20, 'resched': true}}}}", SEC);

	CHECK_EQ(p->asked[0].kind, WANT_SYS);
	CHECK(!p->asked[0].resched_point);
	CHECK_EQ(p->asked[1].ns, 20 * US);
	CHECK(p->asked[1].resched_point);
	play_free(p);
}

/* ---- what goes wrong ---- */

/* A deadlock is told: who waits for what, held by whom. */
TEST(world, deadlock)
{
	struct play *p = play("{'tasks': {'a': {'loop': 1, 'lock': 'x', 'run': 10, 'lock2': 'y'}, 'b': {'loop': 1, 'lock': 'y', 'run': 10, 'lock2': 'x'},"
			      "'c': {'loop': 1, 'join': 'a'}, 'd': {'loop': 1, 'suspend': ''}}}", SEC);
	char buf[512];
	u64 since;

	CHECK(world_deadlock(p->wd, &since, buf, sizeof(buf)));
	CHECK_EQ(since, 10 * US);
	CHECK_STR(buf, "a-0 waits for mutex y, held by b-0; b-0 waits for mutex x, held by a-0; "
		       "c-0 waits for every a to exit; d-0 waits for condition d");
	CHECK(world_deadlock(p->wd, &since, buf, 10));
	CHECK_EQ(strlen(buf), 9);
	play_free(p);
	p = play("{'tasks': {'a': {'loop': 1, 'run': 10}}}", SEC);
	CHECK(!world_deadlock(p->wd, &since, buf, sizeof(buf)));
	play_free(p);
}

/* A circle of mutexes is found when it closes, whatever others go on doing, and names only who is in it. */
TEST(world, circle)
{
	static const struct { const char *tasks, *who; u64 since; } rows[] = {
		{ "'a': {'lock': 'x', 'run': 10, 'lock2': 'y'}, 'b': {'lock': 'y', 'run': 20, 'lock2': 'x'}, 'hog': {'loop': -1, 'run': 100}",
		  "b-0 waits for mutex x, held by a-0; a-0 waits for mutex y, held by b-0", 20 * US },
		{ "'a': {'lock': 'x', 'run': 5, 'lock2': 'x'}", "a-0 waits for mutex x, held by a-0", 5 * US },
		{ "'a': {'lock': 'x', 'run': 30, 'lock2': 'y'}, 'b': {'lock': 'y', 'run': 20, 'lock2': 'z'}, 'c': {'lock': 'z', 'run': 10, 'lock2': 'x'},"
		  "'d': {'run': 40, 'lock': 'x'}",
		  "a-0 waits for mutex y, held by b-0; b-0 waits for mutex z, held by c-0; c-0 waits for mutex x, held by a-0", 30 * US },
	};
	static const char *const none[] = {
		"'a': {'lock': 'x', 'run': 10, 'lock2': 'y', 'unlock2': 'y', 'unlock': 'x'}, 'b': {'loop': 3, 'lock': 'x', 'run': 10, 'unlock': 'x'}",
		/* a third one opens it from outside */
		("'a': {'loop': 1, 'lock': 'x', 'run': 10, 'lock2': 'y'}, 'b': {'loop': 1, 'lock': 'y', 'run': 20, 'lock2': 'x'},"
		 "'c': {'loop': 1, 'run': 50, 'unlock': 'x'}"),
		/* in a condition's wait the mutex is given up */
		"'a': {'loop': 1, 'lock': 'x', 'wait': {'ref': 'c', 'mutex': 'x'}, 'unlock': 'x'}, 'b': {'loop': 1, 'run': 5, 'lock': 'x', 'run2': 5}",
	};
	char buf[512], text[600];
	u64 since;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct play *p;

		snprintf(text, sizeof(text), "{'tasks': {%s}}", rows[i].tasks);
		p = play(text, 5 * MS);
		CHECK_ROW(world_circle(p->wd, &since, buf, sizeof(buf)), true, rows[i].tasks);
		CHECK_STR(buf, rows[i].who);
		CHECK_ROW(since, rows[i].since, rows[i].tasks);
		play_free(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		struct play *p;

		snprintf(text, sizeof(text), "{'tasks': {%s}}", none[i]);
		p = play(text, 5 * MS);
		CHECK_ROW(world_circle(p->wd, &since, buf, sizeof(buf)), false, none[i]);
		play_free(p);
	}
}

/* A worker that is asked though nobody woke it gets the same answer. */
TEST(world, asked_too_early)
{
	struct play *p = play("{'tasks': {'w': {'loop': 1, 'suspend': '', 'run': 10}}}", SEC);

	CHECK_EQ(worker_next(p->wd, p->threads[0].w, SEC).kind, WANT_WAIT);
	CHECK_EQ(worker_next(p->wd, p->threads[0].w, SEC).kind, WANT_WAIT);
	play_free(p);
}

TEST_MAIN("world")
