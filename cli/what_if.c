/* SPDX-License-Identifier: MIT */
/* what_if.c - reads what a replay is asked, and makes a scenario and a limit of it. */
#include "cli/what_if.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/limits.h"
#include "cli/load.h"
#include "cli/run_options.h"
#include "input/limits_from.h"
#include "text/format.h"
#include "text/number.h"
#include "text/say.h"
#include "trace/rethread.h"

#define PERIOD_LEAST (1 * MS) /* what any kernel takes */
#define PERIOD_MOST SEC
#define THREADS_MOST 10000

/* ---- options ---- */

/* The what-if an option belongs to: the last one behind --and, else a new one. */
static struct what_if *next_what_if(struct what_ifs *ifs, struct err *err)
{
	if (ifs->join && ifs->nr) {
		ifs->join = false;
		return &ifs->v[ifs->nr - 1];
	}
	if (ifs->nr == WHAT_IFS_MAX) {
		err_set(err, ERR_INPUT, "replay: more than %d what-ifs at once", WHAT_IFS_MAX);
		return NULL;
	}
	ifs->join = false;
	return &ifs->v[ifs->nr++];
}

static struct what_if *what_if_of(void *args, struct err *err) { return next_what_if(&((struct what_if_args *)args)->ifs, err); }

static int take_text(void *args, size_t member, const char *name, const char *value, struct err *err)
{
	struct what_if *w = what_if_of(args, err);
	const char **field = w ? (const char **)((char *)w + member) : NULL;

	if (!field)
		return -1;
	if (*field)
		return err_set(err, ERR_INPUT, "replay: two --%s in one what-if", name);
	*field = value;
	return 0;
}

static int take_limit(void *args, const char *value, struct err *err)
{
	if (take_text(args, offsetof(struct what_if, limit), "limit", value, err))
		return -1;
	say_limit_unit(value);
	if (!strncmp(value, "*=", 2)) {
		struct what_ifs *ifs = &((struct what_if_args *)args)->ifs;

		if (strcmp(value, "*=max"))
			return err_set(err, ERR_INPUT, "replay: of all groups together the limit can only go: '*=max'");
		ifs->v[ifs->nr - 1].all_go = true;
	}
	return 0;
}

static int take_kernel(void *args, const char *value, struct err *err) { return take_text(args, offsetof(struct what_if, kernel), "kernel", value, err); }

static int take_rule(void *args, const char *value, struct err *err) { return take_text(args, offsetof(struct what_if, rule), "rule", value, err); }

static int take_tunable(void *args, const char *value, struct err *err) { return take_text(args, offsetof(struct what_if, tunable), "tunable", value, err); }

static int take_topology(void *args, const char *value, struct err *err) { return take_text(args, offsetof(struct what_if, topology), "topology", value, err); }

static int take_from(void *args, const char *value, struct err *err) { return take_text(args, offsetof(struct what_if, from), "limits-from", value, err); }

static int take_time(void *args, const char *value, const char *what, bool burst, struct err *err)
{
	struct what_if *w = what_if_of(args, err);
	u64 ns;

	if (!w || parse_time(value, "ms", what, &ns, err))
		return -1;
	if (burst) {
		w->has_burst = true;
		w->burst = ns / US * US;
		return 0;
	}
	if (ns < PERIOD_LEAST || ns > PERIOD_MOST)
		return err_set(err, ERR_INPUT, "replay: --period takes 1 ms to 1 s, as kernels do, found \"%.40s\"", value);
	w->has_period = true;
	w->period = ns / US * US;
	return 0;
}

static int take_period(void *args, const char *value, struct err *err) { return take_time(args, value, "replay: --period", false, err); }

static int take_burst(void *args, const char *value, struct err *err) { return take_time(args, value, "replay: --burst", true, err); }

static int take_count(void *args, const char *value, const char *name, u64 most, size_t member, struct err *err)
{
	struct what_if *w = what_if_of(args, err);
	char shown[80];
	u64 v;

	if (!w)
		return -1;
	if (num_whole_u64(value, strlen(value), most, &v) != NUM_OK || !v)
		return err_set(err, ERR_INPUT, "replay: --%s takes 1 to %" PRIu64 ", found \"%s\"", name, most, say(shown, sizeof(shown), value));
	*(u64 *)((char *)w + member) = v;
	return 0;
}

