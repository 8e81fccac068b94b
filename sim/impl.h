/* SPDX-License-Identifier: MIT */
/*
 * impl.h - the inside of a machine; private to sim/.
 *
 *	machine.c	life: scenario -> CPUs, groups, threads; the public calls
 *	loop.c		what happens next, in the written order; ticks; group timers; kicks
 *	cpu.c		a CPU at work: progress of a run, what it costs, switches
 *	thread.c	a thread: what its program wants, sleeping and waking
 *	measure.c	figures of a window, the result
 *
 * What does not depend on who owns time - the kernel asked for, groups and their files, counts - is in owner/.
 *
 * Simultaneous events: group period timers, slack timers, ticks in CPU order, timers of tasks CPU by CPU, softirqs that ticks raised, then the
 * rest in order of creation.  The task timers of one CPU are one interrupt, in which they come in the order of arming; the CPUs follow one
 * another whole, in ascending order around from a first one (docs/rules/smp-checked.md A1).
 * Law: an event's time is never before the machine's.
 */
#ifndef SIM_IMPL_H
#define SIM_IMPL_H

#include "base/arena.h"
#include "base/bits.h"
#include "base/heap.h"
#include "base/rng.h"
#include "owner/groups.h"
#include "owner/spans.h"
#include "owner/tally.h"
#include "owner/tasks.h"
#include "sim/machine.h"
#include "work/world.h"

enum rank { RANK_PERIOD, RANK_SLACK, RANK_TICK, RANK_TASK_TIMER, RANK_SOFTIRQ, RANK_REST };

enum sim_event {
	SIM_GROUP_TIMER, /* struct group_timer */
	SIM_TASK_TIMER,	 /* struct thread: its sleep is over, or it starts */
	SIM_RUN_END,	 /* struct mcpu: the current run is done */
	SIM_RESCHED,	 /* struct mcpu: a request to reschedule takes effect */
	SIM_IPI,	 /* struct mcpu: a function call interrupt arrives */
	SIM_SOFTIRQ,	 /* struct mcpu: a tick, or another CPU, asked it to balance */
	SIM_HRTICK,	 /* struct mcpu: the current request ends */
	SIM_AT,		 /* struct at_event */
	SIM_FREED,	 /* struct late_free: the memory of a task that has exited is given back */
	SIM_WORLD	 /* struct world_event: a device or an arrival */
};

/* Lines of the heap: what follows at once from what happens now, and the ends of turns, which are about equally long. */
enum line { LINE_SOON = 1, LINE_TURNS };

struct sim_entry {
	struct heap_entry heap;
	u8 kind; /* enum sim_event */
	bool waits; /* it has expired, and its CPU waits for its turn (turns.c) */
};

struct group_timer {
	struct sim_entry entry;
	enum timer_kind kind;
	struct group *group;
	int cpu;
};

struct group_timers {
	struct group_timer timer[TIMER_DISTRIBUTE + 1];
};

struct at_event {
	struct sim_entry entry;
	const struct at_spec *spec;
};

struct world_event { /* an interrupt of a device, or of a request from outside */
	struct sim_entry entry;
	u64 token;
	int cpu;
	u64 irq; /* ns that it takes there */
	struct world_event *free_next;
};

struct late_free {
	struct sim_entry entry;
	struct event ev;
	struct late_free *free_next;
};

/* Ticks from a task's last switch to sched_process_free: readers that may still look at it are waited for (RCU). */
#define FREED_AFTER 3

enum doing { DOING_NOTHING, DOING_RUN, DOING_SYS, DOING_RUNTIME, DOING_SPIN, DOING_STOP };

struct thread {
	struct sim_entry timer;
	struct machine *m;
	struct worker *worker;
	struct task_struct *p; /* NULL after its exit */
	u32 task, instance;
	u64 start; /* when it begins, absolute */
	bool started, exited;
	enum past past;
	u32 past_run, past_times; /* PAST_OWN: which run of workload.past, and how often it was */
	bool past_rested;	  /* PAST_OWN: it has waited for that run */

	enum doing doing;
	u64 left;	  /* ns of work to do; DOING_RUNTIME: the absolute end */
	u64 until_look;	  /* DOING_RUN: ns of instructions until it looks at its CPU clock (turns.c); 0: it does not */
	bool resched_point, releases; /* of a call; see struct want */
	int timer_cpu;	  /* where its timer was armed, and fires */
	u64 owes;	  /* ns to pay before its first instruction */
	int last_cpu;	  /* -1: never ran */
	bool waking;	  /* woken, has not run an instruction since */
	u64 waking_at;

