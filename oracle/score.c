/* SPDX-License-Identifier: MIT */
/*
 * score.c - plays, judges, counts.
 *
 *	case --> cells with all costs ----+--> one oracle_cell each --> sums
 *	     '-> cells without the walk --'
 *
 * Law: each cell is in exactly one sum of each kind, so the sums of a kind add up to the number of cells.
 */
#include "oracle/score.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model.h"
#include "oracle/cells.h"
#include "oracle/play.h"
#include "oracle/beginning.h"
#include "text/memory.h"

void score_init(struct oracle_score *score)
{
	*score = (struct oracle_score){ .plays = STAGE_PASTS, .fitted = "the turns in which the emulator serves its CPUs, and longer walks where wakeups take longer" };
	arena_of_malloc(&score->mem);
}

void score_free(struct oracle_score *score)
{
	for (int by = 0; by < NR_ORACLE_BY; by++)
		free(score->sums[by]);
	free(score->cells);
	free(score->skips);
	arena_fini(&score->mem);
}

const char *measured_kind(const struct measured *m) { return wl_pinned(&m->spec) ? "pinned" : "unpinned"; }

const char *measured_id(const struct measured *m, struct arena *mem)
{
	bool again = !strcmp(m->source, "rerun");
	char buf[256];

	snprintf(buf, sizeof(buf), "%s/%s/%u%s", m->guest->label, m->name, m->vcpus, again ? " rerun" : "");
	return arena_strdup(mem, buf);
}

static bool name_matches(const char *name, const char *wanted)
{
	return !wanted || !strncmp(name, wanted, strlen(wanted)) || !fnmatch(wanted, name, 0);
}

bool score_wants(const struct score_options *opt, const struct measured *m)
{
	return guest_matches(m->guest, opt->row) && name_matches(m->name, opt->name) &&
	       (!opt->kind || !strcmp(opt->kind, measured_kind(m)));
}

/* ---- sums ---- */

static struct oracle_sum *sum_of(struct oracle_score *s, enum oracle_by by, const char *row, const char *kind, const char *name)
{
	struct oracle_sum *list = s->sums[by];

	for (u32 i = 0; i < s->nr_sums[by]; i++)
		if (!strcmp(list[i].row, row) && !strcmp(list[i].kind, kind) && (!name || !strcmp(list[i].name, name)))
			return &list[i];
	list = list_grown(list, s->nr_sums[by], &s->cap_sums[by], sizeof(*list));
	if (!list)
		return NULL;
	s->sums[by] = list;
	list[s->nr_sums[by]] = (struct oracle_sum){ .row = row, .kind = kind, .name = name };
	return &list[s->nr_sums[by]++];
}

static void tally_add(struct oracle_tally *t, bool zero, bool inside)
{
	if (zero) {
		t->zeros++;
		t->zeros_inside += inside;
	} else {
		t->cells++;
		t->inside += inside;
	}
}

static int sum_cell(struct oracle_score *s, const struct oracle_cell *c, bool inside_without)
{
	const char *names[NR_ORACLE_BY] = { NULL, c->family, c->figure };

	for (int by = 0; by < NR_ORACLE_BY; by++) {
		struct oracle_sum *sum = sum_of(s, (enum oracle_by)by, c->row, c->kind, names[by]);

		if (!sum)
			return -1;
		tally_add(&sum->with, c->zero, c->inside);
		tally_add(&sum->without, c->zero, inside_without);
	}
	return 0;
}

static int count_case(struct oracle_score *s, const char *row, const char *kind, const char *family)
{
	struct oracle_sum *all = sum_of(s, ORACLE_BY_ROW, row, kind, NULL);
	struct oracle_sum *part = sum_of(s, ORACLE_BY_FAMILY, row, kind, family);

	if (!all || !part)
		return -1;
	all->cases++;
	part->cases++;
	s->nr_cases++;
	return 0;
}

/* ---- one case ---- */

#define MAX_CASE_CELLS 512

struct collected {
	struct cell *cells;
	u32 nr;
};

static void collect(void *ctx, const struct cell *c)
{
	struct collected *all = ctx;

	if (all->nr < MAX_CASE_CELLS)
		all->cells[all->nr++] = *c;
}

static const char *subject_of(const struct measured *m, const struct cell *c, struct arena *mem)
{
	char buf[512], name[32];

	if (c->of_group)
		snprintf(buf, sizeof(buf), "/%s", m->spec.groups[c->group].path);
	else {
		stage_thread_name(m, c->set, 0, name, sizeof(name));
		*strchr(name, '.') = '\0';
		snprintf(buf, sizeof(buf), "%s", name);
	}
	return arena_strdup(mem, buf);
}

static int add_cell(struct oracle_score *s, const struct oracle_cell *proto, const struct measured *m, const struct cell *with,
		    const struct cell *without, const struct cause_list *causes)
{
	struct oracle_cell *list = list_grown(s->cells, s->nr_cells, &s->cap_cells, sizeof(*list)), *c;

	if (!list)
		return -1;
	s->cells = list;
	c = &list[s->nr_cells++];
	*c = *proto;
	c->figure = cell_figure_name(with->figure);
	c->subject = subject_of(m, with, &s->mem);
	c->is_time = cell_is_time(with->figure);
	c->zero = cell_of_zero(with);
	c->inside = cell_inside(with);
	c->real = with->real;
	c->model = with->model;
	c->tolerance = with->tolerance;
	c->off = cell_off(with);
	c->without = without->model;
	c->cause = c->inside ? NULL : cause_of(causes, c);
	return sum_cell(s, c, cell_inside(without));
}

static int by_model(const void *a, const void *b)
{
	double x = ((const struct cell *)a)->model, y = ((const struct cell *)b)->model;

	return (x > y) - (x < y);
}

