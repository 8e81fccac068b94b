/* SPDX-License-Identifier: MIT */
/*
 * fsperf_text.c - a comparison in the words of the mail that measured fsperf with perf stat.
 *
 *	perf stat	mean over the runs, with the standard error in percent
 *	times		fsperf's own, means too
 */
#include "report/fsperf_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_text.h"
#include "text/format.h"
#include "text/table.h"

#define IOS ((u64)5 << 18) /* of 4 KiB in 5 GiB */
#define MIB_OF_ALL 5120.0

/* ---- one run ---- */

static struct samples *span(const struct result *res, const char *name)
{
	u32 i;

	for (i = 0; i < res->nr_spans; i++)
		if (!strcmp(res->spans[i].name, name))
			return &res->spans[i].took;
	return NULL;
}

static u64 ios_of(const struct result *res)
{
	struct samples *submit = span(res, "submit");

	return submit && submit->nr ? submit->nr : IOS;
}

/* @v of what was written, for all of it. */
static u64 scaled(const struct result *res, u64 v) { return (u64)((unsigned __int128)v * IOS / ios_of(res)); }

static u64 span_time(const struct result *res, const char *name)
{
	struct samples *s = span(res, name);

	return s ? scaled(res, samples_sum(s)) : 0;
}

/* ---- over the runs ---- */

typedef u64 figure_of_run(const struct result *res, int which);

static u64 event_count(const struct result *res, int event) { return scaled(res, res->events[event]); }

static u64 elapsed(const struct result *res, int unused)
{
	(void)unused;
	return scaled(res, res->end - res->start);
}

static const char *const span_names[] = { "trigger", "submit", "io" };
enum { TRIGGER, SUBMIT, IO };

static u64 span_of_run(const struct result *res, int which) { return span_time(res, span_names[which]); }

static struct spread over_runs(const struct series *s, figure_of_run *figure, int which)
{
	u64 *v = calloc(s->nr, sizeof(*v));
	struct spread sp;
	u32 i;

	if (!v)
		abort();
	for (i = 0; i < s->nr; i++)
		v[i] = figure(s->results[i], which);
	sp = spread_of(v, s->nr);
	free(v);
	return sp;
}

static double error_share(const struct spread *sp) { return sp->mean > 0 ? 100.0 * sp->error / sp->mean : 0.0; }

/* ---- the counters ---- */

/* In the mail's order; those of processes are not fsperf's own. */
static const struct {
	enum event_type type;
	const char *name;
	bool script;
} rows[] = {
	{ EVENT_ACTIVE_LOAD_BALANCE_CPU_STOP, "probe:active_load_balance_cpu_stop", false },
	{ EVENT_SCHED_WAKING, "sched:sched_waking", false },
	{ EVENT_SCHED_WAKEUP, "sched:sched_wakeup", false },
	{ EVENT_SCHED_WAKEUP_NEW, "sched:sched_wakeup_new", true },
	{ EVENT_SCHED_SWITCH, "sched:sched_switch", false },
	{ EVENT_SCHED_MIGRATE_TASK, "sched:sched_migrate_task", false },
	{ EVENT_SCHED_PROCESS_FREE, "sched:sched_process_free", true },
	{ EVENT_SCHED_PROCESS_EXIT, "sched:sched_process_exit", true },
	{ EVENT_SCHED_WAIT_TASK, "sched:sched_wait_task", true },
	{ EVENT_SCHED_PROCESS_WAIT, "sched:sched_process_wait", true },
	{ EVENT_SCHED_PROCESS_FORK, "sched:sched_process_fork", true },
	{ EVENT_SCHED_PROCESS_EXEC, "sched:sched_process_exec", true },
	{ EVENT_SCHED_STAT_RUNTIME, "sched:sched_stat_runtime", false },
	{ EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI, "sched:sched_wake_idle_without_ipi", false },
};

/* 1,740 */
static char *with_commas(char *buf, u64 n)
{
	char plain[FORMAT_MAX], *out = buf;
	int i, len = snprintf(plain, sizeof(plain), "%" PRIu64, n);

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = plain[i];
	}
	*out = '\0';
	return buf;
}

/* What was measured where @s was: at its granularity, with the patch or without. */
static const char *published(const struct fsperf_published *p, const struct series *s, const char *row)
{
	const struct kernel_model *model = &s->results[0]->model;
	char column[64];

	if (!p)
		return NULL;
	snprintf(column, sizeof(column), "%" PRIu64 " ms%s", model->param[PARAM_WAKEUP_GRANULARITY] / MS,
		 model->rule[RULE_RFC_KTHREAD] ? ", patch" : "");
	return p->words(p->ctx, column, row);
}

static void published_cell(struct table *t, const struct fsperf_published *p, const struct series *s, const char *row)
{
	const char *words = published(p, s, row);

	if (p)
		table_cell(t, "%s", words ? words : "");
}

static void head(struct table *t, const struct compare *cmp, const struct fsperf_published *p)
{
	u32 i;

	table_tone(t, TONE_HEAD);
	table_cell(t, "%s", "event");
	for (i = 0; i < cmp->nr; i++) {
		table_cell(t, "%s", cmp->series[i].label);
		table_cell(t, "%s", "");
		if (p)
			table_cell(t, "%s", "mail");
	}
	table_tone(t, TONE_PLAIN);
	table_end_row(t);
}

