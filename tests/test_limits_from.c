/* SPDX-License-Identifier: MIT */
/* test_limits_from.c - manifests, units and cgroup directories, and what a scenario's groups get from them. */
#include "tests/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/limits_from.h"
#include "input/yaml_lite.h"
#include "text/memory.h"

static struct scenario sc;
static struct warnings warn;
static struct err err;
static char dir[64], path[128];

/* ---- YAML ---- */

/* The tree as text: {key:value,..} [..] and scalars as they are, ~ for nothing. */
static void show(const struct json *v, char *out, size_t size)
{
	const struct json *e;
	size_t n = strlen(out);

	if (v->kind == JSON_STRING || v->kind == JSON_NULL) {
		snprintf(out + n, size - n, "%s", v->kind == JSON_NULL ? "~" : v->text);
		return;
	}
	snprintf(out + n, size - n, v->kind == JSON_OBJECT ? "{" : "[");
	json_each(e, v) {
		n = strlen(out);
		snprintf(out + n, size - n, "%s%s%s", e == v->child ? "" : ",", e->key ? e->key : "", e->key ? ":" : "");
		show(e, out, size);
	}
	n = strlen(out);
	snprintf(out + n, size - n, v->kind == JSON_OBJECT ? "}" : "]");
}

static void yaml(const char *text, char *out, size_t size)
{
	struct json *docs;
	struct arena mem;

	out[0] = '\0';
	err = (struct err){ 0 };
	arena_of_malloc(&mem);
	docs = yaml_lite_parse("f.yaml", text, strlen(text), &mem, &err);
	if (docs)
		show(docs, out, size);
	arena_fini(&mem);
}

/* Every form that is read, beside the tree it stands for. */
TEST(limits_from, yaml_forms)
{
	static const struct { const char *text, *tree; } rows[] = {
		{ "", "[]" },
		{ "# nothing\n", "[]" },
		{ "a: 1\n", "[{a:1}]" },
		{ "a: 1", "[{a:1}]" },
		{ "a: 1\r\nb: 2\r\n", "[{a:1,b:2}]" },
		{ "\xef\xbb\xbf" "a: 1", "[{a:1}]" },
		{ "---\na: 1\n---\nb: 2\n...\n", "[{a:1},{b:2}]" },
		{ "--- # c\na: 1\n---\n---\nb: 2", "[{a:1},{b:2}]" },
		{ "a:\n  b:\n    c: d\n  e: f\ng: h", "[{a:{b:{c:d},e:f},g:h}]" },
		{ "a:\nb: ~\nc:   # nothing", "[{a:~,b:~,c:~}]" },
		{ "a:\n- 1\n- 2\nb: 3", "[{a:[1,2],b:3}]" },
		{ "a:\n  - 1\n  - 2\nb: 3", "[{a:[1,2],b:3}]" },
		{ "- a: 1\n  b: 2\n- c: 3", "[[{a:1,b:2},{c:3}]]" },
		{ "- - 1\n  - 2\n-\n  - 3", "[[[1,2],[3]]]" },
		{ "-\n  a: 1\n-", "[[{a:1},~]]" },
		{ "- a:\n  - 1\n  b: 2", "[[{a:[1],b:2}]]" },
		{ "a: 'it''s'\nb: \"x\\ty\\u00e9\\\"\"\n\"c d\": e", "[{a:it's,b:x\ty\xc3\xa9\",c d:e}]" },
		{ "a: \"one\n  two\"", "[{a:one two}]" },
		{ "a: one\n  two\n  three\nb: x", "[{a:one two three,b:x}]" },
		{ "a: |\n  b: c\n   d\n\ne: f", "[{a:\n  b: c\n   d\n,e:f}]" },
		{ "a: >-\n  b\n  c\ne: f", "[{a:\n  b\n  c,e:f}]" },
		{ "a: {b: 1, \"c\": [d, 'e', {f: g}], h: }", "[{a:{b:1,c:[d,e,{f:g}],h:~}}]" },
		{ "a: [\n  1, # one\n  2,\n]\nb: []\nc: {}", "[{a:[1,2],b:[],c:{}}]" },
		{ "a: http://x:80/y#z # c\nb: -5\nc: a-b - c", "[{a:http://x:80/y#z,b:-5,c:a-b - c}]" },
		{ "a/b.c: 1\n? : 2", "" },
	};
	char tree[1024];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		yaml(rows[i].text, tree, sizeof(tree));
		if (strcmp(tree, rows[i].tree))
			fail_msg("\"%s\" is %s, not %s (%s)", rows[i].text, tree, rows[i].tree, err.message);
	}
}

