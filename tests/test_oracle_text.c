/* SPDX-License-Identifier: MIT */
/* test_oracle_text.c - what people write for the oracle: the descriptions of cases, and the causes of misses. */
#include "tests/oracle_bed.h"

#include <stdlib.h>

#include "oracle/causes.h"

#define FIB8 "name=fib8-stag secs=4 g=fib:0:10000:100000:0 t=1:0:hog:0:0:0:0 t=7:s1:sleep:1:10000:0:*1428.6"
#define HOG20 "name=hog-q20 secs=4 g=a:0:20000:100000:0 t=1:0:hog:0:0:0:0"

/* ---- the description of a case ---- */

/* Every field of a description arrives, times in ns. */
TEST(oracle_text, spec_fields)
{
	struct arena mem = arena();
	struct wl_spec s = parsed("trace=1 align=1 name=x secs=1.2 slice=1000 wgran=4000 series=10 g=p:300:-1:100000:0 "
				  "g=p/a:0:20000:50000:10000 t=3:s2:cevery:1700.5:100000:-5:*666.7 w=450000:1:-1:100000:5000",
				  &mem);

	CHECK_STR(s.name, "x");
	CHECK_EQ(s.window, 1200 * MS);
	CHECK_EQ(s.slice, 1 * MS);
	CHECK_EQ(s.wgran, 4 * MS);
	CHECK_EQ(s.series_ms, 10);
	CHECK(s.trace && s.align);
	CHECK_EQ(s.nr_groups, 2);
	CHECK(!s.groups[0].limited && s.groups[1].limited);
	CHECK_EQ(s.groups[0].weight, 300);
	CHECK_STR(s.groups[1].path, "p/a");
	CHECK_EQ(s.groups[1].quota, 20 * MS);
	CHECK_EQ(s.groups[1].period, 50 * MS);
	CHECK_EQ(s.groups[1].burst, 10 * MS);
	CHECK_EQ(s.sets[0].kind, WL_CEVERY);
	CHECK_EQ(s.sets[0].group, 1);
	CHECK_EQ(s.sets[0].count, 3);
	CHECK(s.sets[0].spread && !s.sets[0].free && s.sets[0].stagger);
	CHECK_EQ(s.sets[0].cpu, 2);
	CHECK_EQ(s.sets[0].burn, 1700500);
	CHECK_EQ(s.sets[0].nice, -5);
	CHECK_EQ(s.sets[0].offset, 666700);
	CHECK_EQ(s.writes[0].at, 450 * MS);
	CHECK(!s.writes[0].limited && s.writes[0].sets_burst);
	CHECK_EQ(s.writes[0].burst, 5 * MS);
	arena_fini(&mem);
}

