/* SPDX-License-Identifier: MIT */
/*
 * wrong_edit.c - a minute in which quota expires and slack comes back; exit code 0 where every law held, 3 where one
 * stopped it (its text is printed).
 *
 * Built by wrong_edit.sh, once with the scheduler as it is and once with each wrong edit.
 */
#include "tests/test.h"

#include <stdlib.h>

#include "tests/driver.h"

static void stop_at_law(const char *text)
{
	printf("law: %s\n", text);
	exit(3);
}

int main(void)
{
	struct driver d;
	struct task_group *tg;
	struct task_struct *p;
	u64 period;

	driver_of(&d, .cpus = 2, .row = "4.18");
	d.law = stop_at_law;
	tg = limited(&d, NULL, 20 * MS, 100 * MS);
	p = sleeper(&d, tg, 0);
	start(&d, p);
	for (period = 0; period < 600; period++) {
		at(&d, period * 100 * MS + 1 * MS);
		block(&d, 0); /* returns slack, keeps 1 ms */
		at(&d, (period + 1) * 100 * MS);
		fire(&d, TIMER_PERIOD, tg);
		wake(&d, p); /* the kept ms has expired */
	}
	driver_fini(&d);
	return 0;
}
