/* SPDX-License-Identifier: MIT */
/*
 * cells.h - what is compared, and how near is near enough: one table, with a reason for each row.
 *
 *	a line of measurements + a played case --> cells: "usage of /fib: real 402.6 ms, model 403.1 ms, allowed 4.0 ms"
 *
 * The tolerances are how far reruns of the real thing differ, not how far the model does; cells.c has them and nothing else
 * decides.  `fairground oracle --tolerances` prints the table.
 */
#ifndef ORACLE_CELLS_H
#define ORACLE_CELLS_H

#include "oracle/measured.h"
#include "oracle/play.h"

enum cell_figure {
	CELL_USAGE,
	CELL_PERIODS,
	CELL_NR_THROTTLED,
	CELL_THROTTLED,
	CELL_NR_BURSTS,
	CELL_BURST,
	CELL_CPU,
	CELL_THREAD_CPU,
	CELL_MIGRATIONS,
	CELL_RESPONSE_P50,
	CELL_RESPONSE_SHARE,
	CELL_RESPONSE_P99,
	CELL_WAKE_P50,
	CELL_WAKE_SHARE,
	CELL_WAKE_P99,
	NR_CELL_FIGURES
};

struct cell {
	enum cell_figure figure;
	u32 group;	   /* of the spec, for figures of a group */
	u32 set;	   /* of the spec, for figures of threads */
	bool of_group;
	double real, model, tolerance; /* ns, or counts */
	double least, most; /* of several real runs; real where there was one */
};

/* Is a cell one of lengths of time, or of counts? */
bool cell_is_time(enum cell_figure figure);
const char *cell_figure_name(enum cell_figure figure);

bool cell_inside(const struct cell *c);
/* The real value is 0: said apart, because a share of nothing says nothing. */
bool cell_of_zero(const struct cell *c);
/* How many tolerances the two are apart. */
double cell_off(const struct cell *c);

/*
 * All cells of @m against @p, to @each in a fixed order.  @phase_unknown: one quota more or less may have fallen into the
 * window.
 */
void cells_judge(const struct measured *m, struct played *p, bool phase_unknown, void (*each)(void *ctx, const struct cell *c),
		 void *ctx);

/* Rows of the table as text, for people: from 0, false past the last. */
struct tolerance_text {
	const char *figure, *pinned, *free, *reason;
};
bool tolerance_text(u32 index, struct tolerance_text *text);
/* What is not compared, and why. */
bool left_out_text(u32 index, const char **what, const char **why);

/* The @q-th quantile (0..1) as the measuring program takes it: rank (n - 1) * q, to the nearest.  0 where there is none. */
u64 quantile(struct samples *s, double q);
/* The same, or the value of a neighbouring rank where that is nearer to @real; of 50 samples or more. */
u64 quantile_near(struct samples *s, double q, u64 real);

#endif
