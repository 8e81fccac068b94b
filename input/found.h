/* SPDX-License-Identifier: MIT */
/*
 * found.h - what the readers of managers' files give to limits_from.c.  Private to input/.
 *
 *	found_manifest.c  found_unit.c  found_cgroup.c	-->  struct finding  -->  limits_from.c  -->  groups of a scenario
 */
#ifndef INPUT_FOUND_H
#define INPUT_FOUND_H

#include "base/arena.h"
#include "input/limits.h"
#include "input/limits_from.h"

#define FOUND_NOTES 4

struct found {
	const char *name;   /* "frontend/server", "frontend", "web.service", "web", "web/side": parts separated by slashes */
	struct place at;
	bool has_limit;
	struct limit limit; /* as the kernel sees it; unlimited: it says "max" */
	u64 shares, weight; /* cpu.shares and cpu.weight, 0: nothing said */
	u64 other_weight;   /* by the other conversion of requests; 0: there is none */
	const char *notes[FOUND_NOTES];
	u32 nr_notes;
};

struct finding {
	struct arena mem;
	struct found *list;
	u32 nr, cap;
	const char *file;
	const struct manager *manager;
	struct warnings *notes;
	struct err *err;
};

/* One more, zeroed but for its name and place, or NULL with the error set. */
struct found *found_add(struct finding *f, const char *name, int line, int column);

/* A note about @it, said if some group takes it. */
void found_note(struct finding *f, struct found *it, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Something about @file itself, said at once. */
void found_say(struct finding *f, const char *file, const char *text);

/* Let @driver change the limit of @it, and say so: "@whose". */
void found_drive(struct finding *f, struct found *it, enum limit_driver driver, const char *whose);

/* 0, or -1 with the error set. */
int found_in_manifest(struct finding *f, const char *text, size_t len);
int found_in_unit(struct finding *f, const char *text, size_t len); /* one file of a unit */
/* The unit at @path with the drop-ins beside it; or @path is "UNIT.d", or one drop-in "UNIT.d/NAME.conf". */
int found_in_unit_files(struct finding *f, const char *path);
bool found_is_dropin(const char *path); /* is it "UNIT.d" or a file in it? */
int found_in_cgroup(struct finding *f, const char *path);

#endif
