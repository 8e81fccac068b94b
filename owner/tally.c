/* SPDX-License-Identifier: MIT */
/*
 * tally.c - what happened in a run, counted.
 *
 * The digest covers (time, CPU, event, task, group) of every event but sched_stat_runtime, whose grouping depends on which ticks
 * were left out; their count and sum are in it as final counters.
 */
#include "owner/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

bool tally_init(struct tally *t, struct arena *mem, int nr_cpus, u64 epoch)
{
	t->epoch = epoch;
	t->nr_cpus = nr_cpus;
	t->digest = DIGEST_INIT;
	t->usage = arena_alloc(mem, (size_t)nr_cpus * sizeof(*t->usage));
	t->usage_base = arena_alloc(mem, (size_t)nr_cpus * sizeof(*t->usage_base));
	return t->usage && t->usage_base;
}

void tally_event(struct tally *t, struct groups *gs, const struct event *ev)
{
	if (ev->type == EVENT_SCHED_STAT_RUNTIME) {
		t->events[ev->type] += (u64)ev->arg;
		t->nr_stat_runtime += ev->other;
		t->usage[ev->cpu] += (u64)ev->arg;
	} else {
		t->events[ev->type]++;
		t->digest = digest_u64(t->digest, ev->time - t->epoch);
		t->digest = digest_u64(t->digest, (u64)ev->cpu << 32 | ev->type);
		t->digest = digest_u64(t->digest, (u64)ev->task << 32 | ev->group);
		if (ev->type == EVENT_BW_PERIOD)
			groups_saw_refill(gs, ev->group);
		else if (ev->type == EVENT_SCHED_MIGRATE_TASK)
			t->moves[ev->other]++;
	}
	if (t->on_event)
		t->on_event(t->ctx, ev);
}

void tally_window(struct tally *t)
{
	memcpy(t->usage_base, t->usage, (size_t)t->nr_cpus * sizeof(*t->usage));
	memcpy(t->events_base, t->events, sizeof(t->events));
	memcpy(t->moves_base, t->moves, sizeof(t->moves));
	t->nr_stat_runtime_base = t->nr_stat_runtime;
}

/* ---- tasks ---- */

struct thread_result thread_since(const struct task_stat *st, const struct task_stat *base)
{
	return (struct thread_result){
		.runtime = st->runtime - base->runtime,
		.longest_pause = st->longest_pause,
		.wait_throttled = st->wait_throttled - base->wait_throttled,
		.wait_contended = st->wait_contended - base->wait_contended,
		.nvcsw = st->nvcsw - base->nvcsw,
		.nivcsw = st->nivcsw - base->nivcsw,
		.migrations = st->migrations - base->migrations,
	};
}

bool result_begin_tasks(struct result *res, const struct scenario *sc, const u32 *instances)
{
	u32 task;

	res->nr_tasks = sc->nr_tasks;
	res->tasks = calloc(res->nr_tasks + 1, sizeof(*res->tasks));
	for (task = 0; res->tasks && task < res->nr_tasks; task++) {
		res->tasks[task].name = sc->tasks[task].name;
		res->tasks[task].group = sc->tasks[task].group ? sc->tasks[task].group : "/";
		res->tasks[task].threads = calloc(instances[task] + 1, sizeof(*res->tasks[task].threads));
		if (!res->tasks[task].threads)
			return false;
	}
	return res->tasks;
}

static void add_up(struct thread_result *sum, const struct thread_result *thread)
{
	sum->runtime += thread->runtime;
	sum->loops += thread->loops;
	sum->work += thread->work;
	sum->wait_throttled += thread->wait_throttled;
	sum->wait_contended += thread->wait_contended;
	sum->nvcsw += thread->nvcsw;
	sum->nivcsw += thread->nivcsw;
	sum->migrations += thread->migrations;
	sum->longest_pause = max_u64(sum->longest_pause, thread->longest_pause);
	samples_merge(&sum->latency, &thread->latency);
	samples_merge(&sum->wakeup_latency, &thread->wakeup_latency);
}

void result_add_thread(struct result *res, u32 task, const struct thread_result *thread, bool keep)
{
	struct task_result *out = &res->tasks[task];
	struct thread_result *kept = &out->threads[out->count++];

	*kept = *thread;
	add_up(&out->sum, kept);
	if (keep)
		return;
	samples_free(&kept->latency);
	samples_free(&kept->wakeup_latency);
}

void result_end_tasks(struct result *res)
{
	u32 task;

	for (task = 0; task < res->nr_tasks; task++)
		res->tasks[task].iterations = (u64)((unsigned __int128)res->tasks[task].sum.work *
						    res->scenario->tasks[task].iterations_per_ms / MS);
}

/* ---- the whole ---- */

static u64 digest_group(u64 digest, const struct group_result *g)
{
	const struct group_stat *st = &g->stat;
	const u64 v[] = { st->usage, st->nr_periods, st->nr_throttled, st->throttled_time, st->nr_bursts, st->burst_time,
			  st->ledger.granted, (u64)st->ledger.created, st->ledger.pool, (u64)st->ledger.held,
			  st->ledger.charged, st->ledger.lost };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++)
		digest = digest_u64(digest, v[i]);
	return digest;
}

static u64 digest_task(u64 digest, const struct task_result *task)
{
	const struct thread_result *t = &task->sum;
	const u64 v[] = { task->count, t->runtime, t->loops, t->work, t->nvcsw, t->nivcsw, t->migrations };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++)
		digest = digest_u64(digest, v[i]);
	return digest;
}

static u64 final_digest(const struct tally *t, const struct result *res)
{
	u64 digest = t->digest;
	u32 i;

	for (i = 0; i < res->nr_groups; i++)
		digest = digest_group(digest, &res->groups[i]);
	for (i = 0; i < res->nr_tasks; i++)
		digest = digest_task(digest, &res->tasks[i]);
	digest = digest_u64(digest, t->nr_stat_runtime);
	return digest_u64(digest, t->events[EVENT_SCHED_STAT_RUNTIME]);
}

bool tally_results(const struct tally *t, struct result *res)
{
	int i;

	res->nr_cpus = t->nr_cpus;
	res->cpu_usage = calloc((size_t)t->nr_cpus, sizeof(*res->cpu_usage));
	if (!res->cpu_usage)
		return false;
	for (i = 0; i < t->nr_cpus; i++)
		res->cpu_usage[i] = t->usage[i] - t->usage_base[i];
	for (i = 0; i < NR_EVENT_TYPES; i++)
		res->events[i] = t->events[i] - t->events_base[i];
	for (i = 0; i < NR_MOVE_CAUSES; i++)
		res->moves[i] = t->moves[i] - t->moves_base[i];
	res->nr_stat_runtime = t->nr_stat_runtime - t->nr_stat_runtime_base;
	res->digest = final_digest(t, res);
	return true;
}
