/* SPDX-License-Identifier: MIT */
/* topology_json.h - what CPUs share, as machine.topology of docs/scenario.md. */
#ifndef REPORT_TOPOLOGY_JSON_H
#define REPORT_TOPOLOGY_JSON_H

#include "text/json_write.h"
#include "work/scenario.h"

/* A member "topology", where @m has one: its text, or the lists. */
void machine_topology_json(struct json_write *j, const struct machine_spec *m);

/* Its lists as an object, the members of which say all of @t: what is left out is what a reader assumes. */
void topology_lists_json(struct json_write *j, const struct topology *t);

/* "0-3,8": @set of @n CPUs into @buf, cut to @size (then it ends in "..."); returns @buf. */
char *cpu_list_text(char *buf, size_t size, const u64 *set, int n);

#endif
