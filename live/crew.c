/* SPDX-License-Identifier: MIT */
/*
 * crew.c - real threads that do what the world says.
 *
 * Where the programs share something, one lock protects the one world; its holder does nothing but interpret steps, some hundred
 * nanoseconds at a time.  Where they share nothing each thread has a world of its own, and nobody can hold up anybody.
 */
#define _GNU_SOURCE
#include "live/crew.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "live/plan.h"
#include "work/world.h"

#define STACK (128 << 10)

struct hand {
	struct crew_thread *shared;
	struct ship *ship;
	const struct workload *load;
	struct world *world;
	struct worker *worker;
	u64 start;	/* from t0 */
	u32 woken;	/* futex: another thread's step has named it */
	u64 woken_at;	/* CLOCK_MONOTONIC */
	struct hand *next; /* to be woken by the same step */
	pthread_t id;
};

struct ship {
	struct crew *crew;
	const struct scenario *sc;
	const struct cgroups *cg;
	const struct host *host;
	pthread_mutex_t *lock;	/* NULL: each has a world of its own */
	struct hand *first_woken, **last_woken; /* by the step that is being interpreted, under the lock */
	pthread_mutex_t *setup; /* one thread at a time sets itself up, and says what failed */
	struct world_ops ops;
	struct hand *hands;
};

size_t crew_size(u32 nr) { return sizeof(struct crew) + nr * sizeof(struct crew_thread); }

/* ---- futexes ---- */

static void futex_wait(u32 *word)
{
	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void futex_set(u32 *word, int all)
{
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, all ? INT32_MAX : 1, NULL, NULL, 0);
}

void crew_go(struct crew *crew, u64 t0)
{
	crew->t0 = t0;
	futex_set(&crew->go, true);
}

/* ---- samples ---- */

static void keep(struct crew_samples *s, u64 v)
{
	if (s->nr < CREW_SAMPLES)
		s->v[s->nr] = v;
	__atomic_store_n(&s->nr, s->nr + 1, __ATOMIC_RELEASE);
}

static bool in_window(const struct crew *crew, u64 t) { return t >= crew->from && t < crew->to; }

static u64 scenario_now(const struct crew *crew) { return clock_now() - crew->t0; }

/* @h, due to run at @due of the clock, runs now. */
static void woke(struct hand *h, u64 due)
{
	struct crew *crew = h->ship->crew;
	u64 now = clock_now();

	if (in_window(crew, now - crew->t0))
		keep(&h->shared->wakeup, now > due ? now - due : 0);
}

/* ---- what the world asks ---- */

/* Noted here, done by ask(): a wakeup may throttle the waker on the spot, and it must not hold the lock then. */
static void op_wake(void *ctx, struct worker *w, struct worker *by)
{
	struct ship *ship = ctx;
	struct hand *h = worker_owner(w);

	(void)by;
	h->next = NULL;
	*ship->last_woken = h;
	ship->last_woken = &h->next;
}

static void op_loop_done(void *ctx, struct worker *w, u64 release, u64 end)
{
	struct hand *h = worker_owner(w);

	(void)ctx;
	if (in_window(h->ship->crew, end))
		keep(&h->shared->latency, end > release ? end - release : 0);
}

static struct worker *op_spawn(void *ctx, u32 task, struct worker *parent)
{
	(void)ctx;
	(void)task;
	(void)parent;
	return NULL; /* plan_check() has refused it */
}

/* ---- how a thread is scheduled ---- */

/* Fields of the kernel's struct sched_attr as far as a fair task has them; the rest is 0. */
struct fair_attr {
	u32 size, policy;
	u64 flags;
	s32 nice;
	u32 priority;
	u64 runtime; /* the custom slice, from 6.12 on */
	u64 deadline, period;
};

static int set_sched(int policy, int nice, u64 slice)
{
	struct fair_attr attr = { .size = sizeof(attr), .policy = (u32)policy, .nice = nice, .runtime = slice };

	return syscall(SYS_sched_setattr, 0, &attr, 0u) ? errno : 0;
}

static int set_cpus(int tid, const u64 *cpus, const struct host *host)
{
	cpu_set_t *set = CPU_ALLOC(SCENARIO_MOST_CPUS);
	size_t size = CPU_ALLOC_SIZE(SCENARIO_MOST_CPUS);
	int i, ret;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	for (i = 0; i < host->nr_cpus; i++)
		if (!cpus || bit_test(cpus, i))
			CPU_SET_S((size_t)host->cpu[i], size, set);
	ret = sched_setaffinity(tid, size, set) ? errno : 0;
	CPU_FREE(set);
	return ret;
}

