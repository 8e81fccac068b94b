/* SPDX-License-Identifier: MIT */
/*
 * align.c - pairs two sequences of switches, and says where they part.
 *
 * The pairing is the classic one of two texts, in a band around the diagonal: a switch left alone costs ALIGN_GAP, a pair
 * costs its distance in time.  So nothing is paired across a period, and a wakeup that happened twice in one of them leaves
 * the nearer one to its partner.
 *
 * Law: pairs do not cross, and both ends of a pair name the same thread.
 */
#include "oracle/align.h"

#include <stdlib.h>
#include <string.h>

#include "oracle/stage.h"

#define BAND 512 /* how far, in switches, the two may drift apart beyond their difference in length */

int switch_log_init(struct switch_log *log, u32 nr_cpus)
{
	log->cpu = calloc(nr_cpus, sizeof(*log->cpu));
	log->nr_cpus = nr_cpus;
	return log->cpu ? 0 : -1;
}

void switch_log_free(struct switch_log *log)
{
	for (u32 i = 0; log->cpu && i < log->nr_cpus; i++)
		free(log->cpu[i].v);
	free(log->cpu);
	*log = (struct switch_log){ 0 };
}

int switch_log_add(struct switch_log *log, u32 cpu, s64 time, u32 who)
{
	struct switch_list *l;

	if (cpu >= log->nr_cpus)
		return 0;
	l = &log->cpu[cpu];
	if ((l->nr ? l->v[l->nr - 1].who : WHO_IDLE) == who)
		return 0;
	if (l->nr == l->cap) {
		u32 cap = l->cap ? l->cap * 2 : 256;
		struct switch_point *v = realloc(l->v, cap * sizeof(*v));

		if (!v)
			return -1;
		l->v = v;
		l->cap = cap;
	}
	l->v[l->nr++] = (struct switch_point){ time, who };
	return 0;
}

/* New names for the threads of @set, whose first is number @first, into @name. */
static void rename_set(struct switch_log *log, const struct wl_set *s, u32 first, u32 *name)
{
	bool alike = !s->free && !s->spread && (u32)s->cpu < log->nr_cpus;
	const struct switch_list *l = alike ? &log->cpu[s->cpu] : NULL;
	u32 next = first;

	for (u32 i = 0; i < s->count; i++)
		name[first + i] = alike ? WHO_IDLE : first + i;
	for (u32 i = 0; l && i < l->nr; i++)
		if (l->v[i].who >= first && l->v[i].who < first + s->count && name[l->v[i].who] == WHO_IDLE)
			name[l->v[i].who] = next++;
}

int switch_log_rename(struct switch_log *log, const struct measured *m)
{
	u32 n = 1, *name;

	for (u32 i = 0; i < m->spec.nr_sets; i++)
		n += m->spec.sets[i].count;
	name = calloc(n, sizeof(*name));
	if (!name)
		return -1;
	n = 1;
	for (u32 i = 0; i < m->spec.nr_sets; n += m->spec.sets[i++].count)
		rename_set(log, &m->spec.sets[i], n, name);
	for (u32 cpu = 0; cpu < log->nr_cpus; cpu++)
		for (u32 i = 0; i < log->cpu[cpu].nr; i++)
			log->cpu[cpu].v[i].who = name[log->cpu[cpu].v[i].who];
	free(name);
	return 0;
}

/* ---- pairing ---- */

enum move { MOVE_NONE, MOVE_PAIR, MOVE_MODEL, MOVE_REAL };

struct band {
	u32 nr_model, nr_real, width; /* width of a row: real indices around the diagonal */
	u8 *move;		      /* [model][real - first of the row] */
	u64 *cost, *before;	      /* two rows */
};

static u64 distance(s64 a, s64 b) { return (u64)(a > b ? a - b : b - a); }

/* First index of @real that row @i of the band holds; the diagonal is stretched over both lengths. */
static s64 row_first(const struct band *b, u32 i)
{
	u64 middle = b->nr_model ? (u64)i * b->nr_real / b->nr_model : 0;

	return (s64)middle - b->width / 2;
}

static u64 cost_at(const struct band *b, const u64 *row, u32 i, s64 k)
{
	s64 at = k - row_first(b, i);

	return at < 0 || at >= (s64)b->width || k < 0 ? NEVER / 2 : row[at];
}

