/* SPDX-License-Identifier: MIT */
/*
 * supervise.c - what the supervisor does, from the first mkdir to the last rmdir.
 *
 *	groups, limits | crew sets up | phases | quiet | t0 ... window ... | kill | remove
 *
 * It sits outside the groups, before everybody else, and sleeps while the crew runs, but for the writes of the scenario.  Law: on every
 * way out the crew is dead and its groups are removed.
 */
#define _GNU_SOURCE
#include "live/run.h"

#include <errno.h>
#include <poll.h>
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

#include "live/last.h"
#include "live/phase.h"

#define PATIENCE 2000		/* ms for killed threads to leave */
#define SETUP_LIMIT (30 * SEC)	/* for all threads to be set up, throttled as they may be meanwhile */
#define SETUP_LOOK (2 * MS)
#define QUIET SEC		/* before t0, so that pools are full and debts are paid */
#define READ_AHEAD (3 * MS)	/* before t0, while the groups are quiet, the counters are read */
#define MARGIN (300 * US)	/* behind a boundary, so that no thread starts before its refill */
#define ON_GRID (500 * US)	/* a boundary that is seen so long after the grid's is the grid's */
#define HANDLER ((u64)2500)	/* a released thread is in that much later behind a boundary than a tick is (recordings of 5.10) */
#define FINE (2 * MS)		/* the last bit of a wait is slept, not polled */

struct boss {
	struct live_run *run;
	int alive;		/* reads end of file once the caller is gone */
	pid_t crew;
	struct last last;	/* removes the groups where this process cannot */
	u64 *boundary;		/* of each group's periods, NEVER: not known */
};

/* ---- waiting ---- */

static bool caller_gone(const struct boss *b, u64 ns)
{
	struct timespec t = { (time_t)(ns / SEC), (long)(ns % SEC) };
	struct pollfd fd = { b->alive, POLLIN, 0 };

	return ppoll(&fd, 1, &t, NULL) > 0;
}

/* Until @when of the clock; false where nobody waits for us any more. */
static bool wait_until(const struct boss *b, u64 when)
{
	u64 now;

	while ((now = clock_now()) + FINE < when)
		if (caller_gone(b, when - now - FINE))
			return false;
	clock_sleep_until(when);
	return !caller_gone(b, 0);
}

/* ---- groups ---- */

static struct err *err_of(struct boss *b) { return &b->run->end->err; }

static const struct errno_name {
	int err;
	const char *name;
} errno_names[] = { { EINVAL, "EINVAL" }, { ERANGE, "ERANGE" }, { ENOENT, "ENOENT" }, { EBUSY, "EBUSY" }, { EPERM, "EPERM" } };

static bool was_expected(const struct write_spec *w, int err)
{
	size_t i;

	if (!w->expect || !strcmp(w->expect, "any"))
		return w->expect && err;
	for (i = 0; i < ARRAY_SIZE(errno_names); i++)
		if (!strcmp(errno_names[i].name, w->expect))
			return errno_names[i].err == err;
	return false;
}

/* One write of the scenario; -1 where it was refused and should not have been, or the other way round. */
static int do_write(struct boss *b, const struct write_spec *w, u64 t)
{
	struct live_run *run = b->run;
	int ret = cgroups_write(&run->cg, w->group, w->file, w->value);
	char path[FILE_PATH_MAX], what[96];

	run->writes[run->end->nr_writes++] = (struct live_write){ t, w, -ret };
	if (was_expected(w, -ret) || (!ret && !w->expect))
		return 0;
	if (!ret)
		return err_at(err_of(b), w->at.file, w->at.line, w->at.column, w->file,
			      "this kernel takes the write of \"%s\", but %s was expected", w->value, w->expect);
	snprintf(what, sizeof(what), "write \"%.60s\" to", w->value);
	return cgroups_refused(&run->cg, what, cgroups_path(&run->cg, w->group, w->file, path, sizeof(path)), -ret, err_of(b));
}

/* The greatest weight, so that whatever else runs on this machine gets out of the way. */
static int go_ahead(struct boss *b)
{
	const struct cgroups *cg = &b->run->cg;

	if (!b->run->opt.ahead)
		return 0;
	return cg->version == 1 ? cgroups_must_write(cg, NULL, "cpu.shares", "262144", err_of(b)) :
				  cgroups_must_write(cg, NULL, "cpu.weight", "10000", err_of(b));
}

