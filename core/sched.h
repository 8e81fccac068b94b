/* SPDX-License-Identifier: MIT */
/*
 * sched.h - the structures of the scheduler; private to core/.
 *
 *	lab
 *	 |-- rq[cpu] -- cfs (the root queue of the CPU) -- tree of sched_entity
 *	 |                                                  |-- of a task_struct
 *	 |                                                  '-- of a task_group on this CPU -- my_q, its own queue -- ...
 *	 '-- task_group (a tree) -- pair(cpu) = { cfs_rq, sched_entity }, made at the first enqueue there
 *	                         '- cfs_bandwidth: the pool
 *
 * Names are the kernel's.  All fields exist under every row: record always, judge conditionally.
 */
#ifndef CORE_SCHED_H
#define CORE_SCHED_H

#include "base/bits.h"
#include "base/list.h"
#include "base/rbtree.h"
#include "base/types.h"
#include "core/config.h"
#include "core/lab.h"
#include "core/smp.h"

#define EPERM 1
#define ENOENT 2
#define ENOMEM 12
#define EINVAL 22
#define ERANGE 34

struct rq;
struct cfs_rq;

/* Before any moment that a clock shows: what a deadline is that was never set.  (In a kernel 0, the boot.) */
#define LONG_AGO(lab) ((lab)->cfg.epoch - ((u64)1 << 62))

struct load_weight {
	u64 weight;	/* stored form: unscaled << 10 where the row scales */
	u32 inv_weight; /* 2^32 / unscaled weight; 0: not computed */
};

/* Averages that halve in 32 ms; see pelt.c.  Sums are in units of 1024 ns, util and runnable ones << 10. */
struct sched_avg {
	u64 last_update_time; /* on the queue's pelt_clock(), whole units */
	u64 load_sum, runnable_sum, util_sum;
	u64 load_avg, runnable_avg, util_avg;
	u32 period_contrib; /* units of the current period that are accounted */
};

struct sched_entity {
	/* for the pick */
	struct load_weight load;
	struct rb_node run_node;
	u64 vruntime;
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime; /* at the start of this turn */
	bool on_rq;

	/* EEVDF: the current request, and what is carried along while off the queue */
	u64 deadline;		/* virtual; relative while rel_deadline */
	u64 slice;		/* ns asked for at a time */
	s64 vlag;		/* virtual ns owed when it left, or when its delayed sleep began */
	u64 protect;		/* until when (virtual) or by which deadline its turn is protected */
	bool custom_slice;	/* slice is its own, not the base */
	bool rel_deadline;	/* deadline and protect are relative to vruntime: carried along */
	bool sched_delayed;	/* asleep, but still queued */
	u64 min_vruntime, min_slice, max_slice; /* of the subtree at run_node */

	/* place in the hierarchy */
	int depth;
	struct sched_entity *parent;
	struct cfs_rq *cfs_rq; /* on which it is (to be) queued */
	struct cfs_rq *my_q;   /* the queue it stands for; NULL: it is a task's */

	struct sched_avg avg;
	bool attached; /* its averages are part of cfs_rq's, asleep or not */
	u32 runnable;  /* a group's: tasks in my_q as of the last update */
};

/* Averages of tasks that left for another CPU, to be taken away at the next update. */
struct removed {
	u64 load_avg, runnable_avg, util_avg;
	u32 nr;
};

/* Weight over time in windows (row 3.2); see shares.c. */
struct load_window {
	u64 stamp, last; /* of the last update, and of the last with a weight */
	u64 period, sum; /* ns, and weight times ns in them */
};

struct cfs_rq {
	struct load_weight load; /* sum over queued entities, the current one included */
	u32 nr_running;		 /* queued entities */
	u32 h_nr_running;	 /* queued tasks, here and below */
	u32 h_nr_idle;		 /* those of them that are SCHED_IDLE or in an idle group */
	u64 min_vruntime;
	struct rb_tree timeline; /* all queued entities but curr */
	struct sched_entity *curr, *next, *last, *skip;
	s64 avg_load, avg_vruntime; /* EEVDF: sums over the tree of weight, and of weight * (v - min_vruntime) */

	struct rq *rq;
	struct task_group *tg;
	u64 exec_clock; /* ns charged to tasks of this very queue */

	/* how much load this queue is, and what it has told its group */
	struct sched_avg avg;
	struct removed removed;
	bool splits_load; /* a root queue under rule cpu_load=runnable: the part of avg's load that is queued, by itself */
	u64 runnable_load_sum, runnable_load_avg;
	bool propagate; /* something joined or left; the group's entity does not know yet */
	s64 propagate_load_sum;
	u64 tg_load_avg_contrib;
	u64 tg_load_written; /* when */
	struct load_window window;
	struct list_head blocked_list; /* in lab.blocked: nothing queued, but load left */

