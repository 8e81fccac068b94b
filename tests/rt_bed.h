/* SPDX-License-Identifier: MIT */
/*
 * rt_bed.h - scenarios in real time, for tests.
 *
 * A host that is busy takes time from us, so tests judge what does not depend on it - the laws, what programs do, charged time against the
 * ledger - and compare figures with a simulation only as far as that goes; else they are skipped, and say so.
 * play() checks every law after every event, that time does not run backwards, and the ledgers at the end.
 * Whatever goes wrong fails the test with its own words.
 */
#ifndef TESTS_RT_BED_H
#define TESTS_RT_BED_H

#include "rt/rt.h"

/* A scenario from text, or from the file at @path; for scenario_free(). */
void read_text(struct scenario *sc, const char *text);
void read_file(struct scenario *sc, const char *path);

/* Skip the test where this process may not use @nr CPUs. */
void need_cpus(int nr);

/* Run @sc in real time, and in simulated time; for result_free().  play_err() may fail, with @err set. */
struct result *play(const struct scenario *sc);
struct result *play_err(const struct scenario *sc, struct err *err);
struct result *simulate(const struct scenario *sc);

const struct task_result *task_in(const struct result *res, const char *name);

/* No limited group was charged more than it was granted and the debt of its last running: a tick, and what came late. */
void check_bound(const struct result *res, const char *row);

void fail_with_err(const struct err *err);

#endif
