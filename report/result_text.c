/* SPDX-License-Identifier: MIT */
/*
 * result_text.c - a result for people.
 *
 *	what ran, and its digest
 *	groups	 limit, use, throttling
 *	tasks	 CPU time, latency, why they waited
 *	writes	 only those that were refused or asked for
 *	rests on row, rules that are not the row's, costs; of a live run, what the host took
 *
 * Law: one screen.  Of long tables the rows that used most CPU stand, in their order, and a line says how many do not.
 */
#include "report/result_text.h"

#include <inttypes.h>
#include <string.h>

#include "text/format.h"
#include "text/table.h"

#define ROWS_MAX 16 /* of one table: with heads and feet, two tables fit a terminal of 50 lines */

void result_title(FILE *out, const struct result *res)
{
	const struct machine_spec *m = &res->scenario->machine;
	char span[FORMAT_MAX];

	text_put(out, res->scenario->name ? res->scenario->name : "scenario");
	fprintf(out, ": kernel %s, %d CPU%s", res->model.row, res->nr_cpus, res->nr_cpus == 1 ? "" : "s");
	if (m->topology) {
		fputs(" (", out);
		text_put(out, m->topology_text ? m->topology_text : "by lists");
		fputs(")", out);
	}
	fprintf(out, " at %u Hz, %s, seed %" PRIu64, m->hz, format_time(span, res->end - res->start), res->seed);
}

typedef u64 (*use_of)(const struct result *res, u32 i);

static u64 group_use(const struct result *res, u32 i) { return res->groups[i].stat.usage; }

static u64 task_use(const struct result *res, u32 i) { return res->tasks[i].sum.runtime; }

/* Which rows stand: those whose use is at least the ROWS_MAX-th largest, while there is room. */
struct rows {
	u64 bar;
	u32 shown, hidden;
};

static struct rows rows_of(const struct result *res, u32 nr, use_of use)
{
	u64 top[ROWS_MAX] = { 0 };
	u32 i, k;

	for (i = 0; i < nr; i++) {
		u64 v = use(res, i);

		for (k = 0; k < ROWS_MAX; k++) {
			u64 t = top[k];

			if (v <= t)
				continue;
			top[k] = v;
			v = t;
		}
	}
	return (struct rows){ .bar = nr > ROWS_MAX ? top[ROWS_MAX - 1] : 0 };
}

static bool shows(struct rows *r, u64 v)
{
	if (v >= r->bar && r->shown < ROWS_MAX) {
		r->shown++;
		return true;
	}
	r->hidden++;
	return false;
}

static void say_hidden(FILE *out, const struct rows *r, const char *what)
{
	if (r->hidden)
		fprintf(out, "  ... and %u more %s that used less CPU (--json has all)\n", r->hidden, what);
}

/* ---- groups ---- */

/* Does cpu.stat.local say what cpu.stat does not: that a limit above stopped a group? */
static bool local_says_more(const struct result *res)
{
	u32 i;

	if (!res->model.rule[RULE_BW_STAT_LOCAL])
		return false;
	for (i = 0; i < res->nr_groups; i++)
		if (res->groups[i].stat.throttled_local != res->groups[i].stat.throttled_time)
			return true;
	return false;
}

#define LIMIT_COLUMNS 6 /* those of a group with a limit only */

static void limit_cells(struct table *t, const struct group_result *g)
{
	const struct group_stat *st = &g->stat;
	char text[FORMAT_MAX];

	table_cell(t, "%" PRIu64, st->nr_periods);
	table_cell(t, "%" PRIu64, g->wall_periods);
	table_tone(t, st->nr_throttled ? TONE_BAD : TONE_PLAIN);
	table_cell(t, "%" PRIu64, st->nr_throttled);
	table_cell(t, "%s", format_share(text, st->nr_throttled, st->nr_periods));
	table_tone(t, TONE_PLAIN);
	table_cell(t, "%s", format_ms(text, st->throttled_time));
	table_cell(t, "%s", format_ms(text, st->ledger.lost));
}

