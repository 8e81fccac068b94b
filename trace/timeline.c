/* SPDX-License-Identifier: MIT */
/* timeline.c - one pass over the records with a little state per task and per CPU. */
#include "trace/timeline.h"

#include <stdlib.h>
#include <string.h>

#define JUST_WOKEN (200 * US)

/* What a task is in, and since when. */
struct live {
	struct span now;
	u64 before;    /* 1 + index of the span before this one in builder.spans; 0: there is none */
	bool known;    /* something about it has been seen */
	bool uncharged; /* it runs, began unseen, and has not been charged since */
};

/* Who was last seen to run on a CPU, and until when somebody else was. */
struct cpu_live {
	u32 current;	/* by the last switch, or TRACE_NO_TASK after a hole */
	u32 seen;	/* the task of the last event */
	u64 seen_last;	/* its last event */
	u64 other_last; /* the last event of another task before */
};

struct builder {
	const struct trace *tr;
	struct timeline *tl;
	struct live *tasks;
	struct cpu_live *cpus;
	struct span *spans; /* in the order they ended */
	u32 *owner;
	u64 nr, cap;
	bool out_of_memory;
};

static void keep(struct builder *b, u32 task, const struct span *span)
{
	if (b->nr == b->cap) {
		u64 cap = b->cap ? b->cap * 2 : 4096;
		struct span *spans = realloc(b->spans, cap * sizeof(*spans));
		u32 *owner;

		if (spans)
			b->spans = spans;
		owner = realloc(b->owner, cap * sizeof(*owner));
		if (owner)
			b->owner = owner;
		if (!spans || !owner) {
			b->out_of_memory = true;
			return;
		}
		b->cap = cap;
	}
	b->owner[b->nr] = task;
	b->spans[b->nr++] = *span;
	b->tasks[task].before = b->nr;
}

/* @task leaves the state it is in at @t and enters @state on @cpu. */
static struct span *enter(struct builder *b, u32 task, u64 t, enum span_state state, u16 cpu)
{
	struct live *live = &b->tasks[task];

	if (live->known) {
		live->now.end = max_u64(t, live->now.start);
		/* A span without length still says that the task was ready, or that a switch in is missing. */
		if (live->now.end > live->now.start || live->now.state == SPAN_READY || live->now.state == SPAN_RUNNING)
			keep(b, task, &live->now);
		t = live->now.end;
	}
	live->known = true;
	live->uncharged = false;
	live->now = (struct span){ .start = t, .cpu = cpu, .state = (u8)state };
	return &live->now;
}

static bool runs_on(const struct builder *b, u32 task, u16 cpu)
{
	const struct live *live = &b->tasks[task];

	return live->known && live->now.state == SPAN_RUNNING && live->now.cpu == cpu;
}

/*
 * @task ran and does so no more, though no switch says when or in which state it left: from its last sign of life on
 * nothing is known, until a wakeup (it was blocked) or a switch in (it was ready) tells.
 */
static void left_unseen(struct builder *b, u32 task)
{
	const struct span *run = &b->tasks[task].now;
	const struct cpu_live *c = &b->cpus[run->cpu];

	b->tl->loose_ends++;
	enter(b, task, c->seen == task ? c->seen_last : run->start, SPAN_UNKNOWN, run->cpu);
}

/* The task of the last switch on @cpu is not what runs there. */
static void current_left_unseen(struct builder *b, u16 cpu)
{
	struct cpu_live *c = &b->cpus[cpu];

	if (c->current != TRACE_NO_TASK && c->current != TRACE_IDLE && runs_on(b, c->current, cpu))
		left_unseen(b, c->current);
	c->current = TRACE_NO_TASK;
}

/* What was not known about @task until now turns out to have been @state. */
static void was(struct builder *b, u32 task, enum span_state state)
{
	struct live *live = &b->tasks[task];

	if (live->known && live->now.state == SPAN_UNKNOWN) {
		live->now.state = (u8)state;
		live->now.flags |= SPAN_LOOSE;
	}
}

/* @task runs on @cpu at @t, and no switch says since when. */
static void began_unseen(struct builder *b, u32 task, u16 cpu, u64 t)
{
	struct live *live = &b->tasks[task];
	u64 from = b->cpus[cpu].other_last;
	struct span *run;
	bool pushed;

	if (live->known && live->now.state == SPAN_RUNNING)
		left_unseen(b, task);
	pushed = live->known && live->now.state == SPAN_READY && (live->now.flags & SPAN_PUSHED);
	if (live->known)
		from = max_u64(from, live->now.start);
	from = from ? min_u64(from, t) : t;
	was(b, task, SPAN_READY);
	run = enter(b, task, pushed ? from : t, SPAN_RUNNING, cpu);
	run->flags = SPAN_LOOSE | (pushed ? SPAN_PUSHED : 0u);
	run->slack = (u32)min_u64(t - from, UINT32_MAX);
	live->uncharged = true;
	b->tl->loose_starts++;
}

/*
 * @task, whose switch in is missing, is charged @ns at @t for the first time: so it began @ns ago, if what it did before allows that.  It ran when
 * it was first seen: what interrupts and other guests of the machine took meanwhile is in no charge.
 */
