/* SPDX-License-Identifier: MIT */
/* trace_say.c - what a recording says about its threads, and what it cannot say. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/light.h"
#include "text/format.h"
#include "trace/recover_ways.h"

#define PROGRAMS_MOST 8

void sentences_add(struct sentences *s, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = malloc((size_t)len + 1);
	if (s->nr == s->cap) {
		char **more = realloc(s->v, (s->cap + 16) * sizeof(*more));

		if (more) {
			s->v = more;
			s->cap += 16;
		}
	}
	if (!text || s->nr == s->cap) {
		free(text);
		return; /* a sentence less is no reason to stop */
	}
	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	s->v[s->nr++] = text;
}

void sentences_fini(struct sentences *s)
{
	while (s->nr)
		free(s->v[--s->nr]);
	free(s->v);
	*s = (struct sentences){ 0 };
}

/* ---- what a thread does ---- */

static void say_waking(char *buf, size_t size, const struct recovered_thread *t)
{
	char len[FORMAT_MAX];
	u64 wakes = 0;

	for (int k = WAKE_SLEEP; k < NR_WAKE_KINDS; k++)
		wakes += t->wakes[k];
	switch (t->kind) {
	case WAKE_SLEEP:
		if (t->length)
			snprintf(buf, size, "sleeps %s by a timer set anew each time (%" PRIu64 " of %" PRIu64 " wakeups fit)",
				 format_time(len, t->length), t->regular, wakes);
		else
			snprintf(buf, size, "sleeps by timers of differing lengths, %s in the middle", format_time(len, t->sleep_p50));
		break;
	case WAKE_PERIOD:
		snprintf(buf, size, "is woken each %s by a timer that keeps its grid (%" PRIu64 " of %" PRIu64 " wakeups fit)",
			 format_time(len, t->length), t->regular, wakes);
		break;
	case WAKE_TASK:
		snprintf(buf, size, "waits for other threads of the group (%" PRIu64 " of %" PRIu64 " wakeups)", t->wakes[WAKE_TASK], wakes);
		break;
	case WAKE_OUTSIDE:
		snprintf(buf, size, "is woken from outside; the %" PRIu64 " recorded times are kept", t->wakes[WAKE_OUTSIDE]);
		break;
	case WAKE_IO:
		snprintf(buf, size, "waits for devices, %s in the middle", format_time(len, t->sleep_p50));
		break;
	default:
		snprintf(buf, size, "never sleeps");
		break;
	}
}

static void say_program(struct sentences *s, const struct traced *t, u32 i)
{
	const struct recovered_thread *th = &t->rec.threads[i];
	char waking[160], p50[FORMAT_MAX], min[FORMAT_MAX], max[FORMAT_MAX], cpu[FORMAT_MAX];

	say_waking(waking, sizeof(waking), th);
	if (th->bursts)
		sentences_add(s, "%s: %" PRIu64 " bursts of %s CPU (%s to %s), %s", t->rec.sc.tasks[i].name, th->bursts,
			      format_time(p50, th->run_p50), format_time(min, th->run_min), format_time(max, th->run_max), waking);
	else
		sentences_add(s, "%s: one run of %s CPU, %s", t->rec.sc.tasks[i].name, format_time(cpu, th->cpu), waking);
}

void say_programs(struct sentences *s, const struct traced *t)
{
	u32 said = 0, quiet = 0;

	if (t->tr.light) {
		say_light_programs(s, t);
		return;
	}
	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++) {
		const struct recovered_thread *th = &t->rec.threads[i];
		bool counts = t->rec.counts[i] || th->throttled || th->cpu * 20 >= t->rec.figures.cpu;

		if (counts && said++ < PROGRAMS_MOST)
			say_program(s, t, i);
		else
			quiet++;
	}
	if (quiet)
		sentences_add(s, "and %u more thread%s", quiet, quiet == 1 ? "" : "s");
}

/* ---- what is not sure ---- */

static void say_threads(struct sentences *s, const struct traced *t)
{
	u32 polling = 0, busy = 0, first_busy = 0, ended = 0, first_ended = 0;
	bool open = false;
	u64 stops = 0, on_tick = 0;

	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++) {
		const struct recovered_thread *th = &t->rec.threads[i];

		if (th->polls_clock) {
			polling++;
			stops += th->stops;
			on_tick += th->stops_on_tick;
		}
		if (th->busy_to_end && !busy++)
			first_busy = i;
		open |= recover_end_is_open(&t->rec, i);
		if (th->exited && th->throttled && !th->bursts && !ended++)
			first_ended = i;
	}
	if (polling)
		sentences_add(s, "%" PRIu64 " of %" PRIu64 " throttles stop a thread between ticks: its running is charged more often, as when it "
			      "reads its own CPU clock, and it is replayed so.", stops - on_tick, stops);
	if (busy)
		sentences_add(s, "%s%s busy when the trace ends, and how much more is wanted is not known: a replay takes it for %s%s.",
			      t->rec.sc.tasks[first_busy].name, busy > 1 ? " and others are" : " is",
			      t->rec.threads[first_busy].endless ? "endless, as no thread of that name ever sleeps" : "no more than what ran, as threads of that name do sleep",
			      open ? "; its ranges are over both" : "");
	if (ended)
		sentences_add(s, "%s never sleeps and then exits: whether its work was done or its time was over does not show. A replay "
			      "takes it for a fixed amount of work.", t->rec.sc.tasks[first_ended].name);
}

