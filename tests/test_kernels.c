/* SPDX-License-Identifier: MIT */
/* test_kernels.c - rows against the words of the rules, kernels by their distributions' spelling, and the kernel that runs here. */
#include "tests/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/detect.h"
#include "core/model.h"
#include "input/distro.h"
#include "input/scenario_file.h"
#include "report/kernels_since.h"

/* ---- the words of rules.def ---- */

static const struct rule_info *info_of(const char *name)
{
	int i;

	for (i = 0; i < NR_RULES; i++)
		if (!strcmp(rule_info((enum rule)i)->name, name))
			return rule_info((enum rule)i);
	return NULL;
}

/* The value that the words give @row: a stable series named beside comes before the mainline release. */
static const char *value_in_words(const struct rule_info *info, const char *row, char *first, size_t size)
{
	struct rule_span spans[RULE_SPANS_MAX];
	u32 i, nr = rule_spans(info, spans);
	const char *found = NULL;
	char series[16];

	snprintf(first, size, "%.*s", (int)min_u64(strcspn(info->values, "|"), size - 1), info->values);
	snprintf(series, sizeof(series), "%s", row);
	if (strchr(series, '.') != strrchr(series, '.'))
		*strrchr(series, '.') = '\0'; /* 4.14.133 is of 4.14.y */
	for (i = 0; i < nr; i++)
		if (rule_span_holds(&spans[i], row))
			found = spans[i].value;
	for (i = 0; i < nr; i++)
		if (rule_span_also(&spans[i], series))
			found = spans[i].value;
	if (found)
		snprintf(first, size, "%.40s", found);
	return first;
}

/* Every row has for every rule the value that the rule's "since" gives its release; 4.14.133 is a stable kernel and may differ. */
TEST(kernels, the_rows_say_what_the_words_say)
{
	int row, rule;

	for (row = 0; model_row_name(row); row++) {
		struct kernel_model m;

		CHECK_EQ(model_init(&m, model_row_name(row)), 0);
		for (rule = 0; rule < NR_RULES; rule++) {
			const struct rule_info *info = rule_info((enum rule)rule);
			char words[64], value[64], title[256];

			if (!strcmp(m.row, "4.14.133") && !strcmp(info->name, "bw_expiry"))
				continue; /* the back-port that the row is for */
			value_in_words(info, m.row, words, sizeof(words));
			model_rule_value(&m, (enum rule)rule, value, sizeof(value));
			snprintf(title, sizeof(title), "%s in %s: row %s, words %s (%s)", info->name, m.row, value, words, info->since);
			CHECK_ROW(strcmp(words, value), 0, title);
		}
	}
}

/* The words are taken apart: value, from, to, and what else is said. */
TEST(kernels, spans_of_a_rule)
{
	static const struct rule_info several = { "r", "none|deadline|seq", "deadline 3.2-3.15, seq 4.18, none from 5.4", "", "" };
	static const struct rule_info beside = { "r", "off|on", "on from 6.3, in 5.10.y and 6.1.y", "", "" };
	struct rule_span spans[RULE_SPANS_MAX];

	CHECK_EQ(rule_spans(&several, spans), 3);
	CHECK_STR(spans[0].value, "deadline");
	CHECK_STR(spans[0].since, "3.2");
	CHECK_STR(spans[0].until, "3.15");
	CHECK_STR(spans[1].since, "4.18");
	CHECK_STR(spans[1].until, "4.18");
	CHECK_STR(spans[2].since, "5.4");
	CHECK_STR(spans[2].until, "");
	CHECK(rule_span_holds(&spans[0], "3.3"));
	CHECK(!rule_span_holds(&spans[0], "3.16"));
	CHECK(rule_span_holds(&spans[2], "5.10"));
	CHECK_EQ(rule_spans(&beside, spans), 1);
	CHECK(rule_span_also(&spans[0], "5.10"));
	CHECK(rule_span_also(&spans[0], "6.1"));
	CHECK(!rule_span_also(&spans[0], "5.1"));
	CHECK(!rule_span_holds(&spans[0], "6.1"));
}

/* "until" is the last release in which a rule is something else than off or none. */
TEST(kernels, until)
{
	static const struct { const char *rule, *until; } rows[] = {
		{ "bw_expiry", "5.3" }, { "bw_throttled_draw", "5.2" }, { "last_buddy", "6.5" }, { "bw_reask", "" },
		{ "hrtick", "" },	{ "rfc_kthread", "" },
	};
	char buf[12];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(rule_until(info_of(rows[i].rule), buf), rows[i].until);
}

/* ---- distributions ---- */