static void began_charged(struct builder *b, u32 task, u64 t, u64 ns)
{
	struct live *live = &b->tasks[task];
	struct span *before = live->before ? &b->spans[live->before - 1] : NULL;
	u64 seen = live->now.start + (live->now.flags & SPAN_PUSHED ? live->now.slack : 0);
	u64 began = min_u64(t > ns ? t - ns : 0, seen);

	live->uncharged = false;
	if (!before || before->end != live->now.start || before->start > began)
		return;
	live->now.start = before->end = began;
	live->now.slack = 0;
	live->now.flags &= (u8)~(SPAN_LOOSE | SPAN_PUSHED);
}

/* An event on @cpu at @t belongs to @task: so it runs there. */
static void seen_running(struct builder *b, u32 task, u16 cpu, u64 t)
{
	struct cpu_live *c = &b->cpus[cpu];

	if (c->current != task)
		current_left_unseen(b, cpu);
	if (c->seen != task) {
		c->other_last = c->seen == TRACE_NO_TASK ? 0 : c->seen_last;
		c->seen = task;
	}
	if (task != TRACE_IDLE && !runs_on(b, task, cpu))
		began_unseen(b, task, cpu, t);
	c->current = task;
	c->seen_last = t;
}

/*
 * @task is charged @ns at @t, so it runs: where the event was made, or (@here not set) wherever it was to run, since a wakeup there made
 * another CPU charge it.
 */
static void on_charge(struct builder *b, u32 task, u16 cpu, u64 t, u64 ns, bool here)
{
	const struct live *live = &b->tasks[task];

	if (here)
		seen_running(b, task, cpu, t);
	else if (live->known && live->now.state == SPAN_READY)
		began_unseen(b, task, live->now.cpu, t);
	if (live->uncharged)
		began_charged(b, task, t, ns);
}

/* Has @task become ready by a wakeup just before @t?  Then who leaves for it was pushed aside, not stopped. */
static bool was_woken_now(const struct builder *b, u32 task, u64 t)
{
	const struct live *live = &b->tasks[task];

	return task != TRACE_IDLE && live->known && live->now.state == SPAN_READY && (live->now.flags & SPAN_WOKEN) &&
	       t - live->now.start < JUST_WOKEN;
}

static void on_switch(struct builder *b, u32 prev, u32 next, u16 cpu, u64 t, enum trace_left left)
{
	struct cpu_live *c = &b->cpus[cpu];
	struct span *span;

	seen_running(b, prev, cpu, t);
	if (prev != TRACE_IDLE) {
		bool runnable = left == TRACE_LEFT_RUNNABLE || left == TRACE_LEFT_PREEMPTED;

		span = enter(b, prev, t, runnable ? SPAN_READY : SPAN_BLOCKED, cpu);
		if (left == TRACE_LEFT_PREEMPTED)
			span->flags |= SPAN_PREEMPTED;
		if (runnable && next == TRACE_IDLE)
			span->flags |= SPAN_CPU_IDLE;
		if (runnable && was_woken_now(b, next, t))
			span->flags |= SPAN_PUSHED;
		if (left == TRACE_LEFT_DISK)
			span->flags |= SPAN_DISK;
		if (left == TRACE_LEFT_DEAD)
			span->flags |= SPAN_DEAD;
	}
	if (next != TRACE_IDLE) {
		if (b->tasks[next].known && b->tasks[next].now.state == SPAN_RUNNING)
			left_unseen(b, next);
		was(b, next, SPAN_READY);
		if (b->tasks[next].known && b->tasks[next].now.state == SPAN_BLOCKED)
			b->tasks[next].now.state = SPAN_UNKNOWN; /* its wakeup is missing */
		enter(b, next, t, SPAN_RUNNING, cpu);
	}
	c->current = c->seen = next;
	c->other_last = c->seen_last = t;
}

/* A wakeup counts where the task slept; a second event of the same wakeup, or one of a running task, does nothing. */
static void on_wake(struct builder *b, const struct trace_record *rec, bool fresh)
{
	struct live *live = &b->tasks[rec->task];
	struct span *span;

	if (rec->task == TRACE_IDLE)
		return;
	if (live->known && live->now.state == SPAN_READY && (live->now.flags & SPAN_WOKEN) && rec->where != TRACE_NOWHERE)
		live->now.cpu = rec->where; /* sched_waking still had the old CPU, sched_wakeup the chosen one */
	if (live->known && (live->now.state == SPAN_RUNNING || live->now.state == SPAN_READY))
		return;
	was(b, rec->task, SPAN_BLOCKED);
	span = enter(b, rec->task, rec->time, SPAN_READY, rec->where == TRACE_NOWHERE ? rec->cpu : rec->where);
	span->flags = SPAN_WOKEN | (fresh ? SPAN_NEW : 0u);
	span->by = rec->other;
	span->context = rec->flags;
}

/* Events are missing on @cpu: who ran there is no longer known. */
static void on_lost(struct builder *b, u16 cpu)
{
	struct cpu_live *c = &b->cpus[cpu];

	current_left_unseen(b, cpu);
	c->seen = TRACE_NO_TASK;
}

