/* SPDX-License-Identifier: MIT */
/* compare_json.c - results side by side, for machines. */
#include "report/compare_json.h"

#include "report/why.h"

#include <stdlib.h>

/* Times leave the program in us, as everywhere; a spread keeps the fraction that its mean has. */
static void put_spread(struct json_write *j, const struct figure *f, const struct spread *s)
{
	u64 unit = f->unit == FIGURE_NS ? US : 1;

	json_begin_line(j, '{');
	json_put_string(j, "subject", f->subject);
	json_put_string(j, "figure", f->name);
	json_put_u64(j, "median", s->median / unit);
	json_put_u64(j, "lo", s->lo / unit);
	json_put_u64(j, "hi", s->hi / unit);
	json_put_real(j, "mean", s->mean / (double)unit, 3);
	json_put_real(j, "error", s->error / (double)unit, 3);
	json_end(j);
}

static void put_spreads(struct json_write *j, const struct series *series)
{
	struct figure *figures = calloc(FIGURES_MAX, sizeof(*figures));
	struct spread *spreads;
	u32 i, nr;

	if (!figures)
		abort();
	spreads = series_spreads(series, figures, &nr);
	json_put_u64(j, "repeats", series->nr);
	json_put_begin(j, "figures", '[');
	for (i = 0; i < nr; i++)
		put_spread(j, &figures[i], &spreads[i]);
	json_end(j);
	free(spreads);
	free(figures);
}

void compare_json(struct json_write *j, const struct compare *cmp, const struct result_detail *detail)
{
	u32 i;

	json_begin(j, '{');
	json_put_begin(j, "runs", '[');
	for (i = 0; i < cmp->nr; i++) {
		json_begin(j, '{');
		json_put_string(j, "label", cmp->series[i].label);
		json_key(j, "result");
		result_json(j, series_middle(&cmp->series[i]), detail);
		if (cmp->series[i].nr > 1)
			put_spreads(j, &cmp->series[i]);
		json_end(j);
	}
	json_end(j);
	if (cmp->why)
		why_json(j, cmp->why);
	json_end(j);
}
