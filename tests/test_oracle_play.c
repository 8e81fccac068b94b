/* SPDX-License-Identifier: MIT */
/* test_oracle_play.c - the model against real recordings and measurements: pairing switches, playing shipped cases. */
#include "tests/oracle_bed.h"

#include <stdlib.h>

#include "oracle/align.h"
#include "oracle/beginning.h"
#include "oracle/score.h"

#define HOG20 "name=hog-q20 secs=4 g=a:0:20000:100000:0 t=1:0:hog:0:0:0:0"

/* ---- switch by switch ---- */

static struct switch_list list_of(struct switch_point *v, u32 nr) { return (struct switch_list){ v, nr, nr }; }

/* Equal sequences pair one to one; one that is missing in between leaves only itself alone. */
TEST(oracle_play, pairs)
{
	struct switch_point a[] = { { 0, 1 }, { 12 * MS, 0 }, { 100 * MS, 1 }, { 108 * MS, 0 }, { 200 * MS, 1 } };
	struct switch_point b[] = { { 10, 1 }, { 12 * MS, 0 }, { 50 * MS, 2 }, { 100 * MS, 1 }, { 112 * MS, 0 }, { 200 * MS, 1 } };
	struct switch_list la = list_of(a, 5), lb = list_of(b, 6);
	s32 pair[6];

	CHECK_EQ(align_pairs(&la, &la, pair), 0);
	for (s32 i = 0; i < 5; i++)
		CHECK_EQ(pair[i], i);
	CHECK_EQ(align_pairs(&la, &lb, pair), 0);
	CHECK_EQ(pair[0], 0);
	CHECK_EQ(pair[1], 1);
	CHECK_EQ(pair[2], 3);
	CHECK_EQ(pair[3], 4); /* 4 ms apart: the same switch, at another tick */
	CHECK_EQ(pair[4], 5);
	CHECK_EQ(align_pairs(&lb, &la, pair), 0);
	CHECK_EQ(pair[2], -1);
}

/* Nothing is paired across a period. */
TEST(oracle_play, pairs_are_near)
{
	struct switch_point a[] = { { 0, 1 }, { 4 * MS, 0 } }, b[] = { { 100 * MS, 1 }, { 104 * MS, 0 } };
	struct switch_list la = list_of(a, 2), lb = list_of(b, 2), none = { 0 };
	s32 pair[2];

	CHECK_EQ(align_pairs(&la, &lb, pair), 0);
	CHECK_EQ(pair[0], -1);
	CHECK_EQ(pair[1], -1);
	CHECK_EQ(align_pairs(&la, &none, pair), 0);
	CHECK_EQ(pair[0], -1);
	CHECK_EQ(align_pairs(&none, &la, pair), 0);
}

/* Long sequences are paired in a band, with the same result. */
TEST(oracle_play, pairs_long)
{
	u32 nr = 6000;
	struct switch_list la = { malloc(nr * sizeof(*la.v)), nr, nr }, lb = { malloc(nr * sizeof(*lb.v)), nr - 2, nr };
	s32 *pair = malloc(nr * sizeof(*pair));
	u32 paired = 0;

	for (u32 i = 0; i < nr; i++)
		la.v[i] = (struct switch_point){ (s64)(i * MS), i & 1 };
	memcpy(lb.v, la.v, 3000 * sizeof(*lb.v));
	memcpy(lb.v + 3000, la.v + 3002, 2998 * sizeof(*lb.v));
	CHECK_EQ(align_pairs(&la, &lb, pair), 0);
	for (u32 i = 0; i < nr; i++)
		paired += pair[i] >= 0 && la.v[i].time == lb.v[pair[i]].time;
	CHECK_EQ(paired, 5998);
	free(la.v);
	free(lb.v);
	free(pair);
}

