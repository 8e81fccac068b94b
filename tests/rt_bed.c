/* SPDX-License-Identifier: MIT */
#include "tests/rt_bed.h"

#include "input/scenario_file.h"
#include "sim/machine.h"
#include "tests/test.h"

/* ---- scenarios ---- */

void fail_with_err(const struct err *err)
{
	char text[1024];

	fail_msg("%s", err_text(err, text, sizeof(text)));
}

void read_text(struct scenario *sc, const char *text)
{
	struct warnings w = { 0 };
	struct err err = { 0 };

	if (scenario_read("test", text, strlen(text), sc, &w, &err))
		fail_with_err(&err);
	warnings_free(&w);
}

void read_file(struct scenario *sc, const char *path)
{
	struct warnings w = { 0 };
	struct err err = { 0 };

	if (scenario_read_file(path, sc, &w, &err))
		fail_with_err(&err);
	warnings_free(&w);
}

void need_cpus(int nr)
{
	if (rt_host_cpus() >= nr)
		return;
	print_message("skipped: this needs %d CPUs, and this process may use %d\n", nr, rt_host_cpus());
	skip();
}

/* ---- what must hold whatever the host does ---- */

struct watch {
	u64 last;
	u64 events;
	bool backwards;
};

static void watch_event(void *ctx, const struct event *ev)
{
	struct watch *watch = ctx;

	watch->backwards |= ev->time < watch->last;
	watch->last = ev->time;
	watch->events++;
}

static void check_ledgers(const struct result *res)
{
	u32 i;

	for (i = 0; i < res->nr_groups; i++) {
		const struct bw_ledger *l = &res->groups[i].stat.ledger;

		CHECK_ROW((s64)l->granted + l->created, (s64)(l->pool + l->charged + l->lost) + l->held, res->groups[i].path);
	}
}

struct result *play_err(const struct scenario *sc, struct err *err)
{
	struct watch watch = { 0 };
	struct rt_options opt = { .check_laws = true, .want_periods = true, .want_threads = true, .on_event = watch_event, .ctx = &watch };
	struct result *res = rt_play(sc, &opt, err);

	CHECK(!watch.backwards);
	if (!res)
		return NULL;
	CHECK(watch.events > 0);
	CHECK(res->live);
	check_ledgers(res);
	return res;
}

struct result *play(const struct scenario *sc)
{
	struct err err = { 0 };
	struct result *res = play_err(sc, &err);

	if (!res)
		fail_with_err(&err);
	return res;
}

struct result *simulate(const struct scenario *sc)
{
	struct machine_options opt = { .want_periods = true };
	struct err err = { 0 };
	struct result *res = machine_run(sc, &opt, &err);

	if (!res)
		fail_with_err(&err);
	return res;
}

const struct task_result *task_in(const struct result *res, const char *name)
{
	u32 i;

	for (i = 0; i < res->nr_tasks; i++)
		if (!strcmp(res->tasks[i].name, name))
			return &res->tasks[i];
	fail_msg("no task %s", name);
	return NULL;
}

/* ---- limits ---- */

/* What a group was charged above what it was given is the debt of its last running: a tick, and what came late. */
void check_bound(const struct result *res, const char *row)
{
	u64 late = res->notes.longest_late + res->notes.longest_overrun + SEC / res->scenario->machine.hz + 1 * MS;
	u32 i;

	for (i = 0; i < res->nr_groups; i++) {
		const struct group_stat *st = &res->groups[i].stat;

		if (st->quota != RUNTIME_INF &&
		    (s64)st->ledger.charged > (s64)st->ledger.granted + st->ledger.created + (s64)late * res->nr_cpus)
			fail_msg("%s: %s was charged %" PRIu64 " ns of %" PRIu64 " granted", row, res->groups[i].path, st->ledger.charged,
				 st->ledger.granted);
	}
}