static void group_row(struct table *t, const struct group_result *g, u64 span, bool local)
{
	const struct group_stat *st = &g->stat;
	bool limited = st->quota != RUNTIME_INF;
	char limit[FORMAT_MAX], use[FORMAT_MAX], share[FORMAT_MAX];
	u64 allowed = limited && st->period ? (u64)((double)st->quota * (double)span / (double)st->period) : 0;
	int i;

	table_cell(t, "%s", g->path);
	table_cell(t, "%s", format_limit_burst(limit, st->quota, st->period, st->burst));
	table_cell(t, "%s", format_ms(use, st->usage));
	table_cell(t, "%s", format_share(share, st->usage, allowed));
	if (limited)
		limit_cells(t, g);
	else
		for (i = 0; i < LIMIT_COLUMNS; i++)
			table_cell(t, "%s", "");
	if (local)
		table_cell(t, "%s", format_ms(use, st->throttled_local));
}

static void put_groups(FILE *out, const struct result *res)
{
	struct table t;
	struct rows rows = rows_of(res, res->nr_groups, group_use);
	bool local = local_says_more(res);
	u32 i;

	if (!res->nr_groups)
		return;
	table_init(&t, local ? "llrrrrrrrrr" : "llrrrrrrrr");
	table_heads(&t, local ? "|||of||||of|stopped|unused|local" : "|||of||||of|stopped|unused");
	table_heads(&t, local ? "group|limit|CPU ms|limit|periods|of|throttled|them|ms|ms|ms" : "group|limit|CPU ms|limit|periods|of|throttled|them|ms|ms");
	for (i = 0; i < res->nr_groups; i++)
		if (shows(&rows, group_use(res, i)))
			group_row(&t, &res->groups[i], res->end - res->start, local);
	table_print(&t, out);
	table_fini(&t);
	say_hidden(out, &rows, "groups");
	fputc('\n', out);
}

/* ---- tasks ---- */

static void task_row(struct table *t, struct task_result *task)
{
	struct thread_result *s = &task->sum;
	const u64 times[] = {
		s->runtime, samples_percentile(&s->latency, 0.50), samples_percentile(&s->latency, 0.95),
		samples_percentile(&s->latency, 0.99), samples_max(&s->latency), samples_percentile(&s->wakeup_latency, 0.99),
		s->wait_throttled, s->wait_contended, s->longest_pause,
	};
	char buf[FORMAT_MAX];
	size_t i;

	table_cell(t, "%s", task->name);
	table_cell(t, "%s", task->group ? task->group : "/");
	table_cell(t, "%u", task->count);
	table_cell(t, "%s", format_count(buf, s->loops));
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		bool unknown = (i >= 1 && i <= 4 && !s->latency.nr) || (i == 5 && !s->wakeup_latency.nr);

		table_cell(t, "%s", unknown ? "-" : format_ms(buf, times[i]));
	}
	table_end_row(t);
}

static void put_tasks(FILE *out, struct result *res)
{
	struct table t;
	struct rows rows = rows_of(res, res->nr_tasks, task_use);
	u32 i;

	if (!res->nr_tasks)
		return;
	table_init(&t, "llrrrrrrrrrrr");
	table_heads(&t, "|||||loop,|ms|||wake|waited|for, ms|longest");
	table_heads(&t, "task|group|n|loops|CPU ms|p50|p95|p99|max|p99|refill|a CPU|pause");
	for (i = 0; i < res->nr_tasks; i++)
		if (shows(&rows, task_use(res, i)))
			task_row(&t, &res->tasks[i]);
	table_print(&t, out);
	table_fini(&t);
	say_hidden(out, &rows, "tasks");
	fputc('\n', out);
}

/* ---- spans ---- */