/* A bad description is one error that names the column and what was expected. */
TEST(oracle_text, spec_errors)
{
	static const struct { const char *text; int column; const char *expected; } rows[] = {
		{ "name=a secs=1 t=1:0:hog:0:0:0:0", 15, "a group (g=) before" },
		{ "name=a secs=1 g=a:0:1:1:0 t=1:0:hg:0:0:0:0", 33, "hog, sleep, every" },
		{ "name=a secs=1 g=a:0:1:1:0 t=1:0:hog:0:0:0", 27, "another number of fields" },
		{ "name=a secs=1 g=a:0:x:1:0 t=1:0:hog:0:0:0:0", 21, "a number of us" },
		{ "name=a secs=1 g=a:0:1:1:0 t=0:0:hog:0:0:0:0", 29, "a whole number" },
		{ "name=a secs=1 g=a:0:1:1:0 t=1:0:hog:0:0:20:0", 41, "a whole number" },
		{ "name=a secs=1 q=a", 15, "name=, secs=, g=" },
		{ "secs=1 g=a:0:1:1:0 t=1:0:hog:0:0:0:0", 0, "name=NAME" },
		{ "name=a g=a:0:1:1:0 t=1:0:hog:0:0:0:0", 0, "secs=SECONDS" },
		{ "name=a secs=1 g=a:0:1:1:0", 0, "threads (t=)" },
		{ "name=a secs=1 g=a:0:1:1:0 t=1:0:hog:0:0:0:0 w=1:1:1:1:1", 49, "a whole number" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct err err = { 0 };
		struct wl_spec spec;

		CHECK_ROW(wl_parse(&spec, rows[i].text, &mem, "f", 7, &err), -1, rows[i].text);
		CHECK_ROW(err.line, 7, rows[i].text);
		CHECK_ROW(err.column, rows[i].column, rows[i].text);
		CHECK_ROW(strstr(err.message, rows[i].expected) != NULL, 1, err.message);
		arena_fini(&mem);
	}
}

/* What a case is about follows from its description, not from its name. */
TEST(oracle_text, families)
{
	static const struct { const char *text; enum wl_family family; bool pinned; u32 busy; } rows[] = {
		{ FIB8, WL_FAMILY_FIBTEST, true, 8 },
		{ HOG20, WL_FAMILY_HOG, true, 1 },
		{ "name=n secs=1 g=a:0:-1:100000:0 t=1:0:hog:0:0:0:0 t=1:0:hog:0:0:5:0", WL_FAMILY_SHARE, true, 1 },
		{ "name=n secs=1 g=p:0:1000:1000:0 g=p/a:0:1000:1000:0 t=2:-1:hog:0:0:0:0", WL_FAMILY_NESTED, false, 2 },
		{ "name=n secs=1 g=s:0:1000:1000:0 t=16:-1:every:10000:100000:0:0", WL_FAMILY_SERVER, false, 8 },
		{ "name=n secs=1 g=a:0:-1:100000:0 t=1:0:hog:0:0:0:0 t=1:0:every:1000:10000:0:0", WL_FAMILY_WAKE, true, 1 },
		{ "name=n align=1 secs=1 g=a:0:1000:1000:0 t=1:0:chog:0:0:0:0 t=1:1:cevery:1:1:0:0", WL_FAMILY_SLACK, true, 2 },
		{ "name=n secs=1 g=a:0:1000:1000:500 t=1:0:hog:0:0:0:0", WL_FAMILY_BURST, true, 1 },
		{ "name=n secs=1 g=a:0:1000:1000:0 t=1:0:hog:0:0:0:0 w=1:0:1000:1000:-1", WL_FAMILY_WRITE, true, 1 },
		{ "name=n secs=1 g=a:0:1000:1000:0 t=1:0:zread:1:1:0:0", WL_FAMILY_SYSCALL, true, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena mem = arena();
		struct wl_spec s = parsed(rows[i].text, &mem);

		CHECK_ROW(wl_family(&s), rows[i].family, rows[i].text);
		CHECK_ROW(wl_pinned(&s), rows[i].pinned, rows[i].text);
		CHECK_ROW(wl_busy_cpus(&s, 8), rows[i].busy, rows[i].text);
		arena_fini(&mem);
	}
}

/* ---- causes ---- */

static struct cause_list *causes_in(const char *text, struct arena *mem, struct err *err)
{
	char path[] = "/tmp/fairground-test-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct cause_list *causes;

	fputs(text, f);
	fclose(f);
	causes = causes_read(path, mem, err);
	remove(path);
	return causes;
}

#define CAUSES \
	"# row | case | cell | cause\n" \
	"6.1 | */tr-a/* | switches | who\n" \
	"\n" \
	"*   | */tr-a/* | times    | when\n" \
	"6.1 | */tr-a/2 | cpu h?   | a thread\n" \
	"6.1 | */tr-a/* | *        | the rest\n"

static void check_cause(const char *found, const char *expected)
{
	CHECK_EQ(!found, !expected);
	if (found && expected)
		CHECK_STR(found, expected);
}

/* The first line whose globs all fit tells the cause; a comparison switch by switch asks for "switches" or "times". */
TEST(oracle_text, the_first_cause_that_fits)
{
	static const struct { const char *row, *id, *figure, *subject, *cause; } cells[] = {
		{ "6.1", "6.1/tr-a/2", "cpu", "h0", "a thread" },
		{ "6.1", "6.1/tr-a/2", "usage", "/a", "the rest" },
		{ "6.1", "6.1/tr-a/4", "cpu", "h0", "the rest" },
		{ "6.12", "6.12/tr-a/2", "cpu", "h0", NULL },
		{ "6.1", "6.1/tr-b/2", "cpu", "h0", NULL },
	};
	static const struct { const char *row; enum oracle_diverge how; const char *cause; } traces[] = {
		{ "6.1", DIVERGE_WHO, "who" },
		{ "6.1", DIVERGE_TIME, "when" },
		{ "6.12", DIVERGE_TIME, "when" },
		{ "6.12", DIVERGE_WHO, NULL },
		{ "6.1", DIVERGE_NONE, NULL },
	};
	struct arena mem = arena();
	struct err err = { 0 };
	struct cause_list *causes = causes_in(CAUSES, &mem, &err);

	CHECK(causes != NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		struct oracle_cell c = { .row = cells[i].row, .case_id = cells[i].id, .figure = cells[i].figure, .subject = cells[i].subject };

		check_cause(cause_of(causes, &c), cells[i].cause);
		CHECK(!cause_of(NULL, &c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		struct oracle_alignment a = { .case_id = "6.1/tr-a/2", .diverge = traces[i].how };

		check_cause(cause_of_divergence(causes, traces[i].row, &a), traces[i].cause);
	}
	arena_fini(&mem);
}

/* A line without a cause is an error with its number; a file that is not there holds none. */
TEST(oracle_text, bad_causes)
{
	struct arena mem = arena();
	struct err err = { 0 };

	CHECK(!causes_in("# all\n6.1 | a | cpu *\n", &mem, &err));
	CHECK_EQ(err.line, 2);
	CHECK(strstr(err.message, "row | case | cell | cause") != NULL);
	CHECK(causes_read("/nonexistent/causes.txt", &mem, &err) != NULL);
	arena_fini(&mem);
}

/* Where a comparison parts the cause stands below, or that nobody knows it; bytes of a terminal's commands do not get there. */
TEST(oracle_text, a_divergence_has_a_cause)
{
	static const struct { enum oracle_diverge how; const char *cause, *text, *json; } rows[] = {
		{ DIVERGE_WHO, "one tick\033[2J", "in who runs\n  cause: one tick", "\"cause\": \"one tick" },
		{ DIVERGE_TIME, NULL, "in when\n  cause: unknown\n", "\"cause\": \"unknown\"" },
		{ DIVERGE_NONE, NULL, "no divergence\n", "\"diverges_in\": null" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct oracle_alignment a = { .case_id = "6.1/a/2", .trace = "a.gz", .diverge = rows[i].how, .cause = rows[i].cause };
		char *text = NULL, *json = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		oracle_alignment_text(f, &a, 1);
		fclose(f);
		f = open_memstream(&json, &len);
		oracle_alignment_json(f, &a, 1);
		fclose(f);
		CHECK_ROW(strstr(text, rows[i].text) != NULL, 1, text);
		CHECK_ROW(strstr(json, rows[i].json) != NULL, 1, json);
		CHECK(!strchr(text, '\033') && !strchr(json, '\033'));
		free(text);
		free(json);
	}
}

TEST_MAIN("oracle_text")
