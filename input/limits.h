/* SPDX-License-Identifier: MIT */
/*
 * limits.h - CPU limits as people write them.
 *
 *	[GROUP=]AMOUNT[/PERIOD][+BURST]
 *
 *	250m		a quarter of a CPU (Kubernetes)		1.5, 2	 CPUs (docker --cpus)
 *	150%		one CPU and a half (systemd)		max	 no limit
 *	50000/100000	us in each us (cgroup files)		50ms/1s	 with units: us, ms, s
 *	250m/20ms	a quarter of a CPU, by 20 ms		250m+25ms  and 25 ms of burst
 *	/web=250m	for group /web
 *
 * And as other programs have it, to be pasted: CPUQuota=50%, --cpus=1.5, --cpu-quota=50000, cpu.max="50000 100000" or that pair alone,
 * limits.cpu=500m, cpu: 500m or cpus: 0.5.  Blanks do not matter, but for those between two digits.
 *
 * A bare whole number is us where the period is bare too ("50000/100000"), and from 1000 on, for no kernel takes a quota
 * below 1000 us; otherwise it is CPUs.
 */
#ifndef INPUT_LIMITS_H
#define INPUT_LIMITS_H

#include "text/err.h"

#define LIMIT_PERIOD (100 * MS) /* where none is given, as in every kernel */
#define LIMIT_TEXT 48		/* bytes for a write value */

/*
 * A limit.  An amount in CPUs keeps its meaning until a period is known: limit_quota() says the quota for one.
 */
struct limit {
	const char *group; /* where it begins in the text that was parsed, or NULL: not said */
	u32 group_len;
	bool unlimited;
	bool by_cpus;	   /* the amount is in CPUs, else in time */
	u64 amount;	   /* 10^-9 CPUs, or ns */
	bool has_period;
	u64 period;	   /* ns */
	bool has_burst;
	u64 burst;	   /* ns */
};

/* Read @spec (NUL-terminated) into @limit.  0, or -1 with @err set; err's column is the place in @spec. */
int limit_parse(const char *spec, struct limit *limit, struct err *err);

/* The period in force where the group has @period (ns) so far. */
u64 limit_period(const struct limit *limit, u64 period);

/*
 * The quota in ns, cut to whole us as the files take them; UINT64_MAX where there is no limit.  @period as above.
 * At least 1 us; whether the kernel takes it is the kernel's business.
 */
u64 limit_quota(const struct limit *limit, u64 period);

/* What to write: "25000 100000" into cpu.max, "25000" into cpu.max.burst (cpu.cfs_burst_us), into LIMIT_TEXT bytes; returns @buf. */
char *limit_max_text(const struct limit *limit, u64 period, char *buf);
char *limit_burst_text(const struct limit *limit, char *buf);
/* v1: "25000" or "-1" into cpu.cfs_quota_us, "100000" into cpu.cfs_period_us. */
char *limit_quota_text(const struct limit *limit, u64 period, char *buf);
char *limit_period_text(const struct limit *limit, u64 period, char *buf);

/* Read what was written to cpu.max ("25000 100000", "max", "50000"); false where it is no such thing.  ns. */
bool limit_from_max(const char *text, u64 *quota, u64 *period);

/* ---- what managers make of an amount ---- */

enum limit_driver { DRIVER_NONE, DRIVER_KUBELET, DRIVER_RUNC_SYSTEMD, DRIVER_SYSTEMD };

/* By name: "none", "kubelet", "runc-systemd", "systemd"; -1 for an unknown one. */
int limit_driver_named(const char *name);

/*
 * Change @limit into what @driver would write for it: kubelet raises a quota below 1 ms to it; runc under systemd rounds up to
 * whole 1 % of a CPU; systemd lengthens the period of small quotas.  Returns whether anything changed.
 */
bool limit_drive(struct limit *limit, enum limit_driver driver);

#endif