/* What is not read is one error, where it stands, with a way out. */
TEST(limits_from, yaml_refused)
{
	static const struct { const char *text; int line, column; const char *message, *hint; } rows[] = {
		{ "a:\n\tb: 1", 2, 2, "a tab indents this line", "blanks" },
		{ "a: &x 1", 1, 4, "anchors are not read here", "write the value out" },
		{ "a: *x", 1, 4, "aliases are not read here", "write the value out" },
		{ "a: !!str 1", 1, 4, "tags are not read here", "leave the tag out" },
		{ "%YAML 1.2\n---\na: 1", 1, 1, "directives are not read here", "" },
		{ "? a\n: b", 1, 1, "keys that are no single word", "" },
		{ "a: {{ .Values.x }}", 1, 4, "this is a Helm template", "helm template" },
		{ "{{- if x }}\na: 1", 1, 1, "this is a Helm template", "helm template" },
		{ "a: @x", 1, 4, "no value begins with @", "quotes" },
		{ "a: 1\na: 2", 2, 1, "second time; the first is in line 1", "" },
		{ "a: {b: 1, b: 2}", 1, 11, "second time; the first is in line 1", "" },
		{ "a: 'x", 1, 4, "never closed", "" },
		{ "a: \"x\\q\"", 1, 6, "expected an escape", "" },
		{ "a: \"x\\u12\"", 1, 6, "expected hexadecimal digits", "" },
		{ "a: 'x' y", 1, 8, "expected the end of the line behind this value", "" },
		{ "a: b: c", 1, 5, "expected the end of the line behind this value", "" },
		{ "a: 1\n  b: 2", 2, 3, "a key cannot stand here", "indented wrongly" },
		{ "a: 1\nb", 2, 2, "expected ':' behind the key", "" },
		{ "a:\n    b: 1\n  c: 2", 3, 3, "deeper", "neighbours" },
		{ "a: 1\n- b", 2, 1, "expected a key", "" },
		{ "a: [1, 2", 1, 9, "expected ',' or ']'", "" },
		{ "a: {b", 1, 6, "expected ':' behind the key", "" },
		{ "a: {b: 1", 1, 9, "expected ',' or '}'", "" },
		{ "- 1\nb: 2", 2, 1, "expected the end of the document", "" },
		{ "a: | x\n  y", 1, 6, "expected the end of the line behind | or >", "" },
	};
	char tree[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		yaml(rows[i].text, tree, sizeof(tree));
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		if (!strstr(err.message, rows[i].message) || !strstr(err.hint, rows[i].hint))
			fail_msg("%s: \"%s\", hint \"%s\"", rows[i].text, err.message, err.hint);
		CHECK_ROW(err.line, rows[i].line, rows[i].text);
		CHECK_ROW(err.column, rows[i].column, rows[i].text);
	}
}

/* Depth is bounded, whatever the style. */
TEST(limits_from, yaml_depth)
{
	char text[4096] = "a: ", tree[8192];
	size_t i;

	memset(text + 3, '[', 100);
	yaml(text, tree, sizeof(tree));
	CHECK(strstr(err.message, "nested deeper than 64 levels"));
	text[0] = '\0';
	for (i = 0; i < 100; i++)
		strcat(text, "- ");
	yaml(text, tree, sizeof(tree));
	CHECK(strstr(err.message, "nested deeper than 64 levels"));
}