	u64 work;	  /* ns of work done */
	u64 loops;
	u64 joined_from, joined_to; /* workload.joins: release and end of the loops that count as one so far */
	struct samples latency, wakeup_latency;
	struct task_stat stat, base; /* at exit; at the start of the window */
	u64 work_base, loops_base;
	u64 pause_base;
	struct thread *next;
};

/* What turns.c keeps of a CPU. */
struct cpu_turn {
	bool led;	  /* it is in an interrupt that has waited for its turn */
	u64 irq_left;	  /* of an interrupt that lost its turn, ns */
	u64 tail;	  /* its turn is not over before */
	u64 crowd, stall; /* when turns_run() was asked: how many CPUs were busy, and how long the kernel of others had to work */
};

/* Whose turn it is on an emulator; all 0 elsewhere. */
struct turns {
	int cpu;	   /* opt.turn: whose turn it is; opt.timers_apart: whose timers were served last, */
	u64 until;	   /* and from when on those of others are */
	u64 least, budget; /* opt.turn: it is over not before, and by then */
	struct rng chance; /* in whose block of work it is */
};

struct mcpu {
	struct sim_entry run_end, resched, ipi, softirq, hrtick;
	struct machine *m;
	int cpu;
	struct thread *curr; /* NULL: idle */
	struct thread stopper; /* what runs where the scheduler's stopper does; no program, no figures */
	bool passing;	     /* a schedule pass is under way: what is spent meanwhile is its successor's */
	u64 spent;
	u64 work_from;	     /* from when curr's work progresses */
	bool waits;	     /* for its turn: what runs stands still, and run_end is when it may go on (turns.c) */
	struct cpu_turn turn;
	u64 irq_until;	     /* the CPU is in an interrupt until then: no switch before; ask irq_until() of cpu.c */
	u64 busy_since;	     /* it runs threads without a break; ticks from then on took their time */
	u64 polls_from;	     /* idle: since when, or since its last interrupt */
	bool wakees_come;    /* the interrupt on its way says that its wake list is not empty */
	u64 out_of_idle;     /* when such an interrupt last brought it there */
};

struct machine {
	const struct scenario *sc;
	struct machine_options opt;
	struct err *err;
	struct arena mem;
	struct kernel_model model;
	struct lab *lab;
	struct world *world;
	struct world_ops ops;
	struct heap heap;
	struct mcpu *cpus;
	int nr_cpus;
	enum preempt_model preempt; /* the scenario's, else the row's */
	int cgroup; /* 1 or 2: the scenario's, else what the kernel's age suggests */
	u64 *busy;	/* CPUs that run a thread */
	u64 *ticking;	/* those, and idle ones whose tick has not stopped yet */
	int ticking_end; /* none of them is at or behind this one */
	u64 epoch, now; /* absolute; epoch is the scenario's start */
	u64 tick;	/* ns */
	u64 last_tick;	/* the last tick that has happened, absolute */
	u64 nr_ticks, nr_ticks_base;
	u64 nr_ipis, nr_ipis_base; /* interrupts that one CPU sent to another */
	int here;	/* CPU of the verb being executed */
	bool any_first;	/* which CPU's timers come first at an instant is drawn; else CPU 0's do */
	u64 timer_streams; /* of chance, one for each instant */
	struct turns turns;

	struct groups groups;
	struct thread *threads, **threads_tail;
	u32 nr_threads, nr_alive, nr_users; /* of those alive, how many are no kernel threads */
	u32 *instances; /* threads so far, per task of the scenario */

	struct wakes wakes; /* asked for by the program just interpreted */
	struct world_event *free_world_events;
	struct late_free *free_late_frees;
	struct rng streams[NR_LAB_STREAMS];

	struct spans spans;
	struct tally tally;
	bool window_open;
	bool gave_up;
	struct result *result; /* taken at the end of the window, if that is before the end of the run */
};

/* Added before dividing by the tick, so that times before the start are not below zero. */
#define EPOCH_TICKS ((u64)1 << 20)

/* Does each CPU tick at an instant of its own? */
static inline bool ticks_apart(const struct machine *m) { return m->sc->machine.ticks == TICKS_SKEWED; }

/* So much later than the CPU before it does a CPU tick, where they tick apart: all within half a tick, as kernels have it. */
static inline u64 tick_step(const struct machine *m) { return max_u64(m->tick / 2 / (u64)m->sc->machine.cpus, 1); }

