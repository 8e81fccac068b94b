/* SPDX-License-Identifier: MIT */
/* test_options.c - the command line, read by tables. */
#include "tests/test.h"

#include "cli/command.h"
#include "cli/run_options.h"

static const struct option_row *const tables[] = { kernel_rows, variant_rows, vs_rows, run_rows, print_rows, NULL };
static const struct command one = { .name = "one", .positional = "FILE", .least = 0, .most = 1, .tables = tables };

struct parsed {
	struct run_options opt;
	struct positionals pos;
	struct err err;
	int ret;
};

static struct parsed parse(bool several, int argc, const char *const *argv)
{
	struct parsed p = { .opt = { .several = several } };

	p.ret = options_parse(&one, argc, (char **)(uintptr_t)argv, &p.opt, &p.pos, &p.err);
	return p;
}

#define PARSE(several, ...)                                                                                            \
	parse(several, (int)ARRAY_SIZE(((const char *const[]){ "one", __VA_ARGS__ })), (const char *const[]){ "one", __VA_ARGS__, NULL })

/* A value stands behind a blank, an equals sign, or the letter itself. */
TEST(options, four_spellings)
{
	CHECK_STR(PARSE(false, "--kernel", "5.4").opt.variants[0].kernel, "5.4");
	CHECK_STR(PARSE(false, "--kernel=5.4").opt.variants[0].kernel, "5.4");
	CHECK_STR(PARSE(false, "-k", "5.4").opt.variants[0].kernel, "5.4");
	CHECK_STR(PARSE(false, "-k5.4").opt.variants[0].kernel, "5.4");
	CHECK_STR(PARSE(false, "--rule=bw_expiry=none").opt.variants[0].rules[0], "bw_expiry=none");
}

TEST(options, what_follows_two_dashes_is_no_option)
{
	struct parsed p = PARSE(false, "--json", "--", "--kernel");

	CHECK_EQ(p.ret, 0);
	CHECK(p.opt.json);
	CHECK_STR(p.pos.v[0], "--kernel");
}

TEST(options, one_dash_is_a_file)
{
	CHECK_STR(PARSE(false, "-").pos.v[0], "-");
}

/* Rules belong to the kernel they stand behind. */
TEST(options, each_kernel_begins_a_variant)
{
	struct parsed p = PARSE(true, "--kernel", "4.14", "--rule", "a=1", "--kernel", "5.4", "--rule", "b=2", "--rule", "c=3");

	CHECK_EQ(p.ret, 0);
	CHECK_EQ(p.opt.nr_variants, 2);
	CHECK_STR(p.opt.variants[0].kernel, "4.14");
	CHECK_EQ(p.opt.variants[0].nr_rules, 1);
	CHECK_STR(p.opt.variants[1].kernel, "5.4");
	CHECK_EQ(p.opt.variants[1].nr_rules, 2);
}

/* A rule in front of the only kernel belongs to it too. */
TEST(options, rule_before_kernel)
{
	struct parsed p = PARSE(true, "--rule", "a=1", "--kernel", "5.4");

	CHECK_EQ(p.opt.nr_variants, 1);
	CHECK_EQ(p.opt.variants[0].nr_rules, 1);
}

TEST(options, vs_begins_a_variant)
{
	struct parsed p = PARSE(true, "--limit", "1", "--vs", "--limit", "2", "--vs", "--kernel", "5.4");

	CHECK_EQ(p.opt.nr_variants, 3);
	CHECK_STR(p.opt.variants[0].limits[0], "1");
	CHECK_STR(p.opt.variants[1].limits[0], "2");
	CHECK(!p.opt.variants[1].kernel);
	CHECK_STR(p.opt.variants[2].kernel, "5.4");
}

TEST(options, run_has_one_kernel)
{
	struct parsed p = PARSE(false, "--kernel", "5.4", "--kernel", "5.10");

	CHECK_EQ(p.ret, -1);
	CHECK(strstr(p.err.message, "twice") != NULL);
}

TEST(options, times)
{
	static const struct { const char *text; u64 ns; } rows[] = {
		{ "5", 5 * SEC }, { "0.5", 500 * MS }, { "50ms", 50 * MS }, { "1.5s", 1500 * MS }, { "250us", 250 * US }, { "7ns", 7 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct parsed p = PARSE(false, "--duration", rows[i].text);

		CHECK_ROW(p.ret, 0, rows[i].text);
		CHECK_ROW(p.opt.duration, rows[i].ns, rows[i].text);
	}
}

TEST(options, bad_values_are_refused)
{
	static const char *const rows[][2] = {
		{ "--duration", "soon" }, { "--duration", "5 parsecs" }, { "--duration", "0" }, { "--duration", "-1" }, { "--hz", "0" },
		{ "--cpus", "1025" }, { "--cpus", "two" }, { "--runs", "0" }, { "--runs", "1.5" }, { "--seed", "-1" },
		{ "--costs", "all" }, { "--frobnicate", "1" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct parsed p = PARSE(false, rows[i][0], rows[i][1]);

		CHECK_ROW(p.ret, -1, rows[i][0]);
		CHECK_ROW(p.err.code, ERR_INPUT, rows[i][0]);
	}
}

TEST(options, unknown_option_names_the_nearest)
{
	struct parsed p = PARSE(false, "--duratoin=5");

	CHECK_EQ(p.ret, -1);
	CHECK_STR(p.err.hint, "did you mean --duration?");
}

TEST(options, a_flag_takes_no_value)
{
	CHECK_EQ(PARSE(false, "--json=1").ret, -1);
	CHECK_EQ(PARSE(false, "--kernel").ret, -1);
}

TEST(options, seed_zero_is_a_seed)
{
	struct parsed p = PARSE(false, "--seed", "0");

	CHECK(p.opt.seed_set);
	CHECK_EQ(p.opt.seed, 0);
}

/* Every option says what it does, and no letter or name stands twice in one command. */
TEST(options, tables_are_whole)
{
	const struct option_row *const *t, *a, *b;
	const struct command *cmd;
	u32 i;

	for (i = 0; (cmd = command_at(i)); i++) {
		const struct option_row *all[128];
		size_t k, m, nr = 0;

		CHECK(cmd->summary && *cmd->summary && cmd->run && cmd->about);
		for (t = cmd->tables; t && *t; t++)
			for (a = *t; a->name; a++)
				all[nr++] = a;
		for (k = 0; k < nr; k++) {
			a = all[k];
			CHECK_ROW(a->help && *a->help && a->help[strlen(a->help) - 1] != '.', 1, a->name);
			CHECK_ROW((a->kind == OPTION_FLAG) <= !a->arg, 1, a->name);
			CHECK_ROW(a->kind != OPTION_TIME || a->unit, 1, a->name);
			for (m = 0; m < k; m++) {
				b = all[m];
				CHECK_ROW(strcmp(a->name, b->name) != 0, 1, a->name);
				CHECK_ROW(!a->letter || a->letter != b->letter, 1, a->name);
			}
		}
	}
}

TEST_MAIN("options")