/* ---- files ---- */

static void make_dir(void)
{
	strcpy(dir, "/tmp/test_limits_from_XXXXXX");
	CHECK(mkdtemp(dir) != NULL);
}

static void file(const char *name, const char *text)
{
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "w");
	CHECK(out != NULL);
	fputs(text, out);
	fclose(out);
}

static void remove_dir(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_EQ(system(command), 0);
}

static void groups(const char *text)
{
	char whole[1024];

	scenario_free(&sc);
	warnings_free(&warn);
	err = (struct err){ 0 };
	snprintf(whole, sizeof(whole), "{ \"machine\": { \"cpus\": 2 }, \"groups\": { %s }, \"tasks\": { \"t\": { \"run\": 1 } } }", text);
	if (scenario_read("t.json", whole, strlen(whole), &sc, &warn, &err))
		fail_msg("%s: %s", whole, err.message);
}

/* What group @g writes: "cpu.max=1 2; cpu.weight=3". */
static const char *writes(u32 g)
{
	static char text[512];
	u32 i;

	text[0] = '\0';
	for (i = 0; i < sc.groups[g].nr_writes; i++) {
		const struct write_spec *w = &sc.groups[g].writes[i];
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s=%s", i ? "; " : "", w->file, w->value);
	}
	return text;
}

static bool said(const char *words)
{
	u32 i;

	for (i = 0; i < warn.nr; i++)
		if (strstr(warn.list[i].message, words))
			return true;
	return false;
}

#define POD(limits) "metadata: { name: web }\nspec:\n  containers:\n  - name: app\n    resources: {" limits "}\n"

/* kubelet: milli * 100 us, at least 1 ms; shares of the request, or of the limit where there is none; the pod gets the sum. */
TEST(limits_from, one_container)
{
	static const struct { const char *manifest; struct manager manager; const char *writes, *note; } rows[] = {
		{ POD("limits: {cpu: 250m}"), { 0 }, "cpu.max=25000 100000; cpu.weight=10", "" },
		{ POD("limits: {cpu: \"0.25\"}"), { 0 }, "cpu.max=25000 100000; cpu.weight=10", "" },
		{ POD("limits: {cpu: 2}, requests: {cpu: 1}"), { 0 }, "cpu.max=200000 100000; cpu.weight=39", "100 with --weights new" },
		{ POD("limits: {cpu: 2}, requests: {cpu: 1}"), { .new_weights = true }, "cpu.max=200000 100000; cpu.weight=100",
		  "39 with --weights old" },
		{ POD("requests: {cpu: 100m}"), { 0 }, "cpu.max=max 100000; cpu.weight=4", "17 with" },
		{ POD("limits: {memory: 1Gi}"), { 0 }, "cpu.max=max 100000; cpu.weight=1", "" },
		{ POD(""), { 0 }, "cpu.max=max 100000; cpu.weight=1", "" },
		{ POD("limits: {cpu: 5m}"), { 0 }, "cpu.max=1000 100000; cpu.weight=1", "500 us in each 100000 us become 1000 in each 100000: kubelet" },
		{ POD("limits: {cpu: 0.5m}"), { 0 }, "cpu.max=1000 100000; cpu.weight=1", "100 us in each" },
		{ POD("limits: {cpu: 123m}"), { 0 }, "cpu.max=12300 100000; cpu.weight=5", "" },
		{ POD("limits: {cpu: 123m}"), { .systemd = true }, "cpu.max=13000 100000; cpu.weight=5", "runc's systemd driver rounds up" },
		{ POD("limits: {cpu: 11m}"), { .systemd = true }, "cpu.max=2000 100000; cpu.weight=1", "1100 us in each 100000 us become 2000" },
		{ POD("limits: {cpu: 0}"), { 0 }, "cpu.max=max 100000; cpu.weight=1", "" },
		{ "{ \"metadata\": { \"name\": \"web\" }, \"spec\": { \"containers\": [ { \"name\": \"app\", \"resources\": "
		  "{ \"limits\": { \"cpu\": 0.5 } } } ] } }", { 0 }, "cpu.max=50000 100000; cpu.weight=20", "" },
	};
	size_t i;

	make_dir();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		file("pod.yaml", rows[i].manifest);
		groups("\"/web\": { \"cpu.max\": \"max\", \"cpu.weight\": 7 }, \"/web/app\": { }");
		CHECK_ROW(scenario_set_limits_from(&sc, path, &rows[i].manager, &warn, &err), 0, err.message);
		CHECK_STR(writes(1), rows[i].writes);
		CHECK_STR(writes(0), rows[i].writes); /* the pod has one container: the same */
		CHECK_ROW(*rows[i].note ? said(rows[i].note) : warn.nr, *rows[i].note ? 1 : 2, rows[i].manifest);
		CHECK_STR(sc.groups[1].writes[0].at.file, path);
	}
	remove_dir();
}

