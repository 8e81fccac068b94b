/* SPDX-License-Identifier: MIT */
/*
 * threads.c - what the threads of a case do: tests/oracle/README.md says it for each kind.
 *
 * Law: no thread asks the kernel for anything between the ends of a burn, but for those whose kind is to do so.
 */
#define _GNU_SOURCE
#include "tools/oracle/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define LOOK_EVERY (2 * MS)  /* a thread that waits for T0 */
#define NEAR (2 * US)	     /* as near to the wanted CPU time as a burn has to be */
#define PIECE (10 * MS)	     /* between two looks at whether the window is over */
#define CLOCKED (20 * US)    /* cevery, chog: work between two looks at the CPU clock */
#define ZERO_PIECE (1 << 20) /* bytes of one element of zread's call */
#define MOST_PIECES 1024
#define MOST_POLLED 500000
#define TRIED 20000

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
		burn_cpu(&r->burner, ns);
		return ns;
	}
	start = cpu_time();
	while (done + NEAR < ns && !stopped(r)) {
		for (left = ns - done; left && !stopped(r); left -= piece) {
			piece = left < PIECE ? left : PIECE;
			burn_cpu(&r->burner, piece);
		}
		done = cpu_time() - start;
	}
	return done;
}

static u64 burn_looking(const struct run *r, u64 ns)
{
	u64 start = cpu_time(), done = 0;

	while (done + NEAR < ns && !stopped(r)) {
		burn_cpu(&r->burner, ns - done < CLOCKED ? ns - done : CLOCKED);
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
			burn_cpu(&t->run->burner, CLOCKED);
			cpu_time();
		} else {
			burn_cpu(&t->run->burner, 1 * MS);
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

bool is_hog(const struct wl_set *set) { return set->kind == WL_HOG || set->kind == WL_CHOG; }

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

bool start_threads(struct run *r)
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
void calibrate(struct run *r)
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

void join_threads(struct run *r)
{
	u32 i;

	for (i = 0; i < r->nr_threads; i++) {
		pthread_join(r->threads[i].id, NULL);
		free(r->threads[i].fds);
	}
}