static void counter_row(struct table *t, const struct compare *cmp, const struct fsperf_published *p, size_t k)
{
	char buf[FORMAT_MAX];
	u32 i;

	table_cell(t, "%s%s", rows[k].name, rows[k].script ? " *" : "");
	for (i = 0; i < cmp->nr; i++) {
		struct spread sp = over_runs(&cmp->series[i], event_count, rows[k].type);

		table_cell(t, "%s", with_commas(buf, (u64)(sp.mean + 0.5)));
		table_cell(t, "( +-%6.2f%% )", error_share(&sp));
		published_cell(t, p, &cmp->series[i], rows[k].name);
	}
	table_end_row(t);
}

#define ELAPSED "elapsed time in seconds"

static void elapsed_row(struct table *t, const struct compare *cmp, const struct fsperf_published *p)
{
	u32 i;

	table_cell(t, "%s", ELAPSED);
	for (i = 0; i < cmp->nr; i++) {
		struct spread sp = over_runs(&cmp->series[i], elapsed, 0);

		table_cell(t, "%.5g +- %.3g", sp.mean / (double)SEC, sp.error / (double)SEC);
		table_cell(t, "( +-%6.2f%% )", error_share(&sp));
		published_cell(t, p, &cmp->series[i], ELAPSED);
	}
	table_end_row(t);
}

static void put_counters(FILE *out, const struct compare *cmp, const struct fsperf_published *p)
{
	char align[TABLE_COLUMNS_MAX + 1];
	struct table t;
	size_t k, n = 0;
	u32 i;

	align[n++] = 'l';
	for (i = 0; i < cmp->nr && n + 3 < sizeof(align); i++) {
		align[n++] = 'r';
		align[n++] = 'l';
		if (p)
			align[n++] = 'r';
	}
	align[n] = '\0';
	fprintf(out, "Performance counter stats for 'system wide' (%u run%s):\n\n", cmp->series[0].nr, cmp->series[0].nr == 1 ? "" : "s");
	table_init(&t, align);
	head(&t, cmp, p);
	for (k = 0; k < ARRAY_SIZE(rows); k++)
		counter_row(&t, cmp, p, k);
	elapsed_row(&t, cmp, p);
	table_print(&t, out);
	table_fini(&t);
	fputs("* processes of the scenario's background script; the workload itself starts none\n\n", out);
}

/* ---- the program's own times ---- */

static double mean_seconds(const struct series *s, int which)
{
	struct spread sp = over_runs(s, span_of_run, which);

	return sp.mean / (double)SEC;
}

/* Behind a line: what was published. */
static void end_line(FILE *out, const struct series *s, const struct fsperf_published *p, const char *row)
{
	const char *words = published(p, s, row);

	if (words)
		fputs("    mail: ", out);
	if (words)
		text_put(out, words);
	fputc('\n', out);
}

/* As the program prints it: dots up to column 32. */
static void time_line(FILE *out, const struct series *s, const struct fsperf_published *p, const char *what, double seconds)
{
	static const char dots[] = "................................";
	int gap = 31 - (int)strlen(what);

	fprintf(out, "%s:%.*s %.6g s (Throughput: %.6g MB/s)", what, gap, dots, seconds, seconds > 0 ? MIB_OF_ALL / seconds : 0.0);
	end_line(out, s, p, what);
}

#define RATIO "Ratio trigger time to I/O time"

static void put_throughput(FILE *out, const struct series *s, const struct fsperf_published *p)
{
	double trigger = mean_seconds(s, TRIGGER), io = mean_seconds(s, IO);

	text_put(out, s->label);
	fputc('\n', out);
	time_line(out, s, p, "Trigger time", trigger);
	time_line(out, s, p, "Asynchronous submit time", mean_seconds(s, SUBMIT));
	time_line(out, s, p, "Synchronous submit time", 0);
	time_line(out, s, p, "I/O time", io);
	fprintf(out, RATIO ":.%.6g", io > 0 ? trigger / io : 0.0);
	end_line(out, s, p, RATIO);
	fputc('\n', out);
}

static void put_share(FILE *out, const struct compare *cmp)
{
	const struct result *res = cmp->series[0].results[0];
	char a[FORMAT_MAX], b[FORMAT_MAX];

	if (ios_of(res) == IOS)
		return;
	fprintf(out, "%s of the %s I/Os were simulated; counts and times are %.3g times what was counted\n\n", format_count(a, ios_of(res)),
		format_count(b, IOS), (double)IOS / (double)ios_of(res));
}

void fsperf_text(FILE *out, const struct compare *cmp, const struct fsperf_published *p)
{
	u32 i;

	compare_title(out, cmp);
	put_share(out, cmp);
	put_counters(out, cmp, p);
	fputs("Throughput results\n\n", out);
	for (i = 0; i < cmp->nr; i++)
		put_throughput(out, &cmp->series[i], p);
	compare_differences(out, cmp);
}
