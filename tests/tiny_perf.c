/* SPDX-License-Identifier: MIT */
/* tiny_perf.c - writes a perf.data, plain, packed as by perf record -z, or with losses. */
#include <stdlib.h>
#include <string.h>
#ifdef FAIRGROUND_ZSTD
#include <zstd.h>
#endif

#include "tests/tiny_impl.h"

#define SAMPLES (((u64)1 << 16) | 2 | 4 | 128 | 1024 | ((u64)1 << 21)) /* id, tid, time, CPU, raw, cgroup */

static void perf_sample(void *arg, u32 cpu, u64 us, u32 current, const struct tiny *event)
{
	struct tiny *t = arg;
	u32 raw = (u32)event->len + 4; /* with what makes it a multiple of 8 */

	tiny_put(t, 9, 4);
	tiny_put(t, 0, 2);
	tiny_put(t, 8 + 8 + 8 + 8 + 8 + 4 + raw + 8, 2);
	tiny_put(t, 77, 8);
	tiny_put(t, current == 101 ? 101 : current, 4);
	tiny_put(t, current, 4);
	tiny_put(t, TINY_START + us * US, 8);
	tiny_put(t, cpu, 4);
	tiny_put(t, 0, 4);
	tiny_put(t, raw, 4);
	tiny_bytes(t, event->p, event->len);
	tiny_put(t, 0, 4);
	tiny_put(t, current == 200 ? 5 : 1, 8);
}

static void perf_cgroup(struct tiny *t, u64 id, const char *path)
{
	size_t len = (strlen(path) + 8) / 8 * 8, start = t->len;

	tiny_put(t, 19, 4);
	tiny_put(t, 0, 2);
	tiny_put(t, 16 + len, 2);
	tiny_put(t, id, 8);
	tiny_word(t, path);
	tiny_pad(t, start + 16 + len);
}

/* Pack the records from @data on as perf record -z does: pieces that end anywhere, of one stream of zstd.  Nothing where it cannot be had. */
static void perf_pack(struct tiny *t, size_t data)
{
#ifdef FAIRGROUND_ZSTD
	size_t len = t->len - data, piece = len / 3 + 1;
	u8 *plain = malloc(len), packed[4096];
	ZSTD_CStream *zstd = ZSTD_createCStream();

	if (!plain || !zstd || ZSTD_isError(ZSTD_initCStream(zstd, 1)))
		abort();
	memcpy(plain, t->p + data, len);
	t->len = data;
	for (size_t at = 0; at < len; at += piece) {
		ZSTD_inBuffer in = { plain + at, len - at < piece ? len - at : piece, 0 };
		ZSTD_outBuffer out = { packed, sizeof(packed), 0 };

		if (ZSTD_isError(ZSTD_compressStream(zstd, &out, &in)) || ZSTD_flushStream(zstd, &out))
			abort();
		tiny_put(t, at ? 81 : 83, 4); /* the newer kind says how long it is, and is padded */
		tiny_put(t, 0, 2);
		tiny_put(t, 8 + (at ? out.pos : 8 + (out.pos + 7) / 8 * 8), 2);
		if (!at)
			tiny_put(t, out.pos, 8);
		tiny_bytes(t, packed, out.pos);
		if (!at)
			tiny_pad(t, data + 16 + (out.pos + 7) / 8 * 8);
	}
	ZSTD_freeCStream(zstd);
	free(plain);
#else
	(void)t;
	(void)data;
#endif
}

/* Events that were lost are told twice: when it happens, and summed up at the end. */
static void perf_lost(struct tiny *t)
{
	static const u32 cpus[] = { 1, 0 };

	for (u32 i = 0; i < ARRAY_SIZE(cpus); i++) {
		tiny_put(t, 2, 4);
		tiny_put(t, 0, 2);
		tiny_put(t, 8 + 16 + 32, 2);
		tiny_put(t, 77, 8);
		tiny_put(t, 3 + i, 8);
		tiny_put(t, 0, 8); /* process and thread */
		tiny_put(t, TINY_START + 260 * MS, 8);
		tiny_put(t, cpus[i], 4);
		tiny_put(t, 0, 4);
		tiny_put(t, 77, 8);
	}
	tiny_put(t, 13, 4);
	tiny_put(t, 0, 2);
	tiny_put(t, 8 + 8 + 32, 2);
	tiny_put(t, 7, 8);
	for (int i = 0; i < 4; i++)
		tiny_put(t, 0, 8);
}

void tiny_perf(struct tiny *t, enum tiny_kind kind)
{
	size_t attrs, data, table;

	tiny_bytes(t, "PERFILE2", 8);
	tiny_put(t, 104, 8);
	tiny_put(t, 112 + 16, 8);
	tiny_pad(t, 104);
	attrs = t->len;
	tiny_put(t, 2, 4);
	tiny_put(t, 112, 4);
	tiny_put(t, 301, 8);
	tiny_put(t, 1, 8);
	tiny_put(t, SAMPLES, 8);
	tiny_put(t, 0, 8);
	tiny_put(t, (u64)1 << 25 | 1 << 18, 8);
	tiny_pad(t, attrs + 92);
	tiny_put(t, 1, 4);
	tiny_pad(t, attrs + 112);
	tiny_put(t, 0, 8);
	tiny_put(t, 0, 8);
	tiny_set(t, 24, attrs, 8);
	tiny_set(t, 32, t->len - attrs, 8);
	data = t->len;
	perf_cgroup(t, 1, "/");
	perf_cgroup(t, 5, "/db.slice");
	for (u32 cpu = 0; cpu < 2; cpu++)
		tiny_events(perf_sample, t, false, cpu);
	if (kind == TINY_PERF_PACKED)
		perf_pack(t, data);
	if (kind == TINY_PERF_LOST)
		perf_lost(t);
	tiny_set(t, 40, data, 8);
	tiny_set(t, 48, t->len - data, 8);
	tiny_set(t, 72, 1 << 1 | 1 << 4, 8);
	table = t->len;
	for (int i = 0; i < 4; i++)
		tiny_put(t, 0, 8);
	tiny_set(t, table, t->len, 8);
	tiny_magic(t, "0.6");
	tiny_formats(t);
	tiny_set(t, table + 8, t->len - table - 32, 8);
	tiny_set(t, table + 16, t->len, 8);
	tiny_put(t, 32, 4);
	tiny_name(t, "6.1.0-18-amd64");
	tiny_name(t, "");
	tiny_set(t, table + 24, 36, 8);
}
