/* SPDX-License-Identifier: MIT */
/*
 * scenario_json_task.c - what tasks do, as JSON.
 *
 *	"burn-7": { "taskgroup": "/web", "loop": 1, "phases": {
 *	    "1": { "run": 300 },
 *	    "2": { "loop": 9, "sleep": { "values": [...] }, "run": { "values": [...] } } } }
 *
 * Events of one kind in a phase are called run, run2, run3: no key stands twice, so that any JSON tool keeps them all.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "report/scenario_json_impl.h"

/* ---- lengths ---- */

static const char *const dist_keys[] = {
	[DIST_FIXED] = "every", [DIST_UNIFORM] = "uniform", [DIST_EXPONENTIAL] = "exponential",
	[DIST_NORMAL] = "normal", [DIST_LOGNORMAL] = "lognormal", [DIST_EMPIRICAL] = "values",
};

static int put_list(struct scenario_writer *w, const u64 *values, u32 nr)
{
	json_begin_line(w->j, '[');
	for (u32 i = 0; i < nr; i++)
		if (put_us(w, values[i]))
			return -1;
	json_end(w->j);
	return 0;
}

static int put_pair(struct scenario_writer *w, const struct dist *d)
{
	json_begin_line(w->j, '[');
	if (put_us(w, d->a))
		return -1;
	if (d->kind == DIST_LOGNORMAL)
		json_decimal(w->j, d->b, 3);
	else if (put_us(w, d->b))
		return -1;
	json_end(w->j);
	return 0;
}

/* "every": 5 and the like: a member. */
static int put_dist(struct scenario_writer *w, const struct dist *d)
{
	json_key(w->j, dist_keys[d->kind]);
	if (d->kind == DIST_EMPIRICAL)
		return put_list(w, d->values, d->nr);
	return d->kind == DIST_FIXED || d->kind == DIST_EXPONENTIAL ? put_us(w, d->a) : put_pair(w, d);
}

static int put_length(struct scenario_writer *w, const struct dist *d)
{
	if (d->kind == DIST_FIXED)
		return put_us(w, d->a);
	json_begin_line(w->j, '{');
	if (put_dist(w, d))
		return -1;
	json_end(w->j);
	return 0;
}

/* ---- events ---- */

static int put_plain_length(struct scenario_writer *w, const struct step *st) { return put_length(w, &st->len); }

/* A length, or { "us": length, @flag: true } where the step has it. */
static int put_length_with(struct scenario_writer *w, const struct step *st, bool has, const char *flag)
{
	if (!has)
		return put_length(w, &st->len);
	json_begin_line(w->j, '{');
	json_key(w->j, "us");
	if (put_length(w, &st->len))
		return -1;
	json_put_bool(w->j, flag, true);
	json_end(w->j);
	return 0;
}

static int put_run(struct scenario_writer *w, const struct step *st)
{
	return put_length_with(w, st, st->flags & STEP_POLLS_CLOCK, "polls_clock");
}

static int put_sys(struct scenario_writer *w, const struct step *st)
{
	return put_length_with(w, st, st->flags & STEP_RESCHED_POINT, "resched");
}

static int put_ref(struct scenario_writer *w, const struct step *st)
{
	json_string(w->j, w->resources[st->ref]);
	return 0;
}

/* Spinning waits come from no recording. */
static int put_sem_wait(struct scenario_writer *w, const struct step *st)
{
	if (st->flags & STEP_SPINS)
		return cannot_write(w, "a wait that spins, on", w->resources[st->ref]);
	return put_ref(w, st);
}

static int put_mark(struct scenario_writer *w, const struct step *st)
{
	(void)st;
	json_bool(w->j, true);
	return 0;
}

/* The language tells by the name whether each thread has a timer of its own. */
static int put_timer(struct scenario_writer *w, const struct step *st)
{
	const char *name = w->resources[st->ref];
	bool own = st->flags & STEP_UNIQUE;

	if (own != !strncmp(name, "unique", 6))
		return cannot_write(w, own ? "a timer of each thread's own called" : "a shared timer called", name);
	json_begin_line(w->j, '{');
	json_put_string(w->j, "ref", name);
	if (put_us_of(w, "period", st->len.a))
		return -1;
	if (st->flags & STEP_ABSOLUTE || w->sc->resources[st->ref].absolute)
		json_put_string(w->j, "mode", "absolute");
	json_end(w->j);
	return 0;
}

/* "times": [...], or a gap: a member. */
static int put_stream(struct scenario_writer *w, u32 index)
{
	const struct resource_spec *res = &w->sc->resources[index];

	if (!res->times)
		return put_dist(w, &res->gap);
	if (!res->nr_times)
		return cannot_write(w, "a stream without any arrival:", w->resources[index]);
	json_key(w->j, "times");
	return put_list(w, res->times, res->nr_times);
}

