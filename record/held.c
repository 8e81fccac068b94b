/* SPDX-License-Identifier: MIT */
/* held.c - keeps what polls have read, and makes lines of it. */
#define _GNU_SOURCE
#include "record/held.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST ((size_t)256 << 10) /* bytes */
#define TEXT_MOST 2048		 /* of one file */
#define GONE_MOST 64		 /* threads that are told in one line */

/* In front of the bytes of a file. */
struct head {
	u64 us; /* HELD_POLL; of HELD_GONE which member */
	s32 what;
	u32 len;
};

static size_t padded(u32 len) { return ((size_t)len + 7) & ~(size_t)7; }

bool held_init(struct held *h, FILE *out, bool v1)
{
	*h = (struct held){ .out = out, .v1 = v1, .bytes = malloc(MOST) };
	return h->bytes;
}

void held_fini(struct held *h)
{
	free(h->bytes);
	free(h->times);
	*h = (struct held){ 0 };
}

bool held_has_room(const struct held *h) { return h->nr + 2 * sizeof(struct head) + TEXT_MOST + 8 < MOST; }

static void put(struct held *h, u64 us, s32 what, u32 len)
{
	struct head head = { us, what, len };

	memcpy(h->bytes + h->nr, &head, sizeof(head));
	h->nr += sizeof(head) + padded(len);
}

void held_poll(struct held *h, u64 us) { put(h, us, HELD_POLL, 0); }

void held_gone(struct held *h, u32 at) { put(h, at, HELD_GONE, 0); }

void held_part(struct held *h) { put(h, 0, HELD_PART, 0); }

bool held_read(struct held *h, int fd, s32 what)
{
	ssize_t n = pread(fd, h->bytes + h->nr + sizeof(struct head), TEXT_MOST, 0);

	if (n <= 0)
		return false;
	put(h, 0, what, (u32)n);
	return true;
}

/* ---- lines ---- */

struct line {
	struct held *h;
	const struct members *m;
	u64 stats[NR_STATS];
	bool begun, has_stats;
	u32 threads; /* told in it */
	s32 gone[GONE_MOST];
	u32 nr_gone;
};

static void parse_stat(const struct held *h, const char *text, u64 stats[NR_STATS])
{
	static const struct {
		const char *v1, *v2;
	} keys[NR_STATS] = { { "usage_nsec", "usage_usec" }, { "nr_periods", "nr_periods" }, { "nr_throttled", "nr_throttled" },
			     { "throttled_time", "throttled_usec" }, { "nr_bursts", "nr_bursts" }, { "burst_time", "burst_usec" } };

	memset(stats, 0, NR_STATS * sizeof(*stats));
	for (int i = 0; i < NR_STATS; i++)
		file_number(text, h->v1 ? keys[i].v1 : keys[i].v2, &stats[i]);
	if (!h->v1)
		return;
	stats[STAT_STOPPED] /= US;
	stats[STAT_BORROWED] /= US;
}

/* The counters, behind which threads follow. */
static void put_stats(struct line *l)
{
	struct held *h = l->h;

	if (!l->has_stats)
		return;
	l->has_stats = false;
	if (h->said_stats && !memcmp(l->stats, h->stats, sizeof(h->stats)))
		return;
	for (int i = 0; i < NR_STATS; i++)
		fprintf(h->out, "%s%" PRIu64, i ? "," : ",\"stat\":[", l->stats[i]);
	fputc(']', h->out);
	memcpy(h->stats, l->stats, sizeof(h->stats));
	h->said_stats = true;
}

static bool room_for(struct held *h, u32 nr)
{
	char(*more)[96];

	if (nr <= h->nr_times)
		return true;
	more = realloc(h->times, nr * sizeof(*more));
	if (!more)
		return false;
	memset(more + h->nr_times, 0, (nr - h->nr_times) * sizeof(*more));
	h->times = more;
	h->nr_times = nr;
	return true;
}

/* "run wait slices" of a thread, where they are others than before. */
static void put_times(struct line *l, u32 at, const char *text)
{
	struct held *h = l->h;
	char *rest;
	u64 run, wait;

	if (at >= l->m->nr || !room_for(h, l->m->nr) || !strncmp(h->times[at], text, sizeof(*h->times) - 1))
		return;
	snprintf(h->times[at], sizeof(*h->times), "%.95s", text);
	run = strtoull(text, &rest, 10);
	wait = strtoull(rest, &rest, 10);
	fprintf(h->out, "%s[%d,%" PRIu64 ",%" PRIu64 ",%llu]", l->threads++ ? "," : ",\"threads\":[", l->m->v[at].tid, run, wait,
		strtoull(rest, NULL, 10));
}

static void end_threads(struct line *l)
{
	put_stats(l);
	if (l->threads)
		fputc(']', l->h->out);
	l->threads = 0;
}

static void end_line(struct line *l)
{
	if (!l->begun)
		return;
	end_threads(l);
	for (u32 i = 0; i < l->nr_gone; i++)
		fprintf(l->h->out, "%s%d%s", i ? "," : ",\"gone\":[", l->gone[i], i + 1 == l->nr_gone ? "]" : "");
	l->nr_gone = 0;
	fputs("}\n", l->h->out);
	l->begun = false;
}

static void take(struct line *l, const struct head *head, const char *text)
{
	switch (head->what) {
	case HELD_POLL:
		end_line(l);
		fprintf(l->h->out, "{\"t\":%" PRIu64, head->us);
		l->begun = true;
		break;
	case HELD_STAT:
		parse_stat(l->h, text, l->stats);
		l->has_stats = true;
		break;
	case HELD_USAGE:
		l->stats[STAT_USAGE] = strtoull(text, NULL, 10) / US;
		break;
	case HELD_GONE:
		if (l->nr_gone < GONE_MOST && head->us < l->m->nr)
			l->gone[l->nr_gone++] = l->m->v[head->us].tid;
		break;
	case HELD_PART:
		end_threads(l);
		fputs(",\"part\":true", l->h->out);
		break;
	default:
		put_stats(l);
		put_times(l, (u32)head->what, text);
		break;
	}
}

void held_lines(struct held *h, const struct members *m)
{
	struct line line = { .h = h, .m = m };

	for (size_t at = 0; at < h->nr;) {
		char text[TEXT_MOST + 1];
		struct head head;

		memcpy(&head, h->bytes + at, sizeof(head));
		memcpy(text, h->bytes + at + sizeof(head), head.len);
		text[head.len] = '\0';
		at += sizeof(head) + padded(head.len);
		take(&line, &head, text);
	}
	end_line(&line);
	h->nr = 0;
}
