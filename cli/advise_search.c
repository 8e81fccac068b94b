/* SPDX-License-Identifier: MIT */
/*
 * advise_search.c - the smallest limit that meets a target.
 *
 * Law: what is called the smallest has been run and meets the target at every phase, and one thousandth of a CPU less has been run
 * and does not.
 */
#include "cli/advise_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEAST_QUOTA (1 * MS) /* kernels refuse less */

u64 milli_quota(u64 milli, u64 period) { return milli * (period / US) / 1000 * US; }

u64 quota_milli(u64 quota, u64 period) { return period ? (quota * 1000 + period / 2) / period : 0; }

static void name_milli(struct trial *t, u64 milli) { snprintf(t->name, sizeof(t->name), "%" PRIu64 "m", milli); }

static struct trial of_milli(const struct advice *a, u64 milli)
{
	struct trial t = { .change = { .quota = milli_quota(milli, a->period), .period = a->period } };

	name_milli(&t, milli);
	return t;
}

/* Does a limit of @milli meet it?  -1 with @err set where memory is out. */
static int meets_at(const struct advice *a, u64 milli, struct err *err)
{
	struct trial t = of_milli(a, milli);
	int ret = trials_run(a->s, &t, 1, true, err) ? -1 : t.row.met;

	trial_fini(&t);
	return ret;
}

static u64 least_milli(const struct advice *a)
{
	u64 milli = (LEAST_QUOTA * 1000 + a->period - 1) / a->period;

	return milli ? milli : 1;
}

/* @lo misses it, @hi meets it. */
static int bisect(struct advice *a, u64 lo, u64 hi, struct err *err)
{
	while (hi - lo > 1) {
		u64 middle = lo + (hi - lo) / 2;
		int met = meets_at(a, middle, err);

		if (met < 0)
			return -1;
		if (met)
			hi = middle;
		else
			lo = middle;
	}
	a->answer = of_milli(a, hi);
	a->below = of_milli(a, lo);
	a->found = a->has_below = true;
	return 0;
}

static int search(struct advice *a, struct err *err)
{
	u64 lo = least_milli(a), hi = (u64)a->s->cpus * 1000, now = a->s->quota == NEVER ? 0 : quota_milli(a->s->quota, a->s->period);
	bool same = a->s->period == a->period && !a->s->burst && milli_quota(now, a->period) == a->s->quota;
	int met = meets_at(a, lo, err);

	if (met < 0)
		return -1;
	if (met) {
		a->answer = of_milli(a, lo);
		a->found = true;
		return 0;
	}
	if (same && now > lo && now < hi) {
		if (a->now.row.met)
			hi = now;
		else
			lo = now;
	}
	return bisect(a, lo, hi, err);
}

/* Both are run again, in full. */
static int prove(struct advice *a, struct err *err)
{
	return trials_run(a->s, &a->answer, 1, false, err) || (a->has_below && trials_run(a->s, &a->below, 1, false, err)) ? -1 : 0;
}

static int run_three(struct advice *a, struct err *err)
{
	struct trial three[3] = { a->now, a->free_run, a->highest };
	int ret = trials_run(a->s, three, 3, false, err);

	a->now = three[0];
	a->free_run = three[1];
	a->highest = three[2];
	return ret;
}

/* Rows point into their trial, which may have been copied. */
static void point(struct trial *t)
{
	t->row.change = t->row.fates.label = t->name;
	t->row.limit = t->limit;
	if (t->row.failed)
		t->row.failed = t->why_not;
	if (t->row.price)
		t->row.price = t->price;
}

int advice_find(struct advice *a, struct err *err)
{
	const struct subject *s = a->s;

	a->period = s->period ? s->period : 100 * MS;
	a->now = (struct trial){ .change = { .quota = s->quota, .period = a->period, .burst = s->burst }, .name = "as it is" };
	a->free_run = (struct trial){ .change = { .quota = NEVER, .period = a->period }, .name = "max" };
	a->highest = of_milli(a, (u64)s->cpus * 1000);
	if (run_three(a, err))
		return -1;
	point(&a->now);
	point(&a->free_run);
	point(&a->highest);
	if (a->now.row.failed) /* that is no answer but a fault of the scenario */
		return err_set(err, ERR_INPUT, "the scenario cannot be run: %s", a->now.why_not);
	if (a->highest.row.met)
		return search(a, err) || prove(a, err) ? -1 : 0;
	a->found = a->is_free = a->free_run.row.met;
	return 0;
}

/* ---- alternatives ---- */

static struct trial *add(struct advice *a, const struct change *c, const char *name)
{
	struct trial *t = &a->alternatives[a->nr_alternatives];

	if (a->nr_alternatives == ALTERNATIVES_MAX)
		return NULL;
	a->nr_alternatives++;
	*t = (struct trial){ .change = *c };
	snprintf(t->name, sizeof(t->name), "%s", name);
	return t;
}

static void add_periods(struct advice *a)
{
	static const u64 periods[] = { 5 * MS, 10 * MS, 20 * MS, 50 * MS, 200 * MS, 500 * MS, 1000 * MS };
	const struct subject *s = a->s;
	char name[96];

	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		struct change c = { .quota = milli_quota(quota_milli(s->quota, s->period), periods[i]), .period = periods[i] };

		if (periods[i] == s->period || c.quota < LEAST_QUOTA)
			continue;
		snprintf(name, sizeof(name), "period %" PRIu64 " ms", periods[i] / MS);
		add(a, &c, name);
	}
}

