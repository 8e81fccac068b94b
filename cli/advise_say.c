/* SPDX-License-Identifier: MIT */
/*
 * advise_say.c - what a change costs and how sure it is.
 *
 *	high	the scenario itself, under the row it names
 *	medium	another kernel, neighbours that are not in the scenario, or a recording of which all is known
 *	low	fewer threads: the program itself would be another; or a recording in which the group also waited for others, or was busy
 *		to its end, so that what it wants is not known
 *	one less where a time misses the target by less than 5 %
 */
#include "cli/advise_say.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain_scenario.h"
#include "input/limits.h"
#include "text/format.h"

/* ---- how sure ---- */

/* A thread that was busy to the end would have wanted more than the recording shows. */
static bool wants_unknown(const struct traced *t)
{
	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++)
		if (t->rec.threads[i].busy_to_end)
			return true;
	return false;
}

static const char *sure(const struct advice *a, const struct trial *t)
{
	static const char *const words[] = { "low", "medium", "high" };
	const struct target *target = &a->s->target;
	int level = 2;

	if (a->s->traced)
		level = a->s->traced->guess.wait_time || wants_unknown(a->s->traced) ? 0 : 1;
	if (t->change.kernel || t->change.quota == NEVER)
		level = level < 1 ? level : 1;
	if (t->change.threads)
		level = 0;
	if (target->of_latency && t->row.hi + target->most / 20 > target->most && level)
		level--;
	return words[level];
}

/* ---- prices ---- */

static void price_limit(const struct advice *a, struct trial *t)
{
	u64 milli = quota_milli(t->change.quota, t->change.period), now = quota_milli(a->s->quota, a->s->period);
	const struct result *res = a->now.row.fates.result;
	u64 span = res->end - res->start, used = span ? (u64)((double)a->now.row.fates.at.usage * 1000 / (double)span) : 0;

	if (a->s->quota == NEVER)
		snprintf(t->price, sizeof(t->price), "at most %" PRIu64 "m where nothing held it back; it uses %" PRIu64 "m on average", milli, used);
	else if (milli < now)
		snprintf(t->price, sizeof(t->price), "%" PRIu64 "m less than now; it uses %" PRIu64 "m on average", now - milli, used);
	else
		snprintf(t->price, sizeof(t->price), "%+" PRId64 "m that it may take from neighbours; it uses %" PRIu64 "m on average",
			 (s64)milli - (s64)now, used);
}

static void price_period(const struct advice *a, struct trial *t)
{
	char mine[FORMAT_MAX], now[FORMAT_MAX];

	snprintf(t->price, sizeof(t->price), "pauses up to %s ms (now %s); Kubernetes sets it for a whole node only", format_ms(mine, t->row.pause_hi),
		 format_ms(now, a->now.row.pause_hi));
}

static void price_burst(const struct advice *a, struct trial *t)
{
	char burst[FORMAT_MAX], borrowed[FORMAT_MAX];

	(void)a;
	snprintf(t->price, sizeof(t->price), "up to %s ms more in one period, saved up before (%s ms borrowed in the run); neither kubelet nor systemd sets it",
		 format_ms(burst, t->change.burst), format_ms(borrowed, t->row.borrowed_hi));
}

static void price_threads(const struct advice *a, struct trial *t)
{
	u64 mine = t->row.fates.at.usage, now = a->now.row.fates.at.usage;

	snprintf(t->price, sizeof(t->price), "less at once: %.0f%% of the CPU time of now; the same work only where threads take it from a common queue",
		 now ? (double)mine * 100 / (double)now : 0);
}

static void price_free(const struct advice *a, struct trial *t)
{
	snprintf(t->price, sizeof(t->price), "nothing but its weight holds it when CPUs are short, and nothing at all when they are not (up to %d CPUs)",
		 a->s->cpus);
}