static int put_arrive(struct scenario_writer *w, const struct step *st)
{
	if (!w->sc->resources[st->ref].unique)
		return put_ref(w, st);
	json_begin_line(w->j, '{');
	if (put_stream(w, st->ref))
		return -1;
	json_end(w->j);
	return 0;
}

/* By enum step_kind; without a function: not written. */
static const struct event_row {
	const char *key;
	int (*put)(struct scenario_writer *w, const struct step *st);
} event_rows[] = {
	[STEP_RUN] = { "run", put_run },
	[STEP_RUNTIME] = { "runtime", put_plain_length },
	[STEP_SYS] = { "sys", put_sys },
	[STEP_SLEEP] = { "sleep", put_plain_length },
	[STEP_TIMER] = { "timer", put_timer },
	[STEP_ARRIVE] = { "arrive", put_arrive },
	[STEP_SUSPEND] = { "suspend", NULL },
	[STEP_RESUME] = { "resume", NULL },
	[STEP_LOCK] = { "lock", put_ref },
	[STEP_UNLOCK] = { "unlock", put_ref },
	[STEP_WAIT] = { "wait", NULL },
	[STEP_SIGNAL] = { "signal", NULL },
	[STEP_BROAD] = { "broad", NULL },
	[STEP_SYNC] = { "sync", NULL },
	[STEP_BARRIER] = { "barrier", NULL },
	[STEP_SEM_POST] = { "sem_post", put_ref },
	[STEP_SEM_WAIT] = { "sem_wait", put_sem_wait },
	[STEP_QUEUE_PUT] = { "put", NULL },
	[STEP_QUEUE_GET] = { "get", NULL },
	[STEP_SPIN] = { "spin", NULL },
	[STEP_YIELD] = { "yield", put_mark },
	[STEP_FORK] = { "fork", NULL },
	[STEP_JOIN] = { "join", NULL },
	[STEP_SET] = { "set", NULL },
	[STEP_MEM] = { "mem", NULL },
	[STEP_REQUEST] = { "request", put_mark },
	[STEP_IO] = { "io", NULL },
	[STEP_BEGIN] = { "begin", put_ref },
	[STEP_END] = { "end", put_ref },
	[STEP_EXEC] = { "execve", put_mark },
	[STEP_EXIT] = { "exit", put_mark },
};

static int put_events(struct scenario_writer *w, const struct step *steps, u32 nr)
{
	u32 times[ARRAY_SIZE(event_rows)] = { 0 };
	char key[32];

	for (const struct step *st = steps; st < steps + nr; st++) {
		const struct event_row *row = &event_rows[st->kind];

		if (!row->put)
			return cannot_write(w, "the event", row->key);
		if (times[st->kind]++)
			snprintf(key, sizeof(key), "%s%u", row->key, times[st->kind]);
		else
			snprintf(key, sizeof(key), "%s", row->key);
		json_key(w->j, key);
		if (row->put(w, st))
			return -1;
	}
	return 0;
}

/* ---- how it is scheduled ---- */

/* By enum sched_policy. */
static const char *const policies[] = { "SCHED_OTHER", "SCHED_FIFO", "SCHED_RR", "SCHED_BATCH", NULL, "SCHED_IDLE", "SCHED_DEADLINE" };

static int put_policy(struct scenario_writer *w, int policy, int nice, int rt_priority)
{
	if (policy < 0 || policy >= (int)ARRAY_SIZE(policies) || !policies[policy])
		return cannot_write(w, "an unknown policy", "");
	json_put_string(w->j, "policy", policies[policy]);
	json_put_s64(w->j, "priority", rt_priority ? rt_priority : nice);
	return 0;
}

static void put_cpus(struct scenario_writer *w, const u64 *cpus)
{
	int cpu, most = w->sc->machine.cpus;

	json_put_begin_line(w->j, "cpus", '[');
	for_each_bit(cpu, cpus, most)
		json_s64(w->j, cpu);
	json_end(w->j);
}

/* ---- phases ---- */

static int put_phase_traits(struct scenario_writer *w, const struct phase *p)
{
	if (p->loop != 1)
		json_put_s64(w->j, "loop", p->loop);
	if (p->inner) /* it sets nothing by itself */
		return 0;
	if (p->sets_sched && put_policy(w, p->policy, p->nice, p->rt_priority))
		return -1;
	if (p->slice && put_us_of(w, "slice", p->slice))
		return -1;
	if (p->cpus)
		put_cpus(w, p->cpus);
	if (p->taskgroup) {
		json_key(w->j, "taskgroup");
		return put_path(w, p->taskgroup);
	}
	return 0;
}

/* Without lists of lengths a phase fits on a line. */
static bool fits_a_line(const struct program *program, const struct phase *p)
{
	for (u32 i = 0; i < p->nr; i++)
		if (program->steps[p->first + i].len.kind == DIST_EMPIRICAL)
			return false;
	return !p->inner;
}

