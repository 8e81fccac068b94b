/* SPDX-License-Identifier: MIT */
/*
 * format.h - numbers for people: with a unit, and no more digits than are known.
 *
 * Each function writes into @buf, which must hold FORMAT_MAX bytes, and returns it.
 */
#ifndef TEXT_FORMAT_H
#define TEXT_FORMAT_H

#include "base/types.h"

#define FORMAT_MAX 64

/* A length of time in the unit that suits it: "300 ns", "12.5 us", "231 ms", "5.30 s". */
char *format_time(char *buf, u64 ns);

/* The same in ms, without the unit, for a column of times: "<0.001", "0.012", "4.25", "29.2", "8640". */
char *format_ms(char *buf, u64 ns);

/* @part of @whole: "62%", "0.4%", "<0.1%"; "-" where there is no whole. */
char *format_share(char *buf, u64 part, u64 whole);

/* A use of @ns CPU time in @span, in 1/1000 of a CPU: "0.49m", "1.5m", "250m"; "-" where there is no span. */
char *format_milli(char *buf, u64 ns, u64 span);

/* How many times @a is in @b: "2.2x", "1.05x", "15x"; "-" where @a is 0. */
char *format_ratio(char *buf, double a, double b);

/* A limit as cgroup v2 shows it, and in CPUs: "10/100 ms (100m)"; "no limit" for a quota of UINT64_MAX. */
char *format_limit(char *buf, u64 quota, u64 period);

/* The same with its burst, where it has one: "30/100+25 ms (300m)". */
char *format_limit_burst(char *buf, u64 quota, u64 period, u64 burst);

/* A count with a blank between thousands where it is long: "19744", "1 234 567". */
char *format_count(char *buf, u64 n);

#endif