	/* bandwidth: this CPU's share of the pool */
	bool runtime_enabled;
	s64 runtime_remaining; /* below 0: debt, repaid before it runs again */
	u64 runtime_expires;
	u32 expires_seq;
	bool throttled;
	u32 throttle_count;	       /* throttled queues from here up */
	u64 throttled_clock;	       /* since when, while throttled and counted; 0 = not counted */
	u32 throttled_groups;	       /* how many groups there were when it was throttled */
	struct list_head throttled_list; /* in cfs_bandwidth.throttled_cfs_rq */
	struct list_head limbo;		 /* parked tasks of this very queue, last parked first */
	struct list_head csd_list;       /* in rq.unthrottle_list: waits for the interrupt (6.3) */
	bool csd_pending;
	u64 charged, charged_asked;	 /* ns, ever; when lab_group_charged_cpus() last asked */

	/* rule gather: when the last task was taken away to another CPU; the stopper has been asked to take all away */
	u64 left_at;
	bool leaving;

	/* how long tasks here could not run because of a limit here or above */
	u64 hierarchy_throttled; /* sum */
	u64 hierarchy_since;
	bool pelt_stopped; /* pelt_clock() stands still */
	u64 pelt_since, pelt_lost; /* since when, and for how long altogether before */
	u64 throttled_local, throttled_local_since; /* cpu.stat.local: the same, with tasks queued */
	bool throttled_local_on;
};

struct cfs_bandwidth {
	u64 period, quota, burst;
	u64 runtime;	  /* the pool */
	u64 runtime_snap; /* what it held after the last refill */
	s64 hierarchical_quota; /* the recorded ratio, 20 bit fixed point; RUNTIME_INF: none */
	u64 runtime_expires;
	u32 expires_seq;
	bool idle, period_active, slack_started;
	bool phase_set; /* the grid of its periods is chosen */
	u64 period_expires; /* of the period timer, now or when it last stood */
	u64 slack_expires;
	struct list_head throttled_cfs_rq;

	u64 nr_periods, nr_throttled, throttled_time;
	u64 nr_bursts, burst_time;

	/* the ledger, see struct bw_ledger; what is charged stands with the queues */
	u64 granted, lost;
	s64 created;

	/* a distribution under way: a cursor, because it takes time */
	struct walk {
		bool running;
		bool slack;		  /* the slack timer's, not the period timer's */
		int cpu;		  /* whose time it takes */
		struct list_head *cursor; /* next queue to visit */
		u64 remaining;		  /* hidden, shared: what is left of what was taken or seen */
		u64 taken;		  /* hidden: out of sight; shared: handed out, not yet subtracted */
		u64 expires;		  /* the deadline when it began */
		int loops;		  /* of one period timer callback */
		struct cfs_rq *local;	  /* the timer CPU's own queue, unthrottled last (6.3) */
	} walk;
};

/* One group on one CPU. */
struct group_pair {
	struct cfs_rq cfs_rq;
	struct sched_entity se;
};

#define PAIRS_PER_PAGE 32

struct task_group {
	struct lab *lab;
	u32 id;
	struct task_group *parent;
	struct list_head children, siblings;
	bool under_limit; /* it or a group above is limited, or once was */
	u64 shares; /* stored form */
	bool idle;
	struct cfs_bandwidth cfs_bandwidth;
	u64 load_avg;	 /* sum of its queues' tg_load_avg_contrib */
	u32 nr_contribs; /* those that are not 0 */
	struct cfs_rq *sole; /* whose it is, where there is one only */
	struct group_pair ***page; /* [cpu / 32][cpu % 32], NULL until used */
	u32 nr_pairs;
	struct task_group *next; /* in order of creation */
};

enum task_state {
	TASK_NEW,
	TASK_RUNNING,
	TASK_INTERRUPTIBLE,
	TASK_WAKING, /* on its way to a queue: in rq.wake_list of the CPU it was sent to */
	TASK_DEAD
};

struct task_struct {
	struct sched_entity se;
	u32 id;
	enum task_state state;
	enum sched_policy policy;
	int nice;
	bool kthread;
	int cpu;
	bool leaves_cpu; /* runs, or is in a wake list, and is to go over to dest_cpu next */
	bool execs;	 /* it is on its way to another CPU because it began a new program */
	int dest_cpu;
	struct task_group *tg;
	u64 *cpus_allowed;
	int nr_cpus_allowed;
	void *owner;
	bool from_outside; /* no parent: starts as a sleeper */
	bool moved;	   /* vruntime is relative to no queue's min_vruntime: to be made absolute at enqueue */

	u32 last_wakee; /* id */
	u64 wakee_flips, wakee_flips_halved; /* how often it woke another than before; when that was last halved */
	int recent_used_cpu; /* where it ran before its last CPU; see select_idle.c */
	struct list_head wake_entry; /* in rq.wake_list, while TASK_WAKING */

	struct list_head group_node; /* in its CPU's rq.smp.cfs_tasks, while queued and fair */
	struct list_head stop_work;  /* in rq.smp.stop_works of its CPU, which is to bring it to stop_cpu */
	int stop_cpu;

	u64 nvcsw, nivcsw, migrations;
	bool waiting; /* runnable, not running */
	u64 wait_start, wait_hierarchy;
	u64 wait_throttled, wait_contended, longest_pause;
	struct task_struct *free_next;

