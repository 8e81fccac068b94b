/* SPDX-License-Identifier: MIT */
/*
 * test_measure_run.c - scenarios for real, for a moment each: on directories that only look like cgroups, where nothing is limited, and, where this
 * machine lets us, on its cpu controller.
 */
#define _GNU_SOURCE
#include "tests/live_bed.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/plan.h"
#include "live/run.h"

/* ---- runs on plain trees ---- */

static int run_here(struct live_run *run, struct scenario *sc, const struct host *host, bool ahead, struct err *err)
{
	struct live_options opt = { .cgroup_root = *tree ? tree : NULL, .host = host, .ahead = ahead, .used_cpus = sc->machine.cpus };

	return live_run(run, sc, &opt, err);
}

static void must_run(struct live_run *run, struct scenario *sc, const struct host *host, bool ahead)
{
	struct err err = { 0 };
	char text[1024];

	if (run_here(run, sc, host, ahead, &err))
		fail_msg("%s", err_text(&err, text, sizeof(text)));
}

/* A thread that works 1 ms each 10 ms does so at most 30 times in 0.3 s, and its group is gone afterwards. */
TEST(measure, run_on_a_plain_tree)
{
	struct host host = the_host();
	struct live_run run;
	struct scenario sc;
	struct result *model, *real;

	read_text(&sc, LIMITED("\"cpu.weight\": 100", "\"w\": { \"taskgroup\": \"/web\", \"loop\": -1, \"timer\": { \"ref\": \"unique\", "
						      "\"period\": 10000, \"mode\": \"absolute\" }, \"run\": 1000 }"));
	sc.duration = 300 * MS;
	tree_v2();
	must_run(&run, &sc, &host, false);
	model = model_of(&sc);
	real = live_result(&run, model);
	assert_non_null(real);
	CHECK(run.end->complete);
	CHECK_WITHIN(real->tasks[0].sum.loops, 1, 30); /* others may keep it off the CPU, but it cannot run ahead of its timer */
	CHECK_WITHIN(real->tasks[0].sum.runtime, 1 * MS, 60 * MS);
	CHECK(samples_percentile(&real->tasks[0].sum.latency, 0.5) >= 990 * US);
	CHECK(!is_there(run.cg.name));
	result_free(real);
	result_free(model);
	live_run_free(&run);
	scenario_free(&sc);
	tree_end();
}

/* Limits, moves and later writes reach the files; threads that hand a condition to and fro wake each other. */
TEST(measure, writes_and_wakes)
{
	struct host host = the_host();
	struct live_run run;
	struct scenario sc;
	struct result *model, *real;
	struct err err = { 0 };
	bool changed;

	read_text(&sc, "{ \"machine\": { \"cpus\": 1 }, \"kernel\": \"6.1\", \"groups\": { \"/web\": { \"cpu.max\": \"20000 100000\" }, \"/b\": {} },"
		       " \"global\": { \"duration\": 1 }, \"at\": [ { \"t\": 100000, \"write\": { \"/web/cpu.max\": \"max\" } } ], \"tasks\": {"
		       " \"ping\": { \"taskgroup\": \"/web\", \"loop\": -1, \"run\": 500, \"sem_post\": \"a\", \"sem_wait\": \"b\" },"
		       " \"pong\": { \"taskgroup\": \"/b\", \"loop\": -1, \"sem_wait\": \"a\", \"run\": 500, \"sem_post\": \"b\" } } }");
	sc.duration = 200 * MS;
	tree_v1();
	CHECK_EQ(plan_words(&sc, 1, &changed, &err), 0);
	must_run(&run, &sc, &host, false);
	model = model_of(&sc);
	real = live_result(&run, model);
	CHECK_EQ(real->nr_writes, 3);
	CHECK_STR(real->writes[2].file, "cpu.cfs_quota_us");
	CHECK_STR(real->writes[2].value, "-1");
	CHECK_EQ(real->writes[2].t, 100 * MS);
	CHECK_WITHIN(real->tasks[0].sum.loops, 1, 200);
	CHECK_WITHIN((s64)real->tasks[0].sum.loops - (s64)real->tasks[1].sum.loops, -1, 1);
	result_free(real);
	result_free(model);
	live_run_free(&run);
	scenario_free(&sc);
	tree_end();
}

