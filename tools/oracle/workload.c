/* SPDX-License-Identifier: MIT */
/*
 * workload.c - runs the cases of the oracle on the kernel it is started on, one line of JSON each.
 *
 *	workload SPECFILE LABEL HZ	on a machine, as root: v1 or v2
 *	/init of a guest		reads /spec, /label, /hz; writes to port 0xe9 and leaves by port 0xf4 (boot.sh listens there);
 *					where there is a /fairground, that measures each file of /scenarios instead
 *
 *	one case:  groups | threads look every 2 ms | find phases | quiet | T0 -3 ms: read | T0 ... T0+secs | read | print
 *
 * The language of a case is oracle/spec.h's, a line is what tests/oracle/README.md describes, so `fairground oracle FILE` plays what
 * this prints.  The main thread is outside every limited group, as nice as it may be, and asleep while the others run.
 */
#define _GNU_SOURCE
#include "tools/oracle/workload.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

#include "live/phase.h"

#define QUIET SEC	    /* before T0 */
#define READ_AHEAD (3 * MS)
#define PORT_LEAVE 0xf4	    /* the emulator's way out */

/* ---- groups ---- */

static void note(struct run *r, int ret)
{
	if (ret)
		r->refused = ret;
}

static void write_limit(struct run *r, u32 group, bool limited, u64 quota, u64 period, bool sets_burst, u64 burst)
{
	char text[64];

	if (r->cg.version == 2) {
		if (limited)
			snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64, quota / US, period / US);
		else
			snprintf(text, sizeof(text), "max %" PRIu64, period / US);
		note(r, cgroups_write(&r->cg, r->path[group], "cpu.max", text));
	} else {
		snprintf(text, sizeof(text), "%" PRIu64, period / US);
		note(r, cgroups_write(&r->cg, r->path[group], "cpu.cfs_period_us", text));
		snprintf(text, sizeof(text), "%" PRId64, limited ? (s64)(quota / US) : -1);
		note(r, cgroups_write(&r->cg, r->path[group], "cpu.cfs_quota_us", text));
	}
	snprintf(text, sizeof(text), "%" PRIu64, burst / US);
	if (sets_burst)
		note(r, cgroups_write(&r->cg, r->path[group], r->cg.version == 2 ? "cpu.max.burst" : "cpu.cfs_burst_us", text));
}

static int make_groups(struct run *r, struct arena *mem)
{
	const struct wl_spec *spec = r->spec;
	struct group_spec *groups = arena_alloc(mem, (spec->nr_groups + 1) * sizeof(*groups));
	struct scenario sc = { .groups = groups, .nr_groups = spec->nr_groups };
	struct err err = { 0 };
	char text[1024];
	u32 i;

	for (i = 0; i < spec->nr_groups; i++) {
		snprintf(text, sizeof(text), "/%s", spec->groups[i].path);
		groups[i].path = r->path[i] = arena_strdup(mem, text);
	}
	if (cgroups_make(&r->cg, &sc, &err) || cgroups_enter(&r->cg)) {
		fprintf(stderr, "workload: %s\n", err.code ? err_text(&err, text, sizeof(text)) : "cannot enter the group");
		return -1;
	}
	for (i = 0; i < spec->nr_groups; i++) {
		const struct wl_group *g = &spec->groups[i];

		snprintf(text, sizeof(text), "%u", r->cg.version == 2 ? g->weight : g->weight * 1024 / 100);
		if (g->weight)
			note(r, cgroups_write(&r->cg, r->path[i], r->cg.version == 2 ? "cpu.weight" : "cpu.shares", text));
		if (g->limited)
			write_limit(r, i, true, g->quota, g->period, g->burst, g->burst);
	}
	return 0;
}

static void write_tunable(struct run *r, const char *path, u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	if (value)
		note(r, file_write(path, text, false));
}

#define SLICE "/proc/sys/kernel/sched_cfs_bandwidth_slice_us"
#define WGRAN "/proc/sys/kernel/sched_wakeup_granularity_ns"

