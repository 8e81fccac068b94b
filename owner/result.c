/* SPDX-License-Identifier: MIT */
/*
 * result.c - what a run measured: the samples, and the end of a result's life.
 *
 * Samples are all kept and sorted when first asked for, so that a percentile is one that happened: nearest rank, the
 * ceil(p * n)-th smallest.
 */
#include "owner/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

static void samples_reserve(struct samples *s, u64 more)
{
	u64 want = s->nr + more, cap = s->cap ? s->cap : 64;
	u64 *v;

	if (want <= s->cap)
		return;
	while (cap < want)
		cap *= 2;
	v = realloc(s->v, cap * sizeof(*v));
	if (!v)
		abort();
	s->v = v;
	s->cap = cap;
}

void samples_add(struct samples *s, u64 value)
{
	samples_reserve(s, 1);
	s->v[s->nr++] = value;
	s->sorted = false;
}

void samples_merge(struct samples *into, const struct samples *from)
{
	if (!from->nr)
		return;
	samples_reserve(into, from->nr);
	memcpy(into->v + into->nr, from->v, from->nr * sizeof(*from->v));
	into->nr += from->nr;
	into->sorted = false;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void samples_sort(struct samples *s)
{
	u64 *spare = !s->sorted && s->nr >= SORT_U64_LEAST ? malloc(s->nr * sizeof(*s->v)) : NULL;

	if (spare)
		sort_u64_by_digits(s->v, spare, s->nr);
	else if (!s->sorted && s->nr)
		qsort(s->v, s->nr, sizeof(*s->v), by_value);
	free(spare);
	s->sorted = true;
}

/* Ranks are counted in integers, a millionth apart: 0.95 * 20 must be 19 and not the float just above. */
u64 samples_percentile(struct samples *s, double p)
{
	u64 millionths = p <= 0 ? 0 : p >= 1 ? 1000000 : (u64)(p * 1000000 + 0.5);
	u64 rank;

	if (!s->nr)
		return 0;
	samples_sort(s);
	rank = (s->nr / 1000000) * millionths + ((s->nr % 1000000) * millionths + 999999) / 1000000;
	return s->v[rank ? rank - 1 : 0];
}

/* The mean, rounded down; no number of samples overflows the sum. */
u64 samples_mean(const struct samples *s)
{
	unsigned __int128 sum = 0;
	u64 i;

	for (i = 0; i < s->nr; i++)
		sum += s->v[i];
	return s->nr ? (u64)(sum / s->nr) : 0;
}

u64 samples_sum(const struct samples *s)
{
	u64 i, sum = 0;

	for (i = 0; i < s->nr; i++)
		if (__builtin_add_overflow(sum, s->v[i], &sum))
			return UINT64_MAX;
	return sum;
}

u64 samples_max(struct samples *s)
{
	u64 i, max = 0;

	if (s->sorted && s->nr)
		return s->v[s->nr - 1];
	for (i = 0; i < s->nr; i++)
		max = max_u64(max, s->v[i]);
	return max;
}

void samples_free(struct samples *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

static void thread_free(struct thread_result *t)
{
	samples_free(&t->latency);
	samples_free(&t->wakeup_latency);
}

static void task_free(struct task_result *task)
{
	u32 i;

	thread_free(&task->sum);
	for (i = 0; task->threads && i < task->count; i++)
		thread_free(&task->threads[i]);
	free(task->threads);
}

void result_free(struct result *res)
{
	u32 i;

	if (!res)
		return;
	for (i = 0; i < res->nr_groups; i++)
		free(res->groups[i].periods);
	for (i = 0; i < res->nr_tasks; i++)
		task_free(&res->tasks[i]);
	for (i = 0; i < res->nr_spans; i++)
		samples_free(&res->spans[i].took);
	for (i = 0; i < res->nr_snapshot; i++)
		free(res->snapshot[i]);
	free(res->groups);
	free(res->tasks);
	free(res->spans);
	free(res->cpu_usage);
	free(res->writes);
	free(res->snapshot);
	free(res);
}
