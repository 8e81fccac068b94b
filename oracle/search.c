/* SPDX-License-Identifier: MIT */
/*
 * search.c - plays a recorded case again and again, to find the beginning that the recording does not tell.
 *
 *	pasts of the case --> the best --> thread by thread: eight amounts that its CPU may hold, then look by look --> the best
 *
 * What a CPU held at the start, 0 to 1 ms, decides who is stopped when; it is what a thread's looks have left of a millisecond, and nobody counted
 * them.  So a comparison switch by switch says what the rules do from the beginning that fits best; the score is not made of it.
 */
#include "oracle/beginning.h"
#include "oracle/play.h"

struct searcher {
	const struct measured *m;
	const struct switch_log *real;
	struct stage_options opt;
	struct oracle_alignment *best;
	struct arena *mem;
	struct err *err;
};

/* Switches that one has and the other has not, and intervals that differ. */
static u32 differences(const struct oracle_alignment *a)
{
	return a->model - a->matched + a->real - a->matched + a->intervals - a->near;
}

static bool agrees_better(const struct oracle_alignment *a, const struct oracle_alignment *b)
{
	u32 da = differences(a), db = differences(b);

	return da != db ? da < db : a->apart < b->apart;
}

/* Play with the options as they are; 1: that agrees better than what was best, and is the best now; -1 with @s->err set. */
static int try_past(struct searcher *s)
{
	struct oracle_alignment now = { .trace = s->m->trace };
	struct switch_log model = { 0 };
	int ret = recording_play(&model, s->m, &s->opt, s->err);

	if (!ret && (switch_log_rename(&model, s->m) || align_logs(&now, s->m, &model, s->real, s->mem))) {
		err_set(s->err, ERR_HOST, "out of memory");
		ret = -1;
	}
	switch_log_free(&model);
	if (!ret && (!s->best->real || agrees_better(&now, s->best))) {
		*s->best = now;
		ret = 1;
	}
	return ret;
}

/*
 * A CPU keeps up to a millisecond, and each look takes some 8 us of it: with so many more looks it holds an eighth of a millisecond less.
 */
#define LOOKS_MORE 16
#define LOOKS_TRIES 8
#define LOOKS_ROUNDS 2
#define FEW_THREADS 3

/* Try number @k of @first looks: another eighth of the millisecond, or, @fine, so many looks more within it. */
static u32 other_looks(u32 first, u32 k, bool fine)
{
	u32 eighth = first / LOOKS_MORE % LOOKS_TRIES, more = first % LOOKS_MORE;

	if (fine)
		more = (more + k) % LOOKS_MORE;
	else
		eighth = (eighth + k) % LOOKS_TRIES;
	return eighth * LOOKS_MORE + more;
}

/* Thread after thread, as many looks as agree best. */
static int search_looks(struct searcher *s, u32 *looks, u32 threads, bool fine)
{
	u32 tries = fine ? LOOKS_MORE : LOOKS_TRIES;
	int ret = 0;

	for (u32 i = 0; i < threads && ret >= 0 && differences(s->best); i++) {
		u32 best = looks[i], first = best;

		for (u32 k = 1; k < tries && ret >= 0; k++) {
			looks[i] = other_looks(first, k, fine);
			ret = try_past(s);
			if (ret > 0)
				best = looks[i];
		}
		looks[i] = best;
	}
	return ret < 0 ? -1 : 0;
}

/* Round after round over the threads, until one brings nothing; then look by look. */
static int search_rounds(struct searcher *s, u32 *looks, u32 threads)
{
	for (u32 round = 0, before; round < LOOKS_ROUNDS; round++) {
		before = differences(s->best);
		if (search_looks(s, looks, threads, false))
			return -1;
		if (differences(s->best) == before)
			break;
	}
	return search_looks(s, looks, threads, true);
}

/* Number @start of 4^@threads starts: each CPU holds that many quarters of what it may keep. */
static void scatter_looks(u32 start, u32 *looks, u32 threads)
{
	for (u32 i = 0; i < threads; i++)
		looks[i] = 1 + LOOKS_TRIES * LOOKS_MORE / 4 * (start >> 2 * i & 3);
}

/* The same from the best of other starts. */
static int search_elsewhere(struct searcher *s, u32 *looks, u32 threads)
{
	struct oracle_alignment here = { 0 }, *best = s->best;
	u32 start = 0;
	int ret = 0;

	s->best = &here;
	for (u32 i = 0; i < 1u << 2 * threads && ret >= 0; i++) {
		scatter_looks(i, looks, threads);
		ret = try_past(s);
		start = ret > 0 ? i : start;
	}
	scatter_looks(start, looks, threads);
	if (ret >= 0)
		ret = search_rounds(s, looks, threads);
	s->best = best;
	if (!ret && agrees_better(&here, best))
		*best = here;
	return ret;
}

static bool differs_in_who(const struct oracle_alignment *a) { return a->matched < a->model || a->matched < a->real; }

/*
 * What the CPUs held at the start is the one thing a recording does not tell.  It is searched for from the best of the pasts on, thread by thread,
 * and once more from the best of other starts.
 */
static int search_past(struct searcher *s, u32 threads)
{
	u32 *looks = arena_alloc(s->mem, (threads + 1) * sizeof(*looks)), past = 0;
	int ret = 0;

	if (!looks)
		return err_set(s->err, ERR_HOST, "out of memory");
	for (s->opt.past = 0; s->opt.past < STAGE_PASTS; s->opt.past++) {
		ret = try_past(s);
		if (ret < 0)
			return -1;
		past = ret ? s->opt.past : past;
	}
	if (!wl_pinned(&s->m->spec))
		return 0;
	s->opt.past = past;
	for (u32 i = 0; i < threads; i++)
		looks[i] = stage_looks(s->m, &s->opt, i);
	s->opt.looks = looks;
	if (search_rounds(s, looks, threads))
		return -1;
	return differs_in_who(s->best) && threads <= FEW_THREADS ? search_elsewhere(s, looks, threads) : 0;
}

static int align_begun(struct searcher *s, struct recording *real, const struct beginning *b)
{
	if (switch_log_rename(&real->log, s->m))
		return err_set(s->err, ERR_HOST, "out of memory");
	beginning_apply(b, real, &s->opt);
	if (play_wake(&s->opt.wake, s->m, &s->opt, s->err))
		return -1;
	if (search_past(s, real->nr_threads))
		return -1;
	s->best->phase_known = s->m->guest->phase_random && b->phase[0] != NEVER;
	s->best->phase = b->phase[0];
	return 0;
}

int align_case(struct oracle_alignment *a, const struct measured *m, const char *traces, struct arena *mem, struct err *err)
{
	struct recording real = { 0 };
	struct beginning b = { 0 };
	struct searcher s = { .m = m, .real = &real.log, .best = a, .mem = mem, .err = err };
	int ret = -1;

	*a = (struct oracle_alignment){ 0 };
	if (!recording_read(&real, m, traces, err)) {
		if (beginning_find(&b, &real, m))
			err_set(err, ERR_HOST, "out of memory");
		else
			ret = align_begun(&s, &real, &b);
		beginning_free(&b);
	}
	recording_free(&real);
	return ret;
}
