/* SPDX-License-Identifier: MIT */
/*
 * test_measure.c - running a scenario for real: the parts, then short real runs.
 *
 * Directories that only look like cgroups stand for the host's, so that everything but the limiting itself is tried without any
 * right.  What needs a real cpu controller is skipped where there is none to write to.
 */
#define _GNU_SOURCE
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/measure_judge.h"
#include "input/scenario_file.h"
#include "live/burn.h"
#include "live/cgroup.h"
#include "live/phase.h"
#include "live/plan.h"
#include "live/run.h"
#include "sim/machine.h"
#include "tests/schema.h"

/* ---- trees ---- */

static char tree[64];

static void put_file(const char *name, const char *text)
{
	char path[FILE_PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	CHECK_EQ(file_write(path, text, true), 0);
}

static void put_dir(const char *name)
{
	char path[FILE_PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	CHECK_EQ(mkdir(path, 0755), 0);
}

static bool is_there(const char *name)
{
	char path[FILE_PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	return !access(path, F_OK);
}

static void tree_begin(void)
{
	prctl(PR_SET_NAME, "fairground-test"); /* groups of ours are those of a process of this name */
	strcpy(tree, "/tmp/fairground-test-XXXXXX");
	assert_non_null(mkdtemp(tree));
}

static void tree_end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", tree);
	CHECK_EQ(system(command), 0);
}

static void tree_v1(void)
{
	tree_begin();
	put_dir("cpu");
	put_dir("cpuacct");
	put_file("cpu/cpu.shares", "1024\n");
}

static void tree_v2(void)
{
	tree_begin();
	put_file("cgroup.controllers", "cpuset cpu io memory\n");
	put_file("cgroup.subtree_control", "cpu memory\n");
}

static void find_in(struct cgroups *cg)
{
	struct err err = { 0 };

	CHECK_EQ(cgroups_find(cg, tree, getpid(), &err), 0);
}

/* What the scenario's group @group has in @file. */
static const char *held(const struct cgroups *cg, const char *group, const char *file)
{
	static char text[256];
	char path[FILE_PATH_MAX];

	file_read(cgroups_path(cg, group, file, path, sizeof(path)), text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* ---- scenarios ---- */

static void read_text(struct scenario *sc, const char *text)
{
	struct warnings w = { 0 };
	struct err err = { 0 };
	char shown[1024];

	if (scenario_read("t.json", text, strlen(text), sc, &w, &err))
		fail_msg("%s", err_text(&err, shown, sizeof(shown)));
	warnings_free(&w);
}

#define LIMITED(limit, tasks) \
	"{ \"machine\": { \"cpus\": 1 }, \"kernel\": \"6.1\", \"groups\": { \"/web\": { " limit " } }, \"global\": { \"duration\": 1 }," \
	" \"tasks\": { " tasks " } }"
#define HOG "\"hog\": { \"taskgroup\": \"/web\", \"cpus\": [0], \"loop\": -1, \"run\": 100000 }"

static struct host small_host(void) { return (struct host){ .online = 2, .nr_cpus = 2, .cpu = { 0, 1 } }; }

/* ---- text of /proc and cgroups ---- */

/* A line of cpu.stat is found by its whole key. */
TEST(measure, numbers)
{
	static const char text[] = "nr_periods 12\nnr_throttled 7\nthrottled_time 123456789\n";
	u64 v = 0;

	CHECK(file_number(text, "nr_throttled", &v));
	CHECK_EQ(v, 7);
	CHECK(file_number(text, "throttled_time", &v));
	CHECK_EQ(v, 123456789);
	CHECK(!file_number(text, "throttled", &v));
	CHECK(!file_number(text, "periods", &v));
	CHECK(file_has_word("cpuset cpu io\n", "cpu"));
	CHECK(!file_has_word("cpuset cpuacct\n", "cpu"));
}

/* The coarse clock's step is the tick: 4 ms are 250 Hz, 3333333 ns are 300. */
TEST(measure, tick)
{
	CHECK_EQ(hz_of_step(4000000), 250);
	CHECK_EQ(hz_of_step(1000000), 1000);
	CHECK_EQ(hz_of_step(10000000), 100);
	CHECK_EQ(hz_of_step(3333333), 300);
	CHECK_EQ(hz_of_step(976562), 1024);
	CHECK_EQ(hz_of_step(1), 0);
	CHECK_EQ(hz_of_step(0), 0);
}

/* Steal is the eighth figure of a CPU's line; the sum line and other CPUs do not count, nor does guest time twice. */
TEST(measure, steal)
{
	static const char stat[] = "cpu  900 0 0 0 0 0 0 900 0 0\n"
				   "cpu0 10 1 2 1000 50 3 4 5 6 7\ncpu1 20 0 0 1000 0 0 0 7 0 0\ncpu3 1 1 1 1 1 1 1 1 1 1\nintr 1 2 3\n";
	struct host host = { .nr_cpus = 2, .cpu = { 0, 3 } };
	struct host_times t;

	host_times_of(stat, &host, 1, 100, &t);
	CHECK_EQ(t.steal, 50 * MS);
	CHECK_EQ(t.busy, 200 * MS);
	host_times_of(stat, &host, 2, 100, &t);
	CHECK_EQ(t.steal, 60 * MS);
	CHECK_EQ(t.busy, 250 * MS);
}

/* v1 counts throttled time in ns and usage in a file of cpuacct, v2 both in us in cpu.stat; v1 before 5.14 knows no burst. */
TEST(measure, cpu_stat)
{
	struct cgroup_stat st;
	struct cgroups cg;

	tree_v1();
	find_in(&cg);
	CHECK_EQ(cg.version, 1);
	CHECK(cg.plain);
	strcpy(cg.name, "fairground-1");
	put_dir("cpu/fairground-1");
	put_dir("cpuacct/fairground-1");
	put_file("cpu/fairground-1/cpu.stat", "nr_periods 10\nnr_throttled 9\nthrottled_time 800000123\n");
	put_file("cpuacct/fairground-1/cpuacct.usage", "200000456\n");
	cgroups_stat(&cg, "/", &st);
	CHECK(st.has_usage && st.has_bandwidth && !st.has_burst);
	CHECK_EQ(st.nr_throttled, 9);
	CHECK_EQ(st.throttled, 800000123);
	CHECK_EQ(st.usage, 200000456);
	tree_end();

	tree_v2();
	find_in(&cg);
	CHECK_EQ(cg.version, 2);
	strcpy(cg.name, "fairground-1");
	put_dir("fairground-1");
	put_file("fairground-1/cpu.stat", "usage_usec 200\nuser_usec 150\nsystem_usec 50\nnr_periods 10\nnr_throttled 9\nthrottled_usec 800\n"
					  "nr_bursts 3\nburst_usec 40\n");
	cgroups_stat(&cg, NULL, &st);
	CHECK(st.has_usage && st.has_bandwidth && st.has_burst);
	CHECK_EQ(st.usage, 200 * US);
	CHECK_EQ(st.throttled, 800 * US);
	CHECK_EQ(st.nr_bursts, 3);
	CHECK_EQ(st.burst, 40 * US);
	tree_end();
}

/* ---- phases ---- */

/* A boundary before the start and one after it are the same phase. */
TEST(measure, phase)
{
	CHECK_EQ(phase_behind(1030, 1000, 100), 30);
	CHECK_EQ(phase_behind(930, 1000, 100), 30);
	CHECK_EQ(phase_behind(1000, 1000, 100), 0);
	CHECK_EQ(phase_behind(800, 1000, 100), 0);
	CHECK_EQ(phase_next(1001, 30, 100), 1030);
	CHECK_EQ(phase_next(1030, 30, 100), 1030);
	CHECK_EQ(phase_next(1001, 5030, 100), 1030);
}

/* ---- burns ---- */

static u64 thread_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

/* A burn of 10 ms takes 10 ms of the thread's CPU time, whoever else is on the machine: gaps are not counted. */
TEST(measure, burn)
{
	struct burner b;
	u64 start, used;

	burn_calibrate(&b);
	start = thread_time();
	burn_cpu(&b, 10 * MS);
	used = thread_time() - start;
	CHECK_WITHIN(used, 9 * MS, 15 * MS); /* short interruptions count as work, a hypervisor's theft as the thread's */
}

/* ---- what cannot be ---- */

/* Each refusal names the place in the file. */
TEST(measure, refused)
{
	static const struct { const char *tasks, *word; } rows[] = {
		{ "\"k\": { \"kthread\": true, \"run\": 10 }", "kernel thread" },
		{ "\"s\": { \"loop\": 5, \"sys\": 10 }", "system call" },
		{ "\"p\": { \"loop\": 1, \"fork\": \"q\" }, \"q\": { \"instance\": 0, \"run\": 10 }", "started by threads" },
		{ "\"f\": { \"policy\": \"SCHED_FIFO\", \"priority\": 5, \"loop\": 2, \"run\": 10 }", "real-time" },
	};
	struct host host = small_host();
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scenario sc;
		struct err err = { 0 };

		snprintf(text, sizeof(text), "{ \"machine\": { \"cpus\": 1 }, \"global\": { \"duration\": 1 }, \"tasks\": { %s } }", rows[i].tasks);
		read_text(&sc, text);
		CHECK_ROW(plan_check(&sc, &host, &err), -1, rows[i].word);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].word);
		CHECK_ROW(err.line, 1, rows[i].word);
		CHECK_ROW(strstr(err.message, rows[i].word) != NULL, true, rows[i].word);
		scenario_free(&sc);
	}
}

/* More CPUs than this process may use are the host's refusal; no end is the scenario's. */
TEST(measure, too_large)
{
	struct host host = small_host();
	struct scenario sc;
	struct err err = { 0 }, endless = { 0 };

	read_text(&sc, "{ \"machine\": { \"cpus\": 3 }, \"global\": { \"duration\": 1 }, \"tasks\": { \"a\": { \"loop\": -1, \"run\": 10 } } }");
	CHECK_EQ(plan_check(&sc, &host, &err), -1);
	CHECK_EQ(err.code, ERR_HOST);
	sc.machine.cpus = 2;
	CHECK_EQ(plan_check(&sc, &host, &endless), 0);
	sc.duration = NEVER;
	CHECK_EQ(plan_check(&sc, &host, &endless), -1);
	CHECK_EQ(endless.code, ERR_INPUT);
	scenario_free(&sc);
}

/* ---- words ---- */

struct wanted {
	const char *file, *value;
};

static void check_words(const char *limit, int version, const struct wanted *want, u32 nr)
{
	struct scenario sc;
	struct err err = { 0 };
	bool changed = false;
	char text[512];
	u32 i;

	snprintf(text, sizeof(text), LIMITED("%s", HOG), limit);
	read_text(&sc, text);
	sc.machine.cgroup = version == 1 ? 2 : 1;
	CHECK_EQ(plan_words(&sc, version, &changed, &err), 0);
	CHECK(changed);
	CHECK_EQ(sc.machine.cgroup, version);
	CHECK_EQ(sc.groups[0].nr_writes, nr);
	for (i = 0; i < nr; i++) {
		CHECK_STR(sc.groups[0].writes[i].file, want[i].file);
		CHECK_STR(sc.groups[0].writes[i].value, want[i].value);
	}
	scenario_free(&sc);
}

/* cpu.max is two files in v1, the period first; a weight of 100 is 1024 shares. */
TEST(measure, words_of_v1)
{
	check_words("\"cpu.max\": \"25000 50000\", \"cpu.max.burst\": 5000, \"cpu.weight\": 300", 1,
		    (const struct wanted[]){ { "cpu.cfs_period_us", "50000" }, { "cpu.cfs_quota_us", "25000" },
					     { "cpu.cfs_burst_us", "5000" }, { "cpu.shares", "3072" } }, 4);
	check_words("\"cpu.max\": \"max\"", 1, (const struct wanted[]){ { "cpu.cfs_quota_us", "-1" } }, 1);
}

/* A period alone keeps the quota that was written before it. */
TEST(measure, words_of_v2)
{
	check_words("\"cpu.cfs_quota_us\": 25000, \"cpu.cfs_period_us\": 50000, \"cpu.shares\": 512", 2,
		    (const struct wanted[]){ { "cpu.max", "25000" }, { "cpu.max", "25000 50000" }, { "cpu.weight", "50" } }, 3);
	check_words("\"cpu.cfs_period_us\": 50000", 2, (const struct wanted[]){ { "cpu.max", "max 50000" } }, 1);
	check_words("\"cpu.cfs_quota_us\": -1", 2, (const struct wanted[]){ { "cpu.max", "max" } }, 1);
}

/* A value that only its own version could refuse has no equal in the other. */
TEST(measure, words_without_equal)
{
	struct scenario sc;
	struct err err = { 0 };
	bool changed;

	read_text(&sc, LIMITED("\"cpu.weight.nice\": 5", HOG));
	CHECK_EQ(plan_words(&sc, 1, &changed, &err), -1);
	CHECK_EQ(err.code, ERR_INPUT);
	CHECK_STR(err.key, "cpu.weight.nice");
	scenario_free(&sc);
}

/* A write in the middle of the run becomes two at the same moment, in order. */
TEST(measure, words_later)
{
	struct scenario sc;
	struct err err = { 0 };
	bool changed;

	read_text(&sc, "{ \"machine\": { \"cpus\": 1 }, \"kernel\": \"6.1\", \"groups\": { \"/web\": { \"cpu.max\": \"20000 100000\" } },"
		       " \"global\": { \"duration\": 1 }, \"at\": [ { \"t\": 500000, \"write\": { \"/web/cpu.max\": \"10000 50000\" } } ],"
		       " \"tasks\": { " HOG " } }");
	CHECK_EQ(plan_words(&sc, 1, &changed, &err), 0);
	CHECK_EQ(sc.nr_at, 2);
	CHECK_STR(sc.at[0].write.file, "cpu.cfs_period_us");
	CHECK_STR(sc.at[1].write.file, "cpu.cfs_quota_us");
	CHECK_EQ(sc.at[1].t, 500 * MS);
	scenario_free(&sc);
}

/* On a machine with more CPUs the tasks stay on as many as the scenario has. */
TEST(measure, fit)
{
	struct host host = { .online = 8, .nr_cpus = 8 };
	struct scenario sc;
	struct err err = { 0 };

	read_text(&sc, "{ \"machine\": { \"cpus\": 2 }, \"global\": { \"duration\": 1 }, \"tasks\": { \"a\": { \"loop\": -1, \"run\": 10 },"
		       " \"b\": { \"cpus\": [1], \"loop\": -1, \"run\": 10 } } }");
	CHECK_EQ(plan_fit(&sc, &host, &err), 0);
	CHECK_EQ(sc.machine.cpus, 8);
	CHECK_EQ(bit_count(sc.tasks[0].cpus, 8), 2);
	CHECK(bit_test(sc.tasks[0].cpus, 0) && bit_test(sc.tasks[0].cpus, 1));
	CHECK_EQ(bit_count(sc.tasks[1].cpus, 8), 1);
	scenario_free(&sc);
}

/* Threads that share a lock or a timer need one world; with timers of their own each has one. */
TEST(measure, shares)
{
	static const struct { const char *tasks; bool shares; } rows[] = {
		{ "\"a\": { \"instance\": 3, \"loop\": -1, \"run\": 10, \"sleep\": 5 }", false },
		{ "\"a\": { \"instance\": 3, \"loop\": -1, \"run\": 10, \"timer\": { \"ref\": \"unique\", \"period\": 100 } }", false },
		{ "\"a\": { \"instance\": 3, \"loop\": -1, \"run\": 10, \"timer\": { \"ref\": \"t\", \"period\": 100 } }", true },
		{ "\"a\": { \"loop\": -1, \"run\": 10, \"timer\": { \"ref\": \"t\", \"period\": 100 } }", false },
		{ "\"a\": { \"loop\": -1, \"lock\": \"m\", \"run\": 10, \"unlock\": \"m\" }", true },
	};
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scenario sc;

		snprintf(text, sizeof(text), "{ \"machine\": { \"cpus\": 1 }, \"tasks\": { %s } }", rows[i].tasks);
		read_text(&sc, text);
		CHECK_ROW(plan_shares(&sc), rows[i].shares, rows[i].tasks);
		scenario_free(&sc);
	}
}

