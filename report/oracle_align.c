/* SPDX-License-Identifier: MIT */
/*
 * oracle_align.c - the model and recordings switch by switch, for people and machines.
 *
 *	case			switches  model  who agrees   intervals within 50 us   first divergence
 */
#include "report/oracle.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/result_json.h"
#include "text/format.h"
#include "text/table.h"

/* Of all switches, those that stand in a pair count once and those that are in one side only too. */
static double who_share(const struct oracle_alignment *a)
{
	u32 all = a->model + a->real - a->matched;

	return all ? 100.0 * a->matched / all : 100;
}

static double near_share(const struct oracle_alignment *a) { return a->intervals ? 100.0 * a->near / a->intervals : 100; }

static void summary_table(FILE *out, const struct oracle_alignment *a, u32 nr)
{
	char buf[FORMAT_MAX];
	struct table t;

	table_init(&t, "lrrrrrrr");
	table_heads(&t, "case|real switches|model|agree in who|intervals|near|within|worst");
	for (u32 i = 0; i < nr; i++) {
		table_cell(&t, "%s", a[i].case_id);
		table_cell(&t, "%" PRIu32, a[i].real);
		table_cell(&t, "%" PRIu32, a[i].model);
		table_cell(&t, "%.1f%%", who_share(&a[i]));
		table_cell(&t, "%" PRIu32, a[i].intervals);
		table_cell(&t, "%.1f%%", near_share(&a[i]));
		table_cell(&t, "%s", format_time(buf, a[i].tolerance));
		table_cell(&t, "%s", format_time(buf, a[i].worst));
	}
	table_print(&t, out);
	table_fini(&t);
}

static void context_cells(struct table *t, const struct oracle_switch *s, u32 nr, u32 i, bool here)
{
	if (i >= nr) {
		table_cell(t, "%s", "");
		table_cell(t, "%s", "");
		table_cell(t, "%s", "");
		return;
	}
	table_cell(t, "%s", here ? ">" : "");
	table_cell(t, "%.3f", (double)s[i].time / (double)MS);
	table_cell(t, "%s", s[i].who);
}

static void divergence(FILE *out, const struct oracle_alignment *a)
{
	struct table t;

	fputc('\n', out);
	text_put(out, a->case_id);
	if (a->diverge == DIVERGE_NONE) {
		fprintf(out, ": no divergence\n");
		return;
	}
	fprintf(out, ": first divergence %.3f ms after the window's start, CPU %d, in %s", (double)a->time / (double)MS, a->cpu,
		a->diverge == DIVERGE_WHO ? "who runs" : "when");
	if (a->phase_known)
		fprintf(out, " (periods begin %.3f ms into theirs)", (double)a->phase / (double)MS);
	fputc('\n', out);
	fputs("  cause: ", out);
	text_put(out, a->cause ? a->cause : "unknown");
	fputc('\n', out);
	table_init(&t, "lrllrl");
	t.indent = 2;
	table_heads(&t, "|real ms|to||model ms|to");
	for (u32 i = 0; i < a->nr_real_context || i < a->nr_model_context; i++) {
		context_cells(&t, a->real_context, a->nr_real_context, i, i == a->real_at);
		context_cells(&t, a->model_context, a->nr_model_context, i, i == a->model_at);
	}
	table_print(&t, out);
	table_fini(&t);
}

void oracle_alignment_text(FILE *out, const struct oracle_alignment *a, u32 nr)
{
	summary_table(out, a, nr);
	for (u32 i = 0; i < nr; i++)
		divergence(out, &a[i]);
}

static void put_context(struct json_write *j, const char *key, const struct oracle_switch *s, u32 nr)
{
	json_put_begin(j, key, '[');
	for (u32 i = 0; i < nr; i++) {
		json_begin_line(j, '{');
		json_put_real(j, "t_usec", (double)s[i].time / (double)US, 3);
		json_put_string(j, "to", s[i].who);
		json_end(j);
	}
	json_end(j);
}

static void put_alignment(struct json_write *j, const struct oracle_alignment *a)
{
	static const char *const how[] = { [DIVERGE_NONE] = NULL, [DIVERGE_WHO] = "who", [DIVERGE_TIME] = "time" };

	json_begin(j, '{');
	json_put_string(j, "case", a->case_id);
	json_put_string(j, "trace", a->trace);
	json_put_u64(j, "real_switches", a->real);
	json_put_u64(j, "model_switches", a->model);
	json_put_u64(j, "matched", a->matched);
	json_put_real(j, "who_share", who_share(a), 2);
	json_put_u64(j, "intervals", a->intervals);
	json_put_u64(j, "near", a->near);
	json_put_real(j, "near_share", near_share(a), 2);
	json_put_u64(j, "tolerance_usec", a->tolerance / US);
	json_put_real(j, "worst_usec", (double)a->worst / (double)US, 3);
	if (a->phase_known)
		json_put_real(j, "phase_usec", (double)a->phase / (double)US, 3);
	json_put_string(j, "diverges_in", how[a->diverge]);
	if (a->diverge != DIVERGE_NONE) {
		json_put_s64(j, "diverges_cpu", a->cpu);
		json_put_real(j, "diverges_usec", (double)a->time / (double)US, 3);
		put_context(j, "real_context", a->real_context, a->nr_real_context);
		put_context(j, "model_context", a->model_context, a->nr_model_context);
		json_put_string(j, "cause", a->cause ? a->cause : "unknown");
	}
	json_end(j);
}

void oracle_alignment_json(FILE *out, const struct oracle_alignment *a, u32 nr)
{
	struct json_write j;

	json_write_init(&j, out);
	json_begin(&j, '{');
	json_put_string(&j, "fairground", FAIRGROUND_VERSION);
	json_put_begin(&j, "traces", '[');
	for (u32 i = 0; i < nr; i++)
		put_alignment(&j, &a[i]);
	json_end(&j);
	json_end(&j);
	json_done(&j);
}
