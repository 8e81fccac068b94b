/* SPDX-License-Identifier: MIT */
/* test_light.c - recordings of our own: what their lines say, what is refused, what follows from counters and how wide that is. */
#include "tests/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/replay_runs.h"
#include "trace/facts.h"
#include "trace/light.h"
#include "trace/read.h"

#define OWN "tests/data/own/"
#define HEAD "{\"fairground\": \"light\", \"version\": 1, \"kernel\": \"6.18.1\", \"hz\": 250, \"cpus\": 2, \"target\": \"/a/web\", \"poll_usec\": 100000}\n"
#define LIMIT "{\"limit\": \"/a/web\", \"quota_usec\": 25000, \"period_usec\": 100000, \"burst_usec\": 5000, \"weight\": 100}\n"
#define MEMBER "{\"member\": \"/a/web\", \"pid\": 11, \"name\": \"web\", \"tids\": [11, 12]}\n"
#define POLL_1 "{\"t\": 1000000, \"stat\": [500, 1, 0, 0, 0, 0], \"threads\": [[11, 100, 200, 1], [12, 5, 5, 1]]}\n"
#define POLL_2 "{\"t\": 1100000, \"stat\": [25500, 2, 1, 70000, 0, 0], \"threads\": [[11, 15000100, 55000200, 6]]}\n"
#define POLL_3 "{\"t\": 1200000, \"threads\": [[11, 30000100, 110000200, 9]], \"part\": true}\n"
#define END "{\"end\": \"time\", \"polls\": 3, \"late\": 0, \"cpu_usec\": 210}\n"
#define WHOLE HEAD LIMIT MEMBER POLL_1 POLL_2 POLL_3 END

static int read_text(struct light *l, const char *text, bool *half, struct err *err)
{
	*err = (struct err){ 0 };
	return light_read(l, (const u8 *)text, strlen(text), "t.light", half, err);
}

/* ---- the reader ---- */

TEST(light, every_line_is_understood)
{
	const struct light_thread *t;
	struct light l;
	struct err err;
	bool half;

	CHECK_EQ(read_text(&l, WHOLE, &half, &err), 0);
	CHECK(!half && l.ended && l.facts.light);
	CHECK_EQ(l.cpu, 210 * US);
	CHECK_EQ(l.facts.hz, 250);
	CHECK_STR(l.facts.target, "/a/web");
	CHECK_STR(l.facts.kernel, "6.18.1");
	CHECK_EQ(light_limited(&l)->quota, 25 * MS);
	CHECK_EQ(light_limited(&l)->burst, 5 * MS);
	CHECK_EQ(l.nr_polls, 3);
	CHECK_EQ(l.polls[2].stat.nr_throttled, 1); /* not told again: as before */
	CHECK(l.polls[2].part && !l.polls[1].part);
	CHECK_EQ(l.nr_threads, 2);
	t = &l.threads[0];
	CHECK_EQ(t->tid, 11);
	CHECK_STR(t->name, "web");
	CHECK_EQ(t->nr, 2);
	CHECK_EQ(t->uses[0].from, 1000 * MS);
	CHECK_EQ(t->uses[0].to, 1100 * MS);
	CHECK_EQ(t->uses[0].run, 15 * MS);
	CHECK_EQ(t->uses[1].wait, 55 * MS);
	CHECK_EQ(t->uses[1].slices, 3);
	CHECK_EQ(l.threads[1].nr, 0); /* what it had done before does not count */
	light_fini(&l);
}

