/* SPDX-License-Identifier: MIT */
/*
 * cmd_doctor.c - fairground doctor TRACE: what a recording holds, and what can be answered from it.
 *
 *	read --> events by name, what was lost
 *	     --> timeline --> gaps --> limits that show, group after group
 *	     --> what is missing --> how to record it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/sniff.h"
#include "cli/traced.h"
#include "input/bytes.h"
#include "report/doctor.h"
#include "text/say.h"
#include "trace/facts.h"
#include "trace/group_pick.h"
#include "trace/light.h"
#include "trace/read.h"

#define FAMILIES_MOST 24	  /* groups that are looked at: those that waited the longest */
#define LONG_GAP (8 * MS)	  /* a wait may be as long; a group without longer ones was not throttled */
#define SURE_LEAST 0.25		  /* below it a limit is not worth a row */
#define SHORT_RECORDING (1 * SEC) /* ten of the usual periods */
#define SILENCE_LEAST (5 * SEC)
#define MUCH_LOST 0.01
#define MOST_KNOWN 0.9

#define CGROUPS_PATH_SHOWN 200

struct doctor_args {
	bool json;
	const char *cgroups;
};

struct patient {
	struct trace tr;
	struct timeline tl;
	struct families fam;
	struct tick_guess ticks;
	u64 count[NR_EVENT_TYPES];
	struct doctor_view view;
	char busiest[64], record_with[CGROUPS_PATH_SHOWN + 80];
	const struct trace_facts *facts; /* of a recording of our own, or NULL */
	bool *ours;			 /* tasks whose events were recorded, where it was of one group; NULL: of all */
};

/* ---- events ---- */

static int more_first(const void *a, const void *b)
{
	const struct doctor_event *x = a, *y = b;

	return x->nr != y->nr ? (x->nr < y->nr ? 1 : -1) : strcmp(x->name, y->name);
}

static int count_events(struct patient *p)
{
	static const char *const names[] = {
#define X(id, name) name,
		EVENT_TYPES(X)
#undef X
	};
	struct doctor_view *v = &p->view;

	v->events = calloc(NR_EVENT_TYPES + p->tr.nr_names, sizeof(*v->events));
	if (!v->events)
		return -1;
	for (u64 i = 0; i < p->tr.nr; i++)
		if (p->tr.type[i] < NR_EVENT_TYPES)
			p->count[p->tr.type[i]]++;
	for (u32 i = 0; i < NR_EVENT_TYPES; i++)
		if (p->count[i])
			v->events[v->nr_events++] = (struct doctor_event){ names[i], p->count[i] };
	for (u32 i = 0; i < p->tr.nr_names; i++)
		v->events[v->nr_events++] = (struct doctor_event){ p->tr.names[i].name, p->tr.names[i].nr };
	qsort(v->events, v->nr_events, sizeof(*v->events), more_first);
	return 0;
}

/* ---- limits ---- */

/* The name of the members: their cgroup, or what most of their CPU time goes by.  Returns their CPU time. */
static u64 name_members(const struct patient *p, const bool *member, char *name, size_t size, u32 *threads)
{
	u64 most = 0, all = 0, end = trace_last(&p->tr) + 1;

	snprintf(name, size, "?");
	*threads = 0;
	for (u32 t = 1; t < p->tr.nr_tasks; t++) {
		const struct trace_task *task = &p->tr.tasks[t];
		u64 ran = member[t] ? timeline_ran(&p->tl, t, 0, end) : 0;

		*threads += member[t];
		all += ran;
		if (ran <= most)
			continue;
		most = ran;
		if (task->group && strcmp(p->tr.groups[task->group - 1], "/") != 0)
			snprintf(name, size, "%s", p->tr.groups[task->group - 1]);
		else if (task->name[0])
			snprintf(name, size, "%s", task->name);
	}
	return all;
}

/* Does a limit show for @pick (NULL: for whom it shows most)?  Members go to @seen.  False when memory is out. */
static bool look(struct patient *p, const bool *pick, bool *seen)
{
	struct throttle_ask ask = { .hz = p->ticks.hz, .pick.tasks = pick };
	bool *member = calloc((size_t)p->tr.nr_tasks + 1, sizeof(*member));
	struct doctor_view *v = &p->view;
	struct throttle_guess g = { 0 };
	struct doctor_limit *l = &v->limits[v->nr_limits];
	u64 cpu;

	if (!member || throttle_infer(&g, member, &p->tr, &p->tl, &p->fam, &ask)) {
		free(member);
		return false;
	}
	cpu = name_members(p, member, l->group, sizeof(l->group), &l->threads);
	if (!p->busiest[0])
		snprintf(p->busiest, sizeof(p->busiest), "%s", cpu ? l->group : "");
	if (g.source == LIMIT_INFERRED && g.sure >= SURE_LEAST) {
		l->cpu = cpu;
		l->quota = g.quota;
		l->period = g.period;
		l->lo = g.quota_lo;
		l->hi = g.quota_hi;
		l->sure = g.sure;
		l->throttles = g.nr_throttles;
		l->stopped = g.throttled_time;
		v->nr_limits++;
		for (u32 t = 0; t < p->tr.nr_tasks; t++)
			seen[t] |= member[t];
	}
	throttle_fini(&g);
	free(member);
	return true;
}

