/* SPDX-License-Identifier: MIT */
/*
 * promtool.c - the series of a test of Prometheus' rules, as `promtool test rules` reads them.
 *
 *	tests:
 *	- interval: 1m
 *	  input_series:
 *	  - series: 'container_cpu_cfs_periods_total{pod="web-1",container="web"}'
 *	    values: '0+100x20 _ 5 stale'
 *
 * Only these four keys are looked at, line by line; alerts and what is expected of them are passed over.  The tests of a file follow each
 * other in time: a counter that begins anew in the next one was reset.
 */
#include <stdio.h>
#include <string.h>

#include "metrics/series.h"
#include "text/number.h"

#define VALUES_MOST 1000000 /* of one series */

struct reading {
	struct series_set *set;
	const char *name;
	int line;
	const char *bol;      /* of the line at hand */
	struct err *err;
	double base, step;    /* s: where this test begins; between two values */
	u64 longest;	      /* values of a series of this test */
	const char *metric, *labels; /* of the series whose values come next; NULL: of none that is known */
	size_t metric_len, labels_len;
};

static int refuse(struct reading *r, const char *at, const char *expected)
{
	err_at(r->err, r->name, r->line, (int)(at - r->bol) + 1, NULL, "expected %s", expected);
	err_hint(r->err, "this file is read as a test of Prometheus' rules, for its input_series");
	return -1;
}

bool is_promtool(const char *text, size_t len)
{
	static const char word[] = "input_series:";

	for (const char *p = text, *end = text + len; (p = memchr(p, 'i', (size_t)(end - p))); p++)
		if ((size_t)(end - p) >= sizeof(word) - 1 && !memcmp(p, word, sizeof(word) - 1))
			return true;
	return false;
}

/* What stands behind @key in the line, without quotes; NULL where the line has another key.  A dash in front begins a list's element. */
static const char *value_of(const char *p, const char *end, const char *key, size_t *len)
{
	size_t n = strlen(key);
	char quote;

	while (p < end && (*p == ' ' || *p == '-'))
		p++;
	if ((size_t)(end - p) <= n || memcmp(p, key, n) || p[n] != ':')
		return NULL;
	for (p += n + 1; p < end && *p == ' '; p++)
		;
	while (end > p && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	quote = p < end && (*p == '\'' || *p == '"') ? *p : 0;
	if (quote && end - p >= 2 && end[-1] == quote) {
		p++;
		end--;
	}
	*len = (size_t)(end - p);
	return p;
}

/* "1m", "30s", "1m30s". */
static bool seconds_of(const char *p, size_t len, double *out)
{
	static const struct { const char *unit; u64 ms; } units[] = { { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 } };
	const char *end = p + len;
	u64 sum = 0, ms;

	while (p < end) {
		size_t n = num_span(p, (size_t)(end - p)), i, w;

		for (w = 0; p + n + w < end && p[n + w] >= 'a' && p[n + w] <= 'z'; w++)
			;
		for (i = 0; i < ARRAY_SIZE(units) && (strlen(units[i].unit) != w || strncmp(units[i].unit, p + n, w)); i++)
			;
		if (!n || i == ARRAY_SIZE(units) || num_scaled(p, n, units[i].ms, 86400000000, &ms) != NUM_OK)
			return false;
		sum += ms;
		p += n + w;
	}
	*out = (double)sum / 1000;
	return sum > 0;
}

static bool add_value(struct reading *r, u64 at, double value)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "%.6f", value);

	return series_add(r->set, r->metric, r->metric_len, r->labels, r->labels_len, r->base + (double)at * r->step, text, (size_t)len);
}

/* A number of the notation, maybe with a sign, from @p on; returns what stands behind, or NULL. */
static const char *number(const char *p, const char *end, double *out)
{
	bool minus = p < end && *p == '-';
	size_t n;
	u64 v;

	p += minus || (p < end && *p == '+');
	n = num_span(p, (size_t)(end - p));
	if (!n || num_scaled(p, n, 1000000, UINT64_MAX / 4, &v) != NUM_OK)
		return NULL;
	*out = (double)v / 1000000 * (minus ? -1 : 1);
	return p + n;
}

