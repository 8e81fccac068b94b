/* SPDX-License-Identifier: MIT */
/* doctor_json.c - what a recording can answer, for machines.  Times are whole us. */
#include "report/doctor.h"

static const char *const cans[] = { [CAN_NO] = "no", [CAN_PARTLY] = "partly", [CAN_YES] = "yes" };
static const char *const questions[] = { [CAN_THROTTLE_GAPS] = "throttle_gaps", [CAN_WAKE_EDGES] = "wake_edges",
					 [CAN_MEMBERSHIP] = "membership" };

double doctor_lost_share(const struct doctor_view *v)
{
	u64 kept = v->sched_events + v->other_events;

	return v->lost ? (double)v->lost / (double)(v->lost + kept) : 0;
}

static void put_limit(struct json_write *j, const struct doctor_limit *l)
{
	json_put_begin_line(j, l->group, '{');
	json_put_u64(j, "quota_usec", l->quota / US);
	json_put_u64(j, "period_usec", l->period / US);
	json_put_u64(j, "quota_lo_usec", l->lo / US);
	json_put_u64(j, "quota_hi_usec", l->hi / US);
	json_put_real(j, "sure", l->sure, 2);
	json_put_u64(j, "threads", l->threads);
	json_put_u64(j, "throttles", l->throttles);
	json_put_u64(j, "throttled_usec", l->stopped / US);
	json_end(j);
}

static void put_string_or_null(struct json_write *j, const char *key, const char *s) { json_put_string(j, key, s && *s ? s : NULL); }

void doctor_json(struct json_write *j, const struct doctor_view *v)
{
	json_begin(j, '{');
	json_put_string(j, "file", v->file);
	json_put_string(j, "format", v->format);
	json_put_begin(j, "events", '{');
	for (u32 i = 0; i < v->nr_events; i++)
		json_put_u64(j, v->events[i].name, v->events[i].nr);
	json_end(j);
	if (v->polls)
		json_put_u64(j, "polls", v->polls);
	json_put_u64(j, "lost", v->lost);
	json_put_real(j, "lost_share", doctor_lost_share(v), 4);
	json_put_u64(j, "damaged", v->bad);
	put_string_or_null(j, "clock", v->clock);
	put_string_or_null(j, "kernel", v->kernel);
	json_put_u64(j, "cpus", (u64)v->cpus);
	json_put_u64(j, "span_usec", v->span / US);
	json_put_begin(j, "can", '{');
	for (int i = 0; i < NR_DOCTOR_QUESTIONS; i++)
		json_put_string(j, questions[i], cans[v->answers[i].can]);
	json_end(j);
	json_put_begin(j, "why", '{');
	for (int i = 0; i < NR_DOCTOR_QUESTIONS; i++)
		json_put_string(j, questions[i], v->answers[i].why);
	json_end(j);
	json_put_begin(j, "suspected", '{');
	for (u32 i = 0; i < v->nr_limits; i++)
		put_limit(j, &v->limits[i]);
	json_end(j);
	json_put_string(j, "record_with", v->record_with);
	json_end(j);
}
