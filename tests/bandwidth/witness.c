/* SPDX-License-Identifier: MIT */
/*
 * witness.c - no rule without a witness.
 *
 *	rule x value ---> one small machine, that rule flipped and nothing else ---> one figure, and the sentence behind it
 *
 * Every rule whose name begins with bw_ stands here, and each two of its values differ in the figure of some row
 *.  A rule that changes no figure is dead or untested: then this file fails.
 */
#include "tests/test.h"

#include "core/model.h"
#include "tests/bandwidth/figures.h"

/* ---- the table ---- */

static const struct witness {
	const char *rule;
	const char *row, *also; /* what else must be so */
	s64 (*figure)(const struct under *u);
	const char *name; /* of the figure */
	struct {
		const char *value;
		s64 figure;
	} shows[4];
	const char *sentence;
} witnesses[] = {
	{ "bw_expiry", "4.14", NULL, expired_around_a_late_refill, "ns expired around a late refill",
	  { { "none", 0 }, { "deadline", 1 * MS }, { "inverted", 2 * MS }, { "seq", 1 * MS } },
	  "4.2: extend while the global deadline has not advanced, expire when it has; inverted: the opposite (bw-22)" },
	{ "bw_expiry", "4.14", NULL, slack_after_a_shorter_period, "ns of slack destroyed after the period was shortened",
	  { { "none", 0 }, { "deadline", 3500 * US }, { "inverted", 3500 * US }, { "seq", 0 } },
	  "4.1: by deadline a queue takes over only a later one, by sequence any new one; 3.4: slack needs equal deadlines" },
	{ "bw_restart", "4.14.133", NULL, pool_after_idle, "ns in the pool after two short runs",
	  { { "refill", 8 * MS - 20 * US }, { "keep", 0 }, { "advance", 8 * MS - 20 * US } },
	  "C1: where the restart leaves the deadline in the past, all slack of the first period is destroyed" },
	{ "bw_restart", "4.14.133", NULL, granted_after_idle, "ns granted since the start",
	  { { "refill", 30 * MS }, { "keep", 20 * MS }, { "advance", 20 * MS } },
	  "2.2: in B1 and B2 a request that arms the timer first refills" },
	{ "bw_list", "4.14", NULL, turn_of_cpu_20, "ns that CPU 20 of 36 ran in 3 s",
	  { { "tail", 12 * MS }, { "head", 4 * MS }, { "mixed", 12 * MS } },
	  "7.3: FIFO gives each queue its turn, LIFO serves the most recently throttled first (bw-13, bw-14)" },
	{ "bw_list", "5.3", NULL, throttled_during_a_walk, "ns held by a queue throttled during a walk",
	  { { "tail", -75 * (s64)MS - 2 }, { "head", -85 * (s64)MS }, { "mixed", -85 * (s64)MS } },
	  "7.1: queues throttled during a distribution go to the list head so the running walk does not see them" },
	{ "bw_pool", "5.10", NULL, drawn_during_a_walk, "ns held by a CPU that asks during a walk",
	  { { "hidden", -12 * (s64)MS }, { "shared", 3 * MS }, { "exact", -3 * (s64)MS - 1 } },
	  "7.1: the pool is hidden during distribution, visible and snapshotted (so spent twice), or exact" },
	{ "bw_slack_timer", "5.10", NULL, release_by_slack, "when the hog runs again",
	  { { "grid", 10 * MS }, { "restart", 13 * MS }, { "fixed", 10100 * US } },
	  "3.4: next multiple of 5 ms; 5 ms from now, restarted by each further return; exactly 5 ms from the first return" },
	{ "bw_throttled_draw", "4.18", NULL, pool_after_moving_into_a_throttled_queue, "ns in the pool",
	  { { "off", 4 * MS }, { "on", 0 } },
	  "3.1: before 5.3 a throttled queue could take runtime" },
	{ "bw_throttle", "6.1", NULL, end_of_the_first_run, "when a thread inside a system call is stopped",
	  { { "group", 5 * MS }, { "task", 34 * MS }, { "charge", 34 * MS } },
	  "6.1: a task in the kernel runs on until it returns to user mode; to 6.17 the group leaves as a whole (bw-31)" },
	{ "bw_throttle", "6.1", NULL, held_after_the_first_wakeup, "ns held after the first wakeup",
	  { { "group", 5 * MS }, { "task", 5 * MS }, { "charge", 1 } },
	  "3.2: from 7.2 the request at the first enqueue is for 1 ns only (bw-33)" },
	{ "bw_stretch", "5.10", NULL, stretched_period, "the period after a callback of five periods",
	  { { "none", 1 * MS }, { "scaled", 1148437 }, { "doubled", 2 * MS } },
	  "2.4: at the fourth loop nothing, x 147/128, or x 2 (bw-30)" },
	{ "bw_stretch_late", "5.4", NULL, granted_while_stretching, "ns granted by a callback of five periods",
	  { { "off", 7 * MS }, { "on", 6 * MS } },
	  "2.4: until 5.7 the stretch comes before that iteration's refill, which so grants the larger quota" },
	{ "bw_reask", "5.10", NULL, throttled_although_slack_came_back, "throttled or not",
	  { { "off", 1 }, { "on", 0 } },
	  "5.1: throttling first requests 1 ns; if the pool meanwhile has runtime the throttle is cancelled" },
	{ "bw_refill", "5.15", NULL, pool_after_an_idle_period, "ns in the pool",
	  { { "set", 20 * MS }, { "add", 30 * MS } },
	  "2.3: R = Q up to 5.13, then R = min(R + Q, Q + B)" },
	{ "bw_burst_stat", "6.1", NULL, bursts_counted, "nr_bursts",
	  { { "off", 0 }, { "on", 1 } },
	  "2.3: from 5.16 a refill counts a burst where more than the quota was granted" },
	{ "bw_burst_unit", "6.1", NULL, burst_after_a_write_of_cpu_max, "ns of burst left",
	  { { "right", 10 * MS }, { "divided", 10 * US } },
	  "1.6: cpu.max writes in 5.14 to 6.9 divide the stored burst by 1000 each time" },
	{ "bw_unthrottle", "6.1", NULL, throttled_time_of_a_remote_cpu, "ns throttled in the first period",
	  { { "direct", 80 * MS }, { "ipi", 80 * MS + 8 * US } },
	  "7.2: from 6.3 remote CPUs unthrottle themselves after an IPI; flag and list membership persist until then" },
	{ "bw_phase", "6.1", NULL, first_expiry, "the first expiry",
	  { { "grid", 100 * MS }, { "random", 37 * MS } },
	  "2.1: the initial expiry is 0 up to 6.3, then uniform in [0, 100 ms)" },
	{ "bw_empty_time", "6.1", NULL, throttled_while_empty, "ns throttled, nobody there",
	  { { "counted", 94500 * US }, { "queued", 0 } },
	  "8: up to 6.5 the duration starts when the queue is throttled even if it is empty (bw-26)" },
	{ "bw_empty_time", "6.1", NULL, throttled_then_joined, "ns throttled, somebody there from 60 on",
	  { { "counted", 94500 * US }, { "queued", 40 * MS } },
	  "8: 6.6 to 6.17 it starts at the first enqueue" },
	{ "bw_empty_time", "6.1", "bw_throttle=task", throttled_time_of_a_caller,
	  "ns throttled, flagged at 5, parked at 34, back at 600", 
	  { { "counted", 595 * MS }, { "queued", 595 * MS }, { "parked", 566 * MS } },
	  "8: from 6.18 the duration starts when the first task is parked" },
	{ "bw_stat_local", "6.1", NULL, local_time_of_a_child, "cpu.stat.local of a child",
	  { { "off", 0 }, { "on", 50 * MS } },
	  "8: per queue, time in any throttled hierarchy with tasks" },
	{ "bw_arm_on_throttle", "3.2", NULL, timer_armed_by_a_throttle, "timer armed",
	  { { "off", 0 }, { "on", 1 } },
	  "2.1: throttling arms the timer too, from 3.13" },
	{ "bw_arm_on_write", "5.10", NULL, timer_armed_by_a_write, "timer armed",
	  { { "active", 0 }, { "always", 1 } },
	  "1.6: up to 4.1 only if already active, then started if inactive" },
	{ "bw_write_leaves", "5.10", NULL, left_by_a_write, "ns held",
	  { { "zero", 0 }, { "one", 1 } },
	  "1.6: a write leaves L = 0, from 6.18 1 ns" },
	{ "bw_offline_gift", "5.10", NULL, held_by_the_cpu_that_went, "ns held by the CPU that went",
	  { { "quota", 20 * MS }, { "one", 1 } },
	  "5.4: its queues get a full Q each up to 3.15, later 1 ns (bw-35)" },
	{ "bw_hotplug", "5.10", NULL, held_by_another_cpu, "ns held by another CPU",
	  { { "all", 1 }, { "own", 3 * MS } },
	  "5.4: until 6.13 a hotplug change unthrottled queues on still-active CPUs too" },
	{ "bw_max_quota", "5.10", NULL, answer_to_a_huge_quota, "errno of 2^44 us",
	  { { "off", 0 }, { "on", -22 } },
	  "1.1: quotas above (2^44 - 1) us are refused from 5.8 (bw-36)" },
	{ "bw_v2_hierarchy", "5.10", NULL, answer_to_a_child_above_its_parent, "errno of a child above its parent",
	  { { "refuse", -22 }, { "unlimited", 0 }, { "min", 0 } },
	  "1.5: v2 in 4.15 refuses, since 4.16 never (bw-27)" },
	{ "bw_v2_hierarchy", "5.10", NULL, recorded_ratio_of_an_unlimited_child, "recorded ratio of an unlimited child",
	  { { "refuse", 524288 }, { "unlimited", -1 }, { "min", 524288 } },
	  "1.5: the recorded ratio was unlimited if either side was, until 6.6, which takes the least of the limited ones" },
	{ "bw_child_count", "4.2", NULL, count_of_a_new_child, "throttle_count",
	  { { "off", 0 }, { "on", 1 } },
	  "5.4: a new child group under a throttled parent inherits the count since 4.7" },
};

