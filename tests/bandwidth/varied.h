/* SPDX-License-Identifier: MIT */
/* varied.h - machines of every kind, for tests that must hold on all of them. */
#ifndef TESTS_BANDWIDTH_VARIED_H
#define TESTS_BANDWIDTH_VARIED_H

#include "tests/machine_of.h"

/* How a varied machine is run; what is in it follows from its number alone. */
struct variation {
	bool no_skip;
	u64 shuffle_ties;
	u64 clock_base;
};

/* A table of hand-made ones: groups, nices, limits, bursts, two levels, rows from 3.2 to 6.4. */
#define NR_VARIED 32
struct testbed *varied_machine(u32 number, const struct variation *v);
const char *varied_title(u32 number);

/*
 * Made by chance from @seed: CPUs, row, groups up to three levels deep, limits, threads that run and sleep, writes, moves,
 * hotplug.
 */
struct testbed *random_machine(u64 seed, const struct variation *v);

#endif