static int put_phases(struct scenario_writer *w, const struct program *program, u32 from, u32 to);

static int put_phase(struct scenario_writer *w, const struct program *program, u32 index)
{
	const struct phase *p = &program->phases[index];
	char number[16];

	snprintf(number, sizeof(number), "%u", index + 1);
	json_key(w->j, p->name && *p->name ? p->name : number);
	if (fits_a_line(program, p))
		json_begin_line(w->j, '{');
	else
		json_begin(w->j, '{');
	if (put_phase_traits(w, p))
		return -1;
	if (p->inner ? put_phases(w, program, index + 1, index + 1 + p->inner) :
		       put_events(w, program->steps + p->first, p->nr))
		return -1;
	json_end(w->j);
	return 0;
}

static int put_phases(struct scenario_writer *w, const struct program *program, u32 from, u32 to)
{
	json_put_begin(w->j, "phases", '{');
	for (u32 i = from; i < to; i += 1 + program->phases[i].inner)
		if (put_phase(w, program, i))
			return -1;
	json_end(w->j);
	return 0;
}

/* ---- tasks ---- */

static int put_task_traits(struct scenario_writer *w, const struct workload *load)
{
	if (load->instances != 1)
		json_put_u64(w->j, "instance", load->instances);
	if (load->group) {
		json_key(w->j, "taskgroup");
		if (put_path(w, load->group))
			return -1;
	}
	if (load->delay && put_us_of(w, "delay", load->delay))
		return -1;
	if ((load->policy || load->nice) && put_policy(w, load->policy, load->nice, load->rt_priority))
		return -1;
	if (load->slice && put_us_of(w, "slice", load->slice))
		return -1;
	if (load->cpus)
		put_cpus(w, load->cpus);
	if (load->kthread)
		json_put_bool(w->j, "kthread", true);
	if (load->iterations_per_ms)
		json_put_u64(w->j, "iterations_per_ms", load->iterations_per_ms);
	return 0;
}

static int put_task(struct scenario_writer *w, u32 index)
{
	const struct workload *load = &w->sc->tasks[index];

	if (load->cpus_each)
		return cannot_write(w, "one CPU a thread, of", w->tasks[index]);
	if (load->program.until != REF_NONE)
		return cannot_write(w, "the flag that ends", w->tasks[index]);
	json_put_begin(w->j, w->tasks[index], '{');
	if (put_task_traits(w, load))
		return -1;
	json_put_s64(w->j, "loop", load->program.loop);
	if (put_phases(w, &load->program, 0, load->program.nr_phases))
		return -1;
	json_end(w->j);
	return 0;
}

int put_tasks(struct scenario_writer *w)
{
	json_put_begin(w->j, "tasks", '{');
	for (u32 i = 0; i < w->sc->nr_tasks; i++)
		if (put_task(w, i))
			return -1;
	json_end(w->j);
	return 0;
}

/* ---- resources ---- */

/* Those that some event names: of a recording there may be more. */
static bool *used_resources(struct scenario_writer *w)
{
	bool *used = arena_alloc(&w->mem, w->sc->nr_resources * sizeof(*used));

	for (u32 i = 0; used && i < w->sc->nr_tasks; i++) {
		const struct program *program = &w->sc->tasks[i].program;

		for (u32 k = 0; k < program->nr_steps; k++)
			if (program->steps[k].ref < w->sc->nr_resources)
				used[program->steps[k].ref] = true;
	}
	return used;
}

/* What is not said where it is used. */
static bool needs_words(const struct resource_spec *res)
{
	return (res->kind == RES_ARRIVAL && !res->unique) || (res->kind == RES_SEM && res->users);
}

static int put_resource(struct scenario_writer *w, u32 index)
{
	const struct resource_spec *res = &w->sc->resources[index];

	json_put_begin_line(w->j, w->resources[index], '{');
	json_put_string(w->j, "type", res->kind == RES_SEM ? "semaphore" : "arrivals");
	if (res->kind == RES_SEM)
		json_put_u64(w->j, "count", res->users);
	else if (put_stream(w, index))
		return -1;
	json_end(w->j);
	return 0;
}

int put_resources(struct scenario_writer *w)
{
	bool *used = used_resources(w), any = false;

	if (!used)
		return err_set(w->err, ERR_HOST, "out of memory while writing a scenario");
	for (u32 i = 0; i < w->sc->nr_resources; i++) {
		if (!used[i] || !needs_words(&w->sc->resources[i]))
			continue;
		if (!any)
			json_put_begin(w->j, "resources", '{');
		any = true;
		if (put_resource(w, i))
			return -1;
	}
	if (any)
		json_end(w->j);
	return 0;
}
