/* SPDX-License-Identifier: MIT */
/* light.c - reads a recording of counters. */
#include "trace/light.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/memory.h"
#include "text/number.h"
#include "trace/line.h"

#define US_MOST (UINT64_MAX / US / 4)
#define POLLS_MAX (1u << 24)
#define NS_MOST (100000000 * SEC) /* three years: of a recording, and of what a thread has run or waited */

struct reading {
	struct light *l;
	struct fact_place at;
	struct arena mem; /* of the present line */
};

static int no_memory(const struct reading *r)
{
	return err_at(r->at.err, r->at.file, 0, 0, NULL, "too large for the memory of this machine");
}

void light_fini(struct light *l)
{
	for (u32 i = 0; i < l->nr_threads; i++)
		free(l->threads[i].uses);
	free(l->threads);
	free(l->polls);
	free(l->slots);
	trace_facts_fini(&l->facts);
	memset(l, 0, sizeof(*l));
}

/* ---- what it is ---- */

bool is_light(const u8 *p, u64 len)
{
	static const char *const words[] = { "{", "\"fairground\"", ":", "\"light\"" };
	const char *s = (const char *)p, *end = s + min_u64(len, 256);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		while (s < end && (*s == ' ' || *s == '\t'))
			s++;
		if (!read_word(&s, end, words[i]))
			return false;
	}
	return true;
}

/* ---- threads ---- */

static u32 slot_of(const struct light *l, s32 tid)
{
	u32 at = (u32)tid * 2654435761u & (l->nr_slots - 1);

	while (l->slots[at] && l->threads[l->slots[at] - 1].tid != tid)
		at = (at + 1) & (l->nr_slots - 1);
	return at;
}

static bool more_slots(struct light *l)
{
	u32 nr = l->nr_slots ? l->nr_slots * 2 : 256, *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return false;
	free(l->slots);
	l->slots = slots;
	l->nr_slots = nr;
	for (u32 i = 0; i < l->nr_threads; i++)
		l->slots[slot_of(l, l->threads[i].tid)] = i + 1;
	return true;
}

static struct light_thread *thread_of(struct light *l, s32 tid)
{
	struct light_thread *threads;
	u32 at;

	if (2 * (l->nr_threads + 1) > l->nr_slots && !more_slots(l))
		return NULL;
	at = slot_of(l, tid);
	if (l->slots[at])
		return &l->threads[l->slots[at] - 1];
	threads = list_grown(l->threads, l->nr_threads, &l->cap_threads, sizeof(*threads));
	if (!threads)
		return NULL;
	l->threads = threads;
	l->threads[l->nr_threads] = (struct light_thread){ .tid = tid };
	l->slots[at] = ++l->nr_threads;
	return &l->threads[l->nr_threads - 1];
}

/* Members of a line that was just taken in are threads from now on. */
static int name_threads(struct reading *r, u32 first)
{
	for (u32 i = first; i < r->l->facts.nr_members; i++) {
		const struct fact_member *m = &r->l->facts.members[i];
		struct light_thread *t = thread_of(r->l, m->tid);

		if (!t)
			return no_memory(r);
		t->pid = m->pid;
		memcpy(t->name, m->name, sizeof(t->name));
	}
	return 0;
}

static bool add_use(struct light_thread *t, const struct light_use *use)
{
	if (t->nr == t->cap) {
		u32 cap = t->cap ? t->cap * 2 : 16;
		struct light_use *uses = realloc(t->uses, cap * sizeof(*uses));

		if (!uses)
			return false;
		t->uses = uses;
		t->cap = cap;
	}
	t->uses[t->nr++] = *use;
	t->run += use->run;
	t->wait += use->wait;
	return true;
}

static int went_back(const struct reading *r, const struct json *v, const char *key)
{
	err_at(r->at.err, r->at.file, r->at.line, (int)v->column, key, "a counter went back: that cannot be");
	err_hint(r->at.err, "a group or thread that was made anew counts from 0; record again");
	return -1;
}

/* ---- a poll ---- */

/* Exactly @nr whole numbers up to @most in the array @v. */
static int numbers(const struct reading *r, const struct json *v, const char *key, u32 nr, u64 most, u64 *out)
{
	const struct json *n;
	u32 i = 0;

	if (v->kind != JSON_ARRAY || v->len != nr)
		return fact_refuse(v, key, nr == 4 ? "[thread, run, wait, slices]" : "six counters", &r->at);
	json_each(n, v)
		if (n->kind != JSON_NUMBER || num_whole_u64(n->text, n->len, most, &out[i++]) != NUM_OK)
			return fact_refuse(n, key, "a whole number from 0 on", &r->at);
	return 0;
}

