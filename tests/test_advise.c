/* SPDX-License-Identifier: MIT */
/* test_advise.c - limits with a known answer. */
#include "tests/test.h"

#include <stdlib.h>

#include "cli/advise_say.h"

struct bed {
	struct run_options opt;
	struct source src;
	struct subject s;
	struct advice *a;
};

/* Quotes are written as ' here. */
static void begin(struct bed *b, const char *text, const char *target, const char *no_throttle, const char *group)
{
	struct err err = { 0 };
	char shown[1024];

	memset(b, 0, sizeof(*b));
	current_variant(&b->opt);
	b->src = (struct source){ .path = "t.json", .text = strdup(text), .len = strlen(text), .warned = true };
	for (char *p = b->src.text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	b->s = (struct subject){ .opt = &b->opt, .source = &b->src, .phases = 16 };
	CHECK_EQ(target ? target_parse(&b->s.target, target, &err) : target_no_throttle(&b->s.target, no_throttle, &err), 0);
	b->a = calloc(1, sizeof(*b->a));
	b->a->s = &b->s;
	if (subject_init(&b->s, group, NULL, &err) || advice_find(b->a, &err) || advice_alternatives(b->a, &err))
		fail_msg("%s", err_text(&err, shown, sizeof(shown)));
	advice_price(b->a);
}

static void end(struct bed *b)
{
	advice_fini(b->a);
	subject_fini(&b->s);
	free(b->a);
	source_close(&b->src);
}

static const struct advise_row *alternative(const struct bed *b, const char *name)
{
	for (u32 i = 0; i < b->a->nr_alternatives; i++)
		if (!strcmp(b->a->alternatives[i].name, name))
			return &b->a->alternatives[i].row;
	fail_msg("no alternative \"%s\"", name);
	return NULL;
}

static u64 answer(const struct bed *b) { return b->a->found ? quota_milli(b->a->answer.change.quota, b->a->period) : 0; }

#define TWO_BURSTS(slice) "{ 'machine': { 'cpus': 2, 'hz': 250, 'costs': 'none' }, " \
	"'kernel': { 'row': '5.10', 'tunables': { 'sched_cfs_bandwidth_slice_us': " slice " } }, 'groups': { '/web': { 'limit': '250m' } }, " \
	"'global': { 'duration': 14 }, 'tasks': { 'worker': { 'instance': 2, 'taskgroup': '/web', 'loop': -1, " \
	"'timer': { 'ref': 'unique', 'period': 5000000, 'mode': 'absolute' }, 'run': 50000 } } }"

/*
 * 2 threads x 50 ms at once are 100 ms of work: 1000m, where the whole burst falls into one period.  What a CPU draws and does not
 * use, up to a slice, is missing on the other: with slices of 5 ms that makes 50m more at most.
 */
TEST(advise, two_bursts_need_their_work_in_one_period)
{
	struct bed b;

	begin(&b, TWO_BURSTS("1000"), NULL, "1", NULL);
	CHECK_WITHIN(answer(&b), 990, 1010);
	CHECK(b.a->answer.row.met);
	CHECK_EQ(b.a->answer.row.fates.hi.throttled, 0);
	CHECK_EQ(b.a->answer.row.fates.hi.latency[LATENCY_MAX] / MS, 50);
	CHECK(b.a->below.row.fates.hi.throttled > 0);
	CHECK(!b.a->now.row.met);
	end(&b);
	begin(&b, TWO_BURSTS("5000"), NULL, "1", NULL);
	CHECK_WITHIN(answer(&b), 1000, 1050);
	end(&b);
}

/* The proof: one thousandth less is a run that misses it. */
TEST(advise, just_below_misses)
{
	struct bed b;

	begin(&b, TWO_BURSTS("5000"), NULL, "1", NULL);
	CHECK(b.a->has_below);
	CHECK_EQ(b.a->answer.change.quota - b.a->below.change.quota, 100 * US);
	CHECK(b.a->answer.row.met && !b.a->below.row.met);
	CHECK_EQ(b.a->answer.row.fates.runs, 16);
	CHECK(b.a->answer.row.fates.result && b.a->below.row.fates.result);
	end(&b);
}

#define REQUEST(row, costs) "{ 'machine': { 'cpus': 2, 'hz': 250" costs " }, 'kernel': '" row "', 'groups': { '/web': { 'limit': '300m' } }, " \
	"'global': { 'duration': 30 }, 'tasks': { 'worker': { 'taskgroup': '/web', 'loop': -1, " \
	"'timer': { 'ref': 'unique', 'period': 1000000, 'mode': 'absolute' }, 'run': 40000 } } }"

/* A request of 40 ms under 30 ms: with a burst of as much again it is never stopped and takes its 40 ms; some 10 ms each are borrowed. */
TEST(advise, burst_lets_a_request_through)
{
	struct bed b;
	const struct advise_row *r;

	begin(&b, REQUEST("6.18", ""), "p99<42ms", NULL, NULL);
	CHECK(!b.a->now.row.met);
	CHECK_WITHIN(b.a->now.row.fates.hi.latency[LATENCY_P50], 70 * MS, 115 * MS);
	r = alternative(&b, "burst 30 ms");
	CHECK(r->met);
	CHECK_EQ(r->fates.hi.throttled, 0);
	CHECK_WITHIN(r->fates.hi.latency[LATENCY_P99], 40 * MS, 41 * MS);
	CHECK_WITHIN(r->borrowed_hi, 280 * MS, 320 * MS);
	end(&b);
}

/* A kernel without burst is offered the first that has it. */
TEST(advise, burst_needs_a_kernel_that_has_it)
{
	struct bed b;

	begin(&b, REQUEST("5.10", ", 'costs': 'none'"), "p99<42ms", NULL, NULL);
	CHECK(alternative(&b, "burst 30 ms on kernel 6.1")->met);
	end(&b);
}

/* A longer period holds the whole request: 300m of 200 ms are 60. */
TEST(advise, longer_period_holds_the_request)
{
	struct bed b;

	begin(&b, REQUEST("6.18", ", 'costs': 'none'"), "p99<42ms", NULL, NULL);
	CHECK(alternative(&b, "period 200 ms")->met);
	CHECK(!alternative(&b, "period 10 ms")->met);
	CHECK(alternative(&b, "period 10 ms")->pause_hi < b.a->now.row.pause_hi);
	end(&b);
}

/* 8 busy threads under 4 CPUs stop for half of each period; 4 at once have the quota for all of it, but for a tick. */
TEST(advise, threads_for_a_limit)
{
	struct bed b;
	const struct advise_row *four;

	begin(&b, "{ 'machine': { 'cpus': 8, 'hz': 250, 'costs': 'none' }, 'kernel': '5.10', 'groups': { '/app': { 'limit': '4000m' } }, "
		  "'global': { 'duration': 3 }, 'tasks': { 't': { 'instance': 8, 'taskgroup': '/app', 'loop': -1, 'run': 10000 } } }",
	      "max<20ms", NULL, NULL);
	CHECK_WITHIN(b.a->now.row.pause_hi, 46 * MS, 60 * MS);
	four = alternative(&b, "4 threads instead of 8");
	CHECK(four->pause_hi <= 4 * MS);
	CHECK(four->met);
	CHECK_STR(four->confidence, "low");
	end(&b);
}

/* Where even no limit is too slow, no limit meets it. */
TEST(advise, what_no_limit_can_do)
{
	struct bed b;

	begin(&b, REQUEST("6.18", ""), "p99<39ms", NULL, NULL);
	CHECK(!b.a->found);
	for (u32 i = 0; i < b.a->nr_alternatives; i++)
		CHECK_ROW(b.a->alternatives[i].row.met, false, b.a->alternatives[i].name);
	end(&b);
}

/* The answer is the same on one thread of this program and on three. */
TEST(advise, jobs_change_nothing)
{
	struct bed one, three;
	struct err err = { 0 };

	begin(&one, TWO_BURSTS("5000"), NULL, "0.9", NULL);
	begin(&three, TWO_BURSTS("5000"), NULL, "0.9", NULL);
	CHECK_EQ(answer(&one), answer(&three));
	one.opt.jobs = 1;
	three.opt.jobs = 3;
	CHECK_EQ(advice_curve(one.a, &err), 0);
	CHECK_EQ(advice_curve(three.a, &err), 0);
	CHECK_EQ(one.a->nr_curve, three.a->nr_curve);
	CHECK(one.a->nr_curve > 8);
	for (u32 i = 0; i < one.a->nr_curve; i++) {
		CHECK_EQ(one.a->curve[i].row.hi, three.a->curve[i].row.hi);
		CHECK_EQ(one.a->curve[i].row.fates.result->digest, three.a->curve[i].row.fates.result->digest);
	}
	end(&one);
	end(&three);
}

/* Of several limited groups one must be named. */
TEST(advise, which_group)
{
	static const char text[] = "{ 'machine': { 'cpus': 1, 'costs': 'none' }, 'groups': { '/a': { 'limit': '500m' }, '/b': { 'limit': '500m' } }, "
				   "'global': { 'duration': 1 }, 'tasks': { 't': { 'taskgroup': '/a', 'loop': -1, 'run': 1000, 'sleep': 9000 } } }";
	struct bed b;
	struct err err = { 0 };

	begin(&b, text, NULL, "1", "/a");
	CHECK(b.a->now.row.met);
	CHECK_WITHIN(answer(&b), 90, 120);
	CHECK_EQ(b.a->nr_alternatives, 0);
	subject_fini(&b.s);
	CHECK_EQ(subject_init(&b.s, NULL, NULL, &err), -1);
	CHECK(strstr(err.hint, "--group /a") != NULL);
	end(&b);
}

TEST(advise, targets)
{
	struct target t;
	struct err err = { 0 };

	CHECK_EQ(target_parse(&t, "p99<50ms", &err), 0);
	CHECK(t.of_latency && t.most == 50 * MS && t.share == 0.99 && !t.equal_is_met);
	CHECK_EQ(target_parse(&t, "p99.9 <= 1.5s", &err), 0);
	CHECK(t.most == 1500 * MS && t.share == 0.999 && t.equal_is_met);
	CHECK_EQ(target_parse(&t, "max<20", &err), 0);
	CHECK(t.most == 20 * MS && t.share == 1);
	CHECK_EQ(target_no_throttle(&t, "0.99", &err), 0);
	CHECK(!t.of_latency && t.most == 10000);
	for (size_t i = 0; i < 6; i++) {
		static const char *const bad[] = { "p99", "p99>5ms", "p0<5ms", "p101<5ms", "p99<", "q<5" };
		struct err one = { 0 };

		CHECK_ROW(target_parse(&t, bad[i], &one), -1, bad[i]);
		CHECK(one.message[0]);
	}
	CHECK_EQ(target_no_throttle(&t, "1.5", &err), -1);
}

/* What a manager would round is said, and every form says the same limit. */
TEST(advise, lines_to_paste)
{
	struct bed b;
	struct sentences paste = { 0 }, said = { 0 };
	bool rounded = false;

	begin(&b, TWO_BURSTS("5000"), NULL, "1", NULL);
	b.a->answer.change.quota = 103500 * US;
	advice_paste(&paste, b.a);
	advice_say(&said, b.a);
	CHECK_EQ(paste.nr, 4);
	CHECK(strstr(paste.v[0], "\"name\":\"web\"") && strstr(paste.v[0], "\"cpu\":\"1035m\""));
	CHECK(strstr(paste.v[1], "CPUQuota=103.5%") != NULL);
	CHECK(strstr(paste.v[2], "--cpus=1.035") != NULL);
	CHECK(strstr(paste.v[3], "'103500 100000' > cpu.max") != NULL);
	for (u32 i = 0; i < said.nr; i++)
		rounded |= strstr(said.v[i], "systemd cgroup driver makes 104/100 ms (1040m)") != NULL;
	CHECK(rounded);
	sentences_fini(&paste);
	sentences_fini(&said);
	end(&b);
}

TEST_MAIN("advise")
