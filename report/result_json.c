/* SPDX-License-Identifier: MIT */
/*
 * result_json.c - a result for machines.
 *
 *	result --> { what ran } { what was in force } { groups } { tasks } [ cpus ] [ writes ] { events }
 *
 * A result repeats everything it rests on - every rule, tunable and cost in force, set or not - so that a file found a
 * year later can be run again.  Rows of tables, one per figure, so that a name is written once.
 */
#include "report/result_json.h"
#include "report/topology_json.h"

#include <inttypes.h>
#include <stdio.h>

static u64 usec(u64 ns) { return ns / US; }

/* ---- what was in force ---- */

static const char *preempt_name(int preempt)
{
	static const char *const names[] = {
		[PREEMPT_NONE] = "none", [PREEMPT_VOLUNTARY] = "voluntary", [PREEMPT_FULL] = "full", [PREEMPT_LAZY] = "lazy",
	};

	return preempt >= 0 && (size_t)preempt < ARRAY_SIZE(names) ? names[preempt] : "?";
}

static void put_costs(struct json_write *j, const struct costs *c)
{
	const struct { const char *name; u64 ns; } rows[] = {
		{ "switch", c->switch_ },   { "wakeup", c->wakeup }, { "wakeup_released", c->wakeup_released == NEVER ? c->wakeup : c->wakeup_released },	     { "timer_irq", c->timer_irq }, { "tick", c->tick },
		{ "ipi", c->ipi },	    { "idle_exit", c->idle_exit },   { "migrate", c->migrate },	    { "unthrottle", c->unthrottle },
		{ "newidle", c->newidle },  { "softirq", c->softirq },	    { "stopper", c->stopper },
		{ "scan", c->scan },	    { "idle_poll", c->idle_poll },   { "timer_slack", c->timer_slack },
	};
	size_t i;

	json_put_begin_line(j, "costs", '{');
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		json_put_real(j, rows[i].name, (double)rows[i].ns / (double)US, rows[i].ns % US ? 3 : 0);
	json_end(j);
}

static void put_skew(struct json_write *j, const struct machine_spec *m)
{
	int i;

	json_put_begin_line(j, "clock_skew_us", '[');
	for (i = 0; m->clock_skew && i < m->cpus; i++)
		json_real(j, (double)m->clock_skew[i] / (double)US, m->clock_skew[i] % (s64)US ? 3 : 0);
	json_end(j);
}

static void put_live(struct json_write *j, const struct live_notes *n)
{
	json_put_begin(j, "live", '{');
	json_put_u64(j, "elapsed_usec", usec(n->elapsed));
	json_put_u64(j, "given_usec", usec(n->given));
	json_put_u64(j, "stolen_usec", usec(n->given - n->got));
	json_put_u64(j, "overrun_usec", usec(n->overrun));
	json_put_u64(j, "longest_overrun_usec", usec(n->longest_overrun));
	json_put_u64(j, "timers", n->nr_timers);
	json_put_u64(j, "late_usec", usec(n->late));
	json_put_u64(j, "longest_late_usec", usec(n->longest_late));
	json_put_u64(j, "lost_ticks", n->lost_ticks);
	json_end(j);
}

static void put_machine(struct json_write *j, const struct result *res)
{
	const struct machine_spec *m = &res->scenario->machine;
	const struct costs no_costs = { 0 }; /* none are added to real ones */

	json_put_begin(j, "machine", '{');
	json_put_s64(j, "cpus", m->cpus);
	json_put_u64(j, "hz", m->hz);
	json_put_s64(j, "cgroup", res->cgroup);
	json_put_string(j, "ticks", tick_order_name(m->ticks));
	json_put_bool(j, "nohz", m->nohz);
	json_put_string(j, "preempt", preempt_name(res->preempt));
	machine_topology_json(j, m);
	if (m->clock_skew)
		put_skew(j, m);
	put_costs(j, res->live ? &no_costs : &m->costs);
	json_end(j);
}

static void put_rules(struct json_write *j, const struct kernel_model *model)
{
	char value[64], text[160];
	int i;

	json_put_begin(j, "rules", '[');
	for (i = 0; i < NR_RULES; i++) {
		snprintf(text, sizeof(text), "%s=%s", rule_info((enum rule)i)->name,
			 model_rule_value(model, (enum rule)i, value, sizeof(value)));
		json_string(j, text);
	}
	json_end(j);
}

static void put_kernel(struct json_write *j, const struct kernel_model *model)
{
	int i;

	json_put_begin(j, "kernel", '{');
	json_put_string(j, "row", model->row);
	put_rules(j, model);
	json_put_begin(j, "tunables", '{');
	for (i = 0; i < NR_PARAMS; i++)
		json_put_u64(j, param_info((enum param)i)->name, model->param[i]);
	json_end(j);
	json_end(j);
}