static int take_stat(struct reading *r, const struct json *v, struct light_poll *poll)
{
	const struct cpu_stat *was = r->l->nr_polls ? &r->l->polls[r->l->nr_polls - 1].stat : NULL;
	struct cpu_stat *st = &poll->stat;
	u64 n[6];

	if (!v) {
		if (!was)
			return fact_refuse(NULL, "stat", "six counters in the first poll", &r->at);
		*st = *was;
		return 0;
	}
	if (numbers(r, v, "stat", 6, US_MOST, n))
		return -1;
	*st = (struct cpu_stat){ .usage = n[0] * US, .nr_periods = n[1], .nr_throttled = n[2], .throttled_time = n[3] * US, .nr_bursts = n[4] };
	if (was && (st->usage < was->usage || st->nr_periods < was->nr_periods || st->nr_throttled < was->nr_throttled ||
		    st->throttled_time < was->throttled_time))
		return went_back(r, v, "stat");
	if (was && st->nr_throttled - was->nr_throttled > st->nr_periods - was->nr_periods)
		return err_at(r->at.err, r->at.file, r->at.line, (int)v->column, "stat", "more periods were throttled than there were: that cannot be");
	return 0;
}

/* [tid, run, wait, slices] at @now; the look before was at the last poll that looked at it. */
static int take_thread(struct reading *r, const struct json *v, u64 now)
{
	struct light_thread *t;
	struct light_use use;
	u64 n[4];

	if (numbers(r, v, "threads", 4, NS_MOST, n))
		return -1;
	if (!n[0] || n[0] > INT32_MAX)
		return fact_refuse(v, "threads", "a thread's number first", &r->at);
	t = thread_of(r->l, (s32)n[0]);
	if (!t)
		return no_memory(r);
	if (t->known && (n[1] < t->last_run || n[2] < t->last_wait || n[3] < t->last_slices))
		return went_back(r, v, "threads");
	t->looked = max_u64(t->looked, r->l->all_looked); /* it was looked at, and had done nothing */
	use = (struct light_use){ t->looked, now, n[1] - t->last_run, n[2] - t->last_wait, n[3] - t->last_slices };
	if (t->known && t->looked < now && (use.run || use.wait || use.slices) && !add_use(t, &use))
		return no_memory(r);
	t->known = true;
	t->looked = now;
	t->last_run = n[1];
	t->last_wait = n[2];
	t->last_slices = n[3];
	return 0;
}

static int take_gone(struct reading *r, const struct json *gone)
{
	const struct json *v;
	u64 tid;

	if (gone->kind != JSON_ARRAY)
		return fact_refuse(gone, "gone", "an array of threads", &r->at);
	json_each(v, gone) {
		struct light_thread *t;

		if (v->kind != JSON_NUMBER || num_whole_u64(v->text, v->len, INT32_MAX, &tid) != NUM_OK || !tid)
			return fact_refuse(v, "gone", "a thread's number", &r->at);
		t = thread_of(r->l, (s32)tid);
		if (!t)
			return no_memory(r);
		t->gone = true;
	}
	return 0;
}

static struct light_poll *new_poll(struct light *l)
{
	struct light_poll *polls;

	if (l->nr_polls == POLLS_MAX)
		return NULL;
	polls = list_grown(l->polls, l->nr_polls, &l->cap_polls, sizeof(*polls));
	if (!polls)
		return NULL;
	l->polls = polls;
	return &l->polls[l->nr_polls];
}

static int take_poll(struct reading *r, const struct json *line)
{
	const struct json *threads = json_get_last(line, "threads"), *part = json_get_last(line, "part"), *gone = json_get_last(line, "gone"), *v;
	struct light_poll *poll = new_poll(r->l);
	u64 us = 0;

	if (!poll)
		return no_memory(r);
	*poll = (struct light_poll){ .part = part && part->kind == JSON_BOOL && part->truth };
	if (fact_number(line, "t", US_MOST, true, &us, &r->at))
		return -1;
	poll->t = us * US;
	if (r->l->nr_polls && poll->t <= poll[-1].t)
		return err_at(r->at.err, r->at.file, r->at.line, (int)json_get_last(line, "t")->column, "t",
			      "is not later than the poll before: that cannot be");
	if (r->l->nr_polls && poll->t - r->l->polls[0].t > NS_MOST)
		return err_at(r->at.err, r->at.file, r->at.line, (int)json_get_last(line, "t")->column, "t",
			      "is more than three years later than the first poll: that cannot be");
	if (take_stat(r, json_get_last(line, "stat"), poll))
		return -1;
	if (threads && threads->kind != JSON_ARRAY)
		return fact_refuse(threads, "threads", "an array", &r->at);
	for (v = threads ? threads->child : NULL; v; v = v->next)
		if (take_thread(r, v, poll->t))
			return -1;
	if (gone && take_gone(r, gone))
		return -1;
	if (!poll->part)
		r->l->all_looked = poll->t;
	r->l->nr_polls++;
	return 0;
}

