/* SPDX-License-Identifier: MIT */
/*
 * model.h - a kernel is a row: a named set of rules and parameters.
 *
 * Every behaviour that not all kernels share is a rule (rules.def): a small enum with a default, asked in exactly one
 * named function of the scheduler.  Numbers are parameters (params.def).  rows.def lists the kernels; a row inherits
 * from an older one and names only what changed.  No version number appears in scheduler code.
 */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

#include "base/types.h"

/* When a request to reschedule takes effect; also the values of rule preempt. */
enum preempt_model { PREEMPT_NONE, PREEMPT_VOLUNTARY, PREEMPT_FULL, PREEMPT_LAZY };

/* enum rule: RULE_BW_EXPIRY, ... one per RULE() of rules.def, in its order. */
enum rule {
#define RULE(id, name, values, since, commit, sentence) RULE_##id,
#include "core/rules.def"
#undef RULE
	NR_RULES
};

/* enum param: PARAM_CFS_BANDWIDTH_SLICE, ... one per PARAM() of params.def; values in ns unless the table says else. */
enum param {
#define PARAM(id, name, unit, value, lowest, highest, sentence) PARAM_##id,
#include "core/params.def"
#undef PARAM
	NR_PARAMS
};

/* The values of rules that have more than off and on, in the order of rules.def. */
enum bw_expiry { BW_EXPIRY_NONE, BW_EXPIRY_DEADLINE, BW_EXPIRY_INVERTED, BW_EXPIRY_SEQ };
enum bw_restart { BW_RESTART_REFILL, BW_RESTART_KEEP, BW_RESTART_ADVANCE };
enum bw_list { BW_LIST_TAIL, BW_LIST_HEAD, BW_LIST_MIXED };
enum bw_pool { BW_POOL_HIDDEN, BW_POOL_SHARED, BW_POOL_EXACT };
enum bw_slack_timer { BW_SLACK_GRID, BW_SLACK_RESTART, BW_SLACK_FIXED };
enum bw_stretch { BW_STRETCH_NONE, BW_STRETCH_SCALED, BW_STRETCH_DOUBLED };
enum bw_refill { BW_REFILL_SET, BW_REFILL_ADD };
enum bw_burst_unit { BW_BURST_RIGHT, BW_BURST_DIVIDED };
enum bw_unthrottle { BW_UNTHROTTLE_DIRECT, BW_UNTHROTTLE_IPI };
enum bw_throttle { BW_THROTTLE_GROUP, BW_THROTTLE_TASK, BW_THROTTLE_CHARGE };
enum bw_phase { BW_PHASE_GRID, BW_PHASE_RANDOM };
enum bw_empty_time { BW_EMPTY_COUNTED, BW_EMPTY_QUEUED, BW_EMPTY_PARKED };
enum slice_protect { SLICE_PROTECT_DEADLINE, SLICE_PROTECT_TIME, SLICE_PROTECT_PICK };
enum reweight_keeps { REWEIGHT_KEEPS_V, REWEIGHT_KEEPS_LAG, REWEIGHT_KEEPS_REQUEST };
enum bw_hotplug { BW_HOTPLUG_ALL, BW_HOTPLUG_OWN };
enum bw_v2_hierarchy { BW_V2_REFUSE, BW_V2_UNLIMITED, BW_V2_MIN };
enum sd_defaults { SD_DEFAULTS_ARCH, SD_DEFAULTS_WEIGHT };
enum smt_capacity { SMT_CAPACITY_SHARED, SMT_CAPACITY_WHOLE };
enum numa_groups { NUMA_GROUPS_BELOW, NUMA_GROUPS_WITHIN };
enum cpu_load { CPU_LOAD_WEIGHT, CPU_LOAD_RUNNABLE, CPU_LOAD_TOTAL };
enum util_est_keeps { UTIL_EST_AVERAGE, UTIL_EST_BOTH, UTIL_EST_ONE };
enum util_est_as_of { UTIL_EST_AS_OF_SLEEP, UTIL_EST_AS_OF_UPDATE };
enum util_est_exec { UTIL_EST_EXEC_LEFT, UTIL_EST_EXEC_TAKEN };
enum wake_wide { WAKE_WIDE_OFF, WAKE_WIDE_WAKER, WAKE_WIDE_PAIR };
enum wake_affine { WAKE_AFFINE_BALANCED, WAKE_AFFINE_IDLE, WAKE_AFFINE_SHARED, WAKE_AFFINE_PREV };
enum wake_search { WAKE_SEARCH_AFFINE, WAKE_SEARCH_ALWAYS };
enum sync_exiting { SYNC_EXITING_HEARD, SYNC_EXITING_IGNORED };
enum kthread_stacking { KTHREAD_STACKING_OFF, KTHREAD_STACKING_ANY, KTHREAD_STACKING_TASK };
enum recent_used { RECENT_USED_OFF, RECENT_USED_WAKER, RECENT_USED_WAKEE };
enum idle_search { IDLE_SEARCH_GROUPS, IDLE_SEARCH_TWICE, IDLE_SEARCH_ONCE };
enum sis_counts { SIS_COUNTS_ALL, SIS_COUNTS_ALLOWED };
enum idle_policy_cpu { IDLE_POLICY_OFF, IDLE_POLICY_ANY, IDLE_POLICY_NORMAL };
enum fork_search { FORK_SEARCH_LOAD, FORK_SEARCH_SPARE, FORK_SEARCH_TYPES };
enum fork_counts { FORK_COUNTS_ALL, FORK_COUNTS_ALLOWED };
enum fork_numa { FORK_NUMA_IDLE, FORK_NUMA_LIMIT };
enum fork_cpu { FORK_CPU_LOAD, FORK_CPU_IDLE };
enum affinity_pick { AFFINITY_PICK_LOWEST, AFFINITY_PICK_ROTATING };
enum cpuset_v2 { CPUSET_V2_NESTED, CPUSET_V2_OWN, CPUSET_V2_FREE };
enum wake_list { WAKE_LIST_OFF, WAKE_LIST_FAR, WAKE_LIST_IDLE };
enum balancer { BALANCER_TASKS, BALANCER_LOAD, BALANCER_TYPES };
enum busy_interval { BUSY_INTERVAL_WHOLE, BUSY_INTERVAL_LESS };
enum lb_designated { LB_DESIGNATED_CPU, LB_DESIGNATED_CORE };
enum lb_imbalanced { LB_IMBALANCED_LOADS, LB_IMBALANCED_FLAG };
enum lb_force { LB_FORCE_NEWIDLE, LB_FORCE_IDLE };
enum prefer_sibling { PREFER_SIBLING_CHILD, PREFER_SIBLING_GROUP };
enum lb_numa { LB_NUMA_PAIR, LB_NUMA_LIMIT };
enum lb_source { LB_SOURCE_ANY, LB_SOURCE_QUEUED };
enum lb_util { LB_UTIL_USED, LB_UTIL_RUNNABLE };
enum lb_relax { LB_RELAX_HALF, LB_RELAX_FAILED };
enum lb_order { LB_ORDER_QUEUED, LB_ORDER_PICKED };
enum lb_kthread { LB_KTHREAD_PINNED, LB_KTHREAD_SKIPPED };
enum lb_delayed { LB_DELAYED_MOVED, LB_DELAYED_LOAD };
enum lb_serialized { LB_SERIALIZED_LATER, LB_SERIALIZED_BALANCED };
enum active_cause { ACTIVE_CAUSE_ANY, ACTIVE_CAUSE_TASKS };
enum active_kick { ACTIVE_KICK_SETTLES, ACTIVE_KICK_COUNTS };
enum newidle_gate { NEWIDLE_GATE_TIME, NEWIDLE_GATE_OVERLOAD, NEWIDLE_GATE_COST };
enum newidle_amount { NEWIDLE_AMOUNT_SIZE, NEWIDLE_AMOUNT_ONE };
enum newidle_dice { NEWIDLE_DICE_OFF, NEWIDLE_DICE_RATIO, NEWIDLE_DICE_TIMED };
enum gather { GATHER_OFF, GATHER_ACTIVE_SET, GATHER_OPENVZ, GATHER_FUNDED, GATHER_HOME, GATHER_ADAPTIVE };
enum rfc_kthread { RFC_KTHREAD_OFF, RFC_KTHREAD_POSTED, RFC_KTHREAD_TEXT };

