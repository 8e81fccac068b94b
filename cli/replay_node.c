/* SPDX-License-Identifier: MIT */
/*
 * replay_node.c - takes a recording apart into groups and puts their programs on one machine.
 *
 * Contention is in it, since all that ran runs again; weights are not in a recording, so every group counts the same.
 */
#include "cli/replay_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pool.h"
#include "trace/facts.h"
#include "trace/group_pick.h"

#define FAMILIES_MOST 32   /* with a group of their own; the rest is one */
#define SURE_ENOUGH 0.85   /* of an inferred limit, to believe it: of many groups some show a grid by chance */
#define OTHERS "others"

struct node_part {
	char name[64];
	const char *path; /* of its cgroup, where the recording tells; or NULL */
	bool *member;
	struct recovered rec;
	bool recovered;
	struct throttle_guess guess;
	struct recover_limit limit;
	struct limited limited;
	u32 first_task; /* of the node's scenario */
};

/* ---- who is in which group ---- */

static struct node_part *add_part(struct node *n, const struct traced *t, const char *name)
{
	struct node_part *more = realloc(n->parts, (n->nr_parts + 1) * sizeof(*more)), *p;

	if (!more)
		return NULL;
	n->parts = more;
	p = &n->parts[n->nr_parts];
	memset(p, 0, sizeof(*p));
	p->member = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*p->member));
	if (!p->member)
		return NULL;
	snprintf(p->name, sizeof(p->name), "%s", name);
	for (char *c = p->name; *c; c++)
		if (*c == '/')
			*c = '-';
	n->nr_parts++;
	return p;
}

/* Whoever is in no part yet. */
static bool add_others(struct node *n, const struct traced *t)
{
	struct node_part *p;

	p = add_part(n, t, OTHERS);
	for (u32 i = 1; p && i < t->tr.nr_tasks; i++) {
		bool taken = false;

		for (u32 k = 0; k + 1 < n->nr_parts; k++)
			taken |= n->parts[k].member[i];
		p->member[i] = !taken;
	}
	return p;
}

static int by_user(struct node *n, const struct traced *t, const struct option_list *groups, struct err *err)
{
	for (u32 g = 0; g < groups->nr; g++) {
		struct node_part *p = add_part(n, t, "");
		char unnamed[16];

		if (!p)
			return err_set(err, ERR_HOST, "out of memory");
		if (group_pick(groups->v[g], &t->fam, &t->tr, p->member, p->name, sizeof(p->name), err))
			return -1;
		snprintf(unnamed, sizeof(unnamed), "group%u", g + 1);
		if (!p->name[0])
			snprintf(p->name, sizeof(p->name), "%s", unnamed);
	}
	return add_others(n, t) ? 0 : err_set(err, ERR_HOST, "out of memory");
}

static int by_cgroup(struct node *n, const struct traced *t, struct err *err)
{
	for (u32 g = 0; g < t->tr.nr_groups; g++) {
		const char *path = t->tr.groups[g];
		struct node_part *p;

		if (!strcmp(path, "/"))
			continue;
		p = add_part(n, t, path[0] == '/' ? path + 1 : path);
		if (!p)
			return err_set(err, ERR_HOST, "out of memory");
		p->path = path;
		for (u32 i = 1; i < t->tr.nr_tasks; i++)
			p->member[i] = t->tr.tasks[i].group == g + 1;
	}
	return add_others(n, t) ? 0 : err_set(err, ERR_HOST, "out of memory");
}

static u64 *family_times(const struct traced *t)
{
	u64 *ran = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*ran));

	for (u32 i = 1; ran && i < t->tl.nr_tasks; i++)
		ran[t->fam.of[i]] += timeline_ran(&t->tl, i, 0, trace_last(&t->tr) + 1);
	return ran;
}

/* The families that used most CPU time, one by one. */
static int by_family(struct node *n, const struct traced *t, struct err *err)
{
	u64 *ran = family_times(t);
	bool fits = ran;

	for (u32 k = 0; fits && k < FAMILIES_MOST; k++) {
		struct node_part *p;
		u32 best = 0;

		for (u32 i = 1; i < t->tr.nr_tasks; i++)
			if (ran[i] > ran[best])
				best = i;
		if (!ran[best])
			break;
		ran[best] = 0;
		p = add_part(n, t, families_name(&t->fam, &t->tr, best));
		for (u32 i = 1; p && i < t->tr.nr_tasks; i++)
			p->member[i] = t->fam.of[i] == best;
		fits = p;
	}
	free(ran);
	return fits && add_others(n, t) ? 0 : err_set(err, ERR_HOST, "out of memory");
}