/* The table of shares and weights, then and now, that container runtimes go by. */
TEST(limits_from, weights)
{
	static const struct { u64 shares, old, new; } rows[] = {
		{ 0, 1, 1 }, { 2, 1, 1 }, { 102, 4, 17 }, { 256, 10, 35 }, { 512, 20, 59 }, { 1024, 39, 100 }, { 2048, 79, 174 },
		{ 4096, 157, 303 }, { 10240, 391, 639 }, { 262143, 9999, 10000 }, { 262144, 10000, 10000 }, { 999999, 10000, 10000 },
	};
	u64 shares, last = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(manager_weight(rows[i].shares, false), rows[i].old);
		CHECK_EQ(manager_weight(rows[i].shares, true), rows[i].new);
	}
	for (shares = 2; shares < 262144; shares += 7) { /* never falls */
		CHECK(manager_weight(shares, true) >= last);
		last = manager_weight(shares, true);
	}
}

/* A pod's quota is the sum of its containers' where all have one; init containers count as the API counts them. */
TEST(limits_from, pods)
{
	static const char two[] = "kind: List\nitems:\n- metadata: {name: web}\n  spec:\n    template:\n      metadata: {labels: {a: b}}\n"
				  "      spec:\n        containers:\n        - name: app\n          resources: {limits: {cpu: 500m}}\n"
				  "        - name: side\n          resources: {limits: {cpu: 250m}, requests: {cpu: 0}}\n"
				  "        initContainers:\n        - name: big\n          resources: {limits: {cpu: 600m}}\n"
				  "        - name: proxy\n          restartPolicy: Always\n          resources: {limits: {cpu: 100m}}\n"
				  "- metadata: {name: db}\n  spec:\n    containers:\n    - name: pg\n    - name: app\n      resources: {limits: {cpu: 1}}\n";

	make_dir();
	file("two.yaml", two);
	groups("\"/k/web\": { }, \"/k/web/app\": { }, \"/k/web/side\": { }, \"/k/db\": { }");
	CHECK_EQ(scenario_set_limits_from(&sc, path, &(struct manager){ 0 }, &warn, &err), 0);
	CHECK_EQ(sc.nr_groups, 5); /* with /k */
	CHECK_STR(writes(0), "");
	CHECK_STR(writes(1), "cpu.max=85000 100000; cpu.weight=24"); /* app + side + proxy; big alone needs less */
	CHECK_STR(writes(2), "cpu.max=50000 100000; cpu.weight=20");
	CHECK_STR(writes(3), "cpu.max=25000 100000; cpu.weight=1");
	CHECK_STR(writes(4), "cpu.max=max 100000; cpu.weight=39"); /* pg has no limit: no quota for the pod */
	CHECK(said("no group of the scenario is called web/big, web/proxy, db/pg, db/app"));
	/* the only container of a pod that has its group is no loss */
	file("one.yaml", "kind: Pod\nmetadata: {name: solo}\nspec:\n  containers:\n  - name: main\n    resources: {limits: {cpu: 500m}}\n");
	groups("\"/solo\": { }");
	CHECK_EQ(scenario_set_limits_from(&sc, path, &(struct manager){ 0 }, &warn, &err), 0);
	CHECK_STR(writes(0), "cpu.max=50000 100000; cpu.weight=20");
	CHECK(!said("no group of the scenario is called"));
	file("two.yaml", two);
	groups("\"/a\": { \"cpu.max\": \"1000 50000\" }, \"/b\": { }");
	CHECK_EQ(scenario_set_limits_from(&sc, path, &(struct manager){ 0 }, &warn, &err), -1);
	CHECK(strstr(err.message, "no group of the scenario is called web, db"));
	CHECK(strstr(err.hint, "--limits-from /a=PATH"));
	CHECK_STR(writes(0), "cpu.max=1000 50000");
	remove_dir();
}

