/* SPDX-License-Identifier: MIT */
/*
 * burn.c - CPU work of a wanted length.
 *
 * Law: no burn enters the kernel.
 */
#include "live/burn.h"

#include <errno.h>
#include <time.h>

#define GAP (50 * US)	   /* a block that took longer was interrupted: it counts as a block */
#define TRIES 40	   /* of a calibration: the quickest was interrupted least */
#define TRY (50 * US)

u64 clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

void clock_sleep_until(u64 when)
{
	struct timespec t = { (time_t)(when / SEC), (long)(when % SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/*
 * Nearly all of it is instructions that do nothing: an emulator that counts instructions gets through them at once.  A block ends
 * with a hint that others may run: a sibling, or in such an emulator another CPU.
 */
static void __attribute__((noinline)) turn(u64 turns)
{
	u64 i;

	for (i = 0; i < turns; i++)
		__asm__ volatile(".rept 60\n\tnop\n\t.endr" : "+r"(i));
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("pause");
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* The quickest of @TRIES runs of @turns. */
static u64 quickest(u64 turns)
{
	u64 best = NEVER;
	int i;

	for (i = 0; i < TRIES; i++) {
		u64 start = clock_now();

		turn(turns);
		best = min_u64(best, clock_now() - start);
	}
	return best ? best : 1;
}

void burn_calibrate(struct burner *b)
{
	u64 turns = 100;

	while (quickest(turns) < TRY)
		turns *= 2;
	b->block_turns = turns * BURN_BLOCK / quickest(turns);
	if (!b->block_turns)
		b->block_turns = 1;
}

static void turns_for(const struct burner *b, u64 ns) { turn(b->block_turns * ns / BURN_BLOCK); }

/* Blocks worth @ns, gaps between them left out. */
static void blocks(const struct burner *b, u64 ns)
{
	u64 done = 0, last = clock_now(), now;

	while (done < ns) {
		turns_for(b, min_u64(ns - done, BURN_BLOCK));
		relax();
		now = clock_now();
		done += now - last < GAP ? now - last : BURN_BLOCK;
		last = now;
	}
}

void burn_cpu(const struct burner *b, u64 ns)
{
	if (ns < BURN_SHORT)
		turns_for(b, ns);
	else
		blocks(b, ns);
}

void burn_until(const struct burner *b, u64 when)
{
	u64 now;

	while ((now = clock_now()) < when) {
		turns_for(b, min_u64(when - now, BURN_BLOCK));
		relax();
	}
}

void burn_moment(const struct burner *b) { turns_for(b, US); }
