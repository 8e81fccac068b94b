/* SPDX-License-Identifier: MIT */
/* autoscaler.c - is this autoscaler any good?  It meets a load that trebles, in simulated time. */
#include <stdio.h>
#include <string.h>

#include "input/scenario_file.h"
#include "sim/machine.h"

#define PERIOD (100 * MS) /* of the limit */

/* 20 requests a second of 10 ms; between 10 s and 20 s another 40 of them. */
static const char web[] =
	"{ 'machine': { 'cpus': 4 }, 'kernel': '5.15', 'groups': { '/web': { 'cpu.max': '30000 100000' } }, 'global': { 'duration': 30 },"
	"  'tasks': { 'base': { 'instance': 4, 'taskgroup': '/web', 'loop': -1, 'arrive': { 'ref': 'all', 'poisson': 50000 }, 'run': 10000 },"
	"             'rush': { 'instance': 4, 'taskgroup': '/web', 'delay': 10000000, 'loop': 100, 'run': 10000, 'sleep': 90000 } } }";

/* The thing under test: throttled in more than a tenth of the periods, half as much again; half idle, a quarter less. */
static u64 next_quota(u64 quota, const struct group_stat *was, const struct group_stat *is)
{
	u64 periods = is->nr_periods - was->nr_periods, throttled = is->nr_throttled - was->nr_throttled;

	if (throttled * 10 > periods)
		return quota + quota / 2;
	if ((is->usage - was->usage) * 2 < quota * (SEC / PERIOD))
		return max_u64(quota - quota / 4, 10 * MS);
	return quota;
}

static int fail(const struct err *err)
{
	char text[1024];

	fprintf(stderr, "autoscaler: %s\n", err_text(err, text, sizeof(text)));
	return 1;
}

int main(void)
{
	struct group_stat was = { 0 }, is;
	struct machine_options opt = { 0 };
	struct warnings warnings = { 0 };
	struct err err = { 0 };
	struct scenario sc;
	struct machine *m;
	u64 t, quota = 30 * MS;
	char limit[64];

	if (scenario_read("web", web, strlen(web), &sc, &warnings, &err))
		return fail(&err);
	m = machine_create(&sc, &opt, &err);
	if (!m)
		return fail(&err);
	puts("   t  limit   used  throttled");
	for (t = SEC; t <= sc.duration; t += SEC, was = is) {
		if (machine_run_until(m, t, &err)) /* run to a time, */
			return fail(&err);
		machine_group_stat(m, "/web", &is); /* read cpu.stat, */
		printf("%2u s  %4.0fm  %4.0fm  %2u of %2u\n", (unsigned)(t / SEC), (double)quota * 1000 / PERIOD,
		       (double)(is.usage - was.usage) / MS, (unsigned)(is.nr_throttled - was.nr_throttled),
		       (unsigned)(is.nr_periods - was.nr_periods));
		quota = next_quota(quota, &was, &is);
		snprintf(limit, sizeof(limit), "%u %u", (unsigned)(quota / US), (unsigned)(PERIOD / US));
		machine_write(m, "/web", "cpu.max", limit); /* write cpu.max, and go on */
	}
	machine_destroy(m);
	warnings_free(&warnings);
	scenario_free(&sc);
	return 0;
}
