/* SPDX-License-Identifier: MIT */
/* marks.c - keeps the marks that were asked for, and pairs beginnings with ends on each thread. */
#include "trace/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/line.h"

#define DEPTH_MOST 64

int marks_init(struct marks *m, const char *what, struct err *err)
{
	const char *dots = strstr(what, "..");
	size_t len = dots ? (size_t)(dots - what) : strlen(what);

	memset(m, 0, sizeof(*m));
	if (!len || len >= sizeof(m->begin) || (dots && (!dots[2] || strlen(dots + 2) >= sizeof(m->end)))) {
		err_set(err, ERR_INPUT, "--request \"%.60s\": expected what a mark holds, as in 'GET', or in 'start..done'", what);
		return -1;
	}
	memcpy(m->begin, what, len);
	if (dots)
		snprintf(m->end, sizeof(m->end), "%s", dots + 2);
	return 0;
}

void marks_fini(struct marks *m)
{
	free(m->v);
	memset(m, 0, sizeof(*m));
}

/* ---- while reading ---- */

static void keep(struct marks *m, u64 time, u32 task, bool begins)
{
	if (m->nr == m->cap) {
		u64 cap = m->cap ? 2 * m->cap : 1024;
		struct mark *more = cap <= MARKS_MOST ? realloc(m->v, cap * sizeof(*more)) : NULL;

		if (!more) {
			m->left_out++;
			return;
		}
		m->v = more;
		m->cap = cap;
	}
	m->v[m->nr++] = (struct mark){ time, task, begins };
}

static bool has(const char *text, size_t len, const char *word) { return find_word(text, text + len, word) != NULL; }

static void skip_colon(const char **text, size_t *len)
{
	while (*len && (**text == ' ' || **text == ':')) {
		++*text;
		--*len;
	}
}

static bool begins(const char *text, size_t len) { return len >= 2 && text[0] == 'B' && text[1] == '|'; }

static bool ends(const char *text, size_t len) { return len && text[0] == 'E' && (len == 1 || text[1] == '|' || text[1] == ' ' || text[1] == '\r' || text[1] == '\n'); }

bool trace_wants_mark(const struct trace *tr, const char *text, size_t len)
{
	skip_colon(&text, &len);
	return tr->marks || begins(text, len) || ends(text, len);
}

/* The first word behind the second bar of @text: "GET" of "B|4711|GET /cart". */
static void see(struct trace *tr, u32 task, const char *text, size_t len)
{
	struct mark_seen *s = tr->seen;
	const char *bar, *end = text + len;
	size_t n = 0;

	skip_colon(&text, &len);
	tr->marks_end |= ends(text, len);
	bar = begins(text, len) ? memchr(text + 2, '|', len - 2) : NULL;
	if (!bar)
		return;
	while (bar + 1 + n < end && (unsigned char)bar[1 + n] > ' ' && n + 1 < sizeof(s->name))
		n++;
	while (s < tr->seen + tr->nr_seen && (s->task != task || strlen(s->name) != n || memcmp(s->name, bar + 1, n)))
		s++;
	if (!n || s == tr->seen + MARKS_SEEN)
		return;
	if (s == tr->seen + tr->nr_seen) {
		tr->nr_seen++;
		s->task = task;
		memcpy(s->name, bar + 1, n);
		s->name[n] = '\0';
	}
	s->nr++;
}

/* By Android's letters every B and E counts, for the sake of nesting; a B that was not asked for is told by pairing. */
static void by_letter(struct marks *m, u64 time, u32 task, const char *text, size_t len)
{
	skip_colon(&text, &len);
	if (begins(text, len))
		keep(m, time, has(text, len, m->begin) ? task : task | (u32)1 << 31, true);
	else if (ends(text, len))
		keep(m, time, task, false);
}

void trace_request_mark(struct trace *tr, u64 time, u32 task, const char *text, size_t len)
{
	struct marks *m = tr->marks;

	if (task >= tr->nr_tasks)
		return;
	if (!m)
		see(tr, task, text, len);
	else if (!m->end[0])
		by_letter(m, time, task, text, len);
	else if (has(text, len, m->end))
		keep(m, time, task, false);
	else if (has(text, len, m->begin))
		keep(m, time, task, true);
}

/* ---- pairing ---- */

#define NOT_ASKED ((u32)1 << 31)

/* What is open on one thread: when it began, and whether it was asked for. */
struct open_marks {
	u64 since[DEPTH_MOST];
	bool asked[DEPTH_MOST];
	u32 depth, over;
};

static int by_time(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Marks of one text stand in order; those of several CPUs' buffers may not. */
static void sort_marks(struct mark *v, u64 nr)
{
	for (u64 i = 1; i < nr; i++) {
		if (v[i - 1].time <= v[i].time)
			continue;
		qsort(v, nr, sizeof(*v), by_time);
		return;
	}
}

static void open_one(struct open_marks *o, const struct mark *m)
{
	if (o->depth == DEPTH_MOST) {
		o->over++;
		return;
	}
	o->since[o->depth] = m->time;
	o->asked[o->depth++] = !(m->task & NOT_ASKED);
}

s64 marks_requests(const struct marks *m, const struct trace *tr, struct request **out, u64 *cut)
{
	struct open_marks *open = calloc((size_t)tr->nr_tasks + 1, sizeof(*open));
	struct request *v = malloc((m->nr + 1) * sizeof(*v));
	s64 nr = 0;

	*out = v;
	*cut = 0;
	if (!open || !v) {
		free(open);
		return -1;
	}
	sort_marks(m->v, m->nr);
	for (u64 i = 0; i < m->nr; i++) {
		u32 task = m->v[i].task & ~NOT_ASKED;
		struct open_marks *o = &open[task];

		if (m->v[i].begins) {
			open_one(o, &m->v[i]);
		} else if (o->over) {
			o->over--;
		} else if (!o->depth) {
			*cut += m->end[0] != '\0'; /* by letters it may have been anything */
		} else if (o->asked[--o->depth]) {
			v[nr++] = (struct request){ task, o->since[o->depth], m->v[i].time };
		}
	}
	for (u32 t = 0; t < tr->nr_tasks; t++)
		for (u32 d = 0; d < open[t].depth; d++)
			*cut += open[t].asked[d];
	free(open);
	return nr;
}
