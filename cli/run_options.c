/* SPDX-License-Identifier: MIT */
/* run_options.c - the options of every command that simulates. */
#include "cli/run_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/model.h"
#include "input/distro.h"
#include "input/limits.h"
#include "text/number.h"
#include "text/say.h"

/* meson -Dlaws=true: every run of this build checks them. */
#ifndef FAIRGROUND_LAWS
#define FAIRGROUND_LAWS 0
#endif

struct variant *current_variant(struct run_options *opt)
{
	if (!opt->nr_variants)
		opt->nr_variants = 1;
	return &opt->variants[opt->nr_variants - 1];
}

bool variant_is_plain(const struct variant *v)
{
	return !v->nr_rules && !v->nr_tunables && !v->nr_limits && !v->nr_limits_from && !v->nr_cpusets && !v->cpus && !v->hz && !v->topology && !v->no_costs;
}

static bool is_untouched(const struct variant *v) { return !v->kernel && variant_is_plain(v); }

static int next_variant(struct run_options *opt, struct err *err)
{
	if (opt->nr_variants >= VARIANTS_MAX)
		return err_set(err, ERR_INPUT, "at most %d variants can be compared at once", VARIANTS_MAX);
	opt->nr_variants++;
	return 0;
}

/* A name that is no row but means one: say which, and what is not known of it. */
static void say_kernel(const char *name)
{
	struct distro_kernel distro;
	struct kernel_model model;
	char note[512], shown[600];

	if (model_init(&model, name) && !distro_kernel(name, &distro))
		fprintf(stderr, "fairground: note: %s\n", say(shown, sizeof(shown), distro_note(&distro, note, sizeof(note))));
}

static int take_kernel(void *args, const char *value, struct err *err)
{
	struct run_options *opt = args;
	bool used = opt->nr_variants && !is_untouched(current_variant(opt));

	if (opt->several && used && current_variant(opt)->kernel && next_variant(opt, err))
		return -1;
	if (current_variant(opt)->kernel) {
		err_set(err, ERR_INPUT, "--kernel is given twice");
		err_hint(err, "compare runs a scenario under several kernels");
		return -1;
	}
	current_variant(opt)->kernel = value;
	say_kernel(value);
	return 0;
}

static int take_vs(void *args, const char *value, struct err *err)
{
	struct run_options *opt = args;

	(void)value;
	current_variant(opt); /* what stood before, even if it was nothing, is the first */
	return next_variant(opt, err);
}

static int add_change(const char **list, u32 *nr, const char *what, const char *value, struct err *err)
{
	if (*nr >= CHANGES_MAX)
		return err_set(err, ERR_INPUT, "more than %d --%s", CHANGES_MAX, what);
	list[(*nr)++] = value;
	return 0;
}

static int take_rule(void *args, const char *value, struct err *err)
{
	struct variant *v = current_variant(args);

	return add_change(v->rules, &v->nr_rules, "rule", value, err);
}

static int take_tunable(void *args, const char *value, struct err *err)
{
	struct variant *v = current_variant(args);

	return add_change(v->tunables, &v->nr_tunables, "tunable", value, err);
}

/* @text is a whole number below 1000 of us: the kernel takes none as a period, and hardly anybody means it as a burst. */
static bool is_few_us(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits < 4 && (!text[digits] || text[digits] == '+') && strcmp(text, "0");
}

static void say_few_us(const char *spec, const char *what, char front)
{
	const char *text = strrchr(spec, front);
	char shown[80];

	if (text && is_few_us(text + 1))
		fprintf(stderr, "fairground: note: --limit %s: a %s without a unit counts us; %.*sms is in ms\n", say(shown, sizeof(shown), spec), what,
			(int)strspn(text + 1, "0123456789"), text + 1);
}

void say_limit_unit(const char *spec)
{
	const char *amount = strchr(spec, '=') ? strchr(spec, '=') + 1 : spec;
	size_t digits = strspn(amount, "0123456789");
	struct err ignored = { 0 };
	struct limit limit;

	if (limit_parse(spec, &limit, &ignored))
		return; /* whoever takes it will say so */
	if (digits == 3 && limit.by_cpus && (!amount[digits] || amount[digits] == '+'))
		fprintf(stderr, "fairground: note: --limit %.3s: a whole number below 1000 counts CPUs; %.3sm is %.3s thousandths of one, %.3sus a time\n", amount,
			amount, amount, amount);
	if (limit.has_period)
		say_few_us(limit.group ? limit.group + limit.group_len : spec, "period", '/');
	if (limit.has_burst)
		say_few_us(spec, "burst", '+');
	if (limit.has_period && !limit.unlimited && !limit.by_cpus && limit.amount == LIMIT_PERIOD && limit.period < limit.amount)
		fprintf(stderr, "fairground: note: the quota stands first, then the period: that is %.3g CPUs: 100 ms in each %.3g ms\n",
			(double)limit.amount / (double)limit.period, (double)limit.period / (double)MS);
}

