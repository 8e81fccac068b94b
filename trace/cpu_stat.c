/* SPDX-License-Identifier: MIT */
/* cpu_stat.c - "key number" lines; keys that are not asked for are passed over. */
#include "trace/cpu_stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/line.h"

static const struct {
	const char *key;
	size_t offset;
	u64 unit; /* ns, or 1 for a count */
} keys[] = {
	{ "nr_periods ", offsetof(struct cpu_stat, nr_periods), 1 },
	{ "nr_throttled ", offsetof(struct cpu_stat, nr_throttled), 1 },
	{ "throttled_time ", offsetof(struct cpu_stat, throttled_time), 1 },
	{ "throttled_usec ", offsetof(struct cpu_stat, throttled_time), US },
	{ "usage_usec ", offsetof(struct cpu_stat, usage), US },
	{ "nr_bursts ", offsetof(struct cpu_stat, nr_bursts), 1 },
};

/* One line; true where it is "word number". */
static bool take_line(struct cpu_stat *st, const char *s, const char *end)
{
	const char *p;
	u64 value;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		p = s;
		if (!read_word(&p, end, keys[i].key) || !read_number(&p, end, &value) || value > UINT64_MAX / keys[i].unit)
			continue;
		*(u64 *)((char *)st + keys[i].offset) = value * keys[i].unit;
		return p == end;
	}
	for (p = s; p < end && *p != ' ';)
		p++;
	skip_blanks(&p, end);
	return s < end && read_number(&p, end, &value) && p == end;
}

int cpu_stat_parse(struct cpu_stat *st, const char *path, const char *text, size_t len, struct err *err)
{
	const char *s = text, *end = text + len;
	bool periods = false;

	memset(st, 0, sizeof(*st));
	for (int line = 1; s < end; line++) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *stop = nl ? nl : end;

		if (stop > s && !take_line(st, s, stop)) {
			err_at(err, path, line, 1, NULL, "expected \"key number\", as in \"nr_periods 22\"");
			err_hint(err, "name the cpu.stat file of the group's cgroup");
			return -1;
		}
		periods |= (size_t)(stop - s) > 11 && !memcmp(s, "nr_periods ", 11);
		s = stop + 1;
	}
	if (!periods) {
		err_at(err, path, 0, 0, "nr_periods", "is missing: this is no cpu.stat of a group with the cpu controller");
		return -1;
	}
	if (st->nr_throttled > st->nr_periods)
		return err_at(err, path, 0, 0, "nr_throttled", "is %" PRIu64 " of %" PRIu64 " periods: that cannot be", st->nr_throttled,
			      st->nr_periods);
	return 0;
}

int cpu_stat_read(struct cpu_stat *st, const char *path, struct err *err)
{
	FILE *in = fopen(path, "rb");
	char text[8192];
	size_t len;

	if (!in)
		return err_at(err, path, 0, 0, NULL, "cannot be read: %s", strerror(errno));
	len = fread(text, 1, sizeof(text), in);
	fclose(in);
	return cpu_stat_parse(st, path, text, len, err);
}
