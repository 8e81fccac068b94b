/* SPDX-License-Identifier: MIT */
/*
 * interrupts.c - devices that interrupt a CPU, idle CPUs that poll, and threads of the kernel, in whole runs.
 */
#include "tests/test.h"

#include "input/scenario_file.h"
#include "sim/machine.h"

#define NOTHING_COSTS "\"timer_irq\": 0, \"tick\": 0, \"switch\": 0, \"wakeup\": 0, \"migrate\": 0, \"newidle\": 0, \"scan\": 0, \"softirq\": 0"

static struct scenario sc;

static struct result *play(const char *text)
{
	struct read_options opt = { 0 };
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct result *res;

	if (scenario_read_with(&opt, "here", text, strlen(text), &sc, &w, &err))
		fail_msg("%s", err.message);
	warnings_free(&w);
	res = machine_run(&sc, NULL, &err);
	if (!res)
		fail_msg("%s", err.message);
	return res;
}

static void done(struct result *res)
{
	result_free(res);
	scenario_free(&sc);
}

static const struct thread_result *task_of(const struct result *res, const char *name)
{
	u32 i;

	for (i = 0; i < res->nr_tasks; i++)
		if (!strcmp(res->tasks[i].name, name))
			return &res->tasks[i].sum;
	fail_msg("there is no task %s", name);
	return NULL;
}

/* ---- a device's interrupt ---- */

/*
 * CPU 1 asks, CPU 0 is interrupted 1000 times for 20 us: who runs there is delayed by 20 ms, and is charged for it, as a kernel
 * without CONFIG_IRQ_TIME_ACCOUNTING charges him.
 */
static struct result *play_device(const char *irq_cpus)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		 "{ \"machine\": { \"cpus\": 2, \"costs\": { " NOTHING_COSTS ", \"ipi\": 0, \"idle_exit\": 0 } }, \"global\": { \"duration\": 1 },"
		 "  \"resources\": { \"disk\": { \"type\": \"device\", \"service\": 80, \"irq\": 20, \"irq_cpus\": %s } },"
		 "  \"tasks\": { \"victim\": { \"cpus\": [0], \"loop\": -1, \"run\": 100, \"work\": 1 },"
		 "               \"asks\": { \"cpus\": [1], \"loop\": 1000, \"io\": \"disk\" } } }", irq_cpus);
	return play(text);
}

TEST(interrupts, take_from_whom_they_hit)
{
	struct result *res = play_device("[0]");

	CHECK_EQ(task_of(res, "asks")->loops, 1000);
	CHECK_WITHIN(task_of(res, "victim")->loops, 9799, 9800);
	CHECK_WITHIN(task_of(res, "victim")->runtime, 996 * MS, 1000 * MS); /* to its last tick */
	CHECK_EQ(task_of(res, "asks")->runtime, 0);
	done(res);
	/* The submitter's own CPU is idle meanwhile. */
	res = play_device("\"submitter\"");
	CHECK_EQ(task_of(res, "asks")->loops, 1000);
	CHECK_WITHIN(task_of(res, "victim")->loops, 9999, 10000);
	done(res);
}

/* ---- idle CPUs that poll ---- */

/* A posts to B on the other CPU every 100 us, 1000 times; the way there is 30 us and coming out of idle 50. */
static struct result *play_pair(const char *idle_poll)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		 "{ \"machine\": { \"cpus\": 2, \"costs\": { " NOTHING_COSTS ", \"ipi\": 30, \"idle_exit\": 50, \"idle_poll\": %s } },"
		 "  \"kernel\": { \"row\": \"5.10\", \"rules\": [] },"
		 "  \"resources\": { \"go\": { \"type\": \"semaphore\", \"count\": 0 } },"
		 "  \"tasks\": { \"a\": { \"cpus\": [0], \"loop\": 1000, \"run\": 100, \"sem_post\": \"go\" },"
		 "               \"b\": { \"cpus\": [1], \"loop\": 1000, \"sem_wait\": \"go\", \"run\": 1 } } }", idle_poll);
	return play(text);
}

/*
 * Who posts finds B's CPU idle for 99 us if the wakeup takes no time, and for 19 if it takes 80: either way one that polls for 200 us is
 * still awake, and one that polls for 10 us asleep.
 */
TEST(interrupts, are_not_sent_to_who_polls)
{
	struct result *res = play_pair("200");

	CHECK_EQ(res->events[EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI], 1000);
	CHECK_EQ(samples_percentile((struct samples *)&task_of(res, "b")->wakeup_latency, 0.99), 0);
	done(res);
	res = play_pair("10");
	CHECK_EQ(res->events[EVENT_SCHED_WAKE_IDLE_WITHOUT_IPI], 0);
	CHECK_EQ(samples_percentile((struct samples *)&task_of(res, "b")->wakeup_latency, 0.99), 80 * US);
	done(res);
}

/* ---- threads of the kernel ---- */

/* They loop forever and keep no run going; what is put for one at work is only appended, and wakes nobody. */
TEST(interrupts, kthreads_outlive_the_run)
{
	struct result *res = play("{ \"machine\": { \"cpus\": 1, \"costs\": { " NOTHING_COSTS ", \"ipi\": 0, \"idle_exit\": 0 } },"
				  "  \"global\": { \"duration\": -1 }, \"resources\": { \"work\": { \"type\": \"queue\", \"per_cpu\": true } },"
				  "  \"tasks\": { \"a\": { \"loop\": 2, \"run0\": 1000, \"put0\": { \"ref\": \"work\", \"work\": 10 },"
				  "                        \"put1\": { \"ref\": \"work\", \"work\": 10 }, \"put2\": { \"ref\": \"work\", \"work\": 10 },"
				  "                        \"timer\": { \"ref\": \"unique\", \"period\": 5000 } },"
				  "               \"k\": { \"kthread\": true, \"cpus_each\": \"all\", \"loop\": -1, \"get\": \"work\" } } }");

	CHECK_EQ(task_of(res, "a")->loops, 2);
	CHECK_EQ(task_of(res, "k")->runtime, 60 * US);
	CHECK_EQ(task_of(res, "k")->nvcsw, 2); /* behind three items each time */
	CHECK_EQ(res->events[EVENT_SCHED_WAKING], 3); /* a by its timers, and k for an item: it had not run yet when the first ones came */
	done(res);
}

TEST_MAIN("interrupts")