/* ---- groups ---- */

/* v1 has a directory in both hierarchies, v2 a threaded one with the controller on; all go again. */
TEST(measure, groups_come_and_go)
{
	struct scenario sc;
	struct err err = { 0 };
	struct cgroups cg;
	char path[FILE_PATH_MAX];

	read_text(&sc, "{ \"groups\": { \"/pod/side\": {}, \"/pod\": {} }, \"tasks\": { \"a\": { \"run\": 1 } } }");
	tree_v1();
	find_in(&cg);
	CHECK_EQ(cgroups_make(&cg, &sc, &err), 0);
	CHECK(!access(cgroups_path(&cg, "/pod/side", NULL, path, sizeof(path)), F_OK));
	snprintf(path, sizeof(path), "cpuacct/%s/pod/side", cg.name);
	CHECK(is_there(path));
	CHECK_EQ(cgroups_move(&cg, "/pod/side", 4711), 0);
	CHECK_STR(held(&cg, "/pod/side", "tasks"), "4711");
	CHECK(cgroups_remove(&cg, 0));
	CHECK(!is_there(path));
	tree_end();

	tree_v2();
	find_in(&cg);
	CHECK_EQ(cgroups_make(&cg, &sc, &err), 0);
	CHECK_STR(held(&cg, "/pod/side", "cgroup.type"), "threaded");
	CHECK_STR(held(&cg, "/pod", "cgroup.subtree_control"), "+cpu");
	CHECK_EQ(cgroups_move(&cg, "/pod", 4711), 0);
	CHECK_STR(held(&cg, "/pod", "cgroup.threads"), "4711");
	CHECK(cgroups_remove(&cg, 0));
	CHECK(!is_there(cg.name));
	CHECK(is_there("cgroup.controllers"));
	tree_end();
	scenario_free(&sc);
}

