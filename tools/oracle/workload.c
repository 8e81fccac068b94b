/* SPDX-License-Identifier: MIT */
/*
 * workload.c - runs the cases of the oracle on the kernel it is started on, one line of JSON each.
 *
 *	workload SPECFILE LABEL HZ	on a machine, as root: v1 or v2
 *	/init of a guest		reads /spec, /label, /hz; writes to port 0xe9 and leaves by port 0xf4 (boot.sh listens there)
 *
 *	one case:  groups | threads look every 2 ms | find phases | quiet | T0 -3 ms: read | T0 ... T0+secs | read | print
 *
 * The language of a case is oracle/spec.h's, a line is what tests/oracle/README.md describes, so `fairground oracle FILE` plays what
 * this prints.  The main thread is outside every limited group, as nice as it may be, and asleep while the others run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

#include "live/burn.h"
#include "live/cgroup.h"
#include "live/phase.h"
#include "oracle/spec.h"

#define MOST_THREADS 512
#define SAMPLES 2048	     /* kept of each thread */
#define LOOK_EVERY (2 * MS)  /* a thread that waits for T0 */
#define QUIET SEC
#define READ_AHEAD (3 * MS)
#define NEAR (2 * US)	     /* as near to the wanted CPU time as a burn has to be */
#define PIECE (10 * MS)	     /* between two looks at whether the window is over */
#define CLOCKED (20 * US)    /* cevery, chog: work between two looks at the CPU clock */
#define ZERO_PIECE (1 << 20) /* bytes of one element of zread's call */
#define MOST_PIECES 1024
#define MOST_POLLED 500000
#define TRIED 20000
#define PORT_OUT 0xe9
#define PORT_LEAVE 0xf4

struct samples4 { /* of each loop, ns */
	u64 wall[SAMPLES], wake[SAMPLES], response[SAMPLES], cpu[SAMPLES];
};

struct thread {
	struct run *run;
	const struct wl_set *set;
	u32 index;
	u64 start, cpu0, cpu1, loops;
	int ready;
	struct pollfd *fds;	/* WL_POLL */
	u32 nr_fds;
	struct samples4 *s;
	pthread_t id;
};

struct run {
	const struct wl_spec *spec;
	struct cgroups cg;
	struct burner burner;
	char **path;		/* of each group, "/a/b" */
	u64 *phase;		/* NEVER: not found */
	struct cgroup_stat *before, *after;
	struct thread *threads;
	u32 nr_threads;
	u64 t0, t1;
	int stop, refused;
	int zero;		/* /dev/zero */
	double ns_piece, ns_polled;
};

struct output {
	bool port;	/* as the init of a guest */
	char *text;
	size_t len, cap;
};

/* ---- output ---- */

static void say(struct output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct output *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (o->cap - o->len < 4096) {
		o->cap = o->cap * 2 + 65536;
		o->text = realloc(o->text, o->cap);
		if (!o->text)
			abort();
	}
	va_start(ap, fmt);
	n = vsnprintf(o->text + o->len, o->cap - o->len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < o->cap - o->len)
		o->len += (size_t)n;
}

static void send_bytes(const struct output *o, const char *text, size_t len)
{
#if defined(__x86_64__)
	size_t i;

	for (i = 0; o->port && i < len; i++)
		outb((unsigned char)text[i], PORT_OUT);
#endif
	if (!o->port && fwrite(text, 1, len, stdout) != len)
		exit(3);
}

static void flush(struct output *o)
{
	send_bytes(o, o->text, o->len);
	o->len = 0;
	fflush(stdout);
}

/* ---- threads ---- */

static u64 cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * SEC + (u64)t.tv_nsec;
}

static bool stopped(const struct run *r) { return __atomic_load_n(&r->stop, __ATOMIC_ACQUIRE); }

/*
 * A burn in pieces, so that the end of the window is seen; its CPU clock is looked at before and after, and never between.  Returns the
 * CPU time it took; of a short one, what it was asked for.
 */
static u64 burn(const struct run *r, u64 ns)
{
	u64 start, left, piece, done = 0;

	if (ns < BURN_SHORT) {
		burn_cpu(&r->burner, ns, false);
		return ns;
	}
	start = cpu_time();
	while (done + NEAR < ns && !stopped(r)) {
		for (left = ns - done; left && !stopped(r); left -= piece) {
			piece = left < PIECE ? left : PIECE;
			burn_cpu(&r->burner, piece, false);
		}
		done = cpu_time() - start;
	}
	return done;
}