/* Where model and recording part first is named, with both sides. */
TEST(oracle_play, first_divergence)
{
	struct arena mem = arena();
	struct measured m = measured_of("5.10-after", HOG20, 2, &mem);
	struct oracle_alignment a = { 0 };
	struct switch_log model, real;

	switch_log_init(&model, 2);
	switch_log_init(&real, 2);
	for (s64 k = 0; k < 5; k++) {
		switch_log_add(&model, 0, k * 100 * (s64)MS, 1);
		switch_log_add(&real, 0, k * 100 * (s64)MS + 7000, 1);
		switch_log_add(&model, 0, (k * 100 + (k == 3 ? 24 : 20)) * (s64)MS, 0);
		switch_log_add(&real, 0, (k * 100 + 20) * (s64)MS, 0);
	}
	CHECK_EQ(align_logs(&a, &m, &model, &real, &mem), 0);
	CHECK_EQ(a.model, 10);
	CHECK_EQ(a.real, 10);
	CHECK_EQ(a.matched, 10);
	CHECK_EQ(a.intervals, 8);
	CHECK_EQ(a.near, 6); /* to 324 and from it */
	CHECK_EQ(a.diverge, DIVERGE_TIME);
	CHECK_EQ(a.time, 320 * (s64)MS);
	CHECK_EQ(a.worst, 4 * MS);
	CHECK_STR(a.model_context[a.model_at].who, "idle");
	CHECK_EQ(a.model_context[a.model_at].time, 324 * (s64)MS);
	CHECK_EQ(a.real_context[a.real_at].time, 320 * (s64)MS);
	CHECK_STR(a.real_context[a.real_at - 1].who, "h0.0");
	switch_log_free(&model);
	switch_log_free(&real);
	arena_fini(&mem);
}

/* Who runs already is no switch. */
TEST(oracle_play, log_joins)
{
	struct switch_log log;

	switch_log_init(&log, 1);
	switch_log_add(&log, 0, 1, 0); /* idle from the start */
	switch_log_add(&log, 0, 2, 1);
	switch_log_add(&log, 0, 3, 1);
	switch_log_add(&log, 0, 4, 0);
	switch_log_add(&log, 7, 4, 1); /* a CPU that is not there */
	CHECK_EQ(log.cpu[0].nr, 2);
	CHECK_EQ(log.cpu[0].v[1].time, 4);
	switch_log_free(&log);
}

/* The phase is where most releases lie, also across the end of a period, and a stray one does not move it. */
TEST(oracle_play, phase)
{
	u64 plain[] = { 73924 * US, 173925 * US, 273924 * US, 290000 * US };
	u64 wrapped[] = { 99998 * US, 200002 * US, 300001 * US, 399999 * US };

	CHECK_EQ(phase_of_releases(plain, 4, 100 * MS), 73919 * US);
	CHECK_EQ(phase_of_releases(wrapped, 4, 100 * MS), 99993 * US);
	CHECK_EQ(phase_of_releases(plain, 0, 100 * MS), NEVER);
}

static struct measured *line_with(struct measured_list *list, const char *label, const char *name, struct arena *mem)
{
	struct err err = { 0 };

	measured_list_init(list);
	CHECK_EQ(measured_read(list, "tests/oracle/traced.jsonl", mem, &err), 0);
	for (struct measured *m = list->first; m; m = m->next)
		if (!strcmp(m->name, name) && !strcmp(m->guest->label, label))
			return m;
	return NULL;
}

/* A shipped recording: the hog of 20 ms in 100 runs to 24 at first, then 20 in each period; kworkers are looked through. */
TEST(oracle_play, recording_of_a_hog)
{
	struct arena mem = arena();
	struct measured_list list;
	struct measured *m = line_with(&list, "5.10-after", "tr-hog-q20", &mem);
	struct recording r;
	struct err err = { 0 };
	const struct switch_list *l;

	CHECK_EQ(recording_read(&r, m, "tests/oracle/traces", &err), 0);
	l = &r.log.cpu[0];
	CHECK_EQ(l->nr, 40);
	CHECK_EQ(l->v[0].who, 1);
	CHECK_WITHIN(l->v[0].time, 5 * US, 30 * US);
	CHECK_EQ(l->v[1].who, WHO_IDLE);
	CHECK_WITHIN(l->v[1].time, 24 * MS, 24 * MS + 10 * US);
	CHECK_WITHIN(l->v[2].time, 100 * MS, 100 * MS + 10 * US);
	CHECK_WITHIN(l->v[3].time, 120 * MS, 120 * MS + 10 * US);
	CHECK_EQ(r.nr_releases[0], 19);
	CHECK_EQ(r.log.cpu[1].nr, 0);
	recording_free(&r);
	arena_fini(&mem);
}

