/* SPDX-License-Identifier: MIT */
/*
 * series.c - counters of many containers.
 *
 *	sample --> series (metric + all its labels): first, last, increase --> container (namespace/pod/container): facts
 *
 * The same series may come twice with labels that differ in nothing that matters (two scrapers): of such the larger counts.
 * Usage per CPU is summed, unless there is a "total" beside it.
 */
#include "metrics/series.h"

#include <stdlib.h>
#include <string.h>

#include "text/number.h"

enum kind { KIND_PERIODS, KIND_THROTTLED, KIND_STOPPED, KIND_BURSTS, KIND_BORROWED, KIND_USAGE, KIND_QUOTA, KIND_PERIOD, NR_KINDS };

static const struct {
	const char *name;
	u64 scale; /* to ns, or 1 for counts */
	bool gauge;
} kinds[NR_KINDS] = {
	[KIND_PERIODS] = { "container_cpu_cfs_periods_total", 1, false },
	[KIND_THROTTLED] = { "container_cpu_cfs_throttled_periods_total", 1, false },
	[KIND_STOPPED] = { "container_cpu_cfs_throttled_seconds_total", SEC, false },
	[KIND_BURSTS] = { "container_cpu_cfs_burst_periods_total", 1, false },
	[KIND_BORROWED] = { "container_cpu_cfs_burst_seconds_total", SEC, false },
	[KIND_USAGE] = { "container_cpu_usage_seconds_total", SEC, false },
	[KIND_QUOTA] = { "container_spec_cpu_quota", US, true },
	[KIND_PERIOD] = { "container_spec_cpu_period", US, true },
};

struct one_series {
	u64 hash;
	u32 container;
	u8 kind;
	bool per_cpu;	/* usage of one CPU */
	u64 last, increase, nr, resets;
	double first_time, last_time; /* s */
};

void series_init(struct series_set *set)
{
	memset(set, 0, sizeof(*set));
	set->file_time = -1;
}

void series_fini(struct series_set *set)
{
	for (u32 i = 0; i < set->nr; i++)
		free(set->v[i].name);
	free(set->v);
	free(set->series);
	free(set->slots);
	memset(set, 0, sizeof(*set));
}

/* ---- labels ---- */

static int kind_of(const char *metric, size_t len)
{
	for (int i = 0; i < NR_KINDS; i++)
		if (strlen(kinds[i].name) == len && !memcmp(kinds[i].name, metric, len))
			return i;
	return -1;
}

bool series_knows(const char *metric, size_t len) { return kind_of(metric, len) >= 0; }

/* The value of label @name in a="b",c="d", or an empty one; escapes are left as they are. */
static const char *label(const char *labels, size_t len, const char *name, size_t *value_len)
{
	const char *p = labels, *end = labels + len;
	size_t n = strlen(name);

	while (p < end) {
		const char *key, *value;
		size_t key_len;

		while (p < end && (*p == ',' || *p == ' '))
			p++;
		key = p;
		while (p < end && *p != '=' && *p != ' ')
			p++;
		key_len = (size_t)(p - key);
		while (p < end && *p != '"')
			p++;
		if (p >= end)
			break;
		value = ++p;
		while (p < end && *p != '"')
			p += *p == '\\' ? 2 : 1;
		if (p > end)
			p = end;
		if (key_len == n && !memcmp(key, name, n)) {
			*value_len = (size_t)(p - value);
			return value;
		}
		p++;
	}
	*value_len = 0;
	return "";
}

/* The same of a label that had another name in cAdvisor up to 0.32 (Kubernetes 1.15). */
static const char *label_once(const char *labels, size_t len, const char *name, const char *once, size_t *value_len)
{
	const char *v = label(labels, len, name, value_len);

	return *value_len ? v : label(labels, len, once, value_len);
}

/* "shop/web-1/web"; the pod's own group is "shop/web-1/(pod)"; without Kubernetes the container's name, or its id. */
static char *container_name(const char *labels, size_t len)
{
	size_t n[5];
	const char *v[5] = { label(labels, len, "namespace", &n[0]), label_once(labels, len, "pod", "pod_name", &n[1]),
			     label_once(labels, len, "container", "container_name", &n[2]), label(labels, len, "name", &n[3]), label(labels, len, "id", &n[4]) };
	static const char own[] = "(pod)";
	char *name;

	if (!n[1] && n[2] && !n[3]) {
		v[3] = v[2];
		n[3] = n[2];
	}
	if (!n[1]) {
		name = malloc(n[3] + n[4] + 1);
		if (name) {
			memcpy(name, n[3] ? v[3] : v[4], n[3] ? n[3] : n[4]);
			name[n[3] ? n[3] : n[4]] = '\0';
		}
		return name;
	}
	if (!n[2]) {
		v[2] = own;
		n[2] = sizeof(own) - 1;
	}
	name = malloc(n[0] + n[1] + n[2] + 3);
	if (name) {
		char *p = name;

		for (int i = 0; i < 3; i++) {
			if (i)
				*p++ = '/';
			memcpy(p, v[i], n[i]);
			p += n[i];
		}
		*p = '\0';
	}
	return name;
}