static void fill_cell(struct band *b, u32 i, s64 k, const struct switch_list *model, const struct switch_list *real)
{
	u64 best = NEVER / 2, c;
	u8 move = MOVE_NONE;

	if (!i && !k)
		best = 0;
	if (i && k) {
		u64 apart = distance(model->v[i - 1].time, real->v[k - 1].time);

		c = cost_at(b, b->before, i - 1, k - 1);
		if (model->v[i - 1].who == real->v[k - 1].who && apart < 2 * ALIGN_GAP && c + apart < best) {
			best = c + apart;
			move = MOVE_PAIR;
		}
	}
	if (i && (c = cost_at(b, b->before, i - 1, k) + ALIGN_GAP) < best) {
		best = c;
		move = MOVE_MODEL;
	}
	if (k && (c = cost_at(b, b->cost, i, k - 1) + ALIGN_GAP) < best) {
		best = c;
		move = MOVE_REAL;
	}
	b->cost[k - row_first(b, i)] = best;
	b->move[(u64)i * b->width + (u64)(k - row_first(b, i))] = move;
}

static void fill_band(struct band *b, const struct switch_list *model, const struct switch_list *real)
{
	for (u32 i = 0; i <= b->nr_model; i++) {
		u64 *row = b->before;

		b->before = b->cost;
		b->cost = row;
		for (u32 at = 0; at < b->width; at++)
			b->cost[at] = NEVER / 2;
		for (s64 at = 0; at < (s64)b->width; at++) {
			s64 k = row_first(b, i) + at;

			if (k >= 0 && k <= (s64)b->nr_real)
				fill_cell(b, i, k, model, real);
		}
	}
}

static void walk_back(const struct band *b, s32 *pair)
{
	u32 i = b->nr_model;
	s64 k = b->nr_real;

	while (i || k) {
		s64 at = k - row_first(b, i);
		u8 move = at < 0 || at >= (s64)b->width ? MOVE_NONE : b->move[(u64)i * b->width + (u64)at];

		if (move == MOVE_NONE)
			return; /* outside the band: what is left stays alone */
		if (move == MOVE_PAIR)
			pair[i - 1] = (s32)(k - 1);
		i -= move != MOVE_REAL;
		k -= move != MOVE_MODEL;
	}
}

int align_pairs(const struct switch_list *model, const struct switch_list *real, s32 *pair)
{
	struct band b = { .nr_model = model->nr, .nr_real = real->nr };
	int ret = -1;

	b.width = 2 * BAND + 1;
	if (model->nr < 2 * BAND && real->nr < 2 * BAND)
		b.width = 2 * (max_u64(model->nr, real->nr) + 1) + 1;
	b.move = calloc((size_t)(model->nr + 1) * b.width, 1);
	b.cost = malloc(b.width * sizeof(*b.cost));
	b.before = malloc(b.width * sizeof(*b.before));
	if (b.move && b.cost && b.before) {
		for (u32 i = 0; i < model->nr; i++)
			pair[i] = -1;
		for (u32 at = 0; at < b.width; at++)
			b.cost[at] = NEVER / 2;
		fill_band(&b, model, real);
		walk_back(&b, pair);
		ret = 0;
	}
	free(b.move);
	free(b.cost);
	free(b.before);
	return ret;
}

/* ---- comparing ---- */

#define NEAR_FEW (50 * US)   /* up to 4 virtual CPUs: they share one instruction counter in turns of 5 us */
#define NEAR_MANY (150 * US) /* more */

struct comparer {
	struct oracle_alignment *a;
	const struct measured *m;
	struct arena *mem;
	u32 nr_who;
	s64 *last_model, *last_real; /* time of each one's last pair on this CPU; INT64_MIN: none */
};

static const char *who_name(struct comparer *c, u32 who)
{
	char buf[32];
	u32 n = 1;

	for (u32 set = 0; who != WHO_IDLE && set < c->m->spec.nr_sets; n += c->m->spec.sets[set++].count)
		if (who < n + c->m->spec.sets[set].count)
			return arena_strdup(c->mem, stage_thread_name(c->m, set, who - n, buf, sizeof(buf)));
	return "idle";
}

static u32 take_context(struct comparer *c, const struct switch_list *l, u32 at, struct oracle_switch *out, u32 *which)
{
	u32 from = at > ORACLE_CONTEXT ? at - ORACLE_CONTEXT : 0, n = 0;

	for (u32 i = from; i < l->nr && i <= at + ORACLE_CONTEXT; i++) {
		if (i == at)
			*which = n;
		out[n++] = (struct oracle_switch){ who_name(c, l->v[i].who), l->v[i].time };
	}
	return n;
}