	bool above_fair; /* its policy is one of rt.c's: the fair class does not know it */
	struct {
		int prio;	/* 1..99, and above; see rt.c */
		u64 order;	/* of coming, among equals */
		u32 ticks_left; /* of its slice: SCHED_RR */
	} rt;

	bool throttle_work; /* to be parked at its next return to user mode (6.18) */
	bool parked;
	struct list_head limbo; /* in cfs_rq.limbo, while parked */
};

struct rq {
	struct lab *lab;
	int cpu;
	bool online;
	u64 clock;
	u32 nr_running; /* tasks that may run: those below a throttled queue are not counted */
	u32 nr_tasks;	/* tasks whose CPU this is, asleep ones included */
	struct cfs_rq cfs;
	struct {
		struct rb_tree queue; /* of tasks above fair, the running one included; the first runs */
		u32 nr;
		bool running; /* one of rt or deadline runs; since when, and what the average was then (of 1024, << 20) */
		u64 since, util;
	} rt;
	struct task_struct *curr, idle;
	bool need_resched, need_resched_lazy;
	bool hrtick_armed;
	struct list_head unthrottle_list;
	struct list_head wake_list; /* wakees that others sent here, in order; smp.ttwu_pending says whether there are */
	u32 nr_delayed;		    /* tasks among nr_running that are asleep, delayed */
	int affinity_pick;	    /* the last CPU that an lab_affinity() called here chose, rule affinity_pick */

	/* which copy of the switch path it uses; see "copies" below */
	const struct path *path;
	u32 nr_limited; /* queues of groups under_limit with somebody on them */
	bool throttles; /* something here has been throttled */

	/* ticks left out because they could decide nothing; see ticks.c */
	u64 tick_done; /* the last tick whose charge is done */
	u64 tick_due;  /* the first that must be called; 0: the next one */

	struct rq_smp smp;
};

struct path;
struct pick_ops;
struct throttle_ops;
struct balance_ops;

struct lab {
	struct lab_config cfg;
	struct kernel_model model;
	struct platform pf;
	const struct pick_ops *pick;
	const struct throttle_ops *throttle;
	const struct balance_ops *balance;
	bool looks_after_pick; /* tasks may have to be parked (6.18), or groups to be gathered: each pass looks at whom it picked */
	enum move_cause move_cause; /* of the next set_task_cpu(); MOVE_WAKEUP unless somebody says else */
	u64 tick_nsec;
	u64 ticks_done; /* ktime up to which ticks have happened */
	u64 tick_horizon;
	struct rq *rqs;
	struct task_group root;
	struct task_group **groups_tail;
	u32 nr_groups, next_task_id;
	u32 nr_movable; /* tasks that may use more than one CPU; never counted down when they exit */
	struct task_struct *free_tasks;
	u32 nr_rt;	/* tasks above fair that are queued, on all CPUs */
	u64 rt_order;
	bool rt_seen;	/* there was one of rt or deadline */
	int nr_online;
	struct lab_smp smp;

	/* a sweep of ticks under way: those at sweep_time on CPUs below sweep_cpu have happened */
	u64 sweep_time;
	int sweep_cpu;
	bool tick_recalled; /* a tick may be due earlier than was said */

	/* group queues whose load decays with nobody there to notice; see shares.c */
	struct list_head blocked;
	u64 blocked_aged; /* when it was last looked after */

	/* tunables with the scaling by the number of CPUs applied */
	u64 latency, min_granularity, wakeup_granularity, nr_latency, base_slice;
	u64 unscaled_slice; /* base_slice without that scaling */
};