static int take_end(struct reading *r, const struct json *line)
{
	const struct json *why = json_get_last(line, "end");
	u64 us = 0;

	if (why->kind != JSON_STRING || fact_number(line, "cpu_usec", US_MOST, false, &us, &r->at))
		return why->kind != JSON_STRING ? fact_refuse(why, "end", "a word", &r->at) : -1;
	snprintf(r->l->end, sizeof(r->l->end), "%s", why->text);
	r->l->cpu = us * US;
	r->l->ended = true;
	return 0;
}

static int take_line(struct reading *r, const struct json *line)
{
	u32 members = r->l->facts.nr_members;
	int ret = trace_facts_take(&r->l->facts, line, &r->at);

	if (ret)
		return ret < 0 ? -1 : name_threads(r, members);
	if (!r->l->facts.any)
		return err_at(r->at.err, r->at.file, r->at.line, 1, NULL, "expected {\"fairground\": \"light\", ...} in the first line");
	if (json_get(line, "t"))
		return take_poll(r, line);
	if (json_get(line, "end"))
		return take_end(r, line);
	return 0; /* a later version may say more */
}

/* ---- lines ---- */

/* 1: the line is cut off, being the last one. */
static int read_line(struct reading *r, const char *s, size_t len, bool last)
{
	struct json *line;
	int ret;

	arena_of_malloc(&r->mem);
	line = json_parse(r->at.file, s, len, &r->mem, NULL, r->at.err);
	if (line && line->kind == JSON_OBJECT) {
		ret = take_line(r, line);
	} else if (last) {
		*r->at.err = (struct err){ 0 };
		ret = 1;
	} else {
		ret = line ? fact_refuse(line, NULL, "an object", &r->at) : -1;
		if (!line)
			r->at.err->line = r->at.line;
	}
	arena_fini(&r->mem);
	return ret;
}

int light_read(struct light *l, const u8 *p, u64 len, const char *path, bool *half, struct err *err)
{
	struct reading r = { .l = l, .at = { path, 0, err } };
	const char *s = (const char *)p, *end = s + len, *nl;

	memset(l, 0, sizeof(*l));
	trace_facts_init(&l->facts);
	*half = false;
	for (; s < end; s = nl + 1) {
		int ret;

		r.at.line++;
		nl = memchr(s, '\n', (size_t)(end - s));
		ret = nl == s ? 0 : read_line(&r, s, (size_t)((nl ? nl : end) - s), !nl);
		if (ret < 0)
			return -1;
		*half |= ret > 0;
		if (!nl)
			break;
	}
	if (l->nr_polls < 2) {
		err_at(err, path, 0, 0, NULL, "holds %u poll%s of the counters: two at least are needed", l->nr_polls, l->nr_polls == 1 ? "" : "s");
		return -1;
	}
	return 0;
}

int light_into_trace(struct trace *tr, const u8 *p, u64 len, const char *path, struct err *err)
{
	struct light *l = tr->light = calloc(1, sizeof(*l));
	bool half = false;

	if (!l)
		return err_at(err, path, 0, 0, NULL, "too large for the memory of this machine");
	tr->format = "counters, by fairground record --light";
	snprintf(tr->clock, sizeof(tr->clock), "mono");
	if (light_read(l, p, len, path, &half, err))
		return -1;
	tr->counts.half_lines = half || !l->ended;
	for (u32 i = 0; i < l->nr_threads; i++) {
		const struct light_thread *t = &l->threads[i];
		u32 task = trace_task_of(tr, t->tid);

		if (task >= tr->nr_tasks || task == TRACE_IDLE)
			continue;
		trace_task_name(tr, task, t->name, strlen(t->name));
		tr->tasks[task].tgid = t->pid;
	}
	trace_facts_apply(&l->facts, tr);
	return 0;
}

/* ---- questions ---- */

const struct fact_group *light_limited(const struct light *l)
{
	const struct trace_facts *f = &l->facts;
	const struct fact_group *own = f->target ? trace_facts_group(f, f->target) : NULL, *above;

	if (own && own->quota != NEVER)
		return own;
	above = trace_facts_above(f);
	return above ? above : own;
}
