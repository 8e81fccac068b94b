/* SPDX-License-Identifier: MIT */
/*
 * workload.h - what the files of the workload program share.
 *
 *	workload.c	cases: groups, phases, the window; as a program or as the init of a guest
 *	threads.c	what the threads of a case do
 *	print.c		a line of JSON, and recordings
 */
#ifndef TOOLS_ORACLE_WORKLOAD_H
#define TOOLS_ORACLE_WORKLOAD_H

#include <poll.h>
#include <pthread.h>
#include <stddef.h>

#include "live/burn.h"
#include "live/cgroup.h"
#include "oracle/spec.h"

#define MOST_THREADS 512
#define SAMPLES 2048 /* kept of each thread */
#define TRACING "/sys/kernel/tracing"

struct samples4 { /* of each loop, ns */
	u64 wall[SAMPLES], wake[SAMPLES], response[SAMPLES], cpu[SAMPLES];
};

struct thread {
	struct run *run;
	const struct wl_set *set;
	u32 index;
	u64 start, cpu0, cpu1, loops;
	int ready;
	struct pollfd *fds;	/* WL_POLL */
	u32 nr_fds;
	struct samples4 *s;
	pthread_t id;
};

struct run {
	const struct wl_spec *spec;
	struct cgroups cg;
	struct burner burner;
	char **path;		/* of each group, "/a/b" */
	u64 *phase;		/* NEVER: not found */
	struct cgroup_stat *before, *after;
	struct thread *threads;
	u32 nr_threads;
	u64 t0, t1;
	int stop, refused;
	int zero;		/* /dev/zero */
	double ns_piece, ns_polled;
};

struct output {
	bool port;	/* as the init of a guest */
	char *text;
	size_t len, cap;
};

/* ---- threads.c ---- */

/* How fast the machine is, and how long its two long system calls take. */
void calibrate(struct run *r);
/* All threads of the spec, ready and waiting for r->t0.  False where one could not be started. */
bool start_threads(struct run *r);
void join_threads(struct run *r);
bool is_hog(const struct wl_set *set);

/* ---- print.c ---- */

void tell(struct output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void send_bytes(const struct output *o, const char *text, size_t len);
void flush(struct output *o);

/* The line of a case: @text is its spec. */
void say_line(struct output *o, const struct run *r, const char *text, const char *label, const char *hz);

/* ftrace on with the scheduler's events, or off; what it has, framed by @name. */
void record(bool on);
void print_recording(struct output *o, const char *name);

#endif