/* What lies beyond the end of the clock never happens. */
static inline u64 time_after(u64 t, u64 ns) { return ns > NEVER - t ? NEVER : t + ns; }

static inline struct mcpu *machine_cpu(struct machine *m, int cpu) { return &m->cpus[cpu]; }
static inline u64 scenario_time(const struct machine *m) { return m->now - m->epoch; }

/* Does something that ends at @t, ns from the scenario's start, belong to the measured window? */
static inline bool in_window(const struct machine *m, u64 t)
{
	return t >= m->sc->measure_from && t < m->sc->measure_to;
}

/* turns.c: what an emulator's virtual CPUs do to each other */
bool turns_defer(struct mcpu *c, struct sim_entry *e); /* it is another CPU's turn: @e, an interrupt of @c, is armed for later */
bool turns_defer_group(struct mcpu *c, struct sim_entry *e); /* the same of a group's timer, and of what it had begun */
bool turns_pause(struct mcpu *c);		/* the same of what runs: it stands still, and its run_end comes when it may go on */
void turns_idle(struct mcpu *c);		/* @c has nothing to do any more */
void turns_changed(struct mcpu *c);		/* another one runs on @c, or none */
void turns_walk(struct mcpu *c);		/* an interrupt of @c works for some time: it has its turn */
/* With opt.look: @c's current thread looks at its CPU clock now and then. */
u64 turns_run(struct mcpu *c);			/* so long it runs until the next look, if nobody comes or goes; NEVER: it does not look */
void turns_ran(struct mcpu *c, u64 ns);		/* it has run so long since turns_run() */
bool turns_look(struct mcpu *c);		/* its run has ended: was that for a look?  Then it is done, and the CPU is another's or it runs on */
u64 turns_wait(struct machine *m);		/* so long an interrupt to another CPU waits for the blocks of those in user mode, by chance */

/* loop.c */
void machine_platform(struct machine *m, struct platform *pf);
void arm(struct machine *m, struct sim_entry *entry, u64 when, enum rank rank);
void arm_in(struct machine *m, struct sim_entry *entry, u64 when, enum rank rank, unsigned lane); /* of one rank the lower lane comes first */
void arm_timer_on(struct machine *m, struct sim_entry *entry, u64 when, int cpu); /* RANK_TASK_TIMER: an interrupt of @cpu */
void cpu_hears(struct mcpu *c); /* the interrupt that another CPU has sent it, if one is on its way, is there */
/* The same; of those armed for that instant @first's come first, and then the others' in their order, all around. */
void arm_timer_behind(struct machine *m, struct sim_entry *entry, u64 when, int cpu, int first);
void disarm(struct machine *m, struct sim_entry *entry);
int machine_loop(struct machine *m, u64 until); /* absolute; events at @until are not handled */
void find_stuck(struct machine *m, struct stuck *stuck);
void verb_done(struct machine *m);
void ticks_pass(struct machine *m, u64 now, bool inclusive);
void settle(struct machine *m); /* before reading figures: all ticks before now are charged */

/* cpu.c */
void cpu_steal(struct mcpu *c, u64 ns);
void cpu_interrupt(struct mcpu *c, u64 ns);
bool cpu_polls(const struct mcpu *c);
void cpu_waits_for_tick(struct mcpu *c, int place); /* its tick is the @place-th of this instant, from 0 on */
void cpu_ticked(struct mcpu *c);
u64 cpu_progress(const struct mcpu *c);
void cpu_pause(struct mcpu *c);	 /* save the progress of what runs */
void cpu_resume(struct mcpu *c); /* go on with it from work_from */
void cpu_schedule(struct mcpu *c);
void cpu_run_end(struct mcpu *c);
void cpu_init(struct mcpu *c, struct machine *m, int cpu);
void cpu_ticks(struct mcpu *c); /* it has ticks from now on */
void cpu_returns(struct mcpu *c);
bool cpu_leaves_call(struct mcpu *c);
void cpu_resched_event(struct mcpu *c);
void cpu_kick(struct machine *m, int cpu, enum kick why);

/* thread.c */
struct thread *thread_create(struct machine *m, u32 task, u32 instance, u64 start, struct thread *parent);
void thread_timer(struct thread *t);
void thread_wake(struct thread *t, struct thread *by, int cpu, bool sync);
void thread_advance(struct thread *t);
void do_wakes(struct machine *m, int cpu);
int threads_setup(struct machine *m);
void world_ops_of(struct machine *m, struct world_ops *ops);

/* measure.c */
void measure_begin(struct machine *m);
struct result *measure_result(struct machine *m);

#endif
