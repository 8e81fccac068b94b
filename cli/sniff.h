/* SPDX-License-Identifier: MIT */
/* sniff.h - what kind of thing a file holds, by how it begins; for commands that take several kinds. */
#ifndef CLI_SNIFF_H
#define CLI_SNIFF_H

#include "base/types.h"

enum file_kind {
	FILE_TRACE,    /* anything else: the trace readers say what is wrong with it */
	FILE_SCENARIO, /* JSON, after blanks and comments */
	FILE_CPU_STAT, /* lines of "key number", nr_periods among them */
	FILE_METRICS   /* Prometheus text or CSV with container_cpu_* names */
};

/* The file at @path; FILE_TRACE where it cannot be read, and for the standard input. */
enum file_kind file_kind(const char *path);

/* The same of the @len bytes with which a file begins. */
enum file_kind file_kind_of(const char *text, size_t len);

#endif
