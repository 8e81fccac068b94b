/* SPDX-License-Identifier: MIT */
/* sched_text.c - one small reader for each event, found in a table. */
#include "trace/marks.h"
#include "trace/sched_text.h"

#include <string.h>

#include "trace/event_format.h"
#include "trace/facts.h"

/* A task as an event prints it. */
struct who {
	struct text_span comm;
	u64 pid, prio;
	bool has_prio;
};

/*
 * "comm=NAME pid=N" behind the given keys.  The name may hold blanks and equal signs, so it ends where the pid's key with
 * a number behind it begins.
 */
static bool read_who(const char **p, const char *end, const char *comm_key, const char *pid_key, struct who *who)
{
	const char *at = *p, *name, *stop;

	if (!read_word(&at, end, comm_key))
		return false;
	name = stop = at;
	while ((stop = find_word(stop, end, pid_key))) {
		at = stop + strlen(pid_key);
		if (read_number(&at, end, &who->pid) && who->pid <= INT32_MAX) {
			who->comm = (struct text_span){ name, (size_t)(stop - name) };
			*p = at;
			return true;
		}
		stop++;
	}
	return false;
}

static bool read_prio(const char **p, const char *end, const char *key, struct who *who)
{
	const char *at = *p;
	bool minus;

	if (!read_word(&at, end, key))
		return false;
	minus = read_word(&at, end, "-");
	if (!read_number(&at, end, &who->prio))
		return false;
	who->has_prio = !minus; /* deadline tasks have -1 */
	*p = at;
	return true;
}

/* trace-cmd's "NAME:PID [PRIO]", read from its end, where nothing can be mistaken. */
static bool cut_who(struct text_span *s, struct who *who)
{
	trim(s);
	if (!s->len || s->s[s->len - 1] != ']')
		return false;
	s->len--;
	if (!cut_number(s, &who->prio) || !s->len || (s->s[s->len - 1] != '[' && s->s[s->len - 1] != '-'))
		return false;
	who->has_prio = s->s[s->len - 1] == '[';
	s->len -= who->has_prio ? 1 : 2;
	trim(s);
	if (!cut_number(s, &who->pid) || who->pid > INT32_MAX || !s->len || s->s[s->len - 1] != ':')
		return false;
	s->len--;
	who->comm = *s;
	return true;
}

/* The task table's entry for @who. */
static u32 task_of(struct trace *tr, const struct who *who)
{
	u32 task = trace_task_of(tr, (s32)who->pid);

	trace_task_name(tr, task, who->comm.s, who->comm.len);
	if (task < tr->nr_tasks && task != TRACE_IDLE && who->has_prio)
		tr->tasks[task].prio = (s16)min_u64(who->prio, INT16_MAX);
	return task;
}

static bool read_left(const struct text_span *state, enum trace_left *left)
{
	const char *p = state->s, *end = state->s + state->len;
	u64 bits;

	if (!state->len)
		return false;
	if (read_number(&p, end, &bits)) {
		*left = left_by_bits(bits);
		return p == end;
	}
	switch (*state->s) {
	case 'R':
		*left = state->s[state->len - 1] == '+' ? TRACE_LEFT_PREEMPTED : TRACE_LEFT_RUNNABLE;
		return true;
	case 'D':
		*left = TRACE_LEFT_DISK;
		return true;
	case 'X': case 'Z': case 'x': case 'z':
		*left = TRACE_LEFT_DEAD;
		return true;
	case 'S': case 'I': case 'T': case 't': case 'K': case 'W': case 'P': case 'N': case 'p': case '|':
		*left = TRACE_LEFT_SLEEP;
		return true;
	default:
		return false;
	}
}

/* ---- one reader for each event: fills task, other, flags of @rec ---- */

static bool kernel_switch(const char *p, const char *end, struct who *prev, struct who *next, struct text_span *state)
{
	if (!read_who(&p, end, "prev_comm=", " prev_pid=", prev) || !read_prio(&p, end, " prev_prio=", prev) ||
	    !read_word(&p, end, " prev_state="))
		return false;
	state->s = p;
	while (p < end && *p != ' ')
		p++;
	state->len = (size_t)(p - state->s);
	skip_blanks(&p, end);
	if (read_word(&p, end, "==>"))
		skip_blanks(&p, end);
	return read_who(&p, end, "next_comm=", " next_pid=", next) && read_prio(&p, end, " next_prio=", next);
}