#define LAW(lab, cond)                                                                                         \
	do {                                                                                                   \
		if (unlikely(!(cond)))                                                                         \
			(lab)->pf.bug((lab)->pf.ctx, __FILE__, __LINE__, #cond);                               \
	} while (0)

/* ---- asking for rules: lab_rule(lab, BW_EXPIRY) == BW_EXPIRY_SEQ, or as a truth value ---- */
#define lab_rule(lab, id) ((lab)->model.rule[RULE_##id])

/*
 * ---- copies of the switch path ----
 *
 * What happens at every wakeup, switch and tick (fair.c, pelt.c, shares.c: the path) is compiled three times, with as much of
 * bandwidth control in each copy as a CPU can need:
 *
 *	path_free	nobody is queued here whose group, or one above it, is limited		path_free.c
 *	path_calm	somebody is, but nothing was ever throttled on this CPU			path_calm.c
 *	path_full	always right; what everybody calls who does not go by rq->path		the files themselves
 *
 * The questions about limits below are constants in the first two.  throttle.c chooses (choose_path); all give the same bits.
 * A kernel does the same by patching its code (static branches), for all CPUs at once; the price is in docs/performance.md.
 */
#define PATH_FREE 0
#define PATH_CALM 1
#define PATH_FULL 2
#ifndef PATH
#define PATH (FAIRGROUND_BANDWIDTH ? PATH_FULL : PATH_FREE)
#endif

/* ON_PATH(rq->path, task_tick_fair)(rq) calls that copy. */
#if FAIRGROUND_BANDWIDTH
#define ON_PATH(path, function) ((path)->function)
#else
#define ON_PATH(path, function) ((void)(path), function)
#endif

/* Does @cfs_rq have a quota to charge? */
static inline bool is_metered(const struct cfs_rq *cfs_rq) { return PATH >= PATH_CALM && cfs_rq->runtime_enabled; }
static inline bool is_throttled(const struct cfs_rq *cfs_rq) { return PATH == PATH_FULL && cfs_rq->throttled; }
static inline bool throttled_hierarchy(const struct cfs_rq *cfs_rq) { return PATH == PATH_FULL && cfs_rq->throttle_count > 0; }

/* ---- small questions ---- */
static inline bool entity_is_task(const struct sched_entity *se) { return !FAIRGROUND_GROUPS || !se->my_q; }
static inline struct sched_entity *parent_entity(const struct sched_entity *se) { return FAIRGROUND_GROUPS ? se->parent : NULL; }
#define for_each_sched_entity(se) for (; se; se = parent_entity(se))
static inline struct task_struct *task_of(struct sched_entity *se) { return container_of(se, struct task_struct, se); }
static inline bool task_is_idle_thread(const struct task_struct *p) { return !p->id; }
static inline struct cfs_bandwidth *bandwidth_of(struct cfs_rq *cfs_rq) { return &cfs_rq->tg->cfs_bandwidth; }
static inline struct rq *cpu_rq(struct lab *lab, int cpu) { return &lab->rqs[cpu]; }
static inline u64 lab_ktime(struct lab *lab) { return lab->pf.ktime(lab->pf.ctx); }
/* Ticks so far: what balancing counts time in. */
static inline u64 lab_jiffies(struct lab *lab) { return (lab_ktime(lab) - lab->cfg.tick_base) / lab->tick_nsec; }

/*
 * The clock of @cfs_rq's averages: that of its CPU, but it stands still in a throttled hierarchy; where tasks are throttled one by one
 * (6.18) only once all have left.
 */
static inline u64 pelt_clock(const struct cfs_rq *cfs_rq)
{
	if (PATH != PATH_FULL)
		return cfs_rq->rq->clock;
	return (cfs_rq->pelt_stopped ? cfs_rq->pelt_since : cfs_rq->rq->clock) - cfs_rq->pelt_lost;
}

/* How long tasks of @cfs_rq have been kept from running by a limit here or above, up to now. */
static inline u64 hierarchy_throttled_time(const struct cfs_rq *cfs_rq)
{
	u64 time = PATH == PATH_FULL ? cfs_rq->hierarchy_throttled : 0;

	return throttled_hierarchy(cfs_rq) ? time + cfs_rq->rq->clock - cfs_rq->hierarchy_since : time;
}

/* Ask the current task of @rq to leave. */
static inline void resched_curr(struct rq *rq)
{
	if (rq->need_resched)
		return;
	rq->need_resched = true;
	rq->lab->pf.kick(rq->lab->pf.ctx, rq->cpu, KICK_RESCHED);
}

/*
 * What the fair class asks by itself.  Rule resched_lazy (6.13, 26baa1f1c4bd), in the model LAZY: it may wait for the next return to user
 * mode; the tick after that insists.
 */
static inline void resched_curr_lazy(struct rq *rq)
{
	struct lab *lab = rq->lab;

	if (!lab_rule(lab, RESCHED_LAZY) || lab->cfg.preempt != PREEMPT_LAZY || task_is_idle_thread(rq->curr)) {
		resched_curr(rq);
		return;
	}
	if (rq->need_resched || rq->need_resched_lazy)
		return;
	rq->need_resched_lazy = true;
	lab->pf.kick(lab->pf.ctx, rq->cpu, KICK_RESCHED_LAZY);
}

static inline void emit(struct lab *lab, enum event_type type, int cpu, u32 task, u32 group, s64 arg, u32 other)
{
	struct event ev = { lab_ktime(lab), (u16)type, (u16)cpu, task, group, other, arg };

	lab->pf.emit(lab->pf.ctx, &ev);
}

/* ---- lab.c ---- */
void lab_verb_done(struct lab *lab); /* end of a verb: walk the laws where asked */
void update_tunables(struct lab *lab); /* after the number of online CPUs changed */

/* ---- task.c, wake.c; more in verbs.h ---- */
void push_waiting_task(struct lab *lab, struct task_struct *p); /* to a CPU it may use */
bool set_task_cpu(struct lab *lab, struct task_struct *p, int cpu); /* of a task that is on no queue */

/* ---- weight.c ---- */
#define NICE_0_WEIGHT 1024
#define WEIGHT_IDLEPRIO 3
u64 nice_weight(int nice);
u32 nice_inverse(int nice);
u64 shares_of_weight(u64 weight); /* cpu.weight, 1..10000 */
u64 weight_of_shares(u64 shares); /* unscaled; as cpu.weight reads */
int nice_of_shares(u64 shares);	  /* as cpu.weight.nice reads */

/* Rule load_scale: 64-bit kernels from 4.7 store weights << 10 (2159197d6677). */
static inline u64 scale_load(const struct lab *lab, u64 weight)
{
	return lab_rule(lab, LOAD_SCALE) ? weight << 10 : weight;
}

static inline u64 scale_load_down(const struct lab *lab, u64 stored)
{
	if (!lab_rule(lab, LOAD_SCALE) || !stored)
		return stored;
	return max_u64(2, stored >> 10);
}

/* @delta * @weight / @lw, in the kernel's own integer arithmetic. */
u64 calc_delta(const struct lab *lab, u64 delta, u64 weight, struct load_weight *lw);

/* Wall time turned into virtual time of @se. */
static inline u64 calc_delta_fair(const struct lab *lab, u64 delta, struct sched_entity *se)
{
	u64 nice_0 = scale_load(lab, NICE_0_WEIGHT);

	if (se->load.weight == nice_0)
		return delta;
	return calc_delta(lab, delta, nice_0, &se->load);
}

void set_task_weight(struct lab *lab, struct task_struct *p); /* by policy and nice; averages follow */

static inline void load_add(struct load_weight *lw, u64 weight)
{
	lw->weight += weight;
	lw->inv_weight = 0;
}

static inline void load_sub(struct load_weight *lw, u64 weight)
{
	lw->weight -= weight;
	lw->inv_weight = 0;
}

/* ---- pelt.c: averages of load ---- */
#define UPDATE_TG 1u /* tell the group what changed */
#define DO_ATTACH 2u
#define LOAD_TICK 4u
/* Bring the averages of @se and of @cfs_rq, on which it is (or is about to be) queued, up to the clock of its CPU. */
void update_load_avg(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
void update_blocked_load(struct lab *lab, struct cfs_rq *cfs_rq); /* of a queue with nothing queued */
void update_own_load(struct rq *rq); /* the queues of what runs, or the root queue, before the CPU compares itself with others */
bool load_is_forgotten(const struct cfs_rq *cfs_rq);
/* @nr ticks up to @last on this CPU's clock happened with the running chain as it is: all they do to averages. */
void replay_load_ticks(struct rq *rq, u64 nr, u64 last);
void init_entity_load(const struct lab *lab, struct sched_entity *se, bool runs_at_once);
void seed_new_task_util(struct sched_entity *se); /* a new task's share of what its CPU has left */
void attach_load(struct lab *lab, struct sched_entity *se); /* a task that is not queued joins, or leaves, its queue's averages */
void detach_load(struct lab *lab, struct sched_entity *se);
void remove_load(struct lab *lab, struct sched_entity *se); /* leaves from afar, or for good: by way of the bin */

/* A group's entity: its queue has gained or lost tasks. */
static inline void se_update_runnable(struct sched_entity *se)
{
	if (se->my_q)
		se->runnable = se->my_q->h_nr_running;
}

void reweight_load(struct lab *lab, struct sched_entity *se, struct load_weight load); /* sets se->load, averages follow */
void runnable_load_joins(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se); /* @cfs_rq->splits_load: queued, and off */
void runnable_load_leaves(struct lab *lab, struct cfs_rq *cfs_rq, const struct sched_entity *se);

/* ---- shares.c: what a group weighs on each CPU ---- */
/* @cfs_rq's load was updated (by a tick?), and @changed; write it into the group's sum where it differs enough. */
void update_group_load(struct lab *lab, struct cfs_rq *cfs_rq, bool changed, bool tick);
void update_cfs_group(struct lab *lab, struct sched_entity *se); /* the group's share of this CPU */
bool group_weight_stays(const struct sched_entity *se); /* whatever its load does: no other CPU has written any */
void clear_group_load(struct lab *lab, struct cfs_rq *cfs_rq); /* its CPU is gone */
void watch_blocked_load(struct lab *lab, struct cfs_rq *cfs_rq);
u64 blocked_load_due(const struct lab *lab); /* the first tick that has to age_blocked_load(); NEVER */
void age_blocked_load(struct lab *lab);

/* ---- balancing: balance_when.c, balance_idle.c, nohz.c, stop.c; the rest is in balance.h ---- */
bool init_balance(struct lab *lab); /* false: no memory */
void balance_tick(struct rq *rq);   /* at each tick of any CPU */
u64 balance_due(const struct rq *rq); /* the first tick of a busy CPU at which balance_tick() does anything */
u64 idle_tick_due(const struct rq *rq); /* of an idle one; NEVER: it has none */
bool newidle_balance(struct rq *rq); /* nothing to run here: true where now there is */
void idle_ends(struct rq *rq);	     /* by a wakeup */
void nohz_begins(struct lab *lab);   /* the first task that may move */
void nohz_idle_starts(struct rq *rq);
void nohz_joins(struct rq *rq); /* has come */
void nohz_leave(struct rq *rq); /* is busy, or gone */
void forget_quiet(struct lab *lab); /* the domains were built anew */
/* The stopper of @p's CPU shall take it to @cpu; false where there is no memory for one. */
bool stop_and_push(struct lab *lab, struct task_struct *p, int cpu);
void stop_forgets(struct task_struct *p); /* it has left, or may stay */
void stop_cpu_gone(struct rq *rq);

/* Are there tasks that may move, and CPUs to move them to? */
static inline bool balances(const struct rq *rq) { return rq->lab->nr_movable && rq->smp.sd; }

/* @nr tasks more (or, below 0, less) may run on @rq. */
static inline void count_running(struct rq *rq, s32 nr)
{
	bool was_crowded = rq->nr_running > 1;

	rq->nr_running += (u32)nr;
	if (likely(was_crowded == (rq->nr_running > 1)))
		return;
	rq->lab->smp.nr_crowded += was_crowded ? -1u : 1;
	if (!was_crowded)
		rq->lab->smp.overloaded = true;
}

/*
 * ---- the order of the classes: stop > rt > fair > idle ----
 *
 * The upper two are rt.c's.  schedule.c, wake.c, task.c and ticks.c ask one question each: is p->above_fair?  A stopper is a task of policy
 * SCHED_STOP that is bound to its CPU; once woken it runs at that CPU's next pass, whatever else wants to.
 */
bool policy_is_above_fair(enum sched_policy policy);
void set_rt_policy(struct lab *lab, struct task_struct *p, enum sched_policy policy, int priority); /* of a task that is not queued */
void enqueue_task_rt(struct rq *rq, struct task_struct *p, bool keeps_place);
void dequeue_task_rt(struct rq *rq, struct task_struct *p);
void update_curr_rt(struct rq *rq); /* rq->curr is above fair; so for the next three */
void task_tick_rt(struct rq *rq);
void charge_ticks_rt(struct rq *rq, u64 nr, u64 last);
u64 ticks_left_rt(const struct rq *rq);
void yield_task_rt(struct rq *rq);
void start_waiting_rt(struct task_struct *p);
void stop_waiting_rt(struct task_struct *p);
void check_preempt_rt(struct rq *rq, const struct task_struct *p); /* @p or rq->curr is above fair */
int select_task_rq_rt(struct lab *lab, const struct task_struct *p);
void push_tasks_rt(struct rq *rq); /* after a pass: those who wait here and need not */
struct task_struct *waiting_task_rt(const struct rq *rq);
struct task_struct *pick_next_task_above(struct rq *rq, struct task_struct *prev);
void leave_fair(struct lab *lab, struct task_struct *p);
struct sched_domain;
void take_rt_from_capacity(struct lab *lab, struct sched_domain *sd);
u64 capacity_of(const struct rq *rq); /* for fair tasks, now */

/* ---- ticks.c ---- */
/* Charge ticks of @rq that have passed before its averages are read from elsewhere; its next tick is due as before. */
void peek_load(struct rq *rq);
void settle_ticks(struct rq *rq); /* something that @rq's ticks read is about to change: charge those that have passed */
void update_rq_clock(struct rq *rq); /* start of a section: catch up ticks left out, then sample the clock */
void rq_starts_running(struct rq *rq); /* the idle task leaves: ticks count from here */

/* ---- hrtick.c ---- */
void hrtick_update(struct rq *rq);
void task_hrtick(struct rq *rq);

/* ---- fair.c: the walks over the hierarchy, and the charge ---- */
void update_curr(struct lab *lab, struct cfs_rq *cfs_rq);
void charge_curr(struct lab *lab, struct cfs_rq *cfs_rq, u64 delta, u64 vdelta, u32 ticks);
void enqueue_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
bool dequeue_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
void enqueue_task_fair(struct rq *rq, struct task_struct *p, unsigned flags);
bool dequeue_task_fair(struct rq *rq, struct task_struct *p, unsigned flags);
void requeue_delayed_task(struct rq *rq, struct task_struct *p);
void dequeue_delayed(struct rq *rq, struct sched_entity *se); /* a task or a group that has waited its debt off */
struct task_struct *pick_next_task_fair(struct rq *rq, struct task_struct *prev);
void put_curr_chain(struct rq *rq);
void set_curr_chain(struct rq *rq);
void task_tick_fair(struct rq *rq);
void activate_task_fair(struct rq *rq, struct task_struct *p, unsigned flags);
void check_preempt_wakeup(struct rq *rq, struct task_struct *p, unsigned wake_flags);
void yield_task_fair(struct rq *rq);
void yield_to_task_fair(struct rq *rq, struct task_struct *p);
void reweight_entity(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight);
void start_waiting(struct task_struct *p);
void stop_waiting(struct task_struct *p);
bool se_is_idle(const struct sched_entity *se);

/* One copy of the switch path. */
struct path {
	void (*activate_task_fair)(struct rq *rq, struct task_struct *p, unsigned flags);
	bool (*dequeue_task_fair)(struct rq *rq, struct task_struct *p, unsigned flags);
	struct task_struct *(*pick_next_task_fair)(struct rq *rq, struct task_struct *prev);
	void (*check_preempt_wakeup)(struct rq *rq, struct task_struct *p, unsigned wake_flags);
	void (*task_tick_fair)(struct rq *rq);
	void (*dequeue_delayed)(struct rq *rq, struct sched_entity *se);
};
extern const struct path path_free, path_calm, path_full;
#ifndef THIS_PATH
#define THIS_PATH path_full
#endif

#define ENQUEUE_WAKEUP 1u
#define ENQUEUE_INITIAL 2u
#define ENQUEUE_MIGRATED 4u
#define DEQUEUE_SLEEP 1u
#define DEQUEUE_SAVE 2u
#define DEQUEUE_DELAYED 4u /* the end of a delayed sleep */
#define DEQUEUE_SPECIAL 8u /* not to be delayed: it dies, or its group is throttled */
#define WF_FORK 1u
#define WF_SYNC 2u
#define WF_KTHREAD 4u

/* ---- the pick policy: pick_vruntime.c (to 6.5), pick_eevdf.c (from 6.6); a hook may be NULL where it says so ---- */
struct pick_ops {
	/* Give @se, about to be queued (@flags: ENQUEUE_*), its place on @cfs_rq.  It is not counted there yet. */
	void (*place)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
	/* A child of @parent (or NULL) is placed before it is first queued. */
	void (*fork)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *parent, struct sched_entity *child);
	/* Into and out of the order of waiting entities; is @a before @b, or its equal? */
	void (*insert)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	void (*remove)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	bool (*in_order)(const struct sched_entity *a, const struct sched_entity *b);
	bool (*update)(struct rb_node *node); /* summary of a subtree: did it change?  NULL: none is kept */
	void (*check)(struct lab *lab, const struct cfs_rq *cfs_rq); /* laws of a queue; NULL: no more than in_order */
	/* After it was queued; NULL: nothing to do. */
	void (*joined)(struct lab *lab, struct sched_entity *se);
	/* Before it leaves, still counted (NULL: nothing to do), and after. */
	void (*leave)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
	void (*left)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, unsigned flags);
	/* Keep the queue's zero point. */
	void (*update_min)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* @curr was charged, maybe for @ticks ticks in one go: may ask it to leave.  NULL: only ticks do. */
	void (*charged)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr, u32 ticks);
	/* @se becomes current, because it was @picked or again after a change to it; out of the tree already.  NULL: nothing to do. */
	void (*set_next)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, bool picked);
	/* Who runs next; @curr: the running entity if it is still queued, or NULL. */
	struct sched_entity *(*pick)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
	/* Has @curr, just charged, had its turn?  Asked at each tick on a level with company. */
	bool (*turn_over)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
	/* How many whole ticks from now until a tick's charge or turn_over() may say so; at least 1. */
	u64 (*ticks_left)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
	/* Does the woken @pse preempt @se at the level where they meet?  Both are up to date. */
	bool (*wakes_over)(struct lab *lab, struct sched_entity *se, struct sched_entity *pse, unsigned wake_flags);
	/* The turn of @se, which is current, need not be waited for any more; NULL: it never is. */
	void (*cancel_protection)(struct lab *lab, struct sched_entity *se);
	bool wakee_is_buddy; /* one that preempts is to be picked next, too; then buddies matter only on crowded queues */
	/* sched_yield() by @curr. */
	void (*yielded)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
	/* Its weight is about to change; out of the tree; @mean was the queue's before.  Both NULL: order and place do not depend on weights. */
	void (*reweight)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se, u64 weight, u64 mean);
	u64 (*mean)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* Does @se, which wants to sleep, stay queued?  And it is wanted again.  Both NULL: never. */
	bool (*delays)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	void (*undelay)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
	/* Real time until the turn of @curr ends. */
	u64 (*time_left)(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *curr);
};
extern const struct pick_ops pick_vruntime, pick_eevdf;
u64 sched_slice(struct lab *lab, struct cfs_rq *cfs_rq, struct sched_entity *se);
void clear_buddies(struct sched_entity *se);