/* ns that each family waited in long gaps, at the index of its first task; 0 for those with a member in @seen. */
static void long_waits(const struct patient *p, const bool *seen, u64 *waits)
{
	for (u32 t = 1; t < p->tl.nr_tasks; t++)
		for (u64 i = p->tl.first[t]; i < p->tl.first[t + 1]; i++)
			if (p->tl.spans[i].state == SPAN_READY && !(p->tl.spans[i].flags & (SPAN_LOOSE | SPAN_OPEN)) &&
			    span_len(&p->tl.spans[i]) > LONG_GAP)
				waits[p->fam.of[t]] += span_len(&p->tl.spans[i]);
	for (u32 t = 1; t < p->tl.nr_tasks; t++)
		if (seen[t])
			waits[p->fam.of[t]] = 0;
}

/* Two long gaps at least, or nothing can lie on a grid. */
static u32 longest(const u64 *waits, u32 nr)
{
	u32 best = 0;

	for (u32 i = 1; i < nr; i++)
		if (waits[i] > waits[best])
			best = i;
	return waits[best] > 2 * LONG_GAP ? best : TRACE_NO_TASK;
}

/* A limit that the recording itself says. */
static void told_limit(struct patient *p, const struct fact_group *g)
{
	struct doctor_limit *l = &p->view.limits[p->view.nr_limits];
	bool both = g->has_before && g->has_after && g->after.nr_throttled >= g->before.nr_throttled &&
		    g->after.throttled_time >= g->before.throttled_time && g->after.usage >= g->before.usage;

	if (!g->has_limit || g->quota == NEVER || p->view.nr_limits == DOCTOR_LIMITS_MAX)
		return;
	*l = (struct doctor_limit){ .quota = g->quota, .period = g->period, .lo = g->quota, .hi = g->quota, .sure = 1 };
	snprintf(l->group, sizeof(l->group), "%s", g->path);
	if (both) {
		l->cpu = g->after.usage - g->before.usage;
		l->throttles = g->after.nr_throttled - g->before.nr_throttled;
		l->stopped = g->after.throttled_time - g->before.throttled_time;
	}
	for (u32 t = 1; t < p->tr.nr_tasks; t++)
		l->threads += p->tr.tasks[t].group && fact_is_below(p->tr.groups[p->tr.tasks[t].group - 1], g->path);
	p->view.nr_limits++;
}

/* What a recording of our own says; gaps of whom it did not record would mean nothing.  False when memory is out. */
static bool told_limits(struct patient *p)
{
	bool *all = calloc((size_t)p->tr.nr_tasks + 1, sizeof(*all));
	u32 threads;
	bool fine;

	for (u32 i = 0; i < p->facts->nr_groups; i++)
		told_limit(p, &p->facts->groups[i]);
	for (u32 t = 1; all && t < p->tr.nr_tasks; t++)
		all[t] = !p->ours || p->ours[t];
	if (all && !name_members(p, all, p->busiest, sizeof(p->busiest), &threads))
		p->busiest[0] = '\0';
	fine = all != NULL;
	free(all);
	return fine;
}

/* First the group that shows it most, then all others that waited long. */
static bool find_limits(struct patient *p)
{
	bool *seen = calloc((size_t)p->tr.nr_tasks + 1, sizeof(*seen)), *one = calloc((size_t)p->tr.nr_tasks + 1, sizeof(*one));
	u64 *waits = calloc((size_t)p->tr.nr_tasks + 1, sizeof(*waits));
	bool fine = seen && one && waits && look(p, NULL, seen);
	u32 family;

	if (fine)
		long_waits(p, seen, waits);
	for (int i = 0; fine && i < FAMILIES_MOST && p->view.nr_limits < DOCTOR_LIMITS_MAX - 1 &&
	     (family = longest(waits, p->tr.nr_tasks)) != TRACE_NO_TASK; i++) {
		for (u32 t = 1; t < p->tr.nr_tasks; t++)
			one[t] = p->fam.of[t] == family;
		waits[family] = 0;
		fine = look(p, one, seen);
	}
	free(seen);
	free(one);
	free(waits);
	return fine;
}

