/* SPDX-License-Identifier: MIT */
/*
 * yaml_lite.c - as much of YAML as Kubernetes manifests are written in.
 *
 *	block:	mapping | list | scalar		what begins a line; its column says how deep it is
 *	inline:	scalar | block scalar | flow	what stands behind "key:" or "- " on the same line
 *	flow:	{ .. } | [ .. ] | scalar	where columns mean nothing
 *
 * Laws: the reader never looks past @end, never goes deeper than JSON_MOST_DEPTH, and every step takes at least one byte.
 */
#include "input/yaml_lite.h"

#include <stdio.h>
#include <string.h>

#include "input/names.h"

struct yaml {
	const char *file;
	const char *p, *end;
	const char *bol;	/* first byte of the current line */
	u32 line;
	int depth;
	u32 nr_maps;
	struct names keys;	/* by (number of the mapping, key) */
	struct arena *mem;
	struct err *err;
};

static struct json *block(struct yaml *y, int column);
static struct json *flow(struct yaml *y);

/* ---- bytes ---- */

static char at(const struct yaml *y, size_t ahead) { return y->p + ahead < y->end ? y->p[ahead] : '\0'; }
static bool ends(const struct yaml *y) { return y->p >= y->end; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Does a token end before @c: a blank, the end of the line or of the text? */
static bool is_gap(char c) { return is_blank(c) || c == '\n' || c == '\0'; }

static int column(const struct yaml *y) { return (int)(y->p - y->bol); }

static void *no_memory(struct yaml *y)
{
	err_set(y->err, ERR_HOST, "out of memory while reading %s", y->file);
	return NULL;
}

/* The error that stands at the current byte; always NULL. */
static void *refuse(struct yaml *y, const char *message, const char *hint)
{
	err_at(y->err, y->file, (int)y->line, column(y) + 1, NULL, "%s", message);
	if (hint)
		err_hint(y->err, "%s", hint);
	return NULL;
}

static void *expected(struct yaml *y, const char *what)
{
	char message[160], found[24] = "the end of the line";

	if (!ends(y) && *y->p != '\n')
		snprintf(found, sizeof(found), (u8)*y->p > ' ' && (u8)*y->p < 0x7f ? "'%c'" : "byte 0x%02x", (u8)*y->p);
	snprintf(message, sizeof(message), "expected %s, found %s", what, found);
	return refuse(y, message, NULL);
}

static struct json *node(struct yaml *y, enum json_kind kind)
{
	struct json *v = arena_alloc(y->mem, sizeof(*v));

	if (!v)
		return no_memory(y);
	v->kind = (u8)kind;
	v->line = y->line;
	v->column = (u32)column(y) + 1;
	return v;
}

static struct json *scalar(struct yaml *y, struct json *v, const char *text, size_t len)
{
	v->kind = JSON_STRING;
	v->text = text ? text : arena_strndup(y->mem, "", 0);
	v->len = (u32)len;
	return v->text ? v : no_memory(y);
}

/* ---- blanks, comments and lines ---- */

static void blanks(struct yaml *y)
{
	while (!ends(y) && is_blank(*y->p))
		y->p++;
}

static void to_line_end(struct yaml *y)
{
	const char *nl = memchr(y->p, '\n', (size_t)(y->end - y->p));

	y->p = nl ? nl : y->end;
}

static void new_line(struct yaml *y)
{
	y->p++;
	y->line++;
	y->bol = y->p;
}

static bool at_marker(const struct yaml *y)
{
	return y->p == y->bol && y->end - y->p >= 3 && (!memcmp(y->p, "---", 3) || !memcmp(y->p, "...", 3)) && is_gap(at(y, 3));
}

/* Over blank lines and comments to the next token; its column, or -1 at a document's end.  -2: an error. */
static int next_token(struct yaml *y)
{
	for (;;) {
		blanks(y);
		if (!ends(y) && *y->p == '#')
			to_line_end(y);
		if (ends(y))
			return -1;
		if (*y->p != '\n')
			break;
		new_line(y);
	}
	if (memchr(y->bol, '\t', (size_t)(y->p - y->bol))) {
		refuse(y, "a tab indents this line", "YAML takes only blanks there");
		return -2;
	}
	return at_marker(y) ? -1 : column(y);
}

/* Behind a value nothing but a comment may stand on its line. */
static bool rest_is_empty(struct yaml *y)
{
	blanks(y);
	return ends(y) || *y->p == '\n' || *y->p == '#';
}

static bool deeper(struct yaml *y)
{
	if (y->depth++ < JSON_MOST_DEPTH)
		return true;
	refuse(y, "nested deeper than 64 levels", NULL);
	return false;
}

/* ---- what is not read ---- */

static const struct {
	char first;
	const char *message, *hint;
} foreign[] = {
	{ '&', "anchors are not read here", "write the value out where it is used, or convert the file with kubectl --dry-run=client -o yaml" },
	{ '*', "aliases are not read here", "write the value out where it is used, or convert the file with kubectl --dry-run=client -o yaml" },
	{ '!', "tags are not read here", "leave the tag out" },
	{ '%', "directives are not read here", "leave the line out" },
	{ '@', "no value begins with @", "put it in quotes" },
	{ '`', "no value begins with `", "put it in quotes" },
};

/* False, with the error set, where a token begins that is not read. */
static bool is_ours(struct yaml *y)
{
	size_t i;

	if (at(y, 0) == '{' && at(y, 1) == '{') {
		refuse(y, "this is a Helm template, not a manifest", "render it first: helm template CHART > FILE");
		return false;
	}
	if (at(y, 0) == '?' && is_gap(at(y, 1))) {
		refuse(y, "keys that are no single word are not read here", NULL);
		return false;
	}
	for (i = 0; i < ARRAY_SIZE(foreign); i++) {
		if (at(y, 0) != foreign[i].first)
			continue;
		refuse(y, foreign[i].message, foreign[i].hint);
		return false;
	}
	return true;
}

/* ---- quoted scalars ---- */

static size_t put_utf8(char *out, u32 c)
{
	if (c < 0x80)
		return (size_t)(out[0] = (char)c, 1);
	if (c < 0x800)
		return (size_t)(out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2);
	return (size_t)(out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)), out[2] = (char)(0x80 | (c & 63)), 3);
}

