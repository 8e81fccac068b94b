/* SPDX-License-Identifier: MIT */
/* sniff.h - what kind of thing a file holds, by how it begins; for commands that take several kinds. */
#ifndef CLI_SNIFF_H
#define CLI_SNIFF_H

#include "text/err.h"

enum file_kind {
	FILE_TRACE,    /* anything else: the trace readers say what is wrong with it */
	FILE_SCENARIO, /* JSON, after blanks and comments */
	FILE_CPU_STAT, /* lines of "key number", nr_periods among them */
	FILE_METRICS   /* Prometheus text or CSV with container_cpu_* names */
};

/*
 * What can be read only once, a pipe, is copied into a file without a name, so that it can be looked at and then read.  Returns
 * what to read instead: @path itself where it is a file, or cannot be opened, which its reader will say; "-", where the copy became the
 * standard input; or, of a pipe that is one of several, its name in @name of HELD_NAME bytes (NULL: it is the only one).
 * NULL with @err set where the copy fails.  Nothing of it outlives the process.
 */
#define HELD_NAME 32
const char *file_held(const char *path, char *name, struct err *err);

/* The file at @path ("-": the standard input, held as above), unpacked where gzip packed it; FILE_TRACE where it cannot be read. */
enum file_kind file_kind(const char *path);

/* The same of the @len bytes with which a file begins. */
enum file_kind file_kind_of(const char *text, size_t len);

#endif
