/* SPDX-License-Identifier: MIT */
/* worst.c - the worst period of a group, for people and for machines. */
#include "report/worst.h"

#include "report/replay.h"

#include <inttypes.h>
#include <string.h>

#include "text/format.h"
#include "text/say.h"
#include "text/table.h"

#define STRANDED_LEAST (10 * US) /* worth a word */

const char *cause_because(const char *cause)
{
	static const struct { const char *cause, *because; } rows[] = {
		{ "burst", "its work comes in bursts" },
		{ "threads", "several CPUs use its quota up at once" },
		{ "stranded", "part of its quota lies unused on other CPUs" },
		{ "debt", "a period pays for what the one before ran over" },
		{ "tick", "its quota is no longer than a tick" },
		{ "own", "it wants more than its limit" },
		{ "kernel", "this kernel loses a part of its quota" },
		{ "parent", "a group above it is throttled" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].cause, cause))
			return rows[i].because;
	return cause;
}

/* ---- for people ---- */

static void put_stretches(FILE *out, const struct run_worst *w)
{
	const char *what = w->by_threads ? "thread" : "CPU";
	struct table t;
	char a[FORMAT_MAX], b[FORMAT_MAX];

	table_init(&t, "rlrl");
	for (u32 i = 0; i < w->nr_stretches; i++) {
		const struct run_stretch *s = &w->stretches[i];

		table_cell(&t, "+%s ms", format_ms(a, s->at));
		table_cell(&t, "%s", s->stopped ? s->most_cpus ? "throttled in part" : "throttled" : s->most_cpus ? "ran" : "idle");
		table_cell(&t, "%s ms", format_ms(a, s->len));
		if (s->stopped && s->most_cpus)
			table_cell(&t, "%u %s%s; %s ms of CPU time by others", s->stopped, what, s->stopped == 1 ? "" : "s", format_ms(b, s->cpu));
		else if (s->stopped)
			table_cell(&t, "%u %s%s", s->stopped, what, s->stopped == 1 ? "" : "s");
		else if (s->most_cpus)
			table_cell(&t, "on up to %u CPU%s at once, %s ms of CPU time", s->most_cpus, s->most_cpus == 1 ? "" : "s", format_ms(b, s->cpu));
		else
			table_cell(&t, "%s", "");
	}
	table_print(&t, out);
	table_fini(&t);
	if (w->nr_left_out)
		fprintf(out, "  ... and %u more change%s\n", w->nr_left_out, w->nr_left_out == 1 ? "" : "s");
}

/* "number 4, from 5.0382 s; quota 25.0 ms, 23.1 ms of it left when old debts were paid; used 23.6 ms by worker", into @buf. */
static void say_period(char *buf, size_t size, u64 quota, const struct run_worst *w)
{
	char a[FORMAT_MAX], shown[64];
	size_t len = (size_t)snprintf(buf, size, "number %" PRIu64 ", from %.4f s; quota %s ms", w->number, (double)w->start / (double)SEC,
				      format_ms(a, quota));

	if (w->granted && w->granted < quota)
		len += (size_t)snprintf(buf + len, size - len, ", %s ms of it left when old debts were paid", format_ms(a, w->granted));
	else if (!w->granted && !w->charged)
		len += (size_t)snprintf(buf + len, size - len, ", all of it for old debts");
	for (u32 i = 0; i < w->nr_spenders && len < size / 2; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s %s ms by %s", i ? "," : "; used", format_ms(a, w->spenders[i].cpu),
					say(shown, sizeof(shown), w->spenders[i].task));
	if (w->stranded > STRANDED_LEAST)
		snprintf(buf + len, size - len, "; stranded %s ms", format_ms(a, w->stranded));
}

void worst_text(FILE *out, const char *group, u64 quota, const struct run_worst *w)
{
	char line[1200], period[800], shown[300];

	if (!w->number)
		return;
	say_period(period, sizeof(period), quota, w);
	snprintf(line, sizeof(line), "worst period of %s: %s", say(shown, sizeof(shown), group), period);
	fputc('\n', out);
	text_flow(out, line, 0, 2);
	put_stretches(out, w);
}

/* ---- for machines ---- */

void worst_json_members(struct json_write *j, const struct run_worst *w)
{
	json_put_u64(j, "start_usec", w->start / US);
	json_put_u64(j, "granted", w->granted);
	json_put_u64(j, "charged", w->charged);
	json_put_u64(j, "stranded", w->stranded);
	json_put_u64(j, "debt", w->debt);
	json_put_u64(j, "cpus", w->cpus);
	json_put_u64(j, "throttled_usec", w->throttled / US);
	json_put_begin_line(j, "spent_usec", '{');
	for (u32 i = 0; i < w->nr_spenders; i++)
		json_put_u64(j, w->spenders[i].task, w->spenders[i].cpu / US);
	json_end(j);
	json_put_begin(j, "timeline", '[');
	for (u32 i = 0; i < w->nr_stretches; i++) {
		json_begin_line(j, '{');
		json_put_u64(j, "at_usec", w->stretches[i].at / US);
		json_put_u64(j, "usec", w->stretches[i].len / US);
		json_put_u64(j, "cpu_usec", w->stretches[i].cpu / US);
		json_put_u64(j, "cpus", w->stretches[i].most_cpus);
		json_put_u64(j, w->by_threads ? "throttled_threads" : "throttled_cpus", w->stretches[i].stopped);
		json_end(j);
	}
	json_end(j);
}

const char *cause_of_most(const struct cause_view *causes, u32 nr, const char *none)
{
	const struct cause_view *best = NULL;

	for (u32 i = 0; i < nr; i++)
		if (causes[i].periods && (!best || causes[i].periods > best->periods))
			best = &causes[i];
	return best ? cause_because(best->cause) : none;
}
