/* SPDX-License-Identifier: MIT */
/*
 * found_unit.c - systemd units: what systemd writes into a unit's cgroup.
 *
 *	CPUQuota=20%		quota = 20 ms in each 100 ms
 *	CPUQuotaPeriodSec=10ms	2 ms in each 10 ms; kept within 1 ms to 1 s, and lengthened until the quota is 1 ms
 *	CPUWeight=100, idle	cpu.weight		CPUShares=1024	cpu.shares of cgroup v1
 *
 *	web.service		what its package or its owner wrote
 *	web.service.d/NAME.conf	drop-ins, read behind it in the order of their names, as systemd merges them
 *
 * Of several assignments the last counts, in whichever file it stands; an empty one takes all before it back.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/bytes.h"
#include "input/found.h"
#include "text/number.h"
#include "text/suggest.h"

#define NANO ((u64)1000000000)
#define WEIGHT_IDLE 1 /* cpu.idle is no weight; the smallest one comes nearest */

struct unit {
	struct finding *f;	/* f->file is the one being read: the unit, or a drop-in */
	struct place quota_at;
	u64 quota, period; /* 1e-9 CPUs; ns; 0: not given */
	u64 weight, shares;
	bool idle;
};

static int refuse(struct unit *u, int line, int column, const char *key, const char *expected, const char *value, size_t len)
{
	return err_at(u->f->err, u->f->file, line, column, key, "expected %s, found \"%.*s\"", expected, (int)min_u64(len, 60), value);
}

/* ---- values ---- */

struct value {
	const char *key, *text;
	size_t len;
	int line, column;
};

static int expected(struct unit *u, const struct value *v, const char *what)
{
	return refuse(u, v->line, v->column, v->key, what, v->text, v->len);
}

static int take_quota(struct unit *u, const struct value *v)
{
	size_t n = num_span(v->text, v->len);

	u->quota = 0;
	if (!v->len)
		return 0;
	if (n + 1 == v->len && v->text[n] == '%' && num_scaled(v->text, n, NANO / 100, 1000000 * NANO, &u->quota) == NUM_OK && u->quota) {
		u->quota_at = (struct place){ .file = u->f->file, .line = v->line, .column = v->column };
		return 0;
	}
	expected(u, v, "a percentage above 0, such as 20%");
	if (n == v->len)
		err_hint(u->f->err, "CPUQuota= is in percent of one CPU: write %.*s%%", (int)min_u64(n, 20), v->text);
	return -1;
}

/* "100ms", "1s 500ms", "2" (seconds). */
static int take_period(struct unit *u, const struct value *v)
{
	static const struct { const char *name; u64 ns; } units[] = {
		{ "usec", US }, { "us", US }, { "msec", MS }, { "ms", MS }, { "seconds", SEC }, { "second", SEC }, { "sec", SEC },
		{ "s", SEC }, { "minutes", 60 * SEC }, { "minute", 60 * SEC }, { "min", 60 * SEC },
	};
	const char *p = v->text, *end = p + v->len;
	u64 sum = 0, one;
	size_t i, n, w;

	while (p < end) {
		n = num_span(p, (size_t)(end - p));
		for (w = 0; p + n + w < end && p[n + w] >= 'a' && p[n + w] <= 'z'; w++)
			;
		for (i = 0; w && i < ARRAY_SIZE(units); i++)
			if (strlen(units[i].name) == w && !strncmp(units[i].name, p + n, w))
				break;
		if (!n || i == ARRAY_SIZE(units) || num_scaled(p, n, w ? units[i].ns : SEC, 1000000 * SEC, &one) != NUM_OK)
			return expected(u, v, "a time such as 10ms");
		sum = min_u64(sum + one, 1000000 * SEC);
		for (p += n + w; p < end && *p == ' '; p++)
			;
	}
	u->period = sum;
	return v->len && !sum ? expected(u, v, "a time such as 10ms") : 0;
}

static int take_weight(struct unit *u, const struct value *v)
{
	s64 weight = 0;

	u->idle = v->len == 4 && !strncmp(v->text, "idle", 4);
	if (v->len && !u->idle && num_whole(v->text, v->len, 1, 10000, &weight) != NUM_OK)
		return expected(u, v, "a weight from 1 to 10000, or idle");
	u->weight = u->idle ? WEIGHT_IDLE : (u64)weight;
	return 0;
}