static bool hex_escape(struct yaml *y, size_t digits, char *out, size_t *n)
{
	u32 c = 0;
	size_t i;

	for (i = 0; i < digits; i++) {
		char d = at(y, 2 + i);
		const char *all = "0123456789abcdef", *which = d ? strchr(all, d >= 'A' && d <= 'F' ? d + 32 : d) : NULL;

		if (!which)
			return expected(y, "hexadecimal digits behind this escape");
		c = c << 4 | (u32)(which - all);
	}
	if (!c || (c >= 0xd800 && c < 0xe000))
		return expected(y, "an escape that stands for a character");
	*n += put_utf8(out + *n, c);
	y->p += 2 + digits;
	return true;
}

/* The backslash at y->p.  What a line's end is escaped for, joining lines, is done by the caller's folding. */
static bool escape(struct yaml *y, char *out, size_t *n)
{
	static const char from[] = "\"\\/ abefnrtv", to[] = "\"\\/ \a\b\033\f\n\r\t\v";
	const char *which = at(y, 1) ? strchr(from, at(y, 1)) : NULL;

	if (at(y, 1) == 'x' || at(y, 1) == 'u')
		return hex_escape(y, at(y, 1) == 'x' ? 2 : 4, out, n);
	if (!which)
		return expected(y, "an escape such as \\n or \\\"");
	out[(*n)++] = to[which - from];
	y->p += 2;
	return true;
}

/* A line's end inside quotes, with the blanks around it, is one blank. */
static void fold(struct yaml *y, char *out, size_t *n)
{
	while (*n && is_blank(out[*n - 1]))
		(*n)--;
	out[(*n)++] = ' ';
	while (!ends(y) && (is_blank(*y->p) || *y->p == '\n')) {
		if (*y->p == '\n')
			new_line(y);
		else
			y->p++;
	}
}

/* Where the quote at y->p is closed, or NULL. */
static const char *closing(const struct yaml *y)
{
	const char *p;
	char quote = *y->p;

	for (p = y->p + 1; p < y->end; p++) {
		if (quote == '"' && *p == '\\' && p + 1 < y->end)
			p++;
		else if (*p == quote && quote == '\'' && p + 1 < y->end && p[1] == '\'')
			p++;
		else if (*p == quote)
			return p;
	}
	return NULL;
}