/* ---- what can be answered ---- */

static void answer(struct doctor_answer *a, enum doctor_can can, const char *why)
{
	a->can = can;
	snprintf(a->why, sizeof(a->why), "%s", why);
}

/* The longest stretch without any event, ns. */
static u64 longest_silence(const struct trace *tr)
{
	u64 most = 0;

	for (u64 i = 1; i < tr->nr; i++)
		most = max_u64(most, tr->time[i] - tr->time[i - 1]);
	return most;
}

/* What is wrong with the clock, or "". */
static const char *clock_trouble(const struct patient *p)
{
	u64 silence = longest_silence(&p->tr);

	if (p->tr.counts.jumps_back)
		return "the clock of a CPU was set back: gaps around that are wrong; record with the clock mono";
	if (p->tr.counts.wild_times)
		return "times that lie far from all others were dropped: damage, or a clock that jumped";
	if (silence > SILENCE_LEAST && silence * 5 > p->view.span)
		return "a long stretch holds no event at all: the clock jumped, the machine slept, or the recorder did";
	return "";
}

/* Switches that must have been and are not recorded, of those whose switches were to be. */
static u64 loose_ends(const struct patient *p)
{
	u64 nr = 0;

	if (!p->ours)
		return p->tl.loose_starts + p->tl.loose_ends;
	for (u32 t = 1; t < p->tl.nr_tasks; t++)
		for (u64 i = p->tl.first[t]; p->ours[t] && i < p->tl.first[t + 1]; i++)
			nr += p->tl.spans[i].flags & SPAN_LOOSE ? 1 : 0;
	return nr;
}

static void judge_gaps(const struct patient *p, struct doctor_answer *a)
{
	u64 switches = p->count[EVENT_SCHED_SWITCH];

	if (!switches)
		answer(a, CAN_NO, "no sched_switch: who ran when is not recorded");
	else if (doctor_lost_share(&p->view) > MUCH_LOST)
		answer(a, CAN_PARTLY, "events were lost: gaps may be longer or shorter than they look");
	else if (*clock_trouble(p))
		answer(a, CAN_PARTLY, clock_trouble(p));
	else if (loose_ends(p) * 20 > switches)
		answer(a, CAN_PARTLY, "switches are missing (a filter, or lost): where a gap begins is a guess for some");
	else if (p->view.span < SHORT_RECORDING)
		answer(a, CAN_PARTLY, "shorter than ten periods of 100 ms: a grid of gaps may be chance");
	else
		answer(a, CAN_YES, "every switch is there: a throttled thread is ready and does not run");
}

static void judge_wakes(const struct patient *p, struct doctor_answer *a)
{
	u64 waking = p->count[EVENT_SCHED_WAKING], wakeup = p->count[EVENT_SCHED_WAKEUP];

	if (!waking && !wakeup)
		answer(a, CAN_NO, "no sched_waking: a thread's waking is seen only when it runs");
	else if (!waking)
		answer(a, CAN_PARTLY, "only sched_wakeup: where another CPU finishes a wakeup, the waker is not seen");
	else if (!p->tr.saw_context)
		answer(a, CAN_PARTLY, "no column of flags: whether a task or an interrupt woke it is told from regular times");
	else
		answer(a, CAN_YES, "sched_waking with its context: tasks, timers and interrupts are told apart");
}

/* Of the CPU time, how much went to tasks whose cgroup is known. */
static double known_share(const struct patient *p)
{
	u64 known = 0, all = 0, end = trace_last(&p->tr) + 1;

	for (u32 t = 1; t < p->tr.nr_tasks; t++) {
		u64 ran = timeline_ran(&p->tl, t, 0, end);

		if (p->ours && !p->ours[t])
			continue; /* it was not to be recorded */
		all += ran;
		known += p->tr.tasks[t].group ? ran : 0;
	}
	return all && (p->ours || groups_known(&p->tr)) ? (double)known / (double)all : 0;
}

