/* SPDX-License-Identifier: MIT */
/* compare_text.h - results side by side, for people: the figures, how far chance moves them, and what differed. */
#ifndef REPORT_COMPARE_TEXT_H
#define REPORT_COMPARE_TEXT_H

#include <stdio.h>

#include "report/series.h"

/* Figures as rows, series as columns, the change from the first series behind each. */
void compare_text(FILE *out, const struct compare *cmp);

/* The first line: what ran, and over what the medians are. */
void compare_title(FILE *out, const struct compare *cmp);

/* The rules, tunables and machine figures in which the series differ, one a line. */
void compare_differences(FILE *out, const struct compare *cmp);

/* One series of several seeds: mean ( +- x% ), as perf stat prints it. */
void series_text(FILE *out, const struct series *series);

#endif
