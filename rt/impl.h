/* SPDX-License-Identifier: MIT */
/*
 * impl.h - the inside of the real owner of time; private to rt/.
 *
 *	clock.c		the clocks of the host, and work of a given length
 *	seam.c		what the scheduler asks of its machine
 *	time.c		timers and ticks as they fall due; who waits for the next one
 *	cpu.c		the thread of a CPU: attend, work a piece, attend ...
 *	task.c		a task: what it wants, sleeping and waking
 *	rt.c		life, and the public calls
 *	play.c		a scenario: programs instead of functions
 *
 *	             lock                        no lock                      lock
 *	service -- attend -- schedule     piece, piece, piece ...      service -- attend ...
 *	   (time.c)  (cpu.c)              until it is asked for, or something is due
 *
 * One lock around everything but the pieces.  Whoever takes it first handles all that is due, for every CPU; what a CPU's
 * current task does is told to it by `asked`, which its thread polls between two pieces.
 * Law: under the lock rt->now does not move, except in rt_service(), and never backwards.
 */
#ifndef RT_IMPL_H
#define RT_IMPL_H

#include <pthread.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/heap.h"
#include "base/rng.h"
#include "owner/groups.h"
#include "owner/spans.h"
#include "owner/tally.h"
#include "owner/tasks.h"
#include "rt/rt.h"

enum rt_rank { RANK_PERIOD, RANK_SLACK, RANK_TICK, RANK_TASK, RANK_REST };

/* Something that happens at a moment. */
struct rt_timer {
	struct heap_entry heap;
	void (*fire)(struct rt *rt, struct rt_timer *timer);
	bool wakes; /* it may wake a task */
};

struct rt_group_timer {
	struct rt_timer timer;
	enum timer_kind kind;
	struct group *group;
	int cpu;
};

struct rt_group_timers {
	struct rt_group_timer v[TIMER_DISTRIBUTE + 1];
};

enum doing { DOING_NOTHING, DOING_RUN, DOING_SYS, DOING_RUNTIME, DOING_SPIN };

struct rt_task_ops {
	/* With the lock: what does it want, now that its last want is fulfilled?  Times are the lab's. */
	struct want (*next)(struct rt_task *t);
	/* Without it: work for about @ns; false: the run is over, whatever is left. */
	bool (*piece)(struct rt_task *t, u64 ns);
	/* With the lock: its first instruction comes @latency after it was woken.  May be NULL. */
	void (*awake)(struct rt_task *t, u64 latency);
	/* With the lock: it has exited; @t->stat is final. */
	void (*gone)(struct rt_task *t);
};

struct rt_task {
	struct rt *rt;
	const struct rt_task_ops *ops;
	struct rt_timer timer;
	struct task_struct *p; /* NULL after its exit */
	bool started, exited;
	bool kthread;	   /* it keeps no run going */

	enum doing doing;
	u64 left;	   /* CPU time to do; DOING_RUNTIME: the moment it ends */
	bool resched_point; /* of a DOING_SYS */
	u64 work;	   /* CPU time done */
	bool waking;	   /* woken, has not run since */
	u64 waking_at;
	int timer_cpu;	   /* where its timer was armed, and fires */
	int last_cpu;	   /* -1: never ran */
	struct task_stat stat; /* at exit */
};

struct rt_cpu {
	struct rt *rt;
	int cpu;
	pthread_t thread;
	pthread_cond_t cond;   /* its thread waits here while it is idle */
	bool waits;
	u32 asked;	       /* atomic: its thread shall come for the lock */
	bool ipi;	       /* a function call interrupt is on its way */
	bool softirq;	       /* asked to balance */
	struct rt_task *curr;  /* NULL: idle */
	struct rt_timer hrtick;

	u64 asked_at;	       /* when its current task was first asked to leave; NEVER: it was not */
	u64 given_at;	       /* accounts of time given to tasks and got from the host run from here */
	u64 got_at;
};

/* An idle CPU whose thread sleeps until a moment. */
struct rt_post {
	struct rt_cpu *cpu; /* NULL: free */
	u64 until;
};

struct rt {
	pthread_mutex_t lock;
	const struct scenario *sc;
	struct scenario own;	/* where rt_create() made it up */
	bool owns_scenario;
	int *host_cpu;		/* [cpu]: of the host, to which its thread is bound; NULL: to none */
	struct rt_options opt;
	struct err err;		/* the first that happened while it ran */
	struct arena mem;