/* ---- group.c ---- */
#define RATIO_SHIFT 20
s64 quota_ratio(u64 period, u64 quota); /* quota / period, 20 bit fixed point; RUNTIME_INF where unlimited */
int check_hierarchy(struct lab *lab, struct task_group *target, u64 period, u64 quota, bool commit);
struct group_pair *group_pair(const struct task_group *tg, int cpu); /* NULL: none there yet */
struct group_pair *group_pair_make(struct lab *lab, struct task_group *tg, int cpu); /* with its ancestors; NULL: no memory */
/* The queue of @tg on @cpu (the CPU's root queue for the root group); NULL where there is none yet. */
struct cfs_rq *group_cfs_rq(struct lab *lab, const struct task_group *tg, int cpu);
void init_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq, struct rq *rq, struct task_group *tg);
bool attach_entity(struct lab *lab, struct task_struct *p, int cpu); /* point p->se at its group's queue there */
struct task_group *next_group(const struct task_group *tg, const struct task_group *top); /* preorder; NULL: done */
#define for_each_group_below(pos, top) for (pos = (top); pos; pos = next_group(pos, top))
/* The other way round: children before their parents, and the youngest first, as kernels list them. */
struct task_group *last_group(const struct task_group *top);
struct task_group *prev_group(const struct task_group *tg, const struct task_group *top);
#define for_each_group_up_to(pos, top) for (pos = last_group(top); pos; pos = prev_group(pos, top))
/* All pairs of a group, in order of CPUs. */
#define for_each_pair(lab, tg, cpu, pair)                                                                      \
	for (cpu = 0; cpu < (lab)->cfg.nr_cpus; cpu++)                                                         \
		if (((pair) = group_pair(tg, cpu)))

