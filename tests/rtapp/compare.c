/* SPDX-License-Identifier: MIT */
/*
 * compare.c - what a stock rt-app did with a file, beside what we would do.
 *
 *	compare FILE LOG EXITED CPUS		exit 1 where the two differ
 *
 * LOG is shim.c's: a line for each thread.  Ours is the program that the reader makes of FILE with --rtapp-compat, walked without any
 * scheduler.  EXITED: 1 where the stock program came to its end by itself, so that both must be equally long; else its calls
 * must be the beginning of ours.
 *
 * Names of mutexes and conditions are compared by the order in which a thread meets them, expiries of timers by their distance.  A barrier
 * waits or wakes, as time has it; a shared timer expires where others left it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/scenario_file.h"

#define MOST_CALLS 400
#define MOST_NAMES 64
#define OF_BARRIER 1u << 16 /* beside the index of a resource: what guards it inside rt-app */
#define OF_COND 2u << 16

enum call_kind { CALL_RUN, CALL_SLEEP, CALL_UNTIL, CALL_LOCK, CALL_UNLOCK, CALL_WAIT, CALL_SIGNAL, CALL_BROAD, CALL_YIELD, CALL_CPUS, CALL_EITHER };
static const char *const names[] = { "run", "sleep", "until", "lock", "unlock", "wait", "signal", "broad", "yield", "cpus", "wait or broad" };

struct call {
	enum call_kind kind;
	u64 a, b;
	bool any; /* @a may be anything */
};

struct calls {
	struct call v[MOST_CALLS];
	u32 nr;
	bool full;
};

static bool add(struct calls *c, enum call_kind kind, u64 a, u64 b)
{
	struct call *last = c->nr ? &c->v[c->nr - 1] : NULL;

	if (kind == CALL_RUN && last && last->kind == CALL_RUN) {
		last->a += a;
		return true;
	}
	if (kind == CALL_RUN && !a)
		return true;
	if (c->nr == MOST_CALLS) {
		c->full = true;
		return false;
	}
	c->v[c->nr++] = (struct call){ .kind = kind, .a = a, .b = b };
	return true;
}

/* ---- ours ---- */

struct walk {
	const struct scenario *sc;
	const struct workload *load;
	struct calls *calls;
	u64 cpus, last_until;
	u64 next[1024]; /* per timer */
};

static void guarded(struct walk *w, u32 guard, enum call_kind kind, u32 cond)
{
	add(w->calls, CALL_LOCK, guard, 0);
	add(w->calls, kind, cond, guard);
	add(w->calls, CALL_UNLOCK, guard, 0);
}

static void timer(struct walk *w, const struct step *st)
{
	u64 *next = &w->next[st->ref % 1024];

	*next += st->len.a / US;
	if (add(w->calls, CALL_UNTIL, *next - w->last_until, 0))
		w->calls->v[w->calls->nr - 1].any = !(st->flags & STEP_UNIQUE) || (!w->last_until && !w->load->delay);
	w->last_until = *next;
}

static void step(struct walk *w, const struct step *st)
{
	struct calls *c = w->calls;

	switch ((enum step_kind)st->kind) {
	case STEP_RUN: add(c, CALL_RUN, st->len.a / US, 0); break;
	case STEP_SLEEP: add(c, CALL_SLEEP, st->len.a / US, 0); break;
	case STEP_TIMER: timer(w, st); break;
	case STEP_LOCK: add(c, CALL_LOCK, st->ref, 0); break;
	case STEP_UNLOCK: add(c, CALL_UNLOCK, st->ref, 0); break;
	case STEP_WAIT: add(c, CALL_WAIT, st->ref, st->ref2); break;
	case STEP_SIGNAL: add(c, CALL_SIGNAL, st->ref, 0); break;
	case STEP_BROAD: add(c, CALL_BROAD, st->ref, 0); break;
	case STEP_SYNC:
		add(c, CALL_SIGNAL, st->ref, 0);
		add(c, CALL_WAIT, st->ref, st->ref2);
		break;
	case STEP_SUSPEND: guarded(w, st->ref | OF_COND, CALL_WAIT, st->ref); break;
	case STEP_RESUME: guarded(w, st->ref | OF_COND, CALL_BROAD, st->ref); break;
	case STEP_BARRIER: guarded(w, st->ref | OF_BARRIER, CALL_EITHER, st->ref); break;
	case STEP_YIELD: add(c, CALL_YIELD, 0, 0); break;
	case STEP_MEM: break;
	default:
		fprintf(stderr, "compare: %s has no counterpart in rt-app 1.0\n", st->key ? st->key : "a step");
		exit(2);
	}
}

