/* SPDX-License-Identifier: MIT */
/* beds.h - machines in a state that several tests begin with.  @rule: one more "name=value", or NULL. */
#ifndef TESTS_BANDWIDTH_BEDS_H
#define TESTS_BANDWIDTH_BEDS_H

#include "tests/driver.h"

/*
 * Q = 200, P = 100, HZ = 250, time 196.  A thread on CPU 1 has kept the timer going, so that the refill of 100 was on
 * time; then a hog started on CPU 0 and drew at 100: its deadline is the pool's, 200, its sequence the pool's; L is 5, and
 * will be 1 at the tick of 200.
 */
struct task_group *hog_since_100(struct driver *d, const char *row, const char *rule);

/*
 * CROWD CPUs, time @period + @quota / 2: CPUs 2 to 9 owe half a quota each, so that a refill pays two of them.  The slice
 * is as large as any quota, so the first to ask got all there was.
 */
#define CROWD 10
struct task_group *crowd_in_debt(struct driver *d, const char *row, const char *rule, u64 quota, u64 period, u64 burst);

/* Fires the period timer of @tg at @when; each queue of its walks takes @cost. */
void fire_slowly(struct driver *d, struct task_group *tg, u64 when, u64 cost);
/* Time goes on until a walk of @tg that waits for what it spent is over. */
void finish_walk(struct driver *d, struct task_group *tg);

#endif