static void take(struct builder *b, const struct trace_record *rec)
{
	switch (rec->type) {
	case TRACE_LOST:
		on_lost(b, rec->cpu);
		return;
	case EVENT_SCHED_SWITCH:
		on_switch(b, rec->other, rec->task, rec->cpu, rec->time, (enum trace_left)(rec->flags & TRACE_LEFT_MASK));
		return;
	case EVENT_SCHED_STAT_RUNTIME:
		on_charge(b, rec->task, rec->cpu, rec->time, rec->other, rec->flags & TRACE_CHARGED_HERE);
		return;
	case EVENT_SCHED_WAKEUP_NEW:
	case EVENT_SCHED_WAKEUP:
	case EVENT_SCHED_WAKING:
		seen_running(b, rec->other, rec->cpu, rec->time);
		on_wake(b, rec, rec->type == EVENT_SCHED_WAKEUP_NEW);
		return;
	case EVENT_SCHED_PROCESS_FORK:
	case EVENT_SCHED_PROCESS_EXIT:
	case EVENT_SCHED_PROCESS_EXEC:
	case EVENT_SCHED_MIGRATE_TASK:
		seen_running(b, rec->other, rec->cpu, rec->time);
		return;
	default:
		return;
	}
}

/* All that is still going on ends with the recording. */
static void close_all(struct builder *b)
{
	u64 end = trace_last(b->tr);

	for (u32 i = 0; i < b->tr->nr_tasks; i++) {
		struct live *live = &b->tasks[i];

		if (!live->known)
			continue;
		live->now.end = max_u64(end, live->now.start);
		live->now.flags |= SPAN_OPEN;
		keep(b, i, &live->now);
	}
}

/* Sort the spans by task; those of one task stay in order. */
static int by_task(struct builder *b)
{
	struct timeline *tl = b->tl;
	u64 *at;

	tl->nr_tasks = b->tr->nr_tasks;
	tl->first = calloc((size_t)tl->nr_tasks + 2, sizeof(*tl->first));
	tl->spans = malloc((b->nr ? b->nr : 1) * sizeof(*tl->spans));
	if (!tl->first || !tl->spans)
		return -1;
	at = tl->first + 1; /* at[i] = where the next span of task i goes, and in the end where those of i + 1 begin */
	for (u64 i = 0; i < b->nr; i++)
		at[b->owner[i] + 1]++;
	for (u32 i = 1; i <= tl->nr_tasks; i++)
		at[i] += at[i - 1];
	for (u64 i = 0; i < b->nr; i++)
		tl->spans[at[b->owner[i]]++] = b->spans[i];
	return 0;
}

int timeline_init(struct timeline *tl, const struct trace *tr)
{
	struct builder b = { .tr = tr, .tl = tl };
	int ret = -1;

	memset(tl, 0, sizeof(*tl));
	b.tasks = calloc(tr->nr_tasks ? tr->nr_tasks : 1, sizeof(*b.tasks));
	b.cpus = calloc(TRACE_CPUS_MAX, sizeof(*b.cpus));
	if (!b.tasks || !b.cpus)
		goto out;
	for (int i = 0; i < TRACE_CPUS_MAX; i++)
		b.cpus[i].current = b.cpus[i].seen = TRACE_NO_TASK;
	for (u64 i = 0; i < tr->nr; i++) {
		struct trace_record rec = { tr->time[i], tr->task[i], tr->other[i], tr->cpu[i], tr->where[i],
					    tr->type[i], tr->flags[i] };

		take(&b, &rec);
	}
	close_all(&b);
	if (!b.out_of_memory)
		ret = by_task(&b);
out:
	free(b.tasks);
	free(b.cpus);
	free(b.spans);
	free(b.owner);
	if (ret)
		timeline_fini(tl);
	return ret;
}

void timeline_fini(struct timeline *tl)
{
	free(tl->spans);
	free(tl->first);
	memset(tl, 0, sizeof(*tl));
}

/* The first span of @task that ends after @t. */
static u64 span_at(const struct timeline *tl, u32 task, u64 t)
{
	u64 lo = tl->first[task], hi = tl->first[task + 1];

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (tl->spans[mid].end <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void timeline_settle(struct timeline *tl, u64 run, u64 t)
{
	struct span *s = &tl->spans[run];

	if (s->state != SPAN_RUNNING || !(s->flags & SPAN_LOOSE) || (s->flags & SPAN_PUSHED) || t >= s->start ||
	    t < s[-1].start || s->start - t > s->slack)
		return;
	s->slack = 0;
	s->start = s[-1].end = t;
}

u64 timeline_ran(const struct timeline *tl, u32 task, u64 from, u64 to)
{
	u64 ran = 0;

	for (u64 i = span_at(tl, task, from); i < tl->first[task + 1] && tl->spans[i].start < to; i++)
		if (tl->spans[i].state == SPAN_RUNNING)
			ran += min_u64(tl->spans[i].end, to) - max_u64(tl->spans[i].start, from);
	return ran;
}
