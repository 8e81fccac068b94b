/* SPDX-License-Identifier: MIT */
/* test_limits.c - limits as people write them, and what is written to the kernel for them. */
#include "tests/test.h"

#include <stdlib.h>

#include "input/limits.h"
#include "input/scenario_file.h"

/* Every notation, with the quota, period and burst it stands for beside a group whose period is 100 ms. */
TEST(limits, notations)
{
	static const struct { const char *spec, *group, *max; s64 burst; } rows[] = {
		{ "250m", "", "25000 100000", -1 },
		{ "1500m", "", "150000 100000", -1 },
		{ "1.5", "", "150000 100000", -1 },
		{ "2", "", "200000 100000", -1 },
		{ "999", "", "99900000 100000", -1 },
		{ "0.5cpus", "", "50000 100000", -1 },
		{ "1cpu", "", "100000 100000", -1 },
		{ "150%", "", "150000 100000", -1 },
		{ "0.5%", "", "500 100000", -1 },
		{ "max", "", "max 100000", -1 },
		{ "max/50ms", "", "max 50000", -1 },
		{ "50000/100000", "", "50000 100000", -1 },
		{ "500/100000", "", "500 100000", -1 },
		{ "50000", "", "50000 100000", -1 },
		{ "50ms", "", "50000 100000", -1 },
		{ "0.05s/1s", "", "50000 1000000", -1 },
		{ "2/50ms", "", "100000 50000", -1 },
		{ "250m/20ms", "", "5000 20000", -1 },
		{ "250m+25ms", "", "25000 100000", 25000 },
		{ "250m/20ms+5ms", "", "5000 20000", 5000 },
		{ "50000/100000+10000", "", "50000 100000", 10000 },
		{ "1e5/1e6+1e4", "", "100000 1000000", 10000 },
		{ "/web=250m+25ms", "/web", "25000 100000", 25000 },
		{ "/a=b/c=1.5", "/a=b/c", "150000 100000", -1 },
		{ "333m/7ms", "", "2331 7000", -1 },
		{ "0.0001m", "", "1 100000", -1 },
		{ "250m+0", "", "25000 100000", 0 },
		/* as other programs have it */
		{ "CPUQuota=50%", "", "50000 100000", -1 },
		{ "--cpus=1.5", "", "150000 100000", -1 },
		{ "--cpus 2", "", "200000 100000", -1 },
		{ "--cpus=1500", "", "150000000 100000", -1 }, /* CPUs, however many */
		{ "--cpu-quota=50000", "", "50000 100000", -1 },
		{ "--cpu-quota=500", "", "500 100000", -1 }, /* us, however few */
		{ "50000 100000", "", "50000 100000", -1 },
		{ "50000 20000\n", "", "50000 20000", -1 },
		{ "max 100000", "", "max 100000", -1 },
		{ "cpu.max=50000 100000", "", "50000 100000", -1 },
		{ "limits.cpu=500m", "", "50000 100000", -1 },
		{ "cpu: 2", "", "200000 100000", -1 },
		{ "cpus: 0.5", "", "50000 100000", -1 },
		{ "--cpus=1.5/20ms+5ms", "", "30000 20000", 5000 },
		{ "/web=CPUQuota=20%", "/web", "20000 100000", -1 },
		{ "/web=50000 20000", "/web", "50000 20000", -1 },
		{ "/a=b=--cpus=1", "/a=b", "100000 100000", -1 },
		/* blanks do not matter */
		{ "500 m", "", "50000 100000", -1 },
		{ " 1.5 cpus ", "", "150000 100000", -1 },
		{ "2 cores", "", "200000 100000", -1 },
		{ "500 millicores", "", "50000 100000", -1 },
		{ "500m / 20ms + 5 ms", "", "10000 20000", 5000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		struct limit limit;
		char buf[LIMIT_TEXT];

		CHECK_ROW(limit_parse(rows[i].spec, &limit, &err), 0, rows[i].spec);
		CHECK_ROW(limit.group_len, strlen(rows[i].group), rows[i].spec);
		if (limit.group)
			CHECK_ROW(strncmp(limit.group, rows[i].group, limit.group_len), 0, rows[i].spec);
		CHECK_STR(limit_max_text(&limit, LIMIT_PERIOD, buf), rows[i].max);
		CHECK_ROW(limit.has_burst, rows[i].burst >= 0, rows[i].spec);
		if (limit.has_burst)
			CHECK_ROW(strtol(limit_burst_text(&limit, buf), NULL, 10), rows[i].burst, rows[i].spec);
	}
}

/* Each part that can be wrong is refused where it begins. */
TEST(limits, refused)
{
	static const struct { const char *spec; int column; const char *message, *hint; } rows[] = {
		{ "", 1, "expected an amount", NULL },
		{ "abc", 1, "expected an amount", NULL },
		{ "m", 1, "expected an amount", NULL },
		{ "250x", 1, "expected an amount", NULL },
		{ "-5", 1, "expected an amount above 0", NULL },
		{ "0", 1, "expected an amount above 0", NULL },
		{ "1e30", 1, "expected an amount above 0 that a machine can have", NULL },
		{ "250m/", 6, "expected a period", NULL },
		{ "250m/0", 6, "expected a period", NULL },
		{ "250m/abc", 6, "expected a period", NULL },
		{ "250m/5m", 6, "expected a period", NULL },
		{ "250m+", 6, "expected a burst", NULL },
		{ "250m+-5", 6, "expected a burst", NULL },
		{ "250m+5ms/20ms", 6, "expected a burst", NULL },
		{ "web=250m", 1, "expected a group that begins with '/'", "/web=250m" },
		{ "500M", 1, "expected an amount", "500m" },
		{ "1,5", 1, "expected an amount", "1.5" },
		{ "CPUQuota=50", 10, "CPUQuota=50%", NULL },
		{ "CPUQuota=50%/20ms", 10, "a percentage", NULL },
		{ "CPUQuota=%", 10, "a percentage", NULL },
		{ "1 500m", 1, "expected an amount", NULL },
		{ "5  0m", 1, "expected an amount", NULL },
		{ "/web=500m / 2x", 13, "expected a period", NULL },
		{ "=250m", 1, "expected a group", NULL },
		{ "/=250m", 1, "expected a group", NULL },
		{ "/web=", 6, "expected an amount", NULL },
		{ "/web", 1, "expected an amount", NULL },
		{ "250m 20ms", 1, "expected an amount", NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		struct limit limit;

		CHECK_ROW(limit_parse(rows[i].spec, &limit, &err), -1, rows[i].spec);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].spec);
		CHECK_ROW(err.column, rows[i].column, rows[i].spec);
		if (!strstr(err.message, rows[i].message))
			fail_msg("%s: \"%s\" does not say \"%s\"", rows[i].spec, err.message, rows[i].message);
		if (!strstr(err.hint, rows[i].hint ? rows[i].hint : "[GROUP=]AMOUNT"))
			fail_msg("%s: the hint is \"%s\"", rows[i].spec, err.hint);
	}
}