/* ---- bandwidth.c: the pool ---- */
void init_cfs_bandwidth(struct lab *lab, struct task_group *tg);
void expire_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq);
void runtime_used_up(struct lab *lab, struct cfs_rq *cfs_rq);

/* Charge @delta_exec ns of running to @cfs_rq's local runtime; where that is used up, draw a slice or ask current to leave. */
static inline void account_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq, u64 delta_exec)
{
	cfs_rq->charged += delta_exec;
	cfs_rq->runtime_remaining -= (s64)delta_exec; /* below 0 is a debt, repaid first */
	if (lab_rule(lab, BW_EXPIRY) != BW_EXPIRY_NONE && !before(cfs_rq->rq->clock, cfs_rq->runtime_expires))
		expire_cfs_rq_runtime(lab, cfs_rq);
	if (unlikely(cfs_rq->runtime_remaining <= 0))
		runtime_used_up(lab, cfs_rq);
}

bool assign_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq, u64 target);
void return_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq);
void refill_cfs_bandwidth_runtime(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu);
enum starter { START_REQUEST, START_THROTTLE, START_WRITE };
void start_cfs_bandwidth(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu, enum starter why);
void restart_cfs_bandwidth(struct lab *lab, struct cfs_bandwidth *cfs_b, int cpu);
bool distribution_running(const struct cfs_bandwidth *cfs_b);
void forget_local_runtime(struct lab *lab, struct cfs_rq *cfs_rq, s64 leave);
u64 local_ticks_left(struct lab *lab, struct cfs_rq *cfs_rq);
u64 bw_hidden_by_walk(const struct lab *lab, const struct cfs_bandwidth *cfs_b);