static void say_holes(struct sentences *s, const struct traced *t)
{
	const struct trace_counts *c = &t->tr.counts;
	char slack[FORMAT_MAX], cpu[FORMAT_MAX];
	u64 settled = 0;

	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++)
		settled += t->rec.threads[i].settled;
	if (t->rec.figures.cpu_slack * 1000 > t->rec.figures.cpu)
		sentences_add(s, "Switches of the group are missing in the trace: %s of its %s of CPU time are not sure%s.",
			      format_time(slack, t->rec.figures.cpu_slack), format_time(cpu, t->rec.figures.cpu),
			      settled ? "; bursts with a hole were taken to be as long as the others" : "");
	if (c->lost)
		sentences_add(s, "The recorder lost %" PRIu64 " events: what ran there is unknown.", c->lost);
	if (c->jumps_back)
		sentences_add(s, "The clock of a CPU was set back %" PRIu64 " time%s: what lies around that is not sure.", c->jumps_back,
			      c->jumps_back == 1 ? "" : "s");
	if (c->bad_events || c->wild_times || c->unknown_lines || c->half_lines)
		sentences_add(s, "Passed over: damaged events %" PRIu64 ", lines of no known form %" PRIu64 "%s.", c->bad_events + c->wild_times,
			      c->unknown_lines,
			      c->half_lines ? ", an end that is cut off" : "");
}

static void say_sureness(struct sentences *s, const struct traced *t)
{
	const struct throttle_guess *g = &t->guess;
	char quota[FORMAT_MAX];

	if (g->source == LIMIT_INFERRED && g->sure < 0.5)
		sentences_add(s, "The limit is a guess: say --recorded LIMIT if you know it.");
	if ((g->source == LIMIT_GIVEN || g->source == LIMIT_FILE) && !g->phase_known && t->limit.quota != NEVER)
		sentences_add(s, "No gap shows where the periods of %s lie: refills are put at multiples of the period of the trace's "
			      "clock.", format_limit(quota, g->quota, g->period));
	if (g->source == LIMIT_NONE)
		sentences_add(s, "No limit shows: no pattern of gaps that only throttling makes. It may still have had one.");
	if (t->has_stat && g->phase_known && t->stat.nr_throttled != g->nr_throttled)
		sentences_add(s, "cpu.stat counts %" PRIu64 " throttled of %" PRIu64 " periods, the gaps show %" PRIu64 ".",
			      t->stat.nr_throttled, t->stat.nr_periods, g->nr_throttled);
	else if (t->has_stat && !g->phase_known)
		sentences_add(s, "The gaps of its threads lie on no grid; throttled and active periods are those of cpu.stat.");
	else if (t->has_stat && g->phase_known)
		sentences_add(s, "cpu.stat agrees: %" PRIu64 " throttled of %" PRIu64 " periods.", t->stat.nr_throttled, t->stat.nr_periods);
}

/* What a recording cuts off is missing in its figures, and long bursts are cut off more often than short ones. */
static void say_cut(struct sentences *s, const struct traced *t)
{
	const struct trace_figures *f = &t->rec.figures;
	u64 cut = t->rec.by_marks ? t->cut_requests : f->cut;
	const char *what = t->rec.by_marks ? "request" : "burst";

	if (cut && f->nr_latency)
		sentences_add(s, "%" PRIu64 " %s%s under way when the recording began or ended: not in p50 to max, which are the less sure the longer "
			      "%ss are beside the recording.", cut, what, cut == 1 ? " was" : "s were", what);
}

void say_limits_of_trace(struct sentences *s, const struct traced *t)
{
	char cpu[FORMAT_MAX];

	if (t->tr.light) {
		say_light(s, t);
		return;
	}
	say_sureness(s, t);
	if (t->tr.facts)
		say_other_limits(s, t->tr.facts);
	if (!t->hz)
		sentences_add(s, "The timer's frequency does not show; %u Hz is taken (--hz changes that in a replay).", t->rec.sc.machine.hz);
	say_threads(s, t);
	say_cut(s, t);
	say_adapts(s, t);
	say_holes(s, t);
	if (t->rec.other_tasks)
		sentences_add(s, "%u other task%s (%s of CPU) in the trace %s left out.", t->rec.other_tasks, t->rec.other_tasks == 1 ? "" : "s",
			      format_time(cpu, t->rec.other_cpu), t->rec.other_tasks == 1 ? "is" : "are");
}
