/* SPDX-License-Identifier: MIT */
/*
 * measure_text.c - reality beside its prediction, for people.
 *
 *		figure	     real     range	  model   apart  near is
 *	/web	CPU ms	      402   399..404	    401       1        5   ok
 *
 * Real before model everywhere: the measurement is what is so.
 */
#include "report/measure.h"

#include <inttypes.h>
#include <string.h>

#include "report/replay_text.h"
#include "text/format.h"
#include "text/table.h"

#define FEW 3   /* runs: with fewer there is hardly a spread to judge by */
#define MUCH 10 /* others' part of the CPU time above which they are pointed out */

static char *value_text(char *buf, const struct measure_cell *c, u64 v)
{
	return c->is_time ? format_ms(buf, v) : format_count(buf, v);
}

static void range_cell(struct table *t, const struct measure_cell *c)
{
	char lo[FORMAT_MAX], hi[FORMAT_MAX];

	if (c->real.lo == c->real.hi)
		table_cell(t, "%s", "");
	else
		table_cell(t, "%s..%s", value_text(lo, c, c->real.lo), value_text(hi, c, c->real.hi));
}

static void verdict_cell(struct table *t, const struct measure_cell *c)
{
	table_tone(t, !c->ok ? TONE_BAD : c->noisy ? TONE_DIM : TONE_GOOD);
	table_cell(t, "%s", !c->ok ? "no" : c->noisy ? "noisy" : "ok");
	table_tone(t, TONE_PLAIN);
}

static void cells_table(FILE *out, const struct measure_view *view)
{
	char buf[FORMAT_MAX];
	struct table t;
	u32 i;

	table_init(&t, "llrrrrrl");
	table_heads(&t, "|figure|real|range|model|apart|near is|");
	table_flow(&t, 7);
	for (i = 0; i < view->nr_cells; i++) {
		const struct measure_cell *c = &view->cells[i];
		bool again = i && !strcmp(view->cells[i - 1].subject, c->subject);

		table_cell(&t, "%s", again ? "" : c->subject);
		table_cell(&t, "%s", c->title);
		table_cell(&t, "%s", value_text(buf, c, c->real.at));
		range_cell(&t, c);
		table_cell(&t, "%s", value_text(buf, c, c->model.at));
		table_cell(&t, "%s", value_text(buf, c, c->apart));
		table_cell(&t, "%s", value_text(buf, c, c->tolerance));
		verdict_cell(&t, c);
	}
	table_print(&t, out);
	table_fini(&t);
}

struct measure_tally measure_tally(const struct measure_view *view)
{
	struct measure_tally tally = { .cells = view->nr_cells };
	u32 i;

	for (i = 0; i < view->nr_cells; i++) {
		tally.ok += view->cells[i].ok;
		tally.noisy += view->cells[i].ok && view->cells[i].noisy;
	}
	return tally;
}

static void summary(FILE *out, const struct measure_view *view)
{
	struct measure_tally tally = measure_tally(view);
	char steal[FORMAT_MAX], others[FORMAT_MAX], all[FORMAT_MAX];
	u64 cpu_time = view->window * view->repeats * (u64)view->used_cpus;

	fprintf(out, "\n%" PRIu32 " of %" PRIu32 " figures are as near as the repeats are to each other, or as their grain", tally.ok,
		tally.cells);
	if (tally.noisy)
		fprintf(out, "; %" PRIu32 " of these are noisy: their repeats differ by more than a quarter", tally.noisy);
	fprintf(out, "\nnoise, of %s of CPU time in all: other programs %s, steal %s\n",
		format_time(all, cpu_time), format_time(others, view->others), format_time(steal, view->steal));
	if (view->repeats < FEW)
		fprintf(out, "from %" PRIu32 " run%s little is known of how far real ones lie apart: --repeat %d or more\n", view->repeats,
			view->repeats > 1 ? "s" : "", FEW);
	if (!view->ahead && view->others > cpu_time / MUCH)
		fprintf(out, "that is much: --ahead lets the scenario go before them, and a quiet machine is better still\n");
}

void measure_text(FILE *out, const struct measure_view *view)
{
	char seconds[FORMAT_MAX];

	text_put(out, view->real->scenario->name);
	fprintf(out, ": kernel ");
	text_put(out, view->release);
	fprintf(out, ", predicted by row %s; %d of %d CPUs at %" PRIu32 " Hz, cgroup v%d, %s, measured %" PRIu32 " time%s\n\n", view->row,
		view->used_cpus, view->cpus, view->real->scenario->machine.hz, view->cgroup, format_time(seconds, view->window),
		view->repeats, view->repeats > 1 ? "s" : "");
	cells_table(out, view);
	summary(out, view);
	fprintf(out, "\nassumed\n");
	sentences_text(out, view->assumed, view->nr_assumed);
}