/* ---- groups ---- */

static void put_max(struct json_write *j, const struct group_stat *st)
{
	char text[64];

	if (st->quota == RUNTIME_INF)
		snprintf(text, sizeof(text), "max %" PRIu64, usec(st->period));
	else
		snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64, usec(st->quota), usec(st->period));
	json_put_string(j, "cpu.max", text);
}

static void put_ledger(struct json_write *j, const struct bw_ledger *l)
{
	json_put_begin_line(j, "ledger", '{');
	json_put_u64(j, "granted", l->granted);
	json_put_s64(j, "created", l->created);
	json_put_u64(j, "pool", l->pool);
	json_put_s64(j, "held", l->held);
	json_put_u64(j, "charged", l->charged);
	json_put_u64(j, "lost", l->lost);
	json_end(j);
}

static void put_periods(struct json_write *j, const struct group_result *g)
{
	u32 i;

	json_put_begin(j, "periods", '[');
	for (i = 0; i < g->nr_periods; i++) {
		const struct period_record *p = &g->periods[i];

		json_begin_line(j, '{');
		json_put_u64(j, "start_usec", usec(p->start));
		json_put_u64(j, "granted", p->granted);
		json_put_u64(j, "charged", p->charged);
		json_put_u64(j, "stranded", p->stranded);
		json_put_u64(j, "debt", p->debt);
		json_put_u64(j, "cpus", p->cpus);
		json_put_u64(j, "throttled_usec", usec(p->throttled));
		json_end(j);
	}
	json_end(j);
}

/* @local: this kernel has the file cpu.stat.local. */
static void put_group(struct json_write *j, const struct group_result *g, bool local, const struct result_detail *detail)
{
	const struct group_stat *st = &g->stat;

	json_put_begin(j, g->path, '{');
	put_max(j, st);
	json_put_u64(j, "cpu.max.burst", usec(st->burst));
	json_put_u64(j, "cpu.shares", st->shares);
	json_put_u64(j, "usage_usec", usec(st->usage));
	json_put_u64(j, "nr_periods", st->nr_periods);
	json_put_u64(j, "nr_throttled", st->nr_throttled);
	json_put_u64(j, "throttled_usec", usec(st->throttled_time));
	if (local)
		json_put_u64(j, "throttled_local_usec", usec(st->throttled_local));
	json_put_u64(j, "nr_bursts", st->nr_bursts);
	json_put_u64(j, "burst_usec", usec(st->burst_time));
	json_put_u64(j, "active_periods", g->active_periods);
	json_put_u64(j, "wall_periods", g->wall_periods);
	put_ledger(j, &st->ledger);
	if (detail->periods)
		put_periods(j, g);
	json_end(j);
}

/* ---- tasks ---- */

static void put_latency(struct json_write *j, const char *key, struct samples *s)
{
	json_put_begin_line(j, key, '{');
	json_put_u64(j, "mean", usec(samples_mean(s)));
	json_put_u64(j, "p50", usec(samples_percentile(s, 0.50)));
	json_put_u64(j, "p95", usec(samples_percentile(s, 0.95)));
	json_put_u64(j, "p99", usec(samples_percentile(s, 0.99)));
	json_put_u64(j, "max", usec(samples_max(s)));
	json_end(j);
}

/* The figures that a task and each of its threads have in common. */
static void put_figures(struct json_write *j, struct thread_result *t)
{
	json_put_u64(j, "runtime_usec", usec(t->runtime));
	json_put_u64(j, "loops", t->loops);
	json_put_u64(j, "longest_pause_usec", usec(t->longest_pause));
	put_latency(j, "latency_usec", &t->latency);
	put_latency(j, "wakeup_latency_usec", &t->wakeup_latency);
	json_put_begin_line(j, "wait_usec", '{');
	json_put_u64(j, "throttled", usec(t->wait_throttled));
	json_put_u64(j, "contended", usec(t->wait_contended));
	json_end(j);
	json_put_u64(j, "nvcsw", t->nvcsw);
	json_put_u64(j, "nivcsw", t->nivcsw);
	json_put_u64(j, "migrations", t->migrations);
}

static void put_threads(struct json_write *j, struct task_result *task)
{
	u32 i;

	json_put_begin(j, "threads", '[');
	for (i = 0; task->threads && i < task->count; i++) {
		json_begin(j, '{');
		json_put_u64(j, "instance", i);
		json_put_s64(j, "cpu", task->threads[i].cpu);
		put_figures(j, &task->threads[i]);
		json_end(j);
	}
	json_end(j);
}

static void put_task(struct json_write *j, struct task_result *task, const struct result_detail *detail)
{
	json_put_begin(j, task->name, '{');
	json_put_string(j, "group", task->group ? task->group : "/");
	json_put_u64(j, "count", task->count);
	if (task->iterations)
		json_put_u64(j, "iterations", task->iterations);
	put_figures(j, &task->sum);
	if (detail->threads)
		put_threads(j, task);
	json_end(j);
}