static void price(const struct advice *a, struct trial *t)
{
	const struct change *c = &t->change;

	if (c->threads)
		price_threads(a, t);
	else if (c->quota == NEVER)
		price_free(a, t);
	else if (c->burst && c->burst != a->s->burst)
		price_burst(a, t);
	else if (c->period != a->s->period && a->s->quota != NEVER)
		price_period(a, t);
	else if (c->kernel)
		snprintf(t->price, sizeof(t->price), "another kernel on the node, for everything that runs there");
	else
		price_limit(a, t);
	t->row.price = t->price;
	t->row.confidence = sure(a, t);
}

void advice_price(struct advice *a)
{
	if (a->found)
		price(a, a->is_free ? &a->free_run : &a->answer);
	for (u32 i = 0; i < a->nr_alternatives; i++)
		price(a, &a->alternatives[i]);
}

/* ---- to paste ---- */

/* The last part of the group's path where it can stand in a shell's line as it is. */
static const char *container(const struct advice *a)
{
	const char *name = strrchr(a->s->group, '/');

	name = name ? name + 1 : a->s->group;
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.")] ? name : "CONTAINER";
}

void advice_paste(struct sentences *out, const struct advice *a)
{
	u64 milli = quota_milli(a->answer.change.quota, a->period);
	bool usual = a->period == LIMIT_PERIOD;

	if (!a->found || a->is_free)
		return;
	sentences_add(out, "Kubernetes  kubectl patch deployment NAME -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"%s\",\"resources\":"
			   "{\"limits\":{\"cpu\":\"%" PRIu64 "m\"}}}]}}}}'", container(a), milli);
	sentences_add(out, "systemd     CPUQuota=%" PRIu64 ".%" PRIu64 "%%", milli / 10, milli % 10);
	if (!usual)
		sentences_add(out, "            CPUQuotaPeriodSec=%" PRIu64 "us", a->period / US);
	if (usual)
		sentences_add(out, "docker      --cpus=%" PRIu64 ".%03" PRIu64, milli / 1000, milli % 1000);
	else
		sentences_add(out, "docker      --cpu-quota=%" PRIu64 " --cpu-period=%" PRIu64, a->answer.change.quota / US, a->period / US);
	sentences_add(out, "cgroup v2   echo '%" PRIu64 " %" PRIu64 "' > cpu.max", a->answer.change.quota / US, a->period / US);
}

static void say_rounding(struct sentences *out, const struct advice *a)
{
	static const struct { enum limit_driver driver; const char *who; } rows[] = {
		{ DRIVER_KUBELET, "kubelet" }, { DRIVER_RUNC_SYSTEMD, "runc under the systemd cgroup driver" }, { DRIVER_SYSTEMD, "systemd" },
	};
	char from[FORMAT_MAX], to[FORMAT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct limit limit = { .amount = a->answer.change.quota, .has_period = true, .period = a->period };

		if (limit_drive(&limit, rows[i].driver))
			sentences_add(out, "%s makes %s of %s.", rows[i].who, format_limit(to, limit.amount, limit.period),
				      format_limit(from, a->answer.change.quota, a->period));
	}
	if (a->period != LIMIT_PERIOD)
		sentences_add(out, "Kubernetes has no period for a container: the patch is right only where the node's kubelet has cpuCFSQuotaPeriod: %" PRIu64
			      "ms.", a->period / MS);
}

/* ---- sentences ---- */

static const char *value_text(const struct advice *a, u64 value, char *buf)
{
	if (a->s->target.of_latency)
		return format_time(buf, value);
	snprintf(buf, FORMAT_MAX, "%.3g %% throttled", (double)value / 1e4);
	return buf;
}

static void say_proof(struct sentences *out, const struct advice *a)
{
	char at[FORMAT_MAX], below[FORMAT_MAX];

	if (!a->found) {
		if (a->s->target.of_latency && !a->free_run.row.fates.at.nr_latency)
			sentences_add(out, "No loop of the group ended in the run, so it has no latency: --no-throttle needs none, --duration makes the run longer.");
		else
			sentences_add(out, "No limit meets it: without any limit it is %s.", value_text(a, a->free_run.row.hi, at));
		return;
	}
	if (a->is_free)
		sentences_add(out, "Even a limit of all %d CPUs misses it (%s); only without a limit it is met.", a->s->cpus,
			      value_text(a, a->highest.row.hi, at));
	else if (a->has_below)
		sentences_add(out, "Proved by runs at %u phases: at %s the worst is %s, at %s it is %s.", a->s->phases, a->answer.name,
			      value_text(a, a->answer.row.hi, at), a->below.name, value_text(a, a->below.row.hi, below));
	else
		sentences_add(out, "%s meets it, and kernels take no smaller quota than 1 ms.", a->answer.name);
}

