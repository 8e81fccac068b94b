/* SPDX-License-Identifier: MIT */
/* fuzz_recording.c - any bytes as a recording of any kind, and its tail as what a user says of a group. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "trace/group_pick.h"
#include "trace/read.h"

#define SAYING 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t tail = size < SAYING ? size : SAYING;
	struct families fam = { 0 };
	struct err err = { 0 };
	char text[SAYING + 1], name[16];
	struct trace tr;
	bool *member;

	trace_init(&tr);
	trace_read_bytes(&tr, data, size, "fuzz", &err);
	memcpy(text, data + size - tail, tail);
	text[tail] = '\0';
	group_members(&tr, (const char *)data, size);
	member = calloc((size_t)tr.nr_tasks + 1, sizeof(*member));
	err = (struct err){ 0 };
	if (member && !families_init(&fam, &tr))
		group_pick(text, &fam, &tr, member, name, sizeof(name), &err);
	families_fini(&fam);
	free(member);
	trace_fini(&tr);
	return 0;
}
