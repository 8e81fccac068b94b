/* SPDX-License-Identifier: MIT */
/*
 * trace.c - the keeper of a recording of events.
 *
 *	make the tracer | on, marks: machine, limits, counters, members | turns ... | marks: counters, off | rest | remove the tracer | write
 *
 * Law: on every way out the tracer is removed before anything else is done.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/cost.h"
#include "record/dat.h"
#include "record/facts.h"
#include "record/pump.h"
#include "record/run.h"
#include "text/outfile.h"

#define PATIENCE 2000		/* ms for the tracer to go */
#define LOOK_EVERY (250 * MS)	/* for new members */
#define FORMATS_MOST 16
#define TEXT_MOST ((size_t)1 << 16) /* bytes of a format, or of a CPU's stats */
#define NAMES_MOST ((size_t)4 << 20)

struct keeper {
	struct recording *r;
	struct outfile o;
	struct pump pump;
	struct members members;
	struct fact_groups groups;
	struct dat_format formats[FORMATS_MOST];
	char systems[FORMATS_MOST][32];
	struct dat dat;	/* points into what is here */
	char uname[300];
	struct dat_text *stats;
	int marker; /* -1: this kernel has none */
	bool filtered;
	u64 began, cpu_began;
};

static struct err *err_of(struct keeper *k) { return &k->r->end->err; }

static const struct tracer *tracer_of(const struct keeper *k) { return &k->r->tracer; }

/* ---- texts that go into the file as they are ---- */

/* All of the file at @path, at most @most bytes; empty where it cannot be read.  For free_text(). */
static struct dat_text read_text(const char *path, size_t most)
{
	char *buf = malloc(most), *text;

	if (!buf || file_read(path, buf, most)) {
		free(buf);
		return (struct dat_text){ NULL, 0 };
	}
	text = strdup(buf);
	free(buf);
	return (struct dat_text){ text, text ? strlen(text) : 0 };
}

static void free_text(const struct dat_text *t) { free((char *)(uintptr_t)t->s); }

static struct dat_text root_text(const struct keeper *k, const char *file, size_t most)
{
	char path[FILE_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tracer_of(k)->root, file);
	return read_text(path, most);
}

static void add_format(struct keeper *k, const char *event)
{
	struct dat *d = &k->dat;
	char file[160];
	size_t len = strcspn(event, "/");

	if (d->nr_formats == FORMATS_MOST)
		return;
	snprintf(k->systems[d->nr_formats], sizeof(k->systems[0]), "%.*s", (int)len, event);
	snprintf(file, sizeof(file), "events/%s/format", event);
	k->formats[d->nr_formats] = (struct dat_format){ k->systems[d->nr_formats], root_text(k, file, TEXT_MOST) };
	d->nr_formats++;
}

static int read_formats(struct keeper *k)
{
	struct dat *d = &k->dat;
	const char *event;

	d->page_size = tracer_of(k)->page_size;
	d->cpus = tracer_of(k)->cpus;
	d->formats = k->formats;
	d->header_page = root_text(k, "events/header_page", TEXT_MOST);
	d->header_event = root_text(k, "events/header_event", TEXT_MOST);
	add_format(k, "ftrace/print");
	for (u32 i = 0; (event = tracer_event(tracer_of(k), i)); i++)
		add_format(k, event);
	for (u32 i = 1; i < d->nr_formats; i++)
		if (!d->formats[i].text.len)
			return err_set(err_of(k), ERR_HOST, "the format of an event cannot be read below %s/events", tracer_of(k)->root);
	return 0;
}

/* ---- marks ---- */

static void put_mark(void *ctx, const char *line)
{
	const struct keeper *k = ctx;
	char text[FACT_LINE_MOST + 32];
	int len = snprintf(text, sizeof(text), "fairground %s\n", line);

	if (k->marker >= 0 && len < (int)sizeof(text) && write(k->marker, text, (size_t)len) != len)
		return; /* a mark less: whoever reads will miss it, and say so */
}

