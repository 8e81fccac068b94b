/* SPDX-License-Identifier: MIT */
/*
 * fibtest_text.c - a comparison in the words of runfibtest.
 *
 *	iterations	all work done, in the user's own unit (scenario "iterations_per_ms")
 *	throttled	nr_throttled of the first limited group
 *	usage		CPU time of that group
 */
#include "report/fibtest_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_text.h"
#include "text/format.h"
#include "text/table.h"

struct three {
	u64 iterations, throttled, usage;
};

static struct three three_of(const struct result *res)
{
	const struct group_result *g = first_limited(res);
	struct three t = { 0 };
	u32 i;

	for (i = 0; i < res->nr_tasks; i++)
		t.iterations += res->tasks[i].iterations;
	if (g) {
		t.throttled = g->stat.nr_throttled;
		t.usage = g->stat.usage;
	}
	return t;
}

struct three_spreads {
	struct spread iterations, throttled, usage;
};

static struct three_spreads spreads_of(const struct series *s)
{
	u64 *v = calloc(3 * (size_t)s->nr, sizeof(*v));
	struct three_spreads sp;
	u32 i;

	if (!v)
		abort();
	for (i = 0; i < s->nr; i++) {
		struct three t = three_of(s->results[i]);

		v[i] = t.iterations;
		v[s->nr + i] = t.throttled;
		v[2 * s->nr + i] = t.usage;
	}
	sp.iterations = spread_of(v, s->nr);
	sp.throttled = spread_of(v + s->nr, s->nr);
	sp.usage = spread_of(v + 2 * (size_t)s->nr, s->nr);
	free(v);
	return sp;
}

static u64 rounded(u64 v, u64 unit) { return (v + unit / 2) / unit; }

/* One of the three lines; the range of a series and a published figure stand to its right. */
static void line(struct table *t, const char *words, const struct spread *s, u64 unit, u64 published)
{
	table_cell(t, "%s %" PRIu64, words, rounded(s->median, unit));
	if (s->lo != s->hi)
		table_cell(t, "%" PRIu64 "..%" PRIu64, rounded(s->lo, unit), rounded(s->hi, unit));
	else
		table_cell(t, "%s", "");
	if (published)
		table_cell(t, "%" PRIu64, published);
	table_end_row(t);
}

static void block(struct table *t, const struct three_spreads *sp, u64 iterations_m, u64 throttled, u64 usage_ms)
{
	line(t, "Iterations Completed(M):", &sp->iterations, 1000000, iterations_m);
	line(t, "Throttled for:", &sp->throttled, 1, throttled);
	line(t, "CPU Usage (msecs) =", &sp->usage, MS, usage_ms);
}

/* With as many digits as the published ratio has, so that the two can be compared. */
static char *ratio_text(char *buf, u64 before, u64 after, const char *published)
{
	size_t digits = published && strchr(published, '.') ? strspn(strchr(published, '.') + 1, "0123456789") : 0;

	if (!digits || digits > 4 || !before)
		return format_ratio(buf, (double)before, (double)after);
	snprintf(buf, FORMAT_MAX, "%.*fx", (int)digits, (double)after / (double)before);
	return buf;
}

static void ratio_line(struct table *t, u64 before, u64 after, const char *words, const char *published)
{
	char buf[FORMAT_MAX];

	table_cell(t, "%s %s", ratio_text(buf, before, after, published), words);
	table_cell(t, "%s", "");
	if (published)
		table_cell(t, "%s", published);
	table_end_row(t);
}

static void block_head(struct table *t, const char *when, const char *label, const struct compare *cmp,
		       const struct fibtest_published *p)
{
	table_tone(t, TONE_HEAD);
	table_cell(t, "%s: %s", when, label);
	table_cell(t, "%s", cmp->repeats ? "range" : "");
	table_cell(t, "%s", p ? "published" : "");
	table_tone(t, TONE_PLAIN);
}

static void blank_row(struct table *t)
{
	table_cell(t, "%s", "");
	table_end_row(t);
}

/* How many series there are decides their names: two are before and after. */
static const char *block_name(const struct compare *cmp, u32 i)
{
	if (cmp->nr != 2)
		return "With";
	return i ? "After" : "Before";
}

static void put_blocks(FILE *out, const struct compare *cmp, const struct fibtest_published *p)
{
	struct three_spreads first, sp;
	struct table t;
	u32 i;

	table_init(&t, "llr");
	for (i = 0; i < cmp->nr; i++) {
		bool known = p && cmp->nr == 2;

		sp = spreads_of(&cmp->series[i]);
		block_head(&t, block_name(cmp, i), cmp->series[i].label, cmp, known ? p : NULL);
		if (!known)
			block(&t, &sp, 0, 0, 0);
		else if (!i)
			block(&t, &sp, p->before.iterations_m, p->before.throttled, p->before.usage_ms);
		else
			block(&t, &sp, p->after.iterations_m, p->after.throttled, p->after.usage_ms);
		blank_row(&t);
		if (!i) {
			first = sp;
			continue;
		}
		ratio_line(&t, first.iterations.median, sp.iterations.median, "more iterations", known ? p->iterations_ratio : NULL);
		ratio_line(&t, first.usage.median, sp.usage.median, "more CPU time", known ? p->usage_ratio : NULL);
		blank_row(&t);
	}
	table_print(&t, out);
	table_fini(&t);
}

void fibtest_text(FILE *out, const struct compare *cmp, const struct fibtest_published *published)
{
	compare_title(out, cmp);
	put_blocks(out, cmp, published);
	if (published && published->source && cmp->nr == 2) {
		fputs("published: ", out);
		text_put(out, published->source);
		fputs("\n\n", out);
	}
	compare_differences(out, cmp);
}

void fibtest_result(FILE *out, const struct result *res)
{
	struct three t = three_of(res);

	fprintf(out, "Iterations Completed(M): %" PRIu64 "\nThrottled for: %" PRIu64 "\nCPU Usage (msecs) = %" PRIu64 "\n",
		rounded(t.iterations, 1000000), t.throttled, rounded(t.usage, MS));
}
