/* SPDX-License-Identifier: MIT */
/*
 * guest.h - the measured kernels: which row each one is, and what its machine's own work costs.
 *
 * A label names a kernel build in the measurements.  The machine under the virtual kernels is the same emulator everywhere:
 * one instruction takes 1 ns, so what the kernel's code costs is known and repeats, and one set of constants per build
 * serves every case.  guest.c says where each comes from, and which one of them is fitted.
 */
#ifndef ORACLE_GUEST_H
#define ORACLE_GUEST_H

#include "base/types.h"
#include "work/scenario.h"

struct guest {
	const char *label;  /* as the measured lines name it */
	const char *row;    /* the kernel row */
	const char *rule;   /* one rule that differs from the row, or NULL */
	bool phase_random;  /* each group's periods begin at their own offset, which an untraced line does not tell */
	bool no_burst;	    /* the kernel has no cpu.max.burst: such cases ran without */
	bool real_machine;  /* not the emulator */
	u64 wake, wake_traced; /* CPU time of one timer wakeup and of going back to sleep, without and with a trace running */
	u64 walk;	    /* per queue that a distribution visits */
	u64 ipi;
	u64 idle_exit;	    /* an idle CPU's way to its first switch, over that of a busy one */
	u64 write;	    /* from the moment a write was due to its effect */
	u64 look;	    /* a thread's look at its own CPU clock */
	u64 leave, leave_traced; /* CPU time of a thread's end */
};

/* The guest called @label, or NULL. */
const struct guest *guest_find(const char *label);
const struct guest *guest_at(u32 index); /* NULL past the last */

/*
 * The machine's costs for one case.  @wake: CPU time of a wakeup as the case's own threads measured it, or 0: the build's.
 * @scaled: a distribution takes as much longer per queue as @wake is longer than the build's.
 */
struct costs guest_costs(const struct guest *guest, bool traced, u64 wake, bool scaled);
u64 guest_wake(const struct guest *guest, bool traced); /* the build's */

/* From a timer's expiry to its handler. */
#define GUEST_LATENESS (1 * US)

/* "5.10", or "5.10 bw_expiry=seq": how the score names the kernel.  Written into @buf; returns @buf. */
char *guest_row_name(const struct guest *guest, char *buf, size_t size);

/*
 * Does @guest belong to what a user asked for: its row's name, the row with its rule ("5.10 bw_expiry=seq" or with a "+"),
 * or its label?  NULL asks for all.
 */
bool guest_matches(const struct guest *guest, const char *wanted);

/* One line for each constant: name, value, reason.  @index from 0; false past the last. */
bool guest_constant(u32 index, const char **name, const char **value, const char **reason);

#endif
