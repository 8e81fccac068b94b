/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c - the state of the scheduler at one moment.
 *
 *	cfs_bandwidth /fibtest
 *	  .quota 10000000  .period 100000000  .runtime 0 ...
 *	  cfs_rq[0]  .runtime_remaining -1234 .throttled 1 ...
 *	rq[0]
 *	  curr /fibtest ...
 *
 * Like the kernel's own debug files: every field by its name, times in ns, nothing rounded.
 */
#define _GNU_SOURCE
#include "report/snapshot.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "core/view.h"
#include "report/topology_json.h"

#define ENTITIES_SHOWN 16 /* of one queue */

struct lines {
	struct machine *m;
	const struct scenario *sc;
	char **v;
	u32 nr, cap;
	bool failed;
};

static void line(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void line(struct lines *l, const char *fmt, ...)
{
	va_list ap;
	char *text, **v;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text && l->nr == l->cap) {
		v = realloc(l->v, (l->cap + 64) * sizeof(*v));
		if (v) {
			l->v = v;
			l->cap += 64;
		}
	}
	if (!text || l->nr == l->cap) {
		free(text);
		l->failed = true;
		return;
	}
	l->v[l->nr++] = text;
}

/* The path of the group with this id; a group that is no longer in the scenario has none. */
static const char *path_of(const struct lines *l, u32 id)
{
	u32 i;

	for (i = 0; i < l->sc->nr_groups; i++) {
		const struct task_group *tg = machine_group(l->m, l->sc->groups[i].path);

		if (tg && lab_group_id(tg) == id)
			return l->sc->groups[i].path;
	}
	return id ? "?" : "/";
}

static void put_pool(struct lines *l, const struct cfs_bandwidth_view *v)
{
	char ratio[32];

	/* 2^20 is one CPU; without a limit the kernel stores all ones */
	if (v->hierarchical_quota == (s64)RUNTIME_INF)
		snprintf(ratio, sizeof(ratio), "-1");
	else
		snprintf(ratio, sizeof(ratio), "%" PRId64, v->hierarchical_quota);
	line(l, "  .period %" PRIu64 "  .quota %" PRIu64 "  .burst %" PRIu64 "  .hierarchical_quota %s", v->period, v->quota, v->burst,
	     ratio);
	line(l, "  .runtime %" PRIu64 "  .runtime_expires %" PRIu64 "  .expires_seq %u  .idle %d  .period_active %d  .slack_started %d"
		"  .distribute_running %d",
	     v->runtime, v->runtime_expires, v->expires_seq, v->idle, v->period_active, v->slack_started, v->distribute_running);
	line(l, "  .period_timer %" PRIu64 "  .slack_timer %" PRIu64 "  .throttled_cfs_rq %u", v->period_expires, v->slack_expires,
	     v->nr_throttled_cfs_rq);
	line(l, "  .nr_periods %" PRIu64 "  .nr_throttled %" PRIu64 "  .throttled_time %" PRIu64 "  .nr_burst %" PRIu64
		"  .burst_time %" PRIu64,
	     v->nr_periods, v->nr_throttled, v->throttled_time, v->nr_bursts, v->burst_time);
}

static void put_local(struct lines *l, int cpu, const struct cfs_rq_view *v)
{
	line(l, "  cfs_rq[%d]  .runtime_enabled %d  .runtime_remaining %" PRId64 "  .runtime_expires %" PRIu64
		"  .expires_seq %u  .throttled %d  .throttle_count %u  .throttled_clock %" PRIu64 "  .nr_running %u  .exec_clock %" PRIu64,
	     cpu, v->runtime_enabled, v->runtime_remaining, v->runtime_expires, v->expires_seq, v->throttled, v->throttle_count,
	     v->throttled_clock, v->nr_running, v->exec_clock);
}

/* Where it is not every CPU. */
static void put_cpuset(struct lines *l, const char *path, const struct task_group *tg)
{
	u64 cpus[BITS_WORDS(LAB_MAX_CPUS)] = { 0 };
	char text[256];

	lab_group_cpus(machine_lab(l->m), tg, cpus);
	if (bit_count(cpus, l->sc->machine.cpus) < l->sc->machine.cpus)
		line(l, "cpuset %s  .effective_cpus %s", path, cpu_list_text(text, sizeof(text), cpus, l->sc->machine.cpus));
}

static void put_group(struct lines *l, const char *path, const struct task_group *tg)
{
	struct lab *lab = machine_lab(l->m);
	struct cfs_bandwidth_view pool;
	struct cfs_rq_view q;
	int cpu;

	put_cpuset(l, path, tg);
	lab_view_bandwidth(lab, tg, &pool);
	if (pool.quota == RUNTIME_INF && !pool.nr_periods)
		return;
	line(l, "cfs_bandwidth %s", path);
	put_pool(l, &pool);
	for (cpu = 0; cpu < l->sc->machine.cpus; cpu++)
		if (lab_view_cfs_rq(lab, tg, cpu, &q))
			put_local(l, cpu, &q);
}

static void put_entity(struct lines *l, const struct sched_entity_view *e)
{
	char name[32];

	snprintf(name, sizeof(name), "task %u", e->task);
	line(l, "    %s %s  .weight %" PRIu64 "  .vruntime %" PRIu64 "  .sum_exec_runtime %" PRIu64, e->curr ? "curr" : "    ",
	     e->task ? name : path_of(l, e->group), e->weight, e->vruntime, e->sum_exec_runtime);
}

static void put_queue(struct lines *l, const char *path, const struct task_group *tg, int cpu)
{
	struct lab *lab = machine_lab(l->m);
	struct sched_entity_view e[ENTITIES_SHOWN];
	struct cfs_rq_view q;
	u32 i, nr;

	if (!lab_view_cfs_rq(lab, tg, cpu, &q) || !q.nr_running)
		return;
	line(l, "  cfs_rq[%d] %s  .nr_running %u  .h_nr_running %u  .load %" PRIu64 "  .min_vruntime %" PRIu64, cpu, path, q.nr_running,
	     q.h_nr_running, q.load_weight, q.min_vruntime);
	nr = lab_view_queue(lab, tg, cpu, e, ENTITIES_SHOWN);
	for (i = 0; i < nr && i < ENTITIES_SHOWN; i++)
		put_entity(l, &e[i]);
	if (nr > ENTITIES_SHOWN)
		line(l, "    ... and %u more", nr - ENTITIES_SHOWN);
}

static void put_cpu(struct lines *l, int cpu)
{
	struct lab *lab = machine_lab(l->m);
	u32 i, before = l->nr;

	put_queue(l, "/", lab_root(lab), cpu);
	for (i = 0; i < l->sc->nr_groups; i++)
		put_queue(l, l->sc->groups[i].path, machine_group(l->m, l->sc->groups[i].path), cpu);
	if (l->nr == before)
		line(l, "  cfs_rq[%d] idle", cpu);
}

char **snapshot_lines(struct machine *m, const struct scenario *sc, u32 *nr)
{
	struct lines l = { .m = m, .sc = sc };
	u32 i;
	int cpu;

	line(&l, "snapshot at %" PRIu64 " ns", machine_now(m));
	for (i = 0; i < sc->nr_groups; i++)
		put_group(&l, sc->groups[i].path, machine_group(m, sc->groups[i].path));
	line(&l, "queues");
	for (cpu = 0; cpu < sc->machine.cpus; cpu++)
		put_cpu(&l, cpu);
	*nr = l.nr;
	if (!l.failed)
		return l.v;
	for (i = 0; i < l.nr; i++)
		free(l.v[i]);
	free(l.v);
	return NULL;
}