static int take_cpus(void *args, const char *value, struct err *err)
{
	return take_count(args, value, "cpus", LAB_MAX_CPUS, offsetof(struct what_if, cpus), err);
}

static int take_hz(void *args, const char *value, struct err *err)
{
	return take_count(args, value, "hz", 10000, offsetof(struct what_if, hz), err);
}

static int take_threads(void *args, const char *value, struct err *err)
{
	return take_count(args, value, "threads", THREADS_MOST, offsetof(struct what_if, threads), err);
}

static int take_and(void *args, const char *value, struct err *err)
{
	struct what_ifs *ifs = &((struct what_if_args *)args)->ifs;

	(void)value;
	if (!ifs->nr)
		return err_set(err, ERR_INPUT, "replay: --and joins what stands around it: nothing stands before it");
	ifs->join = true;
	return 0;
}

static int take_driver(void *args, const char *value, struct err *err)
{
	return one_of_two("driver", value, "cgroupfs", "systemd", &((struct what_if_args *)args)->ifs.manager.systemd, err);
}

static int take_weights(void *args, const char *value, struct err *err)
{
	return one_of_two("weights", value, "old", "new", &((struct what_if_args *)args)->ifs.manager.new_weights, err);
}

const struct option_row what_if_rows[] = {
	{ .name = "limit", .letter = 'l', .arg = "SPEC", .kind = OPTION_CALL, .take = take_limit,
	  .help = "what if this were the limit: AMOUNT[/PERIOD][+BURST], AMOUNT as 1500m, 1.5, 150%, max, 50ms or us; '*=max': what if every limit of "
		  "the node went, and who would suffer" },
	{ .name = "period", .arg = "TIME", .kind = OPTION_CALL, .take = take_period, .help = "the same share of a CPU by another period (plain: ms)" },
	{ .name = "burst", .arg = "TIME", .kind = OPTION_CALL, .take = take_burst, .help = "the same limit with so much burst (plain: ms)" },
	{ .name = "threads", .arg = "N", .kind = OPTION_CALL, .take = take_threads,
	  .help = "the same work by N threads, which take it from a common queue" },
	{ .name = "kernel", .letter = 'k', .arg = "ROW", .kind = OPTION_CALL, .take = take_kernel, .complete = "@row",
	  .help = "another kernel: a row (fairground kernels lists them), what uname -r says, or a distribution as in debian-12" },
	{ .name = "rule", .letter = 'r', .arg = "NAME=VALUE", .kind = OPTION_CALL, .take = take_rule, .complete = "@rule", .help = "another rule of the kernel" },
	{ .name = "tunable", .letter = 't', .arg = "NAME=VALUE", .kind = OPTION_CALL, .take = take_tunable,
	  .help = "a tunable, in the unit its name carries" },
	{ .name = "cpus", .arg = "N", .kind = OPTION_CALL, .take = take_cpus, .help = "another number of CPUs, 1 to 1024" },
	{ .name = "hz", .arg = "N", .kind = OPTION_CALL, .take = take_hz, .complete = "100 250 300 1000", .help = "other timer ticks per second and CPU" },
	{ .name = "topology", .arg = "WHAT", .kind = OPTION_CALL, .take = take_topology, .complete = "@machine",
	  .help = "another machine, by what its CPUs share: as in \"2n x 24c x 2t\", a name as in c5.9xlarge, a file of fairground machine --snapshot, or flat" },
	{ .name = "limits-from", .arg = "[GROUP=]PATH", .kind = OPTION_CALL, .take = take_from, .complete = "@file",
	  .help = "the limit that a Kubernetes manifest, a systemd unit or a cgroup directory says" },
	{ .name = "driver", .arg = "NAME", .kind = OPTION_CALL, .take = take_driver, .complete = "cgroupfs systemd",
	  .help = "how the container runtime writes a manifest's limits: cgroupfs (default) or systemd, which rounds up to whole percents" },
	{ .name = "weights", .arg = "WHICH", .kind = OPTION_CALL, .take = take_weights, .complete = "old new",
	  .help = "how it turns CPU requests into cpu.weight: old (default; 1 CPU is 39) or new (runc 1.4, crun 1.23 and later; 1 CPU is 100)" },
	{ .name = "and", .kind = OPTION_CALL, .take = take_and, .help = "the option behind it belongs to the what-if before it" },
	{ 0 },
};