static u64 burn_looking(const struct run *r, u64 ns)
{
	u64 start = cpu_time(), done = 0;

	while (done + NEAR < ns && !stopped(r)) {
		burn_cpu(&r->burner, ns - done < CLOCKED ? ns - done : CLOCKED, false);
		done = cpu_time() - start;
	}
	return done;
}

static void call_zero(const struct run *r, u32 pieces)
{
	static char memory[ZERO_PIECE];
	struct iovec v[MOST_PIECES];
	u32 i;

	pieces = pieces < MOST_PIECES ? pieces : MOST_PIECES;
	for (i = 0; i < pieces; i++)
		v[i] = (struct iovec){ memory, ZERO_PIECE };
	if (readv(r->zero, v, (int)pieces) < 0)
		perror("readv");
}

/* As many descriptors as it takes, made ready beforehand. */
static struct pollfd *descriptors(const struct run *r, u32 nr)
{
	struct pollfd *fds = calloc(nr + 1, sizeof(*fds));
	u32 i;

	for (i = 0; fds && i < nr; i++)
		fds[i] = (struct pollfd){ r->zero, 0, 0 };
	return fds;
}

static u32 nr_descriptors(const struct run *r, u64 ns)
{
	double nr = (double)ns / r->ns_polled + .5;

	return nr < MOST_POLLED ? (u32)nr : MOST_POLLED;
}

static void call(const struct thread *t)
{
	const struct run *r = t->run;

	if (t->set->kind == WL_REFRESH)
		file_write("/proc/sys/vm/stat_refresh", "1\n", false);
	else if (t->set->kind == WL_ZREAD)
		call_zero(r, (u32)((double)t->set->burn / r->ns_piece + .5));
	else
		poll(t->fds, t->nr_fds, 0);
}

/* What a thread does in one loop; returns the CPU time it took. */
static u64 act(const struct thread *t)
{
	u64 start;

	switch (t->set->kind) {
	case WL_SLEEP:
	case WL_EVERY:
		return burn(t->run, t->set->burn);
	case WL_CEVERY:
		return burn_looking(t->run, t->set->burn);
	default:
		start = cpu_time();
		call(t);
		return cpu_time() - start;
	}
}

static void run_hog(struct thread *t)
{
	while (!stopped(t->run)) {
		if (t->set->kind == WL_CHOG) {
			burn_cpu(&t->run->burner, CLOCKED, false);
			cpu_time();
		} else {
			burn_cpu(&t->run->burner, 1 * MS, false);
		}
		t->loops++;
	}
}

static void keep(struct thread *t, u64 release, u64 begin, u64 end, u64 cpu)
{
	if (t->loops < SAMPLES) {
		t->s->wake[t->loops] = begin > release ? begin - release : 0;
		t->s->wall[t->loops] = end - begin;
		t->s->response[t->loops] = end > release ? end - release : 0;
		t->s->cpu[t->loops] = cpu;
	}
	t->loops++;
}

static void run_loops(struct thread *t)
{
	u64 release = t->start, begin, end, cpu;

	while (!stopped(t->run)) {
		begin = clock_now();
		cpu = act(t);
		end = clock_now();
		if (stopped(t->run))
			return;
		keep(t, release, begin, end, cpu);
		release = t->set->kind == WL_SLEEP ? end + t->set->sleep : release + t->set->sleep;
		if (release >= t->run->t1)
			return;
		clock_sleep_until(release);
	}
}

static bool is_hog(const struct wl_set *set) { return set->kind == WL_HOG || set->kind == WL_CHOG; }

static void set_up(struct thread *t)
{
	cpu_set_t cpus;

	prctl(PR_SET_TIMERSLACK, 1UL);
	if (t->set->kind == WL_POLL) {
		t->nr_fds = nr_descriptors(t->run, t->set->burn);
		t->fds = descriptors(t->run, t->nr_fds);
	}
	if (!t->set->free) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)(t->set->cpu + (t->set->spread ? (int)t->index : 0)), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus))
			__atomic_store_n(&t->run->refused, -errno, __ATOMIC_RELAXED);
	}
	setpriority(PRIO_PROCESS, (id_t)gettid(), t->set->nice);
	if (cgroups_move(&t->run->cg, t->run->path[t->set->group], 0))
		__atomic_store_n(&t->run->refused, -EACCES, __ATOMIC_RELAXED);
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	set_up(t);
	__atomic_store_n(&t->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&t->run->t0, __ATOMIC_ACQUIRE))
		clock_sleep_until(clock_now() + LOOK_EVERY);
	t->start = t->run->t0 + (t->set->stagger ? t->set->offset * t->index : t->set->offset);
	clock_sleep_until(t->start);
	t->cpu0 = cpu_time();
	if (is_hog(t->set))
		run_hog(t);
	else
		run_loops(t);
	t->cpu1 = cpu_time();
	return NULL;
}