/* Members that are new: they are told, and their events recorded too. */
static int take_members(struct keeper *k, u32 first)
{
	const struct fact_sink sink = { put_mark, k };
	u32 nr = k->members.nr - first;
	s32 *tids;
	int ret;

	if (!nr)
		return 0;
	facts_members(&sink, &k->members, first);
	if (!k->filtered || !first)
		return 0;
	tids = malloc(nr * sizeof(*tids));
	if (!tids)
		return err_set(err_of(k), ERR_HOST, "out of memory");
	for (u32 i = 0; i < nr; i++)
		tids[i] = k->members.v[first + i].tid;
	ret = tracer_filter(tracer_of(k), tids, nr, true);
	free(tids);
	return ret ? err_set(err_of(k), ERR_HOST, "cannot record more threads: %s", strerror(-ret)) : 0;
}

/* The first filter: an empty list would mean everybody, so this process stands for nobody. */
static int filter(struct keeper *k)
{
	u32 nr = k->members.nr;
	s32 *tids = malloc((nr + 1) * sizeof(*tids));
	int ret;

	if (!tids)
		return err_set(err_of(k), ERR_HOST, "out of memory");
	for (u32 i = 0; i < nr; i++)
		tids[i] = k->members.v[i].tid;
	tids[nr] = getpid();
	ret = tracer_filter(tracer_of(k), nr ? tids : tids + nr, nr ? nr : 1, false);
	free(tids);
	k->filtered = k->r->end->filtered = !ret;
	return ret == -ENOENT ? 0 : ret ? err_set(err_of(k), ERR_HOST, "cannot choose threads (set_event_pid): %s", strerror(-ret)) : 0;
}

/* ---- one after the other ---- */

static int set_up(struct keeper *k)
{
	char path[FILE_PATH_MAX];
	struct recording *r = k->r;

	if (outfile_open(&k->o, r->ask->output, false, err_of(k)) || tracer_make(&r->tracer, r->ask->buffer_kb, err_of(k)) || read_formats(k) ||
	    pump_init(&k->pump, &r->tracer, r->ask->output, err_of(k)))
		return -1;
	k->marker = open(tracer_path(&r->tracer, "trace_marker", path, sizeof(path)), O_WRONLY | O_CLOEXEC);
	r->end->event_cost = event_cost(&r->tracer);
	members_look(&k->members, &r->target);
	facts_groups(&k->groups, &r->target);
	return r->target.kind == TARGET_ALL ? 0 : filter(k);
}

static int switch_on(struct keeper *k)
{
	const struct fact_sink sink = { put_mark, k };
	const struct target *t = &k->r->target;
	int ret = tracer_switch(tracer_of(k), true);

	if (ret)
		return err_set(err_of(k), ERR_HOST, "cannot switch the tracer on: %s", strerror(-ret));
	k->began = clock_of(CLOCK_MONOTONIC);
	k->cpu_began = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	facts_head(&sink, "record", t, k->filtered, 0);
	facts_limits(&sink, t, &k->groups);
	facts_stats(&sink, t, &k->groups, "before");
	facts_members(&sink, &k->members, 0);
	return 0;
}

/* Turns until the time is over, or somebody says so. */
static enum guard_word go_round(struct keeper *k, int alive)
{
	u64 now = clock_of(CLOCK_MONOTONIC), end = now + k->r->ask->duration, look = now + LOOK_EVERY;
	enum guard_word word = GUARD_GO_ON;

	while (now < end && word == GUARD_GO_ON) {
		word = guard_wait(alive, min_u64(k->pump.every, end - now));
		if (pump_turn(&k->pump, err_of(k)))
			return GUARD_ABANDON;
		now = clock_of(CLOCK_MONOTONIC);
		if (now < look || k->r->target.kind == TARGET_ALL)
			continue;
		look = now + LOOK_EVERY;
		if (take_members(k, members_look(&k->members, &k->r->target)))
			return GUARD_ABANDON;
	}
	return word == GUARD_ABANDON ? word : GUARD_END;
}

static u64 stat_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* What each CPU's buffer says it held and lost. */
static int read_stats(struct keeper *k)
{
	struct record_end *end = k->r->end;
	char file[64], path[FILE_PATH_MAX];

	k->stats = calloc(k->dat.cpus, sizeof(*k->stats));
	if (!k->stats)
		return err_set(err_of(k), ERR_HOST, "out of memory");
	k->dat.stats = k->stats;
	for (u32 cpu = 0; cpu < k->dat.cpus; cpu++) {
		struct dat_text text;
		char *whole;

		snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
		text = read_text(tracer_path(tracer_of(k), file, path, sizeof(path)), TEXT_MOST);
		whole = NULL;
		if (text.len && asprintf(&whole, "CPU: %u\n%s", cpu, text.s) < 0)
			whole = NULL;
		free_text(&text);
		if (!whole)
			continue;
		end->events += stat_number(whole, "read events: ");
		end->lost += stat_number(whole, "\noverrun: ") + stat_number(whole, "commit overrun: ") + stat_number(whole, "dropped events: ");
		k->stats[cpu] = (struct dat_text){ whole, strlen(whole) };
	}
	return 0;
}