static struct json *quoted(struct yaml *y)
{
	struct json *v = node(y, JSON_STRING);
	const char *close = closing(y);
	char quote = *y->p, *out;
	size_t n = 0;

	if (!v)
		return NULL;
	if (!close)
		return refuse(y, "the quotes that open here are never closed", NULL);
	out = arena_alloc(y->mem, (size_t)(close - y->p) + 1);
	if (!out)
		return no_memory(y);
	y->p++;
	while (y->p < close) {
		if (*y->p == '\n') {
			fold(y, out, &n);
		} else if (quote == '"' && *y->p == '\\') {
			if (!escape(y, out, &n))
				return NULL;
		} else if (!*y->p) {
			return expected(y, "no NUL byte");
		} else {
			y->p += *y->p == '\'' && quote == '\'';
			out[n++] = *y->p++;
		}
	}
	y->p = close + 1;
	return scalar(y, v, out, n);
}

/* ---- plain and block scalars ---- */

/* Does a plain scalar end at @p: a colon that makes a key of it, or a comment? */
static bool plain_ends(const struct yaml *y, const char *p, bool in_flow)
{
	char next = p + 1 < y->end ? p[1] : '\0';

	if (*p == '\n' || !*p || (*p == '#' && p > y->bol && is_blank(p[-1])))
		return true;
	if (*p == ':' && (is_gap(next) || (in_flow && strchr(",[]{}", next))))
		return true;
	return in_flow && strchr(",[]{}", *p);
}

/* The bytes of the plain scalar at y->p on this line, without the blanks behind it. */
static size_t plain_span(const struct yaml *y, bool in_flow)
{
	const char *p = y->p;

	while (p < y->end && !plain_ends(y, p, in_flow))
		p++;
	while (p > y->p && is_blank(p[-1]))
		p--;
	return (size_t)(p - y->p);
}

/* Is what stands at y->p a key, with its colon on the same line? */
static bool at_key(const struct yaml *y)
{
	struct yaml ahead = *y;

	if (at(y, 0) == '"' || at(y, 0) == '\'') {
		const char *close = closing(y);

		if (!close || memchr(y->p, '\n', (size_t)(close - y->p)))
			return false;
		ahead.p = close + 1;
	} else {
		ahead.p += plain_span(y, false);
	}
	blanks(&ahead);
	return at(&ahead, 0) == ':' && is_gap(at(&ahead, 1));
}

/* Joins @more to @v, as the lines of a long plain scalar are. */
static bool join(struct yaml *y, struct json *v, const char *more, size_t len)
{
	char *text = arena_alloc(y->mem, v->len + len + 2);

	if (!text)
		return no_memory(y);
	memcpy(text, v->text, v->len);
	text[v->len] = ' ';
	memcpy(text + v->len + 1, more, len);
	v->text = text;
	v->len += (u32)len + 1;
	return true;
}

#define MOST_JOINED 200 /* lines, so that joining stays cheap */

/* A plain scalar; lines indented deeper than @parent go on with it. */
static struct json *plain(struct yaml *y, int parent)
{
	struct json *v = node(y, JSON_STRING);
	size_t len = plain_span(y, false);
	int lines;

	if (!v)
		return NULL;
	if (!len)
		return expected(y, "a value");
	if (!scalar(y, v, arena_strndup(y->mem, y->p, len), len))
		return NULL;
	y->p += len;
	for (lines = 0; rest_is_empty(y) && lines < MOST_JOINED; lines++) {
		struct yaml before = *y;

		if (at(y, 0) == '#')
			return v;
		if (next_token(y) <= parent) {
			if (y->err->code)
				return NULL;
			*y = before;
			return v;
		}
		if (at_key(y))
			return refuse(y, "a key cannot stand here: the line before is a value",
				      "is this line, or the one before, indented wrongly?");
		len = plain_span(y, false);
		if (!len || !join(y, v, y->p, len))
			return len ? NULL : expected(y, "a value");
		y->p += len;
	}
	return expected(y, "the end of the line behind this value");
}

/* "|" and ">": the lines below that are indented deeper than @parent, as they stand. */
static struct json *block_scalar(struct yaml *y, int parent)
{
	struct json *v = node(y, JSON_STRING);
	const char *from;