static bool start_threads(struct run *r)
{
	pthread_attr_t attr;
	u32 i, k;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	for (i = 0; i < r->spec->nr_sets; i++)
		for (k = 0; k < r->spec->sets[i].count; k++) {
			struct thread *t = &r->threads[r->nr_threads];

			*t = (struct thread){ .run = r, .set = &r->spec->sets[i], .index = k };
			t->s = calloc(1, sizeof(*t->s));
			if (!t->s || pthread_create(&t->id, &attr, thread_main, t))
				return false;
			r->nr_threads++;
		}
	pthread_attr_destroy(&attr);
	for (i = 0; i < r->nr_threads; i++)
		while (!__atomic_load_n(&r->threads[i].ready, __ATOMIC_ACQUIRE))
			clock_sleep_until(clock_now() + LOOK_EVERY);
	return true;
}

/* How long the two system calls take here. */
static void calibrate(struct run *r)
{
	struct rlimit most = { MOST_POLLED + 64, MOST_POLLED + 64 };
	struct pollfd *fds;
	u64 start;

	burn_calibrate(&r->burner);
	setrlimit(RLIMIT_NOFILE, &most);
	r->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	call_zero(r, 2);
	start = clock_now();
	call_zero(r, 8);
	r->ns_piece = (double)(clock_now() - start) / 8;
	fds = descriptors(r, TRIED);
	if (!fds)
		exit(3);
	poll(fds, TRIED, 0);
	start = clock_now();
	poll(fds, TRIED, 0);
	r->ns_polled = (double)(clock_now() - start) / TRIED;
	free(fds);
}

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

/* ---- recording ---- */

#define TRACING "/sys/kernel/tracing"

static void record(bool on)
{
	static const char *const events[] = { "sched_switch", "sched_wakeup", "sched_waking", "sched_wakeup_new", "sched_migrate_task" };
	char path[256];
	size_t i;

	file_write(TRACING "/tracing_on", "0", false);
	if (on) {
		file_write(TRACING "/buffer_size_kb", "3000", false);
		file_write(TRACING "/trace_clock", "mono", false);
		file_write(TRACING "/trace", "", true);
	}
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(path, sizeof(path), TRACING "/events/sched/%s/enable", events[i]);
		file_write(path, on ? "1" : "0", false);
	}
	file_write(TRACING "/tracing_on", on ? "1" : "0", false);
}

static void print_recording(struct output *o, const char *name)
{
	FILE *in = fopen(TRACING "/trace", "r");
	char buf[65536];
	size_t n;

	say(o, "#TRACE %s\n", name);
	flush(o);
	while (in && (n = fread(buf, 1, sizeof(buf), in)) > 0)
		send_bytes(o, buf, n);
	if (in)
		fclose(in);
	say(o, "#ENDTRACE\n");
}

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
	for (i = 0; i < r->nr_threads; i++)
		pthread_join(r->threads[i].id, NULL);
}

/* ---- printing ---- */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Ranks (n - 1) * q, to the nearest. */
static void say_times(struct output *o, const char *name, u64 *v, size_t n)
{
	static const struct { const char *name; double q; } rows[] = { { "min", 0 }, { "p50", .5 }, { "p95", .95 }, { "p99", .99 }, { "max", 1 } };
	double sum = 0;
	size_t i;

	if (!n)
		return;
	qsort(v, n, sizeof(*v), by_value);
	for (i = 0; i < n; i++)
		sum += (double)v[i];
	say(o, ",\"%s_us\":{\"n\":%zu", name, n);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		say(o, ",\"%s\":%.1f", rows[i].name, (double)v[(size_t)((double)(n - 1) * rows[i].q + .5)] / (double)US);
	say(o, ",\"mean\":%.1f}", sum / (double)n / (double)US);
}

/* One kind of length over the threads of @set, @offset bytes into their samples. */
static void say_set_times(struct output *o, const struct run *r, const struct wl_set *set, const char *name, size_t offset)
{
	u64 *all = calloc((size_t)r->nr_threads * SAMPLES + 1, sizeof(*all));
	size_t n = 0;
	u32 i;

	for (i = 0; all && i < r->nr_threads; i++) {
		const struct thread *t = &r->threads[i];
		size_t mine = t->loops < SAMPLES ? (size_t)t->loops : SAMPLES;

		if (t->set != set)
			continue;
		memcpy(all + n, (const char *)t->s + offset, mine * sizeof(*all));
		n += mine;
	}
	if (all)
		say_times(o, name, all, n);
	free(all);
}

