/* SPDX-License-Identifier: MIT */
/* test_schema.c - docs/scenario.schema.json, docs/scenario.md, the shipped scenarios and the reader agree with each other. */
#include "tests/test.h"

#include <glob.h>
#include <stdlib.h>

#include "input/scenario_file.h"
#include "tests/schema.h"

static bool reads(const char *text, u32 *nr_warnings)
{
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct scenario sc;
	bool ok = !scenario_read("t.json", text, strlen(text), &sc, &w, &err);

	*nr_warnings = w.nr;
	warnings_free(&w);
	scenario_free(&sc);
	return ok;
}

/* Each word of the checker can say no. */
TEST(schema, checker_can_fail)
{
	static const struct { const char *schema, *good, *bad; } rows[] = {
		{ "{'type': 'object'}", "{}", "[]" },
		{ "{'type': ['string', 'null']}", "null", "5" },
		{ "{'type': 'integer'}", "5", "5.5" },
		{ "{'enum': [1, 'a', true]}", "true", "'b'" },
		{ "{'const': -1}", "-1", "1" },
		{ "{'minimum': 3}", "3", "2.9" },
		{ "{'exclusiveMinimum': 3}", "3.1", "3" },
		{ "{'maximum': 3}", "3", "3.1" },
		{ "{'minLength': 2}", "'ab'", "'a'" },
		{ "{'pattern': '^a[0-9]+$'}", "'a12'", "'a12b'" },
		{ "{'minItems': 1}", "[1]", "[]" },
		{ "{'maxItems': 1}", "[1]", "[1, 2]" },
		{ "{'minProperties': 1}", "{'a': 1}", "{}" },
		{ "{'maxProperties': 1}", "{'a': 1}", "{'a': 1, 'b': 2}" },
		{ "{'required': ['a']}", "{'a': 1}", "{'b': 1}" },
		{ "{'items': {'type': 'number'}}", "[1, 2]", "[1, 'a']" },
		{ "{'prefixItems': [{'type': 'string'}], 'items': false}", "['a']", "['a', 1]" },
		{ "{'prefixItems': [{'type': 'string'}]}", "['a', 1]", "[1]" },
		{ "{'anyOf': [{'type': 'string'}, {'const': 1}]}", "1", "2" },
		{ "{'oneOf': [{'type': 'number'}, {'const': 1}]}", "2", "1" },
		{ "{'properties': {'a': {'type': 'string'}}}", "{'a': 'x', 'b': 1}", "{'a': 1}" },
		{ "{'patternProperties': {'^a': {'type': 'string'}}}", "{'ab': 'x', 'b': 1}", "{'ab': 1}" },
		{ "{'properties': {'a': true}, 'patternProperties': {'^b': true}, 'additionalProperties': false}", "{'a': 1, 'bc': 1}", "{'c': 1}" },
		{ "{'additionalProperties': {'type': 'string'}}", "{'a': 'x'}", "{'a': 1}" },
		{ "{'$ref': '#/$defs/x', '$defs': {'x': {'type': 'string'}}}", "'a'", "1" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct schema s;

		schema_open(&s, NULL, rows[i].schema);
		CHECK_ROW(schema_holds(&s, schema_parse(&s, rows[i].good)), true, rows[i].schema);
		CHECK_ROW(schema_holds(&s, schema_parse(&s, rows[i].bad)), false, rows[i].schema);
		CHECK_ROW(s.why[0] != '\0', true, rows[i].schema);
		schema_close(&s);
	}
}

TEST(schema, shipped_scenarios)
{
	struct schema s;
	glob_t files;
	size_t i;

	schema_open(&s, "docs/scenario.schema.json", NULL);
	CHECK_EQ(glob("scenarios/*.json", 0, NULL, &files), 0);
	CHECK(files.gl_pathc >= 15);
	for (i = 0; i < files.gl_pathc; i++) {
		char *text = whole_file(files.gl_pathv[i]);

		if (!schema_holds(&s, schema_parse(&s, text)))
			fail_msg("%s: %s", files.gl_pathv[i], s.why);
		free(text);
	}
	globfree(&files);
	schema_close(&s);
}

#define ALL(x) "{ 'machine': {'cpus': 4}, 'groups': {'/a': {'cpu.max': '1000 10000'}}, 'resources': {'d': {'type': 'device', 'service': 5}}, " \
	"'tasks': { 't': { 'run': 1 }, 'u': { " x " } } }"
#define TOP(x) "{ 'machine': {'cpus': 4}, 'groups': {'/a': {}}, 'tasks': { 't': { 'run': 1 } }, " x " }"

/* What the reader takes without a warning the schema takes, and what the reader refuses for its form the schema refuses. */
TEST(schema, agrees_with_the_reader)
{
	static const struct { const char *text; bool good; } rows[] = {
		{ ALL("'run': 0.3, 'loop': -1, 'cpus': '0-2,3', 'taskgroup': '/a', 'priority': -20"), true },
		{ ALL("'run': {'exponential': 5}, 'sleep': {'uniform': [1, 2]}, 'run1': {'lognormal': [5, 0.5]}, 'runA': {'values': [1]}"), true },
		{ ALL("'timer': {'ref': 'unique', 'period': 5, 'mode': 'absolute'}, 'sys': {'us': 5, 'resched': true}, 'sys1': 5"), true },
		{ ALL("'arrive': {'poisson': 5, 'ref': 'x'}, 'io': 'd', 'io1': {'ref': 'd', 'post': 's'}, 'put': {'ref': 'q', 'work': 5}, 'get': 'q'"), true },
		{ ALL("'put': {'ref': 'q', 'work': 5, 'post': 's'}, 'put1': {'ref': 'q', 'put': 'r'}, 'get': {'ref': 'q', 'spin': true, 'batch': false},"
		      "'io': {'ref': 'd', 'put': {'ref': 'q', 'work': 2, 'post': 's'}}, 'io1': {'ref': 'd', 'put': 'q'}, 'sem_wait': {'ref': 's', 'spin': true}"), true },
		{ ALL("'begin': 'x', 'run': 1, 'end': 'x', 'execve': '', 'cpus_each': 'all'"), true },
		{ TOP("'resources': {'e': {'type': 'device', 'service': 5, 'irq': 2, 'irq_cpus': [0, 1], 'stray': 0.5}, 'q': {'type': 'queue', 'per_cpu': true, 'measured': true}}"), true },
		{ ALL("'lock': 'm', 'wait': {'ref': 'c', 'mutex': 'm'}, 'unlock': 'm', 'signal': 'c', 'suspend': 'c', 'resume': 'c', 'barrier': 'b'"), true },
		{ ALL("'fork': 't', 'join': 't', 'set': 'f', 'until': 'f', 'yield': '', 'request': 1, 'exit': 1, 'spin': 'c', 'sem_post': 's'"), true },
		{ ALL("'instance': 3, 'delay': 5, 'cpus_each': [1, 2], 'kthread': true, 'iterations_per_ms': 5, 'slice': 3000, '_x': 1, '#': 2, 'run': 1"), true },
		{ ALL("'phases': {'p': {'loop': 2, 'run': 1, 'cpus': [0]}, 'q': {'phases': {'r': {'run': 1}}}}, 'loop': 3"), true },
		{ TOP("'at': [{'t': 5, 'write': {'/a/cpu.max': 'max'}, 'expect': 'EINVAL'}, {'t': 5, 'move': {'task': 't', 'to': '/a'}}]"), true },
		{ TOP("'at': [{'t': 5, 'affinity': {'task': 't', 'cpus': [0]}}, {'t': 5, 'cpu': 1, 'online': false}]"), true },
		{ TOP("'measure': {'from': 1, 'to': 5}, 'seed': 7, 'history': true, 'start_phase': 0.5, 'name': 'x', 'global': {'duration': 5}"), true },
		{ TOP("'kernel': {'row': '5.4', 'rules': ['bw_expiry=none'], 'tunables': {'sched_cfs_bandwidth_slice_us': 5000}}"), true },
		{ "{'machine': {'cpus': 2, 'hz': 1000, 'cgroup': 'v1', 'ticks': 'skewed', 'nohz': false, 'preempt': 'full', 'costs': 'none',"
		  " 'clock_skew_us': [0, 1], 'timer_slack_us': 1, 'hrtick': true}, 'tasks': {'t': {'run': 1}}}", true },
		{ "{'machine': {'costs': {'switch': 1, 'wakeup': 0}}, 'groups': {'/a': {'cpu.shares': 5, 'cpu.weight': {'value': 1, 'expect': 'ERANGE'},"
		  " 'period_phase': 'random', 'limit': '250m'}}, 'tasks': {'t': {'run': 1}}}", true },
		{ ALL("'run': {'us': {'values': [1, 2]}, 'polls_clock': true}, 'run2': {'us': 5}, 'runtime': {'exponential': 5}"), true },
		{ ALL("'run': {'us': 5, 'resched': true}"), false }, { ALL("'run': {'polls_clock': true}"), false },
		{ ALL("'run': {'us': 5, 'polls_clock': 'x'}"), false }, { ALL("'runtime': {'us': 5}"), false },
		{ ALL("'put': {'ref': 'q', 'x': 1}"), false }, { ALL("'put': {'ref': 'q', 'cpu': 'all'}"), false }, { ALL("'get': {'ref': 'q', 'spin': 'x'}"), false },
		{ ALL("'sem_wait': {'ref': 's', 'batch': true}"), false }, { ALL("'io': {'ref': 'd', 'put': {'ref': 'q', 'cpu': 1}}"), false }, { ALL("'begin': 5"), false },
		{ ALL("'io': {'ref': 'd', 'put': 5}"), false }, { TOP("'resources': {'e': {'type': 'device', 'service': 5, 'stray': 2}}"), false },
		{ ALL("'run': '5'"), false }, { ALL("'run': -5"), false }, { ALL("'run': {'exponental': 5}"), false },
		{ ALL("'run': {'uniform': [5]}"), false }, { ALL("'run': {'lognormal': [5, 31]}"), false }, { ALL("'run': {'values': []}"), false },
		{ ALL("'run': {'exponential': 5, 'uniform': [1, 2]}"), false }, { ALL("'timer': {'ref': 'x'}"), false },
		{ ALL("'timer': {'period': 0}"), false }, { ALL("'timer': {'period': 5, 'mode': 'abs'}"), false }, { ALL("'timer': 5"), false },
		{ ALL("'sys': {'us': 5, 'x': 1}"), false }, { ALL("'sys': {'resched': true}"), false }, { ALL("'arrive': 5"), false },
		{ ALL("'arrive': {'evry': 5}"), false }, { ALL("'lock': 5"), false }, { ALL("'lock': ''"), false }, { ALL("'wait': 'x'"), false },
		{ ALL("'wait': {'ref': 'x'}"), false }, { ALL("'barrier': 5"), false }, { ALL("'put': 5"), false }, { ALL("'fork': 5"), false },
		{ ALL("'io': 5"), false }, { ALL("'io': {'ref': 'd', 'depth': -1, 'service': 5}"), false }, { ALL("'mem': 'x'"), false },
		{ ALL("'loop': -2, 'run': 1"), false }, { ALL("'loop': 1.5, 'run': 1"), false }, { ALL("'policy': 'SCHED_X', 'run': 1"), false },
		{ ALL("'priority': -21, 'run': 1"), false }, { ALL("'cpus': 'x', 'run': 1"), false }, { ALL("'cpus': [], 'run': 1"), false },
		{ ALL("'cpus': 1024, 'run': 1"), false }, { ALL("'taskgroup': 5, 'run': 1"), false }, { ALL("'taskgroup': 'a', 'run': 1"), false },
		{ ALL("'instance': -1, 'run': 1"), false }, { ALL("'kthread': 'x', 'run': 1"), false }, { ALL("'phases': {}"), false },
		{ ALL("'phases': {'p': 5}"), false }, { ALL("'until': '', 'run': 1"), false }, { ALL("'delay': -1, 'run': 1"), false },
		{ TOP("'grops': {}"), false }, { TOP("'seed': -1"), false }, { TOP("'seed': 1.5"), false }, { TOP("'name': 5"), false },
		{ TOP("'measure': {'frm': 5}"), false }, { TOP("'global': {'duration': 0}"), false }, { TOP("'global': {'duration': -2}"), false },
		{ TOP("'at': {}"), false }, { TOP("'at': [{'t': 5}]"), false }, { TOP("'at': [{'write': {'/a/cpu.max': 'max'}}]"), false },
		{ TOP("'at': [{'t': 5, 'write': {'/a/cpu.mx': 'max'}}]"), false }, { TOP("'at': [{'t': 5, 'cpu': 1}]"), false },
		{ TOP("'at': [{'t': 5, 'move': {'task': 't'}}]"), false }, { TOP("'at': [{'t': 5, 'cpu': 1, 'online': false, 'x': 1}]"), false },
		{ TOP("'kernel': 5"), false }, { TOP("'kernel': {'rw': '5.4'}"), false }, { TOP("'kernel': {'rules': 'x'}"), false },
		{ TOP("'resources': {'d': {'type': 'devise'}}"), false }, { TOP("'resources': {'d': {}}"), false },
		{ "{'machine': {'cpus': 0}, 'tasks': {'t': {'run': 1}}}", false }, { "{'machine': {'hz': 1}, 'tasks': {'t': {'run': 1}}}", false },
		{ "{'machine': {'cgroup': 3}, 'tasks': {'t': {'run': 1}}}", false }, { "{'machine': {'costs': 'all'}, 'tasks': {'t': {'run': 1}}}", false },
		{ "{'machine': {'costs': {'swich': 1}}, 'tasks': {'t': {'run': 1}}}", false }, { "{'groups': {'a': {}}, 'tasks': {'t': {'run': 1}}}", false },
		{ "{'groups': {'/a': {'cpu.mx': 1}}, 'tasks': {'t': {'run': 1}}}", false }, { "{'groups': {'/a': 5}, 'tasks': {'t': {'run': 1}}}", false },
		{ "{'groups': {'/a': {'cpu.max': {'expect': 'EINVAL'}}}, 'tasks': {'t': {'run': 1}}}", false },
		{ "{'machine': {}, 'tasks': {}}", false }, { "{'machine': {}, 'tasks': 5}", false }, { "{'machine': {}}", false }, { "[]", false },
	};
	struct schema s;
	u32 nr_warnings;
	size_t i;

	schema_open(&s, "docs/scenario.schema.json", NULL);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bool holds = schema_holds(&s, schema_parse(&s, rows[i].text));

		if (holds != rows[i].good)
			fail_msg("%s: the schema says %s", rows[i].text, holds ? "yes" : s.why);
		CHECK_ROW(reads(rows[i].text, &nr_warnings), rows[i].good, rows[i].text);
		if (rows[i].good)
			CHECK_ROW(nr_warnings, 0, rows[i].text);
	}
	schema_close(&s);
}

TEST_MAIN("schema")