static int dead_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* Groups of a process that is gone are swept up; those of a live one, and what only looks like one, stay. */
TEST(measure, sweep)
{
	char stale[64], stale_acct[64], live[64];
	struct cgroups cg;
	int pid = dead_pid();

	tree_v1();
	find_in(&cg);
	snprintf(stale, sizeof(stale), "cpu/fairground-%d", pid);
	snprintf(stale_acct, sizeof(stale_acct), "cpuacct/fairground-%d", pid);
	snprintf(live, sizeof(live), "cpu/fairground-%d", getpid());
	put_dir(stale);
	put_dir(stale_acct);
	put_dir(live);
	put_dir("cpu/fairground-12x");
	put_dir("cpu/web");
	CHECK_EQ(cgroups_sweep(&cg), 1);
	CHECK(!is_there(stale) && !is_there(stale_acct));
	CHECK(is_there(live) && is_there("cpu/fairground-12x") && is_there("cpu/web"));
	tree_end();
}

/* A directory that holds no cpu controller is refused, and so is a v2 one without it. */
TEST(measure, no_controller)
{
	struct cgroups cg;
	struct err empty = { 0 }, other = { 0 };

	tree_begin();
	CHECK_EQ(cgroups_find(&cg, tree, 1, &empty), -1);
	CHECK_EQ(empty.code, ERR_HOST);
	put_file("cgroup.controllers", "cpuset memory\n");
	CHECK_EQ(cgroups_find(&cg, tree, 1, &other), -1);
	CHECK(strstr(other.message, tree) != NULL);
	tree_end();
}

