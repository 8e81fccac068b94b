/* SPDX-License-Identifier: MIT */
/* ftrace_text.c - the left column and the headings of ftrace and trace-cmd text. */
#include "trace/ftrace_text.h"

/* "(  598)" or "(-----)" at the end of @who goes to @tgid and is cut off. */
static bool cut_tgid(struct text_span *who, s32 *tgid)
{
	struct text_span inner = *who;
	u64 value = 0;
	size_t at = who->len;

	*tgid = 0;
	if (!who->len || who->s[who->len - 1] != ')')
		return true;
	while (at && who->s[at - 1] != '(')
		at--;
	if (!at)
		return false;
	inner = (struct text_span){ who->s + at, who->len - at - 1 };
	trim(&inner);
	if (cut_number(&inner, &value) && !inner.len && value <= INT32_MAX)
		*tgid = (s32)value;
	who->len = at - 1;
	trim(who);
	return true;
}

bool ftrace_who(const struct text_span *before, struct trace_line *line)
{
	struct text_span who = *before;
	u64 pid;

	if (!cut_tgid(&who, &line->tgid) || !cut_number(&who, &pid) || pid > INT32_MAX || !who.len ||
	    who.s[who.len - 1] != '-')
		return false;
	who.len--;
	line->pid = (s32)pid;
	line->comm = who;
	return true;
}

/* A recorder lost @n events on @cpu, between the last event and the next. */
static void lost_here(struct trace *tr, u64 cpu, u64 n)
{
	struct trace_record rec = { .time = trace_last(tr), .other = (u32)min_u64(n, UINT32_MAX), .cpu = (u16)cpu,
				    .where = TRACE_NOWHERE, .type = TRACE_LOST };

	tr->counts.lost += n;
	tr->counts.lost_marks++;
	if (cpu < TRACE_CPUS_MAX)
		trace_add(tr, &rec);
}

/* "CPU:1 [LOST 4711 EVENTS]", also "CPU:1 [EVENTS DROPPED]", where no number is known. */
static bool lost_notice(struct trace *tr, const char *s, const char *end)
{
	u64 cpu, n;

	skip_blanks(&s, end);
	if (!read_word(&s, end, "CPU:") || !read_number(&s, end, &cpu))
		return false;
	skip_blanks(&s, end);
	if (read_word(&s, end, "[EVENTS DROPPED"))
		n = 1;
	else if (!read_word(&s, end, "[LOST ") || !read_number(&s, end, &n))
		return false;
	lost_here(tr, cpu, n);
	return true;
}

/* "# entries-in-buffer/entries-written: 721/721   #P:2" */
static bool entries_notice(struct trace *tr, const char *s, const char *end)
{
	const char *p = find_word(s, end, "entries-written:");
	u64 kept, written, cpus;

	if (!p)
		return false;
	p += sizeof("entries-written:") - 1;
	skip_blanks(&p, end);
	if (!read_number(&p, end, &kept) || !read_word(&p, end, "/") || !read_number(&p, end, &written))
		return false;
	if (written > kept)
		tr->counts.lost += written - kept;
	p = find_word(p, end, "#P:");
	if (p && (p += 3, read_number(&p, end, &cpus)) && cpus <= TRACE_CPUS_MAX && (int)cpus > tr->cpus)
		tr->cpus = (int)cpus;
	return true;
}

/* "cpus=6", "version = 6", "CPU 3 is empty": trace-cmd report's first lines. */
static bool report_notice(struct trace *tr, const char *s, const char *end)
{
	const char *p = s;
	u64 n;

	if (read_word(&p, end, "cpus=") && read_number(&p, end, &n)) {
		if (n <= TRACE_CPUS_MAX && (int)n > tr->cpus)
			tr->cpus = (int)n;
		return true;
	}
	return read_word(&p, end, "version = ") || (read_word(&p, end, "CPU ") && find_word(p, end, " is empty"));
}

bool ftrace_notice(struct trace *tr, const char *s, const char *end)
{
	return lost_notice(tr, s, end) || report_notice(tr, s, end) ||
	       (s < end && *s == '#' && entries_notice(tr, s, end));
}
