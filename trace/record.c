/* SPDX-License-Identifier: MIT */
/* record.c - keeps events in parallel arrays and tasks in a table found by pid. */
#include "trace/record.h"

#include <stdlib.h>
#include <string.h>

void trace_init(struct trace *tr)
{
	memset(tr, 0, sizeof(*tr));
	tr->format = "no trace";
	if (trace_task_of(tr, 0) == TRACE_IDLE)
		trace_task_name(tr, TRACE_IDLE, "idle", 4);
}

void trace_fini(struct trace *tr)
{
	free(tr->time);
	free(tr->task);
	free(tr->other);
	free(tr->cpu);
	free(tr->where);
	free(tr->type);
	free(tr->flags);
	free(tr->tasks);
	free(tr->slots);
	memset(tr, 0, sizeof(*tr));
}

/* ---- tasks ---- */

static u32 slot_of(const struct trace *tr, s32 pid)
{
	u32 at = (u32)(((u64)(u32)pid * 0x9e3779b97f4a7c15u) >> 32) & (tr->nr_slots - 1);

	while (tr->slots[at] != TRACE_NO_TASK && tr->tasks[tr->slots[at]].pid != pid)
		at = (at + 1) & (tr->nr_slots - 1);
	return at;
}

/* Twice as many slots: at most half of them are ever in use. */
static bool more_slots(struct trace *tr)
{
	u32 nr = tr->nr_slots ? tr->nr_slots * 2 : 256;
	u32 *slots = malloc(nr * sizeof(*slots));

	if (!slots)
		return false;
	memset(slots, 0xff, nr * sizeof(*slots));
	free(tr->slots);
	tr->slots = slots;
	tr->nr_slots = nr;
	for (u32 i = 0; i < tr->nr_tasks; i++)
		slots[slot_of(tr, tr->tasks[i].pid)] = i;
	return true;
}

static bool more_tasks(struct trace *tr)
{
	u32 cap = tr->cap_tasks ? tr->cap_tasks * 2 : 64;
	struct trace_task *tasks = realloc(tr->tasks, cap * sizeof(*tasks));

	if (!tasks)
		return false;
	tr->tasks = tasks;
	tr->cap_tasks = cap;
	return true;
}

u32 trace_task_of(struct trace *tr, s32 pid)
{
	u32 at;

	if (pid < 0)
		pid = 0;
	if (tr->nr_slots) {
		at = slot_of(tr, pid);
		if (tr->slots[at] != TRACE_NO_TASK)
			return tr->slots[at];
	}
	if ((tr->nr_tasks * 2 >= tr->nr_slots && !more_slots(tr)) ||
	    (tr->nr_tasks == tr->cap_tasks && !more_tasks(tr))) {
		tr->out_of_memory = true;
		return TRACE_NO_TASK;
	}
	tr->slots[slot_of(tr, pid)] = tr->nr_tasks;
	tr->tasks[tr->nr_tasks] = (struct trace_task){ .pid = pid, .parent = TRACE_NO_TASK, .first = NEVER };
	return tr->nr_tasks++;
}

void trace_task_name(struct trace *tr, u32 task, const char *name, size_t len)
{
	struct trace_task *t;

	if (task >= tr->nr_tasks || !len || (len == 5 && !memcmp(name, "<...>", 5)))
		return;
	t = &tr->tasks[task];
	if (task == TRACE_IDLE && t->name[0])
		return;
	if (len >= TRACE_NAME_MAX)
		len = TRACE_NAME_MAX - 1;
	if (!memcmp(t->name, name, len) && !t->name[len])
		return;
	memcpy(t->name, name, len);
	memset(t->name + len, 0, TRACE_NAME_MAX - len);
}

/* ---- records ---- */

static bool grow(void **array, u64 cap, size_t size)
{
	void *p = realloc(*array, cap * size);

	if (!p)
		return false;
	*array = p;
	return true;
}

static bool more_records(struct trace *tr)
{
	u64 cap = tr->cap ? tr->cap * 2 : 4096;

	if (!grow((void **)&tr->time, cap, sizeof(*tr->time)) || !grow((void **)&tr->task, cap, sizeof(*tr->task)) ||
	    !grow((void **)&tr->other, cap, sizeof(*tr->other)) || !grow((void **)&tr->cpu, cap, sizeof(*tr->cpu)) ||
	    !grow((void **)&tr->where, cap, sizeof(*tr->where)) ||
	    !grow((void **)&tr->type, cap, sizeof(*tr->type)) || !grow((void **)&tr->flags, cap, sizeof(*tr->flags)))
		return false;
	tr->cap = cap;
	return true;
}

static void seen(struct trace *tr, u32 task, u64 t)
{
	struct trace_task *p;

	if (task >= tr->nr_tasks)
		return;
	p = &tr->tasks[task];
	p->first = min_u64(p->first, t);
	p->last = max_u64(p->last, t);
}

