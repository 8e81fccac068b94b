/* SPDX-License-Identifier: MIT */
/*
 * replay_json.h - a replayed or explained recording for machines.
 *
 *	replay	{"trace":{..},"recorded":{"limit":{..},..},"model":result,"error":{..},"runs":[{"limit","result","range"}],"sentences":[..]}
 *	explain	{"trace":{..},"limit":{..},"groups":{path:{..,"causes":[..],"worst":{..}}},"sentences":[..]}
 */
#ifndef REPORT_REPLAY_JSON_H
#define REPORT_REPLAY_JSON_H

#include "report/replay.h"

void replay_json(struct json_write *j, const struct replay_view *view, const struct result_detail *detail);
void explain_json(struct json_write *j, const struct explain_view *view);

#endif
