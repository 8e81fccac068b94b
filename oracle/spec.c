/* SPDX-License-Identifier: MIT */
/*
 * spec.c - reads the description of a measured case.
 *
 *	text --> words at blanks --> "key=" looked up in a table --> fields at colons --> struct wl_spec
 *
 * Law: a t= belongs to the g= before it, so a spec with a t= has a group for it.
 */
#include "oracle/spec.h"

#include <string.h>

#include "text/number.h"

#define MAX_FIELDS 8
#define MAX_ITEMS 64	  /* groups, sets or writes of one case */
#define MAX_THREADS 1024
#define LONGEST (1000 * SEC) /* of any time in a description */

struct field {
	const char *s;
	size_t len;
};

struct reader {
	struct wl_spec *spec;
	struct arena *mem;
	const char *text, *file;
	int line;
	const char *word; /* start of the word that is being read */
	size_t word_len;
	struct err *err;
};

static int bad(struct reader *r, const char *at, const char *expected)
{
	char found[48];
	size_t left = (size_t)(r->word + r->word_len - at), n = left < sizeof(found) - 1 ? left : sizeof(found) - 1;

	memcpy(found, at, n);
	found[n] = '\0';
	err_at(r->err, r->file, r->line, (int)(at - r->text) + 1, "spec", "expected %s, found \"%s\"", expected, found);
	return -1;
}

static int read_us(struct reader *r, struct field f, u64 *ns)
{
	return num_scaled(f.s, f.len, US, LONGEST, ns) == NUM_OK ? 0 : bad(r, f.s, "a number of us");
}

static int read_int(struct reader *r, struct field f, int lowest, int highest, int *value)
{
	s64 v;

	if (num_whole(f.s, f.len, lowest, highest, &v) != NUM_OK) {
		bad(r, f.s, "a whole number in its range");
		return -1;
	}
	*value = (int)v;
	return 0;
}

/* "-1" is no limit. */
static int read_quota(struct reader *r, struct field f, bool *limited, u64 *ns)
{
	*limited = !(f.len == 2 && !memcmp(f.s, "-1", 2));
	*ns = 0;
	return *limited ? read_us(r, f, ns) : 0;
}

/* Split what stands behind the "=" at its colons; the number of fields must be @want. */
static int split(struct reader *r, const char *s, struct field *f, int want)
{
	const char *end = r->word + r->word_len;
	int n = 0;

	for (;;) {
		const char *colon = memchr(s, ':', (size_t)(end - s));

		if (n == MAX_FIELDS)
			return bad(r, r->word, "fewer fields");
		f[n++] = (struct field){ s, (size_t)((colon ? colon : end) - s) };
		if (!colon)
			break;
		s = colon + 1;
	}
	return n == want ? 0 : bad(r, r->word, "another number of fields");
}

static int read_group(struct reader *r, const char *s)
{
	struct wl_spec *spec = r->spec;
	struct wl_group *g = &spec->groups[spec->nr_groups];
	struct field f[MAX_FIELDS];
	int weight;

	if (spec->nr_groups == MAX_ITEMS)
		return bad(r, r->word, "fewer groups");
	if (split(r, s, f, 5))
		return -1;
	if (!f[0].len)
		return bad(r, f[0].s, "the path of a group");
	g->path = arena_strndup(r->mem, f[0].s, f[0].len);
	if (read_int(r, f[1], 0, 10000, &weight) || read_quota(r, f[2], &g->limited, &g->quota) ||
	    read_us(r, f[3], &g->period) || read_us(r, f[4], &g->burst))
		return -1;
	g->weight = (u32)weight;
	spec->nr_groups++;
	return 0;
}

static const char *const kind_names[NR_WL_KINDS] = { "hog",    "sleep", "every", "refresh",
						     "cevery", "chog",  "zread", "poll" };

const char *wl_kind_name(enum wl_kind kind) { return kind_names[kind]; }

static int read_kind(struct reader *r, struct field f, enum wl_kind *kind)
{
	for (int k = 0; k < NR_WL_KINDS; k++)
		if (strlen(kind_names[k]) == f.len && !memcmp(kind_names[k], f.s, f.len)) {
			*kind = (enum wl_kind)k;
			return 0;
		}
	return bad(r, f.s, "hog, sleep, every, refresh, cevery, chog, zread or poll");
}