/* ---- what each does ---- */

/* Two families of one name: "worker", "worker.2". */
static void make_unique(struct node *n, u32 i)
{
	u32 same = 1;
	size_t len;

	for (u32 k = 0; k < i; k++)
		same += !strncmp(n->parts[k].name, n->parts[i].name, strlen(n->parts[i].name)) &&
			strchr(".", n->parts[k].name[strlen(n->parts[i].name)]);
	len = strlen(n->parts[i].name);
	if (same > 1 && len + 8 < sizeof(n->parts[i].name))
		snprintf(n->parts[i].name + len, sizeof(n->parts[i].name) - len, ".%u", same);
}

/* What a recording of our own says of the limit. */
static void limit_of_facts(struct throttle_ask *ask, const struct node_part *p, const struct traced *t)
{
	const struct fact_group *g = p->path && t->tr.facts ? trace_facts_group(t->tr.facts, p->path) : NULL;

	if (!g || !g->has_limit)
		return;
	ask->source = LIMIT_FILE;
	ask->unlimited = g->quota == NEVER;
	ask->quota = ask->unlimited ? 0 : g->quota;
	ask->period = ask->unlimited ? 0 : g->period;
}

static bool is_unlimited(const struct throttle_ask *ask, const struct throttle_guess *g)
{
	if (ask->source == LIMIT_FILE)
		return ask->unlimited;
	return g->source != LIMIT_INFERRED || g->sure < SURE_ENOUGH;
}

static int recover_part(struct node_part *p, struct traced *t, struct err *err)
{
	struct throttle_ask ask = { .hz = t->hz, .pick = { .tasks = p->member } };
	struct recover_ask how = { .hz = t->hz, .cpus = t->rec.sc.machine.cpus, .name = p->name };
	struct err nobody = { 0 };
	bool *member = calloc((size_t)t->tr.nr_tasks + 1, sizeof(*member));
	bool none;

	limit_of_facts(&ask, p, t);
	if (!member || throttle_infer(&p->guess, member, &t->tr, &t->tl, &t->fam, &ask)) {
		free(member);
		return err_set(err, ERR_HOST, "out of memory");
	}
	none = is_unlimited(&ask, &p->guess);
	how.others_run = true;
	how.bounded = none; /* nothing stopped it, so it had what it wanted */
	p->recovered = !recover(&p->rec, &t->tr, &t->tl, &p->guess, &t->ticks, member, &how, &nobody);
	free(member);
	if (!p->recovered)
		return nobody.code == ERR_HOST ? (*err = nobody, -1) : 0; /* nobody of them ran */
	p->limit = (struct recover_limit){ .quota = none ? NEVER : p->guess.quota, .period = none ? 100 * MS : p->guess.period };
	if (!none && p->guess.phase_known)
		p->limit.phase = (p->guess.phase + p->guess.period - p->rec.t0 % p->guess.period) % p->guess.period;
	return 0;
}

static int drop_the_empty(struct node *n, struct err *err)
{
	u32 kept = 0;

	for (u32 i = 0; i < n->nr_parts; i++) {
		if (!n->parts[i].recovered) {
			free(n->parts[i].member);
			recover_fini(&n->parts[i].rec);
			throttle_fini(&n->parts[i].guess);
			continue;
		}
		n->parts[kept++] = n->parts[i];
	}
	n->nr_parts = kept;
	return kept ? 0 : err_set(err, ERR_INPUT, "no thread of this recording ever ran");
}

/* ---- one scenario ---- */

static void move_refs(struct step *st, u32 by)
{
	if (st->ref != REF_NONE && st->kind != STEP_FORK && st->kind != STEP_JOIN)
		st->ref += by;
	if (st->ref2 != REF_NONE)
		st->ref2 += by;
}

