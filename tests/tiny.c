/* SPDX-License-Identifier: MIT */
/* tiny.c - writes recordings of every kind; knows nothing of the readers. */
#include "tests/tiny.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/tiny_impl.h"

const char *const tiny_names[NR_TINY] = { "trace.dat 6", "trace.dat 6, other byte order", "trace.dat 7", "trace.dat 7, zlib", "perf.data", "perf.data, packed",
					  "Perfetto", "Perfetto, compact", "atrace", "perf.data, lost" };

void tiny_bytes(struct tiny *t, const void *p, size_t len)
{
	if (t->len + len > t->cap) {
		t->cap = (t->len + len) * 2 + 4096;
		t->p = realloc(t->p, t->cap);
		if (!t->p)
			abort();
	}
	memcpy(t->p + t->len, p, len);
	t->len += len;
}

void tiny_set(struct tiny *t, size_t at, u64 v, u32 size)
{
	static const u16 one = 1;
	bool little = (*(const u8 *)&one == 1) != t->swap;

	for (u32 i = 0; i < size; i++)
		t->p[at + i] = (u8)(v >> 8 * (little ? i : size - 1 - i));
}

void tiny_put(struct tiny *t, u64 v, u32 size)
{
	static const u8 zeros[8];

	tiny_bytes(t, zeros, size);
	tiny_set(t, t->len - size, v, size);
}

void tiny_word(struct tiny *t, const char *s) { tiny_bytes(t, s, strlen(s) + 1); }

void tiny_pad(struct tiny *t, size_t at)
{
	while (t->len < at)
		tiny_put(t, 0, 1);
}

/* ---- formats of events ---- */

#define COMMON                                                                                                             \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                    \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                             \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum { ID_SWITCH = 301, ID_WAKING, ID_NEW, ID_FORK, ID_EXIT, ID_ATTACH, ID_OTHER };

static const char *const formats[] = {
	"name: sched_switch\nID: 301\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%s\", __print_flags(REC->prev_state, \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }, { 16, \"X\" }, { 0x80, \"I\" })\n",
	"name: sched_waking\nID: 302\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
	"name: sched_wakeup_new\nID: 303\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
	"name: sched_process_fork\nID: 304\n" COMMON
	"\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n",
	"name: sched_process_exit\nID: 305\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
	"name: cgroup_attach_task\nID: 306\n" COMMON
	"\tfield:int dst_root;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:int pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] dst_path;\toffset:16;\tsize:4;\tsigned:0;\n\tfield:__data_loc char[] comm;\toffset:20;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"\"\n",
	"name: cpu_idle\nID: 307\n" COMMON "\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n",
};

static void texts(struct tiny *t, size_t from, size_t to)
{
	tiny_put(t, to - from, 4);
	for (size_t i = from; i < to; i++) {
		tiny_put(t, strlen(formats[i]), 8);
		tiny_bytes(t, formats[i], strlen(formats[i]));
	}
}

const char tiny_header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				"\tfield: char data;\toffset:16;\tsize:1008;\tsigned:1;\n";

static void header_page(struct tiny *t)
{
	tiny_word(t, "header_page");
	tiny_put(t, sizeof(tiny_header_page) - 1, 8);
	tiny_bytes(t, tiny_header_page, sizeof(tiny_header_page) - 1);
	tiny_word(t, "header_event");
	tiny_put(t, 4, 8);
	tiny_bytes(t, "none", 4);
}

const char *tiny_format(u32 i) { return i < ARRAY_SIZE(formats) ? formats[i] : NULL; }

static void systems(struct tiny *t)
{
	tiny_put(t, 2, 4);
	tiny_word(t, "sched");
	texts(t, 0, 5);
	tiny_word(t, "others");
	texts(t, 5, ARRAY_SIZE(formats));
}

#define NAMES "100 web\n200 db\n999 nobody\n"

void tiny_formats(struct tiny *t)
{
	header_page(t);
	tiny_put(t, 0, 4);
	systems(t);
	tiny_put(t, 0, 4);
	tiny_put(t, 0, 4);
	tiny_put(t, sizeof(NAMES) - 1, 8);
	tiny_bytes(t, NAMES, sizeof(NAMES) - 1);
}

/* ---- events ---- */

