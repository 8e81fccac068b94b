/* SPDX-License-Identifier: MIT */
/* play_bed.c - a world's owner without a scheduler: see play_bed.h. */
#include "tests/play_bed.h"

#include <stdlib.h>

static void on_wake(void *ctx, struct worker *w, struct worker *by)
{
	struct play *p = ctx;

	p->nr_woken_by_nobody += !by;
	((struct thread *)worker_owner(w))->at = p->now;
}

static struct worker *on_spawn(void *ctx, u32 task, struct worker *parent)
{
	struct play *p = ctx;
	struct thread *t = &p->threads[p->nr];

	(void)parent;
	t->w = worker_create(p->wd, task, p->nr++, p->now);
	t->at = p->now;
	worker_set_owner(t->w, t);
	return t->w;
}

static void on_loop(void *ctx, struct worker *w, u64 release, u64 end)
{
	struct play *p = ctx;

	if (p->nr_done < MOST)
		p->done[p->nr_done++] = (struct loop){ p->sc.tasks[worker_task(w)].name, worker_instance(w), release, end };
}

static void on_timer(void *ctx, const struct moment *moment)
{
	struct play *p = ctx;

	if (p->nr_moments < MOST)
		p->moments[p->nr_moments++] = *moment;
	p->timers[p->nr_timers].at = moment->when;
	p->timers[p->nr_timers++].token = moment->token;
}

/* A thread is on the CPU that cpus_each deals it, else on CPU 0. */
static int on_cpu(void *ctx, const struct worker *w)
{
	const struct play *p = ctx;
	const struct workload *load = &p->sc.tasks[worker_task(w)];

	return load->cpus_each ? load->cpus_each[worker_instance(w) % load->nr_cpus_each] : 0;
}

static void on_span(void *ctx, u32 ref, u64 from, u64 to)
{
	struct play *p = ctx;

	if (p->nr_spans == MOST)
		return;
	p->spans[p->nr_spans].ref = ref;
	p->spans[p->nr_spans].from = from;
	p->spans[p->nr_spans++].to = to;
}

static void on_wait4(void *ctx, struct worker *w)
{
	(void)w;
	((struct play *)ctx)->nr_waits++;
}

static void step(struct play *p, struct thread *t)
{
	struct want want = worker_next(p->wd, t->w, p->now);

	if (p->nr_asked < MOST)
		p->asked[p->nr_asked++] = want;
	t->at = NEVER;
	switch (want.kind) {
	case WANT_RUN:
	case WANT_SYS:
	case WANT_RUNTIME:
		t->at = p->now + want.ns;
		break;
	case WANT_SLEEP:
		t->at = max_u64(p->now, want.ns);
		break;
	case WANT_YIELD:
	case WANT_SCHED:
	case WANT_CLOCK:
	case WANT_EXEC:
		t->at = p->now;
		break;
	case WANT_EXIT:
		t->exited = true;
		t->exit_at = p->now;
		break;
	case WANT_WAIT:
	case WANT_SPIN:
		break;
	}
}

/* The earliest of timers, then threads in order of creation. */
static bool go_on(struct play *p)
{
	u32 i, timer = MOST, thread = MOST;
	u64 at = p->until;

	for (i = 0; i < p->nr_timers; i++)
		if (p->timers[i].at < at) {
			at = p->timers[i].at;
			timer = i;
		}
	for (i = 0; i < p->nr; i++)
		if (!p->threads[i].exited && p->threads[i].at < at) {
			at = p->threads[i].at;
			thread = i;
		}
	if (at == p->until)
		return false;
	p->now = at;
	if (thread < MOST) {
		step(p, &p->threads[thread]);
	} else {
		u64 token = p->timers[timer].token;

		p->timers[timer] = p->timers[--p->nr_timers];
		world_timer(p->wd, token, p->now);
	}
	return true;
}

struct play *play_with(const char *text, u64 until, bool timers)
{
	struct play *p = calloc(1, sizeof(*p));
	struct warnings w = { 0 };
	struct err err = { 0 };
	u32 i, k;

	if (scenario_read("test.json", text, strlen(text), &p->sc, &w, &err))
		fail_msg("%s", err.message);
	warnings_free(&w);
	p->ops = (struct world_ops){
		.ctx = p, .wake = on_wake, .spawn = on_spawn, .loop_done = on_loop, .timer = timers ? on_timer : NULL,
		.cpu = on_cpu, .span_done = on_span, .awaits_child = on_wait4,
	};
	p->wd = world_create(&p->sc, &p->ops);
	p->until = until;
	for (i = 0; i < p->sc.nr_tasks; i++) {
		for (k = 0; k < p->sc.tasks[i].instances; k++) {
			struct thread *t = &p->threads[p->nr++];

			t->at = p->sc.tasks[i].delay;
			t->w = worker_create(p->wd, i, k, t->at);
			worker_set_owner(t->w, t);
		}
	}
	while (go_on(p))
		;
	return p;
}

struct play *play(const char *text, u64 until) { return play_with(text, until, true); }

void play_free(struct play *p)
{
	world_destroy(p->wd);
	scenario_free(&p->sc);
	free(p);
}