/* systemd: 0.5 % of 100 ms is less than 1 ms, so the period grows; periods stay within 1 ms and 1 s; the last assignment counts. */
TEST(limits_from, units)
{
	static const struct { const char *unit, *writes, *note; } rows[] = {
		{ "[Service]\nCPUQuota=20%\n", "cpu.max=20000 100000", "" },
		{ "CPUQuota=150%\nCPUWeight=50\n", "cpu.max=150000 100000; cpu.weight=50", "" },
		{ "CPUQuota = 20% \n CPUQuotaPeriodSec= 10ms\n", "cpu.max=2000 10000", "" },
		{ "CPUQuota=20%\nCPUQuotaPeriodSec=10s\n", "cpu.max=200000 1000000", "within 1 ms and 1 s" },
		{ "CPUQuota=20%\nCPUQuotaPeriodSec=1s 500ms\n", "cpu.max=200000 1000000", "within 1 ms and 1 s" },
		{ "CPUQuota=50%\nCPUQuotaPeriodSec=1ms", "cpu.max=1000 2000", "become 1000 in each 2000" },
		{ "CPUQuota=0.5%\n", "cpu.max=1000 200000", "500 us in each 100000 us become 1000 in each 200000" },
		{ "CPUQuota=5%\nCPUQuota=\nCPUWeight=1\n", "cpu.weight=1", "" },
		{ "CPUQuota=5%\r\n# c\n; c\nExecStart=/bin/x \\\n  CPUQuota=9%\nCPUQuota=7%\n", "cpu.max=7000 100000", "" },
		{ "CPUShares=1024\n", "cpu.weight=100", "" },
		{ "CPUWeight=idle\n", "cpu.weight=1", "the smallest weight" },
		{ "CPUWeight=9\nCPUQuotaPeriodSec=5ms\n", "cpu.weight=9", "does nothing without CPUQuota=" },
	};
	size_t i;

	make_dir();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		file("web.service", rows[i].unit);
		groups("\"/system.slice/web\": { }, \"/b\": { }");
		CHECK_ROW(scenario_set_limits_from(&sc, path, &(struct manager){ 0 }, &warn, &err), 0, err.message);
		CHECK_STR(writes(1), rows[i].writes);
		if (*rows[i].note)
			CHECK_ROW(said(rows[i].note), true, rows[i].unit);
	}
	remove_dir();
}

