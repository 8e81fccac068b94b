/* SPDX-License-Identifier: MIT */
/*
 * measure_facts.c - what is assumed of the kernel and the machine, and where from.
 *
 * Law: what the command line says beats what was found, and what was found beats the scenario's file: that describes another machine.
 */
#include "cli/measure_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/load.h"
#include "core/model.h"
#include "input/scenario_file.h"
#include "live/file.h"
#include "live/plan.h"

#define HZ_ASSUMED 250
#define BELIEVED_LATE (300 * US) /* later than any idle machine wakes a thread: others were in the way */

void facts_say(struct facts *f, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (f->nr < FACTS_MAX)
		f->said[f->nr] = arena_strdup(f->mem, text);
	if (f->nr < FACTS_MAX && f->said[f->nr])
		f->nr++;
}

int facts_read(struct facts *f, struct arena *mem, struct err *err)
{
	memset(f, 0, sizeof(*f));
	f->mem = mem;
	return detect_kernel(NULL, &f->kernel, err) || host_read(&f->host, err) ? -1 : 0;
}

/* ---- kernel ---- */

/* The row behind @row; NULL for the newest. */
static const char *next_row(const char *row)
{
	int i;

	for (i = 0; model_row_name(i); i++)
		if (model_row_parent(i) && !strcmp(model_row_parent(i), row) && strchr(model_row_name(i), '.') == strrchr(model_row_name(i), '.'))
			return model_row_name(i);
	return NULL;
}

/* Is "6.18.44-x" of the series of row "6.18"? */
static bool same_series(const char *row, const char *release)
{
	size_t len = strlen(row);

	return !strncmp(row, release, len) && (release[len] < '0' || release[len] > '9');
}

/* Rules in which the next row is another one: this kernel may have them already. */
static void say_doubt(struct facts *f, const char *row)
{
	const char *newer = next_row(row);
	struct kernel_model a, b;
	char list[400] = "", value[64];
	size_t n = 0;
	int i;

	if (!newer || same_series(row, f->kernel.kernel.release) || model_init(&a, row) || model_init(&b, newer))
		return;
	for (i = 0; i < NR_RULES; i++)
		if (a.rule[i] != b.rule[i] && n < sizeof(list) - 80)
			n += (size_t)snprintf(list + n, sizeof(list) - n, " %s=%s", rule_info((enum rule)i)->name,
					      model_rule_value(&b, (enum rule)i, value, sizeof(value)));
	facts_say(f, "between row %s and the next, %s, these came, and this kernel may have them:%s; --rule tries one", row, newer, list);
}

static int set_row(struct facts *f, struct scenario *sc, struct err *err)
{
	const struct distro_kernel *k = &f->kernel.kernel;
	int i;

	if (!k->row) {
		err_set(err, ERR_INPUT, "kernel %s is older than every row there is", k->release);
		err_hint(err, "name the row to predict it by: --kernel ROW");
		return -1;
	}
	if (scenario_set_kernel(sc, k->row, err))
		return -1;
	for (i = 0; i < DISTRO_RULES_MAX && k->rules[i]; i++)
		if (scenario_add_rule(sc, k->rules[i], err))
			return -1;
	facts_say(f, "the rules of row %s for kernel %s%s%s: %s; not known: %s", k->row, k->release, k->distro ? " of " : "",
		  k->distro ? k->distro : "", k->exact || same_series(k->row, k->release) ? "the same series" : "the nearest that is not newer",
		  k->distro ? k->doubt : "what was back-ported to it");
	if (k->rules[0])
		facts_say(f, "in spite of the row: %s", k->rules[0]);
	say_doubt(f, k->row);
	return 0;
}

static void say_no_granularity(struct facts *f)
{
	static const char file[] = "/sys/kernel/debug/sched/base_slice_ns";
	char text[32];
	int ret = file_read(file, text, sizeof(text));

	facts_say(f, "time slices as the row has them: %s: %s", file, ret == -ENOENT ? "not there; is debugfs mounted?" : strerror(-ret));
}

static int set_tunables(struct facts *f, struct scenario *sc, struct err *err)
{
	struct host_tunable t[HOST_TUNABLES_MAX];
	u32 i, nr = host_tunables("/proc", "/sys", t);
	bool granularity = false;
	char text[96];

	for (i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), "%s=%" PRIu64, t[i].name, t[i].value);
		if (scenario_set_tunable(sc, text, err))
			return -1;
		granularity = granularity || strstr(t[i].name, "base_slice") || strstr(t[i].name, "min_granularity");
		facts_say(f, "%s: %s", text, t[i].from);
	}
	if (!granularity)
		say_no_granularity(f);
	return 0;
}

static void set_hz(struct facts *f, struct scenario *sc)
{
	u32 hz = host_tick_hz();

	if (f->kernel.hz) {
		sc->machine.hz = f->kernel.hz;
		facts_say(f, "%" PRIu32 " Hz: %s", f->kernel.hz, f->kernel.hz_from);
	} else if (hz) {
		sc->machine.hz = hz;
		facts_say(f, "%" PRIu32 " Hz: measured, as the step of the coarse clock; no kernel configuration can be read here", hz);
	} else {
		sc->machine.hz = HZ_ASSUMED;
		facts_say(f, "%d Hz: assumed; neither a kernel configuration nor the coarse clock tells", HZ_ASSUMED);
	}
}

static void set_preempt(struct facts *f, struct scenario *sc)
{
	sc->machine.preempt = f->kernel.preempt;
	if (f->kernel.preempt >= 0)
		facts_say(f, "preemption %s: %s", preempt_name(f->kernel.preempt), f->kernel.preempt_from);
	else
		facts_say(f, "preemption as the row has it: nothing here says which");
}

