/* SPDX-License-Identifier: MIT */
/*
 * cost.c - what an event costs.
 *
 *	round	A writes a byte, sleeps | switch | B reads it, writes one, sleeps | switch		2 wakeups, 2 switches, some charges
 *
 * CPU time counts and not the clock, so that others on the machine matter little; the least of several tries is taken, off and on in turn.
 * How many events a round makes is counted by the kernel's buffer: how often a thread is charged is the kernel's affair.
 */
#define _GNU_SOURCE
#include "record/cost.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 1000
#define TRIES 5
#define SMALL 1024

struct partner {
	int here, there;
	bool failed;
};

/* Wait for a byte, send one, @rounds times. */
static void *answer(void *partner)
{
	struct partner *p = partner;
	u64 n = 1;

	for (int i = 0; i < ROUNDS && !p->failed; i++)
		p->failed = read(p->here, &n, sizeof(n)) != sizeof(n) || write(p->there, &n, sizeof(n)) != sizeof(n);
	return NULL;
}

static u64 cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

/* CPU time of all rounds, or 0. */
static u64 play(void)
{
	int a = eventfd(0, EFD_CLOEXEC), b = eventfd(0, EFD_CLOEXEC);
	struct partner other = { a, b, a < 0 || b < 0 };
	pthread_t thread;
	u64 start = cpu_time(), took = 0, n = 1;

	if (!other.failed && !pthread_create(&thread, NULL, answer, &other)) {
		bool fine = true;

		for (int i = 0; i < ROUNDS && fine; i++)
			fine = write(a, &n, sizeof(n)) == sizeof(n) && read(b, &n, sizeof(n)) == sizeof(n);
		pthread_join(thread, NULL);
		took = fine ? cpu_time() - start : 0;
	}
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return took;
}

/* Events that the buffer of @cpu has taken since it was cleared. */
static u64 events_on(const struct tracer *t, int cpu)
{
	static const char *const keys[] = { "entries: ", "overrun: " };
	char file[64], path[FILE_PATH_MAX], text[SMALL];
	u64 nr = 0;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
	if (file_read(tracer_path(t, file, path, sizeof(path)), text, sizeof(text)))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *at = strstr(text, keys[i]);

		nr += at ? strtoull(at + strlen(keys[i]), NULL, 10) : 0;
	}
	return nr;
}

static void try_both(const struct tracer *t, u64 best[2])
{
	for (int i = 0; i < 2 * TRIES; i++) {
		int on = i & 1;
		u64 took;

		tracer_switch(t, on);
		took = play();
		tracer_switch(t, false);
		best[on] = took ? min_u64(best[on], took) : 0;
	}
}

u64 event_cost(const struct tracer *t)
{
	u64 best[2] = { NEVER, NEVER };
	cpu_set_t was, one;
	int cpu = sched_getcpu();
	u64 events;

	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(was), &was))
		return 0;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return 0;
	try_both(t, best);
	sched_setaffinity(0, sizeof(was), &was);
	events = events_on(t, cpu) / TRIES;
	tracer_clear(t);
	return events && best[0] && best[1] > best[0] ? (best[1] - best[0]) / events : 0;
}
