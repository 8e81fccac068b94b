/* SPDX-License-Identifier: MIT */
/*
 * reading.c - what recordings cost: to read a million events, to run what was recorded under a limit, to go through a gigabyte.
 *
 * A recording is made in memory first, which does not count.
 */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/machine.h"
#include "trace/read.h"
#include "trace/recover.h"

#define REPEATS 5
#define EVENTS 1000000
#define LIMITS 3		 /* runs of which the mean is told */
#define GIGABYTE ((u64)1 << 30)

struct recording {
	char *p;
	size_t len;
};

static struct recording made_by(void (*make)(FILE *out, u64 nr))
{
	struct recording r;
	FILE *out = open_memstream(&r.p, &r.len);

	if (!out)
		exit(3);
	make(out, EVENTS);
	if (fclose(out))
		exit(3);
	return r;
}

static void read_into(struct trace *tr, const struct recording *r)
{
	struct err err = { 0 };

	trace_init(tr);
	if (!trace_read_bytes(tr, r->p, r->len, "bench", &err) && tr->counts.events == EVENTS)
		return;
	fprintf(stderr, "bench: %" PRIu64 " of %d events were read %s\n", tr->counts.events, EVENTS, err.message);
	exit(3);
}

static u64 kept_bytes(const struct trace *tr)
{
	return tr->cap * (sizeof(*tr->time) + sizeof(*tr->task) + sizeof(*tr->other) + sizeof(*tr->cpu) + sizeof(*tr->where) +
			  sizeof(*tr->type) + sizeof(*tr->flags));
}

static void reader_row(const char *what, void (*make)(FILE *out, u64 nr), double limit)
{
	struct recording r = made_by(make);
	u64 best = NEVER, bytes = 0;

	for (int i = 0; i < REPEATS; i++) {
		struct trace tr;
		u64 start = cpu_ns();

		read_into(&tr, &r);
		best = min_u64(best, cpu_ns() - start);
		bytes = kept_bytes(&tr);
		trace_fini(&tr);
	}
	row(what, (double)best / 1e6, "ms", limit, "%d bytes an event in the file, %.1f kept", (int)(r.len / EVENTS), (double)bytes / EVENTS);
	free(r.p);
}

/* ---- what was recorded, under limits ---- */

struct replayed {
	struct trace tr;
	struct timeline tl;
	struct families fam;
	struct tick_guess ticks;
	struct throttle_guess guess;
	struct recovered rec;
	bool *member;
};

static void understand(struct replayed *r, const struct recording *recording)
{
	struct throttle_ask ask = { .pick.comm = "worker" };
	struct recover_ask how = { .name = "worker" };
	struct err err = { 0 };

	read_into(&r->tr, recording);
	r->member = calloc((size_t)r->tr.nr_tasks + 1, sizeof(*r->member));
	if (!r->member || timeline_init(&r->tl, &r->tr) || families_init(&r->fam, &r->tr) || ticks_infer(&r->ticks, &r->tr) ||
	    throttle_infer(&r->guess, r->member, &r->tr, &r->tl, &r->fam, &ask) ||
	    recover(&r->rec, &r->tr, &r->tl, &r->guess, &r->ticks, r->member, &how, &err)) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(3);
	}
}

static void forget(struct replayed *r)
{
	recover_fini(&r->rec);
	throttle_fini(&r->guess);
	families_fini(&r->fam);
	timeline_fini(&r->tl);
	trace_fini(&r->tr);
	free(r->member);
}

static u64 run_under(const struct replayed *r, u64 quota)
{
	struct recover_limit limit = { .quota = quota, .period = 100 * MS };
	struct machine_options opt = { 0 };
	struct limited limited;
	struct result *res;
	struct err err = { 0 };
	u64 start = cpu_ns();

	recover_under(&limited, &r->rec.sc, &limit);
	res = machine_run(&limited.sc, &opt, &err);
	if (!res) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(3);
	}
	result_free(res);
	return cpu_ns() - start;
}

/* A hundred limits in 10 s on two CPUs are 200 ms for each, and the understanding of the recording is done once. */
static void limits_rows(void)
{
	struct recording recording = made_by(dat_recording);
	struct replayed r = { 0 };
	u64 start = cpu_ns(), understood, ran = 0;

	understand(&r, &recording);
	understood = cpu_ns() - start;
	for (u64 i = 0; i < LIMITS; i++)
		ran += run_under(&r, (20 + 20 * i) * MS); /* throttled all the time, hardly, never: who is not sleeps and wakes for each burst */
	row("understanding the trace.dat", (double)understood / 1e6, "ms", 0, "reading, timeline, limit, program: %d events", EVENTS);
	row("running it under a limit", (double)ran / LIMITS / 1e6, "ms", 200, "%" PRIu64 " bursts of %u threads", r.rec.figures.bursts,
	    r.rec.sc.nr_tasks);
	forget(&r);
	free(recording.p);
}

/* ---- a gigabyte of text ---- */

static u64 peak_bytes(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (u64)use.ru_maxrss * 1024;
}

struct gone_through {
	u64 bytes, ns, lines;
};

/* It comes in pieces as from a pipe; what it takes to make them does not count. */
static struct gone_through go_through(u64 size)
{
	struct gone_through got = { 0 };
	struct trace_reader reader;
	struct trace tr;
	u64 fed = 0;

	trace_init(&tr);
	trace_reader_init(&reader, &tr);
	while (fed < size) {
		char piece[65536];
		FILE *out = fmemopen(piece, sizeof(piece), "w");
		size_t len;
		u64 start;

		if (!out)
			exit(3);
		while (ftell(out) < (long)sizeof(piece) - 300)
			ftrace_line(out, got.lines++);
		len = (size_t)ftell(out);
		fclose(out);
		start = cpu_ns();
		trace_reader_feed(&reader, piece, len);
		got.ns += cpu_ns() - start;
		fed += len;
	}
	trace_reader_end(&reader);
	got.bytes = peak_bytes();
	trace_fini(&tr);
	return got;
}

/* In a process of its own, since the peak of this one lies behind it. */
static void gigabyte_row(void)
{
	struct gone_through got = { 0 };
	int fd[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(fd))
		exit(3);
	pid = fork();
	if (!pid) {
		got = go_through(GIGABYTE);
		_exit(write(fd[1], &got, sizeof(got)) == sizeof(got) ? 0 : 3);
	}
	close(fd[1]);
	if (pid < 0 || read(fd[0], &got, sizeof(got)) != sizeof(got) || waitpid(pid, NULL, 0) != pid)
		exit(3);
	close(fd[0]);
	row("1 GiB of ftrace text: memory at most", (double)got.bytes / 1e6, "MB", 400, "%" PRIu64 " lines, %.2f s", got.lines, (double)got.ns / 1e9);
}

void bench_readers(void)
{
	reader_row("reading a million events: trace.dat", dat_recording, 150);
	reader_row("reading a million events: perf.data", perf_recording, 150);
	reader_row("reading a million events: ftrace text", ftrace_recording, 300);
	reader_row("reading a million events: perf script text", perf_text_recording, 300);
	limits_rows();
	gigabyte_row();
}