static int wait_until_gone(const char *name)
{
	int i;

	for (i = 0; i < 500 && is_there(name); i++)
		usleep(10000);
	return is_there(name);
}

/* A process in the middle of a run; its group is called as it is. */
static pid_t start_run(char *name, size_t size)
{
	struct host host = the_host();
	struct scenario sc;
	struct live_run run;
	struct err err = { 0 };
	pid_t pid = fork();
	int i;

	if (!pid) {
		signal(SIGINT, SIG_DFL);
		read_text(&sc, LIMITED("\"cpu.weight\": 100", "\"w\": { \"taskgroup\": \"/web\", \"loop\": -1, \"run\": 1000, \"sleep\": 9000 }"));
		sc.duration = 20 * SEC;
		_exit(run_here(&run, &sc, &host, false, &err) ? 3 : 0);
	}
	snprintf(name, size, "fairground-%d/web", pid);
	for (i = 0; i < 500 && !is_there(name); i++)
		usleep(10000);
	CHECK(is_there(name));
	return pid;
}

/* Ctrl-C ends the run, removes the group, and then ends the program as a signal does. */
TEST(measure, interrupted)
{
	char name[64];
	int status;
	pid_t pid;

	tree_v2();
	pid = start_run(name, sizeof(name));
	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGINT);
	CHECK(!is_there(name));
	name[strcspn(name, "/")] = '\0';
	CHECK(!is_there(name));
	tree_end();
}

/* What nohup has this process ignore does not end the run either. */
TEST(measure, not_interrupted)
{
	struct host host = the_host();
	struct live_run run;
	struct scenario sc;
	struct err err = { 0 };
	int status;
	pid_t pid;

	read_text(&sc, LIMITED("\"cpu.weight\": 100", "\"w\": { \"taskgroup\": \"/web\", \"loop\": -1, \"run\": 1000, \"sleep\": 9000 }"));
	sc.duration = 200 * MS;
	tree_v2();
	pid = fork();
	if (!pid) {
		signal(SIGHUP, SIG_IGN);
		_exit(run_here(&run, &sc, &host, false, &err) ? 3 : run.signal ? 4 : 0);
	}
	usleep(300000);
	kill(pid, SIGHUP);
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
	scenario_free(&sc);
	tree_end();
}

/* kill -9 cannot be heard of, but the supervisor sees that its caller is gone. */
TEST(measure, killed)
{
	char name[64];
	pid_t pid;

	tree_v2();
	pid = start_run(name, sizeof(name));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	name[strcspn(name, "/")] = '\0';
	CHECK_EQ(wait_until_gone(name), 0);
	tree_end();
}

/* The pid of a child of @parent, from /proc; 0: none. */
static pid_t child_of(pid_t parent)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	return file_read(path, text, sizeof(text)) ? 0 : (pid_t)strtol(text, NULL, 10);
}

/* Where the supervisor is killed, the caller removes the group and says so. */
TEST(measure, supervisor_killed)
{
	char name[64];
	int status;
	pid_t pid, boss;

	tree_v2();
	pid = start_run(name, sizeof(name));
	boss = child_of(pid);
	if (boss <= 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		tree_end();
		skip(); /* a kernel without CONFIG_PROC_CHILDREN */
	}
	kill(boss, SIGKILL);
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	name[strcspn(name, "/")] = '\0';
	CHECK(!is_there(name));
	tree_end();
}