/* Drop-ins count behind their unit in the order of their names, whichever of them is named; an error names the file it stands in. */
TEST(limits_from, drop_ins)
{
	static const struct { const char *name, *writes, *from; int line; } rows[] = {
		{ "web.service", "cpu.max=5000 10000; cpu.weight=7", "web.service.d/50-b.conf", 2 },
		{ "web.service.d", "cpu.max=5000 10000; cpu.weight=7", "web.service.d/50-b.conf", 2 },
		{ "web.service.d/", "cpu.max=5000 10000; cpu.weight=7", "web.service.d/50-b.conf", 2 },
		{ "web.service.d/10-a.conf", "cpu.max=30000 100000", "web.service.d/10-a.conf", 2 },
		{ "db.service", "cpu.max=40000 100000", "db.service.d/x.conf", 1 },
	};
	char command[200], from[160];
	size_t i;

	make_dir();
	snprintf(command, sizeof(command), "mkdir -p %s/web.service.d %s/db.service.d", dir, dir);
	CHECK_EQ(system(command), 0);
	file("web.service.d/50-b.conf", "[Service]\nCPUQuota=50%\nCPUQuotaPeriodSec=10ms\n");
	file("web.service.d/10-a.conf", "[Service]\nCPUQuota=30%\n");
	file("web.service.d/60-c.conf.bak", "CPUQuota=99%\n");
	file("web.service.d/.70.conf", "CPUQuota=98%\n");
	file("db.service.d/x.conf", "CPUQuota=40%\n");
	file("web.service", "[Service]\nCPUQuota=20%\nCPUWeight=7\n");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		groups("\"/web\": { }, \"/db\": { }, \"/b\": { }");
		snprintf(path, sizeof(path), "%s/%s", dir, rows[i].name);
		CHECK_ROW(scenario_set_limits_from(&sc, path, &(struct manager){ 0 }, &warn, &err), 0, err.message);
		CHECK_STR(writes(*rows[i].name == 'd'), rows[i].writes);
		snprintf(from, sizeof(from), "%s/%s", dir, rows[i].from);
		CHECK_STR(warn.list[warn.nr - 1].file, from);
		CHECK_ROW(warn.list[warn.nr - 1].line, rows[i].line, rows[i].name);
		CHECK_ROW(said("is not there; only what its drop-ins say"), i == 4, rows[i].name);
	}
	file("web.service.d/99.conf", "[Service]\n\nCPUQuota=half\n");
	groups("\"/web\": { }");
	snprintf(from, sizeof(from), "%s/web.service", dir);
	CHECK_EQ(scenario_set_limits_from(&sc, from, &(struct manager){ 0 }, &warn, &err), -1);
	CHECK_STR(err.file, path);
	CHECK_EQ(err.line, 3);
	CHECK_STR(writes(0), "");
	/* the cgroup of a unit is a directory of that name */
	snprintf(command, sizeof(command), "mkdir %s/cg.service", dir);
	CHECK_EQ(system(command), 0);
	file("cg.service/cpu.max", "7000 100000\n");
	groups("\"/cg\": { }, \"/b\": { }");
	snprintf(path, sizeof(path), "%s/cg.service", dir);
	CHECK_ROW(scenario_set_limits_from(&sc, path, &(struct manager){ 0 }, &warn, &err), 0, err.message);
	CHECK_STR(writes(0), "cpu.max=7000 100000");
	remove_dir();
}

/* A directory and those below it, in the files of v2 and v1; a scenario that speaks v1 gets v1's. */
TEST(limits_from, directories)
{
	char spec[160], command[160];

	make_dir();
	file("cpu.max", "25000 100000\n");
	file("cpu.max.burst", "5000\n");
	file("cpu.weight", "200\n");
	snprintf(command, sizeof(command), "mkdir -p %s/side/deep %s/old", dir, dir);
	CHECK_EQ(system(command), 0);
	file("side/deep/cpu.max", "max 100000\n");
	file("old/cpu.cfs_quota_us", "-1\n");
	file("old/cpu.cfs_period_us", "50000\n");
	file("old/cpu.shares", "512\n");
	snprintf(spec, sizeof(spec), "/web=%s/", dir);
	groups("\"/web\": { }, \"/web/side\": { }, \"/web/side/deep\": { \"cpu.max\": \"1000\" }, \"/web/old\": { }");
	CHECK_ROW(scenario_set_limits_from(&sc, spec, &(struct manager){ 0 }, &warn, &err), 0, err.message);
	CHECK_STR(writes(0), "cpu.max=25000 100000; cpu.max.burst=5000; cpu.weight=200");
	CHECK_STR(writes(1), "");
	CHECK_STR(writes(2), "cpu.max=max 100000");
	CHECK_STR(writes(3), "cpu.max=max 50000; cpu.weight=50");
	groups("\"/web\": { \"cpu.cfs_quota_us\": 7000, \"cpu.shares\": 5 }, \"/web/old\": { \"cpu.shares\": 7 }");
	CHECK_ROW(scenario_set_limits_from(&sc, spec, &(struct manager){ 0 }, &warn, &err), 0, err.message);
	CHECK_STR(writes(0), "cpu.cfs_period_us=100000; cpu.cfs_quota_us=25000; cpu.cfs_burst_us=5000; cpu.shares=2048");
	CHECK_STR(writes(1), "cpu.cfs_period_us=50000; cpu.cfs_quota_us=-1; cpu.shares=512");
	remove_dir();
}