static int set_up_groups(struct boss *b)
{
	const struct scenario *sc = b->run->sc;
	u32 i, k;

	if (cgroups_make(&b->run->cg, sc, err_of(b)) || go_ahead(b))
		return -1;
	for (i = 0; i < sc->nr_groups; i++)
		for (k = 0; k < sc->groups[i].nr_writes; k++)
			if (do_write(b, &sc->groups[i].writes[k], 0))
				return -1;
	return 0;
}

/* ---- crew ---- */

static void become_crew(struct boss *b, pid_t boss)
{
	struct live_run *run = b->run;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != boss)
		_exit(ERR_HOST); /* it went before it could be heard of */
	close(b->alive);
	close(b->last.life); /* -1 where there is none */
	prctl(PR_SET_NAME, "fg-crew");
	crew_main(run->crew, run->sc, &run->cg, run->opt.host);
}

static bool crew_is_gone(struct boss *b)
{
	if (b->crew <= 0 || waitpid(b->crew, NULL, WNOHANG) != b->crew)
		return false;
	b->crew = 0;
	return true;
}

/* 1: all are ready; 0: not yet; -1: one has failed. */
static int readiness(struct boss *b)
{
	const struct crew *crew = b->run->crew;
	u32 i, ready = 0;

	for (i = 0; i < crew->nr; i++) {
		int state = __atomic_load_n(&crew->threads[i].state, __ATOMIC_ACQUIRE);

		if (state == CREW_FAILED)
			return -1;
		ready += state == CREW_READY;
	}
	return ready == crew->nr;
}

static int start_crew(struct boss *b)
{
	u64 limit = clock_now() + SETUP_LIMIT;
	pid_t self = getpid();
	int ready = 0;

	burn_calibrate(&b->run->crew->burner);
	b->crew = fork();
	if (!b->crew)
		become_crew(b, self);
	if (b->crew < 0)
		return err_set(err_of(b), ERR_HOST, "fork: %s", strerror(errno));
	while (!ready && clock_now() < limit) {
		if (!wait_until(b, clock_now() + SETUP_LOOK))
			return -1;
		ready = crew_is_gone(b) ? -1 : readiness(b);
	}
	if (ready > 0)
		return 0;
	if (b->run->crew->err.code)
		*err_of(b) = b->run->crew->err;
	return err_set(err_of(b), ERR_HOST, ready ? "the threads went away while they were set up" :
						    "the threads were not set up within 30 s: the limits leave them too little");
}

/*
 * No longer before everybody else: on 6.18 it was seen to keep its CPU, inside wait4(), for 0.95 s, until real-time tasks were stopped and the
 * dying thread that it waited for came to run there.
 */
static void go_as_others_do(void)
{
	struct sched_param none = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &none);
}

static void kill_crew(struct boss *b)
{
	go_as_others_do();
	if (b->crew <= 0)
		return;
	kill(b->crew, SIGKILL);
	cgroups_lift(&b->run->cg); /* a throttled thread needs CPU time to die */
	while (waitpid(b->crew, NULL, 0) < 0 && errno == EINTR)
		;
	b->crew = 0;
}

/* ---- the moment it begins ---- */

static bool is_limited(const struct boss *b, u32 group, u64 *period)
{
	u64 quota;

	return b->run->sc->groups[group].path[1] && cgroups_limit(&b->run->cg, b->run->sc->groups[group].path, &quota, period) &&
	       quota != NEVER;
}

/*
 * Where boundaries and ticks coincide, 5 us decide which comes first.  So a boundary that can only be the grid's is put on it, and one
 * that is elsewhere shows that this kernel is no longer as its row says.
 */
static u64 snapped(const struct boss *b, u64 boundary, u64 period)
{
	if (!b->run->opt.grid || (boundary != NEVER && phase_behind(boundary, 0, period) > ON_GRID))
		return boundary;
	return (boundary == NEVER ? 0 : boundary - phase_behind(boundary, 0, period)) + HANDLER;
}

