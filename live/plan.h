/* SPDX-License-Identifier: MIT */
/*
 * plan.h - turns a scenario into one that this machine can run, and the model with it.
 *
 *	check	refuse what a real machine cannot be told to do
 *	words	limits in the words of the cgroup version that is mounted here
 *	fit	the model's machine gets as many CPUs as this one has, and the tasks stay on the scenario's
 *
 * Both sides then run the same scenario.
 */
#ifndef LIVE_PLAN_H
#define LIVE_PLAN_H

#include "live/host.h"

#define PLAN_MOST_THREADS 512

/* 0, or -1 with @err set: where it stands in the file, what cannot run for real, what to do instead. */
int plan_check(const struct scenario *sc, const struct host *host, struct err *err);

/*
 * Rewrite each write to a group's file for cgroup @version.  *@changed: whether any was.  0, or -1 with @err set where one has no
 * equal there.
 */
int plan_words(struct scenario *sc, int version, bool *changed, struct err *err);

/* 0, or -1 with @err set (memory). */
int plan_fit(struct scenario *sc, const struct host *host, struct err *err);

/* Threads of @sc. */
u32 plan_threads(const struct scenario *sc);

/* May the threads of @sc wake or hold up each other, so that they need one world? */
bool plan_shares(const struct scenario *sc);

#endif
