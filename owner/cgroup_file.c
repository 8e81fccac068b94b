/* SPDX-License-Identifier: MIT */
/*
 * cgroup_file.c - what is written to a group's files, as text: parsed as the kernel parses it, then handed to the scheduler.
 *
 *	"cpu.max" "25000 100000"  -->  KNOB_MAX 25 ms, 100 ms  -->  lab_write()  -->  0 or an errno with the rule
 *
 * cpuset.cpus is the other controller's: a list of CPUs, handed to lab_set_cpuset().
 *
 * cpu.max is read by prefix ("50000abc" is 50 ms), the other files by the strict integer parser
 * (docs/rules/bandwidth.md 1.2, 1.3).
 */
#include "owner/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

static const char *skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

static const char *skip_word(const char *s)
{
	while (*s && !is_blank(*s))
		s++;
	return s;
}

/* An unsigned number at *@s, saturated; false where there is none.  *@s moves behind it. */
static bool prefix_number(const char **s, u64 *value)
{
	const char *start = *s;

	*value = 0;
	for (; **s >= '0' && **s <= '9'; ++*s)
		*value = *value > (UINT64_MAX - 9) / 10 ? UINT64_MAX - 9 : *value * 10 + (u64)(**s - '0');
	return *s != start;
}

/* us to ns; too large a number stays too large for every check. */
static u64 us_to_ns(u64 us) { return us > (UINT64_MAX - 1) / US ? UINT64_MAX - 1 : us * US; }

/* cpu.max: "QUOTA|max [PERIOD]"; a missing period is 0, "leave it". */
static int parse_max(const char *value, u64 *quota, u64 *period, const char **why)
{
	const char *s = skip_blanks(value);

	*period = 0;
	if (skip_word(s) == s + 3 && !memcmp(s, "max", 3)) {
		*quota = RUNTIME_INF;
	} else if (prefix_number(&s, quota)) {
		*quota = us_to_ns(*quota);
	} else {
		*why = "cpu.max takes \"max\" or a number of us, then a period in us";
		return -EINVAL;
	}
	s = skip_blanks(skip_word(s));
	if (prefix_number(&s, period)) {
		*period = us_to_ns(*period);
		if (!*period) {
			*why = "a period is at least 1 ms";
			return -EINVAL;
		}
	} else {
		*period = 0;
	}
	return 0;
}

/* The kernel's strict integer: one number, decimal, 0x or 0 octal, blanks around it. */
static int strict_number(const char *value, bool is_signed, s64 *number, const char **why)
{
	char *end;
	const char *s = skip_blanks(value);

	errno = 0;
	*number = is_signed ? strtoll(s, &end, 0) : (s64)strtoull(s, &end, 0);
	if (errno == ERANGE && (is_signed || *s != '-')) {
		*why = "the number does not fit 64 bits";
		return -ERANGE;
	}
	if (end == s || *skip_blanks(end) || (*s == '-' && !is_signed)) {
		*why = "the file takes one whole number";
		return -EINVAL;
	}
	return 0;
}

static int not_a_list(const char **why)
{
	*why = "cpuset.cpus takes a list of CPUs such as 0-3,8";
	return -EINVAL;
}

/* A range of a list of CPUs at *@s, "3", "0-3" or "0-7:1/2" (1 of each 2), into @set; *@s moves behind it. */
static int cpu_range(const char **s, int cpus, u64 *set, const char **why)
{
	u64 from, to, used = 1, of = 1, i;

	if (!prefix_number(s, &from))
		return not_a_list(why);
	to = from;
	if (**s == '-' && (++*s, !prefix_number(s, &to)))
		return not_a_list(why);
	if (**s == ':' && (++*s, !prefix_number(s, &used) || *(*s)++ != '/' || !prefix_number(s, &of)))
		return not_a_list(why);
	if (to < from || !of || used > of)
		return not_a_list(why);
	if (to >= (u64)cpus) {
		*why = "it has a CPU that the machine has not";
		return -ERANGE;
	}
	for (i = from; i <= to; i++)
		if ((i - from) % of < used)
			bit_set(set, (int)i);
	return 0;
}

