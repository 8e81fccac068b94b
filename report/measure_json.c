/* SPDX-License-Identifier: MIT */
/* measure_json.c - reality beside its prediction, for machines. */
#include "report/measure.h"

#include <stdio.h>

static u64 in_unit(const struct measure_cell *c, u64 v) { return c->is_time ? v / US : v; }

static void put_range(struct json_write *j, const char *key, const struct measure_cell *c, const struct measure_figure *f)
{
	json_put_begin_line(j, key, '[');
	json_u64(j, in_unit(c, f->lo));
	json_u64(j, in_unit(c, f->hi));
	json_end(j);
}

static void put_cell(struct json_write *j, const struct measure_cell *c)
{
	char name[256];

	snprintf(name, sizeof(name), "%.160s.%.80s", c->subject, c->name);
	json_begin_line(j, '{');
	json_put_string(j, "name", name);
	json_put_u64(j, "real", in_unit(c, c->real.at));
	json_put_u64(j, "model", in_unit(c, c->model.at));
	json_put_u64(j, "tolerance", in_unit(c, c->tolerance));
	json_put_bool(j, "ok", c->ok);
	json_put_bool(j, "noisy", c->noisy);
	put_range(j, "real_range", c, &c->real);
	put_range(j, "model_range", c, &c->model);
	json_end(j);
}

static void put_noise(struct json_write *j, const struct measure_view *view)
{
	json_put_begin_line(j, "noise", '{');
	json_put_u64(j, "repeats", view->repeats);
	json_put_u64(j, "steal_usec", view->steal / US);
	json_put_u64(j, "others_usec", view->others / US);
	json_end(j);
}

void measure_json(struct json_write *j, const struct measure_view *view, const struct result_detail *detail)
{
	u32 i;

	json_begin(j, '{');
	json_put_string(j, "row", view->row);
	json_put_string(j, "release", view->release);
	json_put_begin(j, "assumed", '[');
	for (i = 0; i < view->nr_assumed; i++)
		json_string(j, view->assumed[i]);
	json_end(j);
	json_key(j, "real");
	result_json(j, view->real, detail);
	json_key(j, "model");
	result_json(j, view->model, detail);
	json_put_begin(j, "cells", '[');
	for (i = 0; i < view->nr_cells; i++)
		put_cell(j, &view->cells[i]);
	json_end(j);
	put_noise(j, view);
	json_end(j);
}
