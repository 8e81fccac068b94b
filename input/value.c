/* SPDX-License-Identifier: MIT */
/*
 * value.c - one value of a scenario file, with its errors; and tables of keys.
 *
 * Law: whatever a want_* function refuses, it says where, what was expected and what was found.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "input/reader.h"
#include "text/number.h"
#include "text/suggest.h"
#include "work/dist.h"

int out_of_memory(struct reader *rd) { return err_set(rd->err, ERR_HOST, "out of memory while reading %s", rd->file); }

int refuse(struct reader *rd, const struct json *v, const char *expected)
{
	char found[96];

	return err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "expected %s, found %s", expected,
		      json_show(v, found, sizeof(found)));
}

/* ---- warnings ---- */

void warnings_free(struct warnings *w)
{
	free(w->list);
	*w = (struct warnings){ 0 };
}

struct err *warnings_add(struct warnings *w)
{
	struct err *list;

	if (w->nr == WARNINGS_MOST) {
		w->left_out++;
		return NULL;
	}
	list = realloc(w->list, (w->nr + 1) * sizeof(*list));
	if (!list)
		return NULL;
	w->list = list;
	list[w->nr] = (struct err){ 0 };
	return &list[w->nr++];
}

void warn_at(struct reader *rd, const struct json *v, const char *fmt, ...)
{
	struct err *warning = warnings_add(rd->warn);
	bool has_key = v->key && v->key_line;
	char text[sizeof(warning->message)];
	va_list ap;

	if (!warning)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_at(warning, rd->file, (int)(has_key ? v->key_line : v->line), (int)(has_key ? v->key_column : v->column), v->key,
	       "%s", text);
}

void warn_hint(struct reader *rd, const char *fmt, ...)
{
	char text[sizeof(rd->err->hint)];
	va_list ap;

	if (!rd->warn->nr || rd->warn->left_out)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_hint(&rd->warn->list[rd->warn->nr - 1], "%s", text);
}

bool first_time(struct reader *rd, enum said what)
{
	bool first = !(rd->said & what);

	rd->said |= what;
	return first;
}

/* ---- numbers and words ---- */

static int refuse_number(struct reader *rd, const struct json *v, enum num why, const char *expected)
{
	refuse(rd, v, expected);
	if (v->kind == JSON_STRING && v->len && num_span(v->text, v->len) == v->len)
		err_hint(rd->err, "write it without quotes");
	else if (v->kind == JSON_NUMBER && why == NUM_RANGE)
		err_hint(rd->err, "this number is too large to be meant");
	return -1;
}

int want_us(struct reader *rd, const struct json *v, u64 *ns)
{
	enum num num = v->kind == JSON_NUMBER ? num_scaled(v->text, v->len, US, DRAW_MOST, ns) : NUM_SYNTAX;

	return num == NUM_OK ? 0 : refuse_number(rd, v, num, "microseconds (0 or more, may be decimal)");
}

int want_us_signed(struct reader *rd, const struct json *v, s64 *ns)
{
	enum num num = v->kind == JSON_NUMBER ? num_scaled_signed(v->text, v->len, US, DRAW_MOST, ns) : NUM_SYNTAX;

	return num == NUM_OK ? 0 : refuse_number(rd, v, num, "microseconds (may be decimal and negative)");
}

int want_whole(struct reader *rd, const struct json *v, s64 lowest, s64 highest, const char *what, s64 *out)
{
	enum num num = v->kind == JSON_NUMBER ? num_whole(v->text, v->len, lowest, highest, out) : NUM_SYNTAX;

	return num == NUM_OK ? 0 : refuse_number(rd, v, NUM_SYNTAX, what);
}

/* rt-app's booleans are true and false; old files write 0 and 1. */
int want_bool(struct reader *rd, const struct json *v, bool *out)
{
	s64 number = -1;

	if (v->kind == JSON_NUMBER)
		num_whole(v->text, v->len, 0, 1, &number);
	if (v->kind != JSON_BOOL && number < 0)
		return refuse(rd, v, "true or false");
	*out = v->kind == JSON_BOOL ? v->truth : number;
	return 0;
}

int want_string(struct reader *rd, const struct json *v, const char *what, const char **out)
{
	if (v->kind != JSON_STRING)
		return refuse(rd, v, what);
	*out = arena_strndup(&rd->sc->mem, v->text, v->len);
	return *out ? 0 : out_of_memory(rd);
}