	if (!v)
		return NULL;
	y->p++;
	while (!ends(y) && strchr("+-123456789", *y->p))
		y->p++;
	if (!rest_is_empty(y))
		return expected(y, "the end of the line behind | or >");
	to_line_end(y);
	from = y->p;
	while (!ends(y)) {
		struct yaml line = *y;

		new_line(&line);
		while (at(&line, 0) == ' ')
			line.p++;
		if (!ends(&line) && *line.p != '\n' && *line.p != '\r' && column(&line) <= parent)
			break;
		to_line_end(&line);
		*y = line;
	}
	return scalar(y, v, arena_strndup(y->mem, from, (size_t)(y->p - from)), (size_t)(y->p - from));
}

/* ---- values ---- */

/* What stands behind "key:" or "- " on the same line. */
static struct json *inline_value(struct yaml *y, int parent)
{
	struct json *v;
	char c = at(y, 0);

	if (!is_ours(y))
		return NULL;
	if (c == '|' || c == '>')
		return block_scalar(y, parent);
	if (c != '{' && c != '[' && c != '"' && c != '\'')
		return plain(y, parent);
	v = c == '{' || c == '[' ? flow(y) : quoted(y);
	if (v && !rest_is_empty(y))
		return expected(y, "the end of the line behind this value");
	return v;
}

static bool at_dash(const struct yaml *y) { return at(y, 0) == '-' && is_gap(at(y, 1)); }

/* Behind the colon of a key, or the dash of an item, that stands in column @parent. */
static struct json *value_below(struct yaml *y, int parent, bool of_key)
{
	struct json *nothing = node(y, JSON_NULL);
	struct yaml before;
	int col;

	if (!nothing || !rest_is_empty(y))
		return nothing ? inline_value(y, parent) : NULL;
	before = *y;
	col = next_token(y);
	if (col > parent || (col == parent && of_key && at_dash(y)))
		return block(y, col);
	*y = before;
	return y->err->code ? NULL : nothing;
}

/* ---- mappings and lists ---- */

static bool add_member(struct yaml *y, u32 map, struct json *key, struct json *v)
{
	if (names_get(&y->keys, map, key->text) != NAME_NONE) {
		err_at(y->err, y->file, (int)key->line, (int)key->column, key->text, "this key stands here a second time; the first is in line %u",
		       names_get(&y->keys, map, key->text));
		return false;
	}
	if (!names_put(&y->keys, map, key->text, key->line))
		return no_memory(y);
	v->key = key->text;
	v->key_line = key->line;
	v->key_column = key->column;
	return true;
}

/* A key with its colon; y->p is behind it. */
static struct json *key_of(struct yaml *y, bool in_flow)
{
	struct json *key;
	size_t len;

	if (!is_ours(y))
		return NULL;
	if (at(y, 0) == '"' || at(y, 0) == '\'') {
		key = quoted(y);
	} else {
		len = plain_span(y, in_flow);
		key = len ? node(y, JSON_STRING) : expected(y, "a key");
		if (key && !scalar(y, key, arena_strndup(y->mem, y->p, len), len))
			return NULL;
		y->p += len;
	}
	blanks(y);
	if (key && at(y, 0) != ':')
		return expected(y, "':' behind the key");
	y->p += !!key;
	return key;
}

/* After an element of the block in column @col: is there another?  -1: an error. */
static int another(struct yaml *y, int col)
{
	struct yaml before = *y;
	int next = next_token(y);

	if (next == col)
		return 1;
	if (next > col) {
		refuse(y, "this line is indented deeper than the one it belongs to", "its column must be that of its neighbours");
		return -1;
	}
	*y = before;
	return y->err->code ? -1 : 0;
}

static struct json *mapping(struct yaml *y, int col)
{
	struct json *map = node(y, JSON_OBJECT), **tail = map ? &map->child : NULL;
	u32 number = ++y->nr_maps;
	int more = !!map;

	while (more > 0) {
		struct json *key = at_dash(y) ? expected(y, "a key") : key_of(y, false), *v = key ? value_below(y, col, true) : NULL;

		if (!v || !add_member(y, number, key, v))
			return NULL;
		*tail = v;
		tail = &v->next;
		map->len++;
		more = another(y, col);
		if (more > 0 && at_dash(y)) /* a list that has ended belongs to no key */
			more = expected(y, "a key") ? 1 : -1;
	}
	return more < 0 ? NULL : map;
}

