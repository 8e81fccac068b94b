/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the clocks of the host, and work of a given length.
 *
 * Progress of a run is CPU time of the thread that does it (CLOCK_THREAD_CPUTIME_ID), so that what the host takes away is not mistaken
 * for work.  Reading that clock is a system call of some 0.5 us; it is read once a piece, and within a piece the work is counted in
 * turns of a loop whose speed was measured before.
 */
#define _GNU_SOURCE
#include "rt/impl.h"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static u64 read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * SEC + (u64)ts.tv_nsec;
}

u64 rt_host_clock(void) { return read_clock(CLOCK_MONOTONIC); }
u64 rt_host_cpu_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

/* @turns of a loop that no compiler may shorten: each needs the one before. */
static u64 churn(u64 turns)
{
	u64 x = turns;

	while (turns--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

#define TRY_TURNS 20000 /* some 20 to 100 us */
#define TRIES 9

u64 rt_spin_speed(void)
{
	u64 best = NEVER;
	int i;

	for (i = 0; i < TRIES; i++) {
		u64 from = rt_host_cpu_time();

		churn(TRY_TURNS);
		best = min_u64(best, rt_host_cpu_time() - from);
	}
	return max_u64((u64)TRY_TURNS * 1024 / max_u64(best, 1), 1);
}

void rt_spin_for(u64 ns, u64 speed) { churn(ns * speed / 1024); }

void rt_exact_timers(void) { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

int rt_host_cpus(void)
{
	cpu_set_t set;

	long online;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
	online = sysconf(_SC_NPROCESSORS_ONLN); /* more than fit the set */
	return online > 0 ? (int)online : 1;
}