/* How many more of the same: "x20" at @p; 0 where there is none.  NULL: no number. */
static const char *times(const char *p, const char *end, u64 *out)
{
	size_t n;

	*out = 0;
	if (p == end || *p != 'x')
		return p;
	n = num_span(p + 1, (size_t)(end - p - 1));
	return n && num_whole_u64(p + 1, n, VALUES_MOST, out) == NUM_OK ? p + 1 + n : NULL;
}

/* One word: "5", "0+30x20", "7x3", "_", "_x5", "stale". */
static int take_word(struct reading *r, const char *p, const char *end, u64 *at)
{
	const char *from = p;
	double value, by = 0;
	u64 more;

	if (*p == '_' || (end - p == 5 && !memcmp(p, "stale", 5))) {
		p = *p == '_' ? times(p + 1, end, &more) : end;
		if (p != end)
			return refuse(r, from, "_ or _x5 for missing values");
		*at += *from == '_' && more ? more : 1;
		return 0;
	}
	p = number(p, end, &value);
	if (p && p < end && (*p == '+' || *p == '-'))
		p = number(p, end, &by);
	p = p ? times(p, end, &more) : NULL;
	if (p != end || *at + more > VALUES_MOST)
		return refuse(r, from, "values such as 5, 0+30x20, 7x3 or _");
	for (u64 k = 0; k <= more; k++)
		if (!add_value(r, (*at)++, value + (double)k * by))
			return err_set(r->err, ERR_HOST, "out of memory for the series of %s", r->name);
	return 0;
}

static int take_values(struct reading *r, const char *p, size_t len)
{
	const char *end = p + len, *word;
	u64 at = 0;

	while (r->metric && p < end) {
		for (; p < end && *p == ' '; p++)
			;
		for (word = p; p < end && *p != ' '; p++)
			;
		if (p > word && take_word(r, word, p, &at))
			return -1;
	}
	r->longest = at > r->longest ? at : r->longest;
	r->metric = NULL;
	return 0;
}

/* NAME{LABELS}; those of other names are passed over. */
static int take_series(struct reading *r, const char *p, size_t len)
{
	const char *brace = memchr(p, '{', len);
	size_t name_len = brace ? (size_t)(brace - p) : len;

	r->metric = NULL;
	if (!len || (brace && p[len - 1] != '}'))
		return refuse(r, p, "a series such as container_cpu_cfs_periods_total{pod=\"web-1\",container=\"web\"}");
	if (!series_knows(p, name_len)) {
		r->set->passed_over++;
		return 0;
	}
	r->metric = p;
	r->metric_len = name_len;
	r->labels = brace ? brace + 1 : p + len;
	r->labels_len = brace ? len - name_len - 2 : 0;
	return 0;
}

static int take_line(struct reading *r, const char *p, const char *end)
{
	const char *value;
	size_t len;

	if ((value = value_of(p, end, "interval", &len))) {
		r->base += (double)(r->longest + 1) * r->step;
		r->longest = 0;
		return seconds_of(value, len, &r->step) ? 0 : refuse(r, value, "an interval such as 1m or 30s");
	}
	if ((value = value_of(p, end, "series", &len)))
		return take_series(r, value, len);
	if ((value = value_of(p, end, "values", &len)))
		return take_values(r, value, len);
	return 0;
}

int promtool_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err)
{
	struct reading r = { .set = set, .name = name, .err = err, .step = 60 };
	const char *end = text + len, *nl;

	for (r.bol = text; r.bol < end; r.bol = nl + 1) {
		nl = memchr(r.bol, '\n', (size_t)(end - r.bol));
		nl = nl ? nl : end;
		r.line++;
		if (take_line(&r, r.bol, nl))
			return -1;
		if (nl == end)
			break;
	}
	return 0;
}
