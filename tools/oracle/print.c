/* SPDX-License-Identifier: MIT */
/* print.c - what a case gave, as a line of JSON (tests/oracle/README.md describes it), and recordings. */
#include "tools/oracle/workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

#define PORT_OUT 0xe9 /* the emulator's debug port */

/* ---- output ---- */

void tell(struct output *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (o->cap - o->len < 4096) {
		o->cap = o->cap * 2 + 65536;
		o->text = realloc(o->text, o->cap);
		if (!o->text)
			abort();
	}
	va_start(ap, fmt);
	n = vsnprintf(o->text + o->len, o->cap - o->len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < o->cap - o->len)
		o->len += (size_t)n;
}

void send_bytes(const struct output *o, const char *text, size_t len)
{
#if defined(__x86_64__)
	size_t i;

	for (i = 0; o->port && i < len; i++)
		outb((unsigned char)text[i], PORT_OUT);
#endif
	if (!o->port && fwrite(text, 1, len, stdout) != len)
		exit(3);
}

void flush(struct output *o)
{
	send_bytes(o, o->text, o->len);
	o->len = 0;
	fflush(stdout);
}

/* ---- recording ---- */


void record(bool on)
{
	static const char *const events[] = { "sched_switch", "sched_wakeup", "sched_waking", "sched_wakeup_new", "sched_migrate_task" };
	char path[256];
	size_t i;

	file_write(TRACING "/tracing_on", "0", false);
	if (on) {
		file_write(TRACING "/buffer_size_kb", "3000", false);
		file_write(TRACING "/trace_clock", "mono", false);
		file_write(TRACING "/trace", "", true);
	}
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(path, sizeof(path), TRACING "/events/sched/%s/enable", events[i]);
		file_write(path, on ? "1" : "0", false);
	}
	file_write(TRACING "/tracing_on", on ? "1" : "0", false);
}

void print_recording(struct output *o, const char *name)
{
	FILE *in = fopen(TRACING "/trace", "r");
	char buf[65536];
	size_t n;

	tell(o, "#TRACE %s\n", name);
	flush(o);
	while (in && (n = fread(buf, 1, sizeof(buf), in)) > 0)
		send_bytes(o, buf, n);
	if (in)
		fclose(in);
	tell(o, "#ENDTRACE\n");
}

/* ---- printing ---- */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Ranks (n - 1) * q, to the nearest. */
static void say_times(struct output *o, const char *name, u64 *v, size_t n)
{
	static const struct { const char *name; double q; } rows[] = { { "min", 0 }, { "p50", .5 }, { "p95", .95 }, { "p99", .99 }, { "max", 1 } };
	double sum = 0;
	size_t i;

	if (!n)
		return;
	qsort(v, n, sizeof(*v), by_value);
	for (i = 0; i < n; i++)
		sum += (double)v[i];
	tell(o, ",\"%s_us\":{\"n\":%zu", name, n);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		tell(o, ",\"%s\":%.1f", rows[i].name, (double)v[(size_t)((double)(n - 1) * rows[i].q + .5)] / (double)US);
	tell(o, ",\"mean\":%.1f}", sum / (double)n / (double)US);
}

/* One kind of length over the threads of @set, @offset bytes into their samples. */
static void say_set_times(struct output *o, const struct run *r, const struct wl_set *set, const char *name, size_t offset)
{
	u64 *all = calloc((size_t)r->nr_threads * SAMPLES + 1, sizeof(*all));
	size_t n = 0;
	u32 i;

	for (i = 0; all && i < r->nr_threads; i++) {
		const struct thread *t = &r->threads[i];
		size_t mine = t->loops < SAMPLES ? (size_t)t->loops : SAMPLES;

		if (t->set != set)
			continue;
		memcpy(all + n, (const char *)t->s + offset, mine * sizeof(*all));
		n += mine;
	}
	if (all)
		say_times(o, name, all, n);
	free(all);
}

static void say_set(struct output *o, const struct run *r, const struct wl_set *set)
{
	u64 cpu = 0, loops = 0;
	u32 i;

	for (i = 0; i < r->nr_threads; i++) {
		if (r->threads[i].set != set)
			continue;
		cpu += r->threads[i].cpu1 - r->threads[i].cpu0;
		loops += r->threads[i].loops;
	}
	tell(o, "{\"cpu_us\":%" PRIu64 ",\"loops\":%" PRIu64, cpu / US, loops);
	if (!is_hog(set)) {
		say_set_times(o, r, set, "burn_wall", offsetof(struct samples4, wall));
		say_set_times(o, r, set, "wake_late", offsetof(struct samples4, wake));
		say_set_times(o, r, set, "response", offsetof(struct samples4, response));
		say_set_times(o, r, set, "burn_cpu", offsetof(struct samples4, cpu));
	}
	tell(o, "}");
}

static void say_group(struct output *o, const struct run *r, u32 i)
{
	const struct cgroup_stat *a = &r->before[i], *b = &r->after[i];

	tell(o, "{\"path\":\"%s\",\"usage_us\":%" PRIu64, r->spec->groups[i].path, (b->usage - a->usage) / US);
	if (b->has_bandwidth)
		tell(o, ",\"nr_periods\":%" PRIu64 ",\"nr_throttled\":%" PRIu64 ",\"throttled_us\":%" PRIu64, b->nr_periods - a->nr_periods,
		    b->nr_throttled - a->nr_throttled, (b->throttled - a->throttled) / US);
	if (b->has_burst)
		tell(o, ",\"nr_bursts\":%" PRIu64 ",\"burst_us\":%" PRIu64, b->nr_bursts - a->nr_bursts, (b->burst - a->burst) / US);
	tell(o, "}");
}

static void say_phases(struct output *o, const struct run *r)
{
	u32 i;

	if (!r->spec->align)
		return;
	tell(o, ",\"phase_us\":[");
	for (i = 0; i < r->spec->nr_groups; i++)
		if (r->phase[i] == NEVER)
			tell(o, "%s-1", i ? "," : "");
		else
			tell(o, "%s%.1f", i ? "," : "", (double)(r->phase[i] % r->spec->groups[i].period) / (double)US);
	tell(o, "]");
}

void say_line(struct output *o, const struct run *r, const char *text, const char *label, const char *hz)
{
	struct utsname u;
	u32 i;

	uname(&u);
	tell(o, "{\"case\":\"%s\",\"label\":\"%s\",\"kernel\":\"%s\",\"vcpus\":%ld,\"cgroup\":\"v%d\",\"hz\":%s,\"secs\":%g,\"setup_err\":%d,\"t0_ns\":%" PRIu64,
	    r->spec->name, label, u.release, sysconf(_SC_NPROCESSORS_ONLN), r->cg.version, hz, (double)r->spec->window / (double)SEC, r->refused,
	    r->t0);
	tell(o, ",\"spec\":\"%.*s\"", (int)strcspn(text, "\n"), text);
	say_phases(o, r);
	tell(o, ",\"groups\":[");
	for (i = 0; i < r->spec->nr_groups; i++) {
		tell(o, "%s", i ? "," : "");
		say_group(o, r, i);
	}
	tell(o, "],\"sets\":[");
	for (i = 0; i < r->spec->nr_sets; i++) {
		tell(o, "%s", i ? "," : "");
		say_set(o, r, &r->spec->sets[i]);
	}
	tell(o, "]}\n");
}