/* ---- one case ---- */

static void read_groups(struct run *r, struct cgroup_stat *st)
{
	u32 i;

	for (i = 0; i < r->spec->nr_groups; i++)
		cgroups_stat(&r->cg, r->path[i], &st[i]);
}

/* T0: a whole second, or with "align" a boundary of the first limited group. */
static u64 choose_start(struct run *r)
{
	u64 t = clock_now() + QUIET;
	u32 i;

	for (i = 0; r->spec->align && i < r->spec->nr_groups; i++)
		if (r->phase[i] != NEVER)
			return phase_next(phase_next(t, 0, SEC), r->phase[i], r->spec->groups[i].period);
	return phase_next(t, 0, SEC);
}

static void do_writes(struct run *r)
{
	u32 i;

	for (i = 0; i < r->spec->nr_writes; i++) {
		const struct wl_write *w = &r->spec->writes[i];

		clock_sleep_until(r->t0 + w->at);
		write_limit(r, w->group, w->limited, w->quota, w->period, w->sets_burst, w->burst);
	}
}

static void measure(struct run *r)
{
	u64 t0;
	u32 i;

	for (i = 0; i < r->spec->nr_groups; i++)
		r->phase[i] = r->spec->align && r->spec->groups[i].limited ?
				      phase_boundary(&r->cg, r->path[i], r->spec->groups[i].period) : NEVER;
	t0 = choose_start(r);
	r->t1 = t0 + r->spec->window;
	if (r->spec->trace)
		record(true);
	__atomic_store_n(&r->t0, t0, __ATOMIC_RELEASE);
	clock_sleep_until(t0 - READ_AHEAD);
	read_groups(r, r->before);
	do_writes(r);
	clock_sleep_until(r->t1);
	read_groups(r, r->after);
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
	if (r->spec->trace)
		record(false);
	join_threads(r);
}

/* ---- all cases ---- */