static void common(struct tiny *t, u32 id, u32 flags, u32 pid)
{
	tiny_put(t, id, 2);
	tiny_put(t, flags, 1);
	tiny_put(t, 0, 1);
	tiny_put(t, pid, 4);
}

void tiny_name(struct tiny *t, const char *s)
{
	char buf[16] = { 0 };

	memcpy(buf, s, strlen(s) < 15 ? strlen(s) : 15);
	tiny_bytes(t, buf, sizeof(buf));
}

void tiny_switch(struct tiny *t, u32 prev, const char *prev_name, u64 state, u32 next, const char *next_name)
{
	common(t, ID_SWITCH, 1, prev);
	tiny_name(t, prev_name);
	tiny_put(t, prev, 4);
	tiny_put(t, 120, 4);
	tiny_put(t, state, 8);
	tiny_name(t, next_name);
	tiny_put(t, next, 4);
	tiny_put(t, 120, 4);
}

static void waking(struct tiny *t, u32 id, u32 flags, u32 by, u32 pid, const char *comm, u32 cpu)
{
	common(t, id, flags, by);
	tiny_name(t, comm);
	tiny_put(t, pid, 4);
	tiny_put(t, 120, 4);
	if (id != ID_EXIT)
		tiny_put(t, cpu, 4);
}

/* Two texts behind the fields, as __data_loc has it. */
static void with_texts(struct tiny *t, u32 id, u32 current, u32 first, u32 second, const char *a, const char *b)
{
	u32 at = 24, la = (u32)strlen(a) + 1, lb = (u32)strlen(b) + 1;

	common(t, id, 0, current);
	if (id == ID_FORK) {
		tiny_put(t, la << 16 | at, 4);
		tiny_put(t, first, 4);
		tiny_put(t, lb << 16 | (at + la), 4);
		tiny_put(t, second, 4);
	} else {
		tiny_put(t, 1, 4);
		tiny_put(t, first, 4);
		tiny_put(t, la << 16 | at, 4);
		tiny_put(t, lb << 16 | (at + la), 4);
	}
	tiny_word(t, a);
	tiny_word(t, b);
}

static void one(each_event *each, void *arg, bool swap, u32 cpu, u64 us, u32 current, void (*make)(struct tiny *))
{
	struct tiny t = { .swap = swap };

	make(&t);
	while (t.len % 4)
		tiny_put(&t, 0, 1);
	each(arg, cpu, us, current, &t);
	free(t.p);
}

static void make_1(struct tiny *t) { tiny_switch(t, 0, "swapper/0", 0, 100, "web"); }
static void make_2(struct tiny *t) { waking(t, ID_WAKING, 0, 100, 200, "db", 1); }
static void make_3(struct tiny *t) { tiny_switch(t, 0, "swapper/1", 0, 200, "db"); }
static void make_4(struct tiny *t) { with_texts(t, ID_FORK, 100, 100, 101, "web", "web"); }
static void make_5(struct tiny *t) { waking(t, ID_NEW, 0, 100, 101, "web", 0); }
static void make_6(struct tiny *t) { waking(t, ID_OTHER, 0, 100, 0, "", 0); }
static void make_7(struct tiny *t) { tiny_switch(t, 200, "db", 256, 0, "swapper/1"); }
static void make_8(struct tiny *t) { waking(t, ID_WAKING, 0x08, 0, 200, "db", 1); }
static void make_9(struct tiny *t) { with_texts(t, ID_ATTACH, 100, 100, 0, "/web.slice", "web"); }
static void make_10(struct tiny *t) { tiny_switch(t, 100, "web", 1, 0, "swapper/0"); }
static void make_11(struct tiny *t) { waking(t, ID_EXIT, 0, 101, 101, "web", 0); }

static const struct {
	u32 cpu, current;
	u64 us;
	void (*make)(struct tiny *);
} events[] = {
	{ 0, 0, 0, make_1 }, { 0, 100, 50, make_2 }, { 0, 100, 300, make_4 }, { 0, 100, 310, make_5 }, { 0, 100, 320, make_6 },
	{ 0, 100, 400, make_9 }, { 0, 100, 300000, make_10 }, { 0, 101, 300010, make_11 },
	{ 1, 0, 70, make_3 }, { 1, 200, 250000, make_7 }, { 1, 0, 250020, make_8 },
};

void tiny_events(each_event *each, void *arg, bool swap, u32 cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].cpu == cpu)
			one(each, arg, swap, cpu, events[i].us, events[i].current, events[i].make);
}

