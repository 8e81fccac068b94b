/* SPDX-License-Identifier: MIT */
/* reading.c - cpu.stat, line by line; keys that say nothing about limits are passed over. */
#include "metrics/reading.h"

#include <inttypes.h>
#include <string.h>

#include "text/number.h"

enum { SEEN_PERIODS = 1, SEEN_THROTTLED = 2, SEEN_V1 = 4, SEEN_V2 = 8, SEEN_USAGE = 16, SEEN_BURST = 32, SEEN_ONCE = SEEN_PERIODS | SEEN_THROTTLED | SEEN_USAGE };

static const struct row {
	const char *key;
	size_t offset;
	u64 unit;
	u32 seen;
} rows[] = {
	{ "nr_periods", offsetof(struct reading, periods), 1, SEEN_PERIODS },
	{ "nr_throttled", offsetof(struct reading, throttled), 1, SEEN_THROTTLED },
	{ "throttled_time", offsetof(struct reading, stopped), 1, SEEN_V1 },
	{ "throttled_usec", offsetof(struct reading, stopped), US, SEEN_V2 },
	{ "usage_usec", offsetof(struct reading, usage), US, SEEN_USAGE },
	{ "nr_bursts", offsetof(struct reading, bursts), 1, SEEN_BURST },
	{ "burst_usec", offsetof(struct reading, borrowed), US, SEEN_BURST },
	{ "burst_time", offsetof(struct reading, borrowed), 1, SEEN_BURST },
};

static int bad_line(const char *name, int line, struct err *err)
{
	err_at(err, name, line, 1, NULL, "expected \"key number\", as in \"nr_periods 22\"");
	err_hint(err, "name the cpu.stat file of the group's cgroup");
	return -1;
}

static int take_line(struct reading *r, u32 *seen, const char *name, int line, const char *s, size_t len, struct err *err)
{
	const char *blank = memchr(s, ' ', len);
	size_t key = blank ? (size_t)(blank - s) : 0;
	u64 value;

	if (!key || num_scaled(blank + 1, len - key - 1, 1, UINT64_MAX / US, &value) != NUM_OK)
		return bad_line(name, line, err);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strlen(rows[i].key) != key || memcmp(rows[i].key, s, key))
			continue;
		if (*seen & rows[i].seen & SEEN_ONCE) {
			err_at(err, name, line, 1, rows[i].key, "stands here for the second time");
			err_hint(err, "two readings are two files: fairground explain BEFORE AFTER");
			return -1;
		}
		*(u64 *)((char *)r + rows[i].offset) = value * rows[i].unit;
		*seen |= rows[i].seen;
	}
	return 0;
}

static int check(struct reading *r, u32 seen, const char *name, struct err *err)
{
	if (!(seen & SEEN_PERIODS) || !(seen & SEEN_THROTTLED)) {
		err_at(err, name, 0, 0, seen & SEEN_PERIODS ? "nr_throttled" : "nr_periods", "is missing: the group has no cpu controller, or no limit can be set there");
		err_hint(err, "the root's cpu.stat has no limit to count; name the group's own");
		return -1;
	}
	r->v1 = !(seen & SEEN_V2);
	r->has_usage = seen & SEEN_USAGE;
	r->has_burst = seen & SEEN_BURST && r->bursts;
	if (r->throttled > r->periods)
		return err_at(err, name, 0, 0, "nr_throttled", "is %" PRIu64 " of %" PRIu64 " periods: that cannot be", r->throttled, r->periods);
	return 0;
}

int reading_parse(struct reading *r, const char *name, const char *text, size_t len, struct err *err)
{
	const char *s = text, *end = text + len;
	u32 seen = 0;

	memset(r, 0, sizeof(*r));
	if (len > 3 && !memcmp(s, "\xef\xbb\xbf", 3))
		s += 3; /* a byte order mark */
	for (int line = 1; s < end; line++) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *stop = nl ? nl : end;
		size_t n = (size_t)(stop - s);

		while (n && (s[n - 1] == '\r' || s[n - 1] == ' '))
			n--;
		if (n && take_line(r, &seen, name, line, s, n, err))
			return -1;
		s = stop + 1;
	}
	return check(r, seen, name, err);
}

int reading_between(struct facts *out, const struct reading *before, const struct reading *after, const char *name, struct err *err)
{
	const struct { const char *key; u64 before, after; u64 *diff; } counters[] = {
		{ "nr_periods", before->periods, after->periods, &out->periods },
		{ "nr_throttled", before->throttled, after->throttled, &out->throttled },
		{ "throttled time", before->stopped, after->stopped, &out->stopped },
		{ "usage_usec", before->usage, after->usage, &out->usage },
		{ "nr_bursts", before->bursts, after->bursts, &out->bursts },
		{ "burst time", before->borrowed, after->borrowed, &out->borrowed },
	};

	*out = (struct facts){ .has_usage = before->has_usage && after->has_usage, .has_burst = after->has_burst };
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (counters[i].after < counters[i].before) {
			err_at(err, name, 0, 0, counters[i].key, "went back from %" PRIu64 " to %" PRIu64 ": that cannot be", counters[i].before,
			       counters[i].after);
			err_hint(err, "are the readings in the right order, and of the same cgroup? One that was made anew counts from 0");
			return -1;
		}
		*counters[i].diff = counters[i].after - counters[i].before;
	}
	return 0;
}
