/* SPDX-License-Identifier: MIT */
/*
 * still_bed.h - a machine whose clock stands, to look at the levels that its CPUs have.
 *
 * A list of domains is compared as text, the lowest level first: "SMT 0,18 | MC 0-35"; a ring of groups as "0,18 1,19 ...".
 */
#ifndef TESTS_SMP_STILL_BED_H
#define TESTS_SMP_STILL_BED_H

#include "core/sched.h"
#include "sim/still.h"
#include "tests/test.h"
#include "text/memory.h"
#include "work/topology.h"

struct bed {
	struct still still;
	struct arena mem; /* of the topology */
	struct lab *lab;
	struct kernel_model model;
	char text[4096];
};

static inline void bed_make(struct bed *b, const struct topology *t, const char *row, const char *rule)
{
	CHECK_EQ(model_init(&b->model, row), 0);
	if (rule)
		CHECK_EQ(model_set_rule(&b->model, rule, NULL), 0);
	CHECK_EQ(still_init(&b->still, t->nr_cpus, t, &b->model, 250), 0);
	b->lab = b->still.lab;
}

/* sockets x nodes x llcs x clusters x cores x threads */
static inline struct machine_shape shape(int s, int n, int l, int k, int c, int t)
{
	return (struct machine_shape){ .sockets = s, .nodes = n, .llcs = l, .clusters = k, .cores = c, .threads = t };
}

static inline void bed_shaped(struct bed *b, struct machine_shape s, const char *row)
{
	arena_of_malloc(&b->mem);
	bed_make(b, topology_of_shape(&b->mem, &s), row, NULL);
}

static inline void bed_fini(struct bed *b)
{
	still_fini(&b->still);
	arena_fini(&b->mem);
}

static inline struct rq_smp *smp_of(struct bed *b, int cpu) { return &cpu_rq(b->lab, cpu)->smp; }

static inline struct sched_domain *level(struct bed *b, int cpu, int nr)
{
	struct sched_domain *sd = smp_of(b, cpu)->sd;

	while (nr-- && sd)
		sd = sd->parent;
	assert_non_null(sd);
	return sd;
}

/* ---- as text ---- */

static inline size_t put_set(struct bed *b, size_t at, const u64 *set)
{
	int n = b->lab->cfg.nr_cpus, from, to;
	const char *comma = "";

	for (from = bit_next(set, n, 0); from < n; from = bit_next(set, n, to + 1)) {
		for (to = from; to + 1 < n && bit_test(set, to + 1); to++)
			;
		at += (size_t)snprintf(b->text + at, sizeof(b->text) - at, to > from ? "%s%d-%d" : "%s%d", comma, from, to);
		comma = ",";
		assert_true(at < sizeof(b->text));
	}
	return at;
}

static const char *list_of(struct bed *b, int cpu)
{
	const struct sched_domain *sd;
	size_t at = 0;

	b->text[0] = '\0';
	for (sd = smp_of(b, cpu)->sd; sd; sd = sd->parent) {
		at += (size_t)snprintf(b->text + at, sizeof(b->text) - at, "%s%s ", at ? " | " : "", domain_name(sd->kind));
		at = put_set(b, at, sd->span);
	}
	return b->text;
}

static inline const char *ring_of(struct bed *b, const struct sched_domain *sd)
{
	size_t at = 0;
	int i;

	for (i = 0; i < sd->nr_groups; i++) {
		if (i)
			b->text[at++] = ' ';
		at = put_set(b, at, sd->groups[i]->span);
	}
	return b->text;
}

static inline const char *mask_of(struct bed *b, const u64 *set)
{
	b->text[0] = '\0';
	put_set(b, 0, set);
	return b->text;
}

#endif