/* ---- the limit ---- */

static int read_limit(const struct what_if *w, const struct traced *t, struct recover_limit *out, struct err *err)
{
	const char *group = t->rec.sc.groups[0].path;
	struct limit limit;

	if (limit_parse(w->limit, &limit, err))
		return -1;
	if (limit.group && (strlen(group) != limit.group_len || memcmp(group, limit.group, limit.group_len))) {
		err_set(err, ERR_INPUT, "--limit %s: the group of this trace is %s", w->limit, group);
		err_hint(err, "leave the group out: a trace has one");
		return -1;
	}
	out->period = limit_period(&limit, w->has_period ? w->period : t->limit.period);
	out->quota = limit_quota(&limit, w->has_period ? w->period : t->limit.period);
	out->burst = limit.has_burst ? limit.burst : 0;
	return 0;
}

/* What the file would write into a group of that name. */
static int limit_from(const struct what_if *w, const struct what_ifs *all, const struct traced *t, struct recover_limit *out, struct err *err)
{
	struct group_spec g = { .path = t->rec.sc.groups[0].path, .declared = true };
	struct warnings notes = { 0 };
	struct scenario sc;
	int ret;

	scenario_init(&sc);
	sc.machine.cgroup = 2;
	sc.groups = &g;
	sc.nr_groups = 1;
	ret = scenario_set_limits_from(&sc, w->from, &all->manager, &notes, err);
	for (u32 i = 0; i < notes.nr; i++) {
		char text[2048];

		fprintf(stderr, "fairground: note: %s\n", err_text(&notes.list[i], text, sizeof(text)));
	}
	*out = (struct recover_limit){ .quota = NEVER, .period = LIMIT_PERIOD };
	for (u32 i = 0; !ret && i < g.nr_writes; i++) {
		if (!strcmp(g.writes[i].file, "cpu.max"))
			limit_from_max(g.writes[i].value, &out->quota, &out->period);
		else if (!strcmp(g.writes[i].file, "cpu.max.burst"))
			out->burst = strtoull(g.writes[i].value, NULL, 10) * US;
	}
	warnings_free(&notes);
	scenario_free(&sc);
	return ret;
}

static int no_limit(const char *option, struct err *err)
{
	err_set(err, ERR_INPUT, "replay: --%s changes a limit, and none shows in this recording", option);
	err_hint(err, "say which it was by --recorded LIMIT, or join the option to a limit: --limit 500m --and --%s ...", option);
	return -1;
}

int what_if_limit(const struct what_if *w, const struct what_ifs *all, const struct traced *t, struct recover_limit *out, struct err *err)
{
	*out = t->limit;
	if (w->limit && read_limit(w, t, out, err))
		return -1;
	if (w->from && limit_from(w, all, t, out, err))
		return -1;
	if (w->has_period && !w->limit) {
		if (out->quota == NEVER)
			return no_limit("period", err);
		out->quota = max_u64((u64)((double)out->quota * (double)w->period / (double)out->period) / US * US, US);
		out->period = w->period;
	}
	if (w->has_burst) {
		if (out->quota == NEVER)
			return no_limit("burst", err);
		out->burst = w->burst;
	}
	out->phase = out->period ? t->limit.phase % out->period : 0;
	return 0;
}

/* ---- the scenario ---- */

bool what_if_changes_machine(const struct what_if *w) { return w->kernel || w->rule || w->tunable || w->cpus || w->hz || w->topology; }

