/* SPDX-License-Identifier: MIT */
/*
 * test_shapes.c - the scenarios of scenarios/, each with an answer that is known without us.
 *
 * The sentence above a test is why; it stands in the scenario's own comments, too.
 */
#include "tests/test.h"

#include <stdlib.h>

#include "cli/shapes.h"
#include "input/scenario_file.h"
#include "sim/machine.h"

static struct scenario sc;
static struct result *res;

/* The scenario called @name, under @limit (NULL: its own) and @kernel (NULL), for @seconds (NULL). */
static void play_for(const char *name, const char *limit, const char *kernel, const char *seconds)
{
	struct machine_options opt = { 0 };
	struct warnings w = { 0 };
	struct err err = { 0 };
	char path[64], text[1024];

	snprintf(path, sizeof(path), "scenarios/%s.json", name);
	result_free(res);
	scenario_free(&sc);
	if (scenario_read_file(path, &sc, &w, &err) || (limit && scenario_set_limit(&sc, limit, &err)) ||
	    (kernel && scenario_set_kernel(&sc, kernel, &err)) || (seconds && scenario_set_duration(&sc, seconds, &err)))
		fail_msg("%s", err_text(&err, text, sizeof(text)));
	CHECK_ROW(w.nr, 0, name);
	warnings_free(&w);
	res = machine_run(&sc, &opt, &err);
	if (!res)
		fail_msg("%s", err_text(&err, text, sizeof(text)));
}

static void play(const char *name) { play_for(name, NULL, NULL, NULL); }

static struct thread_result *task(const char *name)
{
	u32 i;

	for (i = 0; i < res->nr_tasks; i++)
		if (!strcmp(res->tasks[i].name, name))
			return &res->tasks[i].sum;
	fail_msg("no task %s", name);
	return NULL;
}

static const struct group_stat *group(const char *path)
{
	u32 i;

	for (i = 0; i < res->nr_groups; i++)
		if (!strcmp(res->groups[i].path, path))
			return &res->groups[i].stat;
	fail_msg("no group %s", path);
	return NULL;
}

/* Half a CPU in periods of 100 ms: 50 ms on, 50 ms off (give or take a tick), 5 s of 10. */
TEST(shapes, one_hog)
{
	play("one-hog");
	CHECK_WITHIN(group("/web")->usage, 4950 * MS, 5050 * MS);
	CHECK_EQ(group("/web")->nr_throttled, group("/web")->nr_periods);
	CHECK_WITHIN(task("hog")->longest_pause, 46 * MS, 54 * MS);
}

/* Two threads spend one CPU's quota twice as fast: after 50 ms both stand still. */
TEST(shapes, two_hogs)
{
	play("two-hogs");
	CHECK_WITHIN(group("/web")->usage, 9950 * MS, 10050 * MS);
	CHECK_WITHIN(task("hog")->longest_pause, 44 * MS, 56 * MS);
}

/* Two busy threads have used up the pod's 150 ms after 75 ms; no limit of one CPU can stop one thread. */
TEST(shapes, nested_pods)
{
	play("nested");
	CHECK_WITHIN(group("/pod")->usage, 8950 * MS, 9050 * MS);
	CHECK_WITHIN(group("/pod")->nr_throttled, 58, 60);
	CHECK_EQ(group("/pod/app")->nr_throttled, 0);
	CHECK_EQ(group("/pod/sidecar")->nr_throttled, 0);
	CHECK_WITHIN(group("/pod/app")->usage, 4300 * MS, 4700 * MS);
}

/* M/M/1 at 500/s and 1000/s: mean 2 ms, median ln(2) x 2 ms, 95 % below ln(20) x 2 ms; 100 000 requests leave about 1 % of chance. */
TEST(shapes, web_is_the_textbooks_queue)
{
	struct samples *l;

	play("web");
	l = &task("worker")->latency;
	CHECK_WITHIN(l->nr, 99000, 101000);
	CHECK_WITHIN(samples_mean(l), 1900 * US, 2100 * US);
	CHECK_WITHIN(samples_percentile(l, 0.5), 1330 * US, 1450 * US);
	CHECK_WITHIN(samples_percentile(l, 0.95), 5600 * US, 6400 * US);
	CHECK_WITHIN(group("/web")->usage / 200, 495 * MS, 510 * MS);
}