/* ---- the throttle policy: throttle_group.c (to 6.17), throttle_task.c (from 6.18) ---- */
struct throttle_ops {
	/* @cfs_rq is out of runtime, on the list and counted: take off the CPU what leaves at once. */
	void (*throttle)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* No queue from @cfs_rq up is throttled any more: asked for each below an unthrottled one, children first.  NULL: nothing to do. */
	void (*released)(struct lab *lab, struct cfs_rq *cfs_rq);
	/* It has runtime again and the counts are down: put back what was taken off.  NULL: nothing to do. */
	void (*unthrottle)(struct lab *lab, struct cfs_rq *cfs_rq);
	bool takes_group_off; /* a throttled queue is not part of the hierarchy above it */
};
extern const struct throttle_ops throttle_group, throttle_task;

/* Does a walk up the hierarchy end at @cfs_rq, because nothing of it is queued above? */
static inline bool ends_walk(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return is_throttled(cfs_rq) && lab->throttle->takes_group_off;
}

/* The same where somebody has just been queued, which on a calm CPU is the moment of the first throttle. */
static inline bool ends_walk_now(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return PATH >= PATH_CALM && cfs_rq->throttled && lab->throttle->takes_group_off;
}

/* Is @cfs_rq kept from running as a whole, by a limit here or above?  From 6.18 only parked tasks are. */
static inline bool cut_off(const struct lab *lab, const struct cfs_rq *cfs_rq)
{
	return throttled_hierarchy(cfs_rq) && lab->throttle->takes_group_off;
}

