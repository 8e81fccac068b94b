/* SPDX-License-Identifier: MIT */
/* spans.c - how long the stretches of programs took that a scenario names: a list of samples for each. */
#include "owner/spans.h"

#include <stdlib.h>
#include <string.h>

bool spans_init(struct spans *s, struct arena *mem, const struct scenario *sc)
{
	s->nr = sc->nr_resources;
	s->of = arena_alloc(mem, ((size_t)s->nr + 1) * sizeof(*s->of));
	return s->of;
}

void spans_fini(struct spans *s)
{
	u32 i;

	for (i = 0; s->of && i < s->nr; i++)
		samples_free(&s->of[i]);
}

void spans_add(struct spans *s, u32 ref, u64 ns) { samples_add(&s->of[ref], ns); }

static bool is_measured(const struct resource_spec *spec)
{
	return spec->kind == RES_SPAN || (spec->kind == RES_QUEUE && spec->measured);
}

bool spans_results(struct spans *s, const struct scenario *sc, struct result *res)
{
	u32 i;

	res->spans = calloc((size_t)s->nr + 1, sizeof(*res->spans));
	for (i = 0; res->spans && i < s->nr; i++) {
		if (!is_measured(&sc->resources[i]))
			continue;
		res->spans[res->nr_spans++] = (struct span_result){ sc->resources[i].name, s->of[i] };
		memset(&s->of[i], 0, sizeof(s->of[i])); /* handed over */
	}
	return res->spans;
}
