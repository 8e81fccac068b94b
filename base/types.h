/* SPDX-License-Identifier: MIT */
/* types.h - the integer types, the units of time and the few helpers that every room uses. */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* Times are u64 nanoseconds, differences s64; a name carries a unit only where it is another one. */
#define US ((u64)1000)
#define MS ((u64)1000000)
#define SEC ((u64)1000000000)
#define NEVER UINT64_MAX /* a moment that does not come */

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Where a branch is nearly always the same; only a hint, never a meaning. */
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The smaller and the larger of two. */
static inline u64 min_u64(u64 a, u64 b) { return a < b ? a : b; }
static inline u64 max_u64(u64 a, u64 b) { return a > b ? a : b; }
static inline s64 min_s64(s64 a, s64 b) { return a < b ? a : b; }
static inline s64 max_s64(s64 a, s64 b) { return a > b ? a : b; }

/* Is @a before @b?  Right across the wrap-around, as long as the two are less than 2^63 apart. */
static inline bool before(u64 a, u64 b) { return (s64)(a - b) < 0; }

#endif