/* Who was not looked at for a while did what he did at some time since he was; who was looked at and is not told did nothing. */
TEST(light, a_use_lies_between_two_looks)
{
	static const char text[] = HEAD MEMBER POLL_1 "{\"t\": 1100000, \"part\": true}\n{\"t\": 1200000, \"threads\": [[11, 1000100, 200, 2]]}\n"
				   "{\"t\": 1300000}\n{\"t\": 1400000, \"threads\": [[12, 1005, 5, 2]]}\n";
	struct light l;
	struct err err;
	bool half;

	CHECK_EQ(read_text(&l, text, &half, &err), 0);
	CHECK_EQ(l.threads[0].uses[0].from, 1000 * MS);
	CHECK_EQ(l.threads[0].uses[0].to, 1200 * MS);
	CHECK_EQ(l.threads[1].uses[0].from, 1300 * MS);
	CHECK(!l.ended && !half);
	light_fini(&l);
}

/* The limit of a group above holds where the group has none. */
TEST(light, the_limit_above)
{
	static const char text[] = HEAD "{\"limit\": \"/a/web\", \"quota_usec\": null, \"period_usec\": 100000}\n"
				   "{\"limit\": \"/\", \"quota_usec\": 1, \"period_usec\": 100000}\n"
				   "{\"limit\": \"/a\", \"quota_usec\": 40000, \"period_usec\": 100000}\n"
				   "{\"limit\": \"/a/we\", \"quota_usec\": 1, \"period_usec\": 100000}\n" MEMBER POLL_1 POLL_2;
	struct light l;
	struct err err;
	bool half;

	CHECK_EQ(read_text(&l, text, &half, &err), 0);
	CHECK_EQ(light_limited(&l)->quota, 40 * MS);
	light_fini(&l);
}

