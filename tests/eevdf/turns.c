/* SPDX-License-Identifier: MIT */
/*
 * turns.c - when turns end: hogs under ticks and under the timer, custom slices, sleepers beside hogs.
 *
 *	two hogs, request 3 ms, ticks each 4 ms:   A 0--------4 B --------8 A ...	a request ends at the first tick behind it
 *
 * The worked examples of docs/rules/fair.md 10.4 by their numbers; a "cost" of 2 us is what a tick takes before the switch.
 */
#include "tests/test.h"

#include "tests/eevdf/bed.h"

static const char *const all_rows[] = { "6.6", "6.12", "6.18", "7.2" };

struct hogs {
	const char *row, *rule;
	u32 hz;
	int cpus;
	u64 base, cost;
	int nice; /* of the second */
	u64 slice; /* of the second */
	u64 expect[24]; /* us, to the first 0 */
};

static struct testbed *hogs_machine(const struct hogs *h)
{
	struct testbed *m = machine_of(.cpus = h->cpus, .row = h->row, .rules = { h->rule }, .hz = h->hz, .base_slice = h->base,
				       .costs = { .tick = h->cost });

	hog(m, NULL, 0, 0);
	task_of_args(m, &(struct task_args){ .loops = -1, .nice = h->nice, .slice = h->slice }, STEPS(RUN(1000 * SEC)));
	return m;
}

static void check_hogs(const struct hogs *h)
{
	struct testbed *m = hogs_machine(h);
	u64 expect[25] = { 0 };
	char title[96];
	u32 i;

	for (i = 0; h->expect[i]; i++)
		expect[i] = h->expect[i] * US;
	run_until(m, 400 * MS);
	snprintf(title, sizeof(title), "%s, %s, HZ %" PRIu32, h->row, h->rule ? h->rule : "", h->hz);
	check_switches(m, expect, title);
	done(m);
}

static void check_all(const struct hogs *rows, size_t nr, const char *const *kernels, size_t nr_kernels)
{
	size_t i, k;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < nr_kernels; k++) {
			struct hogs h = rows[i];

			h.row = kernels[k];
			check_hogs(&h);
		}
	}
}
#define CHECK_ALL(rows, kernels) check_all(rows, ARRAY_SIZE(rows), kernels, ARRAY_SIZE(kernels))

/* A request of 3 ms ends at the first tick at which v has reached d; then the other is eligible and earlier. */
TEST(eevdf, fair_38_two_equal_hogs)
{
	static const struct hogs rows[] = {
		{ .hz = 250, .base = 3 * MS, .rule = "hrtick=off", .expect = { 4000, 8000, 12000, 16000 } },
		{ .hz = 1000, .base = 3 * MS, .rule = "hrtick=off", .expect = { 3000, 6000, 9000, 12000 } },
		{ .hz = 100, .base = 3 * MS, .rule = "hrtick=off", .expect = { 10000, 20000, 30000, 40000 } },
	};

	CHECK_ALL(rows, all_rows);
	check_hogs(&(struct hogs){ .row = "6.6", .cpus = 8, .hz = 250, .expect = { 4000, 8000, 12000 } }); /* by its own scaling */
}

/* Two hogs whose switches cost 2 us: the first are at these ticks, in ms. */
static void check_costly(const char *row, u32 hz, int cpus, u64 base, const u64 *expect)
{
	u64 ms[4] = { 0 };
	struct bed b;
	u32 i;

	bed_of(&b, .row = row, .rules = { "hrtick=off" }, .hz = hz, .cpus = cpus, .base_slice = base);
	start(&b.d, thread_on(&b, 0, 0, 0));
	start(&b.d, thread_on(&b, 0, 0, 0));
	costly_ticks(&b.d, 100 * MS, 2 * US, ms, ARRAY_SIZE(ms));
	for (i = 0; i < ARRAY_SIZE(ms); i++)
		CHECK_ROW(ms[i], expect[i], row);
	bed_fini(&b);
}

/*
 * With a cost the second's request ends at 8 all the same (3.998 are more than 3), but the first is not owed time then: 4 against a mean
 * of 3.999.  At HZ 1000 it has 2.998 at 6.
 */
TEST(eevdf, fair_39_two_hogs_at_a_cost)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_rows); i++) {
		check_costly(all_rows[i], 250, 1, 3 * MS, (const u64[]){ 4, 12, 16, 20 });
		check_costly(all_rows[i], 1000, 1, 3 * MS, (const u64[]){ 3, 7, 11, 15 });
	}
}