static void find_boundaries(struct boss *b)
{
	u64 period;
	u32 i;

	for (i = 0; i < b->run->sc->nr_groups; i++) {
		b->boundary[i] = NEVER;
		if (is_limited(b, i, &period))
			b->boundary[i] = snapped(b, phase_boundary(&b->run->cg, b->run->sc->groups[i].path, period), period);
	}
}

static u64 longest_period(const struct boss *b)
{
	u64 period, longest = 0;
	u32 i;

	for (i = 0; i < b->run->sc->nr_groups; i++)
		if (is_limited(b, i, &period))
			longest = max_u64(longest, period);
	return longest;
}

/*
 * After some quiet; on the ticks' grid, right behind a boundary of the first limited group, or as far from one as that group's
 * "period_phase" says.  Where no boundary was seen a whole second, which is one on every kernel whose periods are on a grid.
 */
static u64 choose_start(const struct boss *b)
{
	const struct scenario *sc = b->run->sc;
	u64 step = SEC / sc->machine.hz, tick = phase_tick(step);
	u64 t = clock_now() + max_u64(QUIET, 2 * longest_period(b)), period;
	u32 i;

	for (i = 0; i < sc->nr_groups; i++) {
		if (b->boundary[i] == NEVER || !is_limited(b, i, &period))
			continue;
		if (sc->groups[i].phase_set)
			return phase_next(t + period, b->boundary[i] - sc->groups[i].phase % period, period);
		return phase_next(phase_next(t, b->boundary[i] + MARGIN, period), tick, step);
	}
	return phase_next(phase_next(t, 0, SEC), tick, step);
}

static void note_phases(struct boss *b, u64 t0)
{
	u64 period;
	u32 i;

	for (i = 0; i < b->run->sc->nr_groups; i++) {
		bool known = b->boundary[i] != NEVER && is_limited(b, i, &period);

		b->run->groups[i].phase = known ? phase_behind(b->boundary[i], t0, period) : NEVER;
	}
}

/* ---- readings ---- */

/* "run-time run-delay slices", ns: what the kernel has charged so far, without charging what is not. */
static bool read_runtime(const struct boss *b, int tid, u64 *runtime)
{
	char path[96], text[128];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", b->crew, tid);
	if (file_read(path, text, sizeof(text)) || !*text)
		return false;
	*runtime = strtoull(text, NULL, 10);
	return true;
}

static bool read_switches(const struct boss *b, int tid, u64 *nvcsw, u64 *nivcsw)
{
	char path[96], text[8192], *line;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", b->crew, tid);
	if (file_read(path, text, sizeof(text)))
		return false;
	line = strstr(text, "\nvoluntary_ctxt_switches:");
	if (!line)
		return false;
	*nvcsw = strtoull(strchr(line, ':') + 1, NULL, 10);
	line = strstr(line, "\nnonvoluntary_ctxt_switches:");
	*nivcsw = line ? strtoull(strchr(line, ':') + 1, NULL, 10) : 0;
	return true;
}

static void read_threads(struct boss *b, bool end)
{
	const struct crew *crew = b->run->crew;
	u64 runtime, nv, niv;
	u32 i;

	for (i = 0; i < crew->nr; i++) {
		struct live_thread *t = &b->run->threads[i];
		bool has_runtime = read_runtime(b, crew->threads[i].tid, &runtime);
		bool has_switches = read_switches(b, crew->threads[i].tid, &nv, &niv);
		u64 loops = crew->threads[i].loops;

		t->has_runtime = has_runtime && (!end || t->has_runtime);
		t->has_switches = has_switches && (!end || t->has_switches);
		t->runtime = t->has_runtime ? runtime - (end ? t->runtime : 0) : 0;
		t->nvcsw = t->has_switches ? nv - (end ? t->nvcsw : 0) : 0;
		t->nivcsw = t->has_switches ? niv - (end ? t->nivcsw : 0) : 0;
		t->loops = loops - (end ? t->loops : 0);
	}
}

static void read_groups(struct boss *b, bool end)
{
	struct live_run *run = b->run;
	u32 i;

	for (i = 0; i < run->sc->nr_groups; i++)
		cgroups_stat(&run->cg, run->sc->groups[i].path, end ? &run->groups[i].to : &run->groups[i].from);
}