TEST(distro, row_hz_and_model_by_the_release)
{
	static const struct { const char *name, *row; u32 hz; int preempt; bool exact; const char *distro, *rule; } rows[] = {
		{ "5.15.0-1051-aws", "5.15", 250, PREEMPT_VOLUNTARY, true, "Ubuntu", NULL },
		{ "4.15.0-213-generic", "4.14", 250, PREEMPT_VOLUNTARY, false, "Ubuntu", NULL },
		{ "6.8.0-45-generic", "6.6", 1000, PREEMPT_VOLUNTARY, false, "Ubuntu", NULL },
		{ "6.8.0-1021-aws", "6.6", 0, -1, false, "Ubuntu", NULL },
		{ "5.4.0-1103-gke", "5.4", 250, PREEMPT_VOLUNTARY, true, "Ubuntu", NULL },
		{ "6.1.0-57-cloud-amd64", "6.1", 250, PREEMPT_VOLUNTARY, true, "Debian", NULL },
		{ "6.12.117+deb13-amd64", "6.12", 250, PREEMPT_VOLUNTARY, true, "Debian", NULL },
		{ "4.19.0-27-amd64", "4.18", 0, -1, false, "Debian", "bw_expiry=none" },
		{ "debian-11", "5.10", 250, PREEMPT_VOLUNTARY, true, "Debian", NULL },
		{ "3.10.0-1160.el7.x86_64", "3.2", 1000, -1, false, "Red Hat 7 and its rebuilds", NULL },
		{ "5.14.0-427.el9.aarch64", "5.10", 100, -1, false, "Red Hat on arm64", NULL },
		{ "5.10.227-219.884.amzn2.x86_64", "5.10", 0, -1, true, "Amazon Linux 2", NULL },
		{ "6.1.115-126.197.amzn2023.x86_64", "6.1", 0, -1, true, "Amazon Linux 2023", NULL },
		{ "4.14.133", "4.14.133", 0, -1, true, NULL, NULL },
		{ "4.14.200", "4.14.133", 0, -1, false, NULL, NULL },
		{ "4.14.100", "4.14", 0, -1, true, NULL, NULL },
		{ "v6.1.20", "6.1", 0, -1, true, NULL, NULL },
		{ "6.1.75+", "6.1", 0, -1, true, NULL, NULL },
		{ "7.3", "7.2", 0, -1, false, NULL, NULL },
		{ "3.2", "3.2", 0, -1, true, NULL, NULL },
	};
	struct distro_kernel k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(distro_kernel(rows[i].name, &k), 0, rows[i].name);
		CHECK_STR(k.row, rows[i].row);
		CHECK_ROW(k.hz, rows[i].hz, rows[i].name);
		CHECK_ROW(k.preempt, rows[i].preempt, rows[i].name);
		CHECK_ROW(k.exact, rows[i].exact, rows[i].name);
		CHECK_ROW(!k.distro, !rows[i].distro, rows[i].name);
		if (k.distro)
			CHECK_STR(k.distro, rows[i].distro);
		CHECK_ROW(!k.rules[0], !rows[i].rule, rows[i].name);
		CHECK(k.doubt && *k.doubt);
		CHECK_ROW(k.hz || k.preempt >= 0 ? k.source != NULL : 1, 1, rows[i].name); /* no figure without its source */
	}
}

/* What is no Linux from the oldest row on is no answer: not a guess. */
TEST(distro, what_never_was_is_refused)
{
	static const char *const names[] = { "2.6.32", "3.1", "5.44", "4.21", "6.20.1", "8.0", "9.99", "foo", "", "5", "5.", "5.x", "5.4x", "5.4.x", "5..4",
					     "debian-9", "ubuntu", "5.15 .0", "99999999999.1", "-5.4" };
	struct distro_kernel k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		CHECK_ROW(distro_kernel(names[i], &k), -1, names[i]);
}

TEST(distro, every_name_of_a_distribution_is_known)
{
	const char *release;
	struct distro_kernel k;
	u32 i;

	for (i = 0; distro_name(i, &release); i++) {
		CHECK_ROW(distro_kernel(distro_name(i, NULL), &k), 0, release);
		CHECK_STR(k.release, release);
		CHECK_ROW(k.distro != NULL, 1, release);
	}
	CHECK(i > 10);
}

