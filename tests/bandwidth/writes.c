/* SPDX-License-Identifier: MIT */
/*
 * writes.c - what is written to a group's files, and what the kernel answers.
 *
 *	text ---> parsed (by prefix: cpu.max; strictly: the others) ---> checked in the kernel's order ---> errno and rule
 *
 * docs/rules/bandwidth.md 1.1 to 1.6, and the worked examples bw-27, bw-28 and bw-36.  Times in us, as in the files.
 */
#include "tests/test.h"

#include <errno.h>

#include "tests/machine_of.h"

#define KEEP UINT64_MAX - 1 /* not looked at */
#define INF UINT64_MAX

struct written {
	const char *path, *file, *value;
};

static const struct write_row {
	const char *title, *row;
	int cgroup;
	struct written before[4]; /* these are accepted */
	struct written write;
	int err;
	const char *reason; /* a piece of the sentence */
	u64 quota, period;  /* of /g afterwards */
} table[] = {
	/* ---- 1.3: cpu.max is parsed by prefix ---- */
	{ "quota and period", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "25000 50000" }, 0, NULL, 25000, 50000 },
	{ "a missing period is kept", "5.10", 2, { { "/g", "cpu.max", "max 50000" } }, { "/g", "cpu.max", "25000" }, 0,
	  NULL, 25000, 50000 },
	{ "max", "5.10", 2, { { "/g", "cpu.max", "25000 50000" } }, { "/g", "cpu.max", "max" }, 0, NULL, INF, 50000 },
	{ "max with a period stays unlimited", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "max 50000" }, 0, NULL, INF, 50000 },
	{ "what follows a number is ignored", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "50000abc" }, 0, NULL, 50000, 100000 },
	{ "also before a period", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "50000abc 60000" }, 0, NULL, 50000, 60000 },
	{ "a second word that is no number keeps the period", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "50000 junk" },
	  0, NULL, 50000, 100000 },
	{ "a negative period too", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "50000 -5" }, 0, NULL, 50000, 100000 },
	{ "a third word is ignored", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "50000 60000 70000" }, 0, NULL, 50000, 60000 },
	{ "leading blanks", "5.10", 2, { { 0 } }, { "/g", "cpu.max", " \t50000\n" }, 0, NULL, 50000, 100000 },
	{ "empty", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "" }, EINVAL, "takes", INF, 100000 },
	{ "blanks only", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "  " }, EINVAL, "takes", INF, 100000 },
	{ "v2 knows no -1", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "-1" }, EINVAL, "takes", INF, 100000 },
	{ "nor Max", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "Max" }, EINVAL, "takes", INF, 100000 },
	{ "nor maximum", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "maximum" }, EINVAL, "takes", INF, 100000 },
	{ "nor +5000", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "+5000" }, EINVAL, "takes", INF, 100000 },
	{ "max in front of something else", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "max junk" }, 0, NULL, INF, 100000 },

	/* ---- 1.4: the order of checks; bw-36 ---- */
	{ "bw-36: quota 0", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "0" }, EINVAL, "quota is at least", INF, 100000 },
	{ "bw-36: quota 999", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "999" }, EINVAL, "quota is at least", INF, 100000 },
	{ "bw-36: quota 1000", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "1000" }, 0, NULL, 1000, 100000 },
	{ "bw-36: quota 10^12", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "1000000000000" }, 0, NULL, 1000000000000, 100000 },
	{ "quota 2^44 - 1", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "17592186044415" }, 0, NULL, 17592186044415, 100000 },
	{ "bw-36: quota 2^44", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "17592186044416" }, EINVAL, "2^44", INF, 100000 },
	{ "quota 2^44 before 5.8", "5.4", 2, { { 0 } }, { "/g", "cpu.max", "17592186044416" }, 0, NULL, 17592186044416,
	  100000 },
	{ "bw-36: period 999", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "5000 999" }, EINVAL, "period is at least", INF,
	  100000 },
	{ "period 0", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "5000 0" }, EINVAL, "period is at least", INF, 100000 },
	{ "period 1000", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "5000 1000" }, 0, NULL, 5000, 1000 },
	{ "bw-36: period 1000000", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "5000 1000000" }, 0, NULL, 5000, 1000000 },
	{ "bw-36: period 1000001", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "5000 1000001" }, EINVAL,
	  "period is at most", INF, 100000 },
	{ "unlimited passes the quota's check, not the period's", "5.10", 2, { { 0 } },
	  { "/g", "cpu.max", "max 1000001" }, EINVAL, "period is at most", INF, 100000 },
	{ "the quota's check is first", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "999 999" }, EINVAL,
	  "quota is at least", INF, 100000 },
	{ "then the period's", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "17592186044416 999" }, EINVAL,
	  "period is at least", INF, 100000 },
	{ "a quota of many periods", "5.10", 2, { { 0 } }, { "/g", "cpu.max", "800000 100000" }, 0, NULL, 800000, 100000 },
	{ "nothing changes where a check fails", "5.10", 2, { { "/g", "cpu.max", "25000 50000" } },
	  { "/g", "cpu.max", "30000 999" }, EINVAL, "period", 25000, 50000 },

	/* ---- burst ---- */
	{ "bw-36: burst above the quota", "6.1", 2, { { "/g", "cpu.max", "20000" } },
	  { "/g", "cpu.max.burst", "20001" }, EINVAL, "burst", 20000, 100000 },
	{ "burst equal to the quota", "6.1", 2, { { "/g", "cpu.max", "20000" } }, { "/g", "cpu.max.burst", "20000" }, 0,
	  NULL, 20000, 100000 },
	{ "bw-36: any burst with quota max", "6.1", 2, { { 0 } }, { "/g", "cpu.max.burst", "500000000" }, 0, NULL, INF,
	  100000 },
	{ "bw-36: then a quota below it", "6.1", 1, { { "/g", "cpu.cfs_burst_us", "20001" } },
	  { "/g", "cpu.cfs_quota_us", "20000" }, EINVAL, "burst", INF, 100000 },
	{ "lowering the quota below the burst", "6.1", 1,
	  { { "/g", "cpu.cfs_quota_us", "20000" }, { "/g", "cpu.cfs_burst_us", "20000" } },
	  { "/g", "cpu.cfs_quota_us", "10000" }, EINVAL, "burst", 20000, 100000 },
	{ "burst and quota above 2^44", "6.1", 1, { { "/g", "cpu.cfs_quota_us", "9000000000000" } },
	  { "/g", "cpu.cfs_burst_us", "8999999999999" }, EINVAL, "burst", 9000000000000, 100000 },
	{ "there is no burst before 5.14", "5.10", 2, { { "/g", "cpu.max", "20000" } },
	  { "/g", "cpu.max.burst", "1000" }, ENOENT, "5.14", 20000, 100000 },
	{ "nor cpu.cfs_burst_us", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_burst_us", "1000" }, ENOENT, "5.14", INF, 100000 },
	{ "a burst is a whole number", "6.1", 2, { { "/g", "cpu.max", "20000" } }, { "/g", "cpu.max.burst", "1000x" },
	  EINVAL, "number", 20000, 100000 },
	{ "and not max", "6.1", 2, { { "/g", "cpu.max", "20000" } }, { "/g", "cpu.max.burst", "max" }, EINVAL, "number",
	  20000, 100000 },

	/* ---- cgroup 1: strict integers ---- */
	{ "v1 quota", "3.2", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", "25000" }, 0, NULL, 25000, 100000 },
	{ "v1 period", "3.2", 1, { { 0 } }, { "/g", "cpu.cfs_period_us", "50000" }, 0, NULL, INF, 50000 },
	{ "bw-36: v1 quota -5 is unlimited", "5.10", 1, { { "/g", "cpu.cfs_quota_us", "25000" } },
	  { "/g", "cpu.cfs_quota_us", "-5" }, 0, NULL, INF, 100000 },
	{ "v1 hexadecimal", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", "0x4e20" }, 0, NULL, 20000, 100000 },
	{ "v1 blanks around", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", " 20000\n" }, 0, NULL, 20000, 100000 },
	{ "v1 takes no text", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", "max" }, EINVAL, "number", INF, 100000 },
	{ "v1 takes no tail", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", "20000 100000" }, EINVAL, "number", INF,
	  100000 },
	{ "v1 takes no empty text", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", "" }, EINVAL, "number", INF, 100000 },
	{ "v1 period is unsigned", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_period_us", "-50000" }, EINVAL, "number", INF,
	  100000 },
	{ "v1 quota beyond 64 bits", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", "9999999999999999999" }, ERANGE,
	  "64", INF, 100000 },
	{ "v1 period beyond 64 bits", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_period_us", "99999999999999999999" },
	  ERANGE, "64", INF, 100000 },
	{ "v1 quota 999", "5.10", 1, { { 0 } }, { "/g", "cpu.cfs_quota_us", "999" }, EINVAL, "quota is at least", INF, 100000 },
	{ "v1 root is never limited", "5.10", 1, { { 0 } }, { "/", "cpu.cfs_quota_us", "50000" }, EINVAL, "root", KEEP, KEEP },
	{ "the root's check is first of all", "5.10", 1, { { 0 } }, { "/", "cpu.cfs_quota_us", "1" }, EINVAL, "root",
	  KEEP, KEEP },

	/* ---- files ---- */
	{ "the root of v2 has no cpu.max", "5.10", 2, { { 0 } }, { "/", "cpu.max", "50000" }, ENOENT, "root", KEEP, KEEP },
	{ "v1 names on v2", "5.10", 2, { { 0 } }, { "/g", "cpu.cfs_quota_us", "50000" }, ENOENT, "cgroup v2", INF, 100000 },
	{ "v2 names on v1 are taken, to try a workload on an old kernel", "3.2", 1, { { 0 } },
	  { "/g", "cpu.max", "50000" }, 0, NULL, 50000, 100000 },
	{ "but with v1's feasibility", "5.10", 1, { { "/g", "cpu.max", "50000" } }, { "/g/c", "cpu.max", "80000" },
	  EINVAL, "parent", 50000, 100000 },
	{ "a file that is nowhere", "5.10", 2, { { 0 } }, { "/g", "cpu.maximum", "50000" }, ENOENT, "no such file", INF,
	  100000 },

	/* ---- 1.5: feasibility down the tree ---- */
	{ "bw-27: a v1 child above its parent", "5.10", 1, { { "/g", "cpu.cfs_quota_us", "50000" } },
	  { "/g/c", "cpu.cfs_quota_us", "80000" }, EINVAL, "parent", 50000, 100000 },
	{ "equal is allowed", "5.10", 1, { { "/g", "cpu.cfs_quota_us", "50000" } },
	  { "/g/c", "cpu.cfs_quota_us", "50000" }, 0, NULL, 50000, 100000 },
	{ "siblings may exceed it together", "5.10", 1,
	  { { "/g", "cpu.cfs_quota_us", "50000" }, { "/g/a", "cpu.cfs_quota_us", "50000" } },
	  { "/g/b", "cpu.cfs_quota_us", "50000" }, 0, NULL, 50000, 100000 },
	{ "a parent below a child", "5.10", 1,
	  { { "/g", "cpu.cfs_quota_us", "50000" }, { "/g/c", "cpu.cfs_quota_us", "40000" } },
	  { "/g", "cpu.cfs_quota_us", "30000" }, EINVAL, "parent", 50000, 100000 },
	{ "a parent below a grandchild, an unlimited one between", "5.10", 1,
	  { { "/g", "cpu.cfs_quota_us", "50000" }, { "/g/c/d", "cpu.cfs_quota_us", "40000" } },
	  { "/g", "cpu.cfs_quota_us", "30000" }, EINVAL, "parent", 50000, 100000 },
	{ "a longer period makes it feasible", "5.10", 1,
	  { { "/g", "cpu.cfs_quota_us", "50000" }, { "/g/c", "cpu.cfs_period_us", "200000" } },
	  { "/g/c", "cpu.cfs_quota_us", "80000" }, 0, NULL, 50000, 100000 },
	{ "a shorter period does not", "5.10", 1,
	  { { "/g", "cpu.cfs_quota_us", "50000" }, { "/g/c", "cpu.cfs_quota_us", "40000" } },
	  { "/g/c", "cpu.cfs_period_us", "50000" }, EINVAL, "parent", 50000, 100000 },
	{ "an unlimited parent allows any", "5.10", 1, { { 0 } }, { "/g/c", "cpu.cfs_quota_us", "800000" }, 0, NULL,
	  INF, 100000 },
	{ "bw-28: equal after cutting off", "5.10", 1,
	  { { "/g", "cpu.cfs_quota_us", "33333" }, { "/g/c", "cpu.cfs_period_us", "1000000" } },
	  { "/g/c", "cpu.cfs_quota_us", "333330" }, 0, NULL, 33333, 100000 },
	{ "bw-28: one us more", "5.10", 1, { { "/g", "cpu.cfs_quota_us", "33333" } },
	  { "/g/c", "cpu.cfs_quota_us", "33334" }, EINVAL, "parent", 33333, 100000 },
	{ "bw-27: v2 accepts it from 4.16 on", "4.18", 2, { { "/g", "cpu.max", "50000" } },
	  { "/g/c", "cpu.max", "80000" }, 0, NULL, 50000, 100000 },
	{ "and lowering the parent", "6.4", 2, { { "/g", "cpu.max", "50000" }, { "/g/c", "cpu.max", "40000" } },
	  { "/g", "cpu.max", "30000" }, 0, NULL, 30000, 100000 },
	{ "a burst is no part of it", "6.1", 1,
	  { { "/g", "cpu.cfs_quota_us", "50000" }, { "/g/c", "cpu.cfs_quota_us", "50000" } },
	  { "/g/c", "cpu.cfs_burst_us", "50000" }, 0, NULL, 50000, 100000 },
};

static const char *errno_text(int err)
{
	switch (err) {
	case EINVAL:
		return "EINVAL";
	case ERANGE:
		return "ERANGE";
	case ENOENT:
		return "ENOENT";
	default:
		return NULL;
	}
}

static void check_limits(struct testbed *m, const struct write_row *w)
{
	struct group_stat st;

	if (w->quota == KEEP)
		return;
	st = stat_of(m, "/g");
	CHECK_ROW(st.quota, w->quota == INF ? INF : w->quota * US, w->title);
	CHECK_ROW(st.period, w->period * US, w->title);
}

static void check_row(const struct write_row *w)
{
	struct testbed *m = machine_of(.row = w->row, .cgroup = w->cgroup, .random_phase = true);
	const struct write_result *last;
	struct result *res;
	const char *error;
	size_t i;

	group(m, "/g", NO_LIMIT, 100 * MS);
	for (i = 0; i < ARRAY_SIZE(w->before) && w->before[i].file; i++)
		group_write(m, w->before[i].path, w->before[i].file, w->before[i].value, NULL);
	write_at(m, 1 * MS, w->write.path, w->write.file, w->write.value, errno_text(w->err));
	if (strcmp(w->write.path, "/"))
		group_phase(m, w->write.path, 0); /* the group is there */
	error = run_until_error(m, 2 * MS);
	if (error)
		fail_msg("%s: %s", w->title, error);
	check_limits(m, w);
	res = machine_result(machine_in(m));
	last = &res->writes[res->nr_writes - 1];
	CHECK_ROW(last->err, w->err, w->title);
	CHECK_ROW(last->t, 1 * MS, w->title);
	if (w->reason)
		CHECK_ROW(last->reason && strstr(last->reason, w->reason), true, w->title);
	else
		CHECK_ROW(last->reason == NULL, true, w->title);
	result_free(res);
	done(m);
}

TEST(writes, each_is_answered_as_by_the_kernel)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		check_row(&table[i]);
}

/* A refused write that nobody expected ends the run with the group, the file, the value and the reason. */
TEST(writes, an_unexpected_refusal_ends_the_run)
{
	struct testbed *m = machine_of();
	const char *error;

	group(m, "/g", NO_LIMIT, 100 * MS);
	write_at(m, 1 * MS, "/g", "cpu.max", "999", NULL);
	error = run_until_error(m, 2 * MS);
	CHECK(error != NULL);
	CHECK(strstr(error, "/g") && strstr(error, "cpu.max") && strstr(error, "999") && strstr(error, "EINVAL"));
	CHECK(strstr(error, "at least 1 ms") != NULL);
	done(m);
}

/* A write that should be refused and is not ends it as well. */
TEST(writes, an_expected_refusal_must_come)
{
	struct testbed *m = machine_of();

	group(m, "/g", NO_LIMIT, 100 * MS);
	write_at(m, 1 * MS, "/g", "cpu.max", "1000", "EINVAL");
	CHECK(run_until_error(m, 2 * MS) != NULL);
	done(m);
}

TEST_MAIN("bandwidth: writes and their validation")
