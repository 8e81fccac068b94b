/* SPDX-License-Identifier: MIT */
/* ring.c - takes pages of a ring buffer apart. */
#include "trace/ring.h"

#define COMMIT_BITS (((u64)1 << 27) - 1)
#define MISSED_EVENTS ((u64)1 << 31)
#define MISSED_STORED ((u64)1 << 30) /* how many stands behind the last event */

#define PAGE_MOST ((u64)16 << 20) /* bytes */

#define TIME_BITS 27
#define TYPE_PADDING 29u
#define TYPE_EXTEND 30u
#define TYPE_STAMP 31u
#define STAMP_BITS 59 /* of a new time; the rest is as before */

void ring_init(struct ring *ring) { *ring = (struct ring){ .page_size = 4096, .commit_size = 8, .data_at = 16 }; }

/* "offset:16;	size:4080;" of the line that holds @field. */
static bool header_field(const char *text, const char *end, const char *field, u64 *offset, u64 *size)
{
	const char *p = find_word(text, end, field), *at;

	if (!p)
		return false;
	at = find_word(p, end, "offset:");
	if (!at || (at += sizeof("offset:") - 1, !read_number(&at, end, offset)))
		return false;
	at = find_word(at, end, "size:");
	return at && (at += sizeof("size:") - 1, read_number(&at, end, size));
}

void ring_header(struct ring *ring, const char *text, size_t len)
{
	const char *end = text + len;
	u64 offset, size;

	if (header_field(text, end, " commit;", &offset, &size) && (size == 4 || size == 8))
		ring->commit_size = (u32)size;
	if (header_field(text, end, " data;", &offset, &size) && offset >= 12 && offset <= 64 && size <= PAGE_MOST) {
		ring->data_at = (u32)offset;
		ring->page_size = (u32)(offset + size);
	}
}

static void add_lost(struct trace *tr, u64 time, u16 cpu, u64 n)
{
	struct trace_record rec = { .time = time, .other = (u32)min_u64(n, UINT32_MAX), .cpu = cpu, .where = TRACE_NOWHERE,
				    .type = TRACE_LOST };

	tr->counts.lost += n;
	tr->counts.lost_marks++;
	trace_add(tr, &rec);
}

static u64 to_ns(const struct ring *ring, u64 t)
{
	if (ring->cycles)
		t = (u64)(((unsigned __int128)t * ring->mult) >> ring->right) + ring->offset;
	return t + (u64)ring->shift;
}

/* A page being read. */
struct page {
	struct raw in;
	u64 time;
	u16 cpu;
};

static void missed(const struct ring *ring, struct page *page, u64 commit, const u8 *end, struct trace *tr)
{
	u64 used = commit & COMMIT_BITS, n = 1;
	u32 size = ring->commit_size;

	if ((commit & MISSED_STORED) && (u64)(end - page->in.p) >= used + size)
		n = raw_at(page->in.p + used, size, ring->swap);
	if (n > UINT32_MAX)
		n = 1; /* no count at all */
	add_lost(tr, to_ns(ring, page->time), page->cpu, n);
}

/* The next event.  False at the page's end. */
static bool next_event(const struct ring *ring, struct page *page, struct trace *tr, struct event_formats *fs)
{
	static const u16 one = 1;
	bool little = *(const u8 *)&one != ring->swap;
	u32 head, type;
	u64 delta, len;
	const u8 *data;

	if (raw_left(&page->in) < 4)
		return false;
	head = (u32)raw_number(&page->in, 4);
	type = little ? head & 31 : head >> TIME_BITS;
	delta = little ? head >> 5 : head & (((u32)1 << TIME_BITS) - 1);
	if (type == TYPE_STAMP) {
		u64 stamp = raw_number(&page->in, 4) << TIME_BITS | delta;

		page->time = (page->time & ~(((u64)1 << STAMP_BITS) - 1)) | stamp;
		return !page->in.bad;
	}
	if (type == TYPE_EXTEND)
		delta |= raw_number(&page->in, 4) << TIME_BITS;
	else if (type == TYPE_PADDING && !delta)
		return false;
	page->time += delta;
	if (type == TYPE_EXTEND)
		return !page->in.bad;
	len = type ? (u64)type * 4 : raw_number(&page->in, 4);
	if (!type)
		len = len >= 4 ? (len - 4 + 3) & ~(u64)3 : 0;
	if (type == TYPE_PADDING) {
		len = raw_number(&page->in, 4);
		return len >= 4 && raw_take(&page->in, len - 4) != NULL;
	}
	data = len ? raw_take(&page->in, len) : NULL;
	if (data)
		raw_event_add(tr, fs, data, len, to_ns(ring, page->time), page->cpu);
	return data != NULL;
}

static bool read_page(const struct ring *ring, const u8 *p, u64 len, u16 cpu, struct trace *tr, struct event_formats *fs)
{
	struct page page = { .in = { .p = p, .end = p + len, .swap = ring->swap }, .cpu = cpu };
	u64 commit, used;

	page.time = raw_number(&page.in, 8);
	commit = raw_number(&page.in, ring->commit_size);
	if (page.in.bad || len < ring->data_at)
		return false;
	page.in.p = p + ring->data_at;
	used = commit & COMMIT_BITS;
	if (used > raw_left(&page.in))
		return false;
	if (commit & MISSED_EVENTS)
		missed(ring, &page, commit, page.in.end, tr);
	page.in.end = page.in.p + used;
	while (next_event(ring, &page, tr, fs))
		;
	return !page.in.bad;
}

void ring_pages(const struct ring *ring, const u8 *p, u64 len, u16 cpu, struct trace *tr, struct event_formats *fs)
{
	while (len) {
		u64 size = min_u64(len, ring->page_size);

		if (!read_page(ring, p, size, cpu, tr, fs))
			tr->counts.half_lines++;
		p += size;
		len -= size;
	}
}