/* ---- the table of series ---- */

static u64 hash_of(const char *a, size_t a_len, const char *b, size_t b_len)
{
	u64 h = 14695981039346656037u;

	for (size_t i = 0; i < a_len; i++)
		h = (h ^ (u8)a[i]) * 1099511628211u;
	h = (h ^ '{') * 1099511628211u;
	for (size_t i = 0; i < b_len; i++)
		h = (h ^ (u8)b[i]) * 1099511628211u;
	return h;
}

static bool grow(void **v, u32 *cap, u32 nr, size_t size)
{
	u32 more = *cap ? 2 * *cap : 64;
	void *p;

	if (nr < *cap)
		return true;
	p = realloc(*v, more * size);
	if (!p)
		return false;
	*v = p;
	*cap = more;
	return true;
}

static bool rehash(struct series_set *set)
{
	u32 nr = set->nr_slots ? 2 * set->nr_slots : 256;
	u32 *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return false;
	for (u32 i = 0; i < set->nr_series; i++) {
		u32 at = (u32)(set->series[i].hash & (nr - 1));

		while (slots[at])
			at = (at + 1) & (nr - 1);
		slots[at] = i + 1;
	}
	free(set->slots);
	set->slots = slots;
	set->nr_slots = nr;
	return true;
}

static struct one_series *find(struct series_set *set, u64 hash)
{
	for (u32 at = (u32)(hash & (set->nr_slots - 1)); set->nr_slots && set->slots[at]; at = (at + 1) & (set->nr_slots - 1))
		if (set->series[set->slots[at] - 1].hash == hash)
			return &set->series[set->slots[at] - 1];
	return NULL;
}

static struct one_series *new_series(struct series_set *set, u64 hash, u32 container, int kind)
{
	struct one_series *s;
	u32 at;

	if (!grow((void **)&set->series, &set->cap_series, set->nr_series, sizeof(*s)) ||
	    (2 * (set->nr_series + 1) > set->nr_slots && !rehash(set)))
		return NULL;
	s = &set->series[set->nr_series++];
	*s = (struct one_series){ .hash = hash, .container = container, .kind = (u8)kind };
	for (at = (u32)(hash & (set->nr_slots - 1)); set->slots[at]; at = (at + 1) & (set->nr_slots - 1))
		;
	set->slots[at] = set->nr_series;
	return s;
}

static s64 find_container(struct series_set *set, const char *labels, size_t len)
{
	char *name = container_name(labels, len);
	struct one_series *s;
	u64 hash;

	if (!name)
		return -1;
	hash = hash_of(name, strlen(name), "", 0);
	s = find(set, hash);
	if (s) {
		free(name);
		return s->container;
	}
	if (!grow((void **)&set->v, &set->cap, set->nr, sizeof(*set->v)) || !new_series(set, hash, set->nr, NR_KINDS)) {
		free(name);
		return -1;
	}
	set->v[set->nr] = (struct container){ .name = name };
	return set->nr++;
}

static struct one_series *series_of(struct series_set *set, int kind, const char *metric, size_t metric_len, const char *labels, size_t len)
{
	u64 hash = hash_of(metric, metric_len, labels, len);
	struct one_series *s = find(set, hash);
	size_t cpu_len;
	const char *cpu;
	s64 container;

	if (s)
		return s;
	container = find_container(set, labels, len);
	s = container < 0 ? NULL : new_series(set, hash, (u32)container, kind);
	if (!s)
		return NULL;
	cpu = label(labels, len, "cpu", &cpu_len);
	s->per_cpu = cpu_len && !(cpu_len == 5 && !memcmp(cpu, "total", 5));
	return s;
}

/* ---- samples ---- */

static void take(struct one_series *s, u64 value, double time)
{
	if (!s->nr) {
		s->first_time = time;
	} else if (value >= s->last) {
		s->increase += value - s->last;
	} else if (!kinds[s->kind].gauge) {
		s->increase += value; /* a container that was started anew counts from 0 */
		s->resets++;
	}
	s->last = value;
	s->last_time = time;
	s->nr++;
}