/* ---- ring buffer ---- */

#define PAGE 1024
#define EXTEND 30u

struct page {
	struct tiny *t;
	size_t start;
	u64 time;
};

static void page_event(void *arg, u32 cpu, u64 us, u32 current, const struct tiny *event)
{
	struct page *page = arg;
	struct tiny *t = page->t;
	u64 delta = TINY_START + us * US - page->time, low = delta & ((1u << 27) - 1);
	static const u16 one_value = 1;
	bool little = (*(const u8 *)&one_value == 1) != t->swap;
	u32 type = event->len <= 28 * 4 ? (u32)event->len / 4 : 0;

	(void)cpu;
	(void)current;
	if (delta != low) {
		tiny_put(t, little ? low << 5 | EXTEND : (u64)EXTEND << 27 | low, 4);
		tiny_put(t, delta >> 27, 4);
		low = 0;
	}
	tiny_put(t, little ? low << 5 | type : (u64)type << 27 | low, 4);
	if (!type)
		tiny_put(t, event->len + 4, 4);
	tiny_bytes(t, event->p, event->len);
	page->time += delta;
}

void tiny_page(struct tiny *t, u32 cpu)
{
	struct page page = { .t = t, .start = t->len, .time = TINY_START };

	tiny_put(t, page.time, 8);
	tiny_put(t, 0, 8);
	tiny_events(page_event, &page, t->swap, cpu);
	tiny_set(t, page.start + 8, t->len - page.start - 16, 8);
	tiny_pad(t, page.start + PAGE);
}

/* ---- trace.dat ---- */

void tiny_magic(struct tiny *t, const char *version)
{
	static const u16 one_value = 1;
	bool little = (*(const u8 *)&one_value == 1) != t->swap;

	tiny_bytes(t, "\x17\x08\x44tracing", 10);
	tiny_word(t, version);
	tiny_put(t, !little, 1);
	tiny_put(t, 8, 1);
	tiny_put(t, PAGE, 4);
}

static void option(struct tiny *t, u32 id, const char *text)
{
	tiny_put(t, id, 2);
	tiny_put(t, strlen(text) + 1, 4);
	tiny_word(t, text);
}

static void dat_6(struct tiny *t)
{
	size_t table;

	tiny_magic(t, "6");
	tiny_formats(t);
	tiny_put(t, 2, 4);
	tiny_word(t, "options  ");
	option(t, 4, "local global [mono] boot");
	option(t, 5, "Linux host 6.1.0-18-amd64 #1 SMP x86_64");
	tiny_put(t, 0, 2);
	tiny_word(t, "flyrecord");
	table = t->len;
	for (int i = 0; i < 4; i++)
		tiny_put(t, 0, 8);
	tiny_pad(t, (t->len + PAGE - 1) / PAGE * PAGE);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		tiny_set(t, table + cpu * 16, t->len, 8);
		tiny_set(t, table + cpu * 16 + 8, PAGE, 8);
		tiny_page(t, cpu);
	}
}

/* A section of what @make writes; returns where it lies. */
static u64 section(struct tiny *t, u32 id, bool packed, void (*make)(struct tiny *))
{
	u64 at = t->len;
	struct tiny body = { .swap = t->swap };

	make(&body);
	tiny_put(t, id, 2);
	tiny_put(t, packed, 2);
	tiny_put(t, 0, 4);
	if (packed) {
		uLongf len = compressBound((uLong)body.len);
		u8 *out = malloc(len);

		if (!out || compress(out, &len, body.p, (uLong)body.len) != Z_OK)
			abort();
		tiny_put(t, len + 8, 8);
		tiny_put(t, len, 4);
		tiny_put(t, body.len, 4);
		tiny_bytes(t, out, len);
		free(out);
	} else {
		tiny_put(t, body.len, 8);
		tiny_bytes(t, body.p, body.len);
	}
	free(body.p);
	return at;
}

static void names_body(struct tiny *t)
{
	tiny_put(t, sizeof(NAMES) - 1, 8);
	tiny_bytes(t, NAMES, sizeof(NAMES) - 1);
}

static void at_option(struct tiny *t, u32 id, u64 offset)
{
	tiny_put(t, id, 2);
	tiny_put(t, 8, 4);
	tiny_put(t, offset, 8);
}

