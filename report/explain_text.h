/* SPDX-License-Identifier: MIT */
/* explain_text.h - why a recorded group was throttled, for people. */
#ifndef REPORT_EXPLAIN_TEXT_H
#define REPORT_EXPLAIN_TEXT_H

#include <stdio.h>

#include "report/replay.h"

void explain_text(FILE *out, const struct explain_view *view);

#endif
