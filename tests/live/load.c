/* SPDX-License-Identifier: MIT */
/*
 * load.c - real loads to be recorded: threads that work, wait, and hand work to each other by the means that programs have.
 *
 *	live_load KIND SECONDS [threads=N] [period=US] [work=US] [jitter=PCT] [cpus=N] [seed=N] [as=XY] [join=FILE]
 *
 *	burst	one thread works each PERIOD
 *	bursts	N threads work, released together each PERIOD
 *	pipe	N threads in a row with a pipe between each two; a token each PERIOD, work at every one
 *	pool	a queue with a lock and a condition: a job each PERIOD on average for N workers, arrivals and work exponential; jobs are
 *		put in by a client, a process of its own
 *	timers	N threads with timers of their own, from one PERIOD to nearly two
 *	mixed	as burst, beside one thread of nice 10 that only computes
 *	hog	N threads that only compute
 *
 * WORK is CPU time, give or take JITTER per cent.  A release that comes while the last one is still worked on is kept (open loop).  Threads are
 * called ld-KIND (as=XY: XY-KIND), the one of nice 10 ld-batch.  join: the cgroup.procs of the group to work in (v1: of two), which a client stays out of.  At the end a line of JSON says how long requests took, from their release to the end of their work.
 * Law: nobody looks at a CPU clock, which would make the kernel charge the group (live/burn.h).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fixmath.h"
#include "base/rng.h"
#include "live/burn.h"

#define MOST_THREADS 64
#define SAMPLES 20000 /* kept of each thread */
#define QUEUE 4096    /* jobs that may wait */
#define START (100 * MS)

struct load;

struct member {
	struct load *load;
	u32 index;
	int in, out;	/* pipe */
	struct rng rng;
	u64 *took;
	u32 nr;
	pthread_t id;
};

struct load {
	const struct kind *kind;
	u64 seconds, threads, period, work, jitter, cpus, seed;
	struct burner burner;
	const char *join[2], *as;
	u64 t0;
	struct member members[MOST_THREADS + 1];
	struct jobs *jobs;
};

struct jobs { /* in memory that the client shares */
	pthread_mutex_t lock;
	pthread_cond_t filled;
	u64 queue[QUEUE];     /* releases */
	u64 head, tail;
};

static void fail(const char *what)
{
	fprintf(stderr, "live_load: %s: %s\n", what, strerror(errno));
	exit(3);
}

/* ---- pieces ---- */

static void work(struct member *m)
{
	const struct load *l = m->load;
	u64 spread = l->work * l->jitter / 100;

	burn_cpu(&l->burner, l->work - spread + (spread ? rng_below(&m->rng, 2 * spread + 1) : 0));
}

static u64 exponential(struct rng *rng, u64 mean) { return (u64)fix_mul((s64)mean, fix_exponential(rng)); }

static void done(struct member *m, u64 release)
{
	u32 nr = __atomic_load_n(&m->nr, __ATOMIC_RELAXED);

	if (nr >= SAMPLES)
		return;
	m->took[nr] = clock_now() - release;
	__atomic_store_n(&m->nr, nr + 1, __ATOMIC_RELEASE);
}

/* ---- kinds ---- */

static void on_timer(struct member *m, u64 period)
{
	u64 release = m->load->t0;

	for (;; release += period) {
		clock_sleep_until(release);
		work(m);
		done(m, release);
	}
}

static void run_burst(struct member *m) { on_timer(m, m->load->period); }

static void run_timers(struct member *m) { on_timer(m, m->load->period * (m->load->threads + m->index) / m->load->threads); }

static void run_hog(struct member *m)
{
	for (;;)
		burn_cpu(&m->load->burner, 1 * MS);
}

static void run_mixed(struct member *m)
{
	if (!m->index)
		run_burst(m);
	prctl(PR_SET_NAME, "ld-batch");
	setpriority(PRIO_PROCESS, (id_t)gettid(), 10);
	run_hog(m);
}