static int set_cpus(struct scenario *sc, u64 cpus, struct err *err)
{
	for (u32 i = 0; i < sc->nr_tasks; i++) {
		const u64 *mask = sc->tasks[i].cpus;
		bool any = !mask;

		for (u64 k = 0; mask && k < cpus; k++)
			any |= mask[k / 64] >> (k % 64) & 1;
		if (!any)
			return err_set(err, ERR_INPUT, "replay: --cpus %" PRIu64 ": %s ran only on CPUs beyond", cpus, sc->tasks[i].name);
	}
	sc->machine.cpus = (int)cpus;
	return 0;
}

int what_if_scenario(const struct what_if *w, const struct traced *t, struct scenario *sc, struct err *err)
{
	struct variant v = { .kernel = w->kernel, .hz = w->hz, .topology = w->topology, .cpus = w->topology ? w->cpus : 0 };

	if (t->nr_ways && w->threads)
		return err_set(err, ERR_INPUT, "replay: --threads needs a recording of events: counters do not tell what threads gave each other to do");
	*sc = t->rec.sc;
	if (t->nr_ways)
		recover_place(sc, &t->ways[w->way]);
	arena_init(&sc->mem, t->rec.sc.mem.get, t->rec.sc.mem.put, t->rec.sc.mem.ctx);
	if (w->rule)
		v.rules[v.nr_rules++] = w->rule;
	if (w->tunable)
		v.tunables[v.nr_tunables++] = w->tunable;
	if (w->kernel) { /* its rules and its HZ are those of another one */
		sc->kernel = (struct kernel_spec){ 0 };
		v.hz = w->hz ? w->hz : sc->machine.hz;
	}
	if (variant_apply(sc, &v, err) || (w->cpus && set_cpus(sc, w->cpus, err)))
		return -1;
	return w->threads ? rethread(sc, &t->rec, &t->tl, (u32)w->threads, err) : 0;
}

void what_if_free(struct scenario *sc) { arena_fini(&sc->mem); }

/* ---- what it is called ---- */

static void add(char *buf, const char *what, const char *value)
{
	size_t len = strlen(buf);

	snprintf(buf + len, WHAT_IF_LABEL - len, "%s%s%s", len ? ", " : "", what, value);
}

static void add_limit(char *buf, const struct what_if *w, const struct recover_limit *limit)
{
	char quota[FORMAT_MAX], period[FORMAT_MAX], text[WHAT_IF_LABEL];

	if (!strchr(w->limit, '/') && limit->quota != NEVER)
		snprintf(text, sizeof(text), "%.80s = %s/%s ms", w->limit, format_ms(quota, limit->quota), format_ms(period, limit->period));
	else
		snprintf(text, sizeof(text), "%.80s", w->limit);
	add(buf, "", text);
}

char *what_if_label(const struct what_if *w, const struct recover_limit *limit, char *buf)
{
	char number[FORMAT_MAX];

	buf[0] = '\0';
	if (w->limit)
		add_limit(buf, w, limit);
	if (w->from) {
		add(buf, w->from, ": ");
		snprintf(buf + strlen(buf), WHAT_IF_LABEL - strlen(buf), "%s", format_limit(number, limit->quota, limit->period));
	}
	if (w->has_period)
		add(buf, "period ", format_time(number, w->period));
	if (w->has_burst)
		add(buf, "burst ", format_time(number, w->burst));
	if (w->kernel)
		add(buf, "kernel ", w->kernel);
	if (w->rule)
		add(buf, "", w->rule);
	if (w->tunable)
		add(buf, "", w->tunable);
	if (w->topology)
		add(buf, "machine ", w->topology);
	snprintf(number, sizeof(number), "%" PRIu64, w->threads);
	if (w->threads)
		add(buf, number, w->threads == 1 ? " thread" : " threads");
	snprintf(number, sizeof(number), "%" PRIu64, w->cpus);
	if (w->cpus)
		add(buf, number, w->cpus == 1 ? " CPU" : " CPUs");
	snprintf(number, sizeof(number), "%" PRIu64, w->hz);
	if (w->hz)
		add(buf, number, " Hz");
	return buf;
}
