/* SPDX-License-Identifier: MIT */
/* replay_share.c - classes of jobs, looked for from the first on: there are as many as a what-if has runs, not as there are what-ifs. */
#include "cli/replay_share.h"

#include <stdlib.h>
#include <string.h>

#include "text/memory.h"

/* Rules may look at the quota (gather), and a file of limits has other groups' too. */
static bool only_the_pool(const struct what_if *w, const struct recover_limit *limit)
{
	return limit->quota != NEVER && !w->rule && !w->tunable && !w->from && !w->all_go;
}

static bool same_word(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_but_quota(const struct what_if *a, const struct what_if *b)
{
	return a->threads == b->threads && a->cpus == b->cpus && a->hz == b->hz && a->way == b->way && same_word(a->kernel, b->kernel) &&
	       same_word(a->topology, b->topology);
}

static bool same_grid(const struct recover_limit *a, const struct recover_limit *b)
{
	return a->period == b->period && a->phase == b->phase && a->burst == b->burst;
}

u32 replay_share_class(struct replay_share *s, const struct what_if *w, const struct recover_limit *limit, const struct recover_way *way)
{
	struct share_class *classes;
	u32 i;

	if (!only_the_pool(w, limit))
		return SHARE_ALONE;
	for (i = 0; i < s->nr; i++)
		if (s->classes[i].way == way && same_grid(&s->classes[i].limit, limit) && same_but_quota(&s->classes[i].w, w))
			return i;
	classes = list_grown(s->classes, s->nr, &s->cap, sizeof(*classes));
	if (!classes)
		return SHARE_ALONE;
	s->classes = classes;
	s->classes[s->nr] = (struct share_class){ .w = *w, .limit = *limit, .way = way, .enough = NEVER, .source = SHARE_ALONE };
	return s->nr++;
}

bool replay_share_has(const struct replay_share *s, u32 class, u64 quota)
{
	return class != SHARE_ALONE && __atomic_load_n(&s->classes[class].enough, __ATOMIC_ACQUIRE) < quota;
}

void replay_share_found(struct replay_share *s, u32 class, u64 quota)
{
	u64 *enough, was;

	if (class == SHARE_ALONE)
		return;
	enough = &s->classes[class].enough;
	was = __atomic_load_n(enough, __ATOMIC_RELAXED);
	while (quota < was && !__atomic_compare_exchange_n(enough, &was, quota, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void replay_share_fini(struct replay_share *s)
{
	free(s->classes);
	memset(s, 0, sizeof(*s));
}