/* On 6.12 the phase of the periods is read off the releases: 73.919 ms into each period of the clock. */
TEST(oracle_play, recording_shows_the_phase)
{
	struct arena mem = arena();
	struct measured_list list;
	struct measured *m = line_with(&list, "6.12", "tr-hog-q20", &mem);
	struct recording r;
	struct err err = { 0 };
	u64 phase;

	CHECK_EQ(recording_read(&r, m, "tests/oracle/traces", &err), 0);
	phase = phase_of_releases(r.releases[0], r.nr_releases[0], 100 * MS);
	CHECK_WITHIN(phase, 73910 * US, 73925 * US);
	recording_free(&r);
	arena_fini(&mem);
}

/* Threads of one set on one CPU are named in the order in which they first run; others keep their names. */
TEST(oracle_play, alike_threads)
{
	struct arena mem = arena();
	struct measured m = measured_of("6.1", "name=n secs=1 g=a:0:-1:100000:0 t=2:0:hog:0:0:0:0 t=2:s0:hog:0:0:5:0", 2, &mem);
	struct switch_log log;

	switch_log_init(&log, 2);
	switch_log_add(&log, 0, 1, 2);
	switch_log_add(&log, 0, 2, 1);
	switch_log_add(&log, 0, 3, 3);
	switch_log_add(&log, 1, 1, 4);
	CHECK_EQ(switch_log_rename(&log, &m), 0);
	CHECK_EQ(log.cpu[0].v[0].who, 1);
	CHECK_EQ(log.cpu[0].v[1].who, 2);
	CHECK_EQ(log.cpu[0].v[2].who, 3);
	CHECK_EQ(log.cpu[1].v[0].who, 4);
	switch_log_free(&log);
	arena_fini(&mem);
}

/* The whole way, on a real case: the model's switches of a hog under 20 ms in 100 are the recorded ones, each within 50 us. */
TEST(oracle_play, a_hog_switch_by_switch)
{
	struct arena mem = arena();
	struct measured_list list;
	struct measured *m = line_with(&list, "5.10-after", "tr-hog-q20", &mem);
	struct oracle_alignment a;
	struct err err = { 0 };

	CHECK_EQ(align_case(&a, m, "tests/oracle/traces", &mem, &err), 0);
	CHECK_EQ(a.real, 40);
	CHECK_EQ(a.model, 40);
	CHECK_EQ(a.matched, 40);
	CHECK_EQ(a.near, a.intervals);
	CHECK_EQ(a.diverge, DIVERGE_NONE);
	arena_fini(&mem);
}

static struct oracle_score scored(const char *row, const char *name, struct arena *mem)
{
	struct score_options opt = { .row = row, .name = name };
	struct measured_list list;
	struct oracle_score score;
	struct err err = { 0 };

	measured_list_init(&list);
	CHECK_EQ(measured_read(&list, "tests/oracle/main.jsonl", mem, &err), 0);
	CHECK_EQ(score_run(&score, &list, &opt, NULL, &err), 0);
	return score;
}

