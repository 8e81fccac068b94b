/* SPDX-License-Identifier: MIT */
/*
 * measure_facts.h - gives a scenario the kernel and the machine that are really there, and says what was taken from where.
 *
 *	detect (row, HZ, preemption), /proc, debugfs, a test of the timers --> scenario, sentences
 */
#ifndef CLI_MEASURE_FACTS_H
#define CLI_MEASURE_FACTS_H

#include "base/arena.h"
#include "cli/detect.h"
#include "cli/run_options.h"
#include "live/cgroup.h"
#include "live/host.h"

#define FACTS_MAX 32

struct facts {
	struct arena *mem;
	struct detected kernel;
	struct host host;
	int used_cpus;		/* as many CPUs as the scenario has */
	u64 wake_varies;	/* by how much the machine's own timer wakeups differ, ns */
	const char *said[FACTS_MAX];
	u32 nr;
};

/* Another sentence. */
void facts_say(struct facts *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Look at the kernel and the machine.  0, or -1 with @err set. */
int facts_read(struct facts *f, struct arena *mem, struct err *err);

/*
 * Make @sc, as it was read from its file, one for this kernel and machine and for the cgroups @cg, changed as @v asks.  0, or -1 with @err set:
 * also where it cannot be measured.
 */
int facts_apply(struct facts *f, struct scenario *sc, const struct variant *v, const struct cgroups *cg, struct err *err);

/* Which rules @model has, in a sentence. */
void facts_say_rules(struct facts *f, const struct kernel_model *model);

#endif