	struct kernel_model model;
	enum preempt_model preempt;
	int cgroup;
	struct lab *lab;
	struct groups groups;
	struct tally tally;
	struct rng streams[NR_LAB_STREAMS];

	struct heap heap;
	u64 due;		/* atomic: the first moment at which somebody must take the lock */
	u64 epoch, now;		/* the lab's clock */
	u64 offset;		/* the host's monotonic clock minus the lab's, while it runs */
	u64 started, end;	/* of this rt_go() */
	u64 tick, last_tick;
	u64 nr_ticks;
	bool running, over;
	bool until_gone;	/* it ends when the last task has exited */
	int here;		/* CPU of the verb being executed */

	struct rt_cpu *cpus;
	int nr_cpus;
	u64 *busy;		/* CPUs that run a task */
	struct rt_post posts[2]; /* the keeper of time, and who looks after it */
	u32 nr_alive, nr_users, nr_awake; /* tasks that exist; that are no kernel threads; that neither sleep nor wait */
	struct function_task *free_tasks; /* of rt_spawn(), exited */
	/* Called where all CPUs are idle and no timer can wake a task; may be NULL. */
	void (*stuck)(struct rt *rt);
	struct live_notes notes;
	void *player;		/* play.c's */
	u64 speed;		/* rt_spin_speed() of this host */
};

/* Added before dividing by the tick, so that times before the start are not below zero. */
#define EPOCH_TICKS ((u64)1 << 20)

/* The longest piece: how late a request to reschedule is heard at the most, if the host does not interfere. */
#define PIECE (50 * US)

/* @ns after @t; NEVER where that is beyond the end of time. */
static inline u64 time_after(u64 t, u64 ns) { return ns > NEVER - t ? NEVER : t + ns; }

/* clock.c */
u64 rt_host_clock(void);	     /* monotonic */
u64 rt_host_cpu_time(void);     /* CPU time of this thread */
u64 rt_spin_speed(void);	     /* turns of the loop in 1024 ns of CPU time, at full speed */
void rt_spin_for(u64 ns, u64 speed); /* work that takes about @ns of CPU time */
/* bind.c: which CPUs of the host, and what they share, into rt->own; 0, or -1 with @err set.  The calling thread is @cpu's. */
int rt_plan_binding(struct rt *rt, struct err *err);
void rt_bind_self(const struct rt *rt, int cpu);
void rt_exact_timers(void);     /* this thread's waits shall end in time */

/* seam.c */
void rt_platform(struct rt *rt, struct platform *pf);
void rt_ask(struct rt_cpu *c); /* its thread shall look */

/* time.c; all but rt_clock() and rt_is_due() with the lock */
u64 rt_clock(const struct rt *rt);
bool rt_is_due(const struct rt *rt, u64 now);
u64 rt_next_due(struct rt *rt);
void rt_arm(struct rt *rt, struct rt_timer *timer, u64 when, enum rt_rank rank);
void rt_disarm(struct rt *rt, struct rt_timer *timer);
void rt_timer_init(struct rt_timer *timer, void (*fire)(struct rt *, struct rt_timer *), bool wakes);
void rt_service(struct rt *rt);
void rt_verb_done(struct rt *rt);
void rt_stop(struct rt *rt);
void rt_lock(struct rt *rt);
void rt_unlock(struct rt *rt);
void rt_idle_wait(struct rt_cpu *c);

/* cpu.c */
void *rt_cpu_main(void *arg);
void rt_schedule(struct rt_cpu *c);
void rt_cpu_account(struct rt_cpu *c);

/* task.c */
bool rt_task_init(struct rt *rt, struct rt_task *t, const struct rt_task_ops *ops, const struct task_spec *spec, int cpu,
	       struct rt_task *parent);
void rt_task_wake(struct rt_task *t, struct rt_task *by, int cpu, bool sync);
void rt_task_end_spin(struct rt_task *t);
void rt_task_advance(struct rt_task *t);
struct rt_cpu *rt_cpu_of(const struct rt_task *t);

/* rt.c */
struct rt *rt_make(const struct scenario *sc, const struct rt_options *opt, struct err *err);
int rt_hang_timers(struct rt *rt); /* on every group that has none yet; 0 or -1 */
int rt_go(struct rt *rt, u64 end, struct err *err); /* run until the lab's clock is @end */

#endif
