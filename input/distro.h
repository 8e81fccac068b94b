/* SPDX-License-Identifier: MIT */
/*
 * distro.h - which row stands for a kernel that calls itself "5.15.0-1051-aws", and how its distribution built it.
 *
 *	uname -r, or a distribution's name --> the nearest row that is not newer, HZ, preemption model, what is not known
 *
 * A number in front of a name says where a kernel began, not what was put into it since.  What a distribution back-ported is
 * unknown here, and every answer says so.
 */
#ifndef INPUT_DISTRO_H
#define INPUT_DISTRO_H

#include "base/types.h"

#define DISTRO_RULES_MAX 2
#define RELEASE_MAX 64

struct distro_kernel {
	char release[RELEASE_MAX]; /* what uname -r says; made up from the version for a distribution's name */
	const char *row;	   /* the nearest row */
	bool exact;		   /* the row has the very number of the release */
	const char *distro;	   /* "Ubuntu", or NULL: no distribution's spelling */
	const char *rules[DISTRO_RULES_MAX]; /* what it has in spite of the row, "bw_expiry=none", NULL behind the last */
	u32 hz;			   /* 0: not known */
	int preempt;		   /* enum preempt_model of core/model.h; -1: not known */
	const char *source;	   /* where hz and preempt are from, or NULL */
	const char *doubt;	   /* what is not known, a phrase */
};

/*
 * What is known of the kernel @name: a release ("5.15.0-1051-aws", "4.19.67") or a distribution ("debian-12").  0; -1 where it
 * begins with no version of Linux from the oldest row's on.
 */
int distro_kernel(const char *name, struct distro_kernel *k);

/* "5.15.0-1051-aws (Ubuntu): row 5.15, HZ 250, preemption voluntary; not known: Ubuntu's back-ports", cut to @size; returns @buf. */
char *distro_note(const struct distro_kernel *k, char *buf, size_t size);

/* The rows of the table, for documentation: 0 and up, false past the last. */
struct distro_text {
	const char *distro, *spelling; /* "Ubuntu", "*-generic" */
	const char *source, *doubt, *rule;	  /* NULL: none */
	u32 hz;
	int preempt;
	char versions[32]; /* "4.15 to 6.5" */
};
bool distro_text(u32 index, struct distro_text *text);

/* Names of distributions that distro_kernel() takes, and the release each stands for; NULL past the last. */
const char *distro_name(u32 index, const char **release);

/* The row or distribution whose name comes nearest to @name, which is unknown; static.  NULL where none is near enough to be meant. */
const char *nearest_kernel(const char *name);

/* "none", "voluntary", "full", "lazy", or "not known" for -1. */
const char *preempt_name(int preempt);

#endif
