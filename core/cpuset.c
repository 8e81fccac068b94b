/* SPDX-License-Identifier: MIT */
/*
 * cpuset.c - cpuset.cpus: a group may leave fewer CPUs to its tasks than there are, and change that while they run.
 *
 *	/		all CPUs
 *	 '-- /web	"0-3"		effective: 0-3
 *	      |-- /a	"2-5"		effective: 2-3, what its parent has of it
 *	      '-- /b	""  or "6"	effective: 0-3, its parent's: nothing said, or nothing left of it
 *
 * A task may use what it asked for, as far as the cpuset has it.  A write, a move to another group and a CPU that goes or comes give the new
 * mask to every task that it concerns, as if by sched_setaffinity(): who may stay stays, who waits moves, who runs is taken along.
 *
 * Law: the effective set of a group has a CPU that is online, and is part of its parent's.
 * Rules: docs/rules/smp.md 3; the refusals are those of the kernel's cpuset.c, per cgroup version.
 */
#include "core/cpuset.h"
#include "core/verbs.h"

#include <string.h>

/* ---- sets ---- */

static int words_of(const struct lab *lab) { return BITS_WORDS(lab->cfg.nr_cpus); }

static void copy(const struct lab *lab, u64 *to, const u64 *from) { memcpy(to, from, (size_t)words_of(lab) * sizeof(*to)); }

static bool same(const struct lab *lab, const u64 *a, const u64 *b) { return !memcmp(a, b, (size_t)words_of(lab) * sizeof(*a)); }

static void all_cpus(const struct lab *lab, u64 *set)
{
	int cpu;

	memset(set, 0, (size_t)words_of(lab) * sizeof(*set));
	for (cpu = 0; cpu < lab->cfg.nr_cpus; cpu++)
		bit_set(set, cpu);
}

static void cut(const struct lab *lab, u64 *set, const u64 *by)
{
	int i;

	for (i = 0; i < words_of(lab); i++)
		set[i] &= by[i];
}

static bool is_part_of(const struct lab *lab, const u64 *a, const u64 *b)
{
	int i;

	for (i = 0; i < words_of(lab); i++)
		if (a[i] & ~b[i])
			return false;
	return true;
}

/* Is anything of @a and @b online? */
static bool have_cpu(const struct lab *lab, const u64 *a, const u64 *b)
{
	int i;

	for (i = 0; i < words_of(lab); i++)
		if (a[i] & b[i] & lab->smp.online[i])
			return true;
	return false;
}

/* ---- what a group has ---- */

/* The cpuset.cpus of @tg (NULL: empty), or @mask where @tg is @as: as it would be after a write. */
static const u64 *own_cpus(const struct task_group *tg, const struct task_group *as, const u64 *mask)
{
	if (tg == as)
		return mask;
	return tg->has_cpuset ? tg->cpuset : NULL;
}

static void effective_if(const struct lab *lab, const struct task_group *tg, u64 *set, const struct task_group *as, const u64 *mask)
{
	const u64 *own;

	if (!tg->parent) {
		all_cpus(lab, set);
		return;
	}
	effective_if(lab, tg->parent, set, as, mask);
	own = own_cpus(tg, as, mask);
	if (own && have_cpu(lab, own, set))
		cut(lab, set, own);
}

static void effective(const struct lab *lab, const struct task_group *tg, u64 *set) { effective_if(lab, tg, set, NULL, NULL); }

void lab_group_cpus(struct lab *lab, const struct task_group *tg, u64 *cpus) { effective(lab, tg, cpus); }

/* The nearest group from @tg up whose cpuset.cpus is not empty, or the root. */
static const struct task_group *cpuset_of(const struct task_group *tg)
{
	while (tg->parent && !tg->has_cpuset)
		tg = tg->parent;
	return tg;
}

/* ---- what a task has ---- */