/* The file's kernel is another machine's. */
static int set_kernel(struct facts *f, struct scenario *sc, const struct variant *v, struct err *err)
{
	sc->kernel.nr_rules = sc->kernel.nr_tunables = 0;
	if (set_tunables(f, sc, err))
		return -1;
	set_hz(f, sc);
	set_preempt(f, sc);
	if (!v->kernel)
		return set_row(f, sc, err);
	facts_say(f, "the rules of row %s: as asked; the kernel here is %s", v->kernel, f->kernel.kernel.release);
	return 0;
}

/* ---- machine ---- */

static bool are_default(const struct costs *c)
{
	struct costs d = costs_default();

	return !memcmp(c, &d, sizeof(d));
}

/* What this machine's wakeups cost, tried outside any case: under a hypervisor ten times what they cost on a bare machine. */
static void set_wakes(struct facts *f, struct scenario *sc)
{
	struct costs *c = &sc->machine.costs;
	struct host_wakes w;

	if (!are_default(c)) {
		facts_say(f, "costs as the scenario has them");
		return;
	}
	host_wakes(&w);
	if (!w.cost || w.late > BELIEVED_LATE) {
		facts_say(f, "default costs: what a wakeup costs here could not be told, %.0f us late as it was", (double)w.late / (double)US);
		return;
	}
	f->wake_varies = min_u64(w.varies, BELIEVED_LATE);
	if (w.cost > c->switch_ + c->wakeup)
		c->wakeup = w.cost - c->switch_;
	if (w.late > c->switch_ + c->wakeup + c->idle_exit)
		c->idle_exit = w.late - c->switch_ - c->wakeup;
	facts_say(f, "a timer wakes a thread %.0f us late here and costs it %.0f us of CPU time (tried before the runs): wakeup %.1f us, idle_exit "
		     "%.1f us, other costs by default",
		  (double)w.late / (double)US, (double)w.cost / (double)US, (double)c->wakeup / (double)US, (double)c->idle_exit / (double)US);
}

/* plan_fit() has looked at this machine; what was asked for beats it where it fits. */
static void say_topology(struct facts *f, struct scenario *sc, const struct topology *asked)
{
	const char *how = sc->machine.topology ? "what they share as /sys tells" : "all alike: /sys does not tell what they share";

	if (asked && asked->nr_cpus == sc->machine.cpus) {
		sc->machine.topology = asked;
		how = "what they share as asked";
	}
	facts_say(f, "%d CPU%s, %s; the scenario is on %d of them%s", f->host.online, f->host.online == 1 ? "" : "s", how, f->used_cpus,
		  f->used_cpus > 1 ? ", and whose tick comes first is drawn each time" : "");
}

static int set_machine(struct facts *f, struct scenario *sc, const struct variant *v, struct err *err)
{
	const struct topology *asked = v->topology ? sc->machine.topology : NULL;

	set_wakes(f, sc);
	f->used_cpus = sc->machine.cpus;
	sc->history = true; /* threads that have been set up have run before */
	if (plan_fit(sc, &f->host, err))
		return -1;
	say_topology(f, sc, asked);
	return 0;
}

/* ---- cgroups ---- */

static int set_cgroups(struct facts *f, struct scenario *sc, const struct cgroups *cg, struct err *err)
{
	char above[CGROUPS_DIR_MAX + 80];
	bool changed = false;

	if (plan_words(sc, cg->version, &changed, err))
		return -1;
	facts_say(f, "cgroup v%d in %s%s", cg->version, cg->cpu, changed ? ", the scenario's limits put into its words" : "");
	if (cgroups_limit_above(cg, above, sizeof(above)))
		facts_say(f, "a group above has a limit, which the model does not know: %s", above);
	if (cg->plain)
		facts_say(f, "%s is no cgroup file system: nothing is limited there", cg->cpu);
	if (cgroups_rights(cg, err))
		return -1;
	if (cg->version == 1 && !*cg->acct)
		facts_say(f, "no group of the cpuacct hierarchy may be written to beside it: the CPU time of groups is not known");
	return 0;
}

/* Those that move the figures of a measurement, of the row and of what the command line made of it. */
void facts_say_rules(struct facts *f, const struct kernel_model *model)
{
	static const enum rule rules[] = { RULE_BW_EXPIRY, RULE_BW_POOL, RULE_BW_SLACK_TIMER, RULE_BW_REFILL, RULE_BW_UNTHROTTLE, RULE_BW_THROTTLE,
					   RULE_BW_PHASE, RULE_BW_EMPTY_TIME, RULE_PICK, RULE_SLICE_PROTECT, RULE_DELAY_DEQUEUE, RULE_HRTICK };
	char list[400] = "", value[64];
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(rules) && n < sizeof(list) - 80; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, " %s=%s", rule_info(rules[i])->name,
				      model_rule_value(model, rules[i], value, sizeof(value)));
	facts_say(f, "so, of the rules that matter most here:%s; all of them: fairground kernels %s", list, model->row);
}

int facts_apply(struct facts *f, struct scenario *sc, const struct variant *v, const struct cgroups *cg, struct err *err)
{
	if (set_kernel(f, sc, v, err) || variant_apply(sc, v, err) || plan_check(sc, &f->host, err))
		return -1;
	if (v->hz)
		facts_say(f, "%" PRIu64 " Hz in the model: as asked", v->hz);
	return set_cgroups(f, sc, cg, err) || set_machine(f, sc, v, err) ? -1 : 0;
}
