/* SPDX-License-Identifier: MIT */
/*
 * pipe.c - two tasks on one CPU that hand a byte back and forth: what the scheduler costs on the switch path.
 *
 *	ping:  write ------.  read (blocks) ............ write ---- ...
 *	                   | wakes                  ^ wakes
 *	pong:  ........... read, write -------------'  read (blocks)
 *
 *	pipe ROW WHO [ROUND-TRIPS]	WHO: nobody, another, or QUOTA/PERIOD in us: the limit of the two tasks' group
 *
 * On core/lab.h alone, with the smallest owner of time there can be and no simulator.  It prints what happened, which is the same
 * in every build; tools/price.sh counts the instructions of ping_pong() and divides by the switches.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "core/lab.h"

#define HZ 1000
#define EPOCH (1000 * SEC)
#define STEP 495 /* ns between what a task does: 0.198 s for 200,000 switches, each of two steps */

struct player {
	struct task_struct *p;
	struct player *peer;
	bool writes;  /* next; else it reads */
	bool waiting; /* on its empty pipe */
	u32 bytes;    /* in its pipe */
	u64 reads;
};

struct bench {
	struct lab *lab;
	u64 now, next_tick;
	struct {
		struct task_group *tg;
		u64 when;
	} timer[TIMER_DISTRIBUTE + 1]; /* one limited group at most is active */
	u64 start;
	u32 first; /* id of the first of the two */
	u64 switches, periods, throttles, digest;
	struct player ping, pong, third;
	size_t used;
	u64 memory[2048]; /* all there is; zeroed */
};

/* ---- the smallest machine ---- */

static u64 pf_ktime(void *ctx) { return ((struct bench *)ctx)->now; }

static u64 pf_cpu_clock(void *ctx, int cpu)
{
	(void)cpu;
	return ((struct bench *)ctx)->now;
}

static void pf_timer_arm(void *ctx, enum timer_kind kind, struct task_group *tg, int cpu, u64 when)
{
	struct bench *b = ctx;

	(void)cpu;
	b->timer[kind].tg = tg;
	b->timer[kind].when = when;
}

static void pf_timer_cancel(void *ctx, enum timer_kind kind, struct task_group *tg)
{
	(void)tg;
	((struct bench *)ctx)->timer[kind].when = NEVER;
}

/* Asked for on the only CPU: lab_need_resched() says the same. */
static void pf_kick(void *ctx, int cpu, enum kick why)
{
	(void)ctx;
	(void)cpu;
	(void)why;
}

static void pf_hrtick_arm(void *ctx, int cpu, u64 when)
{
	(void)ctx;
	(void)cpu;
	(void)when;
}

static enum cpu_state pf_cpu_state(void *ctx, int cpu)
{
	(void)ctx;
	(void)cpu;
	return CPU_RUNNING;
}

static u64 pf_random(void *ctx, enum lab_stream stream)
{
	(void)ctx;
	(void)stream;
	return 0;
}

static u64 pf_spend(void *ctx, int cpu, enum cost_kind kind, u32 n)
{
	(void)ctx;
	(void)cpu;
	(void)kind;
	(void)n;
	return 0;
}

static void pf_emit(void *ctx, const struct event *ev)
{
	struct bench *b = ctx;

	switch (ev->type) {
	case EVENT_SCHED_SWITCH:
		b->switches++;
		b->digest = digest_u64(b->digest, ev->time - b->start);
		b->digest = digest_u64(b->digest, ev->task ? ev->task - b->first + 1 : 0);
		break;
	case EVENT_BW_PERIOD:
		b->periods++;
		break;
	case EVENT_BW_THROTTLE:
		b->throttles++;
		break;
	}
}

static void pf_bug(void *ctx, const char *file, int line, const char *law)
{
	(void)ctx;
	fprintf(stderr, "pipe: a law is broken: %s (%s:%d)\n", law, file, line);
	abort();
}

static void *pf_alloc(void *ctx, size_t size)
{
	struct bench *b = ctx;
	u64 *at = &b->memory[b->used];

	b->used += (size + sizeof(u64) - 1) / sizeof(u64);
	return b->used > ARRAY_SIZE(b->memory) ? NULL : at;
}

static const struct platform platform = {
	.ktime = pf_ktime,
	.cpu_clock = pf_cpu_clock,
	.timer_arm = pf_timer_arm,
	.timer_cancel = pf_timer_cancel,
	.hrtick_arm = pf_hrtick_arm,
	.kick = pf_kick,
	.cpu_state = pf_cpu_state,
	.random = pf_random,
	.spend = pf_spend,
	.emit = pf_emit,
	.bug = pf_bug,
	.alloc = pf_alloc,
};

/* ---- time goes on ---- */

static void timers(struct bench *b)
{
	int kind;

	for (kind = 0; kind <= TIMER_DISTRIBUTE; kind++) {
		if (b->timer[kind].when > b->now)
			continue;
		b->timer[kind].when = NEVER;
		lab_timer(b->lab, 0, (enum timer_kind)kind, b->timer[kind].tg);
	}
}

static void tick(struct bench *b)
{
	timers(b);
	lab_tick(b->lab, 0);
	lab_ticks_done(b->lab, b->now, 0);
	b->next_tick += SEC / HZ;
}

static void step(struct bench *b)
{
	b->now += STEP;
	while (b->next_tick <= b->now) {
		u64 now = b->now;

		b->now = b->next_tick;
		tick(b);
		b->now = now;
	}
}

