/* SPDX-License-Identifier: MIT */
/*
 * format.c - numbers for people.
 *
 * Three digits that matter: a simulation answers to a few per cent, and a reader compares the first digits.
 */
#include "text/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Digits behind the point so that three or four in all are shown. */
static int digits_for(double v)
{
	if (v >= 99.95 || v == 0)
		return 0;
	if (v >= 9.995)
		return 1;
	if (v >= 0.9995)
		return 2;
	return 3;
}

/* Take away a fraction of nothing but zeros: "25.0" is "25" where the value is exactly that. */
static void drop_zeros(char *s)
{
	char *end = s + strlen(s);

	if (!strchr(s, '.'))
		return;
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		*--end = '\0';
}

static void put_number(char *buf, double v)
{
	snprintf(buf, FORMAT_MAX - 8, "%.*f", digits_for(v), v);
}

char *format_time(char *buf, u64 ns)
{
	static const struct { u64 below, unit; const char *name; } rows[] = {
		{ US, 1, "ns" }, { MS, US, "us" }, { SEC, MS, "ms" }, { UINT64_MAX, SEC, "s" },
	};
	size_t i = 0;

	if (ns == NEVER)
		return strcpy(buf, "never");
	while (ns >= rows[i].below && i + 1 < ARRAY_SIZE(rows))
		i++;
	put_number(buf, (double)ns / (double)rows[i].unit);
	if (ns % rows[i].unit == 0 || rows[i].unit == 1)
		drop_zeros(buf);
	strcat(strcat(buf, " "), rows[i].name);
	return buf;
}

char *format_ms(char *buf, u64 ns)
{
	if (ns && ns < 500)
		return strcpy(buf, "<0.001");
	put_number(buf, (double)ns / (double)MS);
	return buf;
}

char *format_share(char *buf, u64 part, u64 whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (!whole)
		return strcpy(buf, "-");
	if (part && percent < 0.1)
		return strcpy(buf, "<0.1%");
	snprintf(buf, FORMAT_MAX, "%.*f%%", percent && percent < 9.95 ? 1 : 0, percent);
	return buf;
}

char *format_milli(char *buf, u64 ns, u64 span)
{
	double milli = span ? (double)ns * 1000 / (double)span : 0;

	if (!span)
		snprintf(buf, FORMAT_MAX, "-");
	else
		snprintf(buf, FORMAT_MAX, "%.*fm", milli >= 9.95 || !ns ? 0 : milli >= 0.995 ? 1 : 2, milli);
	return buf;
}

char *format_ratio(char *buf, double a, double b)
{
	double ratio = a > 0 ? b / a : 0;

	if (a <= 0)
		return strcpy(buf, "-");
	if (b > 0 && ratio < 0.005)
		return strcpy(buf, "<0.01x");
	if (ratio >= 999.5)
		return strcpy(buf, ">999x");
	snprintf(buf, FORMAT_MAX, "%.*fx", ratio >= 9.95 ? 0 : ratio >= 1.995 ? 1 : 2, ratio);
	return buf;
}

/* What was set, in ms: to a tenth where put_number() would round it, for a limit is no measurement. */
static void put_set(char *buf, u64 ns)
{
	if (ns >= 100 * MS)
		snprintf(buf, FORMAT_MAX, "%.1f", (double)ns / (double)MS);
	else
		put_number(buf, (double)ns / (double)MS);
	drop_zeros(buf);
}

char *format_limit(char *buf, u64 quota, u64 period) { return format_limit_burst(buf, quota, period, 0); }

char *format_limit_burst(char *buf, u64 quota, u64 period, u64 burst)
{
	char q[FORMAT_MAX], p[FORMAT_MAX], b[FORMAT_MAX];

	if (quota == UINT64_MAX || !period)
		return strcpy(buf, "no limit");
	put_set(q, quota);
	put_set(p, period);
	put_set(b, burst);
	snprintf(buf, FORMAT_MAX, "%.12s/%.12s%s%.12s ms (%.0fm)", q, p, burst ? "+" : "", burst ? b : "", 1000.0 * (double)quota / (double)period);
	return buf;
}

char *format_count(char *buf, u64 n)
{
	char plain[FORMAT_MAX];
	int i, len = snprintf(plain, sizeof(plain), "%" PRIu64, n);
	char *out = buf;

	if (len < 6)
		return strcpy(buf, plain);
	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ' ';
		*out++ = plain[i];
	}
	*out = '\0';
	return buf;
}
