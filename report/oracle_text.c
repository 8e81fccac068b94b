/* SPDX-License-Identifier: MIT */
/*
 * oracle_text.c - the model beside real kernels, for people.
 *
 *	row		      kind    cases  cells  inside   share   without *
 *	5.10		      pinned	 31    180     176   97.8%     95.1%
 *
 * Shares that are asked for and not reached are marked.  Real before model everywhere: the measurement is what is so.
 */
#include "report/oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/format.h"
#include "text/table.h"

#define WORST_SHOWN 12
#define SKIPS_SHOWN 4
#define LEAST_CELLS 8 /* a share of fewer is one cell's luck */

double oracle_share(const struct oracle_tally *t) { return t->cells ? 100.0 * t->inside / t->cells : 0; }

static void share_cell(struct table *t, const struct oracle_tally *tally, double wanted)
{
	if (!tally->cells) {
		table_cell(t, "%s", "-");
		return;
	}
	if (oracle_share(tally) < wanted)
		table_tone(t, TONE_BAD);
	table_cell(t, "%.1f%%", oracle_share(tally));
	table_tone(t, TONE_PLAIN);
}

static void rows_table(FILE *out, const struct oracle_score *s, double wanted)
{
	struct table t;

	table_init(&t, "llrrrrr");
	table_heads(&t, "kernel|kind|cases|cells|inside|share|without *");
	for (u32 i = 0; i < s->nr_sums[ORACLE_BY_ROW]; i++) {
		const struct oracle_sum *sum = &s->sums[ORACLE_BY_ROW][i];

		table_cell(&t, "%s", sum->row);
		table_cell(&t, "%s", sum->kind);
		table_cell(&t, "%" PRIu32, sum->cases);
		table_cell(&t, "%" PRIu32, sum->with.cells);
		table_cell(&t, "%" PRIu32, sum->with.inside);
		share_cell(&t, &sum->with, wanted);
		share_cell(&t, &sum->without, 0);
	}
	table_print(&t, out);
	table_fini(&t);
	fprintf(out, "* without %s (fitted)\n", s->fitted);
	fprintf(out, "each model figure is the median of %" PRIu32 " plays whose threads have different pasts\n", s->plays);
}

/* ---- families and figures down, rows across ---- */

#define COLUMNS_MOST 6

static const struct oracle_sum *find_sum(const struct oracle_score *s, enum oracle_by by, const struct oracle_sum *of,
					 const char *name)
{
	for (u32 i = 0; i < s->nr_sums[by]; i++) {
		const struct oracle_sum *sum = &s->sums[by][i];

		if (!strcmp(sum->row, of->row) && !strcmp(sum->kind, of->kind) && !strcmp(sum->name, name))
			return sum;
	}
	return NULL;
}

static bool named_before(const struct oracle_score *s, enum oracle_by by, u32 i)
{
	for (u32 k = 0; k < i; k++)
		if (!strcmp(s->sums[by][k].name, s->sums[by][i].name))
			return true;
	return false;
}

static void part_cell(struct table *t, const struct oracle_sum *sum, double wanted)
{
	if (!sum || !sum->with.cells) {
		table_cell(t, "%s", "-");
		return;
	}
	if (oracle_share(&sum->with) < wanted && sum->with.cells >= LEAST_CELLS)
		table_tone(t, TONE_BAD);
	table_cell(t, "%" PRIu32 "/%" PRIu32, sum->with.inside, sum->with.cells);
	table_tone(t, TONE_PLAIN);
}

static void parts_table(FILE *out, const struct oracle_score *s, enum oracle_by by, const char *head, double wanted)
{
	const struct oracle_sum *columns = s->sums[ORACLE_BY_ROW];
	u32 nr = s->nr_sums[ORACLE_BY_ROW] < COLUMNS_MOST ? s->nr_sums[ORACLE_BY_ROW] : COLUMNS_MOST;
	char align[COLUMNS_MOST + 2] = "l";
	struct table t;

	memset(align + 1, 'r', nr);
	table_init(&t, align);
	table_tone(&t, TONE_HEAD);
	table_cell(&t, "%s", head);
	for (u32 c = 0; c < nr; c++)
		table_cell(&t, "%s%s", columns[c].row, strcmp(columns[c].kind, "pinned") ? " free" : "");
	table_tone(&t, TONE_PLAIN);
	for (u32 i = 0; i < s->nr_sums[by]; i++) {
		if (named_before(s, by, i))
			continue;
		table_cell(&t, "%s", s->sums[by][i].name);
		for (u32 c = 0; c < nr; c++)
			part_cell(&t, find_sum(s, by, &columns[c], s->sums[by][i].name), wanted);
	}
	fprintf(out, "\n");
	table_print(&t, out);
	table_fini(&t);
}