/* What makes no sense is refused with its place; what a later version may say is passed over. */
TEST(light, what_is_refused)
{
	static const struct {
		const char *text;
		int line; /* 0: it is read */
		const char *says;
	} rows[] = {
		{ HEAD POLL_1 POLL_2 "{\"new\": 5}\n{\"t\": 1300000, \"more\": [1]}\n", 0, "" },
		{ HEAD POLL_1, -1, "holds 1 poll" },
		{ POLL_1 POLL_2, 1, "in the first line" },
		{ HEAD POLL_1 "[1]\n" POLL_2, 3, "an object" },
		{ HEAD POLL_1 "{\"t\": 5\n" POLL_2, 3, "" },
		{ "{\"fairground\": \"light\", \"version\": 2}\n" POLL_1 POLL_2, 1, "knows version 1" },
		{ HEAD "{\"t\": 1000000}\n" POLL_2, 2, "is missing" },
		{ HEAD POLL_1 "{\"t\": 1000000}\n", 3, "not later than the poll before" },
		{ HEAD POLL_1 "{\"t\": 200000000000000}\n", 3, "three years" },
		{ HEAD POLL_1 "{\"t\": -5}\n", 3, "a whole number" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"stat\": [400, 2, 1, 0, 0, 0]}\n", 3, "went back" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"stat\": [600, 2, 2, 0, 0, 0]}\n", 3, "more periods were throttled" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"stat\": [600, 2, 1, 0, 0]}\n", 3, "six counters" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"threads\": [[11, 50, 200, 1]]}\n", 3, "went back" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"threads\": [[0, 50, 200, 1]]}\n", 3, "a thread's number" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"threads\": [[11, 50.5, 200, 1]]}\n", 3, "a whole number" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"threads\": {\"11\": 5}}\n", 3, "an array" },
		{ HEAD POLL_1 "{\"t\": 1100000, \"gone\": [\"x\"]}\n", 3, "a thread's number" },
		{ HEAD "{\"limit\": \"a\", \"period_usec\": 5, \"quota_usec\": 5}\n" POLL_1 POLL_2, 2, "begins with /" },
		{ HEAD "{\"limit\": \"/a\", \"period_usec\": 0, \"quota_usec\": 5}\n" POLL_1 POLL_2, 2, "cannot be" },
		{ HEAD "{\"limit\": \"/a\", \"period_usec\": 5}\n" POLL_1 POLL_2, 2, "quota_usec" },
		{ HEAD "{\"stat\": \"/a\", \"at\": \"noon\"}\n" POLL_1 POLL_2, 2, "\"before\" or \"after\"" },
		{ HEAD "{\"member\": \"/a\", \"pid\": 5, \"tids\": [\"x\"]}\n" POLL_1 POLL_2, 2, "a thread's number" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[1200];
		struct light l;
		struct err err;
		bool half;
		int ret = read_text(&l, rows[i].text, &half, &err);

		CHECK_ROW(ret, rows[i].line ? -1 : 0, rows[i].text);
		if (rows[i].line > 0)
			CHECK_ROW(err.line, rows[i].line, rows[i].text);
		if (!strstr(err_text(&err, text, sizeof(text)), rows[i].says))
			fail_msg("\"%s\" does not say \"%s\"", text, rows[i].says);
		light_fini(&l);
	}
}

/* Cut off anywhere, it is read up to there or refused; no byte changed at random breaks the reader. */
TEST(light, any_end_is_survived)
{
	size_t len = sizeof(WHOLE) - 1;

	for (size_t i = 0; i < 2 * len; i++) {
		char *copy = malloc(len);
		struct light l;
		struct err err = { 0 };
		bool half = false;
		int ret;

		CHECK(copy != NULL);
		memcpy(copy, WHOLE, len);
		if (i >= len)
			copy[i - len] = (char)(i * 37);
		ret = light_read(&l, (const u8 *)copy, i < len ? i : len, "t.light", &half, &err);
		CHECK(ret || l.nr_polls >= 2);
		CHECK(!ret || err.code);
		light_fini(&l);
		free(copy);
	}
}

/* ---- marks ---- */

/* The same lines in the text of a trace: who is where, which limit, HZ; one that makes no sense is counted. */
TEST(facts, marks_in_a_text)
{
	static const char text[] =
		"  fg-keeper-5 [000] ..... 1.000000: tracing_mark_write: fairground {\"fairground\": \"record\", \"version\": 1, \"hz\": 1000, "
		"\"target\": \"/web\", \"events\": \"members\"}\n"
		"  fg-keeper-5 [000] ..... 1.000001: print: 0xffffffff81: fairground {\"limit\": \"/web\", \"quota_usec\": 5000, \"period_usec\": 10000}\n"
		"  fg-keeper-5 [000] ..... 1.000002: tracing_mark_write: fairground {\"member\": \"/web\", \"pid\": 7, \"name\": \"w\", \"tids\": [8]}\n"
		"  fg-keeper-5 [000] ..... 1.000003: tracing_mark_write: fairground {\"limit\": 5}\n"
		"  fg-keeper-5 [000] ..... 1.000004: tracing_mark_write: nothing of ours {\"limit\": 5}\n"
		"  w-8 [001] d..2. 1.000005: sched_switch: prev_comm=w prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 "
		"next_prio=120\n";
	struct err err = { 0 };
	struct trace tr;
	u32 task;

	trace_init(&tr);
	CHECK_EQ(trace_read_bytes(&tr, text, sizeof(text) - 1, "t", &err), 0);
	CHECK(tr.facts && tr.facts->any && tr.facts->filtered && !tr.facts->light);
	CHECK_EQ(tr.facts->hz, 1000);
	CHECK_EQ(trace_facts_group(tr.facts, "/web")->quota, 5 * MS);
	task = trace_task_find(&tr, 8);
	CHECK_STR(tr.groups[tr.tasks[task].group - 1], "/web");
	CHECK_EQ(tr.tasks[task].tgid, 7);
	CHECK_EQ(tr.counts.bad_events, 1);
	CHECK_EQ(tr.counts.other_events, 5);
	trace_fini(&tr);
}

/* One group recorded both ways at once: its limit, its threads and its counters are told in both. */
TEST(facts, a_recording_of_our_own)
{
	static const struct trace_options no_options;
	static struct run_options opt;
	const struct fact_group *g;
	struct traced events, counters;
	struct err err = { 0 };
	u64 n;

	if (traced_open(&events, OWN "own_two_q25.dat.gz", &no_options, current_variant(&opt), &err) ||
	    traced_open(&counters, OWN "own_two_q25.light", &no_options, current_variant(&opt), &err))
		fail_msg("%s", err.message);
	CHECK_EQ(events.guess.source, LIMIT_FILE);
	CHECK_EQ(counters.guess.source, LIMIT_FILE);
	CHECK_EQ(events.limit.quota, 25 * MS);
	CHECK_EQ(counters.limit.quota, 25 * MS);
	CHECK_STR(events.group, "web");
	CHECK_STR(counters.group, "web");
	CHECK_EQ(events.hz, 250);
	CHECK_EQ(events.rec.sc.nr_tasks, counters.rec.sc.nr_tasks);
	CHECK_STR(events.rec.sc.kernel.row, counters.rec.sc.kernel.row);
	g = trace_facts_group(events.tr.facts, "/fgrec/web");
	n = g->after.nr_throttled - g->before.nr_throttled;
	CHECK_EQ(events.stat.nr_throttled, n);
	CHECK_WITHIN(counters.guess.nr_throttled, n - 3, n + 3); /* they did not begin at the same moment */
	CHECK_WITHIN(events.rec.figures.cpu, counters.rec.figures.cpu * 95 / 100, counters.rec.figures.cpu * 105 / 100);
	traced_close(&events);
	traced_close(&counters);
}

/* ---- what follows ---- */

static void recovered_of(struct recovered *rec, struct recover_way ways[NR_LIGHT_WAYS], struct light *l, const char *text)
{
	struct recover_ask how = { .name = "g" };
	struct err err = { 0 };
	bool half;

	CHECK_EQ(read_text(l, text, &half, &err), 0);
	if (light_recover(rec, ways, l, &how, &err))
		fail_msg("%s", err.message);
}

static u64 run_of(const struct recover_way *way, u32 i) { return way->tasks[0].program.steps[1].len.values[i]; }

/* 15 ms in 5 slices, 55 ms waited: five pieces, one early, one late; between the pieces what is left of the time is slept. */
TEST(light, ways_of_one_use)
{
	struct recover_way ways[NR_LIGHT_WAYS];
	const struct program *p;
	struct recovered rec;
	struct light l;
	u64 sum = 0;

	recovered_of(&rec, ways, &l, HEAD MEMBER POLL_1 POLL_2);
	CHECK_EQ(rec.sc.nr_tasks, 1);
	CHECK_EQ(rec.sc.duration, 100 * MS);
	CHECK_EQ(ways[LIGHT_SPREAD].bursts, 5);
	CHECK_EQ(ways[LIGHT_EARLY].bursts, 1);
	for (u32 i = 0; i < 5; i++) {
		CHECK_EQ(ways[LIGHT_SPREAD].resources[0].times[i], (10 + 20 * i) * MS);
		sum += run_of(&ways[LIGHT_SPREAD], i);
	}
	CHECK_EQ(sum, 15 * MS);
	CHECK_EQ(ways[LIGHT_EARLY].resources[0].times[0], 0);
	CHECK_EQ(run_of(&ways[LIGHT_EARLY], 0), 15 * MS);
	CHECK_EQ(ways[LIGHT_LATE].resources[0].times[0], 30 * MS);
	p = &ways[LIGHT_CLOSED].tasks[0].program;
	CHECK_EQ(p->steps[0].kind, STEP_SLEEP);
	CHECK_EQ(p->steps[0].len.values[1], 6 * MS); /* 100 - 15 - 55 = 30 ms in five */
	CHECK_EQ(ways[LIGHT_CLOSED].nr_resources, 0);
	light_fini(&l);
	recover_fini(&rec);
}

/*
 * Ready from one poll to the next: one run in every way, released when its waiting began.  It is busy when the recording ends; as it slept before,
 * what ran is taken for all it wanted.
 */
TEST(light, a_busy_thread_goes_on)
{
	static const char text[] = HEAD MEMBER POLL_1 "{\"t\": 1100000, \"threads\": [[11, 25000100, 15000200, 2]]}\n" /* 60 ms asleep at first */
				   "{\"t\": 1200000, \"threads\": [[11, 50000100, 90000200, 3]]}\n{\"t\": 1300000}\n"
				   "{\"t\": 1400000, \"threads\": [[11, 75000100, 260000200, 4]]}\n";
	struct recover_way ways[NR_LIGHT_WAYS];
	struct recovered rec;
	struct light l;

	recovered_of(&rec, ways, &l, text);
	for (int way = 0; way < NR_LIGHT_WAYS; way++) {
		CHECK_EQ(ways[way].bursts, way == LIGHT_CLOSED ? ways[way].bursts : 1);
		if (way != LIGHT_CLOSED) {
			CHECK_EQ(ways[way].resources[0].times[0], 60 * MS);
			CHECK_EQ(run_of(&ways[way], 0), 75 * MS);
		}
	}
	CHECK(rec.threads[0].busy_to_end);
	CHECK(!rec.threads[0].endless);
	CHECK_EQ(rec.threads[0].last_run, 75 * MS);
	light_fini(&l);
	recover_fini(&rec);
}

/* One that never slept is without end. */
TEST(light, a_thread_that_never_sleeps_is_endless)
{
	static const char text[] = HEAD MEMBER POLL_1 "{\"t\": 1100000, \"threads\": [[11, 25000100, 75000200, 2]]}\n"
				   "{\"t\": 1200000, \"threads\": [[11, 50000100, 150000200, 3]]}\n";
	struct recover_way ways[NR_LIGHT_WAYS];
	struct recovered rec;
	struct light l;

	recovered_of(&rec, ways, &l, text);
	CHECK(rec.threads[0].endless);
	CHECK_EQ(rec.threads[0].last_run, 50 * MS);
	CHECK_EQ(run_of(&ways[LIGHT_EARLY], 0), 50 * MS + rec.sc.duration);
	light_fini(&l);
	recover_fini(&rec);
}

/* ---- against a trace of the same ---- */

/* The counters that a recording of events would have shown, polled each 100 ms; as a text. */
static char *counters_of(const struct traced *t)
{
	u64 first = trace_first(&t->tr), last = trace_last(&t->tr), step = 100 * MS;
	const struct throttle_guess *g = &t->guess;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fputs(HEAD, out);
	fprintf(out, "{\"limit\": \"/a/web\", \"quota_usec\": %" PRIu64 ", \"period_usec\": %" PRIu64 "}\n", t->limit.quota / US, t->limit.period / US);
	for (u64 now = first; now <= last; now += step) {
		u64 usage = 0, periods = 0, throttled = 0, stopped = 0;
		bool some = false;

		for (u64 k = 0; k < g->nr_periods && g->first + (k + 1) * g->period <= now; k++) {
			periods += g->periods[k].used || g->periods[k].touched;
			throttled += g->periods[k].throttled;
			stopped += g->periods[k].stopped;
		}
		for (u32 i = 0; i < t->tr.nr_tasks; i++)
			usage += t->member[i] ? timeline_ran(&t->tl, i, 0, now) : 0;
		fprintf(out, "{\"t\": %" PRIu64 ", \"stat\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", 0, 0], \"threads\": [", now / US, usage / US,
			periods, throttled, stopped / US);
		for (u32 i = 0; i < t->tr.nr_tasks; i++) {
			const struct span *s, *end;
			u64 wait = 0, slices = 0;

			if (!t->member[i])
				continue;
			timeline_task(&t->tl, i, &s, &end);
			for (; s < end && s->start <= now; s++) {
				wait += s->state == SPAN_READY && s->end <= now ? span_len(s) : 0; /* counted when it ends */
				slices += s->state == SPAN_RUNNING;
			}
			fprintf(out, "%s[%d, %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", some ? ", " : "", t->tr.tasks[i].pid,
				timeline_ran(&t->tl, i, 0, now), wait, slices);
			some = true;
		}
		fputs("]", out);
		some = false;
		for (u32 i = 0; now + step > last && i < t->tr.nr_tasks; i++)
			if (t->member[i] && t->tr.tasks[i].exited) {
				fprintf(out, "%s%d", some ? ", " : ", \"gone\": [", t->tr.tasks[i].pid);
				some = true;
			}
		fputs(some ? "]}\n" : "}\n", out);
	}
	fputs(END, out);
	CHECK_EQ(fclose(out), 0);
	return text;
}

