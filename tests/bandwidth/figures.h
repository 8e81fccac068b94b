/* SPDX-License-Identifier: MIT */
/* figures.h - small machines, each of which shows one figure that a rule of bandwidth control decides; see witness.c. */
#ifndef TESTS_BANDWIDTH_FIGURES_H
#define TESTS_BANDWIDTH_FIGURES_H

#include "tests/witness.h"

s64 expired_around_a_late_refill(const struct under *u);
s64 slack_after_a_shorter_period(const struct under *u);
s64 pool_after_idle(const struct under *u);
s64 granted_after_idle(const struct under *u);
s64 turn_of_cpu_20(const struct under *u);
s64 throttled_during_a_walk(const struct under *u);
s64 drawn_during_a_walk(const struct under *u);
s64 release_by_slack(const struct under *u);
s64 pool_after_moving_into_a_throttled_queue(const struct under *u);
s64 end_of_the_first_run(const struct under *u);
s64 throttled_time_of_a_caller(const struct under *u);
s64 held_after_the_first_wakeup(const struct under *u);
s64 stretched_period(const struct under *u);
s64 granted_while_stretching(const struct under *u);
s64 throttled_although_slack_came_back(const struct under *u);
s64 pool_after_an_idle_period(const struct under *u);
s64 bursts_counted(const struct under *u);
s64 burst_after_a_write_of_cpu_max(const struct under *u);
s64 throttled_time_of_a_remote_cpu(const struct under *u);
s64 first_expiry(const struct under *u);
s64 throttled_while_empty(const struct under *u);
s64 throttled_then_joined(const struct under *u);
s64 local_time_of_a_child(const struct under *u);
s64 timer_armed_by_a_throttle(const struct under *u);
s64 timer_armed_by_a_write(const struct under *u);
s64 left_by_a_write(const struct under *u);
s64 held_by_the_cpu_that_went(const struct under *u);
s64 held_by_another_cpu(const struct under *u);
s64 answer_to_a_huge_quota(const struct under *u);
s64 answer_to_a_child_above_its_parent(const struct under *u);
s64 recorded_ratio_of_an_unlimited_child(const struct under *u);
s64 cgroup_version_not_said(const struct under *u);
s64 count_of_a_new_child(const struct under *u);

#endif