static void *get(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void put(void *ctx, void *p, size_t size)
{
	(void)ctx;
	(void)size;
	free(p);
}

static bool prepare(struct run *r, struct arena *mem)
{
	u32 n = r->spec->nr_groups + 1;

	r->path = arena_alloc(mem, n * sizeof(*r->path));
	r->phase = arena_alloc(mem, n * sizeof(*r->phase));
	r->before = arena_alloc(mem, n * sizeof(*r->before));
	r->after = arena_alloc(mem, n * sizeof(*r->after));
	r->threads = arena_alloc(mem, MOST_THREADS * sizeof(*r->threads));
	return r->path && r->phase && r->before && r->after && r->threads;
}

static u32 threads_of(const struct wl_spec *spec)
{
	u32 i, n = 0;

	for (i = 0; i < spec->nr_sets && n <= MOST_THREADS; i++)
		n += spec->sets[i].count;
	return n;
}

static int run_case(struct output *o, const char *text, int line, const char *label, const char *hz)
{
	struct arena mem;
	struct wl_spec spec = { 0 };
	struct run r = { .spec = &spec };
	struct err err = { 0 };
	char shown[1024];
	u32 i;
	int ret;

	arena_init(&mem, get, put, NULL);
	ret = wl_parse(&spec, text, &mem, "spec", line, &err) || cgroups_find(&r.cg, NULL, getpid(), &err) ? -1 : 0;
	if (ret || threads_of(&spec) > MOST_THREADS || !prepare(&r, &mem)) {
		fprintf(stderr, "workload: %s\n", err.code ? err_text(&err, shown, sizeof(shown)) : "too many threads");
		arena_fini(&mem);
		return -1;
	}
	calibrate(&r);
	write_tunable(&r, SLICE, spec.slice / US);
	write_tunable(&r, WGRAN, spec.wgran);
	ret = make_groups(&r, &mem) || !start_threads(&r) ? -1 : 0;
	if (!ret) {
		measure(&r);
		say_line(o, &r, text, label, hz);
		if (spec.trace)
			print_recording(o, spec.name);
		flush(o);
	}
	write_tunable(&r, SLICE, spec.slice ? 5000 : 0);
	for (i = 0; i < r.nr_threads; i++)
		free(r.threads[i].s);
	close(r.zero);
	arena_fini(&mem);
	return ret;
}

/* Each case in a process of its own: that one's group can be removed once it is gone. */
static int in_child(struct output *o, const char *text, int line, const char *label, const char *hz)
{
	struct err err = { 0 };
	struct cgroups cg;
	int status = 0, found = cgroups_find(&cg, NULL, 0, &err);
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_TIMERSLACK, 1UL);
		setpriority(PRIO_PROCESS, 0, -20);
		_exit(run_case(o, text, line, label, hz) ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	snprintf(cg.name, sizeof(cg.name), CGROUPS_NAME "%d", pid);
	if (pid > 0 && !found)
		cgroups_remove(&cg, 2000);
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

static int run_all(struct output *o, const char *path, const char *label, const char *hz)
{
	FILE *in = fopen(path, "r");
	char text[4096];
	int line = 0, ret = 0;

	if (!in) {
		perror(path);
		return 1;
	}
	while (fgets(text, sizeof(text), in)) {
		line++;
		text[strcspn(text, "\n")] = '\0';
		if (strstr(text, "name=") && text[0] != '#')
			ret = in_child(o, text, line, label, hz) || ret;
	}
	fclose(in);
	return ret;
}

#if defined(__x86_64__)
static void word_of(const char *path, char *word, size_t size)
{
	file_read(path, word, size);
	word[strcspn(word, " \n")] = '\0';
}

/* `fairground measure` of one scenario, its output framed by the scenario's name. */
static void measure_scenario(struct output *o, const char *name)
{
	char path[300], buf[4096];
	int fd[2];
	ssize_t n;
	pid_t pid;

	snprintf(path, sizeof(path), "/scenarios/%.250s", name);
	if (pipe(fd))
		return;
	pid = fork();
	if (!pid) {
		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		execl("/fairground", "fairground", "measure", path, "--json", "--repeat", "3", (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	tell(o, "#JSON %s\n", name);
	flush(o);
	while ((n = read(fd[0], buf, sizeof(buf))) > 0)
		send_bytes(o, buf, (size_t)n);
	tell(o, "#ENDJSON\n");
	flush(o);
	close(fd[0]);
	waitpid(pid, NULL, 0);
}

static int is_scenario(const struct dirent *entry) { return strstr(entry->d_name, ".json") != NULL; }

static void measure_scenarios(struct output *o)
{
	struct dirent **names;
	int i, n = scandir("/scenarios", &names, is_scenario, alphasort);

	for (i = 0; i < n; i++)
		measure_scenario(o, names[i]->d_name);
}

/* The only program of a guest: mounts what it needs, and leaves when it is done. */
static void be_init(void)
{
	struct output o = { .port = true };
	char label[64], hz[16];

	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	mount("cgroup", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	mount("trace", TRACING, "tracefs", 0, NULL);
	iopl(3);
	word_of("/label", label, sizeof(label));
	word_of("/hz", hz, sizeof(hz));
	if (access("/fairground", X_OK))
		run_all(&o, "/spec", label, hz);
	else
		measure_scenarios(&o);
	tell(&o, "#DONE\n");
	flush(&o);
	outb(0, PORT_LEAVE);
	for (;;)
		pause();
}
#endif

int main(int argc, char **argv)
{
	struct output o = { 0 };

#if defined(__x86_64__)
	if (getpid() == 1)
		be_init();
#endif
	if (argc != 4) {
		fprintf(stderr, "usage: workload SPECFILE LABEL HZ\n");
		return 2;
	}
	return run_all(&o, argv[1], argv[2], argv[3]) ? 1 : 0;
}
