/* SPDX-License-Identifier: MIT */
/* host.c - what this machine is. */
#define _GNU_SOURCE
#include "live/host.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/burn.h"
#include "live/file.h"

/* ---- CPUs ---- */

int host_read(struct host *h, struct err *err)
{
	cpu_set_t *set = CPU_ALLOC(SCENARIO_MOST_CPUS);
	size_t size = CPU_ALLOC_SIZE(SCENARIO_MOST_CPUS);
	int cpu, ret = set ? sched_getaffinity(0, size, set) : -1;

	memset(h, 0, sizeof(*h));
	for (cpu = 0; !ret && cpu < SCENARIO_MOST_CPUS; cpu++)
		if (CPU_ISSET_S((size_t)cpu, size, set))
			h->cpu[h->nr_cpus++] = cpu;
	CPU_FREE(set);
	if (ret || !h->nr_cpus)
		return err_set(err, ERR_HOST, "sched_getaffinity: %s", strerror(errno));
	h->online = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (h->online > SCENARIO_MOST_CPUS)
		h->online = SCENARIO_MOST_CPUS;
	if (h->online < h->nr_cpus)
		h->online = h->nr_cpus;
	return 0;
}

/* ---- the tick ---- */

/* The step is a second divided by HZ, cut to whole ns. */
u32 hz_of_step(u64 step)
{
	static const u32 known[] = { 100, 250, 300, 1000, 24, 32, 48, 64, 128, 200, 256, 500, 512, 1024 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (step == SEC / known[i] || step == (SEC + known[i] / 2) / known[i])
			return known[i];
	return 0;
}

u32 host_tick_hz(void)
{
	struct timespec step;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &step))
		return 0;
	return hz_of_step((u64)step.tv_sec * SEC + (u64)step.tv_nsec);
}

/* ---- tunables ---- */

static bool read_number(const char *path, u64 *value)
{
	char text[64], *end;

	if (file_read(path, text, sizeof(text)) || !*text)
		return false;
	*value = strtoull(text, &end, 10);
	return end != text;
}

/* Their names in debugfs are those of the sysctls without "sched_". */
u32 host_tunables(const char *proc, const char *sys, struct host_tunable out[HOST_TUNABLES_MAX])
{
	static const char *const names[] = { "sched_cfs_bandwidth_slice_us", "sched_base_slice_ns", "sched_latency_ns",
					     "sched_min_granularity_ns", "sched_wakeup_granularity_ns",
					     "sched_migration_cost_ns", "sched_nr_migrate" };
	u32 i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct host_tunable *t = &out[nr];

		snprintf(t->from, sizeof(t->from), "%.60s/sys/kernel/%s", proc, names[i]);
		if (!read_number(t->from, &t->value)) {
			snprintf(t->from, sizeof(t->from), "%.60s/kernel/debug/sched/%s", sys, names[i] + strlen("sched_"));
			if (!read_number(t->from, &t->value))
				continue;
		}
		t->name = names[i];
		nr++;
	}
	return nr;
}

/* ---- wakeups ---- */

#define WAKES 60
#define BUSY_LATE (200 * US) /* no idle machine is so late */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static u64 own_cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

/*
 * Sleeps of several lengths: a CPU that was idle for longer takes longer to come back.  Where other programs are in the way of so many
 * wakeups that the median waits for them, the better part tells what the machine itself takes: the lower quartile.
 */
static void try_wakes(struct host_wakes *w)
{
	static const u64 lengths[] = { 2 * MS, 5 * MS, 10 * MS, 15 * MS };
	u64 late[WAKES], cost[WAKES], before, after;
	size_t i;

	prctl(PR_SET_TIMERSLACK, 1UL);
	setpriority(PRIO_PROCESS, 0, -20); /* where it may: what other programs do is not the machine's lateness */
	before = own_cpu_time();
	for (i = 0; i < WAKES; i++) {
		u64 due = clock_now() + lengths[i % ARRAY_SIZE(lengths)];

		clock_sleep_until(due);
		late[i] = clock_now() - due;
		after = own_cpu_time();
		cost[i] = after - before;
		before = after;
	}
	qsort(late, WAKES, sizeof(*late), by_value);
	qsort(cost, WAKES, sizeof(*cost), by_value);
	w->cost = cost[WAKES / 2];
	w->late = late[late[WAKES / 2] < BUSY_LATE ? WAKES / 2 : WAKES / 4];
	w->varies = 2 * (late[WAKES * 3 / 8] - late[WAKES / 8]);
}

/* In a process of its own, whose niceness and slack die with it. */
void host_wakes(struct host_wakes *w)
{
	int fd[2], n = -1;
	pid_t pid;

	memset(w, 0, sizeof(*w));
	if (pipe(fd))
		return;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		try_wakes(w);
		_exit(write(fd[1], w, sizeof(*w)) != (ssize_t)sizeof(*w));
	}
	close(fd[1]);
	while (pid > 0 && (n = (int)read(fd[0], w, sizeof(*w))) < 0 && errno == EINTR)
		;
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (n != (int)sizeof(*w))
		memset(w, 0, sizeof(*w));
}

/* ---- time of CPUs ---- */

static bool is_used(const struct host *h, int nr, int cpu)
{
	int i;

	for (i = 0; i < nr; i++)
		if (h->cpu[i] == cpu)
			return true;
	return false;
}

/* "cpu3 user nice system idle iowait irq softirq steal guest guest_nice"; guest time is part of user time. */
static void add_line(const char *line, const struct host *h, int nr, u64 tick, struct host_times *t)
{
	u64 v[8];
	int cpu;

	if (sscanf(line, "cpu%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &cpu,
		   &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 9 || !is_used(h, nr, cpu))
		return;
	t->busy += (v[0] + v[1] + v[2] + v[5] + v[6]) * tick;
	t->steal += v[7] * tick;
}

void host_times_of(const char *stat, const struct host *h, int nr, u64 ticks, struct host_times *t)
{
	char line[256];

	*t = (struct host_times){ 0 };
	while (!strncmp(stat, "cpu", 3)) { /* they stand first */
		size_t len = strcspn(stat, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)min_u64(len, sizeof(line) - 1), stat);
		if (line[3] != ' ') /* the sum of all */
			add_line(line, h, nr, SEC / ticks, t);
		stat += len + (stat[len] == '\n');
	}
}

void host_times(const struct host *h, int nr, struct host_times *t)
{
	static const size_t size = 256 << 10; /* a line of 100 bytes for each of 1024 CPUs, and the first of the interrupts */
	char *text = malloc(size);
	long ticks = sysconf(_SC_CLK_TCK);

	*t = (struct host_times){ 0 };
	if (text && !file_read("/proc/stat", text, size))
		host_times_of(text, h, nr, ticks > 0 ? (u64)ticks : 100, t);
	free(text);
}