/* The tasks of @p behind those that are there, their resources behind the others'. */
static bool append(struct scenario *sc, struct node_part *p)
{
	const struct scenario *from = &p->rec.sc;

	p->first_task = sc->nr_tasks;
	for (u32 i = 0; i < from->nr_tasks; i++) {
		struct workload *w = &sc->tasks[sc->nr_tasks++];
		struct step *steps = arena_alloc(&sc->mem, ((u64)from->tasks[i].program.nr_steps + 1) * sizeof(*steps));

		if (!steps)
			return false;
		*w = from->tasks[i];
		for (u32 k = 0; k < w->program.nr_steps; k++) {
			steps[k] = from->tasks[i].program.steps[k];
			move_refs(&steps[k], sc->nr_resources);
		}
		w->program.steps = steps;
	}
	for (u32 i = 0; i < from->nr_resources; i++)
		sc->resources[sc->nr_resources + i] = from->resources[i];
	sc->nr_resources += from->nr_resources;
	return true;
}

static int put_together(struct node *n, const struct traced *t, struct err *err)
{
	struct scenario *sc = &n->sc;
	u32 tasks = 0, resources = 0;

	*sc = t->rec.sc;
	arena_init(&sc->mem, t->rec.sc.mem.get, t->rec.sc.mem.put, t->rec.sc.mem.ctx);
	for (u32 i = 0; i < n->nr_parts; i++) {
		tasks += n->parts[i].rec.sc.nr_tasks;
		resources += n->parts[i].rec.sc.nr_resources;
		sc->duration = max_u64(sc->duration, n->parts[i].rec.sc.duration);
	}
	sc->nr_tasks = sc->nr_resources = 0;
	sc->nr_groups = n->nr_parts;
	sc->tasks = arena_alloc(&sc->mem, (tasks + 1) * sizeof(*sc->tasks));
	sc->resources = arena_alloc(&sc->mem, (resources + 1) * sizeof(*sc->resources));
	sc->groups = arena_alloc(&sc->mem, n->nr_parts * sizeof(*sc->groups));
	if (!sc->tasks || !sc->resources || !sc->groups)
		return err_set(err, ERR_HOST, "out of memory");
	sc->name = "node";
	for (u32 i = 0; i < n->nr_parts; i++)
		if (!append(sc, &n->parts[i]))
			return err_set(err, ERR_HOST, "out of memory");
	return 0;
}

struct two_runs {
	struct scenario sc[2];
	struct result *res[2];
	struct err err[2];
	struct machine_options opt;
};

static void run_one(void *ctx, u32 i)
{
	struct two_runs *r = ctx;

	r->res[i] = machine_run(&r->sc[i], &r->opt, &r->err[i]);
}

/* The limits of all groups, or of none, into copies of the scenario. */
static int run_both(struct node *n, const struct run_options *opt, struct err *err)
{
	struct two_runs r = { .sc = { n->sc, n->sc }, .opt = machine_options_of(opt) };
	struct group_spec *bare = arena_alloc(&n->sc.mem, n->nr_parts * sizeof(*bare));

	if (!bare)
		return err_set(err, ERR_HOST, "out of memory");
	for (u32 i = 0; i < n->nr_parts; i++) {
		struct node_part *p = &n->parts[i];

		recover_under(&p->limited, &p->rec.sc, &p->limit);
		n->sc.groups[i] = p->limited.group;
		bare[i] = (struct group_spec){ .path = p->limited.group.path, .declared = true };
	}
	r.sc[1].groups = bare;
	pool_run(2, (u32)opt->jobs, run_one, &r);
	n->with = r.res[0];
	n->without = r.res[1];
	if (r.res[0] && r.res[1])
		return 0;
	*err = r.res[0] ? r.err[1] : r.err[0];
	return -1;
}

/* ---- the table ---- */

static void fate_of(struct node_fate *f, const struct node_part *p, struct result *res, u32 group)
{
	struct samples all = { 0 };

	f->throttled = res->groups[group].stat.nr_throttled;
	f->active = res->groups[group].active_periods;
	for (u32 i = 0; i < p->rec.sc.nr_tasks; i++) {
		f->usage += res->tasks[p->first_task + i].sum.runtime;
		if (p->rec.counts[i])
			samples_merge(&all, &res->tasks[p->first_task + i].sum.latency);
	}
	f->nr = all.nr;
	f->p50 = samples_percentile(&all, 0.50);
	f->p99 = samples_percentile(&all, 0.99);
	samples_free(&all);
}

