/* SPDX-License-Identifier: MIT */
/* perf_text.c - the left column and the headings of perf script's text. */
#include "trace/perf_text.h"

#include <string.h>

bool perf_who(const struct text_span *before, struct trace_line *line)
{
	struct text_span who = *before;
	u64 pid, tid;
	bool both;

	if (!cut_number(&who, &tid))
		return false;
	both = who.len && who.s[who.len - 1] == '/';
	if (both) {
		who.len--;
		if (!cut_number(&who, &pid))
			return false;
	} else {
		pid = 0;
	}
	if (who.len && who.s[who.len - 1] == '-' && tid == 1 && !both) {
		tid = 0; /* "-1": a task that is gone */
		who.len--;
	}
	if (tid > INT32_MAX || pid > INT32_MAX || !who.len || (who.s[who.len - 1] != ' ' && who.s[who.len - 1] != '\t'))
		return false;
	trim(&who);
	line->pid = (s32)tid;
	line->tgid = (s32)pid;
	line->comm = who;
	return true;
}

/* "# key : value" of perf's header. */
static bool header_value(const char *s, const char *end, const char *key, struct text_span *value)
{
	const char *p = s;

	if (!read_word(&p, end, "# ") || !read_word(&p, end, key))
		return false;
	skip_blanks(&p, end);
	if (!read_word(&p, end, ":"))
		return false;
	*value = (struct text_span){ p, (size_t)(end - p) };
	trim(value);
	return true;
}

bool perf_notice(struct trace *tr, const char *s, const char *end)
{
	struct text_span value;
	const char *p;
	u64 n;

	if (header_value(s, end, "os release", &value)) {
		size_t len = value.len < sizeof(tr->kernel) ? value.len : sizeof(tr->kernel) - 1;

		memcpy(tr->kernel, value.s, len);
		tr->kernel[len] = '\0';
		return true;
	}
	if (header_value(s, end, "nrcpus online", &value) && cut_number(&value, &n)) {
		if (n <= TRACE_CPUS_MAX && (int)n > tr->cpus)
			tr->cpus = (int)n;
		return true;
	}
	p = find_word(s, end, "PERF_RECORD_LOST");
	if (!p || !(p = find_word(p, end, "lost ")))
		return false;
	p += sizeof("lost ") - 1;
	if (read_number(&p, end, &n)) {
		tr->counts.lost += n;
		tr->counts.lost_marks++;
	}
	return true;
}
