/* SPDX-License-Identifier: MIT */
/*
 * shim.c - what a stock rt-app does, call by call: loaded in front of it (LD_PRELOAD) by tools/rtapp_diff.sh.
 *
 *	run 5000, lock m	->	ldexp x 20000, pthread_mutex_lock	->	"run 5000" "lock 1"
 *
 * rt-app's work is a loop of four ldexp() each; with "calibration": 1000 one loop is one us.  Every thread keeps what it
 * calls; at its end, or that of all, one line goes to the file RTAPP_DIFF names.  Mutexes and conditions are numbered as they are met.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LDEXP_PER_LOOP 4
#define MOST_TEXT (1 << 20)

#define MOST_THREADS 4096

struct record {
	char *text;
	size_t len;
	int written;
};
static struct record records[MOST_THREADS]; /* in order of creation */
static __thread struct record *mine;	    /* NULL: not a thread of the workload */
static __thread unsigned long nr_ldexp;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static void put(const char *fmt, ...)
{
	va_list ap;

	if (!mine)
		return;
	if (!mine->text)
		mine->text = calloc(1, MOST_TEXT);
	if (!mine->text || mine->len > MOST_TEXT - 100)
		return;
	va_start(ap, fmt);
	mine->len += (size_t)vsnprintf(mine->text + mine->len, 100, fmt, ap);
	va_end(ap);
}

static void put_run(void)
{
	if (nr_ldexp)
		put(" run:%lu", nr_ldexp / LDEXP_PER_LOOP);
	nr_ldexp = 0;
}

double ldexp(double x, int e)
{
	nr_ldexp++;
	(void)e;
	return x;
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	static int (*next)(pthread_mutex_t *);
	put_run();
	put(" lock:%p", (void *)m);
	if (!next)
		next = real("pthread_mutex_lock");
	return next(m);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	static int (*next)(pthread_mutex_t *);
	put_run();
	put(" unlock:%p", (void *)m);
	if (!next)
		next = real("pthread_mutex_unlock");
	return next(m);
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	static int (*next)(pthread_cond_t *, pthread_mutex_t *);
	put_run();
	put(" wait:%p,%p", (void *)c, (void *)m);
	if (!next)
		next = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	return next(c, m);
}

int pthread_cond_signal(pthread_cond_t *c)
{
	static int (*next)(pthread_cond_t *);
	put_run();
	put(" signal:%p", (void *)c);
	if (!next)
		next = dlvsym(RTLD_NEXT, "pthread_cond_signal", "GLIBC_2.3.2");
	return next(c);
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
	static int (*next)(pthread_cond_t *);
	put_run();
	put(" broad:%p", (void *)c);
	if (!next)
		next = dlvsym(RTLD_NEXT, "pthread_cond_broadcast", "GLIBC_2.3.2");
	return next(c);
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
	static int (*next)(const struct timespec *, struct timespec *);
	put_run();
	put(" sleep:%lld", (long long)t->tv_sec * 1000000 + t->tv_nsec / 1000);
	if (!next)
		next = real("nanosleep");
	return next(t, left);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	static int (*next)(clockid_t, int, const struct timespec *, struct timespec *);
	put_run();
	put(" until:%lld", (long long)t->tv_sec * 1000000 + t->tv_nsec / 1000);
	if (!next)
		next = real("clock_nanosleep");
	return next(clock, flags, t, left);
}

/* <pthread.h> makes sched_yield() of the old name: the symbol that rt-app asks for needs saying. */
int old_yield(void) __asm__("pthread_yield");
int old_yield(void)
{
	put_run();
	put(" yield");
	return 0;
}

int pthread_barrier_wait(pthread_barrier_t *b)
{
	static int (*next)(pthread_barrier_t *);
	put_run();
	put(" pbarrier");
	if (!next)
		next = real("pthread_barrier_wait");
	return next(b);
}

int pthread_setaffinity_np(pthread_t t, size_t size, const cpu_set_t *set)
{
	(void)t, (void)size;
	put_run();
	put(" cpus:%lx", *(const unsigned long *)set);
	return 0;
}

int setpriority(int which, id_t who, int value)
{
	(void)which, (void)who;
	put_run();
	put(" nice:%d", value);
	return 0;
}

int pthread_setschedparam(pthread_t t, int policy, const struct sched_param *param)
{
	(void)t;
	put_run();
	put(" policy:%d,%d", policy, param->sched_priority);
	return 0;
}

struct start {
	void *(*fn)(void *);
	void *arg;
	long id; /* in order of creation */
};

static void write_out(struct record *r)
{
	FILE *out;

	if (__sync_lock_test_and_set(&r->written, 1))
		return;
	out = fopen(getenv("RTAPP_DIFF"), "a");
	if (out)
		fprintf(out, "%ld%s\n", (long)(r - records), r->text ? r->text : "");
	if (out)
		fclose(out);
}

static void at_end(void *r)
{
	put_run();
	mine = NULL;
	write_out(r);
}

/* Threads that still wait for something when all is over. */
__attribute__((destructor)) static void at_exit(void)
{
	int i;

	for (i = 0; i < MOST_THREADS; i++)
		if (records[i].text)
			write_out(&records[i]);
}

static void *begin(void *p)
{
	struct start s = *(struct start *)p;
	void *ret;

	mine = &records[s.id % MOST_THREADS];
	pthread_cleanup_push(at_end, mine);
	ret = s.fn(s.arg);
	pthread_cleanup_pop(1);
	return ret;
}

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	static long nr_threads;
	struct start *s = malloc(sizeof(*s));

	if (!next)
		next = real("pthread_create");
	*s = (struct start){ fn, arg, nr_threads++ };
	return next(t, attr, begin, s);
}