static int set_own_cpus(const struct hand *h)
{
	const struct workload *load = h->load;
	u64 one[BITS_WORDS(SCENARIO_MOST_CPUS)] = { 0 };

	if (!load->cpus_each)
		return set_cpus(0, load->cpus, h->ship->host);
	bit_set(one, load->cpus_each[h->shared->instance % load->nr_cpus_each]);
	return set_cpus(0, one, h->ship->host);
}

void crew_affinity(const struct crew *crew, u32 task, const u64 *cpus, const struct host *host)
{
	u32 i;

	for (i = 0; i < crew->nr; i++)
		if (crew->threads[i].task == task)
			set_cpus(crew->threads[i].tid, cpus, host);
}

static void change_sched(struct hand *h, const struct phase *phase)
{
	if (phase->sets_sched || phase->slice)
		set_sched(phase->sets_sched ? phase->policy : h->load->policy, phase->sets_sched ? phase->nice : h->load->nice,
			  phase->slice ? phase->slice : h->load->slice);
	if (phase->taskgroup)
		cgroups_move(h->ship->cg, phase->taskgroup, 0);
	if (phase->cpus)
		set_cpus(0, phase->cpus, h->ship->host);
}

/* ---- what a thread does ---- */

static void wake(struct hand *h)
{
	struct hand *next;

	for (; h; h = next) {
		next = h->next; /* it may wait again, and be woken again, as soon as it is told */
		h->woken_at = clock_now();
		futex_set(&h->woken, false);
	}
}

static struct want ask(struct hand *h)
{
	struct ship *ship = h->ship;
	struct hand *woken = NULL;
	struct want want;

	if (ship->lock) {
		pthread_mutex_lock(ship->lock);
		ship->first_woken = NULL;
		ship->last_woken = &ship->first_woken;
	}
	want = worker_next(h->world, h->worker, scenario_now(ship->crew));
	if (ship->lock) {
		woken = ship->first_woken;
		pthread_mutex_unlock(ship->lock);
	}
	h->shared->loops = worker_loops(h->worker);
	wake(woken);
	return want;
}

static void sleep_until(struct hand *h, u64 when)
{
	u64 due = h->ship->crew->t0 + when;

	if (clock_now() >= due)
		return;
	clock_sleep_until(due);
	woke(h, due + h->ship->crew->slack);
}

static void wait_to_be_woken(struct hand *h)
{
	futex_wait(&h->woken);
	__atomic_store_n(&h->woken, 0, __ATOMIC_RELAXED);
	woke(h, h->woken_at);
}

static void spin_until_woken(struct hand *h)
{
	while (!__atomic_load_n(&h->woken, __ATOMIC_ACQUIRE))
		burn_moment(&h->ship->crew->burner);
	__atomic_store_n(&h->woken, 0, __ATOMIC_RELAXED);
}

/* Asleep for good: its figures are read from outside, so it must not go. */
static void rest(void)
{
	for (;;)
		pause();
}

static void read_own_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
}

static void act(struct hand *h, const struct want *want)
{
	const struct burner *b = &h->ship->crew->burner;

	switch (want->kind) {
	case WANT_RUN:
	case WANT_SYS:
		burn_cpu(b, want->ns);
		break;
	case WANT_RUNTIME:
		burn_until(b, clock_now() + want->ns);
		break;
	case WANT_SLEEP:
		if (want->ns == NEVER)
			rest();
		sleep_until(h, want->ns);
		break;
	case WANT_WAIT:
		wait_to_be_woken(h);
		break;
	case WANT_SPIN:
		spin_until_woken(h);
		break;
	case WANT_YIELD:
		sched_yield();
		break;
	case WANT_SCHED:
		change_sched(h, want->phase);
		break;
	case WANT_CLOCK:
		read_own_clock();
		break;
	case WANT_EXEC: /* refused in plan.c */
		break;
	case WANT_EXIT:
		rest();
	}
}

/* ---- setting up ---- */

static int failed(struct hand *h, const char *what, int errnum, const char *hint)
{
	struct err *err = &h->ship->crew->err;

	err_set(err, ERR_HOST, "thread %u of %.40s: %s: %s", h->shared->instance, h->load->name, what, strerror(errnum));
	err_hint(err, "%s", hint);
	return -1;
}

