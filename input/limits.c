/* SPDX-License-Identifier: MIT */
/*
 * limits.c - CPU limits as people write them.
 *
 *	/web=250m/20ms+5ms
 *	group amount period burst
 *
 * Law: what limit_max_text() writes reads back as the same limit, cut to whole us.
 */
#include "input/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/number.h"

#define NANO ((u64)1000000000)
#define MOST_CPUS 1000000		/* far above any machine, far below what could overflow */
#define MOST_TIME ((u64)1000000 * SEC)	/* eleven days */
#define PLAIN_MOST 95			/* bytes of an amount with its period and burst */
#define SMALLEST_QUOTA (1 * MS)		/* kernels refuse less */

struct unit {
	const char *name;
	u64 scale;
};

static const struct unit times[] = { { "us", US }, { "ms", MS }, { "s", SEC } };
static const struct unit shares[] = { { "m", NANO / 1000 }, { "%", NANO / 100 }, { "cpus", NANO }, { "cpu", NANO }, { "cores", NANO }, { "core", NANO },
				     { "millicores", NANO / 1000 } };

static const struct unit *unit_named(const struct unit *units, size_t nr, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strlen(units[i].name) == len && !strncmp(units[i].name, s, len))
			return &units[i];
	return NULL;
}

/* What is read: @spec, and its amount as it stands in a line of our own, with the place of each byte of that in @spec. */
struct reading {
	const char *spec;
	char plain[PLAIN_MOST + 1];
	const char *from[PLAIN_MOST + 1];
	size_t nr;
	struct err *err;
};

static const char *place(const struct reading *r, const char *at)
{
	return at >= r->plain && at < r->plain + r->nr ? r->from[at - r->plain] : at;
}

/* What is often meant by what was written, or NULL. */
static const char *meant(const char *at)
{
	size_t n = num_span(at, strlen(at));

	if (n && !strcmp(at + n, "M"))
		return "M is a million: thousandths of a CPU are a small m, as in 500m";
	if (n && at[n] == ',')
		return "write a point, as in 1.5";
	if (strchr(at, '=') && *at != '/' && *at != '=')
		return "a group begins with a slash, as in /web=250m; of other programs CPUQuota=50%, --cpus=1.5 and cpu.max=\"50000 100000\" are read";
	return "a limit is [GROUP=]AMOUNT[/PERIOD][+BURST]: 250m, 1.5, 150%, 50000/100000, /web=250m+25ms, max";
}

static int refuse(const struct reading *r, const char *at, const char *expected)
{
	at = place(r, at);
	err_at(r->err, NULL, 0, (int)(at - r->spec) + 1, NULL, "limit \"%s\": expected %s at \"%s\"", r->spec, expected, at);
	err_hint(r->err, "%s", meant(at));
	return -1;
}

/* Where the part that begins at @p ends: at the next of @ends.  The sign of an exponent is no end. */
static size_t part_len(const char *p, const char *ends)
{
	size_t n = num_span(p, strlen(p));

	return n + strcspn(p + n, ends);
}

/* A time: "25ms", or a bare number of us. */
static int read_time(const struct reading *r, const char *p, size_t len, u64 least, const char *what, u64 *out)
{
	size_t n = num_span(p, len);
	const struct unit *unit = n < len ? unit_named(times, ARRAY_SIZE(times), p + n, len - n) : &times[0];

	if (!n || !unit || num_scaled(p, n, unit->scale, MOST_TIME, out) != NUM_OK || *out < least)
		return refuse(r, p, what);
	return 0;
}

/* Is what stands at @p a slash and a number without a unit? */
static bool bare_period(const char *p)
{
	size_t n = *p == '/' ? num_span(p + 1, strlen(p + 1)) : 0;

	return n && (!p[1 + n] || p[1 + n] == '+');
}

/* A bare number: CPUs where it has a fraction, or is below 1000 and has no bare period behind it; else us. */
static enum num bare_amount(const char *p, size_t n, struct limit *limit)
{
	u64 whole;

	limit->by_cpus = num_whole_u64(p, n, UINT64_MAX, &whole) != NUM_OK || memchr(p, '.', n) ||
			 (whole < 1000 && !bare_period(p + n));
	return num_scaled(p, n, limit->by_cpus ? NANO : US, limit->by_cpus ? MOST_CPUS * NANO : MOST_TIME, &limit->amount);
}

static int read_amount(const struct reading *r, const char *p, size_t len, struct limit *limit)
{
	static const char expected[] = "an amount: 250m, 1.5, 150%, 50000, 50ms or max";
	size_t n = num_span(p, len);
	const struct unit *share = unit_named(shares, ARRAY_SIZE(shares), p + n, len - n);
	const struct unit *time = unit_named(times, ARRAY_SIZE(times), p + n, len - n);
	enum num num;

	if (len == 3 && !strncmp(p, "max", 3)) {
		limit->unlimited = true;
		return 0;
	}
	if (!n || (n < len && !share && !time))
		return refuse(r, p, expected);
	if (n == len) {
		num = bare_amount(p, n, limit);
	} else if (share) {
		limit->by_cpus = true;
		num = num_scaled(p, n, share->scale, MOST_CPUS * NANO, &limit->amount);
	} else {
		num = num_scaled(p, n, time->scale, MOST_TIME, &limit->amount);
	}
	return num == NUM_OK && limit->amount ? 0 : refuse(r, p, "an amount above 0 that a machine can have");
}

