/* SPDX-License-Identifier: MIT */
/*
 * runs.c - a scenario, run as often and in as many variants as was asked.
 *
 * Law: what a run gives depends on its number alone, never on how many run at a time.
 */
#include "cli/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pool.h"
#include "text/memory.h"

/* The period of the first limited group, as the kernel took it: by then all writes of t = 0 have been made. */
static int first_period(const struct scenario *sc, u64 *period, struct err *err)
{
	struct machine_options opt = { 0 };
	struct machine *m = machine_create(sc, &opt, err);
	struct group_stat st;
	u32 i;
	int ret;

	if (!m)
		return -1;
	ret = machine_run_until(m, 1, err);
	*period = 0;
	for (i = 0; !ret && !*period && i < sc->nr_groups; i++)
		if (!machine_group_stat(m, sc->groups[i].path, &st) && st.quota != RUNTIME_INF)
			*period = st.period;
	machine_destroy(m);
	if (!ret && !*period) {
		err_set(err, ERR_INPUT, "--phases: no group of this scenario has a limit, so there is no period to shift along");
		return -1;
	}
	return ret;
}

int runs_read(struct runs *runs, struct source *src, struct run_options *opt, struct err *err)
{
	u32 v;

	memset(runs, 0, sizeof(*runs));
	arena_of_malloc(&runs->mem);
	runs->opt = opt;
	runs->nr_variants = opt->nr_variants;
	src->rtapp_compat = opt->rtapp_compat;
	runs->variant = calloc(runs->nr_variants, sizeof(*runs->variant));
	if (!runs->variant)
		return err_set(err, ERR_HOST, "out of memory");
	for (v = 0; v < runs->nr_variants; v++) {
		struct scenario *sc = &runs->variant[v];

		if (source_scenario(src, &opt->variants[v], sc, err))
			return -1;
		runs->nr_read++;
		if (opt->seed_set)
			sc->seed = opt->seed;
		if (opt->duration)
			sc->duration = opt->duration;
	}
	variants_label(opt->variants, opt->nr_variants, &runs->variant[0]);
	return 0;
}

enum repeat_kind { REPEAT_NOT, REPEAT_SEEDS, REPEAT_PHASES };

static enum repeat_kind repeat_kind_of(const struct run_options *opt, u64 phases)
{
	if (opt->runs > 1)
		return REPEAT_SEEDS;
	return phases > 1 ? REPEAT_PHASES : REPEAT_NOT;
}

static int make_variant(struct runs *runs, u32 v, enum repeat_kind kind, struct err *err)
{
	u64 period = 0;
	u32 i;

	if (kind == REPEAT_PHASES && first_period(&runs->variant[v], &period, err))
		return -1;
	for (i = 0; i < runs->repeats; i++) {
		struct scenario *one = &runs->run[v * runs->repeats + i].scenario;

		*one = runs->variant[v];
		if (kind == REPEAT_SEEDS)
			one->seed += i;
		one->start_phase += i * (period / runs->repeats);
	}
	return 0;
}

int runs_make(struct runs *runs, u64 phases, struct err *err)
{
	const struct run_options *opt = runs->opt;
	u64 wanted = opt->phases ? opt->phases : phases;
	enum repeat_kind kind = repeat_kind_of(opt, wanted);
	u32 v;

	if (opt->runs > 1 && opt->phases > 1)
		return err_set(err, ERR_INPUT, "--runs and --phases repeat in different ways: give one of them");
	runs->repeats = kind == REPEAT_SEEDS ? (u32)opt->runs : kind == REPEAT_PHASES ? (u32)wanted : 1;
	runs->run = calloc((size_t)runs->nr_variants * runs->repeats, sizeof(*runs->run));
	if (!runs->run)
		return err_set(err, ERR_HOST, "out of memory");
	for (v = 0; v < runs->nr_variants; v++)
		if (make_variant(runs, v, kind, err))
			return -1;
	return 0;
}

static void go_one(void *ctx, u32 i)
{
	struct runs *runs = ctx;
	struct one_run *run = &runs->run[i];
	struct machine_options opt = machine_options_of(runs->opt);

	run->result = machine_run(&run->scenario, &opt, &run->err);
}

static int gather(struct runs *runs, struct err *err)
{
	u32 v, i, nr = runs->nr_variants * runs->repeats;

	for (i = 0; i < nr; i++) {
		if (runs->run[i].result)
			continue;
		*err = runs->run[i].err;
		return -1;
	}
	runs->series = arena_alloc(&runs->mem, runs->nr_variants * sizeof(*runs->series));
	for (v = 0; runs->series && v < runs->nr_variants; v++) {
		struct series *s = &runs->series[v];

		s->label = runs->opt->variants[v].label;
		s->nr = runs->repeats;
		s->results = arena_alloc(&runs->mem, runs->repeats * sizeof(*s->results));
		for (i = 0; s->results && i < runs->repeats; i++)
			s->results[i] = runs->run[v * runs->repeats + i].result;
		if (!s->results)
			runs->series = NULL;
	}
	return runs->series ? 0 : err_set(err, ERR_HOST, "out of memory");
}

int runs_go(struct runs *runs, struct err *err)
{
	pool_run(runs->nr_variants * runs->repeats, (u32)runs->opt->jobs, go_one, runs);
	return gather(runs, err);
}

const char *runs_repeats(struct runs *runs)
{
	char text[64];

	if (runs->repeats < 2)
		return NULL;
	snprintf(text, sizeof(text), "%u %s", runs->repeats, runs->opt->runs > 1 ? "seeds" : "start phases");
	return arena_strdup(&runs->mem, text);
}

void runs_fini(struct runs *runs)
{
	u32 i;

	for (i = 0; runs->run && i < runs->nr_variants * runs->repeats; i++)
		result_free(runs->run[i].result);
	for (i = 0; i < runs->nr_read; i++)
		scenario_free(&runs->variant[i]);
	free(runs->run);
	free(runs->variant);
	arena_fini(&runs->mem);
}