static int switch_off(struct keeper *k)
{
	const struct fact_sink sink = { put_mark, k };
	struct record_end *end = k->r->end;

	facts_stats(&sink, &k->r->target, &k->groups, "after");
	tracer_switch(tracer_of(k), false);
	end->wall = clock_of(CLOCK_MONOTONIC) - k->began;
	if (pump_rest(&k->pump, err_of(k)) || read_stats(k))
		return -1;
	end->cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - k->cpu_began;
	end->threads = k->members.nr;
	end->cpus = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	end->mono = tracer_of(k)->mono;
	return 0;
}

/* ---- the file ---- */

/* Names of the members; of the whole machine those that the kernel has saved. */
static struct dat_text names(const struct keeper *k)
{
	struct dat_text saved = k->filtered ? (struct dat_text){ NULL, 0 } : root_text(k, "saved_cmdlines", NAMES_MOST);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return saved;
	for (u32 i = 0; i < k->members.nr; i++)
		fprintf(out, "%d %s\n", k->members.v[i].tid, k->members.v[i].name);
	if (saved.len)
		fwrite(saved.s, saved.len, 1, out);
	fputc('\0', out);
	fclose(out);
	free_text(&saved);
	return (struct dat_text){ text, len };
}

static void write_file(struct keeper *k)
{
	struct record_end *end = k->r->end;
	struct utsname uts;

	uname(&uts);
	/* the machine's name is nobody's business */
	snprintf(k->uname, sizeof(k->uname), "%s host %.64s %.100s %.64s", uts.sysname, uts.release, uts.version, uts.machine);
	k->dat.uname = (struct dat_text){ k->uname, strlen(k->uname) };
	k->dat.fds = k->pump.spools;
	k->dat.sizes = k->pump.sizes;
	if (!dat_write(k->o.out, &k->dat)) {
		err_set(err_of(k), ERR_HOST, "%s cannot be written: %s", k->r->ask->output, strerror(errno ? errno : EIO));
		return;
	}
	end->bytes = (u64)max_s64(ftello(k->o.out), 0);
	end->complete = !outfile_close(&k->o, err_of(k));
}

static void read_clock(struct keeper *k)
{
	char path[FILE_PATH_MAX];

	k->dat.clock = read_text(tracer_path(tracer_of(k), "trace_clock", path, sizeof(path)), TEXT_MOST);
}

static bool record(struct keeper *k, int alive)
{
	enum guard_word word;

	if (set_up(k) || switch_on(k))
		return false;
	word = go_round(k, alive);
	return word == GUARD_END && !switch_off(k);
}

static void fini(struct keeper *k)
{
	if (k->o.out)
		outfile_drop(&k->o);
	pump_fini(&k->pump);
	members_fini(&k->members);
	facts_groups_fini(&k->groups);
	for (u32 i = 0; i < k->dat.nr_formats; i++)
		free_text(&k->formats[i].text);
	for (u32 i = 0; k->stats && i < k->dat.cpus; i++)
		free_text(&k->stats[i]);
	free(k->stats);
	free_text(&k->dat.header_page);
	free_text(&k->dat.header_event);
	free_text(&k->dat.clock);
	free_text(&k->dat.names);
}

void record_trace(void *recording, int alive)
{
	struct recording *r = recording;
	struct keeper k = { .r = r, .marker = -1 };
	bool fine;

	members_init(&k.members);
	fine = record(&k, alive);
	if (fine) {
		read_clock(&k);
		k.dat.names = names(&k);
	}
	if (k.marker >= 0)
		close(k.marker);
	pump_close(&k.pump);
	if (!tracer_remove(&r->tracer, PATIENCE))
		err_set(&r->end->err, ERR_HOST, "%s could not be removed", r->tracer.dir);
	else if (fine)
		write_file(&k);
	fini(&k);
}