static int read_pin(struct reader *r, struct field f, struct wl_set *set)
{
	int cpu;

	set->spread = f.len && f.s[0] == 's';
	if (set->spread)
		f = (struct field){ f.s + 1, f.len - 1 };
	if (read_int(r, f, -1, 1023, &cpu))
		return -1;
	set->free = cpu < 0;
	set->cpu = cpu < 0 ? 0 : cpu;
	return 0;
}

static int read_set(struct reader *r, const char *s)
{
	struct wl_spec *spec = r->spec;
	struct wl_set *set = &spec->sets[spec->nr_sets];
	struct field f[MAX_FIELDS];
	int count;

	if (spec->nr_sets == MAX_ITEMS)
		return bad(r, r->word, "fewer sets of threads");
	if (!spec->nr_groups)
		return bad(r, r->word, "a group (g=) before the first threads");
	if (split(r, s, f, 7) || read_int(r, f[0], 1, MAX_THREADS, &count) || read_pin(r, f[1], set) ||
	    read_kind(r, f[2], &set->kind) || read_us(r, f[3], &set->burn) || read_us(r, f[4], &set->sleep) ||
	    read_int(r, f[5], -20, 19, &set->nice))
		return -1;
	set->count = (u32)count;
	set->group = spec->nr_groups - 1;
	set->stagger = f[6].len && f[6].s[0] == '*';
	if (set->stagger)
		f[6] = (struct field){ f[6].s + 1, f[6].len - 1 };
	if (read_us(r, f[6], &set->offset))
		return -1;
	spec->nr_sets++;
	return 0;
}

static int read_write(struct reader *r, const char *s)
{
	struct wl_spec *spec = r->spec;
	struct wl_write *w = &spec->writes[spec->nr_writes];
	struct field f[MAX_FIELDS];
	int group;

	if (spec->nr_writes == MAX_ITEMS)
		return bad(r, r->word, "fewer writes");
	if (split(r, s, f, 5) || read_us(r, f[0], &w->at) ||
	    read_int(r, f[1], 0, (int)spec->nr_groups - 1, &group) || read_quota(r, f[2], &w->limited, &w->quota) ||
	    read_us(r, f[3], &w->period) || read_quota(r, f[4], &w->sets_burst, &w->burst))
		return -1;
	w->group = (u32)group;
	spec->nr_writes++;
	return 0;
}

static int read_name(struct reader *r, const char *s)
{
	r->spec->name = arena_strndup(r->mem, s, (size_t)(r->word + r->word_len - s));
	return 0;
}

static int read_value(struct reader *r, const char *s, u64 scale, u64 *value)
{
	size_t len = (size_t)(r->word + r->word_len - s);

	return num_scaled(s, len, scale, LONGEST, value) == NUM_OK ? 0 : bad(r, s, "a number");
}

static int read_secs(struct reader *r, const char *s) { return read_value(r, s, SEC, &r->spec->window); }
static int read_slice(struct reader *r, const char *s) { return read_value(r, s, US, &r->spec->slice); }
static int read_wgran(struct reader *r, const char *s) { return read_value(r, s, US, &r->spec->wgran); }

static int read_series(struct reader *r, const char *s)
{
	u64 v;

	if (read_value(r, s, 1, &v))
		return -1;
	r->spec->series_ms = (u32)v;
	return 0;
}

static int read_flag(struct reader *r, const char *s, bool *flag)
{
	u64 v;

	if (read_value(r, s, 1, &v))
		return -1;
	*flag = v != 0;
	return 0;
}

static int read_trace(struct reader *r, const char *s) { return read_flag(r, s, &r->spec->trace); }
static int read_align(struct reader *r, const char *s) { return read_flag(r, s, &r->spec->align); }

static const struct word_kind {
	const char *key;
	int (*read)(struct reader *r, const char *s);
} words[] = {
	{ "name=", read_name },	  { "secs=", read_secs },   { "g=", read_group },     { "t=", read_set },
	{ "w=", read_write },	  { "slice=", read_slice }, { "wgran=", read_wgran }, { "series=", read_series },
	{ "trace=", read_trace }, { "align=", read_align },
};

static int read_word(struct reader *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i].key);

		if (r->word_len >= n && !memcmp(r->word, words[i].key, n))
			return words[i].read(r, r->word + n);
	}
	return bad(r, r->word, "name=, secs=, g=, t=, w=, slice=, wgran=, series=, trace= or align=");
}

static int read_words(struct reader *r)
{
	const char *s = r->text;

	for (;;) {
		s += strspn(s, " \t\r\n");
		if (!*s)
			return 0;
		r->word = s;
		r->word_len = strcspn(s, " \t\r\n");
		if (read_word(r))
			return -1;
		s += r->word_len;
	}
}