static void dat_7(struct tiny *t, bool packed)
{
	u64 header, systems_at, names_at, buffer, at[2], size[2], start;
	size_t options;

	tiny_magic(t, "7");
	tiny_word(t, packed ? "zlib" : "none");
	tiny_word(t, "1");
	options = t->len;
	tiny_put(t, 0, 8);
	header = section(t, 16, packed, header_page);
	systems_at = section(t, 18, packed, systems);
	names_at = section(t, 21, packed, names_body);
	buffer = t->len;
	tiny_put(t, 3, 2);
	tiny_put(t, packed, 2);
	tiny_put(t, 0, 4);
	tiny_put(t, 0, 8);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		struct tiny page = { .swap = t->swap };

		tiny_page(&page, cpu);
		at[cpu] = t->len;
		if (packed) {
			uLongf len = compressBound((uLong)page.len);
			u8 *out = malloc(len);

			if (!out || compress(out, &len, page.p, (uLong)page.len) != Z_OK)
				abort();
			tiny_put(t, 1, 4);
			tiny_put(t, len, 4);
			tiny_put(t, page.len, 4);
			tiny_bytes(t, out, len);
			free(out);
		} else {
			tiny_bytes(t, page.p, page.len);
		}
		size[cpu] = t->len - at[cpu];
		free(page.p);
	}
	tiny_set(t, options, t->len, 8);
	start = t->len;
	tiny_put(t, 0, 2);
	tiny_put(t, 0, 2);
	tiny_put(t, 0, 4);
	tiny_put(t, 0, 8);
	option(t, 5, "Linux host 6.1.0-18-amd64 #1 SMP x86_64");
	at_option(t, 16, header);
	at_option(t, 18, systems_at);
	at_option(t, 21, names_at);
	tiny_put(t, 3, 2);
	tiny_put(t, 8 + 1 + 5 + 4 + 4 + 2 * 20, 4);
	tiny_put(t, buffer, 8);
	tiny_word(t, "");
	tiny_word(t, "mono");
	tiny_put(t, PAGE, 4);
	tiny_put(t, 2, 4);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		tiny_put(t, cpu, 4);
		tiny_put(t, at[cpu], 8);
		tiny_put(t, size[cpu], 8);
	}
	at_option(t, 0, 0);
	tiny_set(t, start + 8, t->len - start - 16, 8);
}

/* ---- Perfetto ---- */

static void varint(struct tiny *t, u64 v)
{
	for (; v >= 128; v >>= 7)
		tiny_put(t, v | 128, 1);
	tiny_put(t, v, 1);
}

static void number(struct tiny *t, u32 field, u64 v)
{
	varint(t, field << 3);
	varint(t, v);
}

static void bytes(struct tiny *t, u32 field, const void *p, size_t len)
{
	varint(t, field << 3 | 2);
	varint(t, len);
	tiny_bytes(t, p, len);
}

static void message(struct tiny *t, u32 field, struct tiny *m)
{
	bytes(t, field, m->p, m->len);
	free(m->p);
	*m = (struct tiny){ 0 };
}

/* The bytes of a ring buffer's event as Perfetto's message. */
static void perfetto_event(void *arg, u32 cpu, u64 us, u32 current, const struct tiny *event)
{
	struct tiny e = { 0 }, m = { 0 };
	const u8 *p = event->p;
	u32 id = (u32)(p[0] | p[1] << 8);

	(void)cpu;
	number(&e, 1, TINY_START + us * US);
	number(&e, 2, current);
	if (id == ID_SWITCH) {
		bytes(&m, 1, p + 8, strlen((const char *)p + 8));
		number(&m, 2, (u64)(p[24] | p[25] << 8));
		number(&m, 3, p[28]);
		number(&m, 4, (u64)(p[32] | p[33] << 8));
		bytes(&m, 5, p + 40, strlen((const char *)p + 40));
		number(&m, 6, (u64)(p[56] | p[57] << 8));
		number(&m, 7, p[60]);
		message(&e, 4, &m);
	} else if (id == ID_FORK) {
		bytes(&m, 1, "web", 3);
		number(&m, 2, 100);
		bytes(&m, 3, "web", 3);
		number(&m, 4, 101);
		message(&e, 239, &m);
	} else if (id == ID_WAKING || id == ID_NEW || id == ID_EXIT) {
		bytes(&m, 1, p + 8, strlen((const char *)p + 8));
		number(&m, 2, (u64)(p[24] | p[25] << 8));
		if (id != ID_EXIT)
			number(&m, 5, p[32]);
		number(&e, 5, p[2]);
		message(&e, id == ID_WAKING ? 20 : id == ID_NEW ? 114 : 238, &m);
	} else {
		number(&m, 1, 1);
		message(&e, 13, &m);
	}
	message(arg, 2, &e);
}

