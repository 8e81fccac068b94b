/* SPDX-License-Identifier: MIT */
/*
 * gather_home.c - rule gather=home: a limited group has CPUs of its own choice, as many as its quota is worth, and leaves them when it must wait.
 *
 *	quota / period, rounded up ---> k CPUs: where the quotas of all homes add up to no more than a CPU, the fullest of those; in one cache
 *
 *	wakes, forks		idle core of the home, idle CPU of it, the least loaded one; the kernel's choice where that means to wait
 *	would be pulled away	by a newly idle CPU: once it has waited; by others: once they have failed often enough, as what is hot
 *	is picked elsewhere	for an epoch already: the stopper takes it home
 *
 * A home is thought over once an epoch at most, and at once where it is too small or a CPU of it has gone.  All groups without one get theirs
 * at the same time, the largest limit first, since that packs best.
 * Law: a home has k CPUs that are online, or the group has none.
 * Rules: docs/rules/smp.md 13 (policy B).
 */
#include "core/gather_impl.h"

#define EPOCH (100 * MS)
#define LONG_WAIT (5 * MS)
#define ONE_CPU 1024
#define BUSY_WITH_OTHERS (ONE_CPU * 8 / 10)

/* ---- how full CPUs are ---- */

/* In 1024ths of a CPU, what each of the CPUs of its home owes to @tg. */
static u64 part_of(const struct task_group *tg, int k)
{
	return tg->cfs_bandwidth.quota / (u64)k * ONE_CPU / tg->cfs_bandwidth.period;
}

/* What the homes of others have promised on each CPU. */
static void add_promises(struct lab *lab, const struct task_group *but, u64 *promised)
{
	const struct task_group *tg;
	int cpu;

	for_each_group_below(tg, &lab->root) {
		if (tg == but || !tg->gather.nr_home || !gather_cpus_of_limit(tg))
			continue;
		for_each_bit(cpu, tg->gather.home, lab->cfg.nr_cpus)
			promised[cpu] += part_of(tg, tg->gather.nr_home);
	}
}

/* Is @cpu at work for others than @tg for more than 80 % of the time? */
static bool busy_with_others(struct lab *lab, const struct task_group *tg, int cpu)
{
	u64 util = cpu_util_avg(cpu_rq(lab, cpu));
	const struct group_pair *pair = group_pair(tg, cpu);
	u64 own = pair ? pair->se.avg.util_avg : 0;

	return util > own + BUSY_WITH_OTHERS;
}

/* ---- choosing a home ---- */

/* A home in the making. */
struct search {
	struct lab *lab;
	const struct task_group *tg;
	int k;
	u64 part, promised[LAB_MAX_CPUS];
};

static bool fits(const struct search *f, int cpu)
{
	return f->promised[cpu] + f->part <= ONE_CPU && !busy_with_others(f->lab, f->tg, cpu);
}

static bool core_is_taken(const struct search *f, const u64 *chosen, int cpu)
{
	int i;

	for_each_bit(i, cpu_rq(f->lab, cpu)->smp.smt, f->lab->cfg.nr_cpus)
		if (bit_test(chosen, i))
			return true;
	return false;
}

/* Larger is better: it fits, is of the home already, has its core to itself; of those that fit the fullest, of the others the emptiest. */
static u64 worth(const struct search *f, const u64 *chosen, int cpu)
{
	u64 full = min_u64(f->promised[cpu], (1 << 20) - 1);
	bool fit = fits(f, cpu), member = f->tg->gather.nr_home && bit_test(f->tg->gather.home, cpu);

	return (u64)fit << 23 | (u64)(fit && member) << 22 | (u64)!core_is_taken(f, chosen, cpu) << 21 | (fit ? full : (1 << 20) - 1 - full);
}

