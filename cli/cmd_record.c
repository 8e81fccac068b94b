/* SPDX-License-Identifier: MIT */
/*
 * cmd_record.c - fairground record: a recording to be replayed, of a group, a process, a container or the whole machine.
 *
 *	record		events of an own tracer --> a trace.dat
 *	record --light	counters that anybody may read --> lines of JSON
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "record/record.h"
#include "text/format.h"
#include "text/json_write.h"
#include "text/say.h"

#define TRACE_FILE "trace.dat"
#define LIGHT_FILE "fairground.light"
#define TRACE_TIME (10 * SEC)
#define LIGHT_TIME (60 * SEC)
#define SHARE_MOST 0.001 /* of a CPU: what --light promises */

struct record_args {
	struct record_ask ask;
	u64 pid;
	bool all, json;
};

/* ---- what came of it ---- */

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/* Of all CPU time of the machine, what the events cost where they happened. */
static double events_share(const struct record_end *e)
{
	return share((double)e->events * (double)e->event_cost, (double)e->wall * (double)(e->cpus ? e->cpus : 1));
}

static void print_trace(const struct record_end *e)
{
	char events[FORMAT_MAX], lost[FORMAT_MAX];

	printf("%s events%s, ", format_count(events, e->events), e->filtered ? " of its threads" : "");
	if (e->lost)
		printf("%s lost (a larger --buffer loses fewer)\n", format_count(lost, e->lost));
	else
		printf("none lost\n");
	printf("overhead: %.2g %% of a CPU for recording; ", share((double)e->cpu, (double)e->wall) * 100);
	if (e->event_cost)
		printf("each event costs about %llu ns where it happens, %.2g %% of this machine's CPU time\n", (unsigned long long)e->event_cost,
		       events_share(e) * 100);
	else
		printf("what an event costs where it happens was lost in the noise\n");
	if (!e->mono)
		printf("this kernel's tracer has no clock mono: times are each CPU's own\n");
}

static void print_light(const struct record_end *e)
{
	char polls[FORMAT_MAX], every[FORMAT_MAX];
	double used = share((double)e->cpu, (double)e->wall);

	printf("%s polls, one each %s%s", format_count(polls, e->polls), format_time(every, e->every), e->late ? "" : ", none late\n");
	if (e->late)
		printf(", %llu late\n", (unsigned long long)e->late);
	printf("overhead: %.2g %% of a CPU%s\n", used * 100, used < SHARE_MOST ? "" : ", which is more than it should be: --poll says how often");
	if (e->thread_turns > 1)
		printf("so many threads take turns: each was looked at in one of %llu polls\n", (unsigned long long)e->thread_turns);
	if (e->no_threads)
		printf("this kernel does not tell what a thread uses (no /proc/PID/schedstat): replay cannot use this file\n");
}

static void print_text(const struct record_args *a, const struct record_end *e)
{
	const char *file = a->ask.output;
	char shown[256], target[256], wall[FORMAT_MAX];

	printf("%s: %s of ", say(shown, sizeof(shown), file), format_time(wall, e->wall));
	if (*e->target)
		printf("%s, %u thread%s; ", say(target, sizeof(target), e->target), e->threads, e->threads == 1 ? "" : "s");
	else
		printf("%s; ", a->pid ? "the process" : "the whole machine");
	if (a->ask.light)
		print_light(e);
	else
		print_trace(e);
	if (a->ask.light)
		printf("next: fairground explain %s, fairground replay %s --limit 500m\n", shown, shown);
	else
		printf("next: fairground doctor %s, fairground explain %s, fairground replay %s --limit 500m\n", shown, shown, shown);
}

static void print_json(const struct record_args *a, const struct record_end *e)
{
	struct json_write j;

	json_write_init(&j, stdout);
	json_begin(&j, '{');
	json_put_string(&j, "file", a->ask.output);
	json_put_string(&j, "kind", a->ask.light ? "light" : "trace");
	json_put_string(&j, "target", *e->target ? e->target : NULL);
	json_put_u64(&j, "threads", e->threads);
	json_put_u64(&j, "span_usec", e->wall / US);
	json_put_u64(&j, "bytes", e->bytes);
	if (a->ask.light) {
		json_put_u64(&j, "polls", e->polls);
		json_put_u64(&j, "late", e->late);
		json_put_u64(&j, "poll_usec", e->every / US);
		json_put_u64(&j, "thread_turns", e->thread_turns);
	} else {
		json_put_u64(&j, "events", e->events);
		json_put_u64(&j, "lost", e->lost);
		json_put_bool(&j, "filtered", e->filtered);
	}
	json_put_begin_line(&j, "overhead", '{');
	json_put_u64(&j, "cpu_usec", e->cpu / US);
	json_put_real(&j, "cpu_share", share((double)e->cpu, (double)e->wall), 6);
	if (!a->ask.light) {
		json_put_u64(&j, "event_nsec", e->event_cost);
		json_put_real(&j, "events_share", events_share(e), 6);
	}
	json_end(&j);
	json_end(&j);
	json_done(&j);
}

/* ---- the command ---- */

static int check(struct record_args *a, struct err *err)
{
	const struct target_ask *who = &a->ask.who;
	int said = !!who->cgroup + !!who->container + !!a->pid + a->all;

	if (said > 1) {
		err_set(err, ERR_INPUT, "record: only one of --cgroup, --pid, --container and --all can be meant");
		return -1;
	}
	if (a->ask.poll && !a->ask.light)
		return err_set(err, ERR_INPUT, "record: --poll is for --light");
	if (a->ask.buffer_kb && a->ask.light)
		return err_set(err, ERR_INPUT, "record: --buffer is for recordings of events; --light has none");
	a->ask.who.pid = (int)a->pid;
	if (!a->ask.output)
		a->ask.output = a->ask.light ? LIGHT_FILE : TRACE_FILE;
	if (!a->ask.duration)
		a->ask.duration = a->ask.light ? LIGHT_TIME : TRACE_TIME;
	return 0;
}