/* The first sends a token each period, the last is where it is done. */
static void run_pipe(struct member *m)
{
	u64 release = m->load->t0;

	for (;; release += m->load->period) {
		if (m->in < 0)
			clock_sleep_until(release);
		else if (read(m->in, &release, sizeof(release)) != (ssize_t)sizeof(release))
			fail("read");
		work(m);
		if (m->out < 0)
			done(m, release);
		else if (write(m->out, &release, sizeof(release)) != (ssize_t)sizeof(release))
			fail("write");
	}
}

static void run_pool(struct member *m)
{
	struct jobs *jobs = m->load->jobs;
	u64 release;

	for (;;) {
		pthread_mutex_lock(&jobs->lock);
		while (jobs->head == jobs->tail)
			pthread_cond_wait(&jobs->filled, &jobs->lock);
		release = jobs->queue[jobs->head++ % QUEUE];
		pthread_mutex_unlock(&jobs->lock);
		burn_cpu(&m->load->burner, exponential(&m->rng, m->load->work));
		done(m, release);
	}
}

static void be_client(const struct load *l)
{
	struct jobs *jobs = l->jobs;
	u64 release = l->t0;
	struct rng rng;

	prctl(PR_SET_NAME, "lx-client");
	rng_init(&rng, l->seed, "client", "", 0, 0);
	for (;; release += exponential(&rng, l->period)) {
		clock_sleep_until(release);
		pthread_mutex_lock(&jobs->lock);
		if (jobs->tail - jobs->head < QUEUE)
			jobs->queue[jobs->tail++ % QUEUE] = release;
		pthread_cond_signal(&jobs->filled);
		pthread_mutex_unlock(&jobs->lock);
	}
}

