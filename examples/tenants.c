/* SPDX-License-Identifier: MIT */
/* tenants.c - two tenants of one process: one may use 250m of a CPU, the other 750m, whatever they ask for. */
#include <stdio.h>

#include "rt/rt.h"

struct tenant {
	const char *group, *limit; /* the limit as in cpu.max: us of CPU time in each so many us */
	u64 hash, turns;	   /* its work */
};

/* One piece of work, about @ns long.  When it returns, the CPU may go to somebody else. */
static struct rt_then hash_on(void *arg, u64 ns)
{
	struct tenant *t = arg;
	u64 i;

	for (i = 0; i < ns; i++)
		t->hash = (t->hash ^ i) * 0x100000001b3u;
	t->turns += ns;
	return rt_more(); /* or rt_sleep(5 * MS), rt_wait(), rt_exit() */
}

static int admit(struct rt *rt, struct tenant *t)
{
	return rt_group(rt, t->group) || rt_write(rt, t->group, "cpu.max", t->limit, NULL) ||
	       !rt_spawn(rt, &(struct rt_spec){ .group = t->group }, hash_on, t);
}

static void say(struct rt *rt, const struct tenant *t, double seconds)
{
	struct group_stat st;

	rt_stat(rt, t->group, &st);
	printf("%-8s %4.0fm, throttled in %d of %d periods, %.0f million turns\n", t->group, (double)st.usage / 1e6 / seconds,
	       (int)st.nr_throttled, (int)st.nr_periods, (double)t->turns / 1e6);
}

int main(void)
{
	struct tenant silver = { "/silver", "25000 100000", 0, 0 }, gold = { "/gold", "75000 100000", 0, 0 };
	struct rt_config cfg = { .cpus = 1, .hz = 1000 }; /* one thread of this process is the CPU */
	struct err err = { 0 };
	struct live_notes notes;
	struct rt *rt = rt_create(&cfg, &err);
	char text[1024];

	if (!rt || admit(rt, &silver) || admit(rt, &gold) || rt_run(rt, 2 * SEC, &err)) {
		fprintf(stderr, "tenants: %s\n", err_text(&err, text, sizeof(text)));
		return 1;
	}
	say(rt, &silver, 2);
	say(rt, &gold, 2);
	rt_notes(rt, &notes);
	printf("the host took %.1f%% of that for itself\n", 100.0 * (double)(notes.given - notes.got) / (double)notes.given);
	rt_destroy(rt);
	return 0;
}
