/* SPDX-License-Identifier: MIT */
/*
 * The numbers that go with a level: intervals, factors, percentages, capacities, by kernel (docs/rules/smp.md section 1).
 */
#include "core/view.h"
#include "tests/smp/still_bed.h"

/* 1.2: pct, tries and busy factor of SMT, MC, PKG and NUMA. */
TEST(parameters, parameters_by_kernel)
{
	static const struct {
		const char *row;
		u32 busy_factor, pct[4];
	} rows[] = {
		{ "3.16", 32, { 110, 117, 125, 125 } }, { "4.14", 32, { 110, 117, 125, 125 } }, { "5.4", 32, { 110, 117, 125, 125 } },
		{ "5.10", 16, { 110, 117, 117, 117 } }, { "6.1", 16, { 110, 117, 117, 117 } },	{ "7.2", 16, { 110, 117, 117, 117 } },
	};
	static const u32 tries[] = { 0, 1, 1, 2 };
	struct bed b;
	u32 i;
	int k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bed_shaped(&b, shape(2, 1, 2, 1, 4, 2), rows[i].row);
		CHECK_STR(list_of(&b, 0), "SMT 0,16 | MC 0-3,16-19 | PKG 0-7,16-23 | NUMA 0-31");
		for (k = 0; k < 4; k++) {
			struct sched_domain *sd = level(&b, 0, k);

			CHECK_ROW(sd->imbalance_pct, rows[i].pct[k], rows[i].row);
			CHECK_ROW(sd->busy_factor, rows[i].busy_factor, rows[i].row);
			CHECK_ROW(sd->cache_nice_tries, tries[k], rows[i].row);
			CHECK_ROW(sd->min_interval, sd->span_weight, rows[i].row);
			CHECK_ROW(sd->max_interval, 2 * sd->span_weight, rows[i].row);
		}
		bed_fini(&b);
	}
}

/* 1.2, K3.3: the table of x86; all other nodes are one level, however far. */
TEST(parameters, old_kernels_have_a_table)
{
	static const u32 table[][5] = { { 1, 2, 64, 110, 0 }, { 1, 4, 64, 125, 1 }, { 8, 32, 32, 125, 2 } };
	struct bed b;
	int k;

	bed_shaped(&b, shape(2, 2, 1, 1, 2, 2), "3.2");
	CHECK_STR(list_of(&b, 0), "SMT 0,8 | MC 0-1,8-9 | NUMA 0-15");
	for (k = 0; k < 3; k++) {
		struct sched_domain *sd = level(&b, 0, k);

		CHECK_EQ(sd->min_interval, table[k][0]);
		CHECK_EQ(sd->max_interval, table[k][1]);
		CHECK_EQ(sd->busy_factor, table[k][2]);
		CHECK_EQ(sd->imbalance_pct, table[k][3]);
		CHECK_EQ(sd->cache_nice_tries, table[k][4]);
		CHECK_EQ(sd->balance_interval, table[k][0]);
	}
	bed_fini(&b);
	bed_shaped(&b, shape(17, 1, 1, 1, 2, 1), "3.2");
	CHECK_EQ(level(&b, 0, 1)->min_interval, 64);
	CHECK_EQ(level(&b, 0, 1)->max_interval, 64 * 34);
	CHECK_EQ(level(&b, 0, 1)->busy_factor, 128);
	CHECK_EQ(level(&b, 0, 1)->imbalance_pct, 133);
	CHECK(!(level(&b, 0, 1)->flags & SD_WAKE_AFFINE));
	bed_fini(&b);
}

