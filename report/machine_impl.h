/* SPDX-License-Identifier: MIT */
/* machine_impl.h - what machine_text.c and machine_json.c share. */
#ifndef REPORT_MACHINE_IMPL_H
#define REPORT_MACHINE_IMPL_H

#include "core/view.h"
#include "report/machine.h"

/* CPUs with the same list of domains, but for the threads of their own core. */
struct machine_row {
	u64 *cpus;
	int first; /* the lowest: what is said of levels is said of it */
	int from;  /* its lowest level that is not SMT; LEVEL_NONE */
};
#define LEVEL_NONE (-1)

struct machine_rows {
	struct machine_row *row;
	int nr;
	u64 *sets; /* all of theirs */
};

/* In the order of their first CPUs; all empty where memory is out. */
void machine_rows_find(struct machine_rows *rows, const struct machine_view *v);
void machine_rows_free(struct machine_rows *rows);

#endif
