/* SPDX-License-Identifier: MIT */
/*
 * err.h - one clear error: where, what was found, what was expected, what to do.
 *
 *	web.json:12:17: "cpu.max": expected "QUOTA PERIOD" or "max", found "50%"
 *	  hint: write "50000 100000", or give the limit as --limit /web=50%
 *
 * The first error set wins; later ones are ignored.
 */
#ifndef TEXT_ERR_H
#define TEXT_ERR_H

#include "base/types.h"

enum err_code { ERR_NONE = 0, ERR_INPUT = 2, ERR_HOST = 3 }; /* also the exit code */

struct err {
	int code;		/* enum err_code */
	char file[256];		/* "" where no file is to blame */
	int line, column;	/* from 1; 0 = unknown */
	char key[96];		/* "" where no key is to blame */
	char message[512];
	char hint[256];
};

/* Set @err (unless one is set).  Returns -1, so that a caller may say `return err_set(...)`. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same with a place.  @file and @key may be NULL. */
int err_at(struct err *err, const char *file, int line, int column, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* Add what to do. */
void err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One or two lines as above, safe for a terminal, into @buf; returns @buf. */
char *err_text(const struct err *err, char *buf, size_t size);

#endif
