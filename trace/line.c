/* SPDX-License-Identifier: MIT */
/* line.c - takes a line apart without copying it. */
#include "trace/line.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(const char **p, const char *end)
{
	while (*p < end && is_blank(**p))
		++*p;
}

bool read_number(const char **p, const char *end, u64 *value)
{
	const char *at = *p;
	u64 v = 0;

	while (at < end && is_digit(*at) && at - *p < 19)
		v = v * 10 + (u64)(*at++ - '0');
	if (at == *p || (at < end && is_digit(*at)))
		return false;
	*p = at;
	*value = v;
	return true;
}

bool read_word(const char **p, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *p) < len || memcmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

const char *find_word(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	while ((size_t)(end - p) >= len) {
		const char *at = memchr(p, word[0], (size_t)(end - p) - len + 1);

		if (!at)
			return NULL;
		if (!memcmp(at, word, len))
			return at;
		p = at + 1;
	}
	return NULL;
}

void trim(struct text_span *span)
{
	while (span->len && is_blank(*span->s))
		span->s++, span->len--;
	while (span->len && is_blank(span->s[span->len - 1]))
		span->len--;
}

bool cut_number(struct text_span *span, u64 *value)
{
	size_t at = span->len;
	const char *p;

	while (at && is_digit(span->s[at - 1]))
		at--;
	p = span->s + at;
	if (!read_number(&p, span->s + span->len, value))
		return false;
	span->len = at;
	return true;
}

bool span_is(const struct text_span *span, const char *word)
{
	return span->len == strlen(word) && !memcmp(span->s, word, span->len);
}

/* "2211.596706:" or with 1 to 9 digits behind the point; a clock without a point counts no time. */
static bool read_time(const char **p, const char *end, struct trace_line *line)
{
	const char *at = *p;
	u64 sec, frac = 0, unit = SEC;

	if (!read_number(&at, end, &sec))
		return false;
	line->timeless = at < end && *at == ':';
	if (!line->timeless) {
		if (at == end || *at++ != '.' || sec > NEVER / SEC / 2)
			return false;
		for (; at < end && is_digit(*at); at++) {
			if (unit == 1)
				return false;
			unit /= 10;
			frac += (u64)(*at - '0') * unit;
		}
		if (unit == SEC || at == end || *at != ':')
			return false;
	}
	line->time = line->timeless ? sec : sec * SEC + frac;
	*p = at + 1;
	return true;
}

/* irqs-off, need-resched, hardirq/softirq, preempt depth, migrate-disable: the third says who interrupts. */
static bool read_flags(const char **p, const char *end, struct trace_line *line)
{
	const char *at = *p;

	while (at < end && !is_blank(*at))
		at++;
	if (at - *p < 3 || at - *p > 8)
		return false;
	line->context = TRACE_CONTEXT_KNOWN;
	switch ((*p)[2]) {
	case 'h': case 'H': case 'Z': case 'z':
		line->context |= TRACE_IN_HARDIRQ;
		break;
	case 's':
		line->context |= TRACE_IN_SOFTIRQ;
		break;
	default:
		break;
	}
	*p = at;
	return true;
}

/* The event's own name, without its subsystem; perf may put a count before it. */
static bool read_name(const char **p, const char *end, struct trace_line *line)
{
	const char *from, *colon = NULL, *at;
	u64 count;

	skip_blanks(p, end);
	from = *p;
	if (read_number(p, end, &count) && *p < end && is_blank(**p))
		skip_blanks(p, end);
	else
		*p = from;
	from = *p;
	for (at = from; at < end && !is_blank(*at); at++) {
		if (*at == ':' && at + 1 < end && !is_blank(at[1]))
			from = at + 1;
		else if (*at == ':')
			colon = at;
	}
	if (!colon && at != end)
		return false;
	line->name = (struct text_span){ from, (size_t)((colon ? colon : at) - from) };
	skip_blanks(&at, end);
	line->args = (struct text_span){ at, (size_t)(end - at) };
	return line->name.len > 0;
}

/* [@p, @end) stands right of "[digits]": does the rest look like an event? */
static bool read_right(const char *p, const char *end, struct trace_line *line)
{
	line->context = 0;
	if (p == end || !is_blank(*p))
		return false;
	skip_blanks(&p, end);
	if (p < end && !read_time(&p, end, line)) {
		if (!read_flags(&p, end, line))
			return false;
		skip_blanks(&p, end);
		if (!read_time(&p, end, line))
			return false;
	}
	return read_name(&p, end, line);
}

bool line_split(const char *s, const char *end, struct trace_line *line, struct text_span *before)
{
	const char *open = s;
	u64 cpu;

	while ((open = memchr(open, '[', (size_t)(end - open)))) {
		const char *p = ++open;

		if (read_number(&p, end, &cpu) && cpu < TRACE_CPUS_MAX && p < end && *p == ']' &&
		    read_right(p + 1, end, line)) {
			line->cpu = (u16)cpu;
			*before = (struct text_span){ s, (size_t)(open - 1 - s) };
			trim(before);
			return true;
		}
	}
	return false;
}