/* Cell number @i of @nr plays, the one with the median of the model's value. */
static struct cell median_cell(const struct collected *plays, u32 nr, u32 i)
{
	struct cell all[STAGE_PASTS];

	for (u32 k = 0; k < nr; k++)
		all[k] = plays[k].cells[i];
	qsort(all, nr, sizeof(*all), by_model);
	return all[nr / 2];
}

/* The cells of @nr plays of @m, one after the other, into @plays; returns how many each of them has. */
static u32 collect_plays(const struct measured *m, struct played *p, u32 nr, bool phase_unknown, struct cell *room,
			 struct collected *plays)
{
	u32 least = MAX_CASE_CELLS;

	for (u32 k = 0; k < nr; k++) {
		plays[k] = (struct collected){ room + (size_t)k * MAX_CASE_CELLS, 0 };
		cells_judge(m, &p[k], phase_unknown, collect, &plays[k]);
		least = least < plays[k].nr ? least : plays[k].nr;
	}
	return least;
}

int score_add(struct oracle_score *s, const struct measured *m, struct played *with, struct played *without, u32 nr,
	      bool phase_unknown, const struct cause_list *causes)
{
	struct oracle_cell proto = { .kind = measured_kind(m), .family = wl_family_name(wl_family(&m->spec)) };
	struct cell *room = malloc((size_t)2 * nr * MAX_CASE_CELLS * sizeof(*room));
	struct collected a[STAGE_PASTS], b[STAGE_PASTS];
	char row[128];
	u32 cells;
	int ret;

	if (!room)
		return -1;
	proto.row = arena_strdup(&s->mem, guest_row_name(m->guest, row, sizeof(row)));
	proto.case_id = measured_id(m, &s->mem);
	cells = collect_plays(m, with, nr, phase_unknown, room, a);
	collect_plays(m, without, nr, phase_unknown, room + (size_t)nr * MAX_CASE_CELLS, b);
	ret = count_case(s, proto.row, proto.kind, proto.family);
	for (u32 i = 0; i < cells && !ret; i++) {
		struct cell c1 = median_cell(a, nr, i), c2 = median_cell(b, nr, i);

		ret = add_cell(s, &proto, m, &c1, &c2, causes);
	}
	free(room);
	return ret;
}

static int skip_case(struct oracle_score *s, const struct measured *m, const char *why)
{
	struct oracle_skip *list = list_grown(s->skips, s->nr_skips, &s->cap_skips, sizeof(*list));

	if (!list)
		return -1;
	s->skips = list;
	list[s->nr_skips++] = (struct oracle_skip){ measured_id(m, &s->mem), arena_strdup(&s->mem, why) };
	return 0;
}

static bool row_exists(const struct guest *guest)
{
	struct kernel_model model;

	return !model_init(&model, guest->row) && (!guest->rule || !model_set_rule(&model, guest->rule, NULL));
}

static int play_all(struct played *with, struct played *without, const struct measured *m, const struct stage_options *begun,
		    struct err *err)
{
	u64 wake;

	if (play_wake(&wake, m, begun, err))
		return -1;
	for (u32 past = 0; past < STAGE_PASTS; past++) {
		struct stage_options a = *begun, b = *begun;

		a.past = b.past = past;
		a.wake = wake;
		b.without_turns = true;
		if (play_case(&with[past], m, &a, err) || play_case(&without[past], m, &b, err))
			return -1;
	}
	return 0;
}

/* Play @m as often as it has pasts; how it began is in @begun. */
static int run_begun(struct oracle_score *s, const struct measured *m, const struct stage_options *begun,
		     const struct cause_list *causes)
{
	struct played with[STAGE_PASTS] = { 0 }, without[STAGE_PASTS] = { 0 };
	struct err err = { 0 };
	int ret;

	if (play_all(with, without, m, begun, &err))
		ret = skip_case(s, m, err.message);
	else
		ret = score_add(s, m, with, without, STAGE_PASTS, stage_phase_unknown(m, begun), causes);
	for (u32 past = 0; past < STAGE_PASTS; past++) {
		played_free(&with[past]);
		played_free(&without[past]);
	}
	return ret;
}

static int run_recorded(struct oracle_score *s, const struct measured *m, const char *traces, const struct cause_list *causes)
{
	struct stage_options begun = { 0 };
	struct beginning b = { 0 };
	struct recording r;
	struct err err = { 0 };
	int ret = -1;

	if (recording_read(&r, m, traces, &err)) {
		ret = skip_case(s, m, err.message);
	} else if (!beginning_find(&b, &r, m)) {
		beginning_apply(&b, &r, &begun);
		ret = run_begun(s, m, &begun, causes);
	}
	beginning_free(&b);
	recording_free(&r);
	return ret;
}

static int run_case(struct oracle_score *s, const struct measured *m, const char *traces, const struct cause_list *causes)
{
	const struct stage_options begun = { 0 };

	if (m->noisy)
		return skip_case(s, m, "other programs used the machine meanwhile (condition noisy)");
	if (!row_exists(m->guest))
		return skip_case(s, m, "its row or rule is not in this version");
	return m->trace && traces ? run_recorded(s, m, traces, causes) : run_begun(s, m, &begun, causes);
}

int score_run(struct oracle_score *score, const struct measured_list *list, const struct score_options *opt,
	      const struct cause_list *causes, struct err *err)
{
	score_init(score);
	for (const struct measured *m = list->first; m; m = m->next)
		if (score_wants(opt, m) && run_case(score, m, opt->traces, causes)) {
			err_set(err, ERR_HOST, "out of memory");
			return -1;
		}
	return 0;
}
