/* SPDX-License-Identifier: MIT */
/* cost.h - what an event costs the CPU it happens on. */
#ifndef RECORD_COST_H
#define RECORD_COST_H

#include "record/tracer.h"

/*
 * ns of CPU time for each event, from two threads that hand a byte back and forth on one CPU, with the tracer off and on; 0 where the two
 * do not differ by more than they vary.  The tracer is off and empty afterwards.  Takes some 30 ms.
 */
u64 event_cost(const struct tracer *t);

#endif