/* A list of CPUs; blanks may stand around commas; *@empty: there are none. */
static int cpu_list(const char *value, int cpus, u64 *set, bool *empty, const char **why)
{
	const char *s = value;
	int ret;

	*empty = true;
	for (;;) {
		while (is_blank(*s) || *s == ',')
			s++;
		if (!*s)
			return 0;
		ret = cpu_range(&s, cpus, set, why);
		if (ret)
			return ret;
		if (*s && *s != ',' && !is_blank(*s))
			return not_a_list(why);
		*empty = false;
	}
}

static int write_cpuset(struct groups *gs, struct task_group *tg, const char *value, const char **why)
{
	u64 set[BITS_WORDS(LAB_MAX_CPUS)] = { 0 };
	bool empty;
	int ret = cpu_list(value, gs->nr_cpus, set, &empty, why);

	return ret ? ret : lab_set_cpuset(gs->lab, 0, tg, empty ? NULL : set, why);
}

enum unit { UNIT_PLAIN, UNIT_US, UNIT_QUOTA };

static const struct cgroup_file {
	const char *name;
	int cgroup;	/* 1, 2, or 0: both */
	enum knob knob;
	bool is_signed;
	enum unit unit;
} files[] = {
	{ "cpu.max", 2, KNOB_MAX, false, UNIT_US },
	{ "cpu.max.burst", 2, KNOB_BURST, false, UNIT_US },
	{ "cpu.weight", 2, KNOB_WEIGHT, false, UNIT_PLAIN },
	{ "cpu.weight.nice", 2, KNOB_WEIGHT_NICE, true, UNIT_PLAIN },
	{ "cpu.idle", 0, KNOB_IDLE, true, UNIT_PLAIN },
	{ "cpu.cfs_quota_us", 1, KNOB_QUOTA, true, UNIT_QUOTA },
	{ "cpu.cfs_period_us", 1, KNOB_PERIOD, false, UNIT_US },
	{ "cpu.cfs_burst_us", 1, KNOB_BURST, false, UNIT_US },
	{ "cpu.shares", 1, KNOB_SHARES, false, UNIT_PLAIN },
};

/* v1 names are only there under v1; the names of v2 are taken everywhere, for whoever tries a workload on an old kernel. */
static const struct cgroup_file *find_file(const struct groups *gs, const char *name, const char **why)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (strcmp(files[i].name, name))
			continue;
		if (files[i].cgroup != 1 || gs->cgroup == 1)
			return &files[i];
		*why = "no such file in cgroup v2";
		return NULL;
	}
	*why = "no such file in the cpu controller";
	return NULL;
}

static bool has_file(const struct groups *gs, const struct cgroup_file *file, const char **why)
{
	if (file->knob == KNOB_BURST && gs->model->rule[RULE_BW_REFILL] != BW_REFILL_ADD) {
		*why = "there is no burst in this row (rule bw_refill, 5.14)";
		return false;
	}
	return true;
}

static u64 in_unit(const struct cgroup_file *file, s64 number)
{
	if (file->unit == UNIT_QUOTA && number < 0)
		return RUNTIME_INF;
	return file->unit == UNIT_PLAIN ? (u64)number : us_to_ns((u64)number);
}

int groups_apply(struct groups *gs, struct group *g, const char *name, const char *value, const char **why)
{
	struct task_group *tg = g ? g->tg : lab_root(gs->lab);
	bool is_cpuset = !strcmp(name, "cpuset.cpus");
	const struct cgroup_file *file = is_cpuset ? NULL : find_file(gs, name, why);
	u64 quota, period;
	s64 number;
	int ret;

	if (!g && gs->cgroup == 2 && (file || is_cpuset)) {
		*why = "the root group has no such file in cgroup v2";
		return -ENOENT;
	}
	if (is_cpuset)
		return write_cpuset(gs, tg, value, why);
	if (!file || !has_file(gs, file, why))
		return -ENOENT;
	if (file->knob == KNOB_MAX) {
		ret = parse_max(value, &quota, &period, why);
		return ret ? ret : lab_write(gs->lab, 0, tg, KNOB_MAX, quota, period, why);
	}
	ret = strict_number(value, file->is_signed, &number, why);
	return ret ? ret : lab_write(gs->lab, 0, tg, file->knob, in_unit(file, number), 0, why);
}
