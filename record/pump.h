/* SPDX-License-Identifier: MIT */
/*
 * pump.h - carries pages from the tracer's buffers into files without a name, one for each CPU, while they fill.
 *
 *	per_cpu/cpu3/trace_pipe_raw --splice, full pages--> pipe --> spool of CPU 3
 *
 * How often it must look follows from how full the buffers were found.
 */
#ifndef RECORD_PUMP_H
#define RECORD_PUMP_H

#include "record/tracer.h"

struct pump {
	const struct tracer *t;
	int *pipes, *spools; /* of each CPU; -1: none */
	u64 *sizes;	     /* bytes in each spool */
	u64 *taken;	     /* pages of each CPU, of the last turn */
	int through[2];	     /* the pipe */
	bool no_splice;	     /* the spools' file system cannot */
	char *batch;
	u64 every;	     /* ns between two turns that is right now */
	u64 full_pages;	     /* that a CPU's buffer has */
};

/* Spools are made in the directory of the file at @path.  0, or -1 with @err set; pump_fini() is due in both cases. */
int pump_init(struct pump *p, const struct tracer *t, const char *path, struct err *err);
void pump_fini(struct pump *p);

/* One turn: all full pages that are there.  0, or -1 with @err set: the disk is full. */
int pump_turn(struct pump *p, struct err *err);

/* The end: all that is there, once the tracer is off. */
int pump_rest(struct pump *p, struct err *err);

/* Readers of the buffers are closed, so that the tracer can be removed; the spools stay. */
void pump_close(struct pump *p);

#endif