static void perfetto(struct tiny *t)
{
	struct tiny packet = { 0 }, part = { 0 }, inner = { 0 };

	bytes(&inner, 3, "6.1.0-18-amd64", 14);
	message(&part, 1, &inner);
	message(&packet, 45, &part);
	message(t, 1, &packet);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		number(&part, 1, cpu);
		tiny_events(perfetto_event, &part, false, cpu);
		message(&packet, 1, &part);
		message(t, 1, &packet);
	}
	number(&inner, 1, 100);
	number(&inner, 3, 90);
	message(&part, 2, &inner);
	message(&packet, 2, &part);
	message(t, 1, &packet);
}

static void column(struct tiny *t, u32 field, const u64 *v, size_t nr)
{
	struct tiny c = { 0 };

	for (size_t i = 0; i < nr; i++)
		varint(&c, v[i]);
	message(t, field, &c);
}

/* Columns of CPU 0: idle -> web -> db (S) -> idle (preempted), and web wakes db. */
static void compact(struct tiny *t)
{
	static const u64 times[] = { TINY_START, 100000, 100000 }, states[] = { 0, 1, 256 }, pids[] = { 100, 200, 0 }, prios[] = { 120, 120, 120 },
			 comms[] = { 0, 1, 2 }, woken_at[] = { TINY_START + 50000 }, woken[] = { 200 }, target[] = { 0 }, comm[] = { 1 }, flags[] = { 0 };
	struct tiny packet = { 0 }, part = { 0 }, c = { 0 };

	bytes(&c, 5, "web", 3);
	bytes(&c, 5, "db", 2);
	bytes(&c, 5, "swapper", 7);
	column(&c, 1, times, 3);
	column(&c, 2, states, 3);
	column(&c, 3, pids, 3);
	column(&c, 4, prios, 3);
	column(&c, 6, comms, 3);
	column(&c, 7, woken_at, 1);
	column(&c, 8, woken, 1);
	column(&c, 9, target, 1);
	column(&c, 10, prios, 1);
	column(&c, 11, comm, 1);
	column(&c, 12, flags, 1);
	number(&part, 1, 0);
	message(&part, 4, &c);
	message(&packet, 1, &part);
	message(t, 1, &packet);
}

/* ---- atrace ---- */

static void atrace(struct tiny *t)
{
	static const char text[] = "# tracer: nop\n"
				   "          <idle>-0     (-----) [000] d..2     5.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 "
				   "prev_state=R ==> next_comm=web next_pid=100 next_prio=120\n"
				   "             web-100   (   90) [000] d..2     5.300000: sched_switch: prev_comm=web prev_pid=100 prev_prio=120 "
				   "prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";
	uLongf len = compressBound(sizeof(text));
	u8 *out = malloc(len);

	if (!out || compress(out, &len, (const Bytef *)text, sizeof(text) - 1) != Z_OK)
		abort();
	tiny_bytes(t, "capturing trace... done\nTRACE:\n", 31);
	tiny_bytes(t, out, len);
	free(out);
}

struct tiny tiny_recording(enum tiny_kind kind)
{
	struct tiny t = { .swap = kind == TINY_DAT_6_SWAPPED };

	switch (kind) {
	case TINY_DAT_6:
	case TINY_DAT_6_SWAPPED:
		dat_6(&t);
		break;
	case TINY_DAT_7:
	case TINY_DAT_7_ZLIB:
		dat_7(&t, kind == TINY_DAT_7_ZLIB);
		break;
	case TINY_PERF:
	case TINY_PERF_PACKED:
	case TINY_PERF_LOST:
		tiny_perf(&t, kind);
		break;
	case TINY_PERFETTO:
		perfetto(&t);
		break;
	case TINY_COMPACT:
		compact(&t);
		break;
	default:
		atrace(&t);
		break;
	}
	return t;
}