void trace_add(struct trace *tr, const struct trace_record *rec)
{
	u64 at = tr->nr;

	if (at == tr->cap && !more_records(tr)) {
		tr->out_of_memory = true;
		return;
	}
	if (at && rec->time < tr->time[at - 1])
		tr->counts.backwards++;
	tr->time[at] = rec->time;
	tr->task[at] = rec->task;
	tr->other[at] = rec->other;
	tr->cpu[at] = rec->cpu;
	tr->where[at] = rec->where;
	tr->type[at] = rec->type;
	tr->flags[at] = rec->flags;
	tr->nr = at + 1;
	if (rec->cpu >= tr->cpus)
		tr->cpus = rec->cpu + 1;
	if (rec->type == TRACE_LOST)
		return;
	seen(tr, rec->task, rec->time);
	if (rec->type != EVENT_SCHED_STAT_RUNTIME)
		seen(tr, rec->other, rec->time);
	tr->counts.events++;
}

/* ---- order ---- */

/* One pass of a merge sort over @from, runs of @width, into @to. */
static void merge_pass(const struct trace *tr, const u32 *from, u32 *to, u64 width)
{
	for (u64 lo = 0; lo < tr->nr; lo += 2 * width) {
		u64 mid = min_u64(lo + width, tr->nr), hi = min_u64(lo + 2 * width, tr->nr);
		u64 a = lo, b = mid;

		for (u64 k = lo; k < hi; k++) {
			bool left = a < mid && (b == hi || tr->time[from[a]] <= tr->time[from[b]]);

			to[k] = left ? from[a++] : from[b++];
		}
	}
}

/* Put @array (of elements of @size bytes) into @order, by way of @spare. */
static void permute(void *array, void *spare, const u32 *order, u64 nr, size_t size)
{
	for (u64 i = 0; i < nr; i++)
		memcpy((char *)spare + i * size, (char *)array + order[i] * size, size);
	memcpy(array, spare, nr * size);
}

#define BULK_LEAST 20 /* records, before "all others" means anything */

/* Move the records [@from, @to) to the front and forget the others. */
static void keep_only(struct trace *tr, u64 from, u64 to)
{
	u64 nr = to - from;

	tr->counts.wild_times += tr->nr - nr;
	memmove(tr->time, tr->time + from, nr * sizeof(*tr->time));
	memmove(tr->task, tr->task + from, nr * sizeof(*tr->task));
	memmove(tr->other, tr->other + from, nr * sizeof(*tr->other));
	memmove(tr->cpu, tr->cpu + from, nr * sizeof(*tr->cpu));
	memmove(tr->where, tr->where + from, nr * sizeof(*tr->where));
	memmove(tr->type, tr->type + from, nr * sizeof(*tr->type));
	memmove(tr->flags, tr->flags + from, nr * sizeof(*tr->flags));
	tr->nr = nr;
}

/* The middle 98 of 100 records span some time; what lies more than twice that, and a second, away from them is wild. */
static void drop_wild(struct trace *tr)
{
	u64 edge = max_u64(tr->nr / 100, 1), from = 0, to = tr->nr, first, last, far;

	if (tr->nr < BULK_LEAST)
		return;
	first = tr->time[edge];
	last = tr->time[tr->nr - 1 - edge];
	far = 2 * (last - first) + SEC;
	while (from < edge && tr->time[from] + far < first)
		from++;
	while (tr->nr - to < edge && tr->time[to - 1] > last + far)
		to--;
	if (from || to < tr->nr)
		keep_only(tr, from, to);
}

static void sort_by_time(struct trace *tr)
{
	u32 *order, *next, *swap;
	void *spare;

	if (!tr->counts.backwards || tr->nr < 2)
		return;
	order = malloc(tr->nr * sizeof(*order));
	next = malloc(tr->nr * sizeof(*next));
	spare = malloc(tr->nr * sizeof(u64));
	if (!order || !next || !spare || tr->nr > UINT32_MAX) {
		tr->out_of_memory = true;
		goto out;
	}
	for (u64 i = 0; i < tr->nr; i++)
		order[i] = (u32)i;
	for (u64 width = 1; width < tr->nr; width *= 2) {
		merge_pass(tr, order, next, width);
		swap = order, order = next, next = swap;
	}
	permute(tr->time, spare, order, tr->nr, sizeof(*tr->time));
	permute(tr->task, spare, order, tr->nr, sizeof(*tr->task));
	permute(tr->other, spare, order, tr->nr, sizeof(*tr->other));
	permute(tr->cpu, spare, order, tr->nr, sizeof(*tr->cpu));
	permute(tr->where, spare, order, tr->nr, sizeof(*tr->where));
	permute(tr->type, spare, order, tr->nr, sizeof(*tr->type));
	permute(tr->flags, spare, order, tr->nr, sizeof(*tr->flags));
out:
	free(order);
	free(next);
	free(spare);
}

void trace_sort(struct trace *tr)
{
	sort_by_time(tr);
	drop_wild(tr);
}

u64 trace_find(const struct trace *tr, u64 t)
{
	u64 lo = 0, hi = tr->nr;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (tr->time[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

u64 trace_first(const struct trace *tr) { return tr->nr ? tr->time[0] : 0; }
u64 trace_last(const struct trace *tr) { return tr->nr ? tr->time[tr->nr - 1] : 0; }
