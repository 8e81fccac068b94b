/* SPDX-License-Identifier: MIT */
/* variant.c - what a variant is called: only what sets it apart. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/run_options.h"

static void append(char *label, size_t size, const char *text)
{
	size_t len = strlen(label);

	snprintf(label + len, size - len, "%s%s", len ? " " : "", text);
}

/* What one kind of option says in a variant. */
struct said {
	const char *const *list;
	u32 nr;
};

static struct said said_of(const struct variant *v, int kind)
{
	switch (kind) {
	case 0:
		return (struct said){ v->rules, v->nr_rules };
	case 1:
		return (struct said){ v->tunables, v->nr_tunables };
	case 2:
		return (struct said){ v->limits_from, v->nr_limits_from };
	case 3:
		return (struct said){ v->limits, v->nr_limits };
	default:
		return (struct said){ v->cpusets, v->nr_cpusets };
	}
}
#define KINDS 5
#define KIND_CPUSETS 4

/* Said in each of them alike, it sets none apart. */
static bool in_all(const struct variant *variants, u32 nr, int kind, const char *text)
{
	for (u32 i = 0; i < nr; i++) {
		struct said said = said_of(&variants[i], kind);
		u32 k = 0;

		while (k < said.nr && strcmp(said.list[k], text))
			k++;
		if (k == said.nr)
			return false;
	}
	return nr > 1;
}

static void append_lists(struct variant *v, const struct variant *variants, u32 nr)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct said said = said_of(v, kind);

		for (u32 i = 0; i < said.nr; i++) {
			if (in_all(variants, nr, kind, said.list[i]))
				continue;
			if (kind == KIND_CPUSETS)
				append(v->label, sizeof(v->label), strpbrk(said.list[i], ",-") ? "on CPUs" : "on CPU");
			append(v->label, sizeof(v->label), said.list[i]);
		}
	}
}

static void label_one(struct variant *v, const struct variant *variants, u32 nr, const struct scenario *sc, bool with_kernel)
{
	size_t size = sizeof(v->label);
	char number[32];

	v->label[0] = '\0';
	if (with_kernel)
		append(v->label, size, v->kernel ? v->kernel : sc->kernel.row ? sc->kernel.row : "as it is");
	append_lists(v, variants, nr);
	if (v->manager.systemd)
		append(v->label, size, "--driver systemd");
	if (v->nr_limits_from && v->manager.new_weights)
		append(v->label, size, "--weights new");
	snprintf(number, sizeof(number), "%" PRIu64 " CPUs", v->cpus);
	if (v->cpus)
		append(v->label, size, number);
	snprintf(number, sizeof(number), "%" PRIu64 " Hz", v->hz);
	if (v->hz)
		append(v->label, size, number);
	if (v->topology)
		append(v->label, size, v->topology);
	if (v->no_costs)
		append(v->label, size, "no costs");
}

void variants_label(struct variant *variants, u32 nr, const struct scenario *sc)
{
	bool kernels_differ = false;
	u32 i;

	for (i = 1; i < nr; i++)
		if ((variants[i].kernel == NULL) != (variants[0].kernel == NULL) ||
		    (variants[i].kernel && strcmp(variants[i].kernel, variants[0].kernel)))
			kernels_differ = true;
	for (i = 0; i < nr; i++) {
		label_one(&variants[i], variants, nr, sc, kernels_differ || variants[i].kernel);
		if (!variants[i].label[0])
			label_one(&variants[i], variants, nr, sc, true);
	}
}