static void say_set(struct output *o, const struct run *r, const struct wl_set *set)
{
	u64 cpu = 0, loops = 0;
	u32 i;

	for (i = 0; i < r->nr_threads; i++) {
		if (r->threads[i].set != set)
			continue;
		cpu += r->threads[i].cpu1 - r->threads[i].cpu0;
		loops += r->threads[i].loops;
	}
	say(o, "{\"cpu_us\":%" PRIu64 ",\"loops\":%" PRIu64, cpu / US, loops);
	if (!is_hog(set)) {
		say_set_times(o, r, set, "burn_wall", offsetof(struct samples4, wall));
		say_set_times(o, r, set, "wake_late", offsetof(struct samples4, wake));
		say_set_times(o, r, set, "response", offsetof(struct samples4, response));
		say_set_times(o, r, set, "burn_cpu", offsetof(struct samples4, cpu));
	}
	say(o, "}");
}

static void say_group(struct output *o, const struct run *r, u32 i)
{
	const struct cgroup_stat *a = &r->before[i], *b = &r->after[i];

	say(o, "{\"path\":\"%s\",\"usage_us\":%" PRIu64, r->spec->groups[i].path, (b->usage - a->usage) / US);
	if (b->has_bandwidth)
		say(o, ",\"nr_periods\":%" PRIu64 ",\"nr_throttled\":%" PRIu64 ",\"throttled_us\":%" PRIu64, b->nr_periods - a->nr_periods,
		    b->nr_throttled - a->nr_throttled, (b->throttled - a->throttled) / US);
	if (b->has_burst)
		say(o, ",\"nr_bursts\":%" PRIu64 ",\"burst_us\":%" PRIu64, b->nr_bursts - a->nr_bursts, (b->burst - a->burst) / US);
	say(o, "}");
}

static void say_phases(struct output *o, const struct run *r)
{
	u32 i;

	if (!r->spec->align)
		return;
	say(o, ",\"phase_us\":[");
	for (i = 0; i < r->spec->nr_groups; i++)
		if (r->phase[i] == NEVER)
			say(o, "%s-1", i ? "," : "");
		else
			say(o, "%s%.1f", i ? "," : "", (double)(r->phase[i] % r->spec->groups[i].period) / (double)US);
	say(o, "]");
}

static void say_line(struct output *o, const struct run *r, const char *text, const char *label, const char *hz)
{
	struct utsname u;
	u32 i;

	uname(&u);
	say(o, "{\"case\":\"%s\",\"label\":\"%s\",\"kernel\":\"%s\",\"vcpus\":%ld,\"cgroup\":\"v%d\",\"hz\":%s,\"secs\":%g,\"setup_err\":%d,\"t0_ns\":%" PRIu64,
	    r->spec->name, label, u.release, sysconf(_SC_NPROCESSORS_ONLN), r->cg.version, hz, (double)r->spec->window / (double)SEC, r->refused,
	    r->t0);
	say(o, ",\"spec\":\"%.*s\"", (int)strcspn(text, "\n"), text);
	say_phases(o, r);
	say(o, ",\"groups\":[");
	for (i = 0; i < r->spec->nr_groups; i++) {
		say(o, "%s", i ? "," : "");
		say_group(o, r, i);
	}
	say(o, "],\"sets\":[");
	for (i = 0; i < r->spec->nr_sets; i++) {
		say(o, "%s", i ? "," : "");
		say_set(o, r, &r->spec->sets[i]);
	}
	say(o, "]}\n");
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

static void free_thread(struct thread *t)
{
	free(t->fds);
	free(t->s);
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
		free_thread(&r.threads[i]);
	close(r.zero);
	arena_fini(&mem);
	return ret;
}

/* Each case in a process of its own: that one's group can be removed once it is gone. */
static int in_child(struct output *o, const char *text, int line, const char *label, const char *hz)
{
	struct err err = { 0 };
	struct cgroups cg;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_TIMERSLACK, 1UL);
		setpriority(PRIO_PROCESS, 0, -20);
		_exit(run_case(o, text, line, label, hz) ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	if (pid > 0 && !cgroups_find(&cg, NULL, pid, &err))
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
	run_all(&o, "/spec", label, hz);
	say(&o, "#DONE\n");
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