/* Index of the first switch of @l at or after @time; the last one where there is none. */
static u32 near_time(const struct switch_list *l, s64 time)
{
	u32 i = 0;

	while (i + 1 < l->nr && l->v[i].time < time)
		i++;
	return i;
}

static void diverged(struct comparer *c, enum oracle_diverge how, u32 cpu, s64 time, const struct switch_list *model, u32 i,
		     const struct switch_list *real, u32 k)
{
	struct oracle_alignment *a = c->a;

	if (a->diverge != DIVERGE_NONE && a->time <= time)
		return;
	a->diverge = how;
	a->cpu = (int)cpu;
	a->time = time;
	a->nr_model_context = take_context(c, model, i, a->model_context, &a->model_at);
	a->nr_real_context = take_context(c, real, k, a->real_context, &a->real_at);
}

static void compare_pair(struct comparer *c, u32 cpu, const struct switch_list *model, u32 i, const struct switch_list *real,
			 u32 k)
{
	u32 who = model->v[i].who;
	s64 tm = model->v[i].time, tr = real->v[k].time;

	c->a->matched++;
	if (c->last_model[who] != INT64_MIN) {
		u64 apart = distance(tm - c->last_model[who], tr - c->last_real[who]);

		c->a->intervals++;
		c->a->worst = max_u64(c->a->worst, apart);
		c->a->apart += min_u64(apart, 2 * c->a->tolerance);
		if (apart <= c->a->tolerance)
			c->a->near++;
		else
			diverged(c, DIVERGE_TIME, cpu, tm < tr ? tm : tr, model, i, real, k);
	}
	c->last_model[who] = tm;
	c->last_real[who] = tr;
}

static void compare_paired(struct comparer *c, u32 cpu, const struct switch_list *model, const struct switch_list *real,
			   const s32 *pair)
{
	u32 k = 0;

	for (u32 i = 0; i <= c->nr_who; i++)
		c->last_model[i] = INT64_MIN;
	for (u32 i = 0; i < model->nr; i++) {
		if (pair[i] < 0) {
			if (real->nr)
				diverged(c, DIVERGE_WHO, cpu, model->v[i].time, model, i, real,
					 near_time(real, model->v[i].time));
			continue;
		}
		for (; k < (u32)pair[i]; k++)
			diverged(c, DIVERGE_WHO, cpu, real->v[k].time, model, near_time(model, real->v[k].time), real, k);
		compare_pair(c, cpu, model, i, real, k++);
	}
	for (; k < real->nr && model->nr; k++)
		diverged(c, DIVERGE_WHO, cpu, real->v[k].time, model, near_time(model, real->v[k].time), real, k);
}

static int compare_cpu(struct comparer *c, u32 cpu, const struct switch_list *model, const struct switch_list *real)
{
	s32 *pair = malloc((model->nr + 1) * sizeof(*pair));

	c->a->model += model->nr;
	c->a->real += real->nr;
	if (!pair || align_pairs(model, real, pair)) {
		free(pair);
		return -1;
	}
	compare_paired(c, cpu, model, real, pair);
	free(pair);
	return 0;
}

static u32 count_threads(const struct measured *m)
{
	u32 n = 0;

	for (u32 i = 0; i < m->spec.nr_sets; i++)
		n += m->spec.sets[i].count;
	return n;
}

int align_logs(struct oracle_alignment *a, const struct measured *m, const struct switch_log *model,
	       const struct switch_log *real, struct arena *mem)
{
	struct comparer c = { .a = a, .m = m, .mem = mem, .nr_who = count_threads(m) };
	int ret = 0;

	a->tolerance = m->vcpus <= 4 ? NEAR_FEW : NEAR_MANY;
	c.last_model = malloc((c.nr_who + 1) * sizeof(*c.last_model));
	c.last_real = malloc((c.nr_who + 1) * sizeof(*c.last_real));
	if (!c.last_model || !c.last_real)
		ret = -1;
	for (u32 cpu = 0; !ret && cpu < model->nr_cpus && cpu < real->nr_cpus; cpu++)
		ret = compare_cpu(&c, cpu, &model->cpu[cpu], &real->cpu[cpu]);
	free(c.last_model);
	free(c.last_real);
	return ret;
}