/* It dies with this process. */
static void start_client(struct load *l)
{
	pthread_mutexattr_t lock;
	pthread_condattr_t filled;
	pid_t pid;

	l->jobs = mmap(NULL, sizeof(*l->jobs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (l->jobs == MAP_FAILED)
		fail("mmap");
	pthread_mutexattr_init(&lock);
	pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&l->jobs->lock, &lock);
	pthread_condattr_init(&filled);
	pthread_condattr_setpshared(&filled, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&l->jobs->filled, &filled);
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	be_client(l);
}

static const struct kind {
	const char *name;
	u32 least, more; /* threads: at least, and beyond those asked for */
	void (*run)(struct member *m);
} kinds[] = {
	{ "burst", 1, 0, run_burst },	{ "bursts", 1, 0, run_burst }, { "pipe", 2, 0, run_pipe }, { "pool", 1, 0, run_pool },
	{ "timers", 1, 0, run_timers }, { "mixed", 1, 1, run_mixed },  { "hog", 1, 0, run_hog },
};

/* ---- all of it ---- */

static void *member_main(void *arg)
{
	struct member *m = arg;
	char name[16];

	snprintf(name, sizeof(name), "%s-%s", m->load->as, m->load->kind->name);
	prctl(PR_SET_NAME, name);
	clock_sleep_until(m->load->t0);
	m->load->kind->run(m);
	return NULL;
}

static u32 nr_members(const struct load *l) { return (u32)l->threads + l->kind->more; }

/* A pipe between each two that follow each other. */
static void lay_pipes(struct load *l)
{
	int fd[2];
	u32 i;

	for (i = 0; i < nr_members(l); i++)
		l->members[i].in = l->members[i].out = -1;
	for (i = 0; l->kind->run == run_pipe && i + 1 < nr_members(l); i++) {
		if (pipe(fd))
			fail("pipe");
		l->members[i].out = fd[1];
		l->members[i + 1].in = fd[0];
	}
}

static void start(struct load *l)
{
	u32 i;

	lay_pipes(l);
	for (i = 0; i < nr_members(l); i++) {
		struct member *m = &l->members[i];

		m->load = l;
		m->index = i;
		rng_init(&m->rng, l->seed, "load", l->kind->name, i, 0);
		m->took = calloc(SAMPLES, sizeof(*m->took));
		if (!m->took)
			fail("memory");
		errno = pthread_create(&m->id, NULL, member_main, m);
		if (errno)
			fail("pthread_create");
	}
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static u64 percentile(const u64 *v, size_t n, u64 percent) { return n ? v[(n * percent + 99) / 100 - 1] / US : 0; }

static void report(const struct load *l)
{
	u64 *all = calloc((size_t)nr_members(l) * SAMPLES, sizeof(*all));
	size_t n = 0;
	u32 i;

	if (!all)
		fail("memory");
	for (i = 0; i < nr_members(l); i++) {
		u32 nr = __atomic_load_n(&l->members[i].nr, __ATOMIC_ACQUIRE);

		memcpy(all + n, l->members[i].took, nr * sizeof(*all));
		n += nr;
	}
	qsort(all, n, sizeof(*all), by_value);
	printf("{\"kind\":\"%s\",\"requests\":%zu,\"p50_usec\":%" PRIu64 ",\"p95_usec\":%" PRIu64 ",\"p99_usec\":%" PRIu64 "}\n", l->kind->name, n,
	       percentile(all, n, 50), percentile(all, n, 95), percentile(all, n, 99));
	fflush(stdout);
	free(all);
}

static void keep_to_cpus(u64 nr)
{
	cpu_set_t now, set;
	int cpu;

	if (!nr || sched_getaffinity(0, sizeof(now), &now))
		return;
	CPU_ZERO(&set);
	for (cpu = 0; cpu < CPU_SETSIZE && (u64)CPU_COUNT(&set) < nr; cpu++)
		if (CPU_ISSET((size_t)cpu, &now))
			CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

static bool take(struct load *l, const char *word)
{
	const struct { const char *name; u64 *value; } rows[] = {
		{ "threads=", &l->threads }, { "period=", &l->period }, { "work=", &l->work },
		{ "jitter=", &l->jitter },   { "cpus=", &l->cpus },	{ "seed=", &l->seed },
	};
	char *end;
	size_t i;

	if (!strncmp(word, "as=", 3)) {
		l->as = word + 3;
		return true;
	}
	if (!strncmp(word, "join=", 5)) {
		l->join[!!l->join[0]] = word + 5;
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].name);

		if (strncmp(word, rows[i].name, len))
			continue;
		*rows[i].value = strtoull(word + len, &end, 10);
		return word[len] >= '0' && word[len] <= '9' && !*end;
	}
	return false;
}

static void join_group(const char *file)
{
	FILE *out = file ? fopen(file, "w") : NULL;

	if (file && (!out || fprintf(out, "%d\n", getpid()) < 0 || fclose(out)))
		fail(file);
}

static const struct kind *kind_called(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static bool read_arguments(struct load *l, int argc, char **argv)
{
	int i;

	l->kind = argc > 2 ? kind_called(argv[1]) : NULL;
	if (!l->kind)
		return false;
	l->seconds = strtoull(argv[2], NULL, 10);
	for (i = 3; i < argc; i++)
		if (!take(l, argv[i]))
			return false;
	if (l->threads < l->kind->least)
		l->threads = l->kind->least;
	l->period *= US;
	l->work *= US;
	return l->seconds && l->threads + l->kind->more <= MOST_THREADS && l->period && l->jitter <= 100;
}

int main(int argc, char **argv)
{
	static struct load load = { .threads = 1, .period = 100000, .work = 10000, .seed = 1, .as = "ld" };

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever kills the script kills this */
	if (!read_arguments(&load, argc, argv)) {
		fprintf(stderr, "usage: live_load KIND SECONDS [threads=N] [period=US] [work=US] [jitter=PCT] [cpus=N] [seed=N] "
				"[as=XY] [join=FILE]\n");
		return 2;
	}
	keep_to_cpus(load.cpus);
	prctl(PR_SET_TIMERSLACK, 1UL);
	burn_calibrate(&load.burner);
	load.t0 = clock_now() + START;
	if (load.kind->run == run_pool)
		start_client(&load);
	join_group(load.join[0]);
	join_group(load.join[1]);
	start(&load);
	clock_sleep_until(load.t0 + load.seconds * SEC);
	report(&load);
	_exit(0);
}