void cpuset_cut(struct lab *lab, const struct task_struct *p, const u64 *asked, u64 *cpus)
{
	if (lab->has_cpusets)
		effective(lab, p->tg, cpus);
	else
		all_cpus(lab, cpus);
	if (asked)
		cut(lab, cpus, asked);
}

static void cpus_in(const struct lab *lab, const struct task_struct *p, const struct task_group *tg, u64 *cpus)
{
	effective(lab, tg, cpus);
	if (p->has_user_cpus && have_cpu(lab, p->user_cpus, cpus))
		cut(lab, cpus, p->user_cpus);
}

void cpuset_cpus(struct lab *lab, const struct task_struct *p, u64 *cpus) { cpus_in(lab, p, p->tg, cpus); }

/*
 * Rule user_cpus: to 6.1 a cpuset that changes overwrites what a task had asked for; from 6.2 (8f9ea86fdf99) that is remembered, and holds as
 * far as the cpuset has it.
 */
void remember_user_cpus(struct lab *lab, struct task_struct *p, const u64 *cpus)
{
	if (!lab_rule(lab, USER_CPUS))
		return;
	p->has_user_cpus = true;
	copy(lab, p->user_cpus, cpus);
}

/* A kernel thread that is made for its CPU is in nobody's hands. */
static bool is_out_of_reach(const struct task_struct *p) { return p->kthread && p->nr_cpus_allowed == 1; }

static void give_cpus(struct lab *lab, int cpu, struct task_struct *p, const struct task_group *tg)
{
	cpuset_mask cpus;

	if (is_out_of_reach(p))
		return;
	cpus_in(lab, p, tg, cpus);
	if (lab->rqs[p->cpu].online)
		set_cpus_allowed(lab, cpu, p, cpus);
	else
		allow_cpus(lab, p, cpus); /* it leaves by itself: hotplug.c */
}

void cpuset_attach(struct lab *lab, int cpu, struct task_struct *p, const struct task_group *to)
{
	if (lab->has_cpusets && cpuset_of(p->tg) != cpuset_of(to))
		give_cpus(lab, cpu, p, to);
}

/* What is online of the effective set of @tg. */
static void online_part(const struct lab *lab, const struct task_group *tg, u64 *set)
{
	effective(lab, tg, set);
	cut(lab, set, lab->smp.online);
}

static void flip(struct lab *lab, int cpu)
{
	if (bit_test(lab->smp.online, cpu))
		bit_clear(lab->smp.online, cpu);
	else
		bit_set(lab->smp.online, cpu);
}

/* Did the effective set of @tg change when @cpu went or came? */
static bool changes_by_hotplug(struct lab *lab, const struct task_group *tg, int cpu)
{
	cpuset_mask now, then;

	if (!cpuset_of(tg)->parent) /* tasks of the root's cpuset are let alone */
		return false;
	online_part(lab, tg, now);
	flip(lab, cpu);
	online_part(lab, tg, then);
	flip(lab, cpu);
	return !same(lab, now, then);
}

/* cgroup v2: the effective sets follow, and so do their tasks.  v1 takes a CPU out of its sets for good, which is not modelled. */
void cpusets_follow_hotplug(struct lab *lab, int cpu)
{
	struct list_head *pos;

	if (!lab->has_cpusets || lab->cfg.cgroup != 2)
		return;
	list_for_each(pos, &lab->tasks) {
		struct task_struct *p = list_entry(pos, struct task_struct, all);

		if (changes_by_hotplug(lab, p->tg, cpu))
			give_cpus(lab, p->cpu, p, p->tg);
	}
}

/* ---- writing ---- */

static bool is_below(const struct task_group *tg, const struct task_group *top)
{
	while (tg && tg != top)
		tg = tg->parent;
	return tg;
}

static bool has_tasks(const struct lab *lab, const struct task_group *top)
{
	const struct list_head *pos;

	list_for_each(pos, &lab->tasks)
		if (is_below(list_entry(pos, struct task_struct, all)->tg, top))
			return true;
	return false;
}

