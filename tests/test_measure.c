/* SPDX-License-Identifier: MIT */
/* test_measure.c - running a scenario for real: the parts. */
#define _GNU_SOURCE
#include "tests/live_bed.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "live/burn.h"
#include "live/phase.h"
#include "live/plan.h"

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

/* What was last written to the group that holds ours. */
static const char *top_control(const struct cgroups *cg)
{
	struct cgroups above = *cg;

	strcpy(above.name, ".");
	return held(&above, NULL, "cgroup.subtree_control");
}

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
	CHECK_STR(top_control(&cg), "cpu memory"); /* as it was */
	put_file("cgroup.subtree_control", "memory\n");
	find_in(&cg);
	CHECK_EQ(cgroups_make(&cg, &sc, &err), 0);
	CHECK(!strncmp(top_control(&cg), "+cpu", 4)); /* a plain file is written over, not emptied */
	CHECK(cgroups_remove(&cg, 0));
	CHECK(!strncmp(top_control(&cg), "-cpu", 4)); /* off again */
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

static int ask_here(struct err *err)
{
	struct cgroups cg;

	return cgroups_find(&cg, tree, getpid(), err) ? -1 : cgroups_rights(&cg, err);
}

/* All that is missing is said at once, before anything is made; root misses nothing. */
TEST(measure, rights)
{
	char text[1024], path[128], top[256];
	struct err err = { 0 };

	tree_v2();
	put_file("cgroup.subtree_control", "memory\n");
	CHECK_EQ(geteuid() ? 0 : ask_here(&err), 0);
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", tree);
	CHECK_EQ(chmod(path, 0444), 0);
	CHECK_EQ(chmod(tree, 0555), 0);
	CHECK_EQ(as_nobody(ask_here, text, sizeof(text)), ERR_HOST);
	snprintf(top, sizeof(top), "to make a group, write permission on %s (owner uid %u, mode 555)", tree, geteuid());
	CHECK(strstr(text, top) != NULL);
	snprintf(top, sizeof(top), "to hand the cpu controller down, write permission on %s", path);
	CHECK(strstr(text, top) != NULL);
	CHECK(strstr(text, "Delegate") != NULL);
	CHECK_EQ(chmod(tree, 0755), 0);
	tree_end();
}

/* A cpuacct hierarchy that may not be written to is done without, where the cpu one may. */
static int find_acct(struct err *err)
{
	struct cgroups cg;

	return cgroups_find(&cg, tree, getpid(), err) || cgroups_rights(&cg, err) ? -1 : *cg.acct != 0;
}

TEST(measure, without_cpuacct)
{
	char text[1024], path[128];

	tree_v1();
	CHECK_EQ(chmod(tree, 0755), 0);
	snprintf(path, sizeof(path), "%s/cpu", tree);
	CHECK_EQ(chmod(path, 0777), 0);
	CHECK_EQ(as_nobody(find_acct, text, sizeof(text)), 0);
	tree_end();
}

TEST_MAIN("measure")
