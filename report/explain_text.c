/* SPDX-License-Identifier: MIT */
/*
 * explain_text.c - why a recorded group was throttled, for people.
 *
 *	what was recorded, under which limit
 *	how often it was throttled, by active and by wall-clock periods; causes
 *	the worst burst: where its time went, stretch by stretch
 *	sentences
 */
#include "report/explain_text.h"

#include <inttypes.h>

#include "report/replay_text.h"
#include "report/worst.h"
#include "text/format.h"
#include "text/table.h"

static void put_share(FILE *out, const struct explain_view *v)
{
	const struct fate *f = &v->recorded;
	char used[FORMAT_MAX], active[FORMAT_MAX], wall[FORMAT_MAX], time[FORMAT_MAX], of_limit[FORMAT_MAX];
	char line[400];
	u64 allowed;

	if (v->limit.quota == NEVER)
		return;
	allowed = v->limit.period ? (u64)((double)v->limit.quota * (double)v->trace.span / (double)v->limit.period) : 0;
	snprintf(line, sizeof(line), "throttled in %" PRIu64 " of %" PRIu64 " active periods (%s), of %" PRIu64 " by the clock (%s); stopped for %s ms "
		 "(threads added up)", f->throttled, f->active, format_share(active, f->throttled, f->active), f->wall,
		 format_share(wall, f->throttled, f->wall), format_ms(time, f->throttled_time));
	text_flow(out, line, 0, 2);
	fprintf(out, "used %s ms of CPU, %s of what the limit allows in that time\n", format_ms(used, f->usage),
		format_share(of_limit, f->usage, allowed));
}

static void put_causes(FILE *out, const struct explain_view *v)
{
	char time[FORMAT_MAX];
	struct table t;

	if (!v->nr_causes)
		return;
	fputc('\n', out);
	table_init(&t, "lrrl");
	table_heads(&t, "cause|periods|ms|");
	table_flow(&t, 3);
	for (u32 i = 0; i < v->nr_causes; i++) {
		table_cell(&t, "%s", v->causes[i].cause);
		if (v->causes[i].periods)
			table_cell(&t, "%" PRIu64, v->causes[i].periods);
		else
			table_cell(&t, "-");
		table_cell(&t, "%s", format_ms(time, v->causes[i].time));
		table_cell(&t, "%s", v->causes[i].why);
	}
	table_print(&t, out);
	table_fini(&t);
}

static void put_worst(FILE *out, const struct worst_view *w)
{
	char wall[FORMAT_MAX], ran[FORMAT_MAX], throttled[FORMAT_MAX], waited[FORMAT_MAX];
	char line[600];
	struct table t;

	if (!w->number)
		return;
	snprintf(line, sizeof(line), "longest burst: number %" PRIu64 " of %s, at %.6f s: %s ms = ran %s + throttled %s + waited for a CPU %s", w->number, w->task,
		 (double)w->began / (double)SEC, format_ms(wall, w->wall), format_ms(ran, w->cpu), format_ms(throttled, w->throttled),
		 format_ms(waited, w->waited));
	fputc('\n', out);
	text_flow(out, line, 0, 2);
	table_init(&t, "rlrl");
	for (u32 i = 0; i < w->nr_stretches; i++) {
		const struct stretch *s = &w->stretches[i];

		table_cell(&t, "+%.3f ms", (double)s->at / (double)MS);
		table_cell(&t, "%s", s->what);
		table_cell(&t, "%s ms", format_ms(wall, s->len));
		table_cell(&t, "%s", s->note);
	}
	table_print(&t, out);
	table_fini(&t);
	if (w->nr_left_out)
		fprintf(out, "  ... and %u more stretch%s\n", w->nr_left_out, w->nr_left_out == 1 ? "" : "es");
}

/* ---- in a sentence ---- */

/* What was ready behind other work, as the causes have it. */
static u64 contended(const struct explain_view *v)
{
	for (u32 i = 0; i < v->nr_causes; i++)
		if (!v->causes[i].periods)
			return v->causes[i].time;
	return 0;
}

char *explain_headline(char *buf, size_t size, const struct explain_view *v)
{
	const struct fate *f = &v->recorded;
	char share[FORMAT_MAX], ms[FORMAT_MAX];
	int len;

	if (f->throttled) {
		len = snprintf(buf, size, "%s was throttled in %" PRIu64 " of %" PRIu64 " active periods (%s): %s.", v->trace.group, f->throttled, f->active,
			       format_share(share, f->throttled, f->active), cause_of_most(v->causes, v->nr_causes, "why, the recording does not show"));
		if (contended(v) > f->throttled_time)
			snprintf(buf + len, size - (size_t)len, " Longer still, %s ms, it waited behind other work.", format_ms(ms, contended(v)));
		return buf;
	}
	if (contended(v) >= MS)
		snprintf(buf, size, "No throttling %s: contention. %s was ready behind other work for %s ms.", v->limit.quota == NEVER ? "shows" : "of its own limit",
			 v->trace.group, format_ms(ms, contended(v)));
	else
		snprintf(buf, size, "No throttling shows, and %s hardly ever waited for a CPU.", v->trace.group);
	return buf;
}

void explain_text(FILE *out, const struct explain_view *view)
{
	char headline[EXPLAIN_HEADLINE_MAX];

	text_flow(out, explain_headline(headline, sizeof(headline), view), 0, 0);
	trace_head_text(out, &view->trace, &view->limit);
	put_share(out, view);
	put_causes(out, view);
	worst_text(out, view->trace.group, view->limit.quota, view->period);
	put_worst(out, &view->worst);
	fputc('\n', out);
	sentences_text(out, view->sentences, view->nr_sentences);
}
