/* SPDX-License-Identifier: MIT */
/* explain_requests.h - requests by marks: how long they took, and where the time of the longest went. */
#ifndef CLI_EXPLAIN_REQUESTS_H
#define CLI_EXPLAIN_REQUESTS_H

#include "cli/traced.h"

/* 0, or -1 with @err set; a recording without such marks is an error of the asker's. */
int explain_requests(struct requests_view *out, const struct traced *t, const char *what, struct err *err);
void say_requests(struct sentences *s, const struct requests_view *v);

#endif