bool series_add(struct series_set *set, const char *metric, size_t metric_len, const char *labels, size_t labels_len, double time, const char *value,
		size_t value_len)
{
	int kind = kind_of(metric, metric_len);
	struct one_series *s;
	u64 v;

	if (kind < 0) {
		set->passed_over++;
		return true;
	}
	if (kinds[kind].gauge && value_len && value[0] == '-')
		return true; /* -1: no limit */
	if (num_scaled(value, value_len, kinds[kind].scale, UINT64_MAX / 4, &v) != NUM_OK) {
		set->odd++;
		return true;
	}
	s = series_of(set, kind, metric, metric_len, labels, labels_len);
	if (!s) {
		set->failed = true;
		return false;
	}
	take(s, v, time < 0 ? set->file_time : time);
	set->v[s->container].samples++;
	set->samples++;
	return true;
}

/* A CSV file's first line holds no '{' before its first comma and no '#'. */
static bool is_csv(const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len), *comma = memchr(text, ',', nl ? (size_t)(nl - text) : len);

	return len && *text != '#' && comma && !memchr(text, '{', (size_t)(comma - text));
}

int series_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err)
{
	set->file_time = set->samples ? set->file_time - 1 : -1; /* each file a moment of its own, told apart below 0 */
	if (is_promtool(text, len))
		return promtool_read(set, name, text, len, err);
	return is_csv(text, len) ? csv_read(set, name, text, len, err) : prometheus_read(set, name, text, len, err);
}

/* ---- the facts of each container ---- */

struct sums {
	u64 by_cpu, total;
	bool has_cpu, has_total;
};

static void merge(u64 *into, u64 value) { *into = value > *into ? value : *into; }

/* @wall: between two readings; @since: of a single one, since the container's start. */
static void take_series(struct container *c, struct sums *usage, const struct one_series *s, u64 wall, u64 since)
{
	u64 value = s->nr > 1 ? s->increase : s->last;
	struct facts *f = &c->facts;
	double span = s->last_time - s->first_time;

	c->resets += s->resets;
	c->since_start |= s->nr == 1 && !kinds[s->kind].gauge;
	if (s->kind == KIND_PERIODS)
		f->wall = s->nr < 2 ? since : span > 0 ? (u64)(span * (double)SEC) : wall;
	switch (s->kind) {
	case KIND_PERIODS:
		c->has_periods = true;
		merge(&f->periods, value);
		break;
	case KIND_THROTTLED:
		merge(&f->throttled, value);
		break;
	case KIND_STOPPED:
		merge(&f->stopped, value);
		break;
	case KIND_BURSTS:
		merge(&f->bursts, value);
		f->has_burst |= value != 0;
		break;
	case KIND_BORROWED:
		merge(&f->borrowed, value);
		break;
	case KIND_QUOTA:
		f->quota = s->last;
		break;
	case KIND_PERIOD:
		f->period = s->last;
		break;
	case KIND_USAGE:
		usage->has_cpu |= s->per_cpu;
		usage->has_total |= !s->per_cpu;
		if (s->per_cpu)
			usage->by_cpu += value;
		else
			merge(&usage->total, value);
		break;
	}
}

int series_finish(struct series_set *set, const char *name, u64 wall, struct err *err)
{
	struct sums *usage = calloc(set->nr + 1, sizeof(*usage));
	bool one_file = set->file_time > -2; /* series_read() counts down from -1 */
	u32 nr = 0;

	if (!usage || set->failed) {
		free(usage);
		return err_set(err, ERR_HOST, "out of memory");
	}
	for (u32 i = 0; i < set->nr_series; i++)
		if (set->series[i].kind < NR_KINDS)
			take_series(&set->v[set->series[i].container], &usage[set->series[i].container], &set->series[i], wall, one_file ? wall : 0);
	for (u32 i = 0; i < set->nr; i++) {
		struct facts *f = &set->v[i].facts;

		f->has_usage = usage[i].has_cpu || usage[i].has_total;
		f->usage = usage[i].has_total ? usage[i].total : usage[i].by_cpu;
		nr += set->v[i].has_periods;
	}
	free(usage);
	if (nr)
		return 0;
	err_at(err, name, 0, 0, NULL, "there is no container_cpu_cfs_periods_total in it: no container has a CPU limit, or these series were left out");
	err_hint(err, "cAdvisor has it under /metrics, the kubelet under /metrics/cadvisor");
	return -1;
}