static int set_up(struct hand *h)
{
	const struct ship *ship = h->ship;
	char name[16], path[FILE_PATH_MAX];
	int ret;

	snprintf(name, sizeof(name), "%.15s", h->load->name);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, 1UL); /* up to its start */
	ret = set_own_cpus(h);
	if (ret)
		return failed(h, "sched_setaffinity", ret, "its CPUs must be among those this process may use");
	ret = h->load->policy || h->load->nice || h->load->slice ? set_sched(h->load->policy, h->load->nice, h->load->slice) : 0;
	if (ret)
		return failed(h, "sched_setattr", ret, "a negative \"priority\" needs root, or the right CAP_SYS_NICE");
	ret = cgroups_move(ship->cg, h->load->group, 0);
	if (ret)
		return cgroups_refused(ship->cg, "move a thread by",
				       cgroups_path(ship->cg, h->load->group, cgroups_member_file(ship->cg, true), path, sizeof(path)),
				       -ret, &ship->crew->err);
	h->shared->latency.v[0] = h->shared->wakeup.v[0] = 0; /* no page of them comes first while it is measured */
	return 0;
}

static void *hand_main(void *arg)
{
	struct hand *h = arg;
	struct crew *crew = h->ship->crew;

	h->shared->tid = gettid();
	pthread_mutex_lock(h->ship->setup);
	__atomic_store_n(&h->shared->state, set_up(h) ? CREW_FAILED : CREW_READY, __ATOMIC_RELEASE);
	pthread_mutex_unlock(h->ship->setup);
	if (h->shared->state == CREW_FAILED)
		rest();
	futex_wait(&crew->go);
	clock_sleep_until(crew->t0 + h->start);
	woke(h, crew->t0 + h->start);
	prctl(PR_SET_TIMERSLACK, crew->slack ? crew->slack : 1UL);
	for (;;) {
		struct want want = ask(h);

		act(h, &want);
	}
	return NULL;
}

static bool man(struct ship *ship, struct hand *h, struct world *common, u32 task, u32 instance)
{
	h->ship = ship;
	h->load = &ship->sc->tasks[task];
	h->start = ship->sc->start_phase + h->load->delay;
	h->shared->task = task;
	h->shared->instance = instance;
	h->world = common ? common : world_create(ship->sc, &ship->ops);
	h->worker = h->world ? worker_create(h->world, task, instance, h->start) : NULL;
	if (!h->worker)
		return false;
	worker_set_owner(h->worker, h);
	return true;
}

static bool man_all(struct ship *ship)
{
	struct world *common = ship->lock ? world_create(ship->sc, &ship->ops) : NULL;
	u32 task, i, nr = 0;

	if (ship->lock && !common)
		return false;
	for (task = 0; task < ship->sc->nr_tasks; task++)
		for (i = 0; i < ship->sc->tasks[task].instances; i++, nr++) {
			ship->hands[nr].shared = &ship->crew->threads[nr];
			if (!man(ship, &ship->hands[nr], common, task, i))
				return false;
		}
	return true;
}

static bool start_all(struct ship *ship)
{
	pthread_attr_t attr;
	u32 i;

	if (pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, STACK))
		return false;
	for (i = 0; i < ship->crew->nr; i++)
		if (pthread_create(&ship->hands[i].id, &attr, hand_main, &ship->hands[i]))
			return false;
	pthread_attr_destroy(&attr);
	return true;
}

void crew_main(struct crew *crew, const struct scenario *sc, const struct cgroups *cg, const struct host *host)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, setup = PTHREAD_MUTEX_INITIALIZER;
	struct ship ship = { .crew = crew, .sc = sc, .cg = cg, .host = host, .setup = &setup };
	char path[FILE_PATH_MAX];
	int ret;

	setpriority(PRIO_PROCESS, 0, 0);
	ship.lock = plan_shares(sc) ? &lock : NULL;
	ship.last_woken = &ship.first_woken;
	ship.ops = (struct world_ops){ .ctx = &ship, .wake = op_wake, .spawn = op_spawn, .loop_done = op_loop_done };
	ship.hands = calloc(crew->nr + 1, sizeof(*ship.hands));
	ret = cgroups_enter(cg);
	if (ret) {
		cgroups_refused(cg, "move a process by", cgroups_path(cg, NULL, cgroups_member_file(cg, false), path, sizeof(path)), -ret,
				&crew->err);
		_exit(ERR_HOST);
	}
	if (!ship.hands || !man_all(&ship) || !start_all(&ship)) {
		err_set(&crew->err, ERR_HOST, "cannot start %u threads: %s", crew->nr, errno ? strerror(errno) : "out of memory");
		_exit(ERR_HOST);
	}
	rest();
	_exit(0);
}
