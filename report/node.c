/* SPDX-License-Identifier: MIT */
/* node.c - a table of groups: CPU time and bursts, now and with every limit gone. */
#include "report/node.h"

#include <inttypes.h>

#include "text/format.h"
#include "text/table.h"

#define ROWS_MAX 24
#define NOISE 1.05 /* less than 5 % is not worth a word */

static double ratio(u64 after, u64 before) { return before ? (double)after / (double)before : 1; }

static void cell_harm(struct table *t, const struct node_group *g)
{
	double p99 = g->model.nr && g->without.nr ? ratio(g->without.p99, g->model.p99) : ratio(g->model.usage, g->without.usage);

	table_tone(t, p99 > NOISE ? TONE_BAD : p99 * NOISE < 1 ? TONE_GOOD : TONE_PLAIN);
	if (p99 > NOISE)
		table_cell(t, "%.1fx slower", p99);
	else if (p99 * NOISE < 1)
		table_cell(t, "%.1fx faster", 1 / p99);
	else
		table_cell(t, "same");
	table_tone(t, TONE_PLAIN);
}

static void cell_ms(struct table *t, u64 ns, bool known)
{
	char buf[FORMAT_MAX];

	table_cell(t, "%s", known ? format_ms(buf, ns) : "-");
}

static void row(struct table *t, const struct node_group *g)
{
	char buf[FORMAT_MAX];

	table_cell(t, "%s", g->path);
	table_cell(t, "%u", g->threads);
	table_cell(t, "%s", format_limit(buf, g->quota == NEVER ? RUNTIME_INF : g->quota, g->period));
	if (g->quota == NEVER)
		table_cell(t, "-");
	else
		table_cell(t, "%" PRIu64 " of %" PRIu64, g->model.throttled, g->model.active);
	cell_ms(t, g->recorded.usage, true);
	cell_ms(t, g->model.usage, true);
	cell_ms(t, g->without.usage, true);
	cell_ms(t, g->model.p50, g->model.nr);
	cell_ms(t, g->without.p50, g->without.nr);
	cell_ms(t, g->recorded.p99, g->recorded.nr);
	cell_ms(t, g->model.p99, g->model.nr);
	cell_ms(t, g->without.p99, g->without.nr);
	cell_harm(t, g);
	table_end_row(t);
}

void node_text(FILE *out, const struct node_view *v)
{
	struct table t;
	u32 i;

	fprintf(out, "\nwhat if every limit of the node went (%u of %u groups have one): %.2f of %d CPUs in use now, %.2f then\n", v->limited, v->nr,
		v->busy_now, v->cpus, v->busy_without);
	table_init(&t, "lrlrrrrrrrrrl");
	table_heads(&t, "||||CPU ms|||p50 ms||p99 ms||||");
	table_heads(&t, "group|threads|limit|throttled|recorded|model|without|model|without|recorded|model|without|a burst is then");
	for (i = 0; i < v->nr && i < ROWS_MAX; i++)
		row(&t, &v->groups[i]);
	table_print(&t, out);
	table_fini(&t);
	if (v->nr > ROWS_MAX)
		fprintf(out, "  ... and %u more groups (--json has all)\n", v->nr - ROWS_MAX);
}

static void put_fate(struct json_write *j, const char *key, const struct node_fate *f)
{
	json_put_begin_line(j, key, '{');
	json_put_u64(j, "usage_usec", f->usage / US);
	json_put_u64(j, "throttled_periods", f->throttled);
	json_put_u64(j, "active_periods", f->active);
	json_put_u64(j, "bursts", f->nr);
	json_put_u64(j, "p50_usec", f->p50 / US);
	json_put_u64(j, "p99_usec", f->p99 / US);
	json_end(j);
}

void node_json(struct json_write *j, const struct node_view *v)
{
	json_put_begin(j, "node", '{');
	json_put_u64(j, "cpus", (u64)v->cpus);
	json_put_real(j, "busy", v->busy_now, 3);
	json_put_real(j, "busy_without", v->busy_without, 3);
	json_put_begin(j, "groups", '{');
	for (u32 i = 0; i < v->nr; i++) {
		const struct node_group *g = &v->groups[i];

		json_put_begin(j, g->path, '{');
		json_put_u64(j, "threads", g->threads);
		json_key(j, "quota_usec");
		if (g->quota == NEVER)
			json_string(j, NULL);
		else
			json_u64(j, g->quota / US);
		json_put_u64(j, "period_usec", g->period / US);
		json_put_real(j, "sure", g->sure, 2);
		put_fate(j, "recorded", &g->recorded);
		put_fate(j, "model", &g->model);
		put_fate(j, "without", &g->without);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}