static void judge_groups(const struct patient *p, struct doctor_answer *a)
{
	double known = known_share(p);
	u32 processes = 0;

	for (u32 t = 1; t < p->tr.nr_tasks; t++)
		processes += p->tr.tasks[t].tgid > 0;
	if (known >= MOST_KNOWN) {
		answer(a, CAN_YES, "it says in which cgroup tasks are");
	} else if (known > 0) {
		a->can = CAN_PARTLY;
		snprintf(a->why, sizeof(a->why), "it says the cgroup of tasks with %.2g %% of the CPU time: name others by --group or --cgroups",
			 known * 100);
	} else if (processes || p->count[EVENT_SCHED_PROCESS_FORK]) {
		answer(a, CAN_PARTLY, processes ? "it says which process a thread is of, but not which cgroup: name it by --group or --cgroups" :
					       "forks are there, cgroups are not: name the group by --group or --cgroups");
	} else {
		answer(a, CAN_PARTLY, "only names and pids: name the group by --group, --comm or --pid");
	}
	if (!p->tr.counts.events)
		answer(a, CAN_NO, "no scheduler event names a task");
}

#define SCHED_EVENTS                                                                                                              \
	"-e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup_new -e sched:sched_migrate_task -e sched:sched_process_fork " \
	"-e sched:sched_process_exit -e sched:sched_process_exec"

/* The same with events, with larger buffers, for longer, of one group; NULL where none of that would help. */
static const char *how_to_record_again(struct patient *p)
{
	const char *target = p->tr.light ? p->tr.light->facts.target : p->facts->target;
	bool lost = p->view.lost > 0, is_short = p->view.span < SHORT_RECORDING;
	char shown[CGROUPS_PATH_SHOWN];

	if (!p->tr.light && !lost && !is_short && target)
		return NULL;
	snprintf(p->record_with, sizeof(p->record_with), "fairground record --cgroup %s -o trace.dat -d 10%s",
		 target ? say(shown, sizeof(shown), target) : "GROUP", lost ? " --buffer 65536" : "");
	return p->record_with;
}

/* The command that records what is missing, in the tool the recording was made with. */
static const char *how_to_record(struct patient *p)
{
	const struct doctor_view *v = &p->view;
	bool all = true;

	for (int i = 0; i < NR_DOCTOR_QUESTIONS; i++)
		all &= v->answers[i].can == CAN_YES;
	if (all)
		return NULL;
	if (p->facts || p->tr.light)
		return how_to_record_again(p);
	if (!strncmp(p->tr.format, "perf", 4))
		return "perf record -a -k mono -m 16M --all-cgroups -o perf.data " SCHED_EVENTS " -- sleep 10";
	if (!strcmp(p->tr.format, "Perfetto"))
		return "perfetto -o trace.pftrace -t 10s -b 64mb sched/sched_switch sched/sched_waking sched/sched_wakeup_new "
		       "sched/sched_process_fork sched/sched_process_exit";
	return "trace-cmd record -C mono -b 65536 " SCHED_EVENTS " -e cgroup:cgroup_attach_task sleep 10";
}

/* ---- recordings of our own ---- */

/* Only events of one group's tasks were recorded: others are seen where they met them. */
static int mark_ours(struct patient *p)
{
	p->ours = calloc((size_t)p->tr.nr_tasks + 1, sizeof(*p->ours));
	for (u32 t = 1; p->ours && t < p->tr.nr_tasks; t++)
		p->ours[t] = p->tr.tasks[t].group != 0;
	return p->ours ? 0 : -1;
}

/* Counters, and no events. */
static int examine_light(struct patient *p)
{
	const struct light *l = p->tr.light;
	const struct light_poll *first = &l->polls[0], *last = &l->polls[l->nr_polls - 1];
	const struct fact_group *g = light_limited(l);
	struct doctor_view *v = &p->view;
	char shown[160];

	v->span = last->t - first->t;
	v->hz = l->facts.hz;
	v->polls = l->nr_polls;
	answer(&v->answers[CAN_THROTTLE_GAPS], CAN_PARTLY,
	       "counters: how many periods were throttled is known, and for how long; not when in them, nor which threads");
	answer(&v->answers[CAN_WAKE_EDGES], CAN_NO, "counters: what each thread ran and waited between two polls, not who woke it");
	answer(&v->answers[CAN_MEMBERSHIP], CAN_YES, "it is about one group, and says who is in it");
	if (g && g->quota != NEVER) {
		told_limit(p, g);
		v->limits[0].cpu = last->stat.usage - first->stat.usage;
		v->limits[0].throttles = last->stat.nr_throttled - first->stat.nr_throttled;
		v->limits[0].stopped = last->stat.throttled_time - first->stat.throttled_time;
		v->limits[0].threads = l->nr_threads;
	}
	snprintf(p->busiest, sizeof(p->busiest), "%.60s", l->facts.target ? say_bytes(shown, sizeof(shown), l->facts.target, strlen(l->facts.target)) : "");
	v->record_with = how_to_record(p);
	return 0;
}

