/* SPDX-License-Identifier: MIT */
/*
 * recordings.c - one made-up recording in four spellings, as long as wanted.
 *
 *	event 3k	a wakeup of thread 1000 + k % 64 on CPU k % 4		10 us later
 *	event 3k + 1	it runs							10 us later
 *	event 3k + 2	it sleeps						10 us later: the next wakeup
 *
 * The binary ones are in this machine's byte order, with the fields where a kernel of today has them.
 */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CPUS 4
#define PAGE 4096

struct moment {
	u64 us, cpu, pid;
	u32 what; /* 0: wakeup, 1: in, 2: out */
};

static struct moment moment(u64 i)
{
	return (struct moment){ 1000000000 + 10 * i, i / 3 % CPUS, 1000 + i / 3 % 64, (u32)(i % 3) };
}

/* ---- text ---- */

static void event_text(FILE *out, const struct moment *m, const char *system)
{
	if (m->what == 0)
		fprintf(out, "%ssched_wakeup: comm=worker pid=%" PRIu64 " prio=120 target_cpu=%03" PRIu64 "\n", system, m->pid, m->cpu);
	else if (m->what == 1)
		fprintf(out, "%ssched_switch: prev_comm=swapper/%" PRIu64 " prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=%" PRIu64
			     " next_prio=120\n", system, m->cpu, m->pid);
	else
		fprintf(out, "%ssched_switch: prev_comm=worker prev_pid=%" PRIu64 " prev_prio=120 prev_state=S ==> next_comm=swapper/%" PRIu64
			     " next_pid=0 next_prio=120\n", system, m->pid, m->cpu);
}

void ftrace_line(FILE *out, u64 i)
{
	struct moment m = moment(i);

	if (m.what == 2)
		fprintf(out, "          worker-%-5" PRIu64, m.pid);
	else
		fprintf(out, "          <idle>-0    ");
	fprintf(out, " [%03" PRIu64 "] d..2. %" PRIu64 ".%06" PRIu64 ": ", m.cpu, m.us / 1000000, m.us % 1000000);
	event_text(out, &m, "");
}

void perf_line(FILE *out, u64 i)
{
	struct moment m = moment(i);

	fprintf(out, "%16s %7" PRIu64 " [%03" PRIu64 "] %6" PRIu64 ".%06" PRIu64 ": ", m.what == 2 ? "worker" : "swapper", m.what == 2 ? m.pid : 0,
		m.cpu, m.us / 1000000, m.us % 1000000);
	event_text(out, &m, "sched:");
}

static void text_recording(FILE *out, u64 nr, void (*line)(FILE *out, u64 i))
{
	for (u64 i = 0; i < nr; i++)
		line(out, i);
}

void ftrace_recording(FILE *out, u64 nr) { text_recording(out, nr, ftrace_line); }
void perf_text_recording(FILE *out, u64 nr) { text_recording(out, nr, perf_line); }

/* ---- binary events ---- */

#define COMMON                                                                                                             \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                    \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                             \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const formats[] = {
	"name: sched_switch\nID: 301\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
	"name: sched_wakeup\nID: 302\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
};

static void put(u8 *p, size_t at, u64 v, size_t size) { memcpy(p + at, &v, size); }

static void put_task(u8 *p, size_t comm, const char *name, u64 pid)
{
	memcpy(p + comm, name, strlen(name));
	put(p, comm + 16, pid, 4);
	put(p, comm + 20, 120, 4);
}

/* The event's own bytes into @p; returns how many. */
static size_t event_bytes(u8 p[64], const struct moment *m)
{
	size_t len = m->what ? 64 : 36;

	memset(p, 0, 64);
	put(p, 0, m->what ? 301 : 302, 2);
	put(p, 4, m->what == 2 ? m->pid : 0, 4);
	if (!m->what) {
		put_task(p, 8, "worker", m->pid);
		put(p, 32, m->cpu, 4);
		return len;
	}
	put_task(p, m->what == 1 ? 40 : 8, "worker", m->pid);
	put_task(p, m->what == 1 ? 8 : 40, "swapper", 0);
	put(p, 32, m->what == 2, 8);
	return len;
}

/* ---- trace.dat, version 6 ---- */

static void number(FILE *out, u64 v, size_t size) { fwrite(&v, size, 1, out); }

static void word(FILE *out, const char *s) { fwrite(s, strlen(s) + 1, 1, out); }

static void part(FILE *out, const char *s)
{
	number(out, strlen(s), 8);
	fwrite(s, strlen(s), 1, out);
}