static void replay(struct traced *t, struct replay_runs *runs, const char *path, const char *const *limits, u32 nr)
{
	static const struct trace_options no_options;
	static struct run_options opt;
	struct what_ifs ifs = { .nr = nr };
	struct err err = { 0 };

	memset(&opt, 0, sizeof(opt));
	opt.jobs = 1;
	for (u32 i = 0; i < nr; i++)
		ifs.v[i].limit = limits[i];
	if (traced_open(t, path, &no_options, current_variant(&opt), &err) || replay_runs_go(runs, t, &opt, &ifs, 4, &err))
		fail_msg("%s: %s", path, err.message);
}

/*
 * Of each of our recordings the counters alone: the model of them throttles as often as recorded, within a tenth, and what the events say of
 * throttled periods and CPU time under other limits lies inside the ranges.
 */
TEST(light, ranges_hold_what_the_events_say)
{
	static const char *const paths[] = { OWN "own_burn5_q25.ftrace.txt", OWN "own_2busy_pin_q50.ftrace.txt", OWN "own_hog_q25.ftrace.txt" };
	static const char *const limits[] = { "300m", "400m", "600m", "1500m" };
	char file[] = "/tmp/fairground-light-XXXXXX";
	int fd = mkstemp(file);

	CHECK(fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct replay_runs of_trace, of_light;
		struct traced trace, light;
		char *text;

		replay(&trace, &of_trace, paths[i], limits, ARRAY_SIZE(limits));
		text = counters_of(&trace);
		CHECK_EQ(ftruncate(fd, 0), 0);
		CHECK_EQ(pwrite(fd, text, strlen(text), 0), (ssize_t)strlen(text));
		replay(&light, &of_light, file, limits, ARRAY_SIZE(limits));
		CHECK_ROW(light.nr_ways, NR_LIGHT_WAYS, paths[i]);
		CHECK_WITHIN(of_light.fates[0].at.throttled, light.guess.nr_throttled - light.guess.nr_throttled / 10 - 1,
			     light.guess.nr_throttled + light.guess.nr_throttled / 10 + 1);
		for (u32 k = 1; k <= ARRAY_SIZE(limits); k++) {
			const struct fates *a = &of_trace.fates[k], *b = &of_light.fates[k];

			if (a->at.throttled + 1 < b->lo.throttled || a->at.throttled > b->hi.throttled + 1)
				fail_msg("%s under %s: %" PRIu64 " throttled, not %" PRIu64 " to %" PRIu64, paths[i], limits[k - 1], a->at.throttled,
					 b->lo.throttled, b->hi.throttled);
			if (a->at.usage * 100 < b->lo.usage * 95 || a->at.usage * 95 > b->hi.usage * 100)
				fail_msg("%s under %s: %" PRIu64 " us of CPU, not %" PRIu64 " to %" PRIu64, paths[i], limits[k - 1], a->at.usage / US,
					 b->lo.usage / US, b->hi.usage / US);
		}
		replay_runs_fini(&of_light);
		replay_runs_fini(&of_trace);
		traced_close(&light);
		traced_close(&trace);
		free(text);
	}
	close(fd);
	unlink(file);
}

TEST_MAIN("light")
