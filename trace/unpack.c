/* SPDX-License-Identifier: MIT */
/* unpack.c - zlib always, zstd where the library was there when this was built. */
#include "trace/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef FAIRGROUND_ZSTD
#include <zstd.h>
#endif

enum packing packing_named(const char *name, size_t len)
{
	static const char *const names[] = { [PACKING_NONE] = "none", [PACKING_ZLIB] = "zlib", [PACKING_ZSTD] = "zstd" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (len == strlen(names[i]) && !memcmp(name, names[i], len))
			return (enum packing)i;
	return PACKING_UNKNOWN;
}

bool unpack_knows(enum packing packing)
{
#ifndef FAIRGROUND_ZSTD
	if (packing == PACKING_ZSTD)
		return false;
#endif
	return packing != PACKING_UNKNOWN;
}

u64 unpack(enum packing packing, void *to, u64 size, const void *from, u64 len)
{
	uLongf out = (uLongf)size;

	switch (packing) {
	case PACKING_NONE:
		if (len > size)
			return 0;
		memcpy(to, from, len);
		return len;
	case PACKING_ZLIB:
		return uncompress(to, &out, from, (uLong)len) == Z_OK ? out : 0;
#ifdef FAIRGROUND_ZSTD
	case PACKING_ZSTD:
		out = ZSTD_decompress(to, size, from, len);
		return ZSTD_isError(out) ? 0 : out;
#endif
	default:
		return 0;
	}
}

/* ---- a stream ---- */

struct unpacker {
	z_stream z;
	bool ended;
	char buf[65536];
};

struct unpacker *unpacker_new(void)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (u && inflateInit2(&u->z, 15 + 32) != Z_OK) {
		free(u);
		return NULL;
	}
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	inflateEnd(&u->z);
	free(u);
}

bool unpacker_ended(const struct unpacker *u) { return u->ended; }

bool unpacker_feed(struct unpacker *u, const void *from, size_t len, void (*sink)(void *arg, const char *buf, size_t len), void *arg)
{
	u->z.next_in = (Bytef *)(uintptr_t)from;
	u->z.avail_in = (uInt)len;
	while (!u->ended) {
		int ret;

		u->z.next_out = (Bytef *)u->buf;
		u->z.avail_out = sizeof(u->buf);
		ret = inflate(&u->z, Z_NO_FLUSH);
		if (u->z.avail_out < sizeof(u->buf))
			sink(arg, u->buf, sizeof(u->buf) - u->z.avail_out);
		u->ended = ret == Z_STREAM_END;
		if (ret == Z_BUF_ERROR || (ret == Z_OK && !u->z.avail_in && u->z.avail_out))
			return true; /* wants more */
		if (ret != Z_OK && ret != Z_STREAM_END)
			return false;
	}
	return true;
}