int want_object(struct reader *rd, const struct json *v, const char *what)
{
	return v->kind == JSON_OBJECT ? 0 : refuse(rd, v, what);
}

int want_list(struct reader *rd, struct json *v, const char *what)
{
	struct json *e;

	if (v->kind != JSON_ARRAY)
		return refuse(rd, v, what);
	json_each(e, v)
		e->key = v->key;
	return 0;
}

int want_word(struct reader *rd, const struct json *v, const char *const *words, u32 nr, u32 *out)
{
	char expected[256] = "one of";
	struct suggest s;
	u32 i;

	suggest_init(&s, v->kind == JSON_STRING ? v->text : "");
	for (i = 0; i < nr; i++) {
		size_t at = strlen(expected);

		if (v->kind == JSON_STRING && !strcmp(v->text, words[i])) {
			*out = i;
			return 0;
		}
		suggest_offer(&s, words[i]);
		snprintf(expected + at, sizeof(expected) - at, "%s \"%s\"", i ? "," : "", words[i]);
	}
	refuse(rd, v, expected);
	if (v->kind == JSON_STRING && suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	return -1;
}

/* ---- lengths ---- */

static int length_pair(struct reader *rd, struct json *v, struct dist *out, const char *what)
{
	if (want_list(rd, v, what))
		return -1;
	if (v->len != 2)
		return refuse(rd, v, what);
	return want_us(rd, v->child, &out->a) || want_us(rd, v->child->next, &out->b) ? -1 : 0;
}

static int length_fixed(struct reader *rd, struct json *v, struct dist *out) { return want_us(rd, v, &out->a); }

static int length_uniform(struct reader *rd, struct json *v, struct dist *out)
{
	if (length_pair(rd, v, out, "[lowest, highest] in us"))
		return -1;
	return out->a > out->b ? refuse(rd, v->child, "the lowest first, then the highest") : 0;
}

static int length_normal(struct reader *rd, struct json *v, struct dist *out)
{
	return length_pair(rd, v, out, "[mean, standard deviation] in us");
}

static int length_lognormal(struct reader *rd, struct json *v, struct dist *out)
{
	static const char what[] = "[median in us, sigma], sigma from 0 to 30";
	const struct json *sigma;

	if (want_list(rd, v, what))
		return -1;
	if (v->len != 2)
		return refuse(rd, v, what);
	sigma = v->child->next;
	if (want_us(rd, v->child, &out->a))
		return -1;
	if (sigma->kind != JSON_NUMBER || num_scaled(sigma->text, sigma->len, 1000, 30000, &out->b) != NUM_OK)
		return refuse(rd, sigma, what);
	return 0;
}

static int length_values(struct reader *rd, struct json *v, struct dist *out)
{
	struct json *e;
	u64 *values;

	if (want_list(rd, v, "a list of lengths in us"))
		return -1;
	if (!v->len)
		return refuse(rd, v, "at least one length in us");
	values = arena_alloc(&rd->sc->mem, v->len * sizeof(*values));
	if (!values)
		return out_of_memory(rd);
	out->values = values;
	json_each(e, v)
		if (want_us(rd, e, &values[out->nr++]))
			return -1;
	return 0;
}

static const struct length_row {
	const char *key;
	enum dist_kind kind;
	int (*read)(struct reader *rd, struct json *v, struct dist *out);
} length_rows[] = {
	{ "exponential", DIST_EXPONENTIAL, length_fixed },
	{ "uniform", DIST_UNIFORM, length_uniform },
	{ "normal", DIST_NORMAL, length_normal },
	{ "lognormal", DIST_LOGNORMAL, length_lognormal },
	{ "values", DIST_EMPIRICAL, length_values },
	/* names of arrivals */
	{ "every", DIST_FIXED, length_fixed },
	{ "poisson", DIST_EXPONENTIAL, length_fixed },
};
#define NR_LENGTH_NAMES 5

bool is_length_key(const char *key)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(length_rows); i++)
		if (!strcmp(length_rows[i].key, key))
			return true;
	return false;
}

int want_length_of(struct reader *rd, const char *kind, struct json *v, struct dist *out)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(length_rows); i++) {
		if (strcmp(length_rows[i].key, kind))
			continue;
		*out = (struct dist){ .kind = length_rows[i].kind };
		return length_rows[i].read(rd, v, out);
	}
	return refuse(rd, v, "a distribution");
}