static int take_shares(struct unit *u, const struct value *v)
{
	s64 shares = 0;

	if (v->len && num_whole(v->text, v->len, 2, 262144, &shares) != NUM_OK)
		return expected(u, v, "shares from 2 to 262144");
	u->shares = (u64)shares;
	return 0;
}

static int take_nothing(struct unit *u, const struct value *v)
{
	(void)u, (void)v;
	return 0;
}

static const struct {
	const char *key;
	int (*take)(struct unit *u, const struct value *v);
} rows[] = {
	{ "CPUQuota", take_quota }, { "CPUQuotaPeriodSec", take_period }, { "CPUWeight", take_weight }, { "CPUShares", take_shares },
	/* known, and about something else */
	{ "CPUAccounting", take_nothing }, { "CPUAffinity", take_nothing }, { "CPUSchedulingPolicy", take_nothing },
	{ "CPUSchedulingPriority", take_nothing }, { "CPUSchedulingResetOnFork", take_nothing }, { "CPUPressureWatch", take_nothing },
	{ "CPUPressureThresholdSec", take_nothing },
};

/* ---- lines ---- */

/* A key of systemd's that begins with CPU and that it does not have is a slip of the pen; all others are its own business. */
static int unknown_key(struct unit *u, const char *key, size_t len, int line, int column)
{
	char word[64];
	struct suggest s;
	size_t i;

	if (len < 3 || strncmp(key, "CPU", 3))
		return 0;
	snprintf(word, sizeof(word), "%.*s", (int)min_u64(len, sizeof(word) - 1), key);
	suggest_init(&s, word);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		suggest_offer(&s, rows[i].key);
	err_at(u->f->err, u->f->file, line, column, word, "systemd has no such setting");
	if (suggest_best(&s))
		err_hint(u->f->err, "did you mean %s=?", suggest_best(&s));
	return -1;
}

static size_t trimmed(const char *p, size_t len)
{
	while (len && (p[len - 1] == ' ' || p[len - 1] == '\t' || p[len - 1] == '\r'))
		len--;
	return len;
}

static int assignment(struct unit *u, const char *p, size_t len, size_t equals, int line, const char *bol)
{
	struct value v = { .line = line };
	size_t i, n = trimmed(p, equals);

	for (i = 0; i < ARRAY_SIZE(rows) && (strlen(rows[i].key) != n || strncmp(rows[i].key, p, n)); i++)
		;
	if (i == ARRAY_SIZE(rows))
		return unknown_key(u, p, n, line, (int)(p - bol) + 1);
	v.key = rows[i].key;
	for (v.text = p + equals + 1; v.text < p + len && (*v.text == ' ' || *v.text == '\t'); v.text++)
		;
	v.len = trimmed(v.text, (size_t)(p + len - v.text));
	v.column = (int)(v.text - bol) + 1;
	return rows[i].take(u, &v);
}

/* One line, without its end.  A line that goes on behind a backslash sets something else: nothing of ours is that long. */
static int read_line(struct unit *u, const char *bol, size_t len, int line)
{
	const char *p = bol, *equals;
	size_t n;

	while (len && (*p == ' ' || *p == '\t')) {
		p++;
		len--;
	}
	n = trimmed(p, len);
	if (!n || *p == '#' || *p == ';')
		return 0;
	if (*p == '[')
		return p[n - 1] == ']' ? 0 : refuse(u, line, (int)(p - bol) + 1, NULL, "a section such as [Service]", p, n);
	equals = memchr(p, '=', n);
	if (!equals) {
		refuse(u, line, (int)(p - bol) + 1, NULL, "a setting such as CPUQuota=20%", p, n);
		err_hint(u->f->err, "this file is read as a systemd unit");
		return -1;
	}
	return assignment(u, p, n, (size_t)(equals - p), line, bol);
}

static int read_lines(struct unit *u, const char *text, size_t len)
{
	const char *end = text + len, *p, *nl;
	bool goes_on = false;
	int line = 1;

	for (p = text; p < end; p = nl + 1, line++) {
		size_t n;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		n = trimmed(p, (size_t)(nl - p));
		if (!goes_on && read_line(u, p, (size_t)(nl - p), line))
			return -1;
		goes_on = n && p[n - 1] == '\\';
	}
	return 0;
}

/* ---- into a cgroup ---- */