/* What is written to cpu.max reads back as the same limit. */
TEST(limits, round_trip)
{
	static const char *const specs[] = { "250m", "1.5", "150%", "max", "50000/100000", "333m/7ms", "50ms/1s" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		struct err err = { 0 };
		struct limit limit;
		char text[LIMIT_TEXT];
		u64 quota, period;

		CHECK_EQ(limit_parse(specs[i], &limit, &err), 0);
		CHECK(limit_from_max(limit_max_text(&limit, LIMIT_PERIOD, text), &quota, &period));
		CHECK_ROW(quota, limit_quota(&limit, LIMIT_PERIOD), specs[i]);
		CHECK_ROW(period, limit_period(&limit, LIMIT_PERIOD), specs[i]);
	}
}

TEST(limits, from_cpu_max)
{
	static const struct { const char *text; bool good; u64 quota, period; } rows[] = {
		{ "50000", true, 50 * MS, 100 * MS }, { "max\n", true, UINT64_MAX, 100 * MS }, { "50000 20000\n", true, 50 * MS, 20 * MS },
		{ "abc", false, 0, 0 }, { "", false, 0, 0 }, { "1 2 3", false, 0, 0 }, { "5 0", false, 0, 0 }, { "-1", false, 0, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 quota, period;

		CHECK_ROW(limit_from_max(rows[i].text, &quota, &period), rows[i].good, rows[i].text);
		if (!rows[i].good)
			continue;
		CHECK_ROW(quota, rows[i].quota, rows[i].text);
		CHECK_ROW(period, rows[i].period, rows[i].text);
	}
}

/*
 * kubelet raises small quotas to 1 ms; runc under systemd rounds up to whole 1 % of a CPU (123m: 12300 us become 13000);
 * systemd lengthens the period of a small quota (0.5 %: 1 ms in 200 ms).
 */
TEST(limits, drivers)
{
	static const struct { const char *spec, *driver, *max; bool changed; } rows[] = {
		{ "250m", "kubelet", "25000 100000", false }, { "5m", "kubelet", "1000 100000", true }, { "123m", "kubelet", "12300 100000", false },
		{ "123m", "runc-systemd", "13000 100000", true }, { "11m", "runc-systemd", "2000 100000", true },
		{ "250m", "runc-systemd", "25000 100000", false }, { "0.5%", "systemd", "1000 200000", true },
		{ "50%", "systemd", "50000 100000", false }, { "0.01%", "systemd", "1000 1000000", true },
		{ "max", "kubelet", "max 100000", false }, { "5m", "none", "500 100000", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		struct limit limit;
		char text[LIMIT_TEXT];

		CHECK_EQ(limit_parse(rows[i].spec, &limit, &err), 0);
		CHECK_ROW(limit_drive(&limit, (enum limit_driver)limit_driver_named(rows[i].driver)), rows[i].changed, rows[i].spec);
		CHECK_STR(limit_max_text(&limit, LIMIT_PERIOD, text), rows[i].max);
	}
	CHECK_EQ(limit_driver_named("docker"), -1);
}

/* ---- on a scenario ---- */

static void read_scenario(struct scenario *sc, const char *groups)
{
	struct warnings w = { 0 };
	struct err err = { 0 };
	char text[600];

	snprintf(text, sizeof(text), "{'machine': {'cpus': 2}, 'groups': {%s}, 'tasks': {'t': {'taskgroup': '/web', 'run': 1}}}", groups);
	if (scenario_read("t.json", text, strlen(text), sc, &w, &err))
		fail_msg("%s", err.message);
	warnings_free(&w);
}

static void check_writes(const struct group_spec *g, const char *expected)
{
	char text[300] = "";
	u32 i;

	for (i = 0; i < g->nr_writes; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s=%s", i ? "; " : "", g->writes[i].file, g->writes[i].value);
	CHECK_STR(text, expected);
}

/* A limit from outside takes the place of the file's own; period and burst stay where it says none. */
TEST(limits, set_on_scenario)
{
	static const struct { const char *groups, *spec, *writes; } rows[] = {
		{ "'/web': {'cpu.max': '5000 10000', 'cpu.weight': 50, 'cpu.max.burst': 1000}", "500m",
		  "cpu.max=5000 10000; cpu.weight=50; cpu.max.burst=1000" },
		{ "'/web': {'cpu.max': '5000 10000', 'cpu.max.burst': 1000}", "250m/100ms+25ms", "cpu.max=25000 100000; cpu.max.burst=25000" },
		{ "'/web': {'cpu.max': '5000'}", "/web=max", "cpu.max=max 100000" },
		{ "", "250m", "cpu.max=25000 100000" },
		{ "'/other': {'cpu.weight': 10}, '/web': {'limit': '1'}", "250m", "cpu.max=25000 100000" },
		{ "'/web': {'cpu.cfs_quota_us': 5000, 'cpu.cfs_period_us': 20000, 'cpu.shares': 512}", "500m",
		  "cpu.cfs_period_us=20000; cpu.cfs_quota_us=10000; cpu.shares=512" },
		{ "'/web': {'cpu.cfs_quota_us': 5000}", "max", "cpu.cfs_period_us=100000; cpu.cfs_quota_us=-1" },
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scenario sc;
		struct err err = { 0 };

		read_scenario(&sc, rows[i].groups);
		for (k = 0; k < 2; k++) /* once more changes nothing */
			CHECK_ROW(scenario_set_limit(&sc, rows[i].spec, &err), 0, rows[i].spec);
		check_writes(&sc.groups[sc.nr_groups - 1], rows[i].writes);
		scenario_free(&sc);
	}
}

/* A group that is not there, or that cannot be told, is named in the error. */
TEST(limits, which_group)
{
	static const struct { const char *groups, *spec, *message, *hint; } rows[] = {
		{ "", "/wbe=250m", "there is no group \"/wbe\"", "did you mean \"/web\"" },
		{ "'/a': {'cpu.max': '5000'}, '/web': {'cpu.max': '5000'}", "250m", "which group?", "--limit /web=250m" },
		{ "'/a': {}, '/web': {}", "250m", "which group?", "--limit /a=250m" },
		{ "", "250q", "expected an amount", "AMOUNT" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scenario sc;
		struct err err = { 0 };

		read_scenario(&sc, rows[i].groups);
		CHECK_ROW(scenario_set_limit(&sc, rows[i].spec, &err), -1, rows[i].spec);
		if (!strstr(err.message, rows[i].message) || !strstr(err.hint, rows[i].hint))
			fail_msg("%s: \"%s\", \"%s\"", rows[i].spec, err.message, err.hint);
		scenario_free(&sc);
	}
}

TEST_MAIN("limits")