int want_length(struct reader *rd, struct json *v, struct dist *out)
{
	static const char *const kinds[] = { "exponential", "uniform", "normal", "lognormal", "values" };
	struct suggest s;
	u32 i;

	*out = (struct dist){ .kind = DIST_FIXED };
	if (v->kind != JSON_OBJECT)
		return want_us(rd, v, &out->a);
	if (v->len != 1)
		return refuse(rd, v, "one distribution, such as { \"exponential\": 300 }");
	for (i = 0; i < NR_LENGTH_NAMES; i++)
		if (!strcmp(kinds[i], v->child->key))
			return want_length_of(rd, kinds[i], v->child, out);
	suggest_init(&s, v->child->key);
	for (i = 0; i < NR_LENGTH_NAMES; i++)
		suggest_offer(&s, kinds[i]);
	err_at(rd->err, rd->file, (int)v->child->key_line, (int)v->child->key_column, v->child->key,
	       "expected exponential, uniform, normal, lognormal or values");
	if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	return -1;
}

/* ---- CPUs ---- */

typedef int (*cpu_fn)(struct reader *rd, const struct json *v, int cpu, void *ctx);

static const char cpus_expected[] = "CPU numbers below 1024, as in [0, 2], 5 or \"0-3,8\"";

static int cpu_number(struct reader *rd, const struct json *v, const char **p, s64 *cpu)
{
	size_t len = strspn(*p, "0123456789");

	if (!len || num_whole(*p, len, 0, SCENARIO_MOST_CPUS - 1, cpu) != NUM_OK)
		return refuse(rd, v, cpus_expected);
	*p += len;
	return 0;
}

static int each_in_text(struct reader *rd, const struct json *v, cpu_fn fn, void *ctx)
{
	const char *p = v->text;
	s64 first, last;

	for (;; p++) {
		if (cpu_number(rd, v, &p, &first))
			return -1;
		last = first;
		if (*p == '-') {
			p++;
			if (cpu_number(rd, v, &p, &last))
				return -1;
		}
		if (last < first || (*p && *p != ','))
			return refuse(rd, v, cpus_expected);
		for (; first <= last; first++)
			if (fn(rd, v, (int)first, ctx))
				return -1;
		if (!*p)
			return 0;
	}
}

int each_cpu(struct reader *rd, struct json *v, cpu_fn fn, void *ctx)
{
	struct json *e;
	s64 cpu;

	if (v->kind == JSON_STRING)
		return each_in_text(rd, v, fn, ctx);
	if (v->kind == JSON_NUMBER)
		return want_whole(rd, v, 0, SCENARIO_MOST_CPUS - 1, cpus_expected, &cpu) ? -1 : fn(rd, v, (int)cpu, ctx);
	if (want_list(rd, v, cpus_expected))
		return -1;
	json_each(e, v)
		if (e->kind == JSON_ARRAY ? refuse(rd, e, cpus_expected) : each_cpu(rd, e, fn, ctx))
			return -1;
	return 0;
}

static int check_cpu(struct reader *rd, const struct json *v, int cpu)
{
	int most = rd->sc->machine.cpus - 1;

	if (cpu <= most)
		return 0;
	err_at(rd->err, rd->file, (int)v->line, (int)v->column, v->key, "CPU %d is outside the machine, which has CPU%s 0%s%.0d",
	       cpu, most ? "s" : "", most ? "-" : "", most);
	err_hint(rd->err, "give machine.cpus, or a smaller number here");
	return -1;
}

static int set_cpu(struct reader *rd, const struct json *v, int cpu, void *mask)
{
	if (check_cpu(rd, v, cpu))
		return -1;
	bit_set(mask, cpu);
	return 0;
}

int want_cpus(struct reader *rd, struct json *v, const u64 **mask)
{
	u64 *set = arena_alloc(&rd->sc->mem, SCENARIO_MOST_CPUS / 8);

	if (!set)
		return out_of_memory(rd);
	if (each_cpu(rd, v, set_cpu, set))
		return -1;
	if (!bit_count(set, rd->sc->machine.cpus))
		return refuse(rd, v, "at least one CPU number");
	*mask = set;
	return 0;
}

struct cpu_list {
	s32 *cpus;
	u32 nr, cap;
};

