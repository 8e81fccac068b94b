/* SPDX-License-Identifier: MIT */
/*
 * csv.c - series as CSV, in the two shapes people export them in.
 *
 *	name,pod,container,timestamp,value	long: a column "value", and the metric's name in "name", "metric" or "__name__";
 *						every other column is a label
 *	Time,"metric{pod=""a""}",...		wide: a column per series, the first is the time
 *
 * Times are s or ms since 1970 (ms from 1e11 on), or as 2026-11-30T12:00:00Z or 2026-11-30 12:00:00.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/series.h"
#include "text/number.h"

#define COLUMNS_MOST 4096
#define LABELS_MOST 4096

struct csv {
	char **head;	/* unquoted */
	u32 nr;
	int name, time, value; /* columns, -1: none */
};

/* One cell, unquoted into @buf (which has room for the line); *@p moves behind the comma. */
static size_t cell(const char **p, const char *end, char *buf)
{
	const char *s = *p;
	size_t n = 0;

	if (s < end && *s == '"') {
		for (s++; s < end; s++) {
			if (*s != '"')
				buf[n++] = *s;
			else if (s + 1 < end && s[1] == '"')
				buf[n++] = *s++;
			else
				break;
		}
		while (s < end && *s != ',')
			s++;
	} else {
		while (s < end && *s != ',')
			buf[n++] = *s++;
	}
	*p = s < end ? s + 1 : s;
	buf[n] = '\0';
	return n;
}

/* The end of the line at @s: a line feed outside of quotes. */
static const char *line_end(const char *s, const char *end)
{
	bool quoted = false;

	for (; s < end && (quoted || *s != '\n'); s++)
		if (*s == '"')
			quoted = !quoted;
	return s;
}

static bool is_one_of(const char *s, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(s, *names))
			return true;
	return false;
}

/* Days since 1970-01-01 of a date of the common calendar. */
static s64 days_of(int y, int m, int d)
{
	s64 era_year = m <= 2 ? y - 1 : y;
	s64 shifted = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;

	return era_year * 365 + era_year / 4 - era_year / 100 + era_year / 400 + shifted - 719468;
}

static double time_of(const char *s)
{
	int y, mo, d, h, mi;
	double sec, v;
	char sep;

	if (sscanf(s, "%4d-%2d-%2d%c%2d:%2d:%lf", &y, &mo, &d, &sep, &h, &mi, &sec) == 7 && mo >= 1 && mo <= 12)
		return (double)(days_of(y, mo, d) * 86400 + h * 3600 + mi * 60) + sec;
	if (!*s || num_span(s, strlen(s)) != strlen(s))
		return -1;
	v = strtod(s, NULL);
	return v > 1e11 ? v / 1000 : v;
}

static int read_head(struct csv *c, const char *name, const char *s, const char *end, char *buf, struct err *err)
{
	static const char *const names[] = { "name", "metric", "__name__", "Metric", "Name", NULL };
	static const char *const times[] = { "timestamp", "time", "Time", "ts", "Timestamp", NULL };
	static const char *const values[] = { "value", "Value", NULL };

	c->head = calloc(COLUMNS_MOST, sizeof(*c->head));
	if (!c->head)
		return err_set(err, ERR_HOST, "out of memory");
	c->name = c->time = c->value = -1;
	for (const char *p = s; p < end && c->nr < COLUMNS_MOST; c->nr++) {
		cell(&p, end, buf);
		c->head[c->nr] = strdup(buf);
		if (!c->head[c->nr])
			return err_set(err, ERR_HOST, "out of memory");
		if (c->name < 0 && is_one_of(buf, names))
			c->name = (int)c->nr;
		else if (c->time < 0 && is_one_of(buf, times))
			c->time = (int)c->nr;
		else if (c->value < 0 && is_one_of(buf, values))
			c->value = (int)c->nr;
	}
	if (c->value >= 0 && c->name < 0) {
		err_at(err, name, 1, 1, NULL, "there is a column \"value\", but none \"name\" that says of which metric");
		err_hint(err, "name,namespace,pod,container,timestamp,value");
		return -1;
	}
	return 0;
}

/* Labels of a line of the long shape, as Prometheus writes them. */
static void add_label(char *labels, size_t *len, const char *key, const char *value)
{
	int n;

	if (!*value || *len >= LABELS_MOST)
		return;
	n = snprintf(labels + *len, LABELS_MOST - *len, "%s%s=\"%s\"", *len ? "," : "", key, value);
	*len += n > 0 && (size_t)n < LABELS_MOST - *len ? (size_t)n : 0;
}

static bool long_line(struct series_set *set, const struct csv *c, const char *s, const char *end, char *buf)
{
	char labels[LABELS_MOST] = "", metric[256] = "", value[64] = "";
	size_t len = 0;
	double time = -1;
	u32 i = 0;

	for (const char *p = s; p < end && i < c->nr; i++) {
		cell(&p, end, buf);
		if ((int)i == c->name)
			snprintf(metric, sizeof(metric), "%s", buf);
		else if ((int)i == c->value)
			snprintf(value, sizeof(value), "%.63s", buf);
		else if ((int)i == c->time)
			time = time_of(buf);
		else
			add_label(labels, &len, c->head[i], buf);
	}
	labels[len] = '\0';
	return series_add(set, metric, strlen(metric), labels, len, time, value, strlen(value));
}

static bool wide_line(struct series_set *set, const struct csv *c, const char *s, const char *end, char *buf)
{
	double time = -1;
	u32 i = 0;

	for (const char *p = s; p < end && i < c->nr; i++) {
		size_t n = cell(&p, end, buf), metric = strcspn(c->head[i], "{");
		const char *labels = c->head[i] + metric;
		size_t len = strlen(labels);

		if (i == (u32)(c->time < 0 ? 0 : c->time)) {
			time = time_of(buf);
			continue;
		}
		if (!n)
			continue; /* no sample at this time */
		if (len >= 2 && labels[len - 1] == '}') {
			labels++;
			len -= 2;
		}
		if (!series_add(set, c->head[i], metric, labels, len, time, buf, n))
			return false;
	}
	return true;
}

static int read_lines(struct series_set *set, struct csv *c, const char *name, const char *text, size_t len, char *buf, struct err *err)
{
	const char *s = text, *end = text + len;

	for (int line = 1; s < end; line++) {
		const char *nl = line_end(s, end), *stop = nl;

		while (stop > s && (stop[-1] == '\r' || stop[-1] == ' '))
			stop--;
		if (line == 1) {
			if (read_head(c, name, s, stop, buf, err))
				return -1;
		} else if (stop > s && !(c->value >= 0 ? long_line(set, c, s, stop, buf) : wide_line(set, c, s, stop, buf))) {
			return err_set(err, ERR_HOST, "out of memory");
		}
		s = nl + 1;
	}
	return 0;
}

int csv_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err)
{
	struct csv c = { 0 };
	char *buf = malloc(len + 1);
	int ret = buf ? read_lines(set, &c, name, text, len, buf, err) : err_set(err, ERR_HOST, "out of memory");

	for (u32 i = 0; c.head && i < c.nr; i++)
		free(c.head[i]);
	free(c.head);
	free(buf);
	return ret;
}
