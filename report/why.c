/* SPDX-License-Identifier: MIT */
/* why.c - a row for each rule that moves a figure by itself. */
#include "report/why.h"

#include <inttypes.h>

#include "text/format.h"
#include "text/table.h"

#define ROWS_MAX 10

static const char *text_of(char *buf, enum figure_unit unit, u64 v) { return unit == FIGURE_NS ? format_ms(buf, v) : format_count(buf, v); }

static void row(struct table *t, const struct why_row *r)
{
	const struct figure *f = &r->figure;
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];

	table_cell(t, "%s=%s", r->rule, r->value);
	table_cell(t, "%s %s", f->subject && *f->subject ? f->subject : "machine", f->title);
	table_cell(t, "%s", text_of(a, f->unit, f->value));
	table_cell(t, "%s", text_of(b, f->unit, r->then));
	table_cell(t, "%s", text_of(c, f->unit, r->before));
	table_end_row(t);
}

void why_text(FILE *out, const struct why *why)
{
	struct table t;
	char line[512];

	snprintf(line, sizeof(line), "which rule makes the difference: %s with one rule at a time as %s has it, and the figure that moves most", why->to, why->from);
	fputc('\n', out);
	text_flow(out, line, 0, 0);
	table_init(&t, "llrrr");
	table_tone(&t, TONE_HEAD);
	table_cell(&t, "rule");
	table_cell(&t, "figure");
	table_cell(&t, "%s", why->to);
	table_cell(&t, "with it");
	table_cell(&t, "%s", why->from);
	table_tone(&t, TONE_PLAIN);
	table_end_row(&t);
	for (u32 i = 0; i < why->nr && i < ROWS_MAX; i++)
		row(&t, &why->rows[i]);
	if (why->nr)
		table_print(&t, out);
	table_fini(&t);
	fprintf(out, "%u of the %u rules that differ move%s a figure by 2 %% or more by itself", why->nr, why->tried + why->left_out, why->nr == 1 ? "s" : "");
	if (why->left_out)
		fprintf(out, "; %u cannot be set alone", why->left_out);
	fputs(".\n", out);
}

void why_json(struct json_write *j, const struct why *why)
{
	json_put_begin(j, "why", '[');
	for (u32 i = 0; i < why->nr; i++) {
		const struct why_row *r = &why->rows[i];

		json_begin_line(j, '{');
		json_put_string(j, "rule", r->rule);
		json_put_string(j, "value", r->value);
		json_put_string(j, "subject", r->figure.subject);
		json_put_string(j, "figure", r->figure.name);
		json_put_u64(j, "to", r->figure.unit == FIGURE_NS ? r->figure.value / US : r->figure.value);
		json_put_u64(j, "with_it", r->figure.unit == FIGURE_NS ? r->then / US : r->then);
		json_put_u64(j, "from", r->figure.unit == FIGURE_NS ? r->before / US : r->before);
		json_end(j);
	}
	json_end(j);
}
