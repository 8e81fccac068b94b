/* SPDX-License-Identifier: MIT */
/*
 * record.h - records what this machine's scheduler does, or what it counts.
 *
 *	trace	an own tracer: events, with what is to know about the group --> a trace.dat		any right that trace-cmd needs
 *	light	cpu.stat and the threads' times, once a period --> lines of JSON (docs/record.md)	no right at all
 *
 * Law: the file is there as a whole or not at all, and when record_run() has returned, or this process was killed, no tracer is left.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "record/target.h"

struct record_ask {
	struct target_ask who;
	const char *output;  /* must not be there yet */
	const char *tracefs; /* NULL: where it is mounted */
	u64 duration;	     /* ns */
	u64 buffer_kb;	     /* of each CPU; 0: some */
	u64 poll;	     /* light: ns between two polls; 0: the group's period */
	bool light;
};

struct record_end {
	struct err err;
	bool complete;
	char target[CGROUPS_DIR_MAX]; /* the group, "" where none was asked for */
	u64 wall, cpu;	/* ns recorded; CPU time that recording took of them */
	u64 bytes;	/* of the file */
	u32 cpus, threads; /* of the machine; that were members */

	/* trace */
	u64 events, lost;
	u64 event_cost; /* ns that an event costs the CPU it happens on; 0: not measured */
	bool filtered, mono;

	/* light */
	u64 polls, late; /* late: by more than half the time between two */
	u64 every;	 /* ns between two */
	u64 thread_turns; /* in how many polls each thread had its turn */
	bool no_threads; /* this kernel does not tell what threads use */
};

/*
 * Record as @ask says.  0 with @end filled in, or -1 with @err set and no file.  Ctrl-C ends it early, with a file.
 */
int record_run(struct record_end *end, const struct record_ask *ask, struct err *err);

#endif
