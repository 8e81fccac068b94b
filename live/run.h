/* SPDX-License-Identifier: MIT */
/*
 * run.h - one run of a scenario for real.
 *
 *	this process		supervisor			crew
 *	  fork ------------->	makes the groups, writes
 *	  waits			fork --------------------->	threads, in the groups
 *				finds the periods' phase
 *				sets them going ---------->	run
 *				reads, writes, reads
 *				kills them
 *	  <---- results ------	removes the groups
 *
 * Whoever is killed, the groups go: the supervisor is in a session of its own and has another name, hears from a pipe that this process
 * is gone, and the crew dies with it.  Where the supervisor itself is killed, this process removes them; where both are, a third one does that
 * does nothing else (last.h).  What all of them being killed leaves, without threads, the next run sweeps.
 */
#ifndef LIVE_RUN_H
#define LIVE_RUN_H

#include "live/cgroup.h"
#include "live/crew.h"
#include "live/host.h"
#include "owner/result.h"

struct live_options {
	const char *cgroup_root; /* NULL: as the system has it */
	const struct host *host;
	bool ahead;		 /* give our group the greatest weight there is, against everything else on the machine */
	int used_cpus;		 /* of the host's: how many the scenario has */
	bool grid;		 /* this kernel's periods begin at whole multiples of CLOCK_MONOTONIC (rule bw_phase) */
};

struct live_group {
	struct cgroup_stat from, to; /* at the ends of the window */
	u64 quota, period;	     /* at the end; quota NEVER: none; period 0: not known */
	u64 phase;		     /* of its periods from t0, NEVER: not known */
};

struct live_thread {
	bool has_runtime, has_switches;
	u64 runtime, loops, nvcsw, nivcsw; /* in the window */
};

struct live_write {
	u64 t;			/* ns from t0 */
	const struct write_spec *spec;
	int err;		/* positive errno */
};

struct live_run {
	const struct scenario *sc;
	struct live_options opt;
	struct cgroups cg;
	u64 from, to;		     /* the window, ns from t0 */
	int signal;		     /* that interrupted it, or 0 */

	/* in memory shared with the supervisor */
	struct crew *crew;
	struct live_group *groups;   /* as sc->groups */
	struct live_thread *threads; /* as crew->threads */
	struct live_write *writes;
	struct live_end {
		struct err err;
		bool complete;
		u32 nr_writes;
		u64 t0;
		struct host_times from, to;
	} *end;
	size_t shared;		     /* bytes, from crew on */
};

/*
 * Run @sc (checked, worded and fitted by plan.h) once.  0; -1 with @err set.  @run is to be freed in both cases.  The strings of the result
 * are @sc's, which must outlive it.  A signal that would end this process (INT, TERM, HUP) ends the run first and then takes its course.
 */
int live_run(struct live_run *run, const struct scenario *sc, const struct live_options *opt, struct err *err);
void live_run_free(struct live_run *run);

/*
 * Its figures as those of a simulation; @like: the model's result, for what is the same.  What a real kernel does not show is 0.  NULL
 * when memory is out.
 */
struct result *live_result(const struct live_run *run, const struct result *like);

/* CPU time in the window on the scenario's CPUs, ns: taken by the hypervisor, and used by anything but our group. */
struct live_noise {
	u64 steal, others;
};
struct live_noise live_noise(const struct live_run *run);

/* What the supervisor does; run.c calls it in a process of its own.  @alive reads end of file once the caller is gone. */
void supervise(struct live_run *run, int alive);

#endif