/* ---- as other programs have it ---- */

/* How other programs write an amount.  @unit is what a bare number counts there; @ends: what it must end in. */
static const struct notation {
	const char *front, *unit, *ends, *expected;
} notations[] = {
	{ "CPUQuota=", "", "%", "a percentage, as systemd takes it: CPUQuota=50%" },
	{ "--cpus=", "cpus", "", "" }, { "--cpus ", "cpus", "", "" },
	{ "--cpu-quota=", "us", "", "" }, { "--cpu-quota ", "us", "", "" },
	{ "limits.cpu=", "cpus", "", "" }, { "cpu: ", "cpus", "", "" }, { "cpus: ", "cpus", "", "" },
	{ "cpu.max=", "us", "", "" }, { "cpu.max: ", "us", "", "" },
};

static const struct notation *notation_at(const char *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(notations); i++)
		if (!strncmp(p, notations[i].front, strlen(notations[i].front)))
			return &notations[i];
	return NULL;
}

/* The group is what stands before the last '=' that belongs to no notation: an amount holds none, a name may. */
static const char *read_group(const struct reading *r, struct limit *limit)
{
	const char *spec = r->spec, *equals = NULL, *p;

	if (notation_at(spec))
		return spec;
	for (p = strchr(spec, '='); p; p = strchr(p + 1, '=')) {
		equals = p;
		if (notation_at(p + 1))
			break;
	}
	if (!equals)
		return spec;
	if (*spec != '/' || equals - spec < 2) {
		refuse(r, spec, "a group that begins with '/'");
		return NULL;
	}
	limit->group = spec;
	limit->group_len = (u32)(equals - spec);
	return equals + 1;
}

/* "50000 100000" and "max 100000", as cpu.max holds them: where the blank stands, or NULL. */
static const char *pair_blank(const char *p)
{
	size_t n = strncmp(p, "max", 3) ? strspn(p, "0123456789") : 3, blank = n ? strspn(p + n, " ") : 0, after = n + blank;
	size_t digits = blank ? strspn(p + after, "0123456789") : 0;

	return digits && !p[after + digits + strspn(p + after + digits, " \n")] ? p + n : NULL;
}