static int take_limit(void *args, const char *value, struct err *err)
{
	struct variant *v = current_variant(args);

	say_limit_unit(value);
	return add_change(v->limits, &v->nr_limits, "limit", value, err);
}

static int take_cpuset(void *args, const char *value, struct err *err)
{
	struct variant *v = current_variant(args);

	return add_change(v->cpusets, &v->nr_cpusets, "cpuset", value, err);
}

static int take_limits_from(void *args, const char *value, struct err *err)
{
	struct variant *v = current_variant(args);

	return add_change(v->limits_from, &v->nr_limits_from, "limits-from", value, err);
}

int one_of_two(const char *what, const char *value, const char *first, const char *second, bool *is_second, struct err *err)
{
	char shown[80];

	*is_second = !strcmp(value, second);
	if (*is_second || !strcmp(value, first))
		return 0;
	return err_set(err, ERR_INPUT, "--%s takes %s or %s, found \"%s\"", what, first, second, say(shown, sizeof(shown), value));
}

static int take_driver(void *args, const char *value, struct err *err)
{
	return one_of_two("driver", value, "cgroupfs", "systemd", &current_variant(args)->manager.systemd, err);
}

static int take_weights(void *args, const char *value, struct err *err)
{
	return one_of_two("weights", value, "old", "new", &current_variant(args)->manager.new_weights, err);
}

static int take_number(const char *what, const char *value, u64 lowest, u64 highest, u64 *out, struct err *err)
{
	char shown[80];
	u64 v;

	if (num_whole_u64(value, strlen(value), highest, &v) == NUM_OK && v >= lowest) {
		*out = v;
		return 0;
	}
	return err_set(err, ERR_INPUT, "--%s takes %" PRIu64 " to %" PRIu64 ", found \"%s\"", what, lowest, highest,
		       say(shown, sizeof(shown), value));
}

/* docker's option of that name is a limit. */
static int take_cpus(void *args, const char *value, struct err *err)
{
	struct err ignored = { 0 };
	struct limit limit;
	int ret = take_number("cpus", value, 1, LAB_MAX_CPUS, &current_variant(args)->cpus, err);

	if (ret && !limit_parse(value, &limit, &ignored))
		err_hint(err, "these are the machine's CPUs; a limit is --limit %.40s", value);
	return ret;
}

static int take_topology(void *args, const char *value, struct err *err)
{
	(void)err;
	current_variant(args)->topology = value;
	return 0;
}

static int take_hz(void *args, const char *value, struct err *err)
{
	return take_number("hz", value, 1, 10000, &current_variant(args)->hz, err);
}

static int take_seed(void *args, const char *value, struct err *err)
{
	struct run_options *opt = args;

	opt->seed_set = true;
	return take_number("seed", value, 0, UINT64_MAX, &opt->seed, err);
}

static int take_costs(void *args, const char *value, struct err *err)
{
	char shown[80];

	if (strcmp(value, "none"))
		return err_set(err, ERR_INPUT, "--costs knows only \"none\", found \"%s\"", say(shown, sizeof(shown), value));
	current_variant(args)->no_costs = true;
	return 0;
}

const struct option_row kernel_rows[] = {
	{ .name = "kernel", .letter = 'k', .arg = "ROW", .kind = OPTION_CALL, .take = take_kernel, .complete = "@row",
	  .help = "the kernel whose rules hold, instead of the scenario's: a row (fairground kernels lists them), what uname -r says, or "
		  "a distribution as in debian-12; the last two may set HZ and the preemption model",
	  .brief = "its kernel: a row as in 5.10, what uname -r says, or debian-12" },
	{ .name = "rule", .letter = 'r', .arg = "NAME=VALUE", .kind = OPTION_CALL, .take = take_rule, .complete = "@rule",
	  .help = "change one rule of that kernel; may be repeated" },
	{ .name = "tunable", .letter = 't', .arg = "NAME=VALUE", .kind = OPTION_CALL, .take = take_tunable,
	  .help = "write a tunable, in the unit its name carries, as in sched_cfs_bandwidth_slice_us=1000; may be repeated",
	  .brief = "write a tunable, as in sched_cfs_bandwidth_slice_us=1000" },
	{ .name = "hz", .arg = "N", .kind = OPTION_CALL, .take = take_hz, .complete = "100 250 300 1000",
	  .help = "timer ticks per second and CPU" },
	{ 0 },
};