/* ---- the rest ---- */

static void put_spans(struct json_write *j, struct result *res)
{
	u32 i;

	json_put_begin(j, "spans", '{');
	for (i = 0; i < res->nr_spans; i++) {
		struct samples *took = &res->spans[i].took;

		json_put_begin(j, res->spans[i].name, '{');
		json_put_u64(j, "count", took->nr);
		json_put_u64(j, "total_usec", usec(samples_sum(took)));
		put_latency(j, "took_usec", took);
		json_end(j);
	}
	json_end(j);
}

static void put_cpus(struct json_write *j, const struct result *res)
{
	int i;

	json_put_begin(j, "cpus", '[');
	for (i = 0; i < res->nr_cpus; i++) {
		json_begin_line(j, '{');
		json_put_u64(j, "usage_usec", usec(res->cpu_usage[i]));
		json_end(j);
	}
	json_end(j);
}

static void put_writes(struct json_write *j, const struct result *res)
{
	u32 i;

	json_put_begin(j, "writes", '[');
	for (i = 0; i < res->nr_writes; i++) {
		const struct write_result *w = &res->writes[i];
		char file[512];

		snprintf(file, sizeof(file), "%s/%s", w->group, w->file);
		json_begin_line(j, '{');
		json_put_u64(j, "t", usec(w->t));
		json_put_string(j, "file", file);
		json_put_string(j, "value", w->value);
		json_put_s64(j, "errno", w->err);
		json_put_string(j, "rule", w->rule);
		json_put_string(j, "reason", w->reason);
		json_end(j);
	}
	json_end(j);
}

static void put_stuck(struct json_write *j, const struct stuck *stuck)
{
	json_put_begin(j, "stuck", '{');
	json_put_u64(j, "since_usec", usec(stuck->since));
	json_put_bool(j, "deadlock", stuck->circle);
	json_put_string(j, "who", stuck->who);
	json_end(j);
}

static void put_events(struct json_write *j, const struct result *res)
{
	static const char *const names[] = {
#define X(id, name) name,
		EVENT_TYPES(X)
#undef X
	};
	int i;

	json_put_begin(j, "events", '{');
	for (i = 0; i < NR_EVENT_TYPES; i++)
		json_put_u64(j, names[i], res->events[i]);
	json_end(j);
}

/* Tasks that went over to another CPU, by cause; nothing where nobody did. */
static void put_moves(struct json_write *j, const struct result *res)
{
	static const char *const names[] = {
#define X(id, name) name,
		MOVE_CAUSES(X)
#undef X
	};
	int i;

	if (!res->events[EVENT_SCHED_MIGRATE_TASK])
		return;
	json_put_begin(j, "moves", '{');
	for (i = 0; i < NR_MOVE_CAUSES; i++)
		json_put_u64(j, names[i], res->moves[i]);
	json_end(j);
}

static void put_snapshot(struct json_write *j, const struct result *res)
{
	u32 i;

	json_put_begin(j, "snapshot", '[');
	for (i = 0; i < res->nr_snapshot; i++)
		json_string(j, res->snapshot[i]);
	json_end(j);
}

void result_json(struct json_write *j, struct result *res, const struct result_detail *detail)
{
	char digest[17];
	u32 i;

	snprintf(digest, sizeof(digest), "%016" PRIx64, res->digest);
	json_begin(j, '{');
	json_put_string(j, "fairground", FAIRGROUND_VERSION);
	json_put_string(j, "scenario", res->scenario->name);
	json_put_u64(j, "seed", res->seed);
	json_put_real(j, "seconds", (double)(res->end - res->start) / (double)SEC, 6);
	json_put_string(j, "digest", digest);
	put_machine(j, res);
	put_kernel(j, &res->model);
	json_put_begin(j, "groups", '{');
	for (i = 0; i < res->nr_groups; i++)
		put_group(j, &res->groups[i], res->model.rule[RULE_BW_STAT_LOCAL], detail);
	json_end(j);
	json_put_begin(j, "tasks", '{');
	for (i = 0; i < res->nr_tasks; i++)
		put_task(j, &res->tasks[i], detail);
	json_end(j);
	if (res->nr_spans)
		put_spans(j, res);
	put_cpus(j, res);
	put_writes(j, res);
	put_events(j, res);
	put_moves(j, res);
	if (!res->live)
		json_put_u64(j, "ipis", res->nr_ipis);
	if (res->stuck.who[0])
		put_stuck(j, &res->stuck);
	if (res->live)
		put_live(j, &res->notes);
	if (res->nr_snapshot)
		put_snapshot(j, res);
	json_end(j);
}
