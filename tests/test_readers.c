/* SPDX-License-Identifier: MIT */
/* test_readers.c - binary recordings: the same events from every format, and no damage that breaks a reader. */
#include "tests/test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "tests/tiny.h"
#include "trace/event_format.h"
#include "trace/group_pick.h"
#include "trace/read.h"
#include "trace/ring.h"

/* ---- the same events ---- */

struct expected {
	u64 us;
	u32 cpu;
	u8 type;
	s32 task, other;
	u32 flags; /* for switches how the previous task left, else the context */
	u32 where;
};

static const struct expected moments[] = {
	{ 0, 0, EVENT_SCHED_SWITCH, 100, 0, TRACE_LEFT_RUNNABLE, TRACE_NOWHERE },
	{ 50, 0, EVENT_SCHED_WAKING, 200, 100, TRACE_CONTEXT_KNOWN, 1 },
	{ 70, 1, EVENT_SCHED_SWITCH, 200, 0, TRACE_LEFT_RUNNABLE, TRACE_NOWHERE },
	{ 300, 0, EVENT_SCHED_PROCESS_FORK, 101, 100, TRACE_CONTEXT_KNOWN, TRACE_NOWHERE },
	{ 310, 0, EVENT_SCHED_WAKEUP_NEW, 101, 100, TRACE_CONTEXT_KNOWN, 0 },
	{ 250000, 1, EVENT_SCHED_SWITCH, 0, 200, TRACE_LEFT_PREEMPTED, TRACE_NOWHERE },
	{ 250020, 1, EVENT_SCHED_WAKING, 200, 0, TRACE_CONTEXT_KNOWN | TRACE_IN_HARDIRQ, 1 },
	{ 300000, 0, EVENT_SCHED_SWITCH, 0, 100, TRACE_LEFT_SLEEP, TRACE_NOWHERE },
	{ 300010, 0, EVENT_SCHED_PROCESS_EXIT, 101, 101, TRACE_CONTEXT_KNOWN, TRACE_NOWHERE },
};

static void read_tiny(struct trace *tr, enum tiny_kind kind)
{
	struct tiny t = tiny_recording(kind);
	struct err err = { 0 };

	trace_init(tr);
	if (trace_read_bytes(tr, t.p, t.len, tiny_names[kind], &err))
		print_error("%s: %s\n", tiny_names[kind], err.message);
	CHECK_ROW(err.code, 0, tiny_names[kind]);
	free(t.p);
}

static const struct trace_task *task_with(struct trace *tr, s32 pid)
{
	u32 task = trace_task_find(tr, pid);

	CHECK(task != TRACE_NO_TASK);
	return &tr->tasks[task];
}

TEST(readers, every_format_gives_the_same_events)
{
	for (int kind = TINY_DAT_6; kind <= TINY_PERFETTO; kind++) {
		const char *name = tiny_names[kind];
		struct trace tr;

		read_tiny(&tr, (enum tiny_kind)kind);
		CHECK_ROW(tr.nr, ARRAY_SIZE(moments), name);
		for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
			const struct expected *e = &moments[i];

			CHECK_ROW(tr.time[i], TINY_START + e->us * US, name);
			CHECK_ROW(tr.cpu[i], e->cpu, name);
			CHECK_ROW(tr.type[i], e->type, name);
			CHECK_ROW(tr.tasks[tr.task[i]].pid, e->task, name);
			CHECK_ROW(tr.tasks[tr.other[i]].pid, e->other, name);
			CHECK_ROW(tr.where[i], e->where, name);
			if (e->type == EVENT_SCHED_SWITCH || kind != TINY_PERFETTO || e->type == EVENT_SCHED_WAKING)
				CHECK_ROW(tr.flags[i], e->flags, name);
		}
		CHECK_ROW(tr.counts.bad_events + tr.counts.half_lines + tr.counts.lost + tr.counts.unknown_lines + tr.counts.jumps_back, 0, name);
		CHECK_ROW(tr.counts.other_events > 0, 1, name);
		CHECK_STR(task_with(&tr, 100)->name, "web");
		CHECK_STR(task_with(&tr, 200)->name, "db");
		CHECK_ROW(tr.tasks[task_with(&tr, 101)->parent].pid, 100, name);
		CHECK_ROW(task_with(&tr, 101)->exited, 1, name);
		CHECK_STR(tr.kernel, "6.1.0-18-amd64");
		CHECK_STR(tr.clock, kind == TINY_PERFETTO ? "boot" : "mono");
		trace_fini(&tr);
	}
}