static void phase(struct walk *w, const struct phase *p)
{
	const struct program *pg = &w->load->program;
	s64 left;
	u32 i;

	if (p->cpus && p->cpus[0] != w->cpus) {
		add(w->calls, CALL_CPUS, p->cpus[0], 0);
		w->cpus = p->cpus[0];
	}
	for (left = p->loop; left && !w->calls->full; left -= left > 0) {
		u32 before = w->calls->nr;

		for (i = p->first; i < p->first + p->nr && !w->calls->full; i++)
			step(w, &pg->steps[i]);
		if (w->calls->nr == before && left < 0)
			return;
	}
}

static void ours(const struct scenario *sc, const struct workload *load, struct calls *c)
{
	struct walk w = { .sc = sc, .load = load, .calls = c };
	const struct program *pg = &load->program;
	s64 left;
	u32 i;

	memset(c, 0, sizeof(*c));
	if (load->cpus) {
		add(c, CALL_CPUS, load->cpus[0], 0);
		w.cpus = load->cpus[0];
	}
	/* rt-app 1.0 goes round for ever with a task that has no phases; later ones, and we, stop where it has a loop */
	for (left = pg->nr_phases == 1 && !strcmp(pg->phases[0].name, load->name) ? -1 : pg->loop; left && !c->full; left -= left > 0)
		for (i = 0; i < pg->nr_phases && !c->full; i++)
			phase(&w, &pg->phases[i]);
}

/* ---- the stock program's ---- */

/* @delayed: its first expiry is the start of the thread, from which its timers count; else nothing tells when it started. */
static void theirs(char *line, bool delayed, struct calls *c)
{
	u64 last_until = 0;
	bool started = false;
	char *word;

	memset(c, 0, sizeof(*c));
	for (word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
		char *colon = strchr(word, ':');
		u64 a = 0, b = 0;
		u32 k;

		if (colon)
			sscanf(*colon ? colon + 1 : colon, !strncmp(word, "cpus", 4) ? "%" SCNx64 : strstr(colon, "0x") ? "0x%" SCNx64 ",0x%" SCNx64 :
			       "%" SCNu64, &a, &b);
		if (!strcmp(word, "pbarrier"))
			started = true;
		for (k = 0; k <= CALL_CPUS; k++)
			if (strlen(names[k]) == (colon ? (size_t)(colon - word) : strlen(word)) && !strncmp(word, names[k], strlen(names[k])))
				break;
		if (!started || k > CALL_CPUS) /* how it is started, and its priority */
			continue;
		if (k == CALL_UNTIL) {
			bool first = !last_until;
			u64 at = a;

			a = first ? 0 : a - last_until;
			last_until = at;
			if (first && delayed)
				continue;
		}
		add(c, (enum call_kind)k, a, b);
	}
}

/* ---- side by side ---- */

struct pairs { /* what is called how on either side, as this thread met it */
	u64 ours[MOST_NAMES], theirs[MOST_NAMES];
	u32 nr;
};

