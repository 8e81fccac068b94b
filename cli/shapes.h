/* SPDX-License-Identifier: MIT */
/* shapes.h - the commonest workloads, as commented scenario files; made from scenarios/ when the program is built. */
#ifndef CLI_SHAPES_H
#define CLI_SHAPES_H

struct shape {
	const char *name, *summary, *text;
};

/* Ended by an empty row. */
extern const struct shape shapes[];

#endif