/* One row for each rule of each notation: where, what, and what to do. */
TEST(limits_from, refused)
{
	static const struct { const char *name, *text; int line, column; const char *message, *hint; } rows[] = {
		{ "a.yaml", "a: 1\n", 1, 1, "found nothing with \"containers\"", "systemd unit ends in .service" },
		{ "a.yaml", "resources: {limits: {cpu: 1}}\n", 1, 1, "found nothing with \"containers\"", "helm template" },
		{ "a.yaml", "spec:\n  containers: 5\n", 2, 15, "expected a list of containers", "" },
		{ "a.yaml", "spec:\n  containers: []\n", 2, 15, "expected at least one container", "" },
		{ "a.yaml", "containers: [5]\n", 1, 14, "expected a container", "" },
		{ "a.yaml", "containers: [{nam: 5}]\n", 1, 14, "expected a container with a \"name\"", "" },
		{ "a.yaml", "containers: [{name: a/b}]\n", 1, 21, "without slashes", "" },
		{ "a.yaml", "containers: [{name: a, resources: 5}]\n", 1, 35, "an object with limits and requests", "" },
		{ "a.yaml", POD("limits: 5"), 5, 25, "expected an object such as { cpu: 500m }", "" },
		{ "a.yaml", POD("limits: {cpu: half}"), 5, 31, "expected CPUs as in 500m, 0.5 or 2, found \"half\"", "" },
		{ "a.yaml", POD("limits: {cpu: 50%}"), 5, 31, "expected CPUs", "no percents" },
		{ "a.yaml", POD("limits: {cpu: 5Gi}"), 5, 31, "expected CPUs", "memory" },
		{ "a.yaml", POD("limits: {cpu: -1}"), 5, 31, "expected CPUs", "" },
		{ "a.yaml", POD("limits: {cpu: 1e99}"), 5, 31, "expected CPUs", "" },
		{ "a.yaml", POD("limits: {cpu: {}}"), 5, 31, "expected CPUs", "" },
		{ "a.yaml", POD("limits: {cpu: 1}, requests: {cpu: 2}"), 5, 51, "a request no larger than the limit", "" },
		{ "a.json", "{ \"containers\": [ { \"name\": 5 } ] }", 1, 29, "a container with a \"name\"", "" },
		{ "a.json", "{ \"containers\": ", 1, 17, "expected a value", "" },
		{ "a.service", "[Service]\nUser=x\n", 1, 1, "expected CPUQuota= or CPUWeight=", "drop-in" },
		{ "a.service", "[Service\nCPUQuota=5%\n", 1, 1, "a section such as [Service]", "" },
		{ "a.service", "CPUQuota 5%\n", 1, 1, "a setting such as CPUQuota=20%", "read as a systemd unit" },
		{ "a.service", "CPUQuota=50\n", 1, 10, "a percentage above 0", "write 50%" },
		{ "a.service", "CPUQuota=0%\n", 1, 10, "a percentage above 0", "" },
		{ "a.service", "\n CPUQuota= -5%\n", 2, 12, "a percentage above 0", "" },
		{ "a.service", "CPUQuota=5%\nCPUQuotaPeriodSec=x\n", 2, 19, "a time such as 10ms", "" },
		{ "a.service", "CPUQuota=5%\nCPUQuotaPeriodSec=5parsec\n", 2, 19, "a time such as 10ms", "" },
		{ "a.service", "CPUWeight=0\n", 1, 11, "a weight from 1 to 10000", "" },
		{ "a.service", "CPUWeight=many\n", 1, 11, "a weight from 1 to 10000", "" },
		{ "a.service", "CPUShares=1\n", 1, 11, "shares from 2 to 262144", "" },
		{ "a.slice", "CPUQouta=5%\n", 1, 1, "systemd has no such setting", "did you mean CPUQuota=?" },
	};
	size_t i;

	make_dir();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		file(rows[i].name, rows[i].text);
		groups("\"/a\": { }");
		CHECK_ROW(scenario_set_limits_from(&sc, path, &(struct manager){ 0 }, &warn, &err), -1, rows[i].text);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		CHECK_STR(err.file, path);
		if (!strstr(err.message, rows[i].message) || !strstr(err.hint, rows[i].hint))
			fail_msg("%s: \"%s\", hint \"%s\"", rows[i].text, err.message, err.hint);
		CHECK_ROW(err.line, rows[i].line, rows[i].text);
		CHECK_ROW(err.column, rows[i].column, rows[i].text);
		CHECK_STR(writes(0), "");
	}
	remove_dir();
}

