/* SPDX-License-Identifier: MIT */
/* compare_json.h - results side by side, for machines. */
#ifndef REPORT_COMPARE_JSON_H
#define REPORT_COMPARE_JSON_H

#include "report/result_json.h"
#include "report/series.h"

/*
 * {"runs":[{"label":"..","result":result}]}.  Where a series has several runs, its result is the middle one, and
 * "repeats" and "figures" (median, lowest, highest, mean and its standard error) stand beside it.
 */
void compare_json(struct json_write *j, const struct compare *cmp, const struct result_detail *detail);

#endif
