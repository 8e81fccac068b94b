/* SPDX-License-Identifier: MIT */
/* explain_text.h - why a recorded group was throttled, for people. */
#ifndef REPORT_EXPLAIN_TEXT_H
#define REPORT_EXPLAIN_TEXT_H

#include <stdio.h>

#include "report/replay.h"

#define EXPLAIN_HEADLINE_MAX 640
/* The answer in a sentence, into @buf; returns it. */
char *explain_headline(char *buf, size_t size, const struct explain_view *view);

void explain_text(FILE *out, const struct explain_view *view);

#endif