static void read_all(struct boss *b, bool end)
{
	struct live_run *run = b->run;

	read_groups(b, end); /* first: their counters are what the moment matters to */
	read_threads(b, end);
	host_times(run->opt.host, run->opt.used_cpus, end ? &run->end->to : &run->end->from);
}

/* ---- while they run ---- */

static void move_task(struct boss *b, u32 task, const char *group)
{
	const struct crew *crew = b->run->crew;
	u32 i;

	for (i = 0; i < crew->nr; i++)
		if (crew->threads[i].task == task)
			cgroups_move(&b->run->cg, group, crew->threads[i].tid);
}

static int do_at(struct boss *b, const struct at_spec *at)
{
	switch (at->kind) {
	case AT_WRITE:
		return do_write(b, &at->write, at->t);
	case AT_MOVE:
		move_task(b, at->task, at->group);
		return 0;
	case AT_AFFINITY:
		crew_affinity(b->run->crew, at->task, at->cpus, b->run->opt.host);
		return 0;
	default:
		return 0; /* plan_check() has refused it */
	}
}

/* The window opens: at its moment, or a little before the first thread starts. */
static bool open_window(struct boss *b)
{
	u64 t0 = b->run->end->t0;

	if (!wait_until(b, b->run->from ? t0 + b->run->from : t0 - READ_AHEAD))
		return false;
	read_all(b, false);
	return true;
}

static int play(struct boss *b)
{
	const struct live_run *run = b->run;
	bool open = !run->from;
	u32 i;

	if (open && !open_window(b))
		return -1;
	for (i = 0; i < run->sc->nr_at && run->sc->at[i].t < run->to; i++) {
		const struct at_spec *at = &run->sc->at[i];

		if (!open && at->t >= run->from) {
			open = true;
			if (!open_window(b))
				return -1;
		}
		if (!wait_until(b, run->end->t0 + at->t) || do_at(b, at))
			return -1;
	}
	if ((!open && !open_window(b)) || !wait_until(b, run->end->t0 + run->to))
		return -1;
	read_all(b, true);
	return 0;
}

static void note_limits(struct boss *b)
{
	struct live_run *run = b->run;
	u32 i;

	for (i = 0; i < run->sc->nr_groups; i++)
		if (!cgroups_limit(&run->cg, run->sc->groups[i].path, &run->groups[i].quota, &run->groups[i].period))
			run->groups[i].quota = NEVER;
}

static int measure(struct boss *b)
{
	struct live_end *end = b->run->end;

	if (set_up_groups(b) || start_crew(b))
		return -1;
	find_boundaries(b);
	end->t0 = choose_start(b);
	note_phases(b, end->t0);
	crew_go(b->run->crew, end->t0);
	if (play(b))
		return -1;
	note_limits(b);
	if (crew_is_gone(b))
		return err_set(&end->err, ERR_HOST, "the threads were killed while they were measured");
	return 0;
}

/*
 * Before everybody else where that is allowed: it sleeps nearly all the time, and a reading that comes late counts what should not be in it.
 * The crew starts as everybody does.
 */
static void go_first(void)
{
	struct sched_param first = { .sched_priority = 1 };

	prctl(PR_SET_TIMERSLACK, 1UL);
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first))
		setpriority(PRIO_PROCESS, 0, -20); /* or as much as it may */
}

static bool remove_groups(void *run) { return cgroups_remove(&((struct live_run *)run)->cg, PATIENCE); }

void supervise(struct live_run *run, int alive)
{
	u64 *boundary = calloc(run->sc->nr_groups + 1, sizeof(*boundary));
	struct boss b = { .run = run, .alive = alive, .boundary = boundary };
	char path[FILE_PATH_MAX];

	last_leave(&b.last, remove_groups, run);
	go_first();
	if (!boundary)
		err_set(&run->end->err, ERR_HOST, "out of memory");
	else if (!measure(&b))
		run->end->complete = true;
	kill_crew(&b);
	if (remove_groups(run))
		last_dismiss(&b.last);
	else
		err_set(&run->end->err, ERR_HOST, "%s could not be removed", cgroups_path(&run->cg, NULL, NULL, path, sizeof(path)));
	free(boundary);
}