static bool has_burst(const struct advice *a) { return a->s->model.rule[RULE_BW_REFILL] == BW_REFILL_ADD; }

static const char *first_burst_row(void)
{
	struct kernel_model m;

	for (int i = 0; model_row_name(i); i++)
		if (!model_init(&m, model_row_name(i)) && m.rule[RULE_BW_REFILL] == BW_REFILL_ADD && m.rule[RULE_BW_BURST_STAT])
			return model_row_name(i);
	return NULL;
}

/* Does a burst of @ms meet it?  -1 with @err set where memory is out. */
static int burst_meets(const struct advice *a, const struct change *at, u64 ms, struct err *err)
{
	struct trial t = { .change = *at };
	int ret;

	t.change.burst = ms * MS;
	ret = trials_run(a->s, &t, 1, true, err) ? -1 : t.row.met;
	trial_fini(&t);
	return ret;
}

static void add_burst_of(struct advice *a, struct change *c, u64 ms)
{
	char name[96];

	c->burst = ms * MS;
	snprintf(name, sizeof(name), "burst %" PRIu64 " ms%s%s", ms, c->kernel ? " on kernel " : "", c->kernel ? c->kernel : "");
	add(a, c, name);
}

/* The largest burst that kernels allow, the quota; and where that meets it, the smallest in whole ms that does. */
static int add_burst(struct advice *a, struct err *err)
{
	const struct subject *s = a->s;
	struct change c = { .quota = s->quota, .period = s->period, .kernel = has_burst(a) ? NULL : first_burst_row() };
	u64 lo = s->burst / MS, hi = s->quota / MS;
	int met = hi > lo ? burst_meets(a, &c, hi, err) : 0;

	if (met < 0 || hi <= lo)
		return met;
	add_burst_of(a, &c, hi);
	if (!met)
		return 0;
	while (hi - lo > 1) {
		u64 middle = lo + (hi - lo) / 2;
		int ret = burst_meets(a, &c, middle, err);

		if (ret < 0)
			return -1;
		if (ret)
			hi = middle;
		else
			lo = middle;
	}
	if (hi < s->quota / MS)
		add_burst_of(a, &c, hi);
	return 0;
}

static void add_threads(struct advice *a)
{
	const struct subject *s = a->s;
	u32 all = subject_threads(s), cpus = (u32)(s->quota / s->period);
	u32 counts[] = { all / 2, cpus + 1, cpus, 1 }, last = all;
	char name[96];

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct change c = { .quota = s->quota, .period = s->period, .burst = s->burst, .threads = counts[i] };

		if (!counts[i] || counts[i] >= last)
			continue;
		last = counts[i];
		snprintf(name, sizeof(name), "%u thread%s instead of %u", last, last == 1 ? "" : "s", all);
		add(a, &c, name);
	}
}

static void add_row(struct advice *a, const char *row)
{
	const struct subject *s = a->s;
	struct change c = { .quota = s->quota, .period = s->period, .burst = s->burst, .kernel = row };
	char name[96];

	snprintf(name, sizeof(name), "kernel %s", row);
	add(a, &c, name);
}

/* Of the newer rows, the first whose slices no longer expire, and the newest. */
static void add_rows(struct advice *a)
{
	bool newer = false, expiring = a->s->model.rule[RULE_BW_EXPIRY] != BW_EXPIRY_NONE;
	struct kernel_model m;

	for (int i = 0; model_row_name(i); i++) {
		const char *row = model_row_name(i);

		if (newer && !model_init(&m, row) && (!model_row_name(i + 1) || (expiring && m.rule[RULE_BW_EXPIRY] == BW_EXPIRY_NONE))) {
			add_row(a, row);
			expiring = false;
		}
		newer |= !strcmp(row, a->s->model.row);
	}
}

static void add_weights(struct advice *a)
{
	struct change c = { .quota = NEVER, .period = a->period };

	add(a, &c, "no limit, only a weight");
}

int advice_alternatives(struct advice *a, struct err *err)
{
	if (a->s->quota == NEVER || a->now.row.met)
		return 0;
	add_periods(a);
	if (add_burst(a, err))
		return -1;
	add_threads(a);
	add_rows(a);
	if (!a->is_free)
		add_weights(a);
	return trials_run(a->s, a->alternatives, a->nr_alternatives, false, err);
}

/* ---- the curve ---- */

int advice_curve(struct advice *a, struct err *err)
{
	static const u64 percents[] = { 25, 50, 75, 90, 95, 100, 105, 110, 125, 150, 200, 400 };
	u64 around = a->found && !a->is_free ? quota_milli(a->answer.change.quota, a->period) : (u64)a->s->cpus * 500, last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		u64 milli = around * percents[i] / 100;

		if (milli < least_milli(a) || milli == last || milli > (u64)a->s->cpus * 1000)
			continue;
		last = milli;
		a->curve[a->nr_curve++] = of_milli(a, milli);
	}
	return trials_run(a->s, a->curve, a->nr_curve, false, err);
}

void advice_fini(struct advice *a)
{
	struct trial *const some[] = { &a->now, &a->free_run, &a->highest, &a->answer, &a->below };

	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		trial_fini(some[i]);
	for (u32 i = 0; i < a->nr_alternatives; i++)
		trial_fini(&a->alternatives[i]);
	for (u32 i = 0; i < a->nr_curve; i++)
		trial_fini(&a->curve[i]);
}