/* The @f->k best CPUs of those whose cache is @llc (-1: of all), the lowest of equals; how good they are altogether. */
static u64 choose(const struct search *f, int llc, u64 *chosen)
{
	u64 sum = 0;
	int i, cpu;

	for (i = 0; i < BITS_WORDS(f->lab->cfg.nr_cpus); i++)
		chosen[i] = 0;
	for (i = 0; i < f->k; i++) {
		u64 most = 0;
		int best = -1;

		for_each_bit(cpu, f->lab->smp.online, f->lab->cfg.nr_cpus) {
			if ((llc >= 0 && cpu_rq(f->lab, cpu)->smp.llc_id != llc) || bit_test(chosen, cpu))
				continue;
			if (best < 0 || worth(f, chosen, cpu) > most) {
				best = cpu;
				most = worth(f, chosen, cpu);
			}
		}
		if (best < 0)
			return 0; /* it is too small */
		bit_set(chosen, best);
		sum += most + 1;
	}
	return sum;
}

/* In the best cache that has so many CPUs; over several where none has. */
static void find_home(struct lab *lab, struct task_group *tg, int k)
{
	u64 chosen[BITS_WORDS(LAB_MAX_CPUS)], most = 0;
	struct search f = { .lab = lab, .tg = tg, .k = k, .part = part_of(tg, k) };
	u64 home[BITS_WORDS(LAB_MAX_CPUS)];
	int cpu, i;

	add_promises(lab, tg, f.promised);
	for_each_bit(cpu, lab->smp.online, lab->cfg.nr_cpus) {
		u64 sum = cpu_rq(lab, cpu)->smp.llc_id == cpu ? choose(&f, cpu, chosen) : 0;

		if (sum <= most)
			continue;
		most = sum;
		for (i = 0; i < BITS_WORDS(lab->cfg.nr_cpus); i++)
			home[i] = chosen[i];
	}
	if (!most)
		choose(&f, -1, home);
	for (i = 0; i < BITS_WORDS(lab->cfg.nr_cpus); i++)
		tg->gather.home[i] = home[i];
	tg->gather.nr_home = k;
}

static int wanted_cpus(const struct lab *lab, const struct task_group *tg)
{
	int k = gather_cpus_of_limit(tg);

	return k < lab->nr_online ? k : lab->nr_online;
}

/* The largest limit that has no home yet, the first of equals; NULL: all have. */
static struct task_group *largest_homeless(struct lab *lab)
{
	struct task_group *tg, *best = NULL;

	for_each_group_below(tg, &lab->root)
		if (gather_cpus_of_limit(tg) && !tg->gather.nr_home && (!best || part_of(tg, 1) > part_of(best, 1)))
			best = tg;
	return best;
}

static void give_homes(struct lab *lab)
{
	struct task_group *tg;

	while ((tg = largest_homeless(lab))) {
		find_home(lab, tg, wanted_cpus(lab, tg));
		tg->gather.homed_at = lab_ktime(lab);
	}
}

/* A CPU of it is gone. */
static bool is_broken(const struct lab *lab, const struct task_group *tg)
{
	int cpu;

	for_each_bit(cpu, tg->gather.home, lab->cfg.nr_cpus)
		if (!lab->rqs[cpu].online)
			return true;
	return false;
}

static bool is_crowded(struct lab *lab, const struct task_group *tg)
{
	int cpu;

	for_each_bit(cpu, tg->gather.home, lab->cfg.nr_cpus)
		if (busy_with_others(lab, tg, cpu))
			return true;
	return false;
}

static void think_over(struct lab *lab, struct task_group *tg)
{
	int k = wanted_cpus(lab, tg);
	bool epoch = !before(lab_ktime(lab), tg->gather.homed_at + EPOCH);

	if (!tg->gather.nr_home) {
		give_homes(lab);
		return;
	}
	if (k <= tg->gather.nr_home && !epoch && !is_broken(lab, tg))
		return;
	tg->gather.homed_at = lab_ktime(lab);
	if (k != tg->gather.nr_home || is_broken(lab, tg) || is_crowded(lab, tg))
		find_home(lab, tg, k);
}

static const u64 *home_of(struct lab *lab, const struct gathered *g)
{
	think_over(lab, g->tg);
	return g->tg->gather.home;
}

/* ---- where in it ---- */

static bool core_is_idle(const struct lab *lab, int cpu)
{
	int i;

	for_each_bit(i, lab->rqs[cpu].smp.smt, lab->cfg.nr_cpus)
		if (!cpu_is_idle(&lab->rqs[i]))
			return false;
	return true;
}

