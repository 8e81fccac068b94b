/* SPDX-License-Identifier: MIT */
/* dat.c - writes a trace.dat, version 6. */
#define _GNU_SOURCE
#include "record/dat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 20)

static bool is_little(void)
{
	static const u16 one = 1;

	return *(const u8 *)&one;
}

/* In this machine's order, which the head tells. */
static void put(FILE *out, u64 v, size_t size) { fwrite((const char *)&v + (is_little() ? 0 : 8 - size), size, 1, out); }

static void put_text(FILE *out, const struct dat_text *t, size_t size_bytes)
{
	put(out, t->len, size_bytes);
	if (t->len)
		fwrite(t->s, t->len, 1, out);
}

static void put_word(FILE *out, const char *s) { fwrite(s, strlen(s) + 1, 1, out); }

/* ---- head ---- */

static void put_head(FILE *out, const struct dat *d)
{
	put_word(out, "\x17\x08\x44tracing6");
	put(out, !is_little(), 1);
	put(out, sizeof(long), 1);
	put(out, d->page_size, 4);
	put_word(out, "header_page");
	put_text(out, &d->header_page, 8);
	put_word(out, "header_event");
	put_text(out, &d->header_event, 8);
}

/* How many formats from @i on are of the same system. */
static u32 same_system(const struct dat *d, u32 i)
{
	u32 nr = 1;

	while (i + nr < d->nr_formats && !strcmp(d->formats[i].system, d->formats[i + nr].system))
		nr++;
	return nr;
}

static void put_texts(FILE *out, const struct dat *d, u32 i, u32 nr)
{
	put(out, nr, 4);
	for (; nr--; i++)
		put_text(out, &d->formats[i].text, 8);
}

/* The tracer's own, without a name of their system, stand first. */
static void put_formats(FILE *out, const struct dat *d)
{
	u32 own = 0, systems = 0;

	while (own < d->nr_formats && !strcmp(d->formats[own].system, "ftrace"))
		own++;
	put_texts(out, d, 0, own);
	for (u32 i = own; i < d->nr_formats; i += same_system(d, i))
		systems++;
	put(out, systems, 4);
	for (u32 i = own; i < d->nr_formats; i += same_system(d, i)) {
		put_word(out, d->formats[i].system);
		put_texts(out, d, i, same_system(d, i));
	}
}

/* ---- options ---- */

static void put_option(FILE *out, enum dat_option id, const struct dat_text *text)
{
	put(out, id, 2);
	put(out, text->len + 1, 4);
	fwrite(text->s, text->len, 1, out);
	put(out, 0, 1);
}

static void put_options(FILE *out, const struct dat *d)
{
	put_word(out, "options  ");
	if (d->clock.len)
		put_option(out, DAT_CLOCK, &d->clock);
	if (d->uname.len)
		put_option(out, DAT_UNAME, &d->uname);
	for (u32 i = 0; d->stats && i < d->cpus; i++)
		if (d->stats[i].len)
			put_option(out, DAT_CPU_STAT, &d->stats[i]);
	put(out, DAT_CPUS, 2);
	put(out, 4, 4);
	put(out, d->cpus, 4);
	put(out, 0, 2);
}

/* ---- pages ---- */

static bool copy_pages(FILE *out, int fd, u64 size, char *piece)
{
	u64 at = 0;

	while (at < size) {
		ssize_t got = pread(fd, piece, min_u64(size - at, PIECE), (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || fwrite(piece, (size_t)got, 1, out) != 1) {
			errno = got ? errno : EIO;
			return false;
		}
		at += (u64)got;
	}
	return true;
}

static bool put_pages(FILE *out, const struct dat *d)
{
	u64 at = ((u64)ftello(out) + 16 * (u64)d->cpus + d->page_size - 1) / d->page_size * d->page_size;
	char *piece = malloc(PIECE);
	bool fine = piece;

	for (u32 i = 0; i < d->cpus; i++) {
		put(out, d->sizes[i] ? at : 0, 8);
		put(out, d->sizes[i], 8);
		at += (d->sizes[i] + d->page_size - 1) / d->page_size * d->page_size;
	}
	for (u32 i = 0; fine && i < d->cpus; i++) {
		while (ftello(out) % d->page_size)
			fputc(0, out);
		fine = copy_pages(out, d->fds[i], d->sizes[i], piece);
	}
	free(piece);
	return fine;
}

bool dat_write(FILE *out, const struct dat *d)
{
	put_head(out, d);
	put_formats(out, d);
	put(out, 0, 4); /* kallsyms: no event of ours holds an address */
	put(out, 0, 4); /* and no printk */
	put_text(out, &d->names, 8);
	put(out, d->cpus, 4);
	put_options(out, d);
	put_word(out, "flyrecord");
	return put_pages(out, d) && !fflush(out) && !ferror(out);
}
