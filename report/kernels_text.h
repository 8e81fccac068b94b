/* SPDX-License-Identifier: MIT */
/* kernels_text.h - which kernel has which rules: for people, for machines, for the pages of docs/. */
#ifndef REPORT_KERNELS_TEXT_H
#define REPORT_KERNELS_TEXT_H

#include <stdio.h>

#include "core/model.h"
#include "text/json_write.h"

/* The whole matrix: rules down, rows across, then the tunables that are not the same everywhere. */
void kernels_matrix(FILE *out);
/* Everything about one row: what came with it, all rules, all tunables. */
void kernels_row(FILE *out, const struct kernel_model *row);
/* What differs between two. */
void kernels_diff(FILE *out, const struct kernel_model *a, const struct kernel_model *b);

/* {"rows":[..],"rules":[{"name","values","since","until","commit","sentence","rows":{row:value}}]} and more; docs/rules.md says what. */
void kernels_json(struct json_write *j);
/* {"row","parent","sentence","rules":{},"tunables":{}} */
void kernels_row_json(struct json_write *j, const struct kernel_model *row);
/* {"a","b","differs":[{"name","a","b","sentence","commit"}]} */
void kernels_diff_json(struct json_write *j, const struct kernel_model *a, const struct kernel_model *b);

/* The generated part of docs/rules.md, and of docs/kernels/ROW.md. */
void kernels_markdown(FILE *out);
void kernels_row_markdown(FILE *out, const struct kernel_model *row);

#endif