/* 1.4: to 4.20 two threads are 589 each, four 294; later all are 1024. */
TEST(parameters, what_a_thread_is_worth)
{
	struct bed b;

	bed_shaped(&b, shape(1, 1, 1, 1, 2, 2), "4.14");
	CHECK_EQ(smp_of(&b, 3)->capacity_orig, 589);
	CHECK_EQ(level(&b, 0, 1)->groups[0]->capacity, 1178);
	bed_fini(&b);
	bed_shaped(&b, shape(1, 1, 1, 1, 2, 4), "4.18");
	CHECK_EQ(smp_of(&b, 3)->capacity_orig, 294);
	bed_fini(&b);
	bed_shaped(&b, shape(1, 1, 1, 1, 2, 1), "4.14");
	CHECK_EQ(smp_of(&b, 1)->capacity_orig, 1024);
	bed_fini(&b);
	bed_shaped(&b, shape(1, 1, 1, 1, 2, 2), "5.4");
	CHECK_EQ(smp_of(&b, 3)->capacity_orig, 1024);
	CHECK_EQ(level(&b, 0, 1)->groups[0]->capacity, 2048);
	bed_fini(&b);
}

/* Tunables of the kernel's debugfs are taken. */
TEST(parameters, parameters_can_be_set)
{
	struct machine_shape s = shape(2, 1, 2, 1, 2, 2);
	struct bed b;

	arena_of_malloc(&b.mem);
	CHECK_EQ(model_init(&b.model, "6.12"), 0);
	CHECK_EQ(model_set_tunable(&b.model, "sched_domain_busy_factor", 7), 0);
	CHECK_EQ(model_set_tunable(&b.model, "sched_domain_imbalance_pct", 150), 0);
	CHECK_EQ(model_set_tunable(&b.model, "sched_domain_imbalance_pct_llc", 140), 0);
	CHECK_EQ(model_set_tunable(&b.model, "sched_domain_imbalance_pct_smt", 130), 0);
	CHECK_EQ(still_init(&b.still, 16, topology_of_shape(&b.mem, &s), &b.model, 250), 0);
	b.lab = b.still.lab;
	CHECK_EQ(level(&b, 0, 0)->imbalance_pct, 130);
	CHECK_EQ(level(&b, 0, 1)->imbalance_pct, 140);
	CHECK_EQ(level(&b, 0, 2)->imbalance_pct, 150);
	CHECK_EQ(level(&b, 0, 3)->imbalance_pct, 150);
	CHECK_EQ(level(&b, 0, 3)->busy_factor, 7);
	bed_fini(&b);
}

/* 1.6: what a busy CPU waits, first and after one look that found balance. */
TEST(parameters, busy_intervals)
{
	static const struct {
		int cpus;
		u64 new_1000[2], old_1000[2], new_250[2]; /* ms */
	} rows[] = {
		{ 2, { 31, 63 }, { 64, 128 }, { 28, 60 } },	      { 4, { 63, 127 }, { 128, 256 }, { 60, 124 } },
		{ 32, { 511, 1023 }, { 1024, 2048 }, { 508, 1020 } }, { 36, { 575, 1151 }, { 1152, 2304 }, { 572, 1148 } },
		{ 48, { 767, 1535 }, { 1536, 3072 }, { 764, 1532 } }, { 64, { 1023, 2047 }, { 2048, 4096 }, { 1020, 2044 } },
		{ 96, { 1535, 3071 }, { 3072, 6144 }, { 1532, 3068 } },
	};
	static const struct {
		const char *row;
		u32 hz;
		int column;
	} kernels[] = { { "5.10", 1000, 0 }, { "6.12", 1000, 0 }, { "4.14", 1000, 1 }, { "5.4", 1000, 1 }, { "5.10", 250, 2 } };
	struct kernel_model model;
	struct domain_view v;
	struct still still;
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(kernels); k++)
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			const u64 *columns[] = { rows[i].new_1000, rows[i].old_1000, rows[i].new_250 };
			const u64 *ms = columns[kernels[k].column];

			CHECK_EQ(model_init(&model, kernels[k].row), 0);
			CHECK_EQ(still_init(&still, rows[i].cpus, NULL, &model, kernels[k].hz), 0);
			CHECK(lab_view_domain(still.lab, 0, 0, &v));
			CHECK_EQ(v.busy_every, ms[0] * MS);
			CHECK_EQ(v.busy_longest, ms[1] * MS);
			CHECK_EQ(v.idle_every, max_u64((u64)rows[i].cpus, 1000 / kernels[k].hz) * MS);
			still_fini(&still);
		}
}

TEST_MAIN("smp: the numbers of levels")