/* ---- the command ---- */

static int examine(struct patient *p, const char *path, const struct doctor_args *args, struct err *err)
{
	struct doctor_view *v = &p->view;
	const struct trace_counts *c = &p->tr.counts;

	path = file_held(path, NULL, err);
	if (!path || trace_read_any(&p->tr, path, err))
		return -1;
	if (!c->events && !strcmp(p->tr.format, NO_FORMAT))
		return trace_no_events(&p->tr, path, err);
	if (args->cgroups && group_members_file(&p->tr, args->cgroups, err))
		return -1;
	*v = (struct doctor_view){ .file = bytes_name(path), .format = p->tr.format, .kernel = p->tr.kernel, .clock = p->tr.clock,
				   .sched_events = c->events, .other_events = c->other_events, .lost = c->lost,
				   .lost_marks = c->lost_marks, .cpus = p->tr.cpus, .busiest = p->busiest,
				   .bad = c->bad_events + c->wild_times + c->half_lines + c->unknown_lines,
				   .span = trace_last(&p->tr) - trace_first(&p->tr) };
	if (p->tr.light)
		return examine_light(p);
	p->facts = p->tr.facts && p->tr.facts->any ? p->tr.facts : NULL;
	if (p->facts && p->facts->filtered && mark_ours(p))
		return err_at(err, path, 0, 0, NULL, "too large for the memory of this machine");
	if (c->no_time)
		v->clock = "a counter, which tells no time";
	if (count_events(p) || timeline_init(&p->tl, &p->tr) || families_init(&p->fam, &p->tr) || ticks_infer(&p->ticks, &p->tr) ||
	    !(p->facts ? told_limits(p) : find_limits(p)))
		return err_at(err, path, 0, 0, NULL, "too large for the memory of this machine");
	v->hz = p->ticks.hz ? p->ticks.hz : p->facts ? p->facts->hz : 0;
	judge_gaps(p, &v->answers[CAN_THROTTLE_GAPS]);
	judge_wakes(p, &v->answers[CAN_WAKE_EDGES]);
	judge_groups(p, &v->answers[CAN_MEMBERSHIP]);
	v->record_with = how_to_record(p);
	return 0;
}

static void print(const struct patient *p, bool json)
{
	struct json_write j;

	if (!json) {
		doctor_text(stdout, &p->view);
		return;
	}
	json_write_init(&j, stdout);
	doctor_json(&j, &p->view);
	json_done(&j);
}

static int run_doctor(const struct command *cmd, int argc, char **argv)
{
	struct doctor_args args = { 0 };
	struct positionals pos;
	struct patient *p;
	struct err err = { 0 };
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	p = calloc(1, sizeof(*p));
	if (!p) {
		err_set(&err, ERR_HOST, "out of memory");
		return fail_with(&err);
	}
	trace_init(&p->tr);
	ret = examine(p, pos.v[0], &args, &err);
	if (!ret)
		print(p, args.json);
	free(p->view.events);
	free(p->ours);
	families_fini(&p->fam);
	timeline_fini(&p->tl);
	trace_fini(&p->tr);
	free(p);
	return ret ? fail_with(&err) : EXIT_FINE;
}

static const struct option_row own[] = {
	{ .name = "cgroups", .arg = "FILE", .kind = OPTION_TEXT, .offset = offsetof(struct doctor_args, cgroups), .complete = "@file",
	  .help = "who is in which cgroup: lines of grep . /proc/[0-9]*/task/[0-9]*/cgroup, or of pid and path" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct doctor_args, json), .help = "for machines" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, NULL };

static const char *const about[] = {
	"Says what a recording of the scheduler's events is (ftrace or perf script text, systrace, atrace, trace.dat, perf.data or Perfetto; "
	"gzip'd or not), which events it has and what was lost, whether throttling, wakeups and groups can be told from it, which limits show, "
	"and how to record what is missing.",
	"Of what fairground record wrote, limits and members are told by the recording itself.",
	"A recording that is damaged or holds little is no error: the answers say so. A file that is no recording is one.",
	NULL,
};

static const struct example examples[] = {
	{ "doctor tests/data/own/own_burn5_q25.ftrace.txt", "one screen" },
	{ "doctor --json trace.dat", "the same for a program" },
	{ 0 },
};

const struct command cmd_doctor = {
	.name = "doctor", .positional = "TRACE", .least = 1, .most = 1, .complete = "@file",
	.summary = "what a trace holds and what can be answered from it", .about = about, .tables = tables, .examples = examples,
	.run = run_doctor,
};
