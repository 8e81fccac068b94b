/* SPDX-License-Identifier: MIT */
/*
 * crew.h - the scenario's threads, as real threads of one process in our cgroup.
 *
 *	world (work/world.h)		thread
 *	"run 300 us"		-->	burns 300 us of CPU
 *	"sleep until t"		-->	sleeps until t0 + t
 *	"wait"			-->	sleeps until another thread's step wakes it
 *
 * The programs are interpreted by the same code as in the simulator; only the owner of time is another one.  All that the
 * supervisor outside must see lies in shared memory, so that it can read it while the threads are held up, and kill them.
 * Law: before `go` is set nobody runs; from then on nobody in here looks at anything but its program.
 */
#ifndef LIVE_CREW_H
#define LIVE_CREW_H

#include "live/burn.h"
#include "live/cgroup.h"
#include "live/host.h"
#include "text/err.h"
#include "work/scenario.h"

#define CREW_SAMPLES 16384 /* kept of each kind and thread; further ones are counted only */

struct crew_samples {
	u32 nr;		/* seen */
	u64 v[CREW_SAMPLES];
};

enum crew_state { CREW_COMING, CREW_READY, CREW_FAILED };

struct crew_thread {
	u32 task, instance;
	int tid;
	int state;	/* enum crew_state */
	u64 loops;	/* since the start */
	struct crew_samples latency, wakeup;
};

struct crew {
	/* set before the threads begin */
	struct burner burner;
	u32 nr;
	u64 from, to;	/* the window in which samples count, ns from t0 */
	u64 slack;	/* of the threads' timers: so much later they have expired */

	/* while they run */
	u32 go;		/* futex: 1 once t0 holds */
	u64 t0;		/* CLOCK_MONOTONIC */
	struct err err; /* of the first thread that could not be set up */
	struct crew_thread threads[];
};

/* Bytes of shared memory for @nr threads. */
size_t crew_size(u32 nr);

/*
 * The life of the process that is the crew: enters the group, makes the threads, each of which joins its own group and waits for
 * `go`.  Never returns.  The process must be a child that is killed with its parent.
 */
void crew_main(struct crew *crew, const struct scenario *sc, const struct cgroups *cg, const struct host *host)
	__attribute__((noreturn));

/* The supervisor lets them start: everything in @crew holds. */
void crew_go(struct crew *crew, u64 t0);

/* Let the threads of @task run on @cpus of the scenario from now on.  Called by the supervisor. */
void crew_affinity(const struct crew *crew, u32 task, const u64 *cpus, const struct host *host);

#endif
