/* SPDX-License-Identifier: MIT */
/* test_oracle_free.c - how cases are compared whose threads choose their CPU: what is chance in them, and what is not. */
#include "tests/oracle_bed.h"

#define FREE_HOGS "name=n secs=4 g=a:0:200000:100000:0 t=4:-1:hog:0:0:0:0"

static struct measured free_hogs(const u64 *cpu, u64 migrations, struct arena *mem)
{
	struct measured m = measured_of("5.10-after", FREE_HOGS, 4, mem);

	m.sets[0].migrations = migrations;
	m.sets[0].thread_cpu = arena_alloc(mem, 4 * sizeof(u64));
	for (int i = 0; i < 4; i++) {
		m.sets[0].thread_cpu[i] = cpu[i];
		m.sets[0].cpu += cpu[i];
	}
	return m;
}

/* Sorted, each thread's CPU time is within 10 % of the mean of its counterpart's; whose it is does not count. */
TEST(oracle, threads_are_compared_in_the_order_of_what_they_got)
{
	static const struct { u64 model[4]; bool inside; const char *why; } rows[] = {
		{ { 2000, 1500, 2500, 2000 }, true, "the same, of other threads" },
		{ { 1701, 2000, 2000, 2299 }, false, "the least is 201 of 2000 more" },
		{ { 1690, 1990, 2000, 2320 }, true, "190 more, 180 less" },
	};
	static const u64 real[] = { 1500 * MS, 2000 * MS, 2000 * MS, 2500 * MS };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = free_hogs(real, 0, &mem);
		struct played p = as_measured(&m);

		for (int k = 0; k < 4; k++)
			samples_add(&p.sets[0].thread_cpu, rows[i].model[k] * MS);
		CHECK_ROW(cell_inside(&judged(&m, &p, false).cell[CELL_THREAD_CPU]), rows[i].inside, rows[i].why);
		played_free(&p);
		arena_fini(&mem);
	}
}

/* Half to twice of 20 migrations and more, else 10 more or less. */
TEST(oracle, migrations_are_summed)
{
	static const struct { u64 real, model; bool inside; } rows[] = {
		{ 100, 50, true }, { 100, 49, false }, { 100, 200, true }, { 100, 201, false }, { 20, 40, true }, { 19, 30, false }, { 19, 29, true }, { 0, 10, true },
	};
	static const u64 cpu[4] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = free_hogs(cpu, rows[i].real, &mem);
		struct played p = as_measured(&m);
		char text[64];

		snprintf(text, sizeof(text), "%u for %u", (unsigned)rows[i].model, (unsigned)rows[i].real);
		p.sets[0].migrations = rows[i].model;
		CHECK_ROW(cell_inside(&judged(&m, &p, false).cell[CELL_MIGRATIONS]), rows[i].inside, text);
		played_free(&p);
		arena_fini(&mem);
	}
}

/*
 * Throttled time of free threads is compared to 10 %, and to 30 % where they want 95 to 105 % of the quota, or where the case itself differed by more
 * when it was run again, or where nobody knows the phase.
 */
TEST(oracle, throttled_time_of_free_threads)
{
	static const struct { const char *text; u64 again; bool phase_unknown; u64 percent; } rows[] = {
		{ FREE_HOGS, 0, false, 10 },
		{ FREE_HOGS, 1050 * MS, false, 10 },
		{ FREE_HOGS, 1150 * MS, false, 30 },
		{ FREE_HOGS, 0, true, 30 },
		{ "name=n secs=4 g=a:0:100000:100000:0 t=4:-1:every:5000:20000:0:0", 0, false, 30 }, /* 4 * 5/20 of 100 % */
		{ "name=n secs=4 g=a:0:100000:100000:0 t=4:-1:every:5300:20000:0:0", 0, false, 10 }, /* 106 % */
		{ "name=n secs=4 g=a:0:200000:100000:0 t=16:-1:every:10000:100000:0:0", 0, false, 10 }, /* 80 % */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = measured_of("5.10-after", rows[i].text, 4, &mem), again = m;
		struct measured_group other = { .throttled = rows[i].again };
		struct played p;

		m.groups[0] = (struct measured_group){ .throttled = 1000 * MS, .has_bandwidth = true };
		again.groups = &other;
		m.again = rows[i].again ? &again : NULL;
		p = as_measured(&m);
		CHECK_ROW(judged(&m, &p, rows[i].phase_unknown).cell[CELL_THROTTLED].tolerance, rows[i].percent * 10 * MS, rows[i].text);
		played_free(&p);
		arena_fini(&mem);
	}
}

/* Sixteen threads on eight CPUs: a half runs at once, a half waits.  Not the median counts but how many are up to the real one. */
TEST(oracle, a_crowd_is_compared_by_shares)
{
	static const struct { u64 at_once, median, share; bool inside; } rows[] = {
		{ 160, 20 * MS, 50, true },  /* the median is in the slower half */
		{ 160, 10 * MS, 50, true },  /* or in the faster one */
		{ 160, 14 * MS, 50, true },  /* or between the two */
		{ 176, 14 * MS, 55, true },
		{ 180, 14 * MS, 56, false },
		{ 140, 14 * MS, 43, false },
		{ 320, 20 * MS, 100, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct measured m = measured_of("5.10-after", "name=n secs=2 g=s:0:200000:100000:0 t=16:-1:every:10000:100000:0:0", 8, &mem);
		struct played p;
		struct seen s;

		m.sets[0].response = (struct measured_times){ .n = 320, .p50 = rows[i].median };
		CHECK_EQ(played_init(&p, &m), 0);
		for (u64 k = 0; k < 320; k++)
			samples_add(&p.sets[0].response, k < rows[i].at_once ? 10 * MS : 20 * MS);
		s = judged(&m, &p, false);
		CHECK_EQ(s.nr[CELL_RESPONSE_P50], 0);
		CHECK_EQ(s.cell[CELL_RESPONSE_SHARE].model, rows[i].share);
		CHECK_ROW(cell_inside(&s.cell[CELL_RESPONSE_SHARE]), rows[i].inside, "of 320 as many at once as the row says");
		played_free(&p);
		arena_fini(&mem);
	}
}

TEST_MAIN("oracle: threads that choose their CPU")
