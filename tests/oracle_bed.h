/* SPDX-License-Identifier: MIT */
/* oracle_bed.h - descriptions of cases and measured runs, made in a test. */
#ifndef TESTS_ORACLE_BED_H
#define TESTS_ORACLE_BED_H

#include "tests/test.h"

#include "oracle/cells.h"
#include "oracle/measured.h"
#include "oracle/spec.h"
#include "text/memory.h"

/* Memory for one test, from malloc(); to be ended with arena_fini(). */
struct arena arena(void);
/* A case as people write it; the test ends where that is refused. */
struct wl_spec parsed(const char *text, struct arena *mem);
/* A measured run of @text on the kernel called @label, with zeroes for figures and no phase known. */
struct measured measured_of(const char *label, const char *text, u32 vcpus, struct arena *mem);

/* The last cell of each figure, and how many there are. */
struct seen {
	struct cell cell[NR_CELL_FIGURES];
	u32 nr[NR_CELL_FIGURES], all;
};

/* A played case with the figures the measured one has; to be ended with played_free(). */
struct played as_measured(const struct measured *m);
struct seen judged(const struct measured *m, struct played *p, bool phase_unknown);

#endif