void give_throttle_work(struct rq *rq, struct task_struct *p);
void park(struct task_struct *p); /* @p is on no queue: into the limbo list of its own */
void unpark(struct task_struct *p);

/* ---- throttle.c: what both share ---- */
bool throttle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq);
void unthrottle_cfs_rq(struct lab *lab, struct cfs_rq *cfs_rq);
bool out_of_runtime(struct lab *lab, struct cfs_rq *cfs_rq);

/* At a schedule pass: is this level out of runtime?  Then throttle it.  True: its tasks are off the CPU now, pick again. */
static inline bool check_cfs_rq_runtime(struct lab *lab, struct cfs_rq *cfs_rq)
{
	return is_metered(cfs_rq) && unlikely(cfs_rq->runtime_remaining <= 0) && out_of_runtime(lab, cfs_rq);
}

void check_enqueue_throttle(struct lab *lab, struct cfs_rq *cfs_rq);
void run_unthrottle_list(struct rq *rq);
void choose_path(struct rq *rq);
bool path_is_right(const struct rq *rq);
void put_under_limit(struct lab *lab, struct task_group *tg); /* @tg is limited from now on, or was */
void stop_pelt_clock(struct cfs_rq *cfs_rq);
void last_has_left(struct lab *lab, struct cfs_rq *cfs_rq); /* nothing is queued on @cfs_rq any more */
void start_local_clock(struct cfs_rq *cfs_rq);

#endif
