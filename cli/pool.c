/* SPDX-License-Identifier: MIT */
/* pool.c - several independent jobs on several CPUs: a shared counter hands out the numbers. */
#include "cli/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS_MAX 256

struct pool {
	atomic_uint next;
	u32 nr;
	void (*job)(void *ctx, u32 i);
	void *ctx;
};

static void *work(void *arg)
{
	struct pool *p = arg;
	u32 i;

	while ((i = atomic_fetch_add(&p->next, 1)) < p->nr)
		p->job(p->ctx, i);
	return NULL;
}

static u32 cpus_here(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (u32)n : 1;
}

/* The caller works too; a thread that could not be started only means less company. */
void pool_run(u32 nr, u32 threads, void (*job)(void *ctx, u32 i), void *ctx)
{
	struct pool p = { .nr = nr, .job = job, .ctx = ctx };
	pthread_t others[THREADS_MAX];
	u32 i, want = (u32)min_u64(min_u64(threads ? threads : cpus_here(), nr), THREADS_MAX), started = 0;

	for (i = 1; i < want; i++)
		if (!pthread_create(&others[started], NULL, work, &p))
			started++;
	work(&p);
	for (i = 0; i < started; i++)
		pthread_join(others[i], NULL);
}