/* Where both are, nobody is left but the last one, and it removes the group. */
TEST(measure, both_killed)
{
	char name[64];
	pid_t pid, boss;

	tree_v2();
	pid = start_run(name, sizeof(name));
	boss = child_of(pid);
	if (boss <= 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		tree_end();
		skip(); /* a kernel without CONFIG_PROC_CHILDREN */
	}
	kill(boss, SIGSTOP); /* so that it cannot see the other one go */
	kill(pid, SIGKILL);
	kill(boss, SIGKILL);
	waitpid(pid, NULL, 0);
	name[strcspn(name, "/")] = '\0';
	CHECK_EQ(wait_until_gone(name), 0);
	tree_end();
}

/* ---- a real controller ---- */

/* A hog under 20 ms in 100 gets 20 ms in 100, give or take a tick and a quota, if this machine lets anybody try. */
TEST(measure, a_real_limit)
{
	struct host host = the_host();
	struct live_run run;
	struct scenario sc;
	struct result *model, *real;
	struct cgroups cg;
	struct err none = { 0 }, err = { 0 };
	bool changed;

	tree[0] = '\0';
	read_text(&sc, LIMITED("\"cpu.max\": \"20000 100000\"", HOG));
	if (geteuid() || cgroups_find(&cg, NULL, getpid(), &none) || access(cg.cpu, W_OK)) {
		scenario_free(&sc);
		skip();
	}
	CHECK_EQ(plan_words(&sc, cg.version, &changed, &err), 0);
	if (run_here(&run, &sc, &host, true, &err)) {
		live_run_free(&run);
		scenario_free(&sc);
		skip(); /* a container in which cgroups are there, but not for us */
	}
	model = model_of(&sc);
	real = live_result(&run, model);
	CHECK_WITHIN(real->groups[0].stat.nr_periods, 8, 11);
	CHECK(real->groups[0].stat.nr_throttled > 0);
	CHECK_WITHIN(real->groups[0].stat.usage, 100 * MS, 232 * MS); /* 10 quotas and a part of one, a tick of debt on either side */
	CHECK(run.groups[0].phase != NEVER);
	CHECK(!cgroups_sweep(&run.cg));
	result_free(real);
	result_free(model);
	live_run_free(&run);
	scenario_free(&sc);
}

/* After kill -9 the threads die and the groups go within seconds, although all 40 of them share 1 ms in each second. */
TEST(measure, a_real_kill)
{
	struct host host = the_host();
	struct live_run run;
	struct scenario sc;
	struct cgroups cg;
	struct err none = { 0 }, err = { 0 };
	char path[FILE_PATH_MAX];
	bool changed, there = false, gone = false;
	pid_t pid;
	int i;

	tree[0] = '\0';
	read_text(&sc, LIMITED("\"cpu.max\": \"1000 1000000\"", "\"hog\": { \"instance\": 40, \"taskgroup\": \"/web\", \"loop\": -1, \"run\": 100 }"));
	sc.duration = 20 * SEC;
	if (geteuid() || cgroups_find(&cg, NULL, getpid(), &none) || cgroups_rights(&cg, &none) || plan_words(&sc, cg.version, &changed, &err)) {
		scenario_free(&sc);
		skip();
	}
	pid = fork();
	if (!pid)
		_exit(run_here(&run, &sc, &host, false, &err) ? 3 : 0);
	snprintf(cg.name, sizeof(cg.name), CGROUPS_NAME "%d", pid);
	for (i = 0; i < 300 && !there; i++) {
		usleep(10000);
		there = !access(cgroups_path(&cg, "/web", "tasks", path, sizeof(path)), F_OK) ||
			!access(cgroups_path(&cg, "/web", "cgroup.threads", path, sizeof(path)), F_OK);
	}
	usleep(200000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < 1000 && there && !gone; i++) {
		usleep(10000);
		gone = access(cgroups_path(&cg, NULL, NULL, path, sizeof(path)), F_OK);
	}
	scenario_free(&sc);
	if (!there)
		skip(); /* a container in which cgroups are there, but not for us */
	CHECK(gone);
}

TEST_MAIN("measure_run")
