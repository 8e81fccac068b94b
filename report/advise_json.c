/* SPDX-License-Identifier: MIT */
/* advise_json.c - the answer, its proof and the alternatives for machines.  Times are whole us; shares are parts of 1. */
#include "report/advise.h"

static void put_value(struct json_write *j, const struct advise_view *v, const char *key, u64 value)
{
	if (v->of_latency)
		json_put_u64(j, key, value / US);
	else
		json_put_real(j, key, (double)value / 1e6, 6);
}

static void put_values(struct json_write *j, const struct advise_view *v, const struct advise_row *r)
{
	json_key(j, "quota_usec");
	if (r->quota == NEVER)
		json_string(j, NULL);
	else
		json_u64(j, r->quota / US);
	put_value(j, v, "value", r->value);
	put_value(j, v, "lo", r->lo);
	put_value(j, v, "hi", r->hi);
}

static void put_result(struct json_write *j, const char *key, const struct advise_row *r)
{
	static const struct result_detail detail;

	json_key(j, key);
	if (r && r->fates.result)
		result_json(j, r->fates.result, &detail);
	else
		json_string(j, NULL);
}

static void put_answer(struct json_write *j, const struct advise_view *v)
{
	json_put_begin(j, "answer", '{');
	json_put_string(j, "limit", v->answer ? v->answer->change : NULL);
	json_put_bool(j, "met", v->answer);
	if (v->answer) {
		put_values(j, v, v->answer);
		json_put_string(j, "price", v->answer->price);
		json_put_string(j, "confidence", v->answer->confidence);
	}
	put_result(j, "at", v->answer);
	put_result(j, "below", v->below);
	json_end(j);
}

static void put_alternative(struct json_write *j, const struct advise_view *v, const struct advise_row *r)
{
	json_begin(j, '{');
	json_put_string(j, "change", r->change);
	json_put_bool(j, "met", r->met);
	json_put_string(j, "price", r->price);
	json_put_string(j, "confidence", r->confidence);
	if (r->failed) {
		json_put_string(j, "failed", r->failed);
	} else {
		put_values(j, v, r);
		json_put_u64(j, "period_usec", r->period / US);
		json_put_u64(j, "burst_usec", r->burst / US);
		json_put_u64(j, "nr_throttled_hi", r->fates.hi.throttled);
		json_put_real(j, "throttled_share_hi", (double)r->share_hi / 1e6, 6);
		json_put_u64(j, "p50_usec_hi", r->fates.hi.latency[LATENCY_P50] / US);
		json_put_u64(j, "p99_usec_hi", r->fates.hi.latency[LATENCY_P99] / US);
		json_put_u64(j, "longest_pause_usec_hi", r->pause_hi / US);
		json_put_u64(j, "borrowed_usec_hi", r->borrowed_hi / US);
	}
	json_end(j);
}

void advise_json(struct json_write *j, const struct advise_view *v)
{
	char headline[ADVISE_HEADLINE_MAX];

	json_begin(j, '{');
	json_put_string(j, "target", v->target);
	json_put_string(j, "subject", v->subject);
	json_put_string(j, "group", v->group);
	json_put_u64(j, "phases", v->phases);
	json_put_begin(j, "now", '{');
	json_put_string(j, "limit", v->now->limit);
	json_put_bool(j, "met", v->now->met);
	put_values(j, v, v->now);
	json_end(j);
	put_answer(j, v);
	json_put_begin(j, "alternatives", '[');
	for (u32 i = 0; i < v->nr_alternatives; i++)
		put_alternative(j, v, &v->alternatives[i]);
	json_end(j);
	json_put_begin(j, "curve", '[');
	for (u32 i = 0; i < v->nr_curve; i++) {
		if (v->curve[i].failed)
			continue;
		json_begin_line(j, '{');
		put_values(j, v, &v->curve[i]);
		json_end(j);
	}
	json_end(j);
	json_put_begin(j, "paste", '[');
	for (u32 i = 0; i < v->nr_paste; i++)
		json_string(j, v->paste[i]);
	json_end(j);
	json_put_string(j, "headline", advise_headline(headline, sizeof(headline), v));
	json_put_begin(j, "sentences", '[');
	for (u32 i = 0; i < v->nr_sentences; i++)
		json_string(j, v->sentences[i]);
	json_end(j);
	json_end(j);
}