/* What a file says beside the events: cgroups of attach events, of samples; processes. */
TEST(readers, who_belongs_where)
{
	struct trace tr;

	read_tiny(&tr, TINY_DAT_6);
	CHECK(groups_known(&tr));
	CHECK_STR(tr.groups[task_with(&tr, 100)->group - 1], "/web.slice");
	CHECK_STR(tr.groups[task_with(&tr, 101)->group - 1], "/web.slice"); /* its parent's */
	CHECK_EQ(task_with(&tr, 200)->group, 0);
	trace_fini(&tr);

	read_tiny(&tr, TINY_PERF);
	CHECK_STR(tr.groups[task_with(&tr, 200)->group - 1], "/db.slice");
	CHECK_EQ(task_with(&tr, 100)->tgid, 100);
	trace_fini(&tr);

	read_tiny(&tr, TINY_PERFETTO);
	CHECK_EQ(task_with(&tr, 100)->tgid, 90);
	trace_fini(&tr);
}

/* perf tells of lost events when it notices, and of all of them at the end: they are the same, and each is a hole in its CPU's history. */
TEST(readers, losses_of_perf_count_once)
{
	struct trace tr;
	u64 holes = 0;

	read_tiny(&tr, TINY_PERF_LOST);
	CHECK_EQ(tr.counts.lost, 7);
	CHECK_EQ(tr.counts.lost_marks, 2);
	for (u64 i = 0; i < tr.nr; i++) {
		if (tr.type[i] != TRACE_LOST)
			continue;
		CHECK_EQ(tr.time[i], TINY_START + 260 * MS);
		CHECK_EQ(tr.other[i], tr.cpu[i] ? 3 : 4);
		holes++;
	}
	CHECK_EQ(holes, 2);
	trace_fini(&tr);
}

#ifdef FAIRGROUND_ZSTD
/* Of what perf record -z writes a piece may be damaged: what comes out before it is kept, and the rest is counted. */
TEST(readers, packed_perf_data_that_is_damaged)
{
	struct tiny t = tiny_recording(TINY_PERF_PACKED);
	struct err err = { 0 };
	struct trace tr;
	u64 data, len;

	memcpy(&data, t.p + 40, sizeof(data));
	memcpy(&len, t.p + 48, sizeof(len));
	memset(t.p + data + len - len / 8, 0xff, 8);
	trace_init(&tr);
	CHECK_EQ(trace_read_bytes(&tr, t.p, t.len, "packed", &err), 0);
	CHECK(tr.nr > 0 && tr.nr < ARRAY_SIZE(moments));
	CHECK(tr.counts.half_lines > 0);
	trace_fini(&tr);
	free(t.p);
}
#else
/* Without the library it is said what is missing, and what to do. */
TEST(readers, packed_perf_data_is_refused)
{
	struct err err = { 0 };
	struct trace tr;

	trace_init(&tr);
	CHECK_EQ(trace_read_any(&tr, "fuzz/corpus/fuzz_recording/perf-packed", &err), -1);
	CHECK(strstr(err.message, "this build cannot unpack") && strstr(err.hint, "perf script"));
	trace_fini(&tr);
}
#endif

/* The columns of compact_sched: the task that leaves is the one that came before it. */
TEST(readers, compact_switches_chain)
{
	struct trace tr;

	read_tiny(&tr, TINY_COMPACT);
	CHECK_EQ(tr.nr, 3);
	CHECK_EQ(tr.counts.jumps_back, 0);
	CHECK_EQ(tr.type[0], EVENT_SCHED_WAKING);
	CHECK_EQ(tr.time[0], TINY_START + 50 * US);
	CHECK_EQ(tr.tasks[tr.other[0]].pid, 100);
	CHECK_EQ(tr.tasks[tr.task[1]].pid, 200);
	CHECK_EQ(tr.tasks[tr.other[1]].pid, 100);
	CHECK_EQ(tr.flags[1], TRACE_LEFT_SLEEP);
	CHECK_EQ(tr.time[2], TINY_START + 200 * US);
	CHECK_EQ(tr.flags[2], TRACE_LEFT_PREEMPTED);
	trace_fini(&tr);
}

/* "TRACE:" and zlib behind it, in pieces that end anywhere. */
TEST(readers, atrace_packed_by_zlib)
{
	struct tiny t = tiny_recording(TINY_ATRACE);

	for (size_t piece = 1; piece < 50; piece += 7) {
		struct trace_reader r;
		struct trace tr;

		trace_init(&tr);
		trace_reader_init(&r, &tr);
		for (size_t at = 0; at < t.len; at += piece)
			trace_reader_feed(&r, (const char *)t.p + at, t.len - at < piece ? t.len - at : piece);
		trace_reader_end(&r);
		CHECK_EQ(tr.nr, 2);
		CHECK_EQ(tr.counts.half_lines, 0);
		CHECK_EQ(task_with(&tr, 100)->tgid, 90);
		trace_fini(&tr);
	}
	free(t.p);
}

