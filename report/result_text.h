/* SPDX-License-Identifier: MIT */
/* result_text.h - a result for people: one screen, however large the scenario. */
#ifndef REPORT_RESULT_TEXT_H
#define REPORT_RESULT_TEXT_H

#include <stdio.h>

#include "owner/result.h"
#include "report/result_json.h"

/* Not const: percentiles sort the samples. */
void result_text(FILE *out, struct result *res, const struct result_detail *detail);

/* "kernel 5.4, 36 CPUs at 250 Hz, 5 s, seed 1", what a run was, in one line without an end. */
void result_title(FILE *out, const struct result *res);

#endif