/* A wrong value in a cgroup's file names that file; a wrong option names the option. */
TEST(limits_from, refused_places)
{
	static const struct { const char *file, *text, *message; } rows[] = {
		{ "cpu.max", "a b\n", "expected \"QUOTA PERIOD\"" },
		{ "cpu.max", "", "expected \"QUOTA PERIOD\"" },
		{ "cpu.weight", "x\n", "expected a whole number" },
		{ "cpu.cfs_quota_us", "-2\n", "expected microseconds or -1" },
		{ "cpu.shares", "-2\n", "expected a whole number" },
	};
	char spec[160];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		make_dir();
		file(rows[i].file, rows[i].text);
		groups("\"/a\": { }");
		CHECK_EQ(scenario_set_limits_from(&sc, dir, &(struct manager){ 0 }, &warn, &err), -1);
		CHECK_STR(err.file, path);
		CHECK_ROW(strstr(err.message, rows[i].message) != NULL, true, err.message);
		remove_dir();
	}
	make_dir();
	CHECK_EQ(scenario_set_limits_from(&sc, dir, &(struct manager){ 0 }, &warn, (err = (struct err){ 0 }, &err)), -1);
	CHECK(strstr(err.message, "expected a cgroup directory") && strstr(err.hint, "cpu controller"));
	file("cpu.max", "max 100000");
	snprintf(spec, sizeof(spec), "/b=%s", dir);
	CHECK_EQ(scenario_set_limits_from(&sc, spec, &(struct manager){ 0 }, &warn, (err = (struct err){ 0 }, &err)), -1);
	CHECK(strstr(err.message, "there is no group \"/b\""));
	CHECK_EQ(scenario_set_limits_from(&sc, "/nonexistent.yaml", &(struct manager){ 0 }, &warn, (err = (struct err){ 0 }, &err)), -1);
	CHECK(strstr(err.message, "cannot be read: No such file"));
	CHECK_EQ(scenario_set_limits_from(&sc, "-", &(struct manager){ 0 }, &warn, (err = (struct err){ 0 }, &err)), -1);
	CHECK(strstr(err.message, "expected a file or a directory"));
	remove_dir();
	scenario_free(&sc);
	warnings_free(&warn);
}

TEST_MAIN("limits_from")
