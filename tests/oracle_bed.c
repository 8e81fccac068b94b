/* SPDX-License-Identifier: MIT */
/* oracle_bed.c - descriptions of cases and measured runs, made in a test: see oracle_bed.h. */
#include "tests/oracle_bed.h"

struct arena arena(void)
{
	struct arena a;

	arena_of_malloc(&a);
	return a;
}

struct wl_spec parsed(const char *text, struct arena *mem)
{
	struct wl_spec spec;
	struct err err = { 0 };

	CHECK_EQ(wl_parse(&spec, text, mem, "test", 1, &err), 0);
	return spec;
}

struct measured measured_of(const char *label, const char *text, u32 vcpus, struct arena *mem)
{
	struct measured m = { .source = "main", .file = "test", .line = 1, .guest = guest_find(label), .vcpus = vcpus,
			      .hz = 250, .cgroup = 2, .t0 = 2 * SEC, .block = 4864 };

	m.spec = parsed(text, mem);
	m.name = m.spec.name;
	m.groups = arena_alloc(mem, m.spec.nr_groups * sizeof(*m.groups));
	m.sets = arena_alloc(mem, m.spec.nr_sets * sizeof(*m.sets));
	m.phase = arena_alloc(mem, m.spec.nr_groups * sizeof(*m.phase));
	for (u32 i = 0; i < m.spec.nr_groups; i++)
		m.phase[i] = NEVER;
	return m;
}

static void see(void *ctx, const struct cell *c)
{
	struct seen *s = ctx;

	s->cell[c->figure] = *c;
	s->nr[c->figure]++;
	s->all++;
}

struct played as_measured(const struct measured *m)
{
	struct played p;

	CHECK_EQ(played_init(&p, m), 0);
	for (u32 i = 0; i < m->spec.nr_groups; i++)
		p.groups[i] = (struct played_group){ .usage = m->groups[i].usage, .nr_periods = m->groups[i].nr_periods,
						     .nr_throttled = m->groups[i].nr_throttled,
						     .throttled = m->groups[i].throttled };
	for (u32 i = 0; i < m->spec.nr_sets; i++) {
		p.sets[i].cpu = m->sets[i].cpu;
		samples_add(&p.sets[i].wake, m->sets[i].wake_late.p50);
		samples_add(&p.sets[i].response, m->sets[i].response.p50);
	}
	return p;
}

struct seen judged(const struct measured *m, struct played *p, bool phase_unknown)
{
	struct seen s = { 0 };

	cells_judge(m, p, phase_unknown, see, &s);
	return s;
}