/* ---- pages ---- */

/* An absolute time replaces what was summed up; a page says how many events went missing before it. */
TEST(readers, ring_pages_tell_absolute_times_and_losses)
{
	struct event_formats fs;
	struct ring ring;
	struct trace tr;
	struct tiny page = { 0 }, event = { 0 };
	static const char one[] = "name: sched_switch\nID: 301\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
				  "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";

	event_formats_init(&fs);
	CHECK(event_format_add(&fs, one, sizeof(one) - 1));
	ring_init(&ring);
	trace_init(&tr);
	tiny_switch(&event, 7, "a", 2, 8, "b");
	tiny_put(&page, TINY_START, 8);
	tiny_put(&page, ((u64)1 << 31) | ((u64)1 << 30) | (8 + 4 + event.len), 8);
	tiny_put(&page, (u64)31 | 5 << 5, 4); /* a new time: 100 * 2^27 + 5 */
	tiny_put(&page, 100, 4);
	tiny_put(&page, (event.len / 4) | 1000 << 5, 4);
	tiny_bytes(&page, event.p, event.len);
	tiny_put(&page, 4711, 8); /* lost, behind the last event */
	while (page.len < 4096)
		tiny_put(&page, 0, 4);
	ring_pages(&ring, page.p, page.len, 3, &tr, &fs);
	CHECK_EQ(tr.counts.lost, 4711);
	CHECK_EQ(tr.nr, 2);
	CHECK_EQ(tr.type[0], TRACE_LOST);
	CHECK_EQ(tr.time[1], ((u64)100 << 27) + 5 + 1000);
	CHECK_EQ(tr.flags[1], TRACE_LEFT_DISK);
	CHECK_EQ(tr.cpu[1], 3);

	page.p[8] = page.p[9] = 0xff; /* more bytes in use than the page has */
	ring_pages(&ring, page.p, page.len, 3, &tr, &fs);
	CHECK_EQ(tr.counts.half_lines, 1);
	CHECK_EQ(tr.nr, 2);
	free(page.p);
	free(event.p);
	event_formats_fini(&fs);
	trace_fini(&tr);
}

/* Offsets and the meaning of state bits come from the file, as those of old kernels that had others. */
TEST(readers, state_bits_are_the_files_own)
{
	static const char old[] = "name: sched_switch\nID: 9\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				  "\tfield:int prev_pid;\toffset:4;\tsize:4;\tsigned:1;\n\tfield:int prev_state;\toffset:8;\tsize:4;\tsigned:0;\n"
				  "\tfield:int next_pid;\toffset:12;\tsize:4;\tsigned:1;\n\nprint fmt: { 1, \"S\" }, { 2, \"D\" }, { 16, \"Z\" }, { 256, "
				  "\"W\" }\n";
	static const struct {
		u32 bits;
		enum trace_left left;
	} rows[] = { { 0, TRACE_LEFT_RUNNABLE }, { 1, TRACE_LEFT_SLEEP }, { 2, TRACE_LEFT_DISK }, { 16, TRACE_LEFT_DEAD },
		     { 256, TRACE_LEFT_SLEEP }, { 1024, TRACE_LEFT_PREEMPTED } };
	struct event_formats fs;
	struct trace tr;

	event_formats_init(&fs);
	trace_init(&tr);
	CHECK(event_format_add(&fs, old, sizeof(old) - 1));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tiny t = { 0 };

		tiny_put(&t, 9, 4);
		tiny_put(&t, 70, 4);
		tiny_put(&t, rows[i].bits, 4);
		tiny_put(&t, 80, 4);
		raw_event_add(&tr, &fs, t.p, t.len, i, 0);
		CHECK_EQ(tr.flags[i], rows[i].left);
		raw_event_add(&tr, &fs, t.p, 10, i, 0); /* cut off */
		CHECK_EQ(tr.counts.bad_events, i + 1);
		free(t.p);
	}
	event_formats_fini(&fs);
	trace_fini(&tr);
}

/* ---- refusals ---- */

TEST(readers, refusals_say_the_true_reason)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} rows[] = {
		{ "\x17\x08\x44tracing7\0\0\x08\0\x10\0\0lz9\0" "1\0\0\0\0\0\0\0\0\0", 38, "is packed by \"lz9\"" },
		{ "\x17\x08\x44tracing6\0", 12, "header is damaged or cut off" },
		{ "PERFILE2\x10\0\0\0\0\0\0\0", 16, "written into a pipe" },
		{ "PERFILE2\x68\0\0\0\0\0\0\0", 16, "header is damaged or cut off" },
		{ "\xc1\x1f\xfc\xc1 and more", 13, "CTF" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		struct trace tr;

		trace_init(&tr);
		CHECK_ROW(trace_read_bytes(&tr, rows[i].bytes, rows[i].len, "file", &err), -1, rows[i].says);
		if (!strstr(err.message, rows[i].says))
			print_error("\"%s\" does not say \"%s\"\n", err.message, rows[i].says);
		CHECK(strstr(err.message, rows[i].says) != NULL);
		trace_fini(&tr);
	}
}