const struct option_row variant_rows[] = {
	{ .name = "limit", .letter = 'l', .arg = "SPEC", .kind = OPTION_CALL, .take = take_limit,
	  .help = "a CPU limit instead of the scenario's: [GROUP=]AMOUNT[/PERIOD][+BURST], AMOUNT as 1500m, 1.5, 150%, max, 50ms or "
		  "us; may be repeated for several groups",
	  .brief = "a CPU limit: 500m, 1.5, 50%, 25ms/100ms, max; /web=500m+25ms: burst" },
	{ .name = "cpus", .arg = "N", .kind = OPTION_CALL, .take = take_cpus, .help = "CPUs of the machine, 1 to 1024" },
	{ .name = "cpuset", .arg = "[GROUP=]LIST", .kind = OPTION_CALL, .take = take_cpuset,
	  .help = "keep the tasks of GROUP, or all, on these CPUs, as in 0-3,8; may be repeated" },
	{ .name = "topology", .arg = "WHAT", .kind = OPTION_CALL, .take = take_topology, .complete = "@machine",
	  .help = "what the machine's CPUs share: as in \"2n x 24c x 2t\", a name as in c5.9xlarge, a file of fairground machine --snapshot, or flat",
	  .brief = "what the CPUs share, as in \"2n x 24c x 2t\" or c5.9xlarge" },
	{ .name = "costs", .arg = "none", .kind = OPTION_CALL, .take = take_costs, .complete = "none",
	  .help = "let switches, wakeups, ticks and interrupts take no time, and timers have no slack" },
	{ 0 },
};

const struct option_row file_rows[] = {
	{ .name = "limits-from", .arg = "[GROUP=]PATH", .kind = OPTION_CALL, .take = take_limits_from, .complete = "@file",
	  .help = "CPU limits and weights from a Kubernetes manifest, a systemd unit or a cgroup directory, for the groups of the same "
		  "names, or for GROUP; may be repeated, and --limit comes behind it" },
	{ .name = "driver", .arg = "NAME", .kind = OPTION_CALL, .take = take_driver, .complete = "cgroupfs systemd",
	  .help = "how the container runtime writes a manifest's limits: cgroupfs (default) or systemd, which rounds up to whole percents" },
	{ .name = "weights", .arg = "WHICH", .kind = OPTION_CALL, .take = take_weights, .complete = "old new",
	  .help = "how it turns CPU requests into cpu.weight: old (default; 1 CPU is 39) or new (runc 1.4, crun 1.23 and later; 1 CPU is 100)" },
	{ .name = "rtapp-compat", .kind = OPTION_FLAG, .offset = offsetof(struct run_options, rtapp_compat),
	  .help = "read the file as stock rt-app does: of a key that stands twice only the last value counts" },
	{ 0 },
};

const struct option_row vs_rows[] = {
	{ .name = "vs", .kind = OPTION_CALL, .take = take_vs,
	  .help = "what follows belongs to another variant, which begins from the scenario again" },
	{ 0 },
};

const struct option_row run_rows[] = {
	{ .name = "seed", .letter = 's', .arg = "N", .kind = OPTION_CALL, .take = take_seed,
	  .help = "where chance starts from, instead of the scenario's seed" },
	{ .name = "duration", .letter = 'd', .arg = "TIME", .kind = OPTION_TIME, .unit = "s", .lowest = 1, .highest = 100000 * SEC,
	  .offset = offsetof(struct run_options, duration), .help = "simulated time, instead of the scenario's (plain: seconds)" },
	{ .name = "runs", .letter = 'n', .arg = "N", .kind = OPTION_COUNT, .lowest = 1, .highest = 100000,
	  .offset = offsetof(struct run_options, runs), .help = "run with N seeds, counting up from the first" },
	{ .name = "phases", .arg = "N", .kind = OPTION_COUNT, .lowest = 1, .highest = 100000,
	  .offset = offsetof(struct run_options, phases),
	  .help = "run N times, the tasks' start shifted each time by another N-th of the first limited group's period" },
	{ .name = "jobs", .letter = 'j', .arg = "N", .kind = OPTION_COUNT, .lowest = 1, .highest = 256,
	  .offset = offsetof(struct run_options, jobs),
	  .help = "runs at a time, default one per CPU of this computer; results do not depend on it" },
	{ .name = "no-skip", .kind = OPTION_FLAG, .offset = offsetof(struct run_options, no_skip),
	  .help = "handle every tick by itself, slower, with the same result" },
	{ .name = "check-laws", .kind = OPTION_FLAG, .offset = offsetof(struct run_options, check_laws),
	  .help = "check every law after every event, much slower" },
	{ 0 },
};

const struct option_row print_rows[] = {
	{ .name = "json", .kind = OPTION_FLAG, .offset = offsetof(struct run_options, json),
	  .help = "print JSON, as docs/result.schema.json describes it, or docs/compare.schema.json where there are several runs" },
	{ .name = "periods", .kind = OPTION_FLAG, .offset = offsetof(struct run_options, periods),
	  .help = "add, per limited group, what was granted, used and stranded in each period" },
	{ .name = "threads", .kind = OPTION_FLAG, .offset = offsetof(struct run_options, threads),
	  .help = "add the figures of each thread" },
	{ 0 },
};

struct result_detail run_detail(const struct run_options *opt)
{
	return (struct result_detail){ .periods = opt->periods, .threads = opt->threads };
}

struct machine_options machine_options_of(const struct run_options *opt)
{
	return (struct machine_options){
		.check_laws = opt->check_laws || FAIRGROUND_LAWS,
		.no_skip = opt->no_skip,
		.want_periods = opt->periods,
		.want_threads = opt->threads,
	};
}