/* An item: what stands behind the dash may be a block of its own, in that column. */
static struct json *item(struct yaml *y, int col)
{
	y->p++;
	blanks(y);
	if (!rest_is_empty(y) && (at_dash(y) || at_key(y)))
		return block(y, column(y));
	return value_below(y, col, false);
}

static struct json *list(struct yaml *y, int col)
{
	struct json *list = node(y, JSON_ARRAY), **tail = list ? &list->child : NULL;
	int more = !!list;

	while (more > 0) {
		struct yaml before;
		struct json *v = item(y, col);

		if (!v)
			return NULL;
		*tail = v;
		tail = &v->next;
		list->len++;
		before = *y;
		more = another(y, col);
		if (more > 0 && !at_dash(y)) { /* the mapping around it goes on in the same column */
			*y = before;
			more = 0;
		}
	}
	return more < 0 ? NULL : list;
}

/* What begins in column @col of this line. */
static struct json *block(struct yaml *y, int col)
{
	struct json *v;

	if (!deeper(y))
		return NULL;
	if (at_dash(y))
		v = list(y, col);
	else if (at(y, 0) == '?' || at_key(y))
		v = mapping(y, col);
	else
		v = inline_value(y, col - 1);
	y->depth--;
	return v;
}

/* ---- flow style ---- */

static bool flow_gap(struct yaml *y)
{
	for (;;) {
		blanks(y);
		if (!ends(y) && *y->p == '#')
			to_line_end(y);
		if (ends(y) || *y->p != '\n')
			return true;
		new_line(y);
	}
}

static struct json *flow_value(struct yaml *y)
{
	struct json *v;
	size_t len;

	if (!is_ours(y))
		return NULL;
	if (at(y, 0) == '{' || at(y, 0) == '[')
		return flow(y);
	if (at(y, 0) == '"' || at(y, 0) == '\'')
		return quoted(y);
	v = node(y, JSON_NULL);
	len = plain_span(y, true);
	if (!v || !len)
		return v;
	v = scalar(y, v, arena_strndup(y->mem, y->p, len), len);
	y->p += len;
	return v;
}

static struct json *flow_member(struct yaml *y, u32 map)
{
	struct json *key, *v;

	if (!map)
		return flow_value(y);
	key = key_of(y, true);
	if (!key || !flow_gap(y))
		return NULL;
	v = flow_value(y);
	return v && add_member(y, map, key, v) ? v : NULL;
}

static struct json *flow(struct yaml *y)
{
	bool is_map = *y->p == '{';
	struct json *v = node(y, is_map ? JSON_OBJECT : JSON_ARRAY), **tail = v ? &v->child : NULL;
	u32 map = is_map ? ++y->nr_maps : 0;
	char close = is_map ? '}' : ']';

	if (!v || !deeper(y))
		return NULL;
	y->p++;
	for (flow_gap(y); at(y, 0) != close; flow_gap(y)) {
		*tail = flow_member(y, map);
		if (!*tail || !flow_gap(y))
			return NULL;
		tail = &(*tail)->next;
		v->len++;
		if (at(y, 0) == ',')
			y->p++;
		else if (at(y, 0) != close)
			return expected(y, is_map ? "',' or '}'" : "',' or ']'");
	}
	y->p++;
	y->depth--;
	return v;
}

/* ---- documents ---- */

/* Over "---" or "..."; false where the text ends. */
static bool next_document(struct yaml *y)
{
	int col = next_token(y);

	while (col == -1 && !ends(y)) {
		y->p += 3;
		col = next_token(y);
	}
	return col >= 0;
}

struct json *yaml_lite_parse(const char *file, const char *text, size_t len, struct arena *mem, struct err *err)
{
	struct yaml y = { .file = file, .p = text, .end = text + len, .bol = text, .line = 1, .mem = mem, .err = err, .keys = { .mem = mem } };
	struct json *docs = node(&y, JSON_ARRAY), **tail = docs ? &docs->child : NULL;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		y.p = y.bol = text + 3;
	while (docs && next_document(&y)) {
		*tail = block(&y, column(&y));
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
		docs->len++;
		if (next_token(&y) >= 0)
			return expected(&y, "the end of the document");
	}
	return err->code ? NULL : docs;
}
