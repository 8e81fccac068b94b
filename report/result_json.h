/* SPDX-License-Identifier: MIT */
/*
 * result_json.h - a result for machines; docs/result.schema.json is its grammar.
 *
 * Times are whole microseconds, cut as the kernel cuts them in cpu.stat; the ledger, and the sums of sched_stat_runtime, are ns.
 */
#ifndef REPORT_RESULT_JSON_H
#define REPORT_RESULT_JSON_H

#include "owner/result.h"
#include "text/json_write.h"

/* What a user asked to have added. */
struct result_detail {
	bool periods; /* per group, one record per refill interval */
	bool threads; /* per task, one object per thread */
};

#define FAIRGROUND_VERSION "0.1.0"

/* Write @res as the next value of @j.  Not const: percentiles sort the samples. */
void result_json(struct json_write *j, struct result *res, const struct result_detail *detail);

#endif