static int add_cpu(struct reader *rd, const struct json *v, int cpu, void *ctx)
{
	struct cpu_list *list = ctx;
	s32 *slot;

	if (check_cpu(rd, v, cpu))
		return -1;
	slot = append(rd, (void **)&list->cpus, &list->nr, &list->cap, sizeof(*slot));
	if (!slot)
		return out_of_memory(rd);
	*slot = cpu;
	return 0;
}

int want_cpu_list(struct reader *rd, struct json *v, const s32 **cpus, u32 *nr)
{
	struct cpu_list list = { 0 };

	if (each_cpu(rd, v, add_cpu, &list))
		return -1;
	if (!list.nr)
		return refuse(rd, v, "at least one CPU number");
	*cpus = list.cpus;
	*nr = list.nr;
	return 0;
}

int every_cpu(struct reader *rd, const s32 **cpus, u32 *nr)
{
	s32 *list = arena_alloc(&rd->sc->mem, (size_t)rd->sc->machine.cpus * sizeof(*list));
	int cpu;

	if (!list)
		return out_of_memory(rd);
	for (cpu = 0; cpu < rd->sc->machine.cpus; cpu++)
		list[cpu] = cpu;
	*cpus = list;
	*nr = (u32)cpu;
	return 0;
}

const u64 *all_cpus(struct reader *rd)
{
	struct scenario *sc = rd->sc;
	int cpu;

	if (sc->all_cpus)
		return sc->all_cpus;
	sc->all_cpus = arena_alloc(&sc->mem, SCENARIO_MOST_CPUS / 8);
	for (cpu = 0; sc->all_cpus && cpu < sc->machine.cpus; cpu++)
		bit_set(sc->all_cpus, cpu);
	return sc->all_cpus;
}

/* ---- tables of keys ---- */

bool key_is_silent(const char *key)
{
	return (*key && strchr("-_#", *key)) || !strncmp(key, "comment", 7);
}

static int unknown_key(struct reader *rd, const struct json *v, const struct key_row *rows, u32 nr, enum unknown unknown)
{
	struct suggest s;
	u32 i;

	if (unknown == UNKNOWN_SILENT)
		return 0;
	suggest_init(&s, v->key);
	for (i = 0; i < nr; i++)
		suggest_offer(&s, rows[i].key);
	if (unknown == UNKNOWN_WARNING) {
		warn_at(rd, v, "unknown key, left out");
		if (suggest_best(&s))
			warn_hint(rd, "did you mean \"%s\"?", suggest_best(&s));
		return 0;
	}
	err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key, "unknown key");
	if (suggest_best(&s))
		err_hint(rd->err, "did you mean \"%s\"?", suggest_best(&s));
	else
		err_hint(rd->err, "a key that begins with _ is left out in silence");
	return -1;
}

static int key_again(struct reader *rd, const struct json *v, const struct json *first, enum unknown unknown)
{
	if (unknown == UNKNOWN_ERROR) {
		err_at(rd->err, rd->file, (int)v->key_line, (int)v->key_column, v->key,
		       "this key stands here a second time; the first is in line %u, column %u", first->key_line,
		       first->key_column);
		return -1;
	}
	warn_at(rd, v, "this key stands here a second time and counts; the first is in line %u, column %u", first->key_line,
		first->key_column);
	return 0;
}

#define MOST_ROWS 64

int read_keys(struct reader *rd, const struct json *obj, const struct key_row *rows, u32 nr, enum unknown unknown, void *into)
{
	const struct json *seen[MOST_ROWS] = { NULL };
	struct json *v;
	u32 i;

	json_each(v, obj) {
		if (key_is_silent(v->key))
			continue;
		for (i = 0; i < nr && strcmp(rows[i].key, v->key); i++)
			;
		if (i == nr) {
			if (unknown_key(rd, v, rows, nr, unknown))
				return -1;
			continue;
		}
		if (seen[i] && key_again(rd, v, seen[i], unknown))
			return -1;
		seen[i] = v;
		if (rows[i].read && rows[i].read(rd, v, into))
			return -1;
	}
	return 0;
}

void *append(struct reader *rd, void **array, u32 *nr, u32 *cap, size_t size)
{
	if (*nr == *cap) {
		u32 want = *cap ? *cap * 2 : 4;
		void *more = arena_alloc(&rd->sc->mem, want * size);

		if (!more)
			return NULL;
		if (*nr)
			memcpy(more, *array, *nr * size);
		*array = more;
		*cap = want;
	}
	return (char *)*array + size * (*nr)++;
}