int wl_parse(struct wl_spec *spec, const char *text, struct arena *mem, const char *file, int line, struct err *err)
{
	struct reader r = { .spec = spec, .mem = mem, .text = text, .file = file, .line = line, .err = err };

	memset(spec, 0, sizeof(*spec));
	spec->groups = arena_alloc(mem, MAX_ITEMS * sizeof(*spec->groups));
	spec->sets = arena_alloc(mem, MAX_ITEMS * sizeof(*spec->sets));
	spec->writes = arena_alloc(mem, MAX_ITEMS * sizeof(*spec->writes));
	if (!spec->groups || !spec->sets || !spec->writes)
		return err_set(err, ERR_HOST, "out of memory");
	if (read_words(&r))
		return -1;
	if (!spec->name || !*spec->name)
		return err_at(err, file, line, 0, "spec", "expected name=NAME, found none");
	if (!spec->window)
		return err_at(err, file, line, 0, "spec", "expected secs=SECONDS, found none");
	if (!spec->nr_sets)
		return err_at(err, file, line, 0, "spec", "expected threads (t=), found none");
	return 0;
}

bool wl_pinned(const struct wl_spec *spec)
{
	for (u32 i = 0; i < spec->nr_sets; i++)
		if (spec->sets[i].free)
			return false;
	return true;
}

u32 wl_busy_cpus(const struct wl_spec *spec, u32 vcpus)
{
	u64 used[16] = { 0 };
	u32 free_threads = 0, n = 0;

	for (u32 i = 0; i < spec->nr_sets; i++) {
		const struct wl_set *set = &spec->sets[i];

		if (set->free)
			free_threads += set->count;
		for (u32 k = 0; !set->free && k < (set->spread ? set->count : 1); k++)
			used[(((u32)set->cpu + k) / 64) % 16] |= (u64)1 << (((u32)set->cpu + k) % 64);
	}
	for (size_t i = 0; i < ARRAY_SIZE(used); i++)
		n += (u32)__builtin_popcountll(used[i]);
	n += free_threads;
	return n < vcpus ? n : vcpus;
}

bool wl_timed_burns(const struct wl_set *set)
{
	return set->kind != WL_HOG && set->kind != WL_CHOG && set->kind != WL_REFRESH && set->burn >= 20 * US;
}

static u32 count_kinds(const struct wl_spec *spec, unsigned kinds)
{
	u32 n = 0;

	for (u32 i = 0; i < spec->nr_sets; i++)
		n += (kinds >> spec->sets[i].kind) & 1;
	return n;
}

static u32 count_limits(const struct wl_spec *spec)
{
	u32 n = 0;

	for (u32 i = 0; i < spec->nr_groups; i++)
		n += spec->groups[i].limited;
	return n;
}

static bool any_burst(const struct wl_spec *spec)
{
	for (u32 i = 0; i < spec->nr_groups; i++)
		if (spec->groups[i].burst)
			return true;
	return false;
}

enum wl_family wl_family(const struct wl_spec *spec)
{
	const unsigned hogs = 1u << WL_HOG | 1u << WL_CHOG, calls = 1u << WL_ZREAD | 1u << WL_POLL;

	if (count_kinds(spec, calls))
		return WL_FAMILY_SYSCALL;
	if (spec->nr_writes)
		return WL_FAMILY_WRITE;
	if (any_burst(spec))
		return WL_FAMILY_BURST;
	if (count_limits(spec) > 1)
		return WL_FAMILY_NESTED;
	if (!count_limits(spec))
		return count_kinds(spec, hogs) == spec->nr_sets ? WL_FAMILY_SHARE : WL_FAMILY_WAKE;
	if (count_kinds(spec, hogs) == spec->nr_sets)
		return WL_FAMILY_HOG;
	if (count_kinds(spec, 1u << WL_SLEEP))
		return WL_FAMILY_FIBTEST;
	return spec->align ? WL_FAMILY_SLACK : WL_FAMILY_SERVER;
}

const char *wl_family_name(enum wl_family family)
{
	static const char *const names[NR_WL_FAMILIES] = { "fibtest", "hog",   "share", "nested", "server",
							   "wakeup",  "slack", "burst", "write",  "syscall" };

	return names[family];
}

bool wl_group_is_inside(const struct wl_spec *spec, u32 below, u32 above)
{
	const char *a = spec->groups[above].path, *b = spec->groups[below].path;
	size_t n = strlen(a);

	return !strncmp(a, b, n) && (b[n] == '\0' || b[n] == '/');
}