/* Some child's own set is not part of @cpus. */
static bool child_sticks_out(const struct lab *lab, const struct task_group *tg, const u64 *cpus)
{
	const struct list_head *pos;

	list_for_each(pos, &tg->children) {
		const struct task_group *child = list_entry(pos, struct task_group, siblings);

		if (child->has_cpuset && !(cpus && is_part_of(lab, child->cpuset, cpus)))
			return true;
	}
	return false;
}

static bool parent_lacks(const struct lab *lab, const struct task_group *tg, const u64 *cpus)
{
	cpuset_mask above;

	effective(lab, tg->parent, above);
	return !is_part_of(lab, cpus, above);
}

/*
 * Rule cpuset_v2: what cgroup v2 refuses.  nested (to 6.0): as v1, a set that a child's own is no part of; own (6.1-6.19): that no more, but still to
 * empty the set of a group with tasks, itself or below; free (from 7.0): nothing.
 */
static int check_cpuset(const struct lab *lab, const struct task_group *tg, const u64 *cpus, const char **why)
{
	bool v1 = lab->cfg.cgroup == 1;

	if (!tg->parent)
		return refuse(-EACCES, "the root's cpuset has all CPUs that are online, and cannot be written", why);
	if ((v1 || lab_rule(lab, CPUSET_V2) == CPUSET_V2_NESTED) && child_sticks_out(lab, tg, cpus))
		return refuse(-EBUSY, "the cpuset of a group below has CPUs that would be missing here", why);
	if (v1 && cpus && parent_lacks(lab, tg, cpus))
		return refuse(-EACCES, "in cgroup v1 a cpuset must be part of its parent's", why);
	if ((v1 || lab_rule(lab, CPUSET_V2) != CPUSET_V2_FREE) && !cpus && tg->has_cpuset && has_tasks(lab, tg))
		return refuse(-ENOSPC, "the cpuset of a group with tasks cannot be emptied", why);
	return 0;
}

static bool same_as_before(const struct lab *lab, const struct task_group *tg, const u64 *cpus)
{
	if (!cpus || !tg->has_cpuset)
		return !cpus && !tg->has_cpuset;
	return same(lab, cpus, tg->cpuset);
}

static bool effective_changes(const struct lab *lab, const struct task_group *of, const struct task_group *tg, const u64 *cpus)
{
	cpuset_mask before_it, after_it;

	effective(lab, of, before_it);
	effective_if(lab, of, after_it, tg, cpus);
	return !same(lab, before_it, after_it);
}

/* Mark whom the write concerns, while the old sets still stand. */
static void mark_concerned(struct lab *lab, const struct task_group *tg, const u64 *cpus)
{
	struct list_head *pos;

	list_for_each(pos, &lab->tasks) {
		struct task_struct *p = list_entry(pos, struct task_struct, all);

		p->cpuset_changes = is_below(p->tg, tg) && effective_changes(lab, p->tg, tg, cpus);
	}
}

int lab_set_cpuset(struct lab *lab, int cpu, struct task_group *tg, const u64 *cpus, const char **why)
{
	struct list_head *pos;
	int ret = check_cpuset(lab, tg, cpus, why);

	if (ret || same_as_before(lab, tg, cpus))
		return ret;
	if (!tg->cpuset)
		tg->cpuset = lab->pf.alloc(lab->pf.ctx, (size_t)words_of(lab) * sizeof(*tg->cpuset));
	if (!tg->cpuset)
		return refuse(-ENOMEM, "out of memory", why);
	mark_concerned(lab, tg, cpus);
	lab->has_cpusets = true;
	tg->has_cpuset = cpus;
	if (cpus)
		copy(lab, tg->cpuset, cpus);
	list_for_each(pos, &lab->tasks) {
		struct task_struct *p = list_entry(pos, struct task_struct, all);

		if (p->cpuset_changes)
			give_cpus(lab, cpu, p, p->tg);
	}
	lab_verb_done(lab);
	return 0;
}