/* The base slice of 0.7 ms, scaled by 8 CPUs. */
TEST(eevdf, fair_40_a_base_slice_of_2_8)
{
	static const char *const rows[] = { "6.12", "6.18", "7.2" };
	static const struct hogs hogs[] = { { .hz = 1000, .cpus = 8, .rule = "hrtick=off", .expect = { 3000, 6000, 9000 } } };
	size_t i;

	CHECK_ALL(hogs, rows);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		check_costly(rows[i], 1000, 8, 0, (const u64[]){ 3, 7, 10, 13 });
}

/* The timer ends each request at its deadline. */
TEST(eevdf, fair_41_hrtick_ends_requests_on_time)
{
	check_hogs(&(struct hogs){ .row = "7.2", .cpus = 8, .hz = 250, .expect = { 2800, 5600, 8400, 11200, 14000 } });
	check_hogs(&(struct hogs){ .row = "6.18", .rule = "hrtick=on", .cpus = 8, .hz = 250, .expect = { 2800, 5600, 8400 } });
}

/* After 8 the first stands at 4, the second at 12.23: it is eligible again only when the first has passed the mean. */
TEST(eevdf, fair_42_nice_0_and_nice_5)
{
	struct hogs h = { .hz = 250, .base = 3 * MS, .nice = 5, .rule = "hrtick=off",
			  .expect = { 4000, 8000, 20000, 24000, 36000, 40000, 52000 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_rows); i++) {
		struct testbed *m;

		h.row = all_rows[i];
		check_hogs(&h);
		m = hogs_machine(&h);
		run_until(m, 10 * SEC);
		CHECK_EQ(ran(m, 0, 0, 1 * SEC), 752 * MS); /* 75.2 : 24.8 */
		CHECK_WITHIN(ran(m, 0, 0, 10 * SEC), 7531 * MS, 7539 * MS); /* 1024 of 1359 */
		done(m);
	}
}

/*
 * 3 ms of nice 5 are 9,170,149 ns of virtual time and three ticks of it 9,170,148: it needs a fourth.  2.8 ms are 8,558,806: three.
 */
TEST(eevdf, fair_43_a_nanosecond_decides)
{
	static const char *const early[] = { "6.6" }, *const late[] = { "6.18", "7.2" };
	static const struct hogs of_3[] = { { .hz = 1000, .base = 3 * MS, .nice = 5, .expect = { 3000, 7000, 19000, 23000, 35000 } } };
	static const struct hogs of_2_8[] = {
		{ .hz = 1000, .base = 2800 * US, .nice = 5, .rule = "hrtick=off", .expect = { 3000, 6000, 13000, 16000, 25000, 28000 } },
	};

	CHECK_ALL(of_3, early);
	CHECK_ALL(of_2_8, late);
}

/*
 * From 6.12 to 6.16 the first, whose request was renewed at 10 with nobody else owed time, is not protected any more: at 17 it stands at 13
 * and the mean at 12.8, so it leaves there and not at its deadline.
 */
TEST(eevdf, a_renewed_request_is_not_protected)
{
	check_hogs(&(struct hogs){ .row = "6.12", .hz = 1000, .base = 3 * MS, .nice = 5, .expect = { 3000, 7000, 17000, 21000, 33000 } });
	check_hogs(&(struct hogs){ .row = "6.12", .rule = "preempt_short=off", .hz = 1000, .base = 3 * MS, .nice = 5,
				   .expect = { 3000, 7000, 19000, 23000, 35000 } });
}

/* The shorter request has the earlier deadline; from 6.17 it also bounds the turn of the longer one. */
TEST(eevdf, fair_53_a_custom_slice)
{
	static const struct hogs rows[] = {
		{ .row = "6.12", .hz = 1000, .base = 3 * MS, .slice = 500 * US, .expect = { 1000, 4000, 7000, 10000, 13000 } },
		{ .row = "6.18", .hz = 1000, .base = 2800 * US, .slice = 500 * US, .expect = { 1000, 2000, 3000, 4000 } },
		{ .row = "7.2", .rule = "hrtick=off", .hz = 1000, .base = 2800 * US, .slice = 500 * US, .expect = { 1000, 2000, 3000, 4000 } },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct testbed *m = hogs_machine(&rows[i]);

		check_hogs(&rows[i]);
		run_until(m, 20 * MS);
		CHECK_EQ(nth_run(m, 1, 0).from, 0); /* the second, though it came last */
		CHECK_EQ(nth_run(m, 1, 0).to, 1 * MS);
		done(m);
	}
}

TEST_MAIN("eevdf: turns")
