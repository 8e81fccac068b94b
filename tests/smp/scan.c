/* SPDX-License-Identifier: MIT */
/*
 * How many CPUs a wakeup looks at: examples smp-20 and smp-21 of docs/rules/smp.md, and section 2.6.
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

/* ---- smp-20, smp-21: how far it looks ---- */

/* smp-20: 36 * 19 / 2001 = 0, so 4, so three CPUs. */
TEST(placement, smp_20_little_idle_time_buys_three_looks)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M36, .row = "5.10");
	p = sleeper_on(&b, 0);
	for (cpu = 0; cpu < 36; cpu++)
		if (cpu != 20)
			hog_on(&b, cpu);
	rq_of(&b, 0)->smp.avg_idle = 10 * US;
	llc_of_cpu(&b, 0)->avg_scan_cost = 2000;
	CHECK_EQ(wakes_from(&b, 0, p), 0);
	CHECK_EQ(b.d.scanned, 3);
	CHECK_EQ(llc_of_cpu(&b, 0)->avg_scan_cost, 2000); /* a search that gave up teaches nothing */
	bed_fini(&b);
}

/* 2.6: what a look costs is learned by an eighth, from searches that came to an end; 50 ns a CPU. */
TEST(placement, scan_cost_is_learned)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M36, .row = "5.10");
	b.d.scan_cost = 50;
	p = sleeper_on(&b, 0);
	for (cpu = 0; cpu < 36; cpu++)
		if (cpu != 20)
			hog_on(&b, cpu);
	CHECK_EQ(wakes_from(&b, 0, p), 20);
	CHECK_EQ(b.d.scanned, 21);
	CHECK_EQ(llc_of_cpu(&b, 0)->avg_scan_cost, 21 * 50 / 8);
	bed_fini(&b);
}

static int scan_with_hogs(const char *row, int hogs, u64 *scanned)
{
	struct task_struct *p;
	struct bed b;
	int cpu;

	bed_of(&b, M36, .row = row);
	p = sleeper_on(&b, 0);
	hogs_up_to(&b, hogs);
	balancer_looks(&b);
	cpu = wakes_from(&b, 0, p);
	*scanned = b.d.scanned;
	bed_fini(&b);
	return cpu;
}

/* smp-21: 32 of 36 busy and four idle CPUs are not seen; 18 busy, and 23 may be looked at: from 1 on the first 18 are enough. */
TEST(placement, smp_21_a_full_cache_is_not_searched)
{
	static const char *const rows[] = { "6.1", "6.12", "7.2" };
	u64 scanned;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(scan_with_hogs(rows[i], 32, &scanned), 0, rows[i]);
		CHECK_ROW(scanned, 0, rows[i]);
		CHECK_ROW(scan_with_hogs(rows[i], 18, &scanned), 18, rows[i]);
		CHECK_ROW(scanned, 18, rows[i]);
	}
}

/* 2.6: nr_idle_scan for so many full hogs. */
TEST(placement, idle_scan_by_use)
{
	static const struct { int weight, hogs, nr; } rows[] = {
		{ 2, 0, 2 }, { 2, 1, 1 }, { 2, 2, 0 }, { 4, 0, 4 }, { 4, 1, 3 }, { 4, 2, 2 }, { 4, 3, 0 }, { 4, 4, 0 },
		{ 8, 0, 8 }, { 8, 1, 7 }, { 8, 2, 7 }, { 8, 3, 6 }, { 8, 4, 5 }, { 8, 5, 3 }, { 8, 6, 1 }, { 8, 7, 0 }, { 8, 8, 0 },
		{ 16, 8, 10 }, { 16, 12, 3 }, { 16, 14, 0 }, { 36, 12, 30 }, { 36, 18, 23 }, { 36, 20, 20 }, { 36, 24, 14 },
		{ 36, 27, 8 }, { 36, 28, 6 }, { 36, 32, 0 }, { 48, 24, 31 }, { 48, 36, 11 }, { 48, 42, 0 }, { 64, 32, 42 },
		{ 64, 48, 14 }, { 64, 56, 0 },
	};
	struct sched_domain_shared shared;
	struct bed b;
	size_t i;

	bed_of(&b, M4, .row = "6.1");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sched_domain sd = { .span_weight = rows[i].weight, .imbalance_pct = 117, .shared = &shared };
		char title[32];

		snprintf(title, sizeof(title), "%d of %d", rows[i].hogs, rows[i].weight);
		update_idle_scan(b.lab, &sd, (u64)rows[i].hogs * 1024);
		CHECK_ROW(shared.nr_idle_scan, rows[i].nr, title);
	}
	bed_fini(&b);
}

/* 2.6: before the first look of the balancer nothing is scanned. */
TEST(placement, nothing_is_scanned_before_the_first_balance)
{
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "6.1");
	p = sleeper_on(&b, 0);
	hog_on(&b, 0);
	CHECK_EQ(wakes_from(&b, 0, p), 0);
	bed_fini(&b);
}

TEST_MAIN("smp: how many CPUs a wakeup looks at")
