/* SPDX-License-Identifier: MIT */
/*
 * fuzz_scenario.c - any bytes as a scenario file: an error with a place, or a scenario whose programs can be run.
 *
 * What is read is also played for a while, against a clock with no scheduler, so that no program can crash its world.
 */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "input/scenario_file.h"
#include "work/world.h"

#define MOST_THREADS 64
#define MOST_WANTS 200

struct toy {
	struct world *wd;
	struct worker *threads[MOST_THREADS];
	bool asleep[MOST_THREADS];
	u32 nr;
	u64 now;
	u64 token;
	bool has_token;
};

static void on_wake(void *ctx, struct worker *w, struct worker *by)
{
	(void)ctx, (void)by;
	*(bool *)worker_owner(w) = false;
}

static void add_thread(struct toy *toy, u32 task, u32 instance)
{
	struct worker *w = worker_create(toy->wd, task, instance, toy->now);

	if (!w)
		return;
	worker_set_owner(w, &toy->asleep[toy->nr]);
	toy->threads[toy->nr++] = w;
}

static struct worker *on_spawn(void *ctx, u32 task, struct worker *parent)
{
	struct toy *toy = ctx;

	(void)parent;
	if (toy->nr == MOST_THREADS)
		return NULL;
	add_thread(toy, task, toy->nr);
	return toy->threads[toy->nr - 1];
}

static void on_loop(void *ctx, struct worker *w, u64 release, u64 end)
{
	(void)ctx, (void)w;
	if (release == NEVER || end == NEVER)
		abort();
}

/* One moment at a time is kept; the others are forgotten, and who waits for them waits for ever. */
static void on_timer(void *ctx, const struct moment *moment)
{
	struct toy *toy = ctx;

	toy->token = moment->token;
	toy->has_token = true;
}

static void play(const struct scenario *sc)
{
	static const u64 step = 1 * MS;
	struct toy toy = { .nr = 0 };
	struct world_ops ops = { .ctx = &toy, .wake = on_wake, .spawn = on_spawn, .loop_done = on_loop, .timer = on_timer };
	char buf[256];
	u64 since;
	u32 i, k;

	toy.wd = world_create(sc, &ops);
	if (!toy.wd)
		return;
	for (i = 0; i < sc->nr_tasks; i++)
		for (k = 0; k < sc->tasks[i].instances && toy.nr < MOST_THREADS; k++)
			add_thread(&toy, i, k);
	for (i = 0; i < MOST_WANTS && toy.nr; i++) {
		u32 t = i % toy.nr;
		struct want want = { .kind = WANT_WAIT };

		toy.now += step;
		if (!toy.asleep[t])
			want = worker_next(toy.wd, toy.threads[t], toy.now);
		toy.asleep[t] = want.kind == WANT_WAIT || want.kind == WANT_SPIN || want.kind == WANT_EXIT;
		if (toy.has_token) {
			toy.has_token = false;
			world_timer(toy.wd, toy.token, toy.now);
		}
	}
	world_deadlock(toy.wd, &since, buf, sizeof(buf));
	world_circle(toy.wd, &since, buf, sizeof(buf));
	world_destroy(toy.wd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct read_options opt = { .rtapp_compat = size & 1 };
	struct warnings warn = { 0 };
	struct err err = { 0 };
	struct scenario sc;
	char text[4096];

	if (scenario_read_with(&opt, "fuzz.json", (const char *)data, size, &sc, &warn, &err)) {
		if (!err.code || !err.message[0])
			abort();
		err_text(&err, text, sizeof(text));
	} else {
		play(&sc);
		scenario_set_limit(&sc, "250m+5ms", &err);
		scenario_set_cpus(&sc, 1000, &err);
	}
	warnings_free(&warn);
	scenario_free(&sc);
	return 0;
}