static void put_spans(FILE *out, struct result *res)
{
	struct table t;
	char buf[FORMAT_MAX];
	u32 i, k;

	if (!res->nr_spans)
		return;
	table_init(&t, "lrrrrrr");
	table_heads(&t, "measured|n|total ms|p50 ms|p95 ms|p99 ms|max ms");
	for (i = 0; i < res->nr_spans && i < ROWS_MAX; i++) {
		struct samples *took = &res->spans[i].took;
		const u64 times[] = { samples_sum(took), samples_percentile(took, 0.50), samples_percentile(took, 0.95),
				      samples_percentile(took, 0.99), samples_max(took) };

		table_cell(&t, "%s", res->spans[i].name);
		table_cell(&t, "%s", format_count(buf, took->nr));
		for (k = 0; k < ARRAY_SIZE(times); k++)
			table_cell(&t, "%s", took->nr ? format_ms(buf, times[k]) : "-");
	}
	table_print(&t, out);
	table_fini(&t);
	if (i < res->nr_spans)
		fprintf(out, "  ... and %u more (--json has all)\n", res->nr_spans - i);
	fputc('\n', out);
}

/* ---- periods, threads, writes, snapshot ---- */

static void put_periods(FILE *out, const struct group_result *g)
{
	struct table t;
	char buf[FORMAT_MAX];
	u32 i;

	table_init(&t, "rrrrrrr");
	table_heads(&t, "start ms|granted|charged|stranded|debt|CPUs|stopped ms");
	for (i = 0; i < g->nr_periods; i++) {
		const struct period_record *p = &g->periods[i];

		table_cell(&t, "%.1f", (double)p->start / (double)MS);
		table_cell(&t, "%s", format_ms(buf, p->granted));
		table_cell(&t, "%s", format_ms(buf, p->charged));
		table_cell(&t, "%s", format_ms(buf, p->stranded));
		table_cell(&t, "%s", format_ms(buf, p->debt));
		table_cell(&t, "%u", p->cpus);
		table_cell(&t, "%s", format_ms(buf, p->throttled));
	}
	text_put(out, g->path);
	fputs(", period by period (ms)\n", out);
	table_print(&t, out);
	table_fini(&t);
	fputc('\n', out);
}

static void put_threads(FILE *out, struct task_result *task)
{
	struct table t;
	char buf[FORMAT_MAX];
	u32 i;

	table_init(&t, "rrrrrrr");
	table_heads(&t, "thread|CPU|loops|CPU ms|p50 ms|p99 ms|throttled ms");
	for (i = 0; task->threads && i < task->count; i++) {
		struct thread_result *th = &task->threads[i];

		table_cell(&t, "%u", i);
		table_cell(&t, "%d", th->cpu);
		table_cell(&t, "%s", format_count(buf, th->loops));
		table_cell(&t, "%s", format_ms(buf, th->runtime));
		table_cell(&t, "%s", format_ms(buf, samples_percentile(&th->latency, 0.50)));
		table_cell(&t, "%s", format_ms(buf, samples_percentile(&th->latency, 0.99)));
		table_cell(&t, "%s", format_ms(buf, th->wait_throttled));
	}
	text_put(out, task->name);
	fputs(", thread by thread\n", out);
	table_print(&t, out);
	table_fini(&t);
	fputc('\n', out);
}

static void put_refusals(FILE *out, const struct result *res)
{
	char when[FORMAT_MAX];
	u32 i;

	for (i = 0; i < res->nr_writes; i++) {
		const struct write_result *w = &res->writes[i];

		if (!w->err)
			continue;
		fprintf(out, "refused at %s: ", format_time(when, w->t));
		text_put(out, w->group);
		fputc('/', out);
		text_put(out, w->file);
		fputs(" = ", out);
		text_put(out, w->value);
		fprintf(out, ": %s (%s)\n", strerror(w->err), w->reason ? w->reason : "");
	}
}

/* ---- what it rests on ---- */

#define RESTS_MOST 8192 /* bytes: every rule and tunable changed */

