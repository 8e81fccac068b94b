/* SPDX-License-Identifier: MIT */
#include "base/heap.h"

#include <string.h>

static bool earlier(const struct heap_key *a, const struct heap_key *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void put(struct heap *h, s64 slot, struct heap_key key)
{
	h->key[slot] = key;
	key.entry->slot = slot;
}

static void sift_up(struct heap *h, s64 slot, struct heap_key key)
{
	while (slot) {
		s64 up = (slot - 1) / 4;

		if (!earlier(&key, &h->key[up]))
			break;
		put(h, slot, h->key[up]);
		slot = up;
	}
	put(h, slot, key);
}

static void sift_down(struct heap *h, s64 slot, struct heap_key key)
{
	for (;;) {
		s64 first = 4 * slot + 1, last = first + 4, best = first, i;

		if (first >= h->nr)
			break;
		if (last > h->nr)
			last = h->nr;
		for (i = first + 1; i < last; i++)
			if (earlier(&h->key[i], &h->key[best]))
				best = i;
		if (!earlier(&h->key[best], &key))
			break;
		put(h, slot, h->key[best]);
		slot = best;
	}
	put(h, slot, key);
}

void heap_set_room(struct heap *h, struct heap_key *room, s64 cap)
{
	if (h->nr)
		memcpy(room, h->key, (size_t)h->nr * sizeof(*room));
	h->key = room;
	h->cap = cap;
}

/* A bijection of 46 bits, so that shuffled numbers stay unique. */
static u64 scramble(u64 seq, u64 seed)
{
	const u64 mask = ((u64)1 << HEAP_LANE_SHIFT) - 1;

	seq = (seq ^ seed) & mask;
	seq = (seq * 0x9e3779b97f4a7c15u) & mask;
	seq ^= seq >> 29;
	return (seq * 0xbf58476d1ce4e5b9u) & mask;
}

void heap_arm_in(struct heap *h, struct heap_entry *e, u64 time, unsigned rank, unsigned lane)
{
	u64 seq = h->shuffle ? scramble(h->seq, h->shuffle) : h->seq;
	struct heap_key key = { time, (u64)rank << HEAP_RANK_SHIFT | (u64)lane << HEAP_LANE_SHIFT | seq, e };

	h->seq++;
	e->time = time;
	e->order = key.order;
	if (e->slot < 0) {
		e->slot = h->nr++;
		sift_up(h, e->slot, key);
	} else if (earlier(&key, &h->key[e->slot])) {
		sift_up(h, e->slot, key);
	} else {
		sift_down(h, e->slot, key);
	}
}

void heap_remove(struct heap *h, struct heap_entry *e)
{
	s64 slot = e->slot;
	struct heap_key last;

	if (slot < 0)
		return;
	e->slot = -1;
	last = h->key[--h->nr];
	if (slot == h->nr)
		return;
	if (earlier(&last, &h->key[slot]))
		sift_up(h, slot, last);
	else
		sift_down(h, slot, last);
}

bool heap_check(const struct heap *h)
{
	s64 i;

	for (i = 0; i < h->nr; i++) {
		if (h->key[i].entry->slot != i)
			return false;
		if (i && earlier(&h->key[i], &h->key[(i - 1) / 4]))
			return false;
	}
	return true;
}