/* ---- cells ---- */

static char *value_text(char *buf, const struct oracle_cell *c, double v)
{
	if (c->is_time)
		return format_time(buf, v > 0 ? (u64)(v + .5) : 0);
	return format_count(buf, v > 0 ? (u64)(v + .5) : 0);
}

static int by_distance(const void *a, const void *b)
{
	const struct oracle_cell *x = *(const struct oracle_cell *const *)a, *y = *(const struct oracle_cell *const *)b;

	if (x->off != y->off)
		return x->off < y->off ? 1 : -1;
	return x < y ? -1 : x > y; /* both point into one array: its order */
}

static const char *cause_text(const struct oracle_cell *c) { return c->cause ? c->cause : "unknown"; }

/* The causes of the first @nr misses are told once each, below the table; in it stands a letter. */
static char cause_letter(const struct oracle_cell **misses, u32 i)
{
	char letter = 'a';

	for (u32 k = 0; k < i; k++) {
		bool seen = false;

		if (!strcmp(cause_text(misses[k]), cause_text(misses[i])))
			return cause_letter(misses, k);
		for (u32 n = 0; n < k && !seen; n++)
			seen = !strcmp(cause_text(misses[n]), cause_text(misses[k]));
		letter += !seen;
	}
	return letter;
}

static void worst_causes(FILE *out, const struct oracle_cell **misses, u32 nr)
{
	char next = 'a';

	for (u32 i = 0; i < nr; i++)
		if (cause_letter(misses, i) == next) {
			fprintf(out, "  %c  ", next++);
			text_put(out, cause_text(misses[i]));
			fputc('\n', out);
		}
}

static void worst_table(FILE *out, const struct oracle_cell **misses, u32 nr)
{
	char buf[FORMAT_MAX];
	struct table t;

	nr = nr < WORST_SHOWN ? nr : WORST_SHOWN;
	table_init(&t, "llrrrrl");
	table_heads(&t, "case|cell|real|model|allowed|off|");
	for (u32 i = 0; i < nr; i++) {
		const struct oracle_cell *c = misses[i];

		table_cell(&t, "%s", c->case_id);
		table_cell(&t, "%s %s", c->figure, c->subject);
		table_cell(&t, "%s", value_text(buf, c, c->real));
		table_cell(&t, "%s", value_text(buf, c, c->model));
		table_cell(&t, "%s", value_text(buf, c, c->tolerance));
		table_cell(&t, "%.1fx", c->off);
		table_cell(&t, "%c", cause_letter(misses, i));
	}
	table_print(&t, out);
	table_fini(&t);
	worst_causes(out, misses, nr);
}

static void worst(FILE *out, const struct oracle_score *s)
{
	const struct oracle_cell **misses = malloc((s->nr_cells + 1) * sizeof(*misses));
	u32 nr = 0;

	if (!misses)
		return;
	for (u32 i = 0; i < s->nr_cells; i++)
		if (!s->cells[i].inside && !s->cells[i].zero)
			misses[nr++] = &s->cells[i];
	qsort(misses, nr, sizeof(*misses), by_distance);
	if (nr) {
		fprintf(out, "\nWorst of %" PRIu32 " misses\n", nr);
		worst_table(out, misses, nr);
	} else if (s->nr_cells) {
		fprintf(out, "\nNo misses.\n");
	}
	free(misses);
}

static void zeros(FILE *out, const struct oracle_score *s)
{
	u32 all = 0, inside = 0;

	for (u32 i = 0; i < s->nr_sums[ORACLE_BY_ROW]; i++) {
		all += s->sums[ORACLE_BY_ROW][i].with.zeros;
		inside += s->sums[ORACLE_BY_ROW][i].with.zeros_inside;
	}
	if (all)
		fprintf(out, "Apart: %" PRIu32 " of %" PRIu32 " cells whose real value is 0 are inside.\n", inside, all);
}

static void skips(FILE *out, const struct oracle_score *s)
{
	if (!s->nr_skips)
		return;
	fprintf(out, "Not played: %" PRIu32 " cases.\n", s->nr_skips);
	for (u32 i = 0; i < s->nr_skips && i < SKIPS_SHOWN; i++) {
		fputs("  ", out);
		text_put(out, s->skips[i].case_id);
		fputs(": ", out);
		text_put(out, s->skips[i].why);
		fputc('\n', out);
	}
	if (s->nr_skips > SKIPS_SHOWN)
		fprintf(out, "  ... and %" PRIu32 " more\n", s->nr_skips - SKIPS_SHOWN);
}