/* The kernel's name sets HZ and the preemption model of the machine, where they are known, and leaves them where not. */
TEST(distro, a_scenario_takes_hz_and_model)
{
	struct scenario sc;
	struct err err = { 0 };

	scenario_init(&sc);
	sc.machine.hz = 300;
	CHECK_EQ(scenario_set_kernel(&sc, "6.8.0-1021-aws", &err), 0);
	CHECK_EQ(sc.machine.hz, 300);
	CHECK_EQ(sc.machine.preempt, -1);
	CHECK_EQ(scenario_set_kernel(&sc, "6.8.0-45-generic", &err), 0);
	CHECK_STR(sc.kernel.row, "6.6");
	CHECK_EQ(sc.machine.hz, 1000);
	CHECK_EQ(sc.machine.preempt, PREEMPT_VOLUNTARY);
	CHECK_EQ(scenario_set_kernel(&sc, "debian-10", &err), 0);
	CHECK_STR(sc.kernel.row, "4.18");
	CHECK_EQ(sc.kernel.nr_rules, 1);
	CHECK_STR(sc.kernel.rules[0], "bw_expiry=none");
	scenario_free(&sc);
}

/* ---- the kernel that runs here ---- */

static void put_file(const char *dir, const char *file, const char *text)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	out = fopen(path, "w");
	CHECK(out != NULL);
	fputs(text, out);
	CHECK_EQ(fclose(out), 0);
}

/* A /proc of our own making, with a file for each pair of name and text up to NULL. */
static char *fake_proc(char *dir, const char *const *files)
{
	char path[256];

	strcpy(dir, "/tmp/fairground-proc-XXXXXX");
	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/sys", dir);
	CHECK_EQ(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/sys/kernel", dir);
	CHECK_EQ(mkdir(path, 0700), 0);
	for (; *files; files += 2)
		put_file(dir, files[0], files[1]);
	return dir;
}

static void remove_proc(const char *dir)
{
	static const char *const names[] = { "version", "config.gz", "cmdline", "sys/kernel/sched_cfs_bandwidth_slice_us", "sys/kernel", "sys" };
	char path[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		remove(path);
	}
	CHECK_EQ(rmdir(dir), 0);
}

#define UBUNTU "Linux version 5.15.0-1051-aws (buildd@lcy02) (gcc 11.4.0) #56-Ubuntu SMP\n"

/* What the kernel says of itself beats the table; what it does not say is taken from it. */
TEST(detect, the_kernel_beats_the_table)
{
	static const char *const bare[] = { "version", UBUNTU, NULL };
	static const char *const full[] = { "version", UBUNTU, "config.gz", "CONFIG_HZ_1000=y\nCONFIG_HZ=1000\n# CONFIG_PREEMPT_NONE is not set\nCONFIG_PREEMPT=y\n",
					    "cmdline", "quiet preempt=none ro\n", "sys/kernel/sched_cfs_bandwidth_slice_us", "1000\n", NULL };
	struct detected d;
	struct err err = { 0 };
	char dir[64];

	CHECK_EQ(detect_kernel(fake_proc(dir, bare), &d, &err), 0);
	CHECK_STR(d.kernel.release, "5.15.0-1051-aws");
	CHECK_STR(d.kernel.row, "5.15");
	CHECK_EQ(d.hz, 250);
	CHECK_EQ(d.preempt, PREEMPT_VOLUNTARY);
	CHECK_EQ(d.slice_us, 0);
	remove_proc(dir);

	CHECK_EQ(detect_kernel(fake_proc(dir, full), &d, &err), 0);
	CHECK_EQ(d.hz, 1000);
	CHECK_EQ(d.preempt, PREEMPT_NONE);
	CHECK_EQ(d.slice_us, 1000);
	CHECK(strstr(d.hz_from, "config.gz") != NULL);
	CHECK(strstr(d.preempt_from, "cmdline") != NULL);
	remove_proc(dir);
}

TEST(detect, no_version_is_an_error_and_an_old_one_has_no_row)
{
	static const char *const none[] = { NULL };
	static const char *const other[] = { "version", "FreeBSD 14.0\n", NULL };
	static const char *const old[] = { "version", "Linux version 2.6.32-754.el6.x86_64 (x)\n", NULL };
	struct detected d;
	struct err err = { 0 };
	char dir[64];

	CHECK_EQ(detect_kernel(fake_proc(dir, none), &d, &err), -1);
	remove_proc(dir);
	memset(&err, 0, sizeof(err));
	CHECK_EQ(detect_kernel(fake_proc(dir, other), &d, &err), -1);
	remove_proc(dir);
	memset(&err, 0, sizeof(err));
	CHECK_EQ(detect_kernel(fake_proc(dir, old), &d, &err), 0);
	CHECK(d.kernel.row == NULL);
	CHECK_STR(d.kernel.release, "2.6.32-754.el6.x86_64");
	remove_proc(dir);
}

TEST_MAIN("kernels")