static bool same_name(struct pairs *p, u64 a, u64 b)
{
	u32 i;

	for (i = 0; i < p->nr; i++)
		if (p->ours[i] == a || p->theirs[i] == b)
			return p->ours[i] == a && p->theirs[i] == b;
	if (p->nr == MOST_NAMES)
		return false;
	p->ours[p->nr] = a;
	p->theirs[p->nr++] = b;
	return true;
}

static bool same_call(struct pairs *mutexes, struct pairs *conds, const struct call *a, const struct call *b)
{
	if (a->kind == CALL_EITHER)
		return (b->kind == CALL_WAIT || b->kind == CALL_BROAD) && same_name(conds, a->a | OF_BARRIER, b->a);
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case CALL_LOCK:
	case CALL_UNLOCK:
		return same_name(mutexes, a->a, b->a);
	case CALL_WAIT:
		return same_name(conds, a->a, b->a) && same_name(mutexes, a->b, b->b);
	case CALL_SIGNAL:
	case CALL_BROAD:
		return same_name(conds, a->a, b->a);
	default:
		return a->any || a->a == b->a;
	}
}

/* The number of the first call that differs, or UINT32_MAX. */
static u32 first_difference(const struct calls *us, const struct calls *them, bool to_the_end)
{
	struct pairs mutexes = { .nr = 0 }, conds = { .nr = 0 };
	u32 i, nr = us->nr < them->nr ? us->nr : them->nr;

	for (i = 0; i < nr; i++)
		if (!same_call(&mutexes, &conds, &us->v[i], &them->v[i]) &&
		    !(i == them->nr - 1 && !to_the_end && us->v[i].kind == CALL_RUN)) /* cut in the middle of a run */
			return i;
	if (them->nr > us->nr && !us->full)
		return nr;
	return to_the_end && us->nr != them->nr && !us->full ? nr : UINT32_MAX;
}

static void show(const char *who, const struct calls *c, u32 at)
{
	u32 i;

	printf("  %-5s", who);
	for (i = at > 3 ? at - 3 : 0; i < c->nr && i < at + 3; i++)
		printf(" %s%s:%" PRIu64 "%s", i == at ? "[" : "", names[c->v[i].kind], c->v[i].a, i == at ? "]" : "");
	printf("%s\n", i == c->nr ? " end" : "");
}

static int compare_threads(const struct scenario *sc, FILE *log, bool exited)
{
	static struct calls us, them;
	static char line[1 << 21];
	u32 t, k, index = 0;
	int bad = 0;

	for (t = 0; t < sc->nr_tasks; t++)
		for (k = 0; k < sc->tasks[t].instances; k++, index++) {
			u32 at;

			rewind(log);
			while (fgets(line, sizeof(line), log) && strtoul(line, NULL, 10) != index)
				;
			if (feof(log)) {
				printf("thread %u (%s): rt-app has none\n", index, sc->tasks[t].name);
				bad = 1;
				continue;
			}
			theirs(strchr(line, ' ') ? strchr(line, ' ') : line + strlen(line), sc->tasks[t].delay, &them);
			ours(sc, &sc->tasks[t], &us);
			at = first_difference(&us, &them, exited);
			if (at == UINT32_MAX)
				continue;
			bad = 1;
			printf("thread %u (%s) differs at call %u:\n", index, sc->tasks[t].name, at);
			show("ours", &us, at);
			show("theirs", &them, at);
		}
	return bad;
}

int main(int argc, char **argv)
{
	struct read_options opt = { .rtapp_compat = true };
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct scenario sc;
	char text[2048];
	FILE *log;
	int bad;

	if (argc != 5)
		return 2;
	opt.cpus = atoi(argv[4]);
	if (scenario_read_file_with(&opt, argv[1], &sc, &w, &err)) {
		printf("ours: %s\n", err_text(&err, text, sizeof(text)));
		return 3;
	}
	log = fopen(argv[2], "r");
	if (!log)
		return 2;
	bad = compare_threads(&sc, log, argv[3][0] == '1');
	fclose(log);
	warnings_free(&w);
	scenario_free(&sc);
	return bad;
}