static int put(struct unit *u, const char *name)
{
	struct finding *f = u->f;
	struct found *it = found_add(f, name, u->quota_at.line, u->quota_at.column);

	if (!it)
		return -1;
	if (u->quota_at.file)
		it->at.file = u->quota_at.file;
	it->weight = u->weight;
	it->shares = u->shares;
	if (u->idle)
		found_note(f, it, "CPUWeight=idle is cpu.idle; the smallest weight is taken for it");
	if (!u->quota) {
		if (u->period)
			found_note(f, it, "CPUQuotaPeriodSec= does nothing without CPUQuota=");
		return 0;
	}
	it->has_limit = true;
	it->limit = (struct limit){ .by_cpus = true, .amount = u->quota, .has_period = u->period > 0, .period = u->period };
	found_drive(f, it, DRIVER_SYSTEMD, "systemd keeps periods within 1 ms and 1 s, and quotas at 1 ms or more");
	return 0;
}

/* The cgroup is called as the unit at @path is: its last part. */
static int put_unit(struct unit *u, const char *path)
{
	const char *slash = strrchr(path, '/');

	u->f->file = path;
	if (u->quota || u->weight || u->shares || u->period)
		return put(u, slash ? slash + 1 : path);
	err_at(u->f->err, path, 1, 1, NULL, "expected CPUQuota= or CPUWeight=, found neither");
	err_hint(u->f->err, "is the limit in a drop-in elsewhere?  systemctl cat UNIT shows all of its files");
	return -1;
}

int found_in_unit(struct finding *f, const char *text, size_t len)
{
	struct unit u = { .f = f };

	return read_lines(&u, text, len) ? -1 : put_unit(&u, f->file);
}

/* ---- drop-ins ---- */

static bool ends_in(const char *s, size_t len, const char *end)
{
	size_t e = strlen(end);

	return len > e && !strncmp(s + len - e, end, e);
}

/* The length of "a/web.service" in "a/web.service.d/" or "a/web.service.d/x.conf"; 0: no such path. */
static size_t unit_in_dropin(const char *path)
{
	size_t len = strlen(path);

	if (ends_in(path, len, ".conf"))
		while (len && path[len - 1] != '/')
			len--;
	while (len && path[len - 1] == '/')
		len--;
	return ends_in(path, len, ".service.d") || ends_in(path, len, ".slice.d") || ends_in(path, len, ".scope.d") ||
	       ends_in(path, len, ".socket.d") ? len - 2 : 0;
}

static int read_file(struct unit *u, const char *path)
{
	size_t len;
	char *text = bytes_read(path, &len, u->f->err);
	int ret;

	if (!text)
		return -1;
	u->f->file = path;
	ret = read_lines(u, text, len);
	free(text);
	return ret;
}

static int is_conf(const struct dirent *e) { return e->d_name[0] != '.' && ends_in(e->d_name, strlen(e->d_name), ".conf"); }

static int read_dropins(struct unit *u, const char *dir)
{
	struct dirent **entries;
	int i, ret = 0, nr = scandir(dir, &entries, is_conf, alphasort);

	for (i = 0; i < nr; i++) {
		size_t size = strlen(dir) + strlen(entries[i]->d_name) + 2;
		char *path = ret ? NULL : arena_alloc(&u->f->mem, size);

		if (path) {
			snprintf(path, size, "%s/%s", dir, entries[i]->d_name);
			ret = read_file(u, path);
		} else if (!ret) {
			ret = err_set(u->f->err, ERR_HOST, "out of memory while reading %s", dir);
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return ret;
}

static bool is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

bool found_is_dropin(const char *path) { return unit_in_dropin(path) > 0; }

int found_in_unit_files(struct finding *f, const char *path)
{
	size_t len = unit_in_dropin(path), size = strlen(path) + 3;
	bool one_file = len && ends_in(path, strlen(path), ".conf");
	char *unit = arena_alloc(&f->mem, size), *dir = arena_alloc(&f->mem, size);
	struct unit u = { .f = f };

	if (!unit || !dir)
		return err_set(f->err, ERR_HOST, "out of memory while reading %s", path);
	snprintf(unit, size, "%.*s", (int)(len ? len : strlen(path)), path);
	snprintf(dir, size, "%s.d", unit);
	if (one_file)
		return read_file(&u, path) ? -1 : put_unit(&u, unit);
	if (is_there(unit) || !is_there(dir)) {
		if (read_file(&u, unit))
			return -1;
	} else {
		found_say(f, unit, "is not there; only what its drop-ins say is taken");
	}
	return read_dropins(&u, dir) ? -1 : put_unit(&u, unit);
}
