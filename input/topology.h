/* SPDX-License-Identifier: MIT */
/*
 * topology.h - machines as people describe them: in a few words, by a name, or copied from a host's /sys.
 *
 *	"2n x 24c x 2t"			2 nodes of 24 cores of 2 threads; see topology_text.c for all of it
 *	"c5.9xlarge"			a machine that is known by name
 *	"flat 8"			8 CPUs that share one cache; what a machine is where nobody says
 *	a file of `fairground machine --snapshot`
 *
 * All that is made lives in the arena that is handed in.  Functions return 0, or -1 with @err set.
 */
#ifndef INPUT_TOPOLOGY_H
#define INPUT_TOPOLOGY_H

#include "base/arena.h"
#include "core/topology.h"
#include "text/err.h"

/* @text, a description or a name.  The error has the place in the text as its column, and no file. */
int topology_from_text(struct arena *mem, const char *text, struct topology **out, struct err *err);

/* The @len bytes of a snapshot; @file is what errors call it. */
int topology_from_snapshot(struct arena *mem, const char *file, const char *bytes, size_t len, struct topology **out, struct err *err);
/* Do these bytes begin as a snapshot does? */
bool is_topology_snapshot(const char *bytes, size_t len);

/* A description or a name; what is neither but a file is read as a snapshot: then *@is_file is true.  For command lines. */
int topology_find(struct arena *mem, const char *text_or_path, struct topology **out, bool *is_file, struct err *err);

/* Machines known by name, from index 0: the name, its description and what it is; NULL past the last. */
const char *topology_name(u32 index, const char **description, const char **what);

/* @t counted: "64 CPUs, 32 cores, 2 last level caches, 2 packages, 2 nodes", cut to @size; returns @buf. */
char *topology_words(const struct topology *t, char *buf, size_t size);

#endif
