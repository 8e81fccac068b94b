/* SPDX-License-Identifier: MIT */
/* refuse.h - files that hold scheduler events in a form that is not read here, and what to do with each. */
#ifndef TRACE_REFUSE_H
#define TRACE_REFUSE_H

#include "text/err.h"

/* What errors call @path: the standard input is "-". */
const char *refuse_name(const char *path);

/* Do the @len first bytes of the file at @path belong to such a one?  Then @err is set, with a hint. */
bool refuse_kind(const u8 *p, u64 len, const char *path, struct err *err);

/* The same of the text at @path, in which no event was found. */
bool refuse_text(const char *path, struct err *err);

#endif
