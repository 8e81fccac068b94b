/* SPDX-License-Identifier: MIT */
/* test_trace.c - the readers of text traces: every spelling, every kind of damage. */
#include "tests/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/digest.h"
#include "trace/cpu_stat.h"
#include "trace/read.h"
#include "trace/tick_guess.h"
#include "trace/timeline.h"

#define OWN "tests/data/own/"

static void read_text(struct trace *tr, const char *text)
{
	struct trace_reader r;

	trace_init(tr);
	trace_reader_init(&r, tr);
	trace_reader_feed(&r, text, strlen(text));
	trace_reader_end(&r);
}

static s32 pid_of(const struct trace *tr, u32 task) { return tr->tasks[task].pid; }

static u32 task_named(struct trace *tr, s32 pid) { return trace_task_of(tr, pid); }

/* One switch, spelt as each tool spells it: the same event every time. */
TEST(trace, six_spellings_of_a_switch)
{
	static const struct {
		const char *name, *line;
		enum trace_left left;
	} rows[] = {
		{ "kernel", "            burn-69      [001] d..2.  2211.579197: sched_switch: prev_comm=burn prev_pid=69 prev_prio=120 "
			    "prev_state=R+ ==> next_comm=web next_pid=42 next_prio=120\n", TRACE_LEFT_PREEMPTED },
		{ "old Android", "            burn-69    [001] 2211.579197: sched_switch: prev_comm=burn prev_pid=69 prev_prio=120 prev_state=R "
				 "==> next_comm=web next_pid=42 next_prio=120\\n\\\n", TRACE_LEFT_RUNNABLE },
		{ "tgid column", "            burn-69   (   60) [001] d..2  2211.579197: sched_switch: prev_comm=burn prev_pid=69 prev_prio=120 "
				 "prev_state=S ==> next_comm=web next_pid=42 next_prio=120\n", TRACE_LEFT_SLEEP },
		{ "trace-cmd", "            burn-69    [001]  2211.579197: sched_switch:         burn:69 [120] D ==> web:42 [120]\n",
		  TRACE_LEFT_DISK },
		{ "trace-cmd raw", "            burn-69    [001]  2211.579197: sched_switch:          prev_comm=burn prev_pid=69 prev_prio=120 "
				   "prev_state=1024 next_comm=web next_pid=42 next_prio=120\n", TRACE_LEFT_PREEMPTED },
		{ "perf", "            burn    69 [001]  2211.579197:       sched:sched_switch: prev_comm=burn prev_pid=69 prev_prio=120 prev_state=X "
			  "==> next_comm=web next_pid=42 next_prio=120\n", TRACE_LEFT_DEAD },
		{ "perf pid/tid", "            burn    60/69 [001]  2211.579197:     1    sched:sched_switch: prev_comm=burn prev_pid=69 prev_prio=120 "
				  "prev_state=256 ==> next_comm=web next_pid=42 next_prio=120\n", TRACE_LEFT_PREEMPTED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct trace tr;

		read_text(&tr, rows[i].line);
		CHECK_ROW(tr.nr, 1, rows[i].name);
		CHECK_ROW(tr.type[0], EVENT_SCHED_SWITCH, rows[i].name);
		CHECK_ROW(tr.time[0], 2211 * SEC + 579197 * US, rows[i].name);
		CHECK_ROW(tr.cpu[0], 1, rows[i].name);
		CHECK_ROW(pid_of(&tr, tr.other[0]), 69, rows[i].name);
		CHECK_ROW(pid_of(&tr, tr.task[0]), 42, rows[i].name);
		CHECK_ROW(tr.flags[0] & TRACE_LEFT_MASK, rows[i].left, rows[i].name);
		CHECK_STR(tr.tasks[tr.task[0]].name, "web");
		CHECK_ROW(tr.counts.unknown_lines + tr.counts.bad_events, 0, rows[i].name);
		trace_fini(&tr);
	}
}

/* Three spellings of a wakeup; only a column of flags tells who interrupts. */
TEST(trace, wakeups_and_their_context)
{
	static const struct {
		const char *line;
		u32 context;
	} rows[] = {
		{ " other-7 [000] dNh4. 10.000001: sched_waking: comm=web pid=42 prio=120 target_cpu=003\n",
		  TRACE_CONTEXT_KNOWN | TRACE_IN_HARDIRQ },
		{ " other-7 [000] d.s2. 10.000001: sched_wakeup: comm=web pid=42 prio=120 success=1 target_cpu=003\n",
		  TRACE_CONTEXT_KNOWN | TRACE_IN_SOFTIRQ },
		{ " other-7 [000] d..2 10.000001: sched_wakeup_new: comm=web pid=42 prio=120 target_cpu=003\n", TRACE_CONTEXT_KNOWN },
		{ " other-7 [000] 10.000001: sched_wakeup: web:42 [120] success=1 CPU:003\n", 0 },
		{ " other 7 [000] 10.000001: sched:sched_waking: comm=web pid=42 prio=120 target_cpu=003\n", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct trace tr;

		read_text(&tr, rows[i].line);
		CHECK_ROW(tr.nr, 1, rows[i].line);
		CHECK_ROW(pid_of(&tr, tr.task[0]), 42, rows[i].line);
		CHECK_ROW(pid_of(&tr, tr.other[0]), 7, rows[i].line);
		CHECK_ROW(tr.where[0], 3, rows[i].line);
		CHECK_ROW(tr.flags[0], rows[i].context, rows[i].line);
		trace_fini(&tr);
	}
}

/* Names may hold whatever the columns are made of. */
TEST(trace, awkward_names)
{
	static const struct {
		const char *line, *prev;
	} rows[] = {
		{ " Web Content-69 [001] d..2. 1.5: sched_switch: prev_comm=Web Content prev_pid=69 prev_prio=120 prev_state=S ==> next_comm=a "
		  "next_pid=42 next_prio=120\n", "Web Content" },
		{ " kworker/u8:1-ev-69 [001] d..2. 1.5: sched_switch: prev_comm=kworker/u8:1-ev prev_pid=69 prev_prio=120 prev_state=S ==> "
		  "next_comm=a next_pid=42 next_prio=120\n", "kworker/u8:1-ev" },
		{ " x [002] 1-69 [001] d..2. 1.5: sched_switch: prev_comm=x [002] 1 prev_pid=69 prev_prio=120 prev_state=S ==> next_comm=a "
		  "next_pid=42 next_prio=120\n", "x [002] 1" },
		{ " a prev_pid=x-69 [001] d..2. 1.5: sched_switch: prev_comm=a prev_pid=x prev_pid=69 prev_prio=120 prev_state=S ==> next_comm=a "
		  "next_pid=42 next_prio=120\n", "a prev_pid=x" },
		{ " memfd:x: 69 [001] 1.5: sched:sched_switch: prev_comm=memfd:x: prev_pid=69 prev_prio=120 prev_state=S ==> next_comm=a "
		  "next_pid=42 next_prio=120\n", "memfd:x:" },
		{ " x-69 [001] 1.5: sched_switch: a:b [1]:69 [120] S ==> a:42 [120]\n", "a:b [1]" },
		{ " <...>-69 [001] d..2. 1.5: sched_switch: prev_comm=\x1b[31mred prev_pid=69 prev_prio=120 prev_state=S ==> next_comm=a "
		  "next_pid=42 next_prio=120\n", "\x1b[31mred" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct trace tr;

		read_text(&tr, rows[i].line);
		CHECK_ROW(tr.nr, 1, rows[i].prev);
		CHECK_ROW(pid_of(&tr, tr.other[0]), 69, rows[i].prev);
		CHECK_STR(tr.tasks[tr.other[0]].name, rows[i].prev);
		trace_fini(&tr);
	}
}

/* What cannot be used is counted: lost events, damaged ones, strange lines, a line that is cut off. */
TEST(trace, what_is_lost_is_counted)
{
	struct trace tr;

	read_text(&tr, "# tracer: nop\n"
		       "# entries-in-buffer/entries-written: 721/1000   #P:8\n"
		       " a-69 [001] d..2. 1.5: sched_switch: prev_comm=a prev_pid=69 prev_prio=120 prev_state=S ==> next_comm=b next_pid=4\n"
		       "CPU:3 [LOST 4711 EVENTS]\n"
		       " a-69 [001] d..2. 1.6: cpu_idle: state=1 cpu_id=1\n"
		       " a-69 [001] d..2. 1.7: sched_waking: [FAILED TO PARSE] comm=ARRAY[00, 01]\n"
		       "what is this\n"
		       " a-69 [001] d..2. 1.8: sched_process_exit: comm=a pid=69 prio=120\n"
		       " a-69 [001] d..2. 1.9: sched_switch: prev_comm=a prev_p");
	CHECK_EQ(tr.cpus, 8);
	CHECK_EQ(tr.counts.lost, 279 + 4711);
	CHECK_EQ(tr.counts.lost_marks, 1);
	CHECK_EQ(tr.counts.other_events, 1);
	CHECK_EQ(tr.counts.bad_events, 2);
	CHECK_EQ(tr.counts.unknown_lines, 1);
	CHECK_EQ(tr.counts.half_lines, 1);
	CHECK_EQ(tr.counts.events, 1);
	CHECK_EQ(tr.nr, 2); /* the mark of lost events is kept in its place */
	CHECK_EQ(tr.type[0], TRACE_LOST);
	trace_fini(&tr);
}

/* Lines of several CPUs may come in any order; those of one moment stay as they came. */
TEST(trace, records_are_sorted_by_time)
{
	struct trace tr;

	read_text(&tr, " a-1 [000] d..2. 3.0: sched_process_exit: comm=a pid=1 prio=120\n"
		       " b-2 [001] d..2. 1.0: sched_process_exit: comm=b pid=2 prio=120\n"
		       " c-3 [000] d..2. 2.0: sched_process_exit: comm=c pid=3 prio=120\n"
		       " d-4 [000] d..2. 2.0: sched_process_exit: comm=d pid=4 prio=120\n");
	CHECK_EQ(tr.counts.backwards, 1);
	CHECK_EQ(pid_of(&tr, tr.task[0]), 2);
	CHECK_EQ(pid_of(&tr, tr.task[1]), 3);
	CHECK_EQ(pid_of(&tr, tr.task[2]), 4);
	CHECK_EQ(pid_of(&tr, tr.task[3]), 1);
	trace_fini(&tr);
}

/* A CPU whose own clock is set back is counted; another order of CPUs is not. */
TEST(trace, a_clock_that_is_set_back_is_counted)
{
	struct trace tr;

	read_text(&tr, " a-1 [000] d..2. 3.0: sched_process_exit: comm=a pid=1 prio=120\n"
		       " b-2 [001] d..2. 1.0: sched_process_exit: comm=b pid=2 prio=120\n"
		       " c-3 [000] d..2. 2.0: sched_process_exit: comm=c pid=3 prio=120\n");
	CHECK_EQ(tr.counts.jumps_back, 1);
	CHECK_EQ(tr.counts.backwards, 1);
	trace_fini(&tr);
}

/* One line with a time far away from all others' is damage, and does not make a day of a second. */
TEST(trace, a_wild_time_is_dropped)
{
	struct trace_reader r;
	struct trace tr;
	char line[128];

	trace_init(&tr);
	trace_reader_init(&r, &tr);
	for (int i = 0; i < 200; i++) {
		int len = snprintf(line, sizeof(line), " a-1 [000] d..2. %s.%06d: sched_process_exit: comm=a pid=1 prio=120\n",
				   i == 100 ? "92211" : "2211", i);

		trace_reader_feed(&r, line, (size_t)len);
	}
	trace_reader_end(&r);
	CHECK_EQ(tr.counts.wild_times, 1);
	CHECK_EQ(tr.nr, 199);
	CHECK_EQ(trace_last(&tr), 2211 * SEC + 199 * US);
	trace_fini(&tr);
}

/* A clock without a point counts cycles; that is said, not read as seconds. */
TEST(trace, a_clock_of_cycles_is_refused)
{
	struct trace tr;

	read_text(&tr, " a-1 [000] d..2. 3141592653: sched_process_exit: comm=a pid=1 prio=120\n");
	CHECK_EQ(tr.counts.no_time, 1);
	CHECK_EQ(tr.nr, 0);
	trace_fini(&tr);
}

/* ---- whole files ---- */

static u64 digest_of(const struct trace *tr)
{
	u64 d = DIGEST_INIT;

	for (u64 i = 0; i < tr->nr; i++) {
		d = digest_u64(d, tr->time[i]);
		d = digest_u64(d, (u64)tr->task[i] << 32 | tr->other[i]);
		d = digest_u64(d, (u64)tr->cpu[i] << 32 | (u64)tr->where[i] << 16 | (u64)tr->type[i] << 8 | tr->flags[i]);
	}
	return d;
}

static char *load(const char *path, size_t *len)
{
	FILE *in = fopen(path, "rb");
	char *text = malloc(1 << 20);

	assert_non_null(in);
	assert_non_null(text);
	*len = fread(text, 1, 1 << 20, in);
	fclose(in);
	return text;
}

/* However a file is cut into pieces, the records are the same. */
TEST(trace, pieces_make_no_difference)
{
	static const size_t pieces[] = { 1, 37, 4096, 1 << 20 };
	u64 first = 0;
	size_t len;
	char *text = load(OWN "own_burn5_q25.ftrace.txt", &len);

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct trace_reader r;
		struct trace tr;

		trace_init(&tr);
		trace_reader_init(&r, &tr);
		for (size_t at = 0; at < len; at += pieces[i])
			trace_reader_feed(&r, text + at, len - at < pieces[i] ? len - at : pieces[i]);
		trace_reader_end(&r);
		CHECK_EQ(tr.counts.events, 721);
		CHECK_EQ(tr.counts.lines, 733);
		first = first ? first : digest_of(&tr);
		CHECK(digest_of(&tr) == first);
		trace_fini(&tr);
	}
	free(text);
}

/* What our own recordings hold. */
TEST(trace, own_recordings)
{
	static const struct {
		const char *path, *format;
		u64 events;
		u32 tasks;
		bool context;
	} rows[] = {
		{ OWN "own_burn5_q25.ftrace.txt", "ftrace text", 721, 45, true },
		{ OWN "own_hog_q25.ftrace.txt", "ftrace text", 117, 11, true },
		{ OWN "own_2busy_pin_q50.ftrace.txt", "ftrace text", 334, 21, true },
		{ OWN "own_burn5_q25.perf-script.txt", "perf script text", 3196, 193, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tick_guess ticks;
		struct err err = { 0 };
		struct trace tr;

		trace_init(&tr);
		CHECK_ROW(trace_read_file(&tr, rows[i].path, &err), 0, rows[i].path);
		CHECK_STR(tr.format, rows[i].format);
		CHECK_ROW(tr.counts.events, rows[i].events, rows[i].path);
		CHECK_ROW(tr.nr_tasks, rows[i].tasks, rows[i].path);
		CHECK_ROW(tr.saw_context, rows[i].context, rows[i].path);
		CHECK_ROW(tr.cpus, 2, rows[i].path);
		CHECK_ROW(ticks_infer(&ticks, &tr), 0, rows[i].path);
		CHECK_ROW(ticks.hz, 250, rows[i].path);
		trace_fini(&tr);
	}
}

/* A file that is no text trace gets one clear line. */
TEST(trace, refusals)
{
	struct err err = { 0 };
	struct trace tr;

	trace_init(&tr);
	CHECK_EQ(trace_read_file(&tr, OWN "own_hog_q25.cpu.stat", &err), -1);
	CHECK_EQ(err.code, ERR_INPUT);
	CHECK(strstr(err.message, "counters of a cgroup, and no trace") != NULL);
	CHECK(err.hint[0] != '\0');
	trace_fini(&tr);

	err = (struct err){ 0 };
	trace_init(&tr);
	CHECK_EQ(trace_read_file(&tr, OWN "no-such-file", &err), -1);
	CHECK(strstr(err.message, "cannot be read") != NULL);
	trace_fini(&tr);
}

/* ---- timelines ---- */

static const struct span *span_of(const struct timeline *tl, u32 task, u64 i)
{
	const struct span *first, *end;

	timeline_task(tl, task, &first, &end);
	return first + i < end ? first + i : NULL;
}

/* Woken, run, preempted, run, asleep: the spans touch. */
TEST(timeline, states_of_a_thread)
{
	static const struct {
		enum span_state state;
		u64 ms;
	} rows[] = { { SPAN_READY, 1 }, { SPAN_RUNNING, 4 }, { SPAN_READY, 2 }, { SPAN_RUNNING, 3 }, { SPAN_BLOCKED, 10 } };
	struct timeline tl;
	struct trace tr;

	read_text(&tr,
		  " x-9 [000] d.h2. 1.000: sched_waking: comm=w pid=5 prio=120 target_cpu=000\n"
		  " x-9 [000] d..2. 1.001: sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=R ==> next_comm=w next_pid=5 next_prio=120\n"
		  " w-5 [000] d..2. 1.005: sched_switch: prev_comm=w prev_pid=5 prev_prio=120 prev_state=R+ ==> next_comm=x next_pid=9 next_prio=120\n"
		  " x-9 [000] d..2. 1.007: sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=R ==> next_comm=w next_pid=5 next_prio=120\n"
		  " w-5 [000] d..2. 1.010: sched_switch: prev_comm=w prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=x next_pid=9 next_prio=120\n"
		  " x-9 [000] d..2. 1.020: sched_process_exit: comm=x pid=9 prio=120\n");
	CHECK_EQ(timeline_init(&tl, &tr), 0);
	for (u64 i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct span *s = span_of(&tl, task_named(&tr, 5), i);

		assert_non_null(s);
		CHECK_EQ(s->state, rows[i].state);
		CHECK_EQ(span_len(s), rows[i].ms * MS);
	}
	CHECK_EQ(timeline_ran(&tl, task_named(&tr, 5), 0, NEVER), 7 * MS);
	CHECK_EQ(timeline_ran(&tl, task_named(&tr, 5), SEC + 3 * MS, SEC + 8 * MS), 3 * MS);
	CHECK_EQ(tl.loose_starts, 1); /* x ran before its first line */
	timeline_fini(&tl);
	trace_fini(&tr);
}

/* A switch in is missing.  Pushed aside by a thread just woken, it is back soon; else it runs only from where it is seen. */
TEST(timeline, missing_switches)
{
	struct timeline tl;
	struct trace tr;
	const struct span *s;

	read_text(&tr,
		  " x-9 [000] d..2. 1.000: sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=w next_pid=5 next_prio=120\n"
		  " w-5 [000] d.h2. 1.002: sched_waking: comm=k pid=3 prio=120 target_cpu=000\n"
		  " w-5 [000] d..2. 1.002: sched_switch: prev_comm=w prev_pid=5 prev_prio=120 prev_state=R ==> next_comm=k next_pid=3 next_prio=120\n"
		  " w-5 [000] d..2. 1.008: sched_switch: prev_comm=w prev_pid=5 prev_prio=120 prev_state=R ==> next_comm=x next_pid=9 next_prio=120\n"
		  " w-5 [000] d..2. 1.020: sched_switch: prev_comm=w prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=x next_pid=9 next_prio=120\n");
	CHECK_EQ(timeline_init(&tl, &tr), 0);
	s = span_of(&tl, task_named(&tr, 5), 2); /* run, ready without length, run */
	CHECK_EQ(s->state, SPAN_RUNNING);
	CHECK_EQ(span_len(s), 6 * MS);
	CHECK(s->flags & SPAN_LOOSE);
	CHECK_EQ(s->slack, 6 * MS);
	s = span_of(&tl, task_named(&tr, 5), 4);
	CHECK_EQ(s->state, SPAN_RUNNING);
	CHECK_EQ(span_len(s), 0);
	CHECK_EQ(s->slack, 12 * MS);
	timeline_settle(&tl, (u64)(s - tl.spans), SEC + 15 * MS);
	CHECK_EQ(span_len(s), 5 * MS);
	timeline_fini(&tl);
	trace_fini(&tr);
}

/*
 * The idle task's switches are missing, as on machines whose tracer does not tell them, but the kernel charges whoever runs.  The first charge
 * counts from the switch in: w is stopped from 1.000 to 1.0965 (charged 3.5 ms at 1.100), seen to wake k at 1.098, and runs until 1.105.
 * A charge that another CPU makes it pay (y's wakeup, on CPU 1) says the same of v, woken at 1.200 and running since 1.2005.
 * z is seen to wake k at 1.302 and charged 7.5 ms at 1.310, as an interrupt took 0.7: it ran at 1.302 all the same.
 */
TEST(timeline, a_charge_says_when_it_began)
{
	static const struct {
		s32 pid;
		u64 span, start_us, end_us;
		enum span_state state;
	} rows[] = {
		{ 5, 1, 1000000, 1096500, SPAN_READY },
		{ 5, 2, 1096500, 1105000, SPAN_RUNNING },
		{ 6, 0, 1200000, 1200500, SPAN_READY },
		{ 6, 1, 1200500, 1210000, SPAN_RUNNING },
		{ 8, 0, 1300000, 1302000, SPAN_READY },
		{ 8, 1, 1302000, 1310000, SPAN_RUNNING },
	};
	struct timeline tl;
	struct trace tr;

	read_text(&tr,
		  " x-9 [000] d..2. 0.990: sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=w next_pid=5 next_prio=120\n"
		  " w-5 [000] d..2. 1.000: sched_switch: prev_comm=w prev_pid=5 prev_prio=120 prev_state=R ==> next_comm=swapper/0 next_pid=0 next_prio=120\n"
		  " w-5 [000] d.h2. 1.098: sched_waking: comm=k pid=3 prio=120 target_cpu=001\n"
		  " w-5 [000] d.h2. 1.100: sched_stat_runtime: comm=w pid=5 runtime=3500000 [ns]\n"
		  " w-5 [000] d.h2. 1.104: sched_stat_runtime: comm=w pid=5 runtime=4000000 [ns]\n"
		  " w-5 [000] d..2. 1.105: sched_switch: prev_comm=w prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n"
		  " <idle>-0 [000] d.h2. 1.200: sched_waking: comm=v pid=6 prio=120 target_cpu=000\n"
		  " y-7 [001] d..2. 1.206: sched_stat_runtime: comm=v pid=6 runtime=5500000 [ns]\n"
		  " v-6 [000] d..2. 1.210: sched_stat_runtime: comm=v pid=6 runtime=4000000 [ns]\n"
		  " v-6 [000] d..2. 1.210: sched_switch: prev_comm=v prev_pid=6 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n"
		  " <idle>-0 [000] d.h2. 1.300: sched_waking: comm=z pid=8 prio=120 target_cpu=000\n"
		  " z-8 [000] d.h2. 1.302: sched_waking: comm=k pid=3 prio=120 target_cpu=001\n"
		  " z-8 [000] d..2. 1.310: sched_stat_runtime: comm=z pid=8 runtime=7500000 [ns]\n"
		  " z-8 [000] d..2. 1.310: sched_switch: prev_comm=z prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n");
	CHECK_EQ(timeline_init(&tl, &tr), 0);
	for (u64 i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct span *s = span_of(&tl, task_named(&tr, rows[i].pid), rows[i].span);

		assert_non_null(s);
		CHECK_EQ(s->state, rows[i].state);
		CHECK_EQ(s->start, rows[i].start_us * US);
		CHECK_EQ(s->end, rows[i].end_us * US);
		CHECK(!(s->flags & SPAN_LOOSE));
	}
	timeline_fini(&tl);
	trace_fini(&tr);
}

/* ---- cpu.stat ---- */

TEST(cpu_stat, both_versions_and_what_cannot_be)
{
	static const char v1[] = "nr_periods 22\nnr_throttled 20\nthrottled_time 413255043\n", v2[] =
		"usage_usec 519000\nuser_usec 1\nnr_periods 22\nnr_throttled 20\nthrottled_usec 413255\n",
		wrong[] = "nr_periods 1\nnr_throttled 4\n", other[] = "hello world\n";
	struct cpu_stat st;
	struct err err = { 0 };

	CHECK_EQ(cpu_stat_parse(&st, "s", v1, sizeof(v1) - 1, &err), 0);
	CHECK_EQ(st.nr_throttled, 20);
	CHECK_EQ(st.throttled_time, 413255043);
	CHECK_EQ(cpu_stat_parse(&st, "s", v2, sizeof(v2) - 1, &err), 0);
	CHECK_EQ(st.usage, 519 * MS);
	CHECK_EQ(st.throttled_time, 413255 * US);
	CHECK_EQ(cpu_stat_parse(&st, "s", wrong, sizeof(wrong) - 1, &err), -1);
	CHECK(strstr(err.message, "4 of 1") != NULL);
	err = (struct err){ 0 };
	CHECK_EQ(cpu_stat_parse(&st, "s", other, sizeof(other) - 1, &err), -1);
	CHECK_EQ(err.line, 1);
}

/* Text that people take for a trace, each with what to do instead. */
TEST(trace, what_is_no_trace)
{
	static const struct { const char *text, *what, *hint; } rows[] = {
		{ "           time    cpu  task name                       wait time  sch delay   run time\n", "perf sched timehist", "perf script --ns" },
		{ "# tracer: \nCGROUP DUMP\n#subsys_name\thierarchy\n", "who is in which cgroup", "--cgroups FILE" },
		{ "     usecs               : count     distribution\n", "a histogram", "trace-cmd record" },
		{ "buffers {\n  size_kb: 20480\n}\n", "configuration of Perfetto", "perfetto --txt" },
		{ "nr_periods 5\nnr_throttled 3\n", "counters of a cgroup", "fairground explain" },
		{ "container_cpu_cfs_periods_total{a=\"b\"} 5\n", "counters of containers", "fairground explain" },
		{ "{ \"tasks\": { } }\n", "a scenario", "fairground run" },
		{ "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n", "pressure", "cpu.stat" },
		{ "apiVersion: v1\nkind: Pod\n", "Kubernetes manifest", "--limits-from FILE" },
		{ "services:\n  web:\n    image: nginx\n", "compose file", "--limit" },
		{ "[Service]\nCPUQuota=50%\n", "systemd unit", "--limits-from FILE" },
		{ "CONTAINER ID   NAME   CPU %   MEM\n", "docker stats", "cpu.stat" },
		{ "NAME   CPU(cores)   MEMORY(bytes)\n", "kubectl top", "cpu.stat" },
		{ "top - 1:00 up 1 day, load average: 1\n%Cpu(s): 5 us\n", "printed by top", "cpu.stat" },
		{ "\xff\xfeh\0i\0", "UTF-16", "iconv" },
		{ "a text about nr_periods and nr_throttled\n", "no trace in a known format", "trace-cmd record" }, /* no counter stands in it */
		{ "hello\n", "no trace in a known format", "trace-cmd record" },
	};
	char path[] = "/tmp/test_trace_XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		struct trace tr;

		CHECK(!ftruncate(fd, 0) && pwrite(fd, rows[i].text, strlen(rows[i].text), 0) > 0);
		trace_init(&tr);
		CHECK_ROW(trace_read_file(&tr, path, &err), -1, rows[i].text);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		CHECK_STR(err.file, path);
		if (!strstr(err.message, rows[i].what) || !strstr(err.hint, rows[i].hint))
			fail_msg("%s: \"%s\", hint \"%s\"", rows[i].text, err.message, err.hint);
		trace_fini(&tr);
	}
	close(fd);
	unlink(path);
}

TEST_MAIN("trace")
