/* SPDX-License-Identifier: MIT */
/* record.c - keeps events in parallel arrays and tasks in a table found by pid. */
#include "trace/record.h"

#include <stdlib.h>
#include <string.h>

#include "text/memory.h"
#include "trace/light.h"

void trace_init(struct trace *tr)
{
	memset(tr, 0, sizeof(*tr));
	tr->format = NO_FORMAT;
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
	free(tr->newest);
	free(tr->tasks);
	free(tr->slots);
	for (u32 i = 0; i < tr->nr_groups; i++)
		free(tr->groups[i]);
	free(tr->groups);
	free(tr->names);
	if (tr->facts)
		trace_facts_fini(tr->facts);
	free(tr->facts);
	if (tr->light)
		light_fini(tr->light);
	free(tr->light);
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
	struct trace_task *tasks = list_grown(tr->tasks, tr->nr_tasks, &tr->cap_tasks, sizeof(*tasks));

	if (tasks)
		tr->tasks = tasks;
	return tasks;
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

u32 trace_task_find(const struct trace *tr, s32 pid) { return tr->nr_slots ? tr->slots[slot_of(tr, pid)] : TRACE_NO_TASK; }

/* ---- cgroups ---- */

static bool is_path(const char *path, const char *s, size_t len) { return !strncmp(path, s, len) && !path[len]; }

/* Its index + 1; 0 when memory is out.  A recording's paths are few, and come in runs. */
static u32 group_of(struct trace *tr, const char *path, size_t len)
{
	char **groups, *copy;

	for (u32 i = tr->nr_groups; i; i--)
		if (is_path(tr->groups[i - 1], path, len))
			return i;
	groups = list_grown(tr->groups, tr->nr_groups, &tr->cap_groups, sizeof(*groups));
	if (!groups)
		return 0;
	tr->groups = groups;
	copy = strndup(path, len);
	if (!copy)
		return 0;
	tr->groups[tr->nr_groups++] = copy;
	return tr->nr_groups;
}

#define GROUPS_MAX 4096 /* of one recording; more would be a damaged one's */

void trace_task_group(struct trace *tr, u32 task, const char *path, size_t len)
{
	struct trace_task *t;

	if (task >= tr->nr_tasks || task == TRACE_IDLE || tr->nr_groups >= GROUPS_MAX)
		return;
	t = &tr->tasks[task];
	if (!t->group || !is_path(tr->groups[t->group - 1], path, len))
		t->group = group_of(tr, path, len);
}

/* ---- events of other kinds ---- */

/* A new entry; at the end of the table the last one, which counts all others. */
static u32 new_name(struct trace *tr, const char *name, size_t len)
{
	struct trace_name *names, *n;

	if (tr->nr_names == TRACE_NAMES_MAX)
		return TRACE_NAMES_MAX;
	names = list_grown(tr->names, tr->nr_names, &tr->cap_names, sizeof(*names));
	if (!names)
		return 0;
	tr->names = names;
	n = &tr->names[tr->nr_names++];
	memset(n, 0, sizeof(*n));
	if (tr->nr_names == TRACE_NAMES_MAX)
		strcpy(n->name, "others");
	else
		memcpy(n->name, name, len);
	return tr->nr_names;
}

void trace_count_name(struct trace *tr, const char *name, size_t len, u64 n)
{
	u32 slot = 0;

	if (len >= sizeof(tr->names->name))
		len = sizeof(tr->names->name) - 1;
	for (size_t i = 0; i < len; i++)
		slot = slot * 31 + (u8)name[i];
	for (slot %= ARRAY_SIZE(tr->name_slots);; slot = (slot + 1) % ARRAY_SIZE(tr->name_slots)) {
		u32 at = tr->name_slots[slot];

		if (!at) {
			at = new_name(tr, name, len);
			if (at && at < TRACE_NAMES_MAX)
				tr->name_slots[slot] = (u16)at;
			if (at)
				tr->names[at - 1].nr += n;
			return;
		}
		if (is_path(tr->names[at - 1].name, name, len)) {
			tr->names[at - 1].nr += n;
			return;
		}
	}
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

/* Does @cpu's own clock go on? */
static void watch_clock(struct trace *tr, u16 cpu, u64 t)
{
	if (!tr->newest)
		tr->newest = calloc(TRACE_CPUS_MAX, sizeof(*tr->newest));
	if (!tr->newest || cpu >= TRACE_CPUS_MAX)
		return;
	if (t + JUMP_LEAST < tr->newest[cpu])
		tr->counts.jumps_back++;
	tr->newest[cpu] = t;
}

void trace_new_stream(struct trace *tr, u16 cpu)
{
	if (tr->newest && cpu < TRACE_CPUS_MAX)
		tr->newest[cpu] = 0;
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
	watch_clock(tr, rec->cpu, rec->time);
	seen(tr, rec->task, rec->time);
	if (rec->type != EVENT_SCHED_STAT_RUNTIME)
		seen(tr, rec->other, rec->time);
	tr->counts.events++;
}

/* ---- order ---- */

/* Where a stretch of records begins whose times do not decrease: recordings are made of few, one for each CPU or buffer. */
static u64 *find_runs(const struct trace *tr, u64 *nr)
{
	u64 *runs = malloc((tr->counts.backwards + 2) * sizeof(*runs));

	*nr = 0;
	if (!runs)
		return NULL;
	for (u64 i = 0; i < tr->nr; i++)
		if (!i || tr->time[i] < tr->time[i - 1])
			runs[(*nr)++] = i;
	runs[*nr] = tr->nr;
	return runs;
}

/* Merge the runs of @from two by two into @to; @runs then holds half as many. */
static u64 merge_pass(const struct trace *tr, const u32 *from, u32 *to, u64 *runs, u64 nr)
{
	u64 left = 0;

	for (u64 r = 0; r < nr; r += 2) {
		u64 a = runs[r], mid = runs[r + 1], end = r + 2 <= nr ? runs[r + 2] : mid, b = mid;

		for (u64 k = a; k < end; k++) {
			bool first = a < mid && (b == end || tr->time[from[a]] <= tr->time[from[b]]);

			to[k] = first ? from[a++] : from[b++];
		}
		runs[left++] = runs[r];
	}
	runs[left] = tr->nr;
	return left;
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
	u64 *runs, nr_runs;
	void *spare;

	if (!tr->counts.backwards || tr->nr < 2)
		return;
	order = malloc(tr->nr * sizeof(*order));
	next = malloc(tr->nr * sizeof(*next));
	spare = malloc(tr->nr * sizeof(u64));
	runs = find_runs(tr, &nr_runs);
	if (!order || !next || !spare || !runs || tr->nr > UINT32_MAX) {
		tr->out_of_memory = true;
		goto out;
	}
	for (u64 i = 0; i < tr->nr; i++)
		order[i] = (u32)i;
	while (nr_runs > 1) {
		nr_runs = merge_pass(tr, order, next, runs, nr_runs);
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
	free(runs);
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