static void say_curve(struct sentences *out, const struct advice *a)
{
	for (u32 i = 0; i < a->nr_curve; i++) {
		const struct trial *t = &a->curve[i];

		if (!a->found || a->is_free || t->row.met || t->change.quota <= a->answer.change.quota)
			continue;
		sentences_add(out, "Not every higher limit meets it: %s does not. Where refills and requests keep step, more can be worse; take one "
			      "well above.", t->name);
		return;
	}
}

/* pause = period - quota / threads */
static void say_threads(struct sentences *out, const struct advice *a)
{
	u32 all = subject_threads(a->s), fit;
	char quota[FORMAT_MAX], run[FORMAT_MAX], pause[FORMAT_MAX], period[FORMAT_MAX], fits[64] = "even one alone uses it up";
	char who[24];
	u64 each;

	if (a->s->quota == NEVER || all < 2 || (u32)a->s->cpus < all)
		return;
	each = a->s->quota / all;
	fit = (u32)(a->s->quota / a->s->period);
	if (each >= a->s->period)
		return;
	if (fit)
		snprintf(fits, sizeof(fits), "%u at once need no more than the quota", fit);
	snprintf(who, sizeof(who), all == 2 ? "Both" : "All %u", all);
	sentences_add(out, "%s threads at once use %s ms up in %s ms and pause for %s ms of each %s ms; %s.", who, format_ms(quota, a->s->quota),
		      format_ms(run, each), format_ms(pause, a->s->period - each), format_ms(period, a->s->period), fits);
}

static void say_tick(struct sentences *out, const struct advice *a)
{
	u32 hz = a->s->traced ? a->s->traced->rec.sc.machine.hz : a->s->base.machine.hz;
	char tick[FORMAT_MAX];

	for (u32 i = 0; i < a->nr_alternatives; i++) {
		const struct change *c = &a->alternatives[i].change;

		if (c->quota == NEVER || c->quota > SEC / hz || c->period == a->s->period)
			continue;
		sentences_add(out, "At %u Hz limits act on ticks of %s ms: a quota no longer than that (%s and shorter) is overrun each time and paid back later.",
			      hz, format_ms(tick, SEC / hz), a->alternatives[i].name);
		return;
	}
}

static void say_burst(struct sentences *out, const struct advice *a)
{
	char most[FORMAT_MAX];

	for (u32 i = 0; i < a->nr_alternatives; i++) {
		struct kernel_model m = a->s->model;
		const struct trial *t = &a->alternatives[i];

		if (!t->change.burst || t->change.burst == a->s->burst)
			continue;
		if (t->change.kernel)
			model_init(&m, t->change.kernel);
		sentences_add(out, "The largest burst a kernel takes is the quota, %s ms%s.", format_ms(most, a->s->quota),
			      m.rule[RULE_BW_BURST_UNIT] == BW_BURST_DIVIDED ?
				      "; up to 6.9, rewriting cpu.max divides the stored burst by 1000: write cpu.max.burst again after it" : "");
		return;
	}
}

void advice_say(struct sentences *out, const struct advice *a)
{
	say_proof(out, a);
	if (a->now.row.met)
		sentences_add(out, "As it is now the target is met; no alternatives were tried.");
	say_curve(out, a);
	if (a->nr_alternatives) {
		say_threads(out, a);
		say_burst(out, a);
		say_tick(out, a);
	}
	if (a->found && !a->is_free)
		say_rounding(out, a);
	if (a->s->traced)
		say_limits_of_trace(out, a->s->traced);
}