static bool report_switch(const char *p, const char *end, struct who *prev, struct who *next, struct text_span *state)
{
	const char *arrow = find_word(p, end, " ==> ");
	struct text_span left, right;
	size_t at;

	if (!arrow)
		return false;
	left = (struct text_span){ p, (size_t)(arrow - p) };
	right = (struct text_span){ arrow + 5, (size_t)(end - arrow - 5) };
	trim(&left);
	for (at = left.len; at && left.s[at - 1] != ' ';)
		at--;
	*state = (struct text_span){ left.s + at, left.len - at };
	left.len = at;
	return cut_who(&left, prev) && cut_who(&right, next);
}

static bool read_switch(struct trace *tr, const struct trace_line *line, struct trace_record *rec)
{
	const char *p = line->args.s, *end = p + line->args.len;
	struct who prev = { 0 }, next = { 0 };
	struct text_span state = { 0 };
	enum trace_left left;

	if (!kernel_switch(p, end, &prev, &next, &state) && !report_switch(p, end, &prev, &next, &state))
		return false;
	if (!read_left(&state, &left))
		return false;
	rec->other = task_of(tr, &prev);
	rec->task = task_of(tr, &next);
	rec->flags = (u8)left;
	return true;
}

/* The number behind @key as a CPU. */
static u16 read_cpu(const char *p, const char *end, const char *key)
{
	const char *at = find_word(p, end, key);
	u64 cpu;

	if (!at)
		return TRACE_NOWHERE;
	at += strlen(key);
	return read_number(&at, end, &cpu) && cpu < TRACE_CPUS_MAX ? (u16)cpu : TRACE_NOWHERE;
}

/* sched_waking, sched_wakeup, sched_wakeup_new; with success=0 (before 4.3) nobody woke. */
static bool read_wakeup(struct trace *tr, const struct trace_line *line, struct trace_record *rec)
{
	const char *p = line->args.s, *end = p + line->args.len, *tail;
	struct who who = { 0 };

	if (read_who(&p, end, "comm=", " pid=", &who)) {
		if (!read_prio(&p, end, " prio=", &who))
			return false;
	} else {
		struct text_span s = { p, (size_t)(end - p) };

		for (tail = end; tail > p && tail[-1] != ']';)
			tail--;
		s.len = (size_t)(tail - p);
		if (!cut_who(&s, &who))
			return false;
		p = tail;
	}
	if (find_word(p, end, "success=0"))
		rec->type = NR_EVENT_TYPES + 1;
	rec->where = read_cpu(p, end, "target_cpu=");
	if (rec->where == TRACE_NOWHERE)
		rec->where = read_cpu(p, end, "CPU:");
	rec->task = task_of(tr, &who);
	return true;
}

static bool read_migrate(struct trace *tr, const struct trace_line *line, struct trace_record *rec)
{
	const char *p = line->args.s, *end = p + line->args.len;
	struct who who = { 0 };

	if (!read_who(&p, end, "comm=", " pid=", &who) || !read_prio(&p, end, " prio=", &who))
		return false;
	rec->where = read_cpu(p, end, "dest_cpu=");
	rec->task = task_of(tr, &who);
	return true;
}

static bool read_fork(struct trace *tr, const struct trace_line *line, struct trace_record *rec)
{
	const char *p = line->args.s, *end = p + line->args.len;
	struct who parent = { 0 }, child = { 0 };

	if (!read_who(&p, end, "comm=", " pid=", &parent) && !read_who(&p, end, "parent_comm=", " parent_pid=", &parent))
		return false;
	skip_blanks(&p, end);
	if (!read_who(&p, end, "child_comm=", " child_pid=", &child))
		return false;
	rec->other = task_of(tr, &parent);
	rec->task = task_of(tr, &child);
	if (rec->task < tr->nr_tasks && rec->task != rec->other && rec->task != TRACE_IDLE)
		tr->tasks[rec->task].parent = rec->other;
	return true;
}

