/* SPDX-License-Identifier: MIT */
/*
 * driver.h - the scheduler with no machine around it: the test is the owner of time.
 *
 *	test ---- at(d, 5 * MS); tick(d, 0) ----> core/lab.h
 *	test <--- timers, kicks, events --------- core/platform.h
 *
 * Time stands where the test puts it, a clock per CPU may be skewed, timers wait in a table until the test fires them,
 * kicks are noted and obeyed by obey_kicks().  Ticks exist only where the test calls one; every law is checked after every
 * verb, and a broken one fails the test with its text.
 *
 * Times are ns from the driver's epoch, which is a point of every grid.
 */
#ifndef TESTS_DRIVER_H
#define TESTS_DRIVER_H

#include "core/lab.h"
#include "core/view.h"

#define DRIVER_CPUS 128
#define DRIVER_GROUPS 16

struct driver_timer {
	bool armed;
	u64 when; /* from the epoch */
	int cpu;
};

struct driver_args {
	int cpus;	      /* 1 */
	u32 hz;		      /* 250 */
	const char *row;      /* "5.10" */
	const char *rules[6];
	int cgroup;	      /* 2 */
	u64 slice_us;	      /* sched_cfs_bandwidth_slice_us; 0: the row's */
	u64 base_slice;	      /* sched_base_slice_ns; 0: the row's, scaled by the CPUs */
	u64 epoch;	      /* 1000 s */
	u64 random;	      /* what the next draw of chance gives */
	const struct topology *topology; /* of as many CPUs, and must outlive the driver; NULL: flat */
	int allocs;	      /* not 0: so many allocations succeed, less one; then memory is out */
};

struct driver {
	struct lab *lab; /* NULL: memory was out */
	struct kernel_model model;
	u64 epoch, now;	       /* now: absolute */
	s64 skew[DRIVER_CPUS]; /* added to this CPU's clock; may grow while time goes on */
	int cpus;
	u64 tick_nsec;
	int group_cpu; /* the CPU that writes */

	struct driver_timer timer[DRIVER_GROUPS][TIMER_DISTRIBUTE + 1], hrtick[DRIVER_CPUS];
	bool resched[DRIVER_CPUS], ipi[DRIVER_CPUS], softirq[DRIVER_CPUS], user_return[DRIVER_CPUS];
	u64 random;
	u64 walk_cost; /* what the next queues of a distribution cost each, ns */
	u64 scan_cost, scanned; /* what each CPU that a wakeup looks at costs, ns, and how many that were so far */
	bool polling[DRIVER_CPUS]; /* while it is idle */

	int allocs_left; /* -1: no end */
	void *chunks;	 /* all memory, for driver_fini() */
	u64 bytes, nr_allocs;

	u64 events[NR_EVENT_TYPES];
	struct event last[NR_EVENT_TYPES]; /* the last of each type, time from the epoch */

	void (*law)(const char *text); /* instead of failing the test; must not return */
};

/* @d is the caller's.  Fails the test where the row or a rule does not exist; d->lab is NULL where memory was out. */
void driver_init(struct driver *d, const struct driver_args *args);
#define driver_of(d, ...) driver_init(d, &(struct driver_args){ __VA_ARGS__ })
void driver_fini(struct driver *d);

/* Time is now @t. */
void at(struct driver *d, u64 t);

/* A group under @parent (NULL: the root), limited to @quota in @period where @quota is not RUNTIME_INF.  NULL: no memory. */
struct task_group *limited(struct driver *d, struct task_group *parent, u64 quota, u64 period);
int write_limit(struct driver *d, struct task_group *tg, u64 quota, u64 period);

/* A new thread of @tg that sleeps on @cpu, pinned there; NULL: no memory. */
struct task_struct *sleeper(struct driver *d, struct task_group *tg, int cpu);
/* @p begins, or wakes, and what follows happens. */
void start(struct driver *d, struct task_struct *p);
void wake(struct driver *d, struct task_struct *p);
/* What runs on @cpu goes to sleep. */
void block(struct driver *d, int cpu);
/* The tick of @cpu, and the schedule pass it may ask for. */
void tick(struct driver *d, int cpu);
/* Obey all kicks: function calls first, then softirqs, schedule passes, work at the return to user mode; in order of CPUs.  A stopper that is picked works at once. */
void obey_kicks(struct driver *d);
/* A schedule pass on @cpu now, asked for or not. */
void pass(struct driver *d, int cpu);

/*
 * Ticks on CPU 0 after now up to @until, each with the pass that it asks for; a switch takes @cost, for which nobody is charged: the CPU's
 * clock stands still meanwhile, as it does in an interrupt.  The ticks that led to a switch, in ms, into @ms; at most @max; how many.
 */
u32 costly_ticks(struct driver *d, u64 until, u64 cost, u64 *ms, u32 max);

/* Run @kind of @tg now, on the CPU where it was armed, wherever its expiry stands.  Fails the test where it is not armed. */
void fire(struct driver *d, enum timer_kind kind, struct task_group *tg);
const struct driver_timer *timer_of(const struct driver *d, enum timer_kind kind, const struct task_group *tg);

/* Does @p hold its CPU? */
bool runs(const struct driver *d, const struct task_struct *p);

struct cfs_rq_view queue(struct driver *d, const struct task_group *tg, int cpu);
struct cfs_bandwidth_view pool(struct driver *d, const struct task_group *tg);
struct group_stat stat_now(struct driver *d, const struct task_group *tg);

#endif
