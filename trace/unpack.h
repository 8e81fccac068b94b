/* SPDX-License-Identifier: MIT */
/*
 * unpack.h - packed pieces of recordings: whole blocks, and a stream that comes bit by bit.
 */
#ifndef TRACE_UNPACK_H
#define TRACE_UNPACK_H

#include "base/types.h"

enum packing { PACKING_NONE, PACKING_ZLIB, PACKING_ZSTD, PACKING_UNKNOWN };

#define UNPACK_MOST ((u64)64 << 20) /* bytes of one block; more would be a damaged one's */

/* As a recording spells it, "none", "zlib", "zstd"; @name need not end with 0. */
enum packing packing_named(const char *name, size_t len);
/* Can this program unpack it? */
bool unpack_knows(enum packing packing);

/* Unpack @len bytes at @from into @to, which holds @size.  The size that came out, 0 where it is damaged. */
u64 unpack(enum packing packing, void *to, u64 size, const void *from, u64 len);

/* A stream: PACKING_ZLIB (which takes gzip too) or PACKING_ZSTD.  NULL when memory is out, or it cannot be unpacked here. */
struct unpacker;
struct unpacker *unpacker_new(enum packing packing);
void unpacker_free(struct unpacker *u);
/* More of it: what comes out goes to @sink.  False where the stream is damaged. */
bool unpacker_feed(struct unpacker *u, const void *from, size_t len, void (*sink)(void *arg, const char *buf, size_t len), void *arg);
/* Has its end been seen?  One of zstd may go on with another frame: it has none. */
bool unpacker_ended(const struct unpacker *u);

#endif
