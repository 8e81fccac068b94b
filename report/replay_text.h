/* SPDX-License-Identifier: MIT */
/* replay_text.h - a replayed recording for people: the recording, the model beside it, then the what-ifs. */
#ifndef REPORT_REPLAY_TEXT_H
#define REPORT_REPLAY_TEXT_H

#include <stdio.h>

#include "report/replay.h"

void replay_text(FILE *out, const struct replay_view *view);

/* Two lines on what the recording is and under which limit it ran; shared with explain. */
void trace_head_text(FILE *out, const struct trace_view *trace, const struct limit_view *limit);

/* Sentences, each on lines of at most 100 columns behind "- ". */
void sentences_text(FILE *out, const char *const *sentences, u32 nr);

#endif
