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
#ifdef FAIRGROUND_ZSTD
	ZSTD_DStream *zstd; /* NULL: it is a stream of zlib */
#endif
	bool ended;
	char buf[65536];
};

typedef void (*sink_fn)(void *arg, const char *buf, size_t len);

static bool begin(struct unpacker *u, enum packing packing)
{
#ifdef FAIRGROUND_ZSTD
	if (packing == PACKING_ZSTD) {
		u->zstd = ZSTD_createDStream();
		return u->zstd != NULL;
	}
#endif
	return packing == PACKING_ZLIB && inflateInit2(&u->z, 15 + 32) == Z_OK;
}

struct unpacker *unpacker_new(enum packing packing)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (u && !begin(u, packing)) {
		free(u);
		return NULL;
	}
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
#ifdef FAIRGROUND_ZSTD
	if (u->zstd)
		ZSTD_freeDStream(u->zstd);
	else
#endif
		inflateEnd(&u->z);
	free(u);
}

bool unpacker_ended(const struct unpacker *u) { return u->ended; }

#ifdef FAIRGROUND_ZSTD
static bool feed_zstd(struct unpacker *u, const void *from, size_t len, sink_fn sink, void *arg)
{
	ZSTD_inBuffer in = { from, len, 0 };
	bool full = false; /* then more may be waiting inside */

	while (in.pos < in.size || full) {
		ZSTD_outBuffer out = { u->buf, sizeof(u->buf), 0 };
		size_t was = in.pos;

		if (ZSTD_isError(ZSTD_decompressStream(u->zstd, &out, &in)))
			return false;
		full = out.pos == out.size;
		if (out.pos)
			sink(arg, u->buf, out.pos);
		else if (in.pos == was)
			break; /* wants more */
	}
	return true;
}
#endif

static bool feed_zlib(struct unpacker *u, const void *from, size_t len, sink_fn sink, void *arg)
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

bool unpacker_feed(struct unpacker *u, const void *from, size_t len, sink_fn sink, void *arg)
{
#ifdef FAIRGROUND_ZSTD
	if (u->zstd)
		return feed_zstd(u, from, len, sink, arg);
#endif
	return feed_zlib(u, from, len, sink, arg);
}
