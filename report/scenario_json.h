/* SPDX-License-Identifier: MIT */
/*
 * scenario_json.h - a scenario as the JSON that docs/scenario.md describes.
 *
 *	struct scenario --scenario_json()--> text --scenario_read()--> struct scenario that runs the same
 *
 * Made for scenarios that come out of recordings.  Law: what the reader takes back has the same machine, kernel, groups and
 * programs, to the ns; what cannot be written so is an error, never left out.
 */
#ifndef REPORT_SCENARIO_JSON_H
#define REPORT_SCENARIO_JSON_H

#include "text/err.h"
#include "text/json_write.h"
#include "work/scenario.h"

/*
 * Write @sc into @j.  Names that the language would read as something else (a task called "_x" would be a note) or that stand
 * twice are changed.  0, or -1 with @err set, which names what cannot be written; @j is then in the middle of its text and good
 * for nothing.
 */
int scenario_json(struct json_write *j, const struct scenario *sc, struct err *err);

#endif