static s64 figure_of(const struct witness *w, const char *value)
{
	char flipped[64];
	struct under u = { w->row, w->also, flipped };

	snprintf(flipped, sizeof(flipped), "%s=%s", w->rule, value);
	return w->figure(&u);
}

TEST(witness, each_value_shows_its_figure)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(witnesses); i++) {
		const struct witness *w = &witnesses[i];

		for (k = 0; k < ARRAY_SIZE(w->shows) && w->shows[k].value; k++) {
			char title[256];

			snprintf(title, sizeof(title), "%s=%s, %s (%s)", w->rule, w->shows[k].value, w->name, w->sentence);
			CHECK_ROW(figure_of(w, w->shows[k].value), w->shows[k].figure, title);
		}
	}
}

/* ---- completeness ---- */

/* The figure that @w gives for @value of its rule; false where it gives none. */
static bool shown(const struct witness *w, const char *value, size_t len, s64 *figure)
{
	size_t k;

	for (k = 0; k < ARRAY_SIZE(w->shows) && w->shows[k].value; k++) {
		if (strlen(w->shows[k].value) != len || memcmp(w->shows[k].value, value, len))
			continue;
		*figure = w->shows[k].figure;
		return true;
	}
	return false;
}

static bool told_apart(const char *rule, const char *a, size_t alen, const char *b, size_t blen)
{
	size_t i;
	s64 x, y;

	for (i = 0; i < ARRAY_SIZE(witnesses); i++)
		if (!strcmp(witnesses[i].rule, rule) && shown(&witnesses[i], a, alen, &x) &&
		    shown(&witnesses[i], b, blen, &y) && x != y)
			return true;
	return false;
}