static void fill_group(struct node *n, u32 i)
{
	const struct node_part *p = &n->parts[i];
	const struct trace_figures *f = &p->rec.figures;
	struct node_group *g = &n->groups[i];

	*g = (struct node_group){ .path = p->limited.group.path, .threads = p->rec.sc.nr_tasks, .quota = p->limit.quota, .period = p->limit.period,
				  .sure = p->limit.quota == NEVER ? 0 : p->guess.source == LIMIT_FILE ? 1 : p->guess.sure };
	g->recorded = (struct node_fate){ .usage = f->cpu, .throttled = p->guess.nr_throttled, .active = p->guess.nr_active, .nr = f->nr_latency,
					  .p50 = nearest_rank(f->latency, f->nr_latency, 50), .p99 = nearest_rank(f->latency, f->nr_latency, 99) };
	fate_of(&g->model, p, n->with, i);
	fate_of(&g->without, p, n->without, i);
}

static double harm(const struct node_group *g)
{
	if (g->model.nr && g->without.nr && g->model.p99)
		return (double)g->without.p99 / (double)g->model.p99;
	return g->without.usage ? (double)g->model.usage / (double)g->without.usage : 1;
}

static int by_harm(const void *a, const void *b)
{
	const struct node_group *x = a, *y = b;
	double hx = harm(x), hy = harm(y);

	if (hx != hy)
		return hx > hy ? -1 : 1;
	return x->model.usage != y->model.usage ? (x->model.usage > y->model.usage ? -1 : 1) : strcmp(x->path, y->path);
}

static int fill(struct node *n, const struct traced *t, struct err *err)
{
	struct node_view *v = &n->view;
	double now = 0, then = 0;

	n->groups = calloc(n->nr_parts, sizeof(*n->groups));
	if (!n->groups)
		return err_set(err, ERR_HOST, "out of memory");
	for (u32 i = 0; i < n->nr_parts; i++) {
		fill_group(n, i);
		v->limited += n->groups[i].quota != NEVER;
		now += (double)n->groups[i].model.usage;
		then += (double)n->groups[i].without.usage;
	}
	qsort(n->groups, n->nr_parts, sizeof(*n->groups), by_harm);
	v->groups = n->groups;
	v->nr = n->nr_parts;
	v->span = n->sc.duration;
	v->cpus = t->rec.sc.machine.cpus;
	v->busy_now = v->span ? now / (double)v->span : 0;
	v->busy_without = v->span ? then / (double)v->span : 0;
	return 0;
}

int node_run(struct node *n, struct traced *t, const struct option_list *groups, const struct run_options *opt, struct err *err)
{
	int ret;

	memset(n, 0, sizeof(*n));
	scenario_init(&n->sc);
	ret = groups->nr ? by_user(n, t, groups, err) : groups_known(&t->tr) ? by_cgroup(n, t, err) : by_family(n, t, err);
	for (u32 i = 0; !ret && i < n->nr_parts; i++) {
		make_unique(n, i);
		ret = recover_part(&n->parts[i], t, err);
	}
	ret = ret || drop_the_empty(n, err) || put_together(n, t, err) || run_both(n, opt, err) || fill(n, t, err);
	return ret ? -1 : 0;
}

void node_say(struct sentences *s, const struct node *n)
{
	sentences_add(s, "The node: all that ran runs again, on %d CPUs, under %u limit%s that the recording says or its gaps show; weights are not in a recording, so every group counts the "
		      "same. Wakeups between groups come at their recorded times.", n->view.cpus, n->view.limited, n->view.limited == 1 ? "" : "s");
	if (!n->view.limited)
		sentences_add(s, "No limit shows in any group of this recording, so nothing changes when all go (--group and --recorded name what is known).");
}

void node_fini(struct node *n)
{
	for (u32 i = 0; i < n->nr_parts; i++) {
		free(n->parts[i].member);
		recover_fini(&n->parts[i].rec);
		throttle_fini(&n->parts[i].guess);
	}
	if (n->with)
		result_free(n->with);
	if (n->without)
		result_free(n->without);
	arena_fini(&n->sc.mem);
	free(n->parts);
	free(n->groups);
	memset(n, 0, sizeof(*n));
}