/* @target, prev, the next one behind @target: of those whose core is idle, then of all that are; -1: none is. */
static int idle_at_home(const struct selection *s, const u64 *home, int target)
{
	const struct lab *lab = s->lab;
	int nr = lab->cfg.nr_cpus, by_core, i;

	for (by_core = lab->smp.has_smt; by_core >= 0; by_core--)
		for (i = -1; i < nr; i++) {
			int cpu = i < 0 ? target : i ? (target + i) % nr : s->prev;

			if (bit_test(home, cpu) && cpu_usable(lab, s->p, cpu) && counts_as_idle(s, cpu) && (!by_core || core_is_idle(lab, cpu)))
				return cpu;
		}
	return -1;
}

/* The CPU of it with the fewest tasks; @prev, else the lowest, of equals; -1: it may use none. */
static int least_at_home(const struct lab *lab, const u64 *home, const struct task_struct *p, int prev)
{
	int cpu, best = -1;

	for_each_bit(cpu, home, lab->cfg.nr_cpus) {
		u32 nr = lab->rqs[cpu].nr_running;

		if (cpu_usable(lab, p, cpu) && (best < 0 || nr < lab->rqs[best].nr_running || (nr == lab->rqs[best].nr_running && cpu == prev)))
			best = cpu;
	}
	return best;
}

/* ---- leaving it ---- */

/* Every limit above @p has more than a slice left to give. */
static bool has_runtime(const struct lab *lab, const struct task_struct *p)
{
	const struct task_group *tg;

	for (tg = p->tg; tg->parent; tg = tg->parent)
		if (tg->cfs_bandwidth.quota != RUNTIME_INF && tg->cfs_bandwidth.runtime <= lab->model.param[PARAM_CFS_BANDWIDTH_SLICE] * US)
			return false;
	return true;
}

static u64 expected_wait(const struct lab *lab, int cpu)
{
	u64 nr = lab->rqs[cpu].nr_running;

	if (lab_rule(lab, PICK))
		return nr * lab->base_slice;
	return nr * max_u64(lab->min_granularity, lab->latency / (nr + 1));
}

static bool some_other_is_idle(const struct selection *s, const u64 *home)
{
	int cpu;

	for_each_bit(cpu, s->p->cpus_allowed, s->lab->cfg.nr_cpus)
		if (!bit_test(home, cpu) && s->lab->rqs[cpu].online && counts_as_idle(s, cpu))
			return true;
	return false;
}

int gather_home_wake(const struct selection *s, const struct gathered *g, int target)
{
	const u64 *home = home_of(s->lab, g);
	int cpu = idle_at_home(s, home, target);

	if (cpu >= 0)
		return cpu;
	cpu = least_at_home(s->lab, home, s->p, s->prev);
	if (cpu >= 0 && has_runtime(s->lab, s->p) && expected_wait(s->lab, cpu) > LONG_WAIT && some_other_is_idle(s, home))
		return -1;
	return cpu;
}

static bool has_waited(struct lab *lab, const struct task_struct *p)
{
	return p->waiting && cpu_rq(lab, p->cpu)->clock - p->wait_start > LONG_WAIT;
}

bool gather_home_keeps(struct lab *lab, const struct gathered *g, const struct task_struct *p, int cpu, enum gather_ask ask)
{
	if (ask == GATHER_ASKED_IN_NEED || bit_test(home_of(lab, g), cpu))
		return false;
	return ask == GATHER_ASKED || !has_waited(lab, p) || !has_runtime(lab, p);
}

void gather_home_picked(struct rq *rq, struct task_struct *next, const struct gathered *g)
{
	const u64 *home = home_of(rq->lab, g);
	int cpu;

	if (bit_test(home, rq->cpu)) {
		next->away_since = 0;
		return;
	}
	if (!next->away_since)
		next->away_since = rq->clock;
	if (rq->clock - next->away_since < EPOCH)
		return;
	next->away_since = rq->clock;
	cpu = least_at_home(rq->lab, home, next, rq->cpu);
	if (cpu >= 0)
		stop_and_push(rq->lab, next, cpu);
}
