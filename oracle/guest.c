/* SPDX-License-Identifier: MIT */
/*
 * guest.c - the measured kernels and their constants.
 *
 *	wakeup of a sleeper:	timer -> enqueue -> switch-in -> burn -> switch-out
 *				         |<------- charged to the thread ------>|
 *	distribution:		boundary + 2 us -> queue 1 -> queue 2 ...	one "walk" each, on the timer's CPU
 *
 * Law: a constant is read off the measurements by itself (a wakeup's CPU time is a sleeper's CPU time per loop less its burn), never
 * fitted to a case's outcome.  The walk alone is called fitted, and the score is given without it too: on the emulator's 16 and 36
 * CPUs the released ones run in turn, 8 us apart, while the walk itself takes 2 us, and one number has to stand for both.
 */
#include "oracle/guest.h"

#include <stdio.h>
#include <string.h>

#define SWITCH (2 * US)	   /* a switch after a tick; part of `wake` where it follows a wakeup */
#define TIMER_IRQ (2 * US) /* a timer interrupt that wakes nobody here */
#define TICK (2 * US)
#define TRACED_IPI (1 * US) /* what the records written on its way add to an interrupt to another CPU */

static const struct guest guests[] = {
	{ .label = "5.10-before", .row = "5.10", .rule = "bw_expiry=seq", .no_burst = true, .wake = 5500,
	  .wake_traced = 7000, .walk = 3 * US, .ipi = 2 * US, .write = 30 * US, .leave = 15 * US },
	{ .label = "5.10-after", .row = "5.10", .no_burst = true, .wake = 5500, .wake_traced = 7000, .walk = 3 * US,
	  .ipi = 2 * US, .write = 30 * US, .leave = 15 * US },
	{ .label = "5.10deb", .row = "5.10", .no_burst = true, .wake = 7600, .wake_traced = 9200, .walk = 3 * US,
	  .ipi = 2 * US, .write = 30 * US, .leave = 15 * US },
	{ .label = "5.10-rfc", .row = "5.10", .rule = "rfc_kthread=posted", .no_burst = true, .wake = 5500,
	  .wake_traced = 7000, .walk = 3 * US, .ipi = 2 * US, .write = 30 * US, .leave = 15 * US },
	{ .label = "6.1", .row = "6.1", .wake = 7800, .wake_traced = 9400, .walk = 3 * US, .ipi = 2 * US,
	  .write = 35 * US, .leave = 20 * US },
	{ .label = "6.12", .row = "6.12", .phase_random = true, .wake = 8000, .wake_traced = 9700, .walk = 1 * US,
	  .ipi = 9 * US, .write = 40 * US, .leave = 30 * US },
	{ .label = "7.2", .row = "7.2", .phase_random = true, .wake = 8000, .wake_traced = 9300, .walk = 1 * US,
	  .ipi = 9 * US, .write = 45 * US, .leave = 30 * US },
	{ .label = "6.18-host", .row = "6.18", .phase_random = true, .real_machine = true, .wake = 60 * US,
	  .wake_traced = 60 * US, .walk = 1 * US, .ipi = 9 * US, .write = 45 * US, .leave = 30 * US },
};

static const struct constant {
	const char *name, *value, *reason;
} constants[] = {
	{ "wakeup", "as the case's own threads measured it; where none tells, 5.5 us on 5.10, 7.8 on 6.1, 8.0 on 6.12 and 7.2, and 1.5 us more with a recorder; 60 us on 6.18's machine",
	  "a thread's CPU time per loop less its burn: 5.5 us alone, up to 10 us where 36 CPUs wake at once, because the emulator serves them in turn; 6.18 ran in a "
	  "virtual machine in real time, where it is 45 us alone and up to 140 where 8 wake at once" },
	{ "wakeup released", "5/8 of wakeup", "in recordings 7 us are charged after a direct wakeup, 4.5 us where a throttled queue is released (C2)" },
	{ "switch", "2 us, and none on top of a wakeup", "tick to tick, a hog hands over in 2 us; a wakeup's figure holds its switch" },
	{ "timer lateness", "1 us", "expiry to sched_waking in the recordings: 1 to 2 us; the threads' own timer slack is 1 ns.  On 6.18's machine it is 40 to 110 us and "
	  "varies, so wake lateness there is its own, not the scheduler's" },
	{ "period boundary", "2.5 us late", "recordings: a released thread is in 5 us behind the boundary, and a tick charges 2.5 us behind its grid point" },
	{ "timer interrupt, tick", "2 us", "recordings: what runs on after a tick has charged, until the switch; the timer that ends turns on 7.2 switches 4 us behind the "
	  "request's end, which is the interrupt and the switch" },
	{ "interrupt to another CPU", "1 us to 6.2, 8 us from 6.3; 1 us more with a recorder", "recordings: a remote queue runs 2 and 9 us later than a local one" },
	{ "walk per queue (fitted)", "3 us to 6.2, 1 us from 6.3",
	  "recordings: 1.6 to 2.0 us and 0.5 to 1 us in the walk itself, 8 us from one released CPU to the next (from 6.3 by an interrupt each, which is counted apart); "
	  "the score without it is printed too" },
	{ "write", "30 to 45 us", "recordings: from the moment a write was due to the first switch it causes" },
	{ "a sleeper's end", "15 to 30 us times the CPUs", "recordings: it reads its statistics and leaves within the window: 70 us alone, 600 us where 8 do so at once" },
	{ "migrate, newidle, idle exit", "0", "not seen apart in pinned cases; leaving idle is part of the wakeup" },
};

const struct guest *guest_at(u32 index) { return index < ARRAY_SIZE(guests) ? &guests[index] : NULL; }

const struct guest *guest_find(const char *label)
{
	for (size_t i = 0; i < ARRAY_SIZE(guests); i++)
		if (!strcmp(guests[i].label, label))
			return &guests[i];
	return NULL;
}

struct costs guest_costs(const struct guest *guest, bool traced, u64 wake, bool walks)
{
	if (!wake)
		wake = traced ? guest->wake_traced : guest->wake;
	return (struct costs){
		.switch_ = SWITCH,
		.wakeup = wake > SWITCH ? wake - SWITCH : 0, /* the switch-in is charged by itself */
		.wakeup_released = (wake > SWITCH ? wake - SWITCH : 0) * 5 / 8,
		.timer_irq = TIMER_IRQ,
		.tick = TICK,
		.ipi = traced ? guest->ipi : guest->ipi - TRACED_IPI,
		.unthrottle = walks ? guest->walk : 0,
		.timer_slack = GUEST_LATENESS,
	};
}

char *guest_row_name(const struct guest *guest, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", guest->row, guest->rule ? " " : "", guest->rule ? guest->rule : "");
	return buf;
}

bool guest_matches(const struct guest *guest, const char *wanted)
{
	char name[128];

	if (!wanted || !strcmp(wanted, guest->label) || !strcmp(wanted, guest->row))
		return true;
	guest_row_name(guest, name, sizeof(name));
	if (!strcmp(wanted, name))
		return true;
	name[strlen(guest->row)] = '+';
	return guest->rule && !strcmp(wanted, name);
}

bool guest_constant(u32 index, const char **name, const char **value, const char **reason)
{
	if (index >= ARRAY_SIZE(constants))
		return false;
	*name = constants[index].name;
	*value = constants[index].value;
	*reason = constants[index].reason;
	return true;
}
