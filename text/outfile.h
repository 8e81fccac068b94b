/* SPDX-License-Identifier: MIT */
/*
 * outfile.h - a file that is there as a whole or not at all.
 *
 *	outfile_open(&o, "web.json", false, &err)   fprintf(o.out, ...)   outfile_close(&o, &err)
 *
 * What is written goes into a file without a name on the same disk, which gets its name when all has been written: a full disk,
 * Ctrl-C or a crash leave nothing behind, and what stood there before stays.
 */
#ifndef TEXT_OUTFILE_H
#define TEXT_OUTFILE_H

#include <stdio.h>

#include "text/err.h"

struct outfile {
	FILE *out;
	const char *path;
	bool replace;
	char temp[4096]; /* where a file must have a name from the beginning; else "" */
};

/*
 * Begin the file at @path, which must outlive @o.  A file that is there already is an error unless @replace.  0, or -1 with @err set.
 */
int outfile_open(struct outfile *o, const char *path, bool replace, struct err *err);

/* All has been written: give it its name.  0, or -1 with @err set, and then nothing has changed. */
int outfile_close(struct outfile *o, struct err *err);

/* Forget what was written. */
void outfile_drop(struct outfile *o);

#endif
