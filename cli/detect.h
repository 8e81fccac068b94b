/* SPDX-License-Identifier: MIT */
/*
 * detect.h - which row stands for the kernel that runs here, and how it was built.
 *
 *	/proc/version --> release --distro.h--> row, what is known of the build
 *	/proc/config.gz, /boot/config-RELEASE, /proc/cmdline, /proc/sys/kernel --> HZ, preemption model, slice: better than any table
 */
#ifndef CLI_DETECT_H
#define CLI_DETECT_H

#include "input/distro.h"
#include "text/err.h"
#include "text/json_write.h"

#define FROM_MAX 160

struct detected {
	struct distro_kernel kernel; /* .row is NULL where no row is old enough */
	u32 hz;			     /* 0: not known */
	int preempt;		     /* -1: not known */
	u64 slice_us;		     /* 0: not known */
	char hz_from[FROM_MAX], preempt_from[FROM_MAX], slice_from[FROM_MAX]; /* where each was read */
};

/*
 * Look at the kernel whose /proc is @proc (NULL: this one's), into @d.  0, or -1 with @err set where there is no version to read.
 */
int detect_kernel(const char *proc, struct detected *d, struct err *err);

void detect_print(FILE *out, const struct detected *d);
void detect_json(struct json_write *j, const struct detected *d);

#endif
