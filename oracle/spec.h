/* SPDX-License-Identifier: MIT */
/*
 * spec.h - the one-line language in which a measured case is described.
 *
 *	name=fib2 secs=4 g=fib:0:10000:100000:0 t=1:0:hog:0:0:0:0 t=1:s1:sleep:1:10000:0:0
 *	          |      |                      |                 \-- one thread, on CPU 1: burns 1 us, sleeps 10 ms
 *	          |      |                      \-- one thread, on CPU 0: never stops
 *	          |      \-- group "fib", 10 ms in each 100 ms; the t= behind it are its threads
 *	          \-- the window that was measured
 *
 *	name=NAME secs=S [series=MS] [trace=1] [align=1] [slice=US] [wgran=US]
 *	g=PATH:WEIGHT:QUOTA:PERIOD:BURST		us; WEIGHT 0 = leave; QUOTA -1 = no limit
 *	t=COUNT:PIN:KIND:BURN:SLEEP:NICE:OFFSET		us; PIN -1 = free, K = CPU K, sK = thread i on CPU K+i;
 *							OFFSET *X = thread i starts at X*i
 *	w=AT:GROUP:QUOTA:PERIOD:BURST			at AT us writes the limit of group number GROUP; BURST -1 = leave
 *
 * tests/oracle/README.md says what each KIND does.  Every measured line carries its description, and a case is whatever
 * its description says: names decide nothing.
 */
#ifndef ORACLE_SPEC_H
#define ORACLE_SPEC_H

#include "base/arena.h"
#include "base/types.h"
#include "text/err.h"

enum wl_kind {
	WL_HOG,	    /* runs until the end */
	WL_SLEEP,   /* burn, then sleep: closed loop */
	WL_EVERY,   /* released each SLEEP, late releases are kept: open loop */
	WL_REFRESH, /* like every, but makes the kernel wake one bound kernel thread on each CPU and waits for them */
	WL_CEVERY,  /* like every, but reads its own CPU clock after each 20 us of work */
	WL_CHOG,    /* like hog, with the same reading */
	WL_ZREAD,   /* like every, but the burn is one system call that offers to reschedule */
	WL_POLL,    /* like every, but the burn is one system call that does not */
	NR_WL_KINDS
};

struct wl_group {
	const char *path;     /* "p/a", without a leading slash */
	u32 weight;	      /* cpu.weight, 0 = untouched */
	bool limited;
	u64 quota, period, burst; /* ns */
};

struct wl_set {		      /* the threads of one t= */
	u32 group;	      /* index of wl_spec.groups */
	u32 count;
	bool free;	      /* may run everywhere */
	bool spread;	      /* thread i on CPU cpu + i, else all on cpu */
	int cpu;
	enum wl_kind kind;
	u64 burn, sleep;      /* ns */
	int nice;
	bool stagger;	      /* thread i starts at offset * i, else all at offset */
	u64 offset;	      /* ns after the window's start */
};

struct wl_write {
	u64 at;		      /* ns after the window's start */
	u32 group;
	bool limited;
	u64 quota, period;    /* ns */
	bool sets_burst;
	u64 burst;
};

struct wl_spec {
	const char *name;
	u64 window;	      /* ns */
	u64 slice, wgran;     /* ns; 0 = untouched */
	u32 series_ms;
	bool trace, align;
	struct wl_group *groups;
	u32 nr_groups;
	struct wl_set *sets;
	u32 nr_sets;
	struct wl_write *writes;
	u32 nr_writes;
};

/*
 * Read @text into @spec; everything it points at lives in @mem.  @file and @line say where the text stands, for errors
 * (its columns are counted from 1 within @text).  Returns 0, or -1 with @err set.
 */
int wl_parse(struct wl_spec *spec, const char *text, struct arena *mem, const char *file, int line, struct err *err);

const char *wl_kind_name(enum wl_kind kind);

/* A case is pinned where no thread of it may choose its CPU. */
bool wl_pinned(const struct wl_spec *spec);

/* Is group number @below of @spec group @above, or inside it? */
bool wl_group_is_inside(const struct wl_spec *spec, u32 below, u32 above);

/* How many CPUs of @vcpus the threads can keep busy at once. */
u32 wl_busy_cpus(const struct wl_spec *spec, u32 vcpus);

/* Does the thread burn for at least 20 us, so that the measuring program timed its burns by the clock? */
bool wl_timed_burns(const struct wl_set *set);

/* What a case is about, for the score by kind of case. */
enum wl_family {
	WL_FAMILY_FIBTEST, /* a hog on one CPU and sleepers on others, under one limit */
	WL_FAMILY_HOG,	   /* hogs under one limit */
	WL_FAMILY_SHARE,   /* nobody is limited: weights, nice */
	WL_FAMILY_NESTED,  /* limits above each other */
	WL_FAMILY_SERVER,  /* released again and again, under a limit */
	WL_FAMILY_WAKE,	   /* wakeups beside hogs, nobody is limited */
	WL_FAMILY_SLACK,   /* what is returned in mid-period */
	WL_FAMILY_BURST,
	WL_FAMILY_WRITE,   /* the limit is written while it runs */
	WL_FAMILY_SYSCALL, /* long system calls */
	NR_WL_FAMILIES
};
enum wl_family wl_family(const struct wl_spec *spec);
const char *wl_family_name(enum wl_family family);

#endif
