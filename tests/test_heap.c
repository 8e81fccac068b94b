/* SPDX-License-Identifier: MIT */
/*
 * test_heap.c - what happens next, against a search through all entries.
 *
 *	the same random arming, postponing and removing ---> the heap ---------\
 *	                                                \--> an array of times --+--> the same entry is first, every time
 */
#include "tests/test.h"

#include "base/heap.h"
#include "base/rng.h"

#define ENTRIES 300
#define STEPS 60000
#define RANKS 4

struct timer {
	struct heap_entry heap;
	bool armed;
	u64 time;
	u64 rank, lane, seq; /* as the heap shall order them */
};

struct bed {
	struct heap heap;
	struct heap_key room[ENTRIES];
	struct timer timers[ENTRIES];
	struct rng chance;
	u64 now, seq;
};

static void bed_init(struct bed *b, u64 seed)
{
	int i;

	*b = (struct bed){ 0 };
	rng_init(&b->chance, seed, "heap", NULL, 0, 0);
	heap_set_room(&b->heap, b->room, ENTRIES);
	for (i = 0; i < ENTRIES; i++)
		heap_entry_init_in(&b->timers[i].heap, (u8)(i % (HEAP_LINES + 1)));
}

static bool comes_before(const struct timer *a, const struct timer *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->lane != b->lane ? a->lane < b->lane : a->seq < b->seq;
}

static struct timer *first_of_all(struct bed *b)
{
	struct timer *first = NULL;
	int i;

	for (i = 0; i < ENTRIES; i++)
		if (b->timers[i].armed && (!first || comes_before(&b->timers[i], first)))
			first = &b->timers[i];
	return first;
}

/* Mostly as far ahead as its line has it, sometimes anywhere; often at the same moment as others. */
static void arm_one(struct bed *b)
{
	struct timer *t = &b->timers[rng_below(&b->chance, ENTRIES)];
	u64 ahead = rng_below(&b->chance, 8) ? 10 * (u64)t->heap.line : rng_below(&b->chance, 200);

	t->armed = true;
	t->time = b->now + ahead;
	t->rank = rng_below(&b->chance, RANKS);
	t->lane = rng_below(&b->chance, 3);
	t->seq = b->seq++;
	heap_arm_in(&b->heap, &t->heap, t->time, (unsigned)t->rank, (unsigned)t->lane);
}

static void remove_one(struct bed *b)
{
	struct timer *t = &b->timers[rng_below(&b->chance, ENTRIES)];

	t->armed = false;
	heap_remove(&b->heap, &t->heap);
	CHECK(!heap_armed(&t->heap));
}

static void take_first(struct bed *b)
{
	struct timer *t = first_of_all(b);

	CHECK(heap_first(&b->heap) == (t ? &t->heap : NULL));
	CHECK_EQ(heap_first_time(&b->heap), t ? t->time : NEVER);
	if (!t)
		return;
	b->now = max_u64(b->now, t->time);
	t->armed = false;
	heap_remove(&b->heap, &t->heap);
}

/* Asked for what is due at a moment, it says who is first or that nobody is; and nothing is lost by that. */
static void ask_for_due(struct bed *b)
{
	struct timer *t = first_of_all(b), limit = { .time = b->now + rng_below(&b->chance, 20), .rank = rng_below(&b->chance, RANKS + 1) };
	bool due = t && (t->time < limit.time || (t->time == limit.time && t->rank < limit.rank));

	CHECK(heap_first_before(&b->heap, limit.time, (unsigned)limit.rank) == (due ? &t->heap : NULL));
}

static void random_steps(struct bed *b)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		switch (rng_below(&b->chance, 6)) {
		case 0:
		case 1:
		case 2:
			arm_one(b);
			break;
		case 3:
			remove_one(b);
			break;
		case 4:
			ask_for_due(b);
			break;
		default:
			take_first(b);
		}
		if (!(i % 16))
			CHECK(heap_check(&b->heap));
	}
	while (first_of_all(b))
		take_first(b);
	CHECK(!heap_first(&b->heap));
}

TEST(heap, first_is_first)
{
	static struct bed b;
	u64 seed;

	for (seed = 1; seed <= 3; seed++) {
		bed_init(&b, seed);
		random_steps(&b);
	}
}

/* Those of a moment come out in another order, each of them once, and nothing before its time. */
TEST(heap, shuffled_ties)
{
	static struct bed b;
	bool in_order = true;
	u64 last = 0, nr;
	int i;

	bed_init(&b, 4);
	b.heap.shuffle = 12345;
	for (i = 0; i < ENTRIES; i++) {
		b.timers[i].seq = (u64)i;
		heap_arm(&b.heap, &b.timers[i].heap, 5 + (u64)i % 2, 0);
	}
	for (nr = 0; heap_first(&b.heap); nr++) {
		struct timer *t = container_of(heap_first(&b.heap), struct timer, heap);

		CHECK(heap_check(&b.heap));
		CHECK_EQ(t->heap.time, nr < ENTRIES / 2 ? 5 : 6);
		in_order &= !nr || nr == ENTRIES / 2 || last < t->seq;
		last = t->seq;
		heap_remove(&b.heap, &t->heap);
	}
	CHECK_EQ(nr, ENTRIES);
	CHECK(!in_order);
}

static bool is_late(const struct heap_entry *e) { return e->time > 100; }

/* One question to all, wherever they stand. */
TEST(heap, any)
{
	static struct bed b;
	int i;

	for (i = 0; i <= HEAP_LINES; i++) {
		bed_init(&b, 5);
		heap_arm(&b.heap, &b.timers[i].heap, 100, 0);
		CHECK(!heap_any(&b.heap, is_late));
		heap_arm(&b.heap, &b.timers[i].heap, 101, 0);
		CHECK(heap_any(&b.heap, is_late));
		heap_remove(&b.heap, &b.timers[i].heap);
		CHECK(!heap_any(&b.heap, is_late));
	}
}

TEST_MAIN("the event heap")