struct kernel_model {
	const char *row;	/* name of the row it was built from */
	u8 rule[NR_RULES];	/* chosen value of each rule, an index into its values */
	u64 param[NR_PARAMS];	/* in the table's unit */
	u8 param_set[NR_PARAMS];/* 1 where a tunable was written: no scaling by the number of CPUs */
};

/* The text side of a rule; strings are static. */
struct rule_info {
	const char *name;     /* as in --rule name=value */
	const char *values;   /* "none|deadline|inverted|seq", index = value */
	const char *since;    /* which kernels have which value, in words */
	const char *commit;   /* the commits that changed it, space separated, "" where unknown */
	const char *sentence; /* what it decides */
};

struct param_info {
	const char *name; /* as in the kernel's sysctl or debugfs, with the unit: sched_cfs_bandwidth_slice_us */
	const char *unit; /* "us", "ns" or "" */
	u64 lowest, highest;
	const char *sentence;
};

/* Fill @model from the row called @row.  Returns 0, or -ENOENT where there is no such row. */
int model_init(struct kernel_model *model, const char *row);

/*
 * Apply "name=value" (or Linux's feature spelling, NAME and NO_NAME) to @model.
 * Returns 0; -ENOENT for an unknown rule; -EINVAL for an unknown value; -EPERM where the rule needs another one that
 * is off (then *@needs, if not NULL, names it).
 */
int model_set_rule(struct kernel_model *model, const char *assignment, const char **needs);

/* Write the tunable called @name; @value in the unit its name carries.  0, -ENOENT, or -ERANGE. */
int model_set_tunable(struct kernel_model *model, const char *name, u64 value);

/* Names of rows, oldest first: index from 0; NULL past the last. */
const char *model_row_name(int index);
const char *model_row_parent(int index); /* row it inherits from, or NULL */
const char *model_row_sentence(int index);

/* What the tables rules.def and params.def say of one; static. */
const struct rule_info *rule_info(enum rule rule);
const struct param_info *param_info(enum param param);

/* The chosen value of @rule as text, copied into @buf (of @size, NUL-terminated, cut if too long); returns @buf. */
char *model_rule_value(const struct kernel_model *model, enum rule rule, char *buf, size_t size);

#endif