void oracle_text(FILE *out, const struct oracle_score *score, double wanted, double wanted_part)
{
	fprintf(out, "The model beside real kernels: %" PRIu32 " cases, %" PRIu32 " cells\n\n", score->nr_cases, score->nr_cells);
	rows_table(out, score, wanted);
	parts_table(out, score, ORACLE_BY_FAMILY, "kind of case", wanted_part);
	parts_table(out, score, ORACLE_BY_FIGURE, "figure", wanted_part);
	zeros(out, score);
	worst(out, score);
	skips(out, score);
}

/* ---- every cell of some cases ---- */

static void cells_table(FILE *out, const struct oracle_score *s, u32 from, u32 to)
{
	char buf[FORMAT_MAX];
	struct table t;

	table_init(&t, "lrrrrl");
	t.indent = 2;
	table_heads(&t, "cell|real|model|without *|allowed|");
	for (u32 i = from; i < to; i++) {
		const struct oracle_cell *c = &s->cells[i];

		table_cell(&t, "%s %s", c->figure, c->subject);
		table_cell(&t, "%s", value_text(buf, c, c->real));
		table_cell(&t, "%s", value_text(buf, c, c->model));
		table_cell(&t, "%s", value_text(buf, c, c->without));
		table_cell(&t, "%s", value_text(buf, c, c->tolerance));
		table_tone(&t, c->inside ? TONE_GOOD : TONE_BAD);
		table_cell(&t, "%s", c->inside ? "inside" : "off");
		table_tone(&t, TONE_PLAIN);
	}
	table_print(&t, out);
	table_fini(&t);
}

/* ---- fibtest cases: one line each ---- */

static const struct oracle_cell *find_cell(const struct oracle_score *s, u32 from, u32 to, const char *figure, const char *subject)
{
	for (u32 i = from; i < to; i++)
		if (!strcmp(s->cells[i].figure, figure) && (!subject || !strcmp(s->cells[i].subject, subject)))
			return &s->cells[i];
	return NULL;
}

static void three_cells(struct table *t, const struct oracle_cell *c)
{
	char buf[FORMAT_MAX];

	if (!c) {
		table_end_row(t);
		return;
	}
	table_cell(t, "%s", format_ms(buf, (u64)c->real));
	if (!c->inside)
		table_tone(t, TONE_BAD);
	table_cell(t, "%s", format_ms(buf, (u64)c->model));
	table_tone(t, TONE_DIM);
	table_cell(t, "%s", format_ms(buf, (u64)c->without));
	table_tone(t, TONE_PLAIN);
}

static u32 case_end(const struct oracle_score *s, u32 from)
{
	u32 to = from + 1;

	while (to < s->nr_cells && s->cells[to].case_id == s->cells[from].case_id)
		to++;
	return to;
}

static void fibtest_table(FILE *out, const struct oracle_score *s)
{
	struct table t;
	u32 to;

	table_init(&t, "lrrrrrrrrr");
	table_heads(&t, "case, CPUs|hog ms|model|w/o *|group ms|model|w/o *|throttled ms|model|w/o *");
	for (u32 i = 0; i < s->nr_cells; i = to) {
		to = case_end(s, i);
		if (strcmp(s->cells[i].family, "fibtest"))
			continue;
		table_cell(&t, "%s", s->cells[i].case_id);
		three_cells(&t, find_cell(s, i, to, "cpu", "h0"));
		three_cells(&t, find_cell(s, i, to, "usage", NULL));
		three_cells(&t, find_cell(s, i, to, "throttled", NULL));
	}
	table_print(&t, out);
	table_fini(&t);
}

static u32 count_fibtest(const struct oracle_score *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->nr_cells; i = case_end(s, i))
		n += !strcmp(s->cells[i].family, "fibtest");
	return n;
}

void oracle_cells_text(FILE *out, const struct oracle_score *s)
{
	u32 fibtests = count_fibtest(s), to;
	bool table = fibtests > 1;

	if (table)
		fibtest_table(out, s);
	for (u32 i = 0; i < s->nr_cells; i = to) {
		to = case_end(s, i);
		if (table && !strcmp(s->cells[i].family, "fibtest"))
			continue;
		text_put(out, s->cells[i].case_id);
		fputc('\n', out);
		cells_table(out, s, i, to);
	}
	if (s->nr_cells)
		fprintf(out, "* without %s (fitted)\n", s->fitted);
	if (table)
		fprintf(out, "real first, then the model%s\n", text_colour(out) ? "; red: outside its tolerance" : "");
	zeros(out, s);
	worst(out, s);
	skips(out, s);
}