/* One more byte of the plain text, which stood at @at.  What is too long stays one byte too long. */
static void put_plain(struct reading *r, char c, const char *at)
{
	if (r->nr > PLAIN_MOST)
		return;
	r->plain[r->nr] = c;
	r->from[r->nr++] = at;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* @p up to @end without blanks, but for those between two digits, which without them would make another number. */
static void put_unspaced(struct reading *r, const char *p, const char *end)
{
	for (; p < end; p++)
		if (*p != ' ' || (r->nr && (is_digit(r->plain[r->nr - 1]) || r->plain[r->nr - 1] == ' ') && is_digit(p[strspn(p, " ")])))
			put_plain(r, *p, p);
}

/* What stands at @p into r->plain: without the words of another program, without blanks, and a pair as of cpu.max with a slash. */
static int make_plain(struct reading *r, const char *p)
{
	const struct notation *how = notation_at(p);
	const char *blank, *end;
	size_t number;

	p += how ? strlen(how->front) : 0;
	p += strspn(p, " ");
	blank = pair_blank(p);
	number = num_span(p, strlen(p));
	for (end = p + strlen(p); end > p && strchr(" \n", end[-1]);)
		end--;
	if (how && *how->ends && (!number || p + number + strlen(how->ends) != end || strncmp(p + number, how->ends, strlen(how->ends))))
		return refuse(r, p, how->expected);
	put_unspaced(r, p, p + number);
	if (how && number && (p + number == end || strchr("/+ ", p[number])))
		for (const char *unit = how->unit; *unit; unit++)
			put_plain(r, *unit, p + number);
	if (blank) {
		put_unspaced(r, p + number, blank);
		put_plain(r, '/', blank);
		number = (size_t)(blank - p) + strspn(blank, " ");
	}
	put_unspaced(r, p + number, end);
	put_plain(r, '\0', end);
	return r->nr <= PLAIN_MOST ? 0 : refuse(r, r->spec, "something shorter");
}

int limit_parse(const char *spec, struct limit *limit, struct err *err)
{
	struct reading r = { .spec = spec, .err = err };
	const char *p;
	size_t len;

	*limit = (struct limit){ 0 };
	p = read_group(&r, limit);
	if (!p || make_plain(&r, p))
		return -1;
	p = r.plain;
	len = part_len(p, "/+");
	if (read_amount(&r, p, len, limit))
		return -1;
	p += len;
	if (*p == '/') {
		len = part_len(++p, "+");
		limit->has_period = true;
		if (read_time(&r, p, len, US, "a period such as 100ms, or us", &limit->period))
			return -1;
		p += len;
	}
	if (*p == '+') {
		p++;
		limit->has_burst = true;
		if (read_time(&r, p, strlen(p), 0, "a burst such as 25ms, or us", &limit->burst))
			return -1;
	}
	return 0;
}

/* ---- values ---- */

u64 limit_period(const struct limit *limit, u64 period) { return limit->has_period ? limit->period : period; }

u64 limit_quota(const struct limit *limit, u64 period)
{
	unsigned __int128 quota = limit->amount;

	if (limit->unlimited)
		return UINT64_MAX;
	if (limit->by_cpus)
		quota = quota * limit_period(limit, period) / NANO;
	if (quota > UINT64_MAX / 2)
		quota = UINT64_MAX / 2;
	return max_u64((u64)quota / US, 1) * US;
}

char *limit_max_text(const struct limit *limit, u64 period, char *buf)
{
	u64 in_force = limit_period(limit, period) / US;

	if (limit->unlimited)
		snprintf(buf, LIMIT_TEXT, "max %" PRIu64, in_force);
	else
		snprintf(buf, LIMIT_TEXT, "%" PRIu64 " %" PRIu64, limit_quota(limit, period) / US, in_force);
	return buf;
}

char *limit_burst_text(const struct limit *limit, char *buf)
{
	snprintf(buf, LIMIT_TEXT, "%" PRIu64, limit->burst / US);
	return buf;
}

char *limit_quota_text(const struct limit *limit, u64 period, char *buf)
{
	if (limit->unlimited)
		snprintf(buf, LIMIT_TEXT, "-1");
	else
		snprintf(buf, LIMIT_TEXT, "%" PRIu64, limit_quota(limit, period) / US);
	return buf;
}

char *limit_period_text(const struct limit *limit, u64 period, char *buf)
{
	snprintf(buf, LIMIT_TEXT, "%" PRIu64, limit_period(limit, period) / US);
	return buf;
}

bool limit_from_max(const char *text, u64 *quota, u64 *period)
{
	size_t n = strcspn(text, " \t\n");
	const char *p = text + n + strspn(text + n, " \t\n");
	size_t np = strcspn(p, " \t\n");
	u64 us;

	*period = LIMIT_PERIOD;
	if (n == 3 && !strncmp(text, "max", 3))
		*quota = UINT64_MAX;
	else if (num_whole_u64(text, n, MOST_TIME / US, &us) == NUM_OK)
		*quota = us * US;
	else
		return false;
	if (!np)
		return true;
	if (num_whole_u64(p, np, MOST_TIME / US, &us) != NUM_OK || !us)
		return false;
	*period = us * US;
	return !p[np + strspn(p + np, " \t\n")];
}

/* ---- what managers make of it ---- */

static const char *const driver_names[] = {
	[DRIVER_NONE] = "none",
	[DRIVER_KUBELET] = "kubelet",
	[DRIVER_RUNC_SYSTEMD] = "runc-systemd",
	[DRIVER_SYSTEMD] = "systemd",
};

int limit_driver_named(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(driver_names); i++)
		if (!strcmp(driver_names[i], name))
			return (int)i;
	return -1;
}

/* kubelet: quota = milliCPU * period / 1000, and never below 1 ms. */
static void drive_kubelet(u64 *quota, u64 period)
{
	(void)period;
	*quota = max_u64(*quota, SMALLEST_QUOTA);
}

/* runc's systemd driver: us per second, rounded up to 10000 (1 % of a CPU). */
static void drive_runc(u64 *quota, u64 period)
{
	u64 per_second = (u64)((unsigned __int128)*quota * 1000000 / period);

	per_second = (per_second + 9999) / 10000 * 10000;
	*quota = (u64)((unsigned __int128)per_second * period / 1000000);
}

/* systemd: a quota below 1 ms gets a period so long that it is 1 ms, at most 1 s. */
static u64 systemd_period(u64 quota, u64 period)
{
	u64 per_second = (u64)((unsigned __int128)quota * SEC / period);

	return min_u64(max_u64(max_u64(period, MS), (u64)((unsigned __int128)MS * SEC / max_u64(per_second, 1))), SEC);
}

bool limit_drive(struct limit *limit, enum limit_driver driver)
{
	u64 period = limit_period(limit, LIMIT_PERIOD), quota = limit_quota(limit, LIMIT_PERIOD);
	u64 new_quota = quota, new_period = period;

	if (limit->unlimited || driver == DRIVER_NONE)
		return false;
	if (driver == DRIVER_KUBELET)
		drive_kubelet(&new_quota, period);
	else if (driver == DRIVER_RUNC_SYSTEMD)
		drive_runc(&new_quota, period);
	if (driver == DRIVER_SYSTEMD) {
		new_period = systemd_period(quota, period);
		new_quota = max_u64((u64)((unsigned __int128)quota * new_period / period), SMALLEST_QUOTA);
	}
	if (new_quota == quota && new_period == period)
		return false;
	limit->by_cpus = false;
	limit->amount = new_quota;
	limit->has_period = true;
	limit->period = new_period;
	return true;
}