/* A limit above the average use is not a limit that does nothing: arrivals at random need more at times. */
TEST(shapes, web_under_a_limit_above_its_use)
{
	u64 before, after;

	play("web");
	before = samples_percentile(&task("worker")->latency, 0.95);
	play_for("web", "550m", NULL, NULL);
	after = samples_percentile(&task("worker")->latency, 0.95);
	CHECK(group("/web")->nr_throttled > 100);
	CHECK_WITHIN(group("/web")->usage / 200, 490 * MS, 510 * MS);
	CHECK(after > 4 * before);
}

/* 8 threads use up 100 ms in 12.5 ms and pause for 87.5; the other 60 ms take 7.5 more: 107.5 ms, judged at ticks of 1 ms. */
TEST(shapes, gc_pauses)
{
	play("gc");
	CHECK_WITHIN(task("collector")->longest_pause, 86 * MS, 89 * MS);
	CHECK_WITHIN(samples_percentile(&task("collector")->latency, 0.5), 106 * MS, 110 * MS);
	CHECK_EQ(task("collector")->latency.nr, 8 * 19);
	CHECK_EQ(group("/app")->nr_throttled, 19);
	CHECK_WITHIN(group("/app")->usage, 3200 * MS, 3300 * MS);
	play_for("gc", "max", NULL, NULL);
	CHECK_WITHIN(samples_percentile(&task("collector")->latency, 0.5), 20 * MS, 21 * MS);
}

/* Weights of 300 and 100 divide a full CPU 3 to 1, with 8 batch threads as with one. */
TEST(shapes, batch_beside_a_service)
{
	static const char *const kernels[] = { "3.16", "5.10" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		play_for("batch", NULL, kernels[i], NULL);
		CHECK_WITHIN(group("/service")->usage, 7400 * MS, 7600 * MS);
		CHECK_WITHIN(group("/batch")->usage, 2400 * MS, 2600 * MS);
	}
}

/* A hop is 1 us of work, 3 us for the wakeup and 2 us for the switch: 12 us a round trip, 83333 in a second. */
TEST(shapes, pipe_test)
{
	play("pipe-test");
	CHECK_WITHIN(task("ping")->loops, 83331, 83334);
	CHECK_WITHIN(task("pong")->loops, 83331, 83334);
	CHECK_WITHIN(task("ping")->runtime + task("pong")->runtime, 999990 * US, SEC);
}

/*
 * 10 000 messages of 5 + 10 us are 150 ms of work: on 4 CPUs at least 37.5 ms; at half a CPU two whole periods and what is
 * left in the third, or the first ms of the fourth for what lay on CPUs that had nothing to do.
 */
TEST(shapes, hackbench)
{
	play("hackbench");
	CHECK_EQ(group("/hackbench")->usage, 150 * MS);
	CHECK_EQ(task("receiver0")->loops, 1000);
	CHECK_EQ(task("sender")->loops, 1000);
	CHECK_WITHIN(res->end, 37500 * US, 80 * MS);
	play_for("hackbench", "500m", NULL, NULL);
	CHECK_EQ(group("/hackbench")->usage, 150 * MS);
	CHECK_WITHIN(res->end, 200 * MS, 304 * MS);
}

/* Of two workers of 1 ms that share a CPU and are woken together, one starts at once and the other a millisecond later. */
TEST(shapes, schbench)
{
	struct samples *wake;

	play("schbench");
	wake = &task("worker")->wakeup_latency;
	CHECK_WITHIN(samples_percentile(wake, 0.49), 0, 20 * US);
	CHECK_WITHIN(samples_percentile(wake, 0.51), 1000 * US, 1030 * US);
	CHECK_WITHIN(samples_percentile(wake, 0.99), 1000 * US, 1030 * US);
	CHECK_EQ(task("worker")->loops, 6 * 999);
}

/* 100 ms of work at 25 ms a period: four refills at least, so 275 ms and more from the start of a burst; without a limit 50 ms. */
TEST(shapes, burst)
{
	play("burst");
	CHECK_WITHIN(samples_max(&task("worker")->latency), 200 * MS, 400 * MS);
	CHECK_WITHIN(group("/web")->usage, 290 * MS, 310 * MS); /* three bursts end in 20 s */
	CHECK(group("/web")->nr_throttled * 2 > group("/web")->nr_periods);
	play_for("burst", "max", NULL, NULL);
	CHECK_WITHIN(samples_max(&task("worker")->latency), 50 * MS, 51 * MS);
}