static int run_record(const struct command *cmd, int argc, char **argv)
{
	struct record_args args = { .pid = 0 };
	struct record_end end;
	struct positionals pos;
	struct err err = { 0 };
	char wall[FORMAT_MAX];
	int ret = options_parse(cmd, argc, argv, &args, &pos, &err);

	if (ret)
		return ret > 0 ? EXIT_FINE : fail_with(&err);
	if (check(&args, &err))
		return fail_with(&err);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "recording for %s; Ctrl-C ends it\n", format_time(wall, args.ask.duration));
	if (record_run(&end, &args.ask, &err))
		return fail_with(&err);
	if (args.json)
		print_json(&args, &end);
	else
		print_text(&args, &end);
	return EXIT_FINE;
}

static const struct option_row own[] = {
	{ .name = "cgroup", .arg = "GROUP", .kind = OPTION_TEXT, .offset = offsetof(struct record_args, ask.who.cgroup), .complete = "@file",
	  .help = "a cgroup with all below it: its directory, or its path as in /system.slice/web.service" },
	{ .name = "pid", .arg = "N", .kind = OPTION_COUNT, .lowest = 1, .highest = INT32_MAX, .offset = offsetof(struct record_args, pid),
	  .help = "process N, its threads and what it forks; limits and counters are those of its cgroup" },
	{ .name = "container", .arg = "ID", .kind = OPTION_TEXT, .offset = offsetof(struct record_args, ask.who.container),
	  .help = "the container whose id begins so, or holds this; docker, containerd, CRI-O and podman" },
	{ .name = "all", .kind = OPTION_FLAG, .offset = offsetof(struct record_args, all),
	  .help = "the whole machine (this is so where nothing is said)" },
	{ .name = "output", .letter = 'o', .arg = "FILE", .kind = OPTION_TEXT, .offset = offsetof(struct record_args, ask.output), .complete = "@file",
	  .help = "write into FILE, which must not be there yet (trace.dat; with --light fairground.light)" },
	{ .name = "duration", .letter = 'd', .arg = "TIME", .kind = OPTION_TIME, .unit = "s", .lowest = 10 * MS, .highest = 7 * 86400 * SEC,
	  .offset = offsetof(struct record_args, ask.duration), .help = "for how long (10 s; with --light 60 s; plain: seconds); Ctrl-C ends it earlier" },
	{ .name = "light", .kind = OPTION_FLAG, .offset = offsetof(struct record_args, ask.light),
	  .help = "no events, but cpu.stat and the threads' times once a period: needs no right and less than 0.1 % of a CPU" },
	{ .name = "poll", .arg = "TIME", .kind = OPTION_TIME, .unit = "ms", .lowest = 5 * MS, .highest = 3600 * SEC,
	  .offset = offsetof(struct record_args, ask.poll), .help = "with --light: read each TIME instead of once a period (plain: ms)" },
	{ .name = "buffer", .arg = "KB", .kind = OPTION_COUNT, .lowest = 16, .highest = 1 << 20, .offset = offsetof(struct record_args, ask.buffer_kb),
	  .help = "memory for events of each CPU until they are stored (64 MB for all CPUs, 1 to 8 MB each)" },
	{ .name = "cgroup-root", .arg = "DIR", .kind = OPTION_TEXT, .offset = offsetof(struct record_args, ask.who.cgroup_root), .complete = "@file",
	  .help = "where cgroups are: what /sys/fs/cgroup usually is (default: as it is mounted)" },
	{ .name = "tracefs", .arg = "DIR", .kind = OPTION_TEXT, .offset = offsetof(struct record_args, ask.tracefs), .complete = "@file",
	  .help = "where tracefs is (default: as it is mounted)" },
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct record_args, json), .help = "print what came of it as JSON" },
	{ 0 },
};
static const struct option_row *const tables[] = { own, NULL };

static const char *const about[] = {
	"Records the few events of the scheduler that doctor, explain, advise and replay need, of a cgroup, a process, a container or the whole machine, into a "
	"trace.dat that trace-cmd and KernelShark open too. Inside it are also the kernel, its tick, the limits, cpu.stat before and after, and who is in "
	"which group, so nothing of that has to be said later. Of a group, a process or a container only events of its threads are kept.",
	"It uses a tracer instance of its own (tracefs/instances/fairground-PID), so no other tracing is disturbed; it needs the right to make one, as root has. It is removed "
	"whatever happens, also after Ctrl-C and kill -9. The file appears as a whole or not at all. Losses and overhead are printed.",
	"With --light it reads cpu.stat of the group and what each thread used, once a period, which needs no right. Explain, advise and replay take such a file too; "
	"when within a period something ran is not in it, so their ranges are wider.",
	NULL,
};

static const struct example examples[] = {
	{ "record --cgroup /system.slice/web.service -o web.dat", "a service for 10 s, as root" },
	{ "record --container 3f2a91 -d 30", "a container for half a minute, into trace.dat" },
	{ "record --light --pid 4711 -o web.light", "without any right, for a minute" },
	{ 0 },
};

const struct command cmd_record = {
	.name = "record", .positional = "", .least = 0, .most = 0,
	.summary = "record a group's events, or without any right its counters", .about = about, .tables = tables, .examples = examples,
	.run = run_record,
};
