/* SPDX-License-Identifier: MIT */
/* why.c - one run a rule; the figure that it moves most stands for it. */
#include "cli/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pool.h"
#include "input/scenario_file.h"

#define LEAST_EFFECT 0.02  /* of the larger of two values: less is not worth a row */
#define LEAST_DIFFERENCE 0.05 /* between the kernels, in the same parts: less is no difference to explain */

struct trial {
	enum rule rule;
	char value[64];
	struct scenario sc;
	bool tried;
	struct result *result;
	struct err err;
};

struct work {
	const struct runs *runs;
	struct trial trials[NR_RULES];
	u32 nr;
	struct result *first, *last;
	struct machine_options opt;
};

/* The last variant with one rule as the first has it; a rule that needs others cannot be set alone. */
static void prepare(struct work *w, struct trial *t)
{
	const struct scenario *from = &w->runs->variant[w->runs->nr_variants - 1];
	char rule[128];

	t->sc = *from;
	t->sc.seed = w->last->seed;
	arena_init(&t->sc.mem, from->mem.get, from->mem.put, from->mem.ctx);
	snprintf(rule, sizeof(rule), "%s=%s", rule_info(t->rule)->name, model_rule_value(&w->first->model, t->rule, t->value, sizeof(t->value)));
	t->tried = !scenario_add_rule(&t->sc, rule, &t->err) && !scenario_check_kernel(&t->sc, &t->err);
}

static void run_trial(void *ctx, u32 i)
{
	struct work *w = ctx;
	struct trial *t = &w->trials[i];

	if (t->tried)
		t->result = machine_run(&t->sc, &w->opt, &t->err);
}

static double parts(u64 a, u64 b)
{
	u64 more = a > b ? a : b;

	return more ? (a > b ? (double)(a - b) : (double)(b - a)) / (double)more : 0;
}

/* Of the figures in which the kernels differ, the one that this rule moves most. */
static bool strongest(const struct work *w, const struct trial *t, struct why_row *row, struct figure *room)
{
	struct figure *first = room, *last = room + FIGURES_MAX, *then = room + 2 * FIGURES_MAX;
	u32 nr = figures_of(w->first, first, FIGURES_MAX);

	if (figures_of(w->last, last, FIGURES_MAX) != nr || figures_of(t->result, then, FIGURES_MAX) != nr)
		return false;
	*row = (struct why_row){ .rule = rule_info(t->rule)->name, .alone = true };
	memcpy(row->value, t->value, sizeof(row->value));
	for (u32 i = 0; i < nr; i++) {
		double effect = parts(then[i].value, last[i].value);

		if (parts(first[i].value, last[i].value) < LEAST_DIFFERENCE || effect <= row->effect)
			continue;
		row->effect = effect;
		row->figure = last[i];
		row->then = then[i].value;
		row->before = first[i].value;
	}
	return row->effect >= LEAST_EFFECT;
}

static int by_effect(const void *a, const void *b)
{
	const struct why_row *x = a, *y = b;

	if (x->effect != y->effect)
		return x->effect > y->effect ? -1 : 1;
	return strcmp(x->rule, y->rule);
}

static int take_rows(struct work *w, struct why *out, struct err *err)
{
	struct figure *room = calloc(3 * FIGURES_MAX, sizeof(*room));
	struct why_row *rows = calloc(w->nr + 1, sizeof(*rows));

	out->rows = rows;
	for (u32 i = 0; room && rows && i < w->nr; i++) {
		if (!w->trials[i].result) {
			out->left_out++;
			continue;
		}
		out->tried++;
		out->nr += strongest(w, &w->trials[i], &rows[out->nr], room);
	}
	free(room);
	if (!rows || !room)
		return err_set(err, ERR_HOST, "out of memory");
	qsort(rows, out->nr, sizeof(*rows), by_effect);
	return 0;
}

int why_run(struct why *out, const struct runs *runs, struct err *err)
{
	struct work *w = calloc(1, sizeof(*w));
	int ret;

	*out = (struct why){ .from = runs->series[0].label, .to = runs->series[runs->nr_variants - 1].label };
	if (!w)
		return err_set(err, ERR_HOST, "out of memory");
	w->runs = runs;
	w->opt = machine_options_of(runs->opt);
	w->first = series_middle(&runs->series[0]);
	w->last = series_middle(&runs->series[runs->nr_variants - 1]);
	for (int r = 0; r < NR_RULES; r++) {
		if (w->first->model.rule[r] == w->last->model.rule[r])
			continue;
		w->trials[w->nr].rule = (enum rule)r;
		prepare(w, &w->trials[w->nr++]);
	}
	pool_run(w->nr, (u32)runs->opt->jobs, run_trial, w);
	ret = take_rows(w, out, err);
	for (u32 i = 0; i < w->nr; i++) {
		if (w->trials[i].result)
			result_free(w->trials[i].result);
		arena_fini(&w->trials[i].sc.mem);
	}
	free(w);
	return ret;
}

void why_free(struct why *why) { free((void *)(uintptr_t)why->rows); }
