/* SPDX-License-Identifier: MIT */
/*
 * doctor_text.c - one screen on a recording.
 *
 *	what it is			events, most frequent first
 *	what can be asked of it		and why not more
 *	limits that show		of which groups
 *	how to record better
 */
#include "report/doctor.h"

#include <inttypes.h>
#include <string.h>

#include "text/format.h"
#include "text/table.h"

#define EVENTS_SHOWN 8
#define WIDTH 96

static void put_head(FILE *out, const struct doctor_view *v)
{
	char span[FORMAT_MAX], events[FORMAT_MAX], lost[FORMAT_MAX];

	text_put(out, v->file);
	fprintf(out, ": %s", v->format);
	if (v->sched_events || v->polls)
		fprintf(out, ", %s", format_time(span, v->span));
	if (v->cpus)
		fprintf(out, ", %d CPU%s", v->cpus, v->cpus == 1 ? "" : "s");
	if (v->hz)
		fprintf(out, ", ticks at %u Hz", v->hz);
	fputs("\nkernel ", out);
	text_put(out, v->kernel[0] ? v->kernel : "not said");
	fputs(", clock ", out);
	text_put(out, v->clock[0] ? v->clock : "not said");
	if (v->polls)
		fprintf(out, "; %s polls", format_count(events, v->polls));
	else
		fprintf(out, "; %s scheduler events, ", format_count(events, v->sched_events));
	if (v->lost)
		fprintf(out, "%s lost (%.2g %%)", format_count(lost, v->lost), doctor_lost_share(v) * 100);
	else if (!v->polls)
		fputs("none lost", out);
	if (v->bad)
		fprintf(out, ", %s damaged pieces passed over", format_count(events, v->bad));
	fputs("\n\n", out);
}

static void put_events(FILE *out, const struct doctor_view *v)
{
	char n[FORMAT_MAX];
	struct table t;
	u64 rest = 0;

	table_init(&t, "lr");
	table_heads(&t, "event|number");
	for (u32 i = 0; i < v->nr_events; i++) {
		if (i >= EVENTS_SHOWN) {
			rest += v->events[i].nr;
			continue;
		}
		table_cell(&t, "%s", v->events[i].name);
		table_cell(&t, "%s", format_count(n, v->events[i].nr));
	}
	if (rest) {
		table_cell(&t, "%u other kinds", v->nr_events - EVENTS_SHOWN);
		table_cell(&t, "%s", format_count(n, rest));
	}
	table_print(&t, out);
	table_fini(&t);
	fputc('\n', out);
}

static void put_answers(FILE *out, const struct doctor_view *v)
{
	static const char *const asks[] = { [CAN_THROTTLE_GAPS] = "throttling", [CAN_WAKE_EDGES] = "who wakes whom",
					    [CAN_MEMBERSHIP] = "who is in which group" };
	static const char *const words[] = { [CAN_NO] = "no", [CAN_PARTLY] = "partly", [CAN_YES] = "yes" };
	static const enum tone tones[] = { [CAN_NO] = TONE_BAD, [CAN_PARTLY] = TONE_PLAIN, [CAN_YES] = TONE_GOOD };
	struct table t;

	table_init(&t, "lll");
	table_heads(&t, "can it tell|answer|because");
	table_flow(&t, 2);
	for (int i = 0; i < NR_DOCTOR_QUESTIONS; i++) {
		table_cell(&t, "%s", asks[i]);
		table_tone(&t, tones[v->answers[i].can]);
		table_cell(&t, "%s", words[v->answers[i].can]);
		table_tone(&t, TONE_PLAIN);
		table_cell(&t, "%s", v->answers[i].why);
	}
	table_print(&t, out);
	table_fini(&t);
	fputc('\n', out);
}

static void put_limits(FILE *out, const struct doctor_view *v)
{
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];
	struct table t;

	if (!v->nr_limits) {
		if (v->answers[CAN_THROTTLE_GAPS].can != CAN_NO) {
			fputs("no limit shows in the gaps of any group", out);
			if (v->busiest[0]) {
				fputs("; most CPU time went to ", out);
				text_put(out, v->busiest);
			}
			fputc('\n', out);
		}
		return;
	}
	table_init(&t, "lrrlrrrr");
	table_heads(&t, "group|threads|CPU ms|limit that shows|quota, ms|sure|throttles|stopped ms");
	for (u32 i = 0; i < v->nr_limits; i++) {
		const struct doctor_limit *l = &v->limits[i];

		table_cell(&t, "%s", l->group);
		table_cell(&t, "%u", l->threads);
		table_cell(&t, "%s", format_ms(a, l->cpu));
		table_cell(&t, "%s", format_limit(a, l->quota, l->period));
		table_cell(&t, "%s..%s", format_ms(b, l->lo), format_ms(c, l->hi));
		table_cell(&t, "%.2f", l->sure);
		table_cell(&t, "%" PRIu64, l->throttles);
		table_cell(&t, "%s", format_ms(a, l->stopped));
	}
	table_print(&t, out);
	table_fini(&t);
}

/* A command over several lines, broken before an option, so that it can be pasted. */
static void put_command(FILE *out, const char *s)
{
	size_t column = 2;

	fputs("\nto record what is missing:\n  ", out);
	while (*s) {
		const char *next = strstr(s + 1, " -"); /* an option and its value stay together, and so does what is none */
		size_t len = next ? (size_t)(next - s) : strlen(s), value = 1 + strcspn(s + 1, " ");

		if (!next && !strncmp(s, " -", 2) && s[2] != '-' && s[value])
			len = value + 1 + strcspn(s + value + 1, " ");
		if (len > WIDTH / 2)
			len = value;
		if (column + len > WIDTH) {
			fputs(" \\\n   ", out);
			column = 3;
		}
		fwrite(s, 1, len, out);
		column += len;
		s += len;
	}
	fputc('\n', out);
}

/* The command that goes on from here, where one can. */
static void put_next(FILE *out, const struct doctor_view *v)
{
	char line[600];

	if (v->answers[CAN_THROTTLE_GAPS].can == CAN_NO)
		return;
	if (v->nr_limits)
		snprintf(line, sizeof(line), "next: fairground explain %.240s says why it was throttled, fairground advise %.240s which limit would end it", v->file,
			 v->file);
	else
		snprintf(line, sizeof(line), "next: fairground explain %.500s says who waited for what", v->file);
	fputc('\n', out);
	text_flow(out, line, 0, 2);
}

void doctor_text(FILE *out, const struct doctor_view *v)
{
	put_head(out, v);
	if (v->nr_events)
		put_events(out, v);
	put_answers(out, v);
	put_limits(out, v);
	put_next(out, v);
	if (v->record_with)
		put_command(out, v->record_with);
}