/* 40 ms under 30 in 100: at once, or stopped until the next refill, 70 ms later at the most; with a burst of 30 ms always at once. */
TEST(shapes, request)
{
	play("request");
	CHECK_WITHIN(samples_max(&task("worker")->latency), 100 * MS, 116 * MS);
	CHECK_WITHIN(samples_percentile(&task("worker")->latency, 0.01), 40 * MS, 41 * MS);
	CHECK(group("/web")->nr_throttled > 30);
	play_for("request", "300m+30ms", NULL, NULL);
	CHECK_EQ(group("/web")->nr_throttled, 0);
	CHECK_WITHIN(samples_max(&task("worker")->latency), 40 * MS, 41 * MS);
	CHECK_WITHIN(group("/web")->burst_time, 300 * MS, 700 * MS); /* up to 10 of each of 59 */
}

/* Eight threads under four CPUs: 50 ms on, 50 ms off, whatever they do. */
TEST(shapes, threads)
{
	play("threads");
	CHECK_WITHIN(task("worker")->longest_pause, 46 * MS, 54 * MS);
	CHECK_WITHIN(group("/pool")->usage, 19500 * MS, 20500 * MS);
	CHECK(group("/pool")->nr_throttled + 2 >= group("/pool")->nr_periods);
	play_for("threads", "9", NULL, NULL);
	CHECK_EQ(group("/pool")->nr_throttled, 0);
}

/* 1 ms fits into the quota; 3 ms are two refills too long; of 10 ms the last is done when nine refills more have paid, or a tick's debt fewer. */
TEST(shapes, tiny)
{
	play("tiny");
	CHECK_EQ(group("/one")->nr_throttled, 0);
	CHECK_WITHIN(samples_max(&task("r1")->latency), 1000 * US, 1100 * US);
	CHECK_WITHIN(samples_max(&task("r3")->latency), 100 * MS, 310 * MS);
	CHECK_WITHIN(samples_percentile(&task("r10")->latency, 0.5), 600 * MS, 1000 * MS);
	CHECK_WITHIN(samples_max(&task("r10")->latency), 800 * MS, 1100 * MS);
}

/* Weights 39 and 100 on a full CPU: 28 % and 72 %. */
TEST(shapes, full_node)
{
	play("full-node");
	CHECK_WITHIN(group("/app")->usage, 2780 * MS, 2830 * MS);
	CHECK_WITHIN(group("/system")->usage, 7170 * MS, 7220 * MS);
}

/* The published share of EEVDF: 67 % for the busy one, 33 % for the one that sleeps half of its time. */
TEST(shapes, sleeper)
{
	play("sleeper");
	CHECK_WITHIN(task("half")->runtime, 6500 * MS, 6900 * MS);
	play_for("sleeper", NULL, "5.15", NULL);
	CHECK(task("half")->runtime > 7200 * MS);
}

/* 500 ms of each second: two CPUs use them up in 250 ms, one in 500. */
TEST(shapes, spread)
{
	play("spread");
	CHECK_WITHIN(task("worker")->longest_pause, 740 * MS, 780 * MS); /* 750 and its turn */
	CHECK_WITHIN(group("/g")->usage, 9900 * MS, 10150 * MS);
}

/* What `fairground new` writes is what is tested here, to the byte. */
TEST(shapes, new_writes_the_tested_files)
{
	const struct shape *s;
	int nr = 0;

	for (s = shapes; s->name; s++, nr++) {
		char path[64], *text = calloc(1, 65536);
		FILE *in;

		snprintf(path, sizeof(path), "scenarios/%s.json", s->name);
		in = fopen(path, "rb");
		CHECK_ROW(in != NULL, true, path);
		CHECK(fread(text, 1, 65535, in) > 100);
		fclose(in);
		CHECK_STR(s->text, text);
		CHECK_WITHIN(strlen(s->summary), 20, 120);
		free(text);
	}
	CHECK_EQ(nr, 11);
	result_free(res);
	scenario_free(&sc);
}

TEST_MAIN("shapes")