/* ---- the two tasks ---- */

static void sleeps(struct bench *b)
{
	lab_block(b->lab, 0);
	lab_schedule(b->lab, 0);
}

static void write_byte(struct bench *b, struct player *to)
{
	to->bytes++;
	if (!to->waiting)
		return;
	to->waiting = false;
	lab_wake(b->lab, 0, to->p, to->peer->p, WAKE_SYNC);
}

/* What the current task does next. */
static void play(struct bench *b, struct player *who)
{
	if (who->writes) {
		write_byte(b, who->peer);
		who->writes = false;
	} else if (who->bytes) {
		who->bytes--;
		who->reads++;
		who->writes = true;
	} else {
		who->waiting = true;
		sleeps(b);
	}
}

/* Where both are throttled the CPU idles to the next tick: the timer before it may have released them. */
static void idle(struct bench *b)
{
	b->now = b->next_tick;
	tick(b);
}

__attribute__((noinline)) static void ping_pong(struct bench *b, struct player *ping, u64 rounds)
{
	while (ping->reads < rounds) {
		struct player *who = lab_task_owner(lab_curr(b->lab, 0));

		if (!who) {
			idle(b);
		} else if (who->writes || !who->bytes) {
			step(b);
			play(b, who);
		} else {
			play(b, who); /* a read that need not wait is the end of the one that did */
		}
		if (lab_need_resched(b->lab, 0))
			lab_schedule(b->lab, 0);
	}
}

/* ---- setting up ---- */

static void stop(const char *what)
{
	fprintf(stderr, "pipe: %s\n", what);
	exit(2);
}

static struct task_group *group(struct bench *b, u64 quota, u64 period)
{
	struct task_group *tg = lab_group_create(b->lab, lab_root(b->lab));
	const char *why = "out of memory";

	if (!tg)
		return NULL; /* built without groups */
	if (quota != RUNTIME_INF && lab_write(b->lab, 0, tg, KNOB_QUOTA, quota, 0, &why))
		stop(why);
	if (quota != RUNTIME_INF && lab_write(b->lab, 0, tg, KNOB_PERIOD, period, 0, &why))
		stop(why);
	return tg;
}

static struct task_struct *task(struct bench *b, struct task_group *tg, void *owner)
{
	struct task_spec spec = { .tg = tg, .owner = owner };
	struct task_struct *p = lab_fork(b->lab, 0, NULL, &spec);

	if (!p)
		stop("out of memory");
	return p;
}

/* Somebody else is limited, has run here, and sleeps since before the last tick. */
static void another(struct bench *b)
{
	b->third.p = task(b, group(b, 50 * MS, 100 * MS), &b->third);
	lab_wake_new(b->lab, 0, b->third.p);
	lab_schedule(b->lab, 0);
	step(b);
	sleeps(b);
	idle(b);
}

static void set_up(struct bench *b, const char *row)
{
	struct lab_config cfg = { .nr_cpus = 1, .hz = HZ, .cgroup = 1, .epoch = EPOCH, .tick_base = EPOCH };
	struct kernel_model model;
	struct platform pf = platform;
	size_t i;

	*b = (struct bench){ .now = EPOCH, .next_tick = EPOCH + SEC / HZ };
	for (i = 0; i < ARRAY_SIZE(b->timer); i++)
		b->timer[i].when = NEVER;
	if (model_init(&model, row))
		stop("there is no such row");
	pf.ctx = b;
	b->lab = lab_create(&cfg, &model, &pf);
	if (!b->lab)
		stop("out of memory");
}

static void run(struct bench *b, u64 quota, u64 period, u64 rounds)
{
	struct player *ping = &b->ping, *pong = &b->pong;
	struct task_group *tg = group(b, quota, period);

	*ping = (struct player){ .peer = pong, .writes = true };
	*pong = (struct player){ .peer = ping };
	ping->p = task(b, tg, ping);
	pong->p = task(b, tg, pong);
	lab_wake_new(b->lab, 0, pong->p);
	lab_schedule(b->lab, 0);
	play(b, pong);
	lab_wake_new(b->lab, 0, ping->p);
	lab_schedule(b->lab, 0);
	b->first = lab_task_id(ping->p);
	b->start = b->now;
	b->switches = 0;
	b->digest = DIGEST_INIT;
	ping_pong(b, ping, rounds);
}

int main(int argc, char **argv)
{
	u64 rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000;
	u64 quota = RUNTIME_INF, period = 0;
	struct bench b;

	if (argc < 3 || !rounds)
		stop("usage: pipe ROW nobody|another|QUOTA/PERIOD [ROUND-TRIPS]");
	set_up(&b, argv[1]);
	if (!strcmp(argv[2], "another")) {
		another(&b);
	} else if (strcmp(argv[2], "nobody")) {
		if (sscanf(argv[2], "%" SCNu64 "/%" SCNu64, &quota, &period) != 2)
			stop("a limit is QUOTA/PERIOD in us");
		quota *= US;
		period *= US;
	}
	run(&b, quota, period, rounds);
	printf("%" PRIu64 " switches, %.3f s, %" PRIu64 " periods, %" PRIu64 " throttles, digest %016" PRIx64 "\n", b.switches,
	       (double)(b.now - b.start) / (double)SEC, b.periods, b.throttles, b.digest);
	return 0;
}