/* One hog under a limit is the plainest case there is: every cell of every such case on 5.10, with and without the fix, is inside. */
TEST(oracle_play, hogs_score)
{
	static const char *const kernels[] = { "5.10-before", "5.10-after" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct arena mem = arena();
		struct oracle_score score = scored(kernels[i], "hog-[qp]*", &mem);

		CHECK_ROW(score.nr_cases, 9, kernels[i]);
		CHECK_ROW(score.sums[ORACLE_BY_ROW][0].with.inside, score.sums[ORACLE_BY_ROW][0].with.cells, kernels[i]);
		CHECK_ROW(score.sums[ORACLE_BY_ROW][0].with.cells >= 40, 1, kernels[i]);
		score_free(&score);
		arena_fini(&mem);
	}
}

static const struct oracle_cell *cell_of(const struct oracle_score *s, const char *case_id, const char *figure)
{
	for (u32 i = 0; i < s->nr_cells; i++)
		if (!strcmp(s->cells[i].case_id, case_id) && !strcmp(s->cells[i].figure, figure))
			return &s->cells[i];
	fail_msg("no %s in %s", figure, case_id);
	return NULL;
}

/*
 * Fibtest on real kernels, with and without the fix: 90, 72, 44 % of the quota of 400 ms used on 2, 4, 8 CPUs before, all of it after.
 * The model is within 4 % before, and within 2 % or (CPUs / 2 + 2) ms after.
 */
TEST(oracle_play, fibtest_before_and_after)
{
	static const struct { const char *label, *name; int cpus; u64 real; } rows[] = {
		{ "5.10-before", "fib2", 2, 359 },  { "5.10-before", "fib4", 4, 288 },	{ "5.10-before", "fib8", 8, 177 },
		{ "5.10-before", "fib16", 16, 142 }, { "5.10-after", "fib2", 2, 403 },	{ "5.10-after", "fib4", 4, 404 },
		{ "5.10-after", "fib8", 8, 409 },   { "5.10-after", "fib16", 16, 408 }, { "5.10-after", "fib36", 36, 424 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct oracle_score score = scored(rows[i].label, rows[i].name, &mem);
		bool before_fix = !strcmp(rows[i].label, "5.10-before");
		const struct oracle_cell *c;
		double allowed;
		char id[64];

		snprintf(id, sizeof(id), "%s/%s/%d", rows[i].label, rows[i].name, rows[i].cpus);
		c = cell_of(&score, id, "usage");
		CHECK_ROW((c->real + MS / 2) / MS, rows[i].real, id);
		allowed = before_fix ? c->real / 25 : (rows[i].cpus / 2 + 2) * (double)MS;
		if (!before_fix && allowed < c->real / 50)
			allowed = c->real / 50;
		CHECK_ROW(c->model > c->real - allowed && c->model < c->real + allowed, 1, id);
		score_free(&score);
		arena_fini(&mem);
	}
}

/*
 * Sleepers of 200 us beside a hog, 1 in 100 of which is stopped at its wakeup or for a period more: 180 ms after the fix, 290 before it.  It takes the
 * emulator's turns to see them.
 */
TEST(oracle_play, the_hundredth_sample)
{
	static const struct { const char *label; u64 real; } rows[] = { { "5.10-before", 290 }, { "5.10-after", 180 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct oracle_score score = scored(rows[i].label, "fib8-b200", &mem);
		const struct oracle_cell *c;
		char id[64];

		snprintf(id, sizeof(id), "%s/fib8-b200/8", rows[i].label);
		c = cell_of(&score, id, "response p99");
		CHECK_ROW((c->real + MS / 2) / MS, rows[i].real, id);
		CHECK_ROW(c->inside, true, id);
		score_free(&score);
		arena_fini(&mem);
	}
}

/* A recording that is not there is an error that names its file. */
TEST(oracle_play, recording_missing)
{
	struct arena mem = arena();
	struct measured m = measured_of("6.1", HOG20, 2, &mem);
	struct recording r;
	struct err err = { 0 };

	m.trace = "none.gz";
	CHECK_EQ(recording_read(&r, &m, "tests/oracle/traces", &err), -1);
	CHECK_STR(err.file, "tests/oracle/traces/none.gz");
	recording_free(&r);
	arena_fini(&mem);
}

TEST_MAIN("oracle_play")
