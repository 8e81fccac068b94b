/* SPDX-License-Identifier: MIT */
/* explain_requests.c - takes each request apart by what its thread did meanwhile. */
#include "cli/explain_requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/format.h"
#include "trace/burst.h"

enum part { PART_WALL, PART_RAN, PART_THROTTLED, PART_WAITED, PART_SLEPT };

/* The part of [@from, @to) in which a throttle of @task stood, by the gaps found. */
static u64 throttled_in(const struct throttle_guess *g, u32 task, u64 from, u64 to)
{
	u64 sum = 0;

	for (u64 i = 0; i < g->nr_gaps && g->gaps[i].start < to; i++) {
		const struct gap *gap = &g->gaps[i];

		if (gap->task == task && gap->kind == GAP_THROTTLE && gap->boundary > from)
			sum += min_u64(gap->boundary, to) - max_u64(gap->start, from);
	}
	return sum;
}

static void take_apart(u64 *part, const struct traced *t, const struct request *r)
{
	const struct span *s, *end;
	u64 ready = 0;

	memset(part, 0, 5 * sizeof(*part));
	part[PART_WALL] = r->to - r->from;
	timeline_task(&t->tl, r->task, &s, &end);
	for (; s < end && s->start < r->to; s++) {
		u64 len = s->end > r->from ? min_u64(s->end, r->to) - max_u64(s->start, r->from) : 0;

		if (s->state == SPAN_RUNNING)
			part[PART_RAN] += len;
		else if (s->state == SPAN_READY)
			ready += len;
	}
	part[PART_THROTTLED] = min_u64(throttled_in(&t->guess, r->task, r->from, r->to), ready);
	part[PART_WAITED] = ready - part[PART_THROTTLED];
	part[PART_SLEPT] = part[PART_WALL] - min_u64(part[PART_WALL], part[PART_RAN] + ready);
}

/* Only those of the group count. */
static u64 keep_members(struct request *v, u64 nr, const struct traced *t)
{
	u64 kept = 0;

	for (u64 i = 0; i < nr; i++)
		if (t->member[v[i].task])
			v[kept++] = v[i];
	return kept;
}

static void add_up(struct requests_view *out, const struct traced *t, const struct request *v, u64 *wall)
{
	double sum = 0;

	for (u64 i = 0; i < out->nr; i++) {
		u64 part[5];

		take_apart(part, t, &v[i]);
		wall[i] = part[PART_WALL];
		sum += (double)wall[i];
		out->ran += part[PART_RAN];
		out->throttled += part[PART_THROTTLED];
		out->waited += part[PART_WAITED];
		out->slept += part[PART_SLEPT];
		if (out->worst_number && part[PART_WALL] <= out->worst[PART_WALL])
			continue;
		memcpy(out->worst, part, sizeof(part));
		out->worst_number = i + 1;
		out->worst_at = v[i].from;
		out->worst_task = t->tr.tasks[v[i].task].name;
	}
	out->mean = out->nr ? (u64)(sum / (double)out->nr) : 0;
}

int explain_requests(struct requests_view *out, const struct traced *t, const char *what, struct err *err)
{
	static const u32 percents[NR_LATENCIES] = { 50, 90, 95, 99, 100 };
	struct request *v;
	s64 nr;
	u64 *wall;

	memset(out, 0, sizeof(*out));
	out->what = what;
	nr = marks_requests(t->tr.marks, &t->tr, &v, &out->cut);
	wall = malloc(((size_t)(nr > 0 ? nr : 0) + 1) * sizeof(*wall));
	if (nr < 0 || !wall) {
		free(v);
		free(wall);
		return err_set(err, ERR_HOST, "out of memory for the requests");
	}
	out->nr = keep_members(v, (u64)nr, t);
	add_up(out, t, v, wall);
	sort_u64(wall, out->nr);
	for (int i = 0; i < NR_LATENCIES; i++)
		out->latency[i] = nearest_rank(wall, out->nr, percents[i]);
	free(v);
	free(wall);
	if (out->nr)
		return 0;
	err_at(err, t->path, 0, 0, "--request", "no request of the group is marked so: %" PRIu64 " mark%s of its kind, %" PRIu64 " that began or ended outside", t->tr.marks->nr,
	       t->tr.marks->nr == 1 ? "" : "s", out->cut);
	err_hint(err, "marks are tracing_mark_write or print events: 'GET' for B|pid|GET ... and E, 'start..done' for a program's own words");
	return -1;
}

void say_requests(struct sentences *s, const struct requests_view *v)
{
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[FORMAT_MAX], e[FORMAT_MAX];

	sentences_add(s, "%" PRIu64 " request%s marked \"%s\": %s (p50), %s (p95), %s (p99), %s (max)%s.", v->nr, v->nr == 1 ? "" : "s", v->what, format_time(a, v->latency[LATENCY_P50]),
		      format_time(b, v->latency[LATENCY_P95]), format_time(c, v->latency[LATENCY_P99]), format_time(d, v->latency[LATENCY_MAX]),
		      v->cut ? "; those that began or ended outside the recording are left out, the longest of them more likely" : "");
	sentences_add(s, "The longest is number %" PRIu64 ", on %s at %.4f s: %s = ran %s + throttled %s + waited for a CPU %s + slept %s.", v->worst_number, v->worst_task,
		      (double)v->worst_at / (double)SEC, format_time(a, v->worst[PART_WALL]), format_time(b, v->worst[PART_RAN]),
		      format_time(c, v->worst[PART_THROTTLED]), format_time(d, v->worst[PART_WAITED]), format_time(e, v->worst[PART_SLEPT]));
}