static bool read_exit(struct trace *tr, const struct trace_line *line, struct trace_record *rec)
{
	const char *p = line->args.s, *end = p + line->args.len;
	struct who who = { 0 };

	if (!read_who(&p, end, "comm=", " pid=", &who))
		return false;
	rec->task = rec->other = task_of(tr, &who);
	if (rec->task < tr->nr_tasks && rec->task != TRACE_IDLE)
		tr->tasks[rec->task].exited = true;
	return true;
}

static bool read_runtime(struct trace *tr, const struct trace_line *line, struct trace_record *rec)
{
	const char *p = line->args.s, *end = p + line->args.len;
	struct who who = { 0 };
	u64 ns;

	if (!read_who(&p, end, "comm=", " pid=", &who) || !read_word(&p, end, " runtime=") ||
	    !read_number(&p, end, &ns))
		return false;
	rec->task = task_of(tr, &who);
	rec->flags = rec->task == rec->other ? TRACE_CHARGED_HERE : 0;
	rec->other = (u32)min_u64(ns, UINT32_MAX);
	return true;
}

/* The task whose line it is executes a new program; its name is in the next line that prints it. */
static bool read_exec(struct trace *tr, const struct trace_line *line, struct trace_record *rec)
{
	rec->task = rec->other = trace_task_of(tr, line->pid);
	return true;
}

static const struct reader {
	const char *name;
	enum event_type type;
	bool (*read)(struct trace *tr, const struct trace_line *line, struct trace_record *rec);
} readers[] = {
	{ "sched_switch", EVENT_SCHED_SWITCH, read_switch },
	{ "sched_waking", EVENT_SCHED_WAKING, read_wakeup },
	{ "sched_wakeup", EVENT_SCHED_WAKEUP, read_wakeup },
	{ "sched_wakeup_new", EVENT_SCHED_WAKEUP_NEW, read_wakeup },
	{ "sched_migrate_task", EVENT_SCHED_MIGRATE_TASK, read_migrate },
	{ "sched_process_fork", EVENT_SCHED_PROCESS_FORK, read_fork },
	{ "sched_process_exit", EVENT_SCHED_PROCESS_EXIT, read_exit },
	{ "sched_process_exec", EVENT_SCHED_PROCESS_EXEC, read_exec },
	{ "sched_stat_runtime", EVENT_SCHED_STAT_RUNTIME, read_runtime },
};

/* The task the line belongs to: who ran on the CPU. */
static u32 current_of(struct trace *tr, const struct trace_line *line)
{
	u32 task = trace_task_of(tr, line->pid);

	if (task >= tr->nr_tasks)
		return task;
	if (!tr->tasks[task].name[0])
		trace_task_name(tr, task, line->comm.s, line->comm.len);
	if (line->tgid && task != TRACE_IDLE)
		tr->tasks[task].tgid = line->tgid;
	return task;
}

enum sched_text sched_text_add(struct trace *tr, const struct trace_line *line)
{
	struct trace_record rec = { .time = line->time, .cpu = line->cpu, .where = TRACE_NOWHERE,
				    .flags = line->context };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(readers); i++)
		if (span_is(&line->name, readers[i].name))
			break;
	if (i == ARRAY_SIZE(readers)) {
		if (span_is(&line->name, "tracing_mark_write") || span_is(&line->name, "print") || span_is(&line->name, "0")) {
			trace_mark(tr, line->args.s, line->args.len);
			if (trace_wants_mark(tr, line->args.s, line->args.len))
				trace_request_mark(tr, line->time, current_of(tr, line), line->args.s, line->args.len);
		}
		trace_count_name(tr, line->name.s, line->name.len, 1);
		return SCHED_TEXT_OTHER;
	}
	rec.type = (u8)readers[i].type;
	rec.other = current_of(tr, line);
	if (!readers[i].read(tr, line, &rec))
		return SCHED_TEXT_BAD;
	if (rec.task == TRACE_NO_TASK || (rec.other == TRACE_NO_TASK && rec.type != EVENT_SCHED_STAT_RUNTIME))
		return SCHED_TEXT_BAD; /* memory is out: said at the end */
	if (line->context)
		tr->saw_context = true;
	if (rec.type <= TRACE_LOST)
		trace_add(tr, &rec);
	return SCHED_TEXT_READ;
}