TEST(witness, each_two_values_of_a_rule_are_told_apart)
{
	u32 rules = 0;
	int rule;

	for (rule = 0; rule < NR_RULES; rule++) {
		const struct rule_info *info = rule_info((enum rule)rule);
		const char *a, *b;

		if (strncmp(info->name, "bw_", 3))
			continue;
		rules++;
		for (a = info->values; a; a = strchr(a, '|') ? strchr(a, '|') + 1 : NULL) {
			for (b = strchr(a, '|'); b; b = strchr(b, '|')) {
				char title[128];

				b++;
				snprintf(title, sizeof(title), "%s: %.*s against %.*s", info->name, (int)strcspn(a, "|"), a,
					 (int)strcspn(b, "|"), b);
				CHECK_ROW(told_apart(info->name, a, strcspn(a, "|"), b, strcspn(b, "|")), true, title);
			}
		}
	}
	CHECK(rules >= 24);
}

/* Nothing here is about a rule that does not exist. */
TEST(witness, every_row_names_a_rule_and_its_values)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(witnesses); i++) {
		for (k = 0; k < ARRAY_SIZE(witnesses[i].shows) && witnesses[i].shows[k].value; k++) {
			struct kernel_model model;
			char text[64];

			CHECK_EQ(model_init(&model, witnesses[i].row), 0);
			snprintf(text, sizeof(text), "%s=%s", witnesses[i].rule, witnesses[i].shows[k].value);
			CHECK_ROW(model_set_rule(&model, text, NULL), 0, text);
		}
		CHECK_ROW(k >= 2, true, witnesses[i].rule);
	}
}

TEST_MAIN("bandwidth: a witness for every rule")
