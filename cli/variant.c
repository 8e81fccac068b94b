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

static void label_one(struct variant *v, const struct scenario *sc, bool with_kernel)
{
	size_t size = sizeof(v->label);
	char number[32];
	u32 i;

	v->label[0] = '\0';
	if (with_kernel)
		append(v->label, size, v->kernel ? v->kernel : sc->kernel.row ? sc->kernel.row : "as it is");
	for (i = 0; i < v->nr_rules; i++)
		append(v->label, size, v->rules[i]);
	for (i = 0; i < v->nr_tunables; i++)
		append(v->label, size, v->tunables[i]);
	for (i = 0; i < v->nr_limits_from; i++)
		append(v->label, size, v->limits_from[i]);
	for (i = 0; i < v->nr_limits; i++)
		append(v->label, size, v->limits[i]);
	snprintf(number, sizeof(number), "%" PRIu64 " CPUs", v->cpus);
	if (v->cpus)
		append(v->label, size, number);
	snprintf(number, sizeof(number), "%" PRIu64 " Hz", v->hz);
	if (v->hz)
		append(v->label, size, number);
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
		label_one(&variants[i], sc, kernels_differ || variants[i].kernel);
		if (!variants[i].label[0])
			label_one(&variants[i], sc, true);
	}
}