/* ---- damage ---- */

/* A recording cut off anywhere: what came before is read, or it is refused. */
TEST(readers, any_end_is_survived)
{
	for (int kind = 0; kind < NR_TINY; kind++) {
		struct tiny t = tiny_recording((enum tiny_kind)kind);

		for (size_t len = 0; len < t.len; len += len < 600 ? 1 : 13) {
			u8 *copy = malloc(len + 1); /* of just this size, so that a sanitizer sees what lies behind */
			struct err err = { 0 };
			struct trace tr;

			CHECK(copy != NULL);
			memcpy(copy, t.p, len);
			trace_init(&tr);
			trace_read_bytes(&tr, copy, len, "cut", &err);
			CHECK(tr.nr <= ARRAY_SIZE(moments) + 2);
			trace_fini(&tr);
			free(copy);
		}
		free(t.p);
	}
}

/* Bytes changed at random. */
TEST(readers, any_bytes_are_survived)
{
	struct rng rng;

	rng_init(&rng, 7, "damage", NULL, 0, 0);
	for (int kind = 0; kind < NR_TINY; kind++) {
		for (int round = 0; round < 400; round++) {
			struct tiny t = tiny_recording((enum tiny_kind)kind);
			struct err err = { 0 };
			struct trace tr;

			for (int n = 0; n < 1 + round % 6; n++)
				t.p[rng_below(&rng, t.len)] = (u8)rng_below(&rng, 256);
			trace_init(&tr);
			trace_read_bytes(&tr, t.p, t.len, "changed", &err);
			CHECK(!tr.out_of_memory);
			trace_fini(&tr);
			free(t.p);
		}
	}
}

/* ---- groups ---- */

static u32 picked(struct trace *tr, const char *text, char *name, size_t size, int *ret)
{
	bool member[64] = { false };
	struct families fam;
	struct err err = { 0 };
	u32 mask = 0;

	CHECK_EQ(families_init(&fam, tr), 0);
	CHECK(tr->nr_tasks < 64);
	*ret = group_pick(text, &fam, tr, member, name, size, &err);
	for (u32 i = 1; i < tr->nr_tasks; i++) {
		mask |= member[i] && tr->tasks[i].pid == 100 ? 1u : 0;
		mask |= member[i] && tr->tasks[i].pid == 101 ? 2u : 0;
		mask |= member[i] && tr->tasks[i].pid == 200 ? 4u : 0;
	}
	families_fini(&fam);
	return mask;
}

/* By name, by pid with what it forked, by cgroup; several at once. */
TEST(readers, a_group_as_the_user_says_it)
{
	static const struct {
		const char *text, *name;
		u32 mask;
		int ret;
	} rows[] = {
		{ "comm~w*", "", 3, 0 },
		{ "front: comm=web", "front", 3, 0 },
		{ "a: pid=100", "a", 3, 0 },
		{ "a: pid=101,200", "a", 6, 0 },
		{ "all: comm~we*, pid=200", "all", 7, 0 },
		{ "s: cgroup~*slice", "s", 3, 0 },
		{ "db", "", 4, 0 },
		{ "none: comm~x*", "none", 0, -1 },
		{ "bad: pid=web", "bad", 0, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char name[32];
		struct trace tr;
		int ret;

		read_tiny(&tr, TINY_DAT_6);
		CHECK_ROW(picked(&tr, rows[i].text, name, sizeof(name), &ret), rows[i].mask, rows[i].text);
		CHECK_ROW(ret, rows[i].ret, rows[i].text);
		CHECK_STR(name, rows[i].name);
		trace_fini(&tr);
	}
}

/* Three forms of a list of members; of version 1's hierarchies the one with cpu counts. */
TEST(readers, lists_of_members)
{
	static const char *const lists[] = {
		"CGROUP DUMP\n/db (root=4) : 1 2 200 300\n/nobody (root=4) : \n",
		"/proc/200/task/200/cgroup:3:cpuset:/other\n/proc/200/task/200/cgroup:4:cpu,cpuacct:/db\n",
		"/proc/200/cgroup:0::/db\n",
		"200 /db\r\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct trace tr;

		read_tiny(&tr, TINY_DAT_7);
		CHECK_ROW(group_members(&tr, lists[i], strlen(lists[i])), 1, lists[i]);
		CHECK_STR(tr.groups[task_with(&tr, 200)->group - 1], "/db");
		trace_fini(&tr);
	}
}

TEST_MAIN("readers")
