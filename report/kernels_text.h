/* SPDX-License-Identifier: MIT */
/* kernels_text.h - which kernel has which rules, for people and for machines. */
#ifndef REPORT_KERNELS_TEXT_H
#define REPORT_KERNELS_TEXT_H

#include <stdio.h>

#include "core/model.h"
#include "text/json_write.h"

/* The whole matrix: rules down, rows across, then the tunables that are not the same everywhere. */
void kernels_matrix(FILE *out);
/* Everything about one row. */
void kernels_row(FILE *out, const struct kernel_model *row);
/* What differs between two. */
void kernels_diff(FILE *out, const struct kernel_model *a, const struct kernel_model *b);

/* {"rows":[..],"rules":[{"name","values","since","until","commit","sentence","rows":{row:value}}]} */
void kernels_json(struct json_write *j);

#endif