/* Run @job as nobody; what it says comes back in @text. */
static int as_nobody(int (*job)(struct err *err), char *text, size_t size)
{
	struct err err = { 0 };
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	CHECK_EQ(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		int ret = !geteuid() && (setgid(65534) || setuid(65534)) ? 99 : job(&err);

		err_text(&err, text, size);
		_exit(write(fd[1], text, strlen(text)) < 0 ? 98 : ret ? err.code : 0);
	}
	close(fd[1]);
	n = read(fd[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fd[0]);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int make_here(struct err *err)
{
	struct scenario sc;
	struct cgroups cg;

	scenario_init(&sc);
	return cgroups_find(&cg, tree, getpid(), err) ? -1 : cgroups_make(&cg, &sc, err);
}

/* Without rights: which directory, which permission, for whom, and what to do; and nothing is left. */
TEST(measure, without_rights)
{
	char text[1024], path[128];

	tree_v1();
	snprintf(path, sizeof(path), "%s/cpu", tree);
	CHECK_EQ(chmod(tree, 0755), 0);
	CHECK_EQ(chmod(path, 0555), 0);
	CHECK_EQ(as_nobody(make_here, text, sizeof(text)), ERR_HOST);
	CHECK(strstr(text, "Permission denied") != NULL);
	CHECK(strstr(text, "write permission on") != NULL);
	CHECK(strstr(text, path) != NULL);
	CHECK(strstr(text, "--cgroup-root") != NULL);
	tree_end();
}

/* v2: where the controller is not handed down and may not be, that file is named. */
TEST(measure, not_handed_down)
{
	char text[1024], path[128];

	tree_v2();
	put_file("cgroup.subtree_control", "memory\n");
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", tree);
	CHECK_EQ(chmod(tree, 0755), 0);
	CHECK_EQ(chmod(path, 0444), 0);
	CHECK_EQ(as_nobody(make_here, text, sizeof(text)), ERR_HOST);
	CHECK(strstr(text, "+cpu") != NULL);
	CHECK(strstr(text, "cgroup.subtree_control") != NULL);
	CHECK(strstr(text, "Delegate") != NULL);
	tree_end();
}

/* ---- runs on plain trees ---- */

static struct host the_host(void)
{
	struct host host;
	struct err err = { 0 };

	CHECK_EQ(host_read(&host, &err), 0);
	return host;
}

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

static struct result *model_of(const struct scenario *sc)
{
	struct machine_options opt = { 0 };
	struct err err = { 0 };
	struct result *res = machine_run(sc, &opt, &err);

	assert_non_null(res);
	return res;
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

/* ---- judging ---- */

static struct result *fake_result(const struct scenario *sc, u64 usage, u64 nr_throttled)
{
	struct result *res = calloc(1, sizeof(*res));

	res->scenario = sc;
	res->groups = calloc(1, sizeof(*res->groups));
	res->nr_groups = 1;
	res->groups[0].path = "/web";
	res->groups[0].stat.quota = 20 * MS;
	res->groups[0].stat.period = 100 * MS;
	res->groups[0].stat.usage = usage;
	res->groups[0].stat.nr_throttled = nr_throttled;
	return res;
}

static const struct measure_cell *cell_called(const struct measure_cell *cells, u32 nr, const char *name)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!strcmp(cells[i].name, name))
			return &cells[i];
	fail_msg("no cell %s", name);
	return NULL;
}

struct judged {
	struct scenario sc;
	struct result *real[3], *model[3];
	struct series real_series, model_series;
	struct judge_with with;
	struct measure_cell *cells;
	u32 nr;
};

static void judge_usage(struct judged *j, const u64 real[3], u64 model, u64 within)
{
	int i;

	memset(j, 0, sizeof(*j));
	scenario_init(&j->sc);
	for (i = 0; i < 3; i++) {
		j->real[i] = fake_result(&j->sc, real[i], 20);
		j->model[i] = fake_result(&j->sc, model, 20);
	}
	j->real_series = (struct series){ "real", j->real, 3 };
	j->model_series = (struct series){ "model", j->model, 3 };
	j->with = (struct judge_with){ .real = &j->real_series, .model = &j->model_series, .cpus = 1, .usage = true, .bandwidth = true,
				       .runtime = true, .phase_known = true, .within = within };
	j->cells = judge(&j->with, &j->nr);
	assert_non_null(j->cells);
}

static void judged_free(struct judged *j)
{
	int i;

	for (i = 0; i < 3; i++) {
		result_free(j->real[i]);
		result_free(j->model[i]);
	}
	free(j->cells);
	scenario_free(&j->sc);
}

/* A model is near where it is within a tick, or within its share, or within what the repeats differ by. */
TEST(measure, judged)
{
	static const struct { u64 real[3], model, within; bool ok, noisy; u64 tolerance; const char *row; } rows[] = {
		{ { 400 * MS, 401 * MS, 402 * MS }, 404 * MS, NEVER, true, false, 4010 * US, "a tick, or 1 %" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 406 * MS, NEVER, false, false, 4010 * US, "more than that" },
		{ { 400 * MS, 401 * MS, 410 * MS }, 406 * MS, NEVER, true, false, 10 * MS, "as far as the repeats" },
		{ { 200 * MS, 401 * MS, 410 * MS }, 500 * MS, NEVER, true, true, 210 * MS, "but they are noisy" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 420 * MS, 10000, true, false, 40100 * US, "within 10 %" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 404 * MS, 0, true, false, 4 * MS, "a tick is always near" },
		{ { 400 * MS, 401 * MS, 402 * MS }, 404 * MS + 5 * MS, 1000, false, false, 4010 * US, "not within 1 %" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct judged j;
		const struct measure_cell *c;

		judge_usage(&j, rows[i].real, rows[i].model, rows[i].within);
		c = cell_called(j.cells, j.nr, "usage_usec");
		CHECK_ROW(c->real.at, 401 * MS, rows[i].row);
		CHECK_ROW(c->tolerance, rows[i].tolerance, rows[i].row);
		CHECK_ROW(c->ok, rows[i].ok, rows[i].row);
		CHECK_ROW(c->noisy, rows[i].noisy, rows[i].row);
		judged_free(&j);
	}
}

/* Where the phase is unknown any model between the least and the most will do. */
TEST(measure, judged_without_phase)
{
	static const u64 real[3] = { 400 * MS, 401 * MS, 402 * MS };
	struct judged j;

	judge_usage(&j, real, 390 * MS, NEVER);
	j.with.phase_known = false;
	j.model[2]->groups[0].stat.usage = 420 * MS;
	free(j.cells);
	j.cells = judge(&j.with, &j.nr);
	CHECK_EQ(cell_called(j.cells, j.nr, "usage_usec")->apart, 0);
	CHECK(cell_called(j.cells, j.nr, "usage_usec")->ok);
	judged_free(&j);
}

/* The JSON keeps to its schema, and its results to theirs. */
TEST(measure, json_schema)
{
	static const u64 real[3] = { 400 * MS, 401 * MS, 402 * MS };
	static const char *const assumed[] = { "250 Hz: /proc/config.gz" };
	struct result_detail detail = { 0 };
	struct measure_view view = { .release = "6.1.0-57-cloud-amd64", .row = "6.1", .used_cpus = 1, .cpus = 2, .cgroup = 2, .assumed = assumed,
				     .nr_assumed = 1, .repeats = 3, .steal = 10 * MS, .others = 20 * MS, .window = SEC };
	struct schema of_measure, of_result;
	const struct json *printed;
	struct json_write j;
	struct judged judged;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	judge_usage(&judged, real, 404 * MS, NEVER);
	CHECK_EQ(model_init(&judged.real[0]->model, "6.1"), 0);
	CHECK_EQ(model_init(&judged.model[0]->model, "6.1"), 0);
	judged.real[0]->cgroup = judged.model[0]->cgroup = 2;
	view.real = judged.real[0];
	view.model = judged.model[0];
	view.cells = judged.cells;
	view.nr_cells = judged.nr;
	json_write_init(&j, out);
	measure_json(&j, &view, &detail);
	CHECK(json_done(&j));
	fclose(out);
	schema_open(&of_measure, "docs/measure.schema.json", NULL);
	schema_open(&of_result, "docs/result.schema.json", NULL);
	printed = schema_parse(&of_measure, text);
	if (!schema_holds(&of_measure, printed))
		fail_msg("%s", of_measure.why);
	if (!schema_holds(&of_result, json_get(printed, "real")))
		fail_msg("%s", of_result.why);
	CHECK(strstr(text, "\"name\": \"/web.usage_usec\", \"real\": 401000, \"model\": 404000, \"tolerance\": 4010, \"ok\": true") != NULL);
	schema_close(&of_measure);
	schema_close(&of_result);
	free(text);
	judged_free(&judged);
}

TEST_MAIN("measure")