/* Magic, formats, and what perf.data has of them too. */
static void dat_head(FILE *out)
{
	word(out, "\x17\x08\x44tracing6");
	number(out, 0, 1);
	number(out, 8, 1);
	number(out, PAGE, 4);
	word(out, "header_page");
	part(out, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	word(out, "header_event");
	part(out, "none");
	number(out, 0, 4);
	number(out, 1, 4);
	word(out, "sched");
	number(out, ARRAY_SIZE(formats), 4);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		part(out, formats[i]);
	number(out, 0, 4);
	number(out, 0, 4);
	number(out, 0, 8);
}

struct page {
	u8 bytes[PAGE];
	size_t used;
	u64 time;
	u64 nr; /* pages written of this CPU */
};

static void end_page(FILE *out, struct page *page)
{
	if (!page->used)
		return;
	put(page->bytes, 8, page->used - 16, 8);
	fwrite(page->bytes, PAGE, 1, out);
	page->used = 0;
	page->nr++;
}

static void page_event(FILE *out, struct page *page, const struct moment *m)
{
	u8 event[64];
	size_t len = event_bytes(event, m);

	if (page->used + 4 + len > PAGE)
		end_page(out, page);
	if (!page->used) {
		memset(page->bytes, 0, PAGE);
		page->time = m->us * US;
		put(page->bytes, 0, page->time, 8);
		page->used = 16;
	}
	put(page->bytes, page->used, len / 4 | (m->us * US - page->time) << 5, 4);
	memcpy(page->bytes + page->used + 4, event, len);
	page->used += 4 + len;
	page->time = m->us * US;
}

static u64 dat_cpu(FILE *out, u64 nr, u64 cpu)
{
	struct page page = { .used = 0 };

	for (u64 i = 0; i < nr; i++) {
		struct moment m = moment(i);

		if (m.cpu == cpu)
			page_event(out, &page, &m);
	}
	end_page(out, &page);
	return page.nr;
}

/* How many pages a CPU needs is seen when they are written: into nothing, the first time. */
void dat_recording(FILE *out, u64 nr)
{
	u64 pages[CPUS], at;
	FILE *nowhere = fopen("/dev/null", "w");

	if (!nowhere)
		exit(3);
	for (u64 cpu = 0; cpu < CPUS; cpu++)
		pages[cpu] = dat_cpu(nowhere, nr, cpu);
	fclose(nowhere);
	dat_head(out);
	number(out, CPUS, 4);
	word(out, "options  ");
	number(out, 0, 2);
	word(out, "flyrecord");
	at = ((u64)ftell(out) + 16 * CPUS + PAGE - 1) / PAGE * PAGE;
	for (u64 cpu = 0; cpu < CPUS; cpu++) {
		number(out, at, 8);
		number(out, pages[cpu] * PAGE, 8);
		at += pages[cpu] * PAGE;
	}
	while (ftell(out) % PAGE)
		fputc(0, out);
	for (u64 cpu = 0; cpu < CPUS; cpu++)
		dat_cpu(out, nr, cpu);
}

/* ---- perf.data ---- */

#define ATTR 112
#define SAMPLES (2 | 4 | 128 | 1024) /* tid, time, CPU, raw */

static size_t sample_len(const struct moment *m) { return 8 + 8 + 8 + 8 + 4 + (m->what ? 64 : 36) + (m->what ? 4 : 0); }

static void perf_sample(FILE *out, const struct moment *m)
{
	size_t len = sample_len(m), raw = len - 36;
	u8 event[72] = { 0 };

	event_bytes(event, m);
	number(out, 9, 4);
	number(out, 0, 2);
	number(out, len, 2);
	number(out, m->what == 2 ? m->pid : 0, 4);
	number(out, m->what == 2 ? m->pid : 0, 4);
	number(out, m->us * US, 8);
	number(out, m->cpu, 8);
	number(out, raw, 4);
	fwrite(event, raw, 1, out);
}

void perf_recording(FILE *out, u64 nr)
{
	u8 head[104] = "PERFILE2", attr[ATTR + 16] = { 0 };
	u64 size = 0, table;

	for (u64 i = 0; i < nr; i++) {
		struct moment m = moment(i);

		size += sample_len(&m);
	}
	put(head, 8, sizeof(head), 8);
	put(head, 16, sizeof(attr), 8);
	put(head, 24, sizeof(head), 8);
	put(head, 32, sizeof(attr), 8);
	put(head, 40, sizeof(head) + sizeof(attr), 8);
	put(head, 48, size, 8);
	put(head, 72, 1 << 1, 8); /* a feature: the formats */
	put(attr, 0, 2, 4);
	put(attr, 4, ATTR, 4);
	put(attr, 24, SAMPLES, 8);
	fwrite(head, sizeof(head), 1, out);
	fwrite(attr, sizeof(attr), 1, out);
	for (u64 i = 0; i < nr; i++) {
		struct moment m = moment(i);

		perf_sample(out, &m);
	}
	table = sizeof(head) + sizeof(attr) + size;
	number(out, table + 16, 8);
	number(out, 1 << 16, 8);
	dat_head(out);
	for (u64 at = (u64)ftell(out); at < table + 16 + (1 << 16); at++)
		fputc(0, out);
}