/* Rules and tunables that are not the row's, behind the @len bytes in @buf; the new length. */
static size_t say_changed_rules(char *buf, size_t len, const struct kernel_model *model)
{
	struct kernel_model row;
	char value[64];
	int i;

	if (model_init(&row, model->row))
		return len;
	for (i = 0; i < NR_RULES; i++)
		if (row.rule[i] != model->rule[i] && len < RESTS_MOST)
			len += (size_t)snprintf(buf + len, RESTS_MOST - len, ", %s=%s", rule_info((enum rule)i)->name,
						model_rule_value(model, (enum rule)i, value, sizeof(value)));
	for (i = 0; i < NR_PARAMS; i++)
		if (row.param[i] != model->param[i] && len < RESTS_MOST)
			len += (size_t)snprintf(buf + len, RESTS_MOST - len, ", %s=%" PRIu64, param_info((enum param)i)->name, model->param[i]);
	return len;
}

static void put_live(FILE *out, const struct live_notes *n)
{
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[FORMAT_MAX], e[FORMAT_MAX];

	fprintf(out, "live: of %s that CPUs gave to tasks the host took %s (%s)", format_time(a, n->given),
		format_time(b, n->given - n->got), format_share(c, n->given - n->got, n->given));
	fprintf(out, "\n      asked to leave, tasks ran on for %s in all, %s at the longest", format_time(d, n->overrun),
		format_time(e, n->longest_overrun));
	fprintf(out, "\n      timers were %s late on average and %s at the most, %" PRIu64 " tick%s lost\n",
		format_time(a, n->nr_timers ? n->late / n->nr_timers : 0), format_time(b, n->longest_late), n->lost_ticks,
		n->lost_ticks == 1 ? " was" : "s were");
}

static void put_rests_on(FILE *out, const struct result *res)
{
	const struct costs *c = &res->scenario->machine.costs;
	char a[FORMAT_MAX], b[FORMAT_MAX], d[FORMAT_MAX], e[FORMAT_MAX], line[RESTS_MOST];
	size_t len = (size_t)snprintf(line, sizeof(line), "rests on row %s", res->model.row);

	if (res->live)
		put_live(out, &res->notes);
	len = say_changed_rules(line, len, &res->model);
	if (res->live && len < sizeof(line))
		snprintf(line + len, sizeof(line) - len, "; costs are real ones");
	else if (len < sizeof(line))
		snprintf(line + len, sizeof(line) - len, "; costs: switch %s, wakeup %s, unthrottle %s, slack %s (--json has all)",
			 format_time(a, c->switch_), format_time(b, c->wakeup), format_time(d, c->unthrottle), format_time(e, c->timer_slack));
	fputs(text_tone(out, TONE_DIM), out);
	text_flow(out, line, 0, 2);
	fputs(text_tone(out, TONE_PLAIN), out);
}

static void put_stuck(FILE *out, const struct stuck *stuck)
{
	char since[FORMAT_MAX];

	if (!stuck->who[0])
		return;
	format_time(since, stuck->since);
	if (stuck->circle)
		fprintf(out, "%sdeadlock at %s%s: ", text_tone(out, TONE_BAD), since, text_tone(out, TONE_PLAIN));
	else
		fprintf(out, "from %s on nothing can happen any more: ", since);
	text_put(out, stuck->who);
	fputc('\n', out);
}

void result_text(FILE *out, struct result *res, const struct result_detail *detail)
{
	u32 i;

	result_title(out, res);
	if (res->live)
		fputs(", live on real CPUs\n\n", out);
	else
		fprintf(out, ", digest %016" PRIx64 "\n\n", res->digest);
	put_groups(out, res);
	put_tasks(out, res);
	put_spans(out, res);
	for (i = 0; detail->periods && i < res->nr_groups; i++)
		if (res->groups[i].nr_periods)
			put_periods(out, &res->groups[i]);
	for (i = 0; detail->threads && i < res->nr_tasks; i++)
		put_threads(out, &res->tasks[i]);
	put_refusals(out, res);
	put_stuck(out, &res->stuck);
	for (i = 0; i < res->nr_snapshot; i++) {
		text_put(out, res->snapshot[i]);
		fputc('\n', out);
	}
	put_rests_on(out, res);
}
