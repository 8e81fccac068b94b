/* SPDX-License-Identifier: MIT */
/* run.h - what the keeper's parts share.  Private to record/. */
#ifndef RECORD_RUN_H
#define RECORD_RUN_H

#include <time.h>

#include "record/guard.h"
#include "record/record.h"
#include "record/tracer.h"

struct recording {
	const struct record_ask *ask;
	struct target target;
	struct tracer tracer;
	struct record_end *end; /* in memory that caller and keeper share */
};

/* What the keeper does; end->err or end->complete is set. */
void record_trace(void *recording, int alive);
void record_light(void *recording, int alive);

/* ns. */
static inline u64 clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

#endif
