/* SPDX-License-Identifier: MIT */
/*
 * prometheus.c - text exposition: NAME{LABEL="VALUE",...} NUMBER [MILLISECONDS]
 *
 * Lines of other metrics are passed over unread, but a line that could be a sample and is none is an error: half a file says nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "metrics/series.h"
#include "text/number.h"

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *word_end(const char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	return p;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

/* The closing brace of the labels that begin at @p; NULL where there is none. */
static const char *labels_end(const char *p, const char *end)
{
	bool quoted = false;

	for (; p < end; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (*p == '}' && !quoted)
			return p;
	}
	return NULL;
}

/* Milliseconds in whole numbers; OpenMetrics writes seconds with a point.  Below 0: none. */
static double time_of(const char *p, const char *end)
{
	char text[64];
	size_t len = (size_t)(end - p);

	if (!len || len >= sizeof(text) || num_span(p, len) != len)
		return -1;
	memcpy(text, p, len);
	text[len] = '\0';
	return memchr(text, '.', len) ? strtod(text, NULL) : strtod(text, NULL) / 1000;
}

static int bad(const char *name, int line, const char *start, const char *at, const char *expected, struct err *err)
{
	err_at(err, name, line, (int)(at - start) + 1, NULL, "expected %s", expected);
	err_hint(err, "a sample is NAME{LABEL=\"VALUE\"} NUMBER [MILLISECONDS]; a CSV file begins with a line of column names");
	return -1;
}

static int take_line(struct series_set *set, const char *name, int line, const char *s, const char *end, struct err *err)
{
	const char *p = s, *metric = s, *labels, *closing, *value, *value_end;
	size_t metric_len;

	while (p < end && is_name(*p))
		p++;
	metric_len = (size_t)(p - metric);
	if (!metric_len)
		return bad(name, line, s, p, "a metric's name", err);
	labels = p;
	closing = p;
	if (p < end && *p == '{') {
		labels = p + 1;
		closing = labels_end(labels, end);
		if (!closing)
			return bad(name, line, s, end, "the \"}\" that ends the labels", err);
		p = closing + 1;
	}
	value = skip_blanks(p, end);
	value_end = word_end(value, end);
	if (value == value_end)
		return bad(name, line, s, value, "a number behind the name", err);
	p = skip_blanks(value_end, end);
	if (!series_knows(metric, metric_len)) {
		set->passed_over++;
		return 0;
	}
	if (!num_span(value, (size_t)(value_end - value)) && !memchr("NI+-", *value, 4))
		return bad(name, line, s, value, "a number", err);
	if (!series_add(set, metric, metric_len, labels, (size_t)(closing - labels), time_of(p, word_end(p, end)), value, (size_t)(value_end - value)))
		return err_set(err, ERR_HOST, "out of memory");
	return 0;
}

int prometheus_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err)
{
	const char *s = text, *end = text + len;

	for (int line = 1; s < end; line++) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *stop = nl ? nl : end, *first = skip_blanks(s, stop);

		while (stop > first && (stop[-1] == '\r' || stop[-1] == ' '))
			stop--;
		if (first < stop && *first != '#' && take_line(set, name, line, first, stop, err))
			return -1;
		s = (nl ? nl : end) + 1;
	}
	return 0;
}
