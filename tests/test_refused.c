/* SPDX-License-Identifier: MIT */
/* test_refused.c - scenario and rt-app files: what is said where something is left out, or cannot mean anything. */
#include "tests/read_bed.h"

#include <stdlib.h>

/* ---- silence and warnings ---- */

/* Keys by which people switch things off are silent everywhere. */
TEST(refused, silent_keys)
{
	must_read("{'_x': 1, '-y': 2, '#z': 3, 'comment': 4, 'machine': {'_cpus': 9}, 'kernel': {'#row': 1}, 'groups': {'-/x': 1, '/a': {'_cpu.max': 1}},"
		  "'global': {'_duration': 'x'}, 'tasks': {'comment1': 'x', 't': {'-run': 'x', '_sleep': [], '#loop': 1, 'comment_a': 2, 'run': 1}}, 'at': [{'_t': 1, 't': 1, 'move': {'task': 't', 'to': '/a'}}]}");
	CHECK_EQ(warn.nr, 0);
	CHECK_EQ(sc.nr_tasks, 1);
	CHECK_EQ(task(0)->program.nr_steps, 1);
}

/* A whole task is switched off the same way, but not in a plain rt-app file: there it is a task, as for rt-app. */
TEST(refused, silent_tasks)
{
	must_read("{'machine': {}, 'tasks': {'-u': {'cpus': [5], 'run': 1}, 't': {'run': 1}}}");
	CHECK_EQ(sc.nr_tasks, 1);
	CHECK_EQ(sc.machine.cpus, 1);
	must_read("{'tasks': {'-u': {'cpus': [5], 'run': 1}, 't': {'run': 1}, '_note': 'x'}}");
	CHECK_EQ(sc.nr_tasks, 2);
	CHECK_STR(task(0)->name, "-u");
	CHECK_EQ(sc.machine.cpus, 6);
}

/* Each thing that is left out or may not mean what was meant is told with its place. */
TEST(refused, warnings)
{
	static const struct { const char *text; int line, column; const char *key, *message, *hint; } rows[] = {
		{ TASK("'run': 1,\n'slep': 5"), 2, 1, "slep", "left out", "did you mean \"sleep\"" },
		{ TASK("'run': 1,\n'prioritty': 5"), 2, 1, "prioritty", "left out", "did you mean \"priority\"" },
		{ TASK("'run': 1,\n'zzzzzz': 5"), 2, 1, "zzzzzz", "left out", "begin it with _" },
		{ TASK("'phases': {'p': {'run': 1,\n 'delay': 5}}"), 2, 2, "delay", "belongs to the task", "" },
		{ TASK("'run': 5,\n'phases': {'p': {'run': 1}}"), 1, 42, "run", "beside \"phases\"", "" },
		{ TASK("'run': 1, 'loop': 5,\n'loop': 6"), 2, 1, "loop", "second time and counts; the first is in line 1", "" },
		{ TASK("'run': 1,\n'util_min': 5"), 2, 1, "util_min", "no effect", "" },
		{ TASK("'run': 1,\n'mem': 5"), 2, 1, "mem", "takes no time", "" },
		{ TASK("'run': 1,\n'dl-period': 5"), 2, 1, "dl-period", "no budget and no deadline", "" },
		{ "{'machine': {}, 'global': {\n'durration': 5}, " T "}", 2, 1, "durration", "left out", "did you mean \"duration\"" },
		{ "{'machine': {}, 'global': {'duration': 5,\n'duration': 6}, " T "}", 2, 1, "duration", "second time", "" },
		{ "{'machine': {}, " T "}\n\n}", 3, 1, "", "behind the closing brace", "" },
		{ "{'machine': {}, 'groups': {'/web': {}, '/tg1': {}}, 'tasks': {'a': {'taskgroup': '/tg2', 'run': 1}, 't': {'run': 1,\n'taskgroup': '/wbe'}}}",
		  2, 1, "taskgroup", "has no \"/wbe\": it is made, without a limit", "did you mean \"/web\"" }, /* /tg2 is one of a row */
		{ "{'machine': {}, 'tasks': {'t': {'timer': {'period': 1,\n'mod': 5}}}}", 2, 1, "mod", "left out", "did you mean \"mode\"" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		must_read(rows[i].text);
		CHECK_ROW(warn.nr, 1, rows[i].text);
		CHECK_ROW(warn.list[0].line, rows[i].line, rows[i].text);
		CHECK_ROW(warn.list[0].column, rows[i].column, rows[i].text);
		CHECK_STR(warn.list[0].key, rows[i].key);
		if (!strstr(warn.list[0].message, rows[i].message) || !strstr(warn.list[0].hint, rows[i].hint))
			fail_msg("%s: \"%s\", \"%s\"", rows[i].text, warn.list[0].message, warn.list[0].hint);
	}
}

/* At top level a plain rt-app file is warned, a scenario refused. */
TEST(refused, unknown_at_top_level)
{
	must_read("{'grops': {}, " T "}");
	CHECK_EQ(warn.nr, 2); /* and no machine */
	CHECK_STR(warn.list[0].key, "grops");
	CHECK(strstr(warn.list[0].hint, "groups"));
	CHECK_EQ(read_text("{'machine': {}, 'grops': {}, " T "}"), -1);
}

/* No more than a hundred warnings are kept, the others are counted. */
TEST(refused, many_warnings)
{
	char *text = malloc(20000);
	int i;

	strcpy(text, "{'machine': {}, 'tasks': {'t': {'run': 1");
	for (i = 0; i < 150; i++)
		sprintf(text + strlen(text), ", 'q%d': 1", i);
	strcat(text, "}}}");
	must_read(text);
	CHECK_EQ(warn.nr, WARNINGS_MOST);
	CHECK_EQ(warn.left_out, 50);
	free(text);
}

/* SCHED_DEADLINE has only its place: a task that asks for it is told, once a file, at the word that asks. */
TEST(refused, deadline_is_said)
{
	static const struct { const char *text; int column; } rows[] = {
		{ "{'machine': {}, 'tasks': {'t': {'policy': 'SCHED_DEADLINE', 'run': 1}, 'u': {'policy': 'SCHED_DEADLINE', 'run': 1}}}", 33 },
		{ "{'machine': {}, 'tasks': {'t': {'policy': 'SCHED_FIFO', 'run': 1}, 'u': {'policy': 'SCHED_RR', 'run': 1}}}", 0 },
		{ "{'machine': {}, 'tasks': {'t': {'phases': {'p': {'policy': 'SCHED_DEADLINE', 'run': 1}}}}}", 50 },
		{ "{'machine': {}, 'global': {'default_policy': 'SCHED_DEADLINE'}, 'tasks': {'t': {'run': 1}}}", 75 },
		{ "{'machine': {}, 'tasks': {'t': {'policy': 'SCHED_IDLE', 'priority': 5, 'run': 1}}}", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		must_read(rows[i].text);
		CHECK_ROW(warn.nr, rows[i].column > 0, rows[i].text);
		if (!rows[i].column)
			continue;
		CHECK_ROW(strstr(warn.list[0].message, "no budget and no deadline") != NULL, true, warn.list[0].message);
		CHECK_ROW(warn.list[0].column, rows[i].column, rows[i].text);
	}
}

/* ---- what is refused ---- */

struct bad {
	const char *text;
	int line, column;
	const char *key, *message, *hint;
};

static void check_bad(const struct bad *rows, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		CHECK_ROW(read_text(rows[i].text), -1, rows[i].text);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		CHECK_STR(err.file, "dir/test.json");
		if (!strstr(err.message, rows[i].message) || !strstr(err.hint, rows[i].hint) || strcmp(err.key, rows[i].key))
			fail_msg("%s: \"%s\": \"%s\", hint \"%s\"", rows[i].text, err.key, err.message, err.hint);
		CHECK_ROW(err.hint[0] != '\0', true, rows[i].text); /* each says what to do */
		CHECK_ROW(err.line, rows[i].line, rows[i].text);
		CHECK_ROW(err.column, rows[i].column, rows[i].text);
	}
}

TEST(refused, at_top_level)
{
	static const struct bad rows[] = {
		{ "[]", 1, 1, "", "expected an object with \"tasks\"", "" },
		{ "{}", 1, 1, "", "expected an object with \"tasks\"", "smallest" },
		{ "{'machine': {}, \n'grops': {}, " T "}", 2, 1, "grops", "unknown key", "did you mean \"groups\"" },
		{ "{'machine': {}, 'machine': {}, " T "}", 1, 17, "machine", "second time; the first is in line 1, column 2", "" },
		{ "{'tasks': []}", 1, 11, "tasks", "expected an object of tasks", "" },
		{ "{'tasks': {}}", 1, 11, "tasks", "at least one task", "" },
		{ "{'tasks': {'t': 5}}", 1, 17, "t", "expected a task", "" },
		{ "{'tasks': {'t': {'loop': -1}}}", 1, 12, "t", "no time passes", "put a run, a sleep or a timer" },
		{ "{'tasks': {'t': {'loop': 2, 'phases': {'p': {'loop': -1, 'run': 0}}}}}", 1, 12, "t", "no time passes", "" },
		{ "{'seed': -1, " T "}", 1, 10, "seed", "expected a whole number", "" },
		{ "{'seed': 1.5, " T "}", 1, 10, "seed", "expected a whole number", "" },
		{ "{'name': 5, " T "}", 1, 10, "name", "expected a name", "" },
		{ "{'history': 'x', " T "}", 1, 13, "history", "expected true or false", "" },
		{ "{'present': 5, " T "}", 1, 13, "present", "expected the name of a presentation", "" },
		{ "{'start_phase': -5, " T "}", 1, 17, "start_phase", "expected microseconds", "" },
		{ "{'measure': 5, " T "}", 1, 13, "measure", "expected an object", "" },
		{ "{'measure': {'from': 5, 'to': 5}, " T "}", 1, 13, "measure", "expected \"from\" before \"to\"", "" },
		{ "{'measure': {'frm': 5}, " T "}", 1, 14, "frm", "unknown key", "did you mean \"from\"" },
		{ "{'global': [], " T "}", 1, 12, "global", "expected an object", "" },
		{ "{'global': {'duration': 0}, " T "}", 1, 25, "duration", "expected seconds above 0", "" },
		{ "{'global': {'duration': -2}, " T "}", 1, 25, "duration", "expected seconds above 0", "" },
		{ "{'global': {'duration': '5'}, " T "}", 1, 25, "duration", "expected seconds above 0", "" },
		{ "{'global': {'default_policy': 'SCHED_X'}, " T "}", 1, 31, "default_policy", "expected a policy", "" },
		{ "{ 'tasks' }", 1, 11, "", "expected ':'", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

TEST(refused, machines)
{
	static const struct bad rows[] = {
		{ "{'machine': 5, " T "}", 1, 13, "machine", "expected an object", "" },
		{ "{'machine': {'cpu': 5}, " T "}", 1, 14, "cpu", "unknown key", "did you mean \"cpus\"" },
		{ "{'machine': {'zzzzz': 5}, " T "}", 1, 14, "zzzzz", "unknown key", "begins with _" },
		{ "{'machine': {'cpus': 1, 'cpus': 2}, " T "}", 1, 25, "cpus", "second time", "" },
		{ "{'machine': {'cpus': 0}, " T "}", 1, 22, "cpus", "1 to 1024, found 0", "" },
		{ "{'machine': {'cpus': 1025}, " T "}", 1, 22, "cpus", "1 to 1024", "" },
		{ "{'machine': {'cpus': '2'}, " T "}", 1, 22, "cpus", "1 to 1024", "without quotes" },
		{ "{'machine': {'cpus': 2.5}, " T "}", 1, 22, "cpus", "1 to 1024", "" },
		{ "{'machine': {'hz': 0}, " T "}", 1, 20, "hz", "ticks a second", "" },
		{ "{'machine': {'cgroup': 3}, " T "}", 1, 24, "cgroup", "expected 1 or 2", "" },
		{ "{'machine': {'cgroup': 'v3'}, " T "}", 1, 24, "cgroup", "\"v1\", \"v2\"", "did you mean" },
		{ "{'machine': {'ticks': 'skew'}, " T "}", 1, 23, "ticks", "\"aligned\", \"skewed\"", "did you mean \"skewed\"" },
		{ "{'machine': {'nohz': 5}, " T "}", 1, 22, "nohz", "true or false", "" },
		{ "{'machine': {'hrtick': null}, " T "}", 1, 24, "hrtick", "true or false", "" },
		{ "{'machine': {'preempt': 'dynamic'}, " T "}", 1, 25, "preempt", "\"lazy\"", "" },
		{ "{'machine': {'topology': 5}, " T "}", 1, 26, "topology", "expected a topology such as", "c5.9xlarge" },
		{ "{'machine': {'clock_skew_us': 'x'}, " T "}", 1, 31, "clock_skew_us", "microseconds", "" },
		{ "{'machine': {'cpus': 1, 'clock_skew_us': [1, 2]}, " T "}", 1, 42, "clock_skew_us", "at most one skew", "" },
		{ "{'machine': {'cpus': 1, 'clock_skew_us': ['x']}, " T "}", 1, 43, "clock_skew_us", "microseconds", "" },
		{ "{'machine': {'timer_slack_us': -1}, " T "}", 1, 32, "timer_slack_us", "microseconds", "" },
		{ "{'machine': {'costs': 'all'}, " T "}", 1, 23, "costs", "expected \"none\"", "" },
		{ "{'machine': {'costs': {'swich': 1}}, " T "}", 1, 24, "swich", "unknown key", "did you mean \"switch\"" },
		{ "{'machine': {'costs': {'switch': 1e30}}, " T "}", 1, 34, "switch", "microseconds", "too large" },
		{ "{'machine': {'costs': {'switch': NaN}}, " T "}", 1, 34, "switch", "microseconds", "" },
		{ "{'kernel': 5, " T "}", 1, 12, "kernel", "expected the name of a kernel", "" },
		{ "{'kernel': '5.44', " T "}", 1, 12, "kernel", "there is no kernel row \"5.44\"", "did you mean \"5.4\"" },
		{ "{'kernel': {'rw': '5.4'}, " T "}", 1, 13, "rw", "unknown key", "did you mean \"row\"" },
		{ "{'kernel': {'row': 5.4}, " T "}", 1, 20, "row", "expected the name of a kernel", "" },
		{ "{'kernel': {'rules': 'x'}, " T "}", 1, 22, "rules", "expected a list of rules", "" },
		{ "{'kernel': {'rules': [5]}, " T "}", 1, 23, "rules", "expected a rule", "" },
		{ "{'kernel': {'rules': ['bw_expiri=none']}, " T "}", 1, 23, "rules", "there is no rule", "did you mean \"bw_expiry\"" },
		{ "{'kernel': {'rules': ['bw_expiry=never']}, " T "}", 1, 23, "rules", "no such value", "bw_expiry may be none|" },
		{ "{'kernel': {'rules': ['bw_restart=advance']}, " T "}", 1, 23, "rules", "needs bw_expiry=seq", "before it" },
		{ "{'kernel': {'tunables': []}, " T "}", 1, 25, "tunables", "expected an object of tunables", "" },
		{ "{'kernel': {'tunables': {'sched_latency': 5}}, " T "}", 1, 43, "sched_latency", "no tunable", "sched_latency_ns" },
		{ "{'kernel': {'tunables': {'sched_latency_ns': 5}}, " T "}", 1, 46, "sched_latency_ns", "out of range", "" },
		{ "{'kernel': {'tunables': {'sched_latency_ns': 'x'}}, " T "}", 1, 46, "sched_latency_ns", "whole number", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

TEST(refused, groups)
{
	static const struct bad rows[] = {
		{ "{'groups': [], " T "}", 1, 12, "groups", "expected an object of groups", "" },
		{ "{'groups': {'/a': 5}, " T "}", 1, 19, "/a", "expected an object of files", "" },
		{ "{'groups': {'/': {}}, " T "}", 1, 13, "/", "root group has no limits", "" },
		{ "{'groups': {'web': {}}, " T "}", 1, 20, "web", "expected the path of a group", "write \"/web\"" },
		{ "{'groups': {'/a//b': {}}, " T "}", 1, 22, "/a//b", "expected the path", "" },
		{ "{'groups': {'/a/': {}}, " T "}", 1, 20, "/a/", "expected the path", "" },
		{ "{'groups': {'/a/../b': {}}, " T "}", 1, 24, "/a/../b", "expected the path", "" },
		{ "{'groups': {'/a': {'cpu.mx': 5}}, " T "}", 1, 20, "cpu.mx", "unknown key", "did you mean \"cpu.max\"" },
		{ "{'groups': {'/a': {'/b': {}}}, " T "}", 1, 20, "/b", "unknown key", "do not nest" },
		{ "{'groups': {'/a': {'cpu.max': true}}, " T "}", 1, 31, "cpu.max", "as text or a number", "" },
		{ "{'groups': {'/a': {'cpu.max': {}}}, " T "}", 1, 31, "cpu.max", "a \"value\" to write", "" },
		{ "{'groups': {'/a': {'cpu.max': {'value': 1, 'expct': 'E'}}}, " T "}", 1, 44, "expct", "unknown key", "did you mean \"expect\"" },
		{ "{'groups': {'/a': {'cpu.max': {'value': 1, 'expect': 'x'}}}, " T "}", 1, 54, "expect", "name of an error", "" },
		{ "{'groups': {'/a': {'period_phase': 'x'}}, " T "}", 1, 36, "period_phase", "microseconds or \"random\"", "" },
		{ "{'groups': {'/a': {'limit': 5}}, " T "}", 1, 29, "limit", "expected a limit", "" },
		{ "{'groups': {'/a': {'limit': '5x'}}, " T "}", 1, 29, "limit", "expected an amount", "AMOUNT" },
		{ "{'groups': {'/a': {'limit': '/b=5m'}}, " T "}", 1, 29, "limit", "names no group", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

TEST(refused, at)
{
#define AT(x) "{'machine': {'cpus': 2}, 'groups': {'/web': {}}, " T ", 'at': [\n" x "]}"
	static const struct bad rows[] = {
		{ "{'at': {}, " T "}", 1, 8, "at", "expected a list", "" },
		{ AT("5"), 2, 1, "at", "expected a time \"t\"", "" },
		{ AT("{}"), 2, 1, "at", "expected a time \"t\"", "" },
		{ AT("{'t': 1}"), 2, 1, "at", "expected a time \"t\"", "" },
		{ AT("{'t': 1, 'cpu': 1}"), 2, 1, "at", "expected a time \"t\"", "" },
		{ AT("{'t': 1, 'cpu': 1, 'online': true, 'move': {}}"), 2, 1, "at", "expected a time \"t\"", "" },
		{ AT("{'t': 1, 'cpu': 1, 'online': true, 'expect': 'EINVAL'}"), 2, 1, "at", "expected a time \"t\"", "" },
		{ AT("{'t': 1, 't': 2}"), 2, 10, "t", "stands here twice", "" },
		{ AT("{'t': 1, 'wirte': {}}"), 2, 10, "wirte", "expected t, and one of", "did you mean \"write\"" },
		{ AT("{'t': 'x', 'write': {}}"), 2, 7, "t", "microseconds", "" },
		{ AT("{'t': 1, 'write': 5}"), 2, 19, "write", "expected an object", "" },
		{ AT("{'t': 1, 'write': {'/wbe/cpu.max': 'max'}}"), 2, 20, "/wbe/cpu.max", "there is no group \"/wbe\"", "did you mean \"/web\"" },
		{ AT("{'t': 1, 'write': {'/web/cpu.mx': 'max'}}"), 2, 20, "/web/cpu.mx", "expected the file of a group", "" },
		{ AT("{'t': 1, 'write': {'cpu.max': 'max'}}"), 2, 20, "cpu.max", "expected the file of a group", "" },
		{ AT("{'t': 1, 'move': 5}"), 2, 18, "move", "expected an object", "" },
		{ AT("{'t': 1, 'move': {'task': 'x', 'to': '/b'}}"), 2, 27, "task", "there is no task \"x\"", "" },
		{ AT("{'t': 1, 'move': {'task': 't', 'to': 'b'}}"), 2, 38, "to", "expected the path", "write \"/b\"" },
		{ AT("{'t': 1, 'move': {'task': 't'}}"), 2, 18, "move", "expected an object", "" },
		{ AT("{'t': 1, 'affinity': {'task': 't', 'cpus': [2]}}"), 2, 45, "cpus", "CPU 2 is outside the machine, which has CPUs 0-1", "machine.cpus" },
		{ AT("{'t': 1, 'affinity': {'task': 't'}}"), 2, 22, "affinity", "expected an object", "" },
		{ AT("{'t': 1, 'cpu': [0, 1], 'online': true}"), 2, 17, "cpu", "expected one CPU", "" },
		{ AT("{'t': 1, 'cpu': 1, 'online': 'x'}"), 2, 30, "online", "true or false", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

/* A task whose text stands alone in line 2, so that columns can be counted. */
#define LINE(x) TASK("\n" x)

TEST(refused, tasks)
{
	static const struct bad rows[] = {
		{ LINE("'loop': 'x'"), 2, 9, "loop", "number of loops, or -1", "" },
		{ LINE("'loop': -2"), 2, 9, "loop", "number of loops, or -1", "" },
		{ LINE("'loop': 2.5"), 2, 9, "loop", "number of loops, or -1", "" },
		{ LINE("'policy': 'SCHED_OTER'"), 2, 11, "policy", "\"SCHED_OTHER\"", "did you mean \"SCHED_OTHER\"" },
		{ LINE("'priority': 20"), 2, 13, "priority", "nice value from -20 to 19", "" },
		{ LINE("'priority': -21"), 2, 13, "priority", "nice value (-20 to 19)", "" },
		{ LINE("'policy': 'SCHED_FIFO', 'priority': 0"), 2, 37, "priority", "1 to 99", "" },
		{ LINE("'cpus': []"), 2, 9, "cpus", "at least one CPU", "" },
		{ LINE("'cpus': [4]"), 2, 10, "cpus", "CPU 4 is outside the machine, which has CPUs 0-3", "machine.cpus" },
		{ LINE("'cpus': 'a'"), 2, 9, "cpus", "expected CPU numbers", "" },
		{ LINE("'cpus': '3-1'"), 2, 9, "cpus", "expected CPU numbers", "" },
		{ LINE("'cpus': '1,'"), 2, 9, "cpus", "expected CPU numbers", "" },
		{ LINE("'cpus': [-1]"), 2, 10, "cpus", "expected CPU numbers", "" },
		{ LINE("'cpus': [[1]]"), 2, 10, "cpus", "expected CPU numbers", "" },
		{ LINE("'cpus': {}"), 2, 9, "cpus", "expected CPU numbers", "" },
		{ LINE("'cpus': 1024"), 2, 9, "cpus", "expected CPU numbers", "" },
		{ LINE("'cpus_each': '3-4'"), 2, 14, "cpus_each", "CPU 4 is outside", "" },
		{ LINE("'cpus': 1, 'cpus_each': '0-1'"), 2, 25, "cpus_each", "not both", "" },
		{ LINE("'taskgroup': 5"), 2, 14, "taskgroup", "path of a group", "" },
		{ LINE("'taskgroup': 'web'"), 2, 14, "taskgroup", "path of a group", "write \"/web\"" },
		{ LINE("'instance': -1"), 2, 13, "instance", "how many threads", "" },
		{ LINE("'delay': 'x'"), 2, 10, "delay", "microseconds", "" },
		{ LINE("'kthread': 'x'"), 2, 12, "kthread", "true or false", "" },
		{ LINE("'until': ''"), 2, 10, "until", "name of a flag", "" },
		{ LINE("'iterations_per_ms': 'x'"), 2, 22, "iterations_per_ms", "iterations", "" },
		{ LINE("'slice': 'x'"), 2, 10, "slice", "microseconds", "" },
		{ LINE("'dl-runtime': 'x'"), 2, 15, "dl-runtime", "microseconds", "" },
		{ LINE("'phases': 5"), 2, 11, "phases", "object of phases", "" },
		{ LINE("'phases': {}"), 2, 11, "phases", "at least one phase", "" },
		{ LINE("'phases': {'p': 5}"), 2, 17, "p", "expected a phase", "" },
		{ LINE("'phases': {'p': {'phases': {}}}"), 2, 28, "phases", "at least one phase", "" },
		{ LINE("'phases':{'1':{'phases':{'2':{'phases':{'3':{'phases':{'4':{'phases':{'5':{'phases':{'6':{'phases':{'7':{'phases':{'8':{'phases':{'9':{'phases':{'0':{}}}}}}}}}}}}}}}}}}}}"),
		  2, 145, "phases", "no more than 8 deep", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

TEST(refused, events)
{
	static const struct bad rows[] = {
		{ LINE("'run': 'x'"), 2, 8, "run", "microseconds", "" },
		{ LINE("'run': '5'"), 2, 8, "run", "microseconds", "without quotes" },
		{ LINE("'run': -5"), 2, 8, "run", "microseconds (0 or more", "" },
		{ LINE("'run': 1e30"), 2, 8, "run", "microseconds", "too large" },
		{ LINE("'runner': 'x'"), 2, 11, "runner", "microseconds", "begins with \"run\" is a run event" },
		{ LINE("'run': {}"), 2, 8, "run", "one distribution", "" },
		{ LINE("'run': {'exponental': 5}"), 2, 9, "exponental", "expected exponential", "did you mean \"exponential\"" },
		{ LINE("'run': {'exponential': 'x'}"), 2, 24, "exponential", "microseconds", "" },
		{ LINE("'run': {'uniform': 5}"), 2, 20, "uniform", "[lowest, highest]", "" },
		{ LINE("'run': {'uniform': [5]}"), 2, 20, "uniform", "[lowest, highest]", "" },
		{ LINE("'run': {'uniform': [6, 5]}"), 2, 21, "uniform", "the lowest first", "" },
		{ LINE("'run': {'normal': [6, 5, 4]}"), 2, 19, "normal", "[mean, standard deviation]", "" },
		{ LINE("'run': {'lognormal': 6}"), 2, 22, "lognormal", "[median in us, sigma]", "" },
		{ LINE("'run': {'lognormal': [6]}"), 2, 22, "lognormal", "[median in us, sigma]", "" },
		{ LINE("'run': {'lognormal': [6, 31]}"), 2, 26, "lognormal", "[median in us, sigma]", "" },
		{ LINE("'run': {'values': []}"), 2, 19, "values", "at least one length", "" },
		{ LINE("'run': {'values': 5}"), 2, 19, "values", "list of lengths", "" },
		{ LINE("'run': {'values': [5, 'x']}"), 2, 23, "values", "microseconds", "" },
		{ LINE("'sys': {'us': 5, 'resched': 'x'}"), 2, 29, "resched", "true or false", "" },
		{ LINE("'sys': {'us': 5, 'x': 1}"), 2, 8, "sys", "no other key", "" },
		{ LINE("'timer': 5"), 2, 10, "timer", "expected a timer", "" },
		{ LINE("'timer': {'ref': 'x'}"), 2, 10, "timer", "a \"period\"", "" },
		{ LINE("'timer': {'ref': 'x', 'period': 0}"), 2, 33, "period", "period above 0", "" },
		{ LINE("'timer': {'ref': 5, 'period': 1}"), 2, 18, "ref", "name of the timer", "" },
		{ LINE("'timer': {'ref': 'x', 'period': 1, 'mode': 'abs'}"), 2, 44, "mode", "\"relative\", \"absolute\"", "did you mean \"absolute\"" },
		{ LINE("'arrive': 5"), 2, 11, "arrive", "name of a stream", "" },
		{ LINE("'arrive': 'web'"), 2, 11, "arrive", "nothing says how the arrivals \"web\" behave", "poisson" },
		{ LINE("'arrive': {'evry': 5}"), 2, 12, "evry", "expected ref, every", "" },
		{ LINE("'arrive': {'every': 0}"), 2, 21, "every", "a gap above 0", "" },
		{ LINE("'arrive': {'every': 5, 'poisson': 5}"), 2, 35, "poisson", "described before", "" },
		{ LINE("'arrive': {'times': [5, 4]}"), 2, 21, "times", "do not run backwards", "" },
		{ LINE("'lock': 5"), 2, 9, "lock", "name of a mutex", "" },
		{ LINE("'lock': ''"), 2, 9, "lock", "name of a mutex", "" },
		{ LINE("'lock_things': ['x']"), 2, 16, "lock_things", "name of a mutex", "begins with \"lock\" is a lock event" },
		{ LINE("'wait': 'x'"), 2, 9, "wait", "condition and its mutex", "" },
		{ LINE("'wait': {'ref': 'x'}"), 2, 9, "wait", "condition and its mutex", "" },
		{ LINE("'wait': {'ref': 5, 'mutex': 'm'}"), 2, 17, "ref", "condition and its mutex", "" },
		{ LINE("'sync': {'ref': 'x', 'mutex': 5}"), 2, 31, "mutex", "condition and its mutex", "" },
		{ LINE("'signal': 5"), 2, 11, "signal", "name of a condition", "" },
		{ LINE("'broad': {}"), 2, 10, "broad", "name of a condition", "" },
		{ LINE("'suspend': 5"), 2, 12, "suspend", "name of a condition", "" },
		{ LINE("'resume': 5"), 2, 11, "resume", "name of a condition", "" },
		{ LINE("'spin': 5"), 2, 9, "spin", "name of a condition", "" },
		{ LINE("'barrier': 5"), 2, 12, "barrier", "name of a barrier", "" },
		{ LINE("'sem_post': 5"), 2, 13, "sem_post", "name of a semaphore", "" },
		{ LINE("'sem_wait': null"), 2, 13, "sem_wait", "name of a semaphore", "" },
		{ LINE("'put': 5"), 2, 8, "put", "name of a queue", "" },
		{ LINE("'put': {'ref': 'q', 'work': 'x'}"), 2, 29, "work", "microseconds", "" },
		{ LINE("'get': {'ref': 'q', 'work': 5}"), 2, 29, "work", "with the \"put\"", "" },
		{ LINE("'set': 5"), 2, 8, "set", "name of a flag", "" },
		{ LINE("'fork': 'x'"), 2, 9, "fork", "there is no task \"x\"", "" },
		{ LINE("'fork': 5"), 2, 9, "fork", "name of a task", "" },
		{ LINE("'join': 't'"), 2, 9, "join", "none can wait for its own end", "" },
		{ LINE("'mem': 'x'"), 2, 8, "mem", "number of bytes", "" },
		{ LINE("'io': 5"), 2, 7, "io", "name of a device", "" },
		{ LINE("'io': 'disk'"), 2, 7, "io", "nothing says how device \"disk\" behaves", "\"service\"" },
		{ LINE("'io': {'ref': 'd', 'depth': 5}"), 2, 7, "io", "a \"service\" time beside", "" },
		{ LINE("'io': {'ref': 'd', 'service': 5, 'depth': -1}"), 2, 43, "depth", "served at once", "" },
		{ LINE("'io': {'ref': 'd', 'service': 5}, 'io2': {'ref': 'd', 'service': 6}"), 2, 66, "service", "described before", "" },
		{ LINE("'io': {'ref': 'd', 'service': 5, 'resume': 'x', 'post': 's'}"), 2, 57, "post", "not two", "" },
		{ LINE("'io': {'ref': 'd', 'service': 5, 'put': {'ref': 'q', 'cpu': 1}}"), 2, 61, "cpu", "an interrupt puts where it comes", "" },
		{ LINE("'io': {'ref': 'd', 'servise': 5}"), 2, 20, "servise", "unknown key", "service" },
		{ LINE("'io': {'ref': 'd', 'irq': 5}"), 2, 7, "io", "a \"service\" time beside", "" },
		{ LINE("'put': {'ref': 'q', 'cpu': 'all'}"), 2, 28, "cpu", "\"each\" or \"here\"", "" },
		{ LINE("'put': {'ref': 'q', 'cpu': 7}"), 2, 28, "cpu", "outside the machine", "" },
		{ LINE("'put': {'ref': 'q', 'cpu': 1}"), 1, 36, "put", "which is one for all CPUs", "per_cpu" },
		{ LINE("'put': {'ref': 'q', 'post': 's', 'resume': 'c'}"), 2, 44, "resume", "not two", "" },
		{ LINE("'get': {'ref': 'q', 'spin': 'x'}"), 2, 29, "spin", "true or false", "" },
		{ LINE("'sem_wait': {'ref': 's', 'batch': true}"), 2, 35, "batch", "no such key here", "" },
		{ LINE("'begin': 5"), 2, 10, "begin", "a name for what is measured", "" },
		{ LINE("'io': {'ref': 'd', 'service': 5, 'resume': 5}"), 2, 44, "resume", "name of a condition", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

TEST(refused, resources)
{
#define RES(x) "{'machine': {}, " T ", 'resources': {\n" x "}}"
	static const struct bad rows[] = {
		{ "{" T ", 'resources': 'x'}", 1, 43, "resources", "object of resources", "" },
		{ RES("'d': 5"), 2, 6, "d", "expected an object", "" },
		{ RES("'d': {}"), 2, 6, "d", "a \"type\"", "" },
		{ RES("'d': {'type': 5}"), 2, 15, "type", "a \"type\"", "" },
		{ RES("'d': {'type': 'devise'}"), 2, 15, "type", "device, arrivals", "did you mean \"device\"" },
		{ RES("'d': {'type': 'device'}"), 2, 6, "d", "nothing says how device \"d\"", "service" },
		{ RES("'d': {'type': 'queue', 'capacity': -1}"), 2, 36, "capacity", "how many items", "" },
		{ RES("'d': {'type': 'semaphore', 'count': 'x'}"), 2, 37, "count", "how many may pass", "" },
		{ RES("'d': {'type': 'queue', 'per_cpu': true, 'capacity': 5}"), 2, 53, "capacity", "no \"capacity\" of a queue per CPU", "" },
		{ RES("'d': {'type': 'device', 'service': 5, 'stray': 1.5}"), 2, 48, "stray", "0 to 1", "" },
		{ RES("'d': {'type': 'device', 'service': 5, 'irq_cpus': 'all'}"), 2, 51, "irq_cpus", "CPU numbers", "" },
		{ RES("'d': {'type': 'arrivals', 'evry': 1}"), 2, 27, "evry", "expected ref, every", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

TEST(refused, legacy)
{
	static const struct bad rows[] = {
		{ LINE("'exec': 'x'"), 2, 9, "exec", "microseconds", "" },
		{ LINE("'exec': 5, 'period': 'x'"), 2, 22, "period", "microseconds", "" },
		{ LINE("'exec': 5, 'sleep': 'x'"), 2, 21, "sleep", "true or false", "" },
		{ LINE("'lock_order': 5"), 2, 15, "lock_order", "list of resources", "" },
		{ LINE("'lock_order': [[]]"), 2, 16, "lock_order", "name of a resource", "" },
		{ LINE("'exec': 5, 'resources': 5"), 2, 25, "resources", "object of resources", "" },
		{ LINE("'lock_order': ['r'], 'resources': {'r': {'duration': 'x'}}"), 2, 54, "duration", "microseconds", "" },
		{ LINE("'lock_order': ['r'], 'resources': {'r': {'access': 5}}"), 2, 52, "access", "list of resources", "" },
		{ "{'resources': {'r': {'type': 'timer'}}, 'tasks': {'t': {'lock_order': ['r']}}}", 1, 72, "lock_order", "type mutex, run", "" },
		{ "{'resources': {'r': {'type': 'wait'}}, 'tasks': {'t': {'lock_order': ['r']}}}", 1, 71, "lock_order", "an \"access\" list", "" },
	};

	check_bad(rows, ARRAY_SIZE(rows));
}

/* Where a word may stand: "%s" is it, with its value. */
static const struct {
	const char *whole, *words;
} places[] = {
	{ "{ 'kernel': '5.10', 'tasks': { 't': { 'run': 1 } }, %s }",
	  "machine groups global resources at name seed history present start_phase measure" },
	{ "{ 'tasks': { 't': { 'run': 1 } }, %s }", "kernel" },
	{ "{ 'machine': { 'cpus': 2 }, %s }", "tasks" },
	{ "{ 'machine': { %s }, 'tasks': { 't': { 'run': 1 } } }",
	  "cpus hz cgroup ticks nohz preempt topology clock_skew_us timer_slack_us hrtick costs" },
	{ "{ 'machine': { 'topology': { %s } }, 'tasks': { 't': { 'run': 1 } } }",
	  "shape file cores clusters llcs packages nodes distances reach isolated" },
	{ "{ 'machine': { 'costs': { %s } }, 'tasks': { 't': { 'run': 1 } } }",
	  "switch wakeup timer_irq tick ipi idle_exit migrate unthrottle newidle" },
	{ "{ 'kernel': { %s }, 'tasks': { 't': { 'run': 1 } } }", "row rules tunables" },
	{ "{ 'groups': { '/a': { %s } }, 'tasks': { 't': { 'run': 1 } } }",
	  "cpu.max cpu.max.burst cpu.weight cpu.weight.nice cpu.idle cpu.shares cpu.cfs_quota_us cpu.cfs_period_us cpu.cfs_burst_us "
	  "cpuset.cpus period_phase limit" },
	{ "{ 'groups': { '/a': { 'cpu.max': { 'value': '1', %s } } }, 'tasks': { 't': { 'run': 1 } } }", "expect" },
	{ "{ 'global': { %s }, 'machine': { }, 'tasks': { 't': { 'run': 1 } } }", "duration default_policy" },
	{ "{ 'measure': { %s }, 'machine': { }, 'tasks': { 't': { 'run': 1 } } }", "from to" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': 1 } }, 'at': [ { %s, 'cpu': 0, 'online': true } ] }", "t" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': 1 } }, 'at': [ { 't': 1, %s } ] }", "write move affinity" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': 1 } }, 'at': [ { 't': 1, %s, 'online': true } ] }", "cpu" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': 1 } }, 'at': [ { 't': 1, 'cpu': 0, %s } ] }", "online" },
	{ "{ 'machine': { 'cpus': 2 }, 'tasks': { 't': { %s } } }",
	  "instance loop delay cpus cpus_each taskgroup priority policy slice dl-runtime kthread until iterations_per_ms phases exec" },
	{ "{ 'machine': { 'cpus': 2 }, 'tasks': { 't': { 'phases': { 'p': { %s } } } } }", "loop cpus taskgroup priority policy slice phases" },
	{ "{ 'machine': { 'cpus': 2 }, 'tasks': { 't': { %s } } }",
	  "lock unlock wait signal broad sync sleep runtime run timer suspend resume memrun mem iorun barrier fork sem_post sem_wait sys "
	  "arrive spin put get io join set begin end run0 sleepA lock_it sys1 put23" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'timer': { 'period': 5, %s } } } }", "ref mode" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'timer': { %s } } } }", "period" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': { %s } } } }", "exponential uniform normal lognormal values" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'arrive': { %s } } } }", "every poisson times" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'sys': { 'us': 5, %s } } } }", "resched" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'put': { 'ref': 'q', %s } } } }", "work cpu resume post put" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'get': { 'ref': 'q', %s } } } }", "spin batch" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'sem_wait': { 'ref': 'q', %s } } } }", "spin" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'io': { 'ref': 'd', 'service': 5, 'put': { 'ref': 'q', %s } } } } }", "work resume post put" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'io': { 'ref': 'q', %s } } } }", "service" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'io': { 'ref': 'q', 'service': 5, %s } } } }", "depth irq irq_cpus stray coalesce resume post put" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'wait': { 'ref': 'q', %s } } } }", "mutex" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': 1 } }, 'resources': { 'r': { 'type': 'queue', %s } } }", "capacity per_cpu measured" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': 1 } }, 'resources': { 'r': { 'type': 'semaphore', %s } } }", "count" },
	{ "{ 'machine': { }, 'tasks': { 't': { 'run': 1 } }, 'resources': { 'r': { %s } } }", "type" },
};

/* Is refused at its value, or at an element of it, under its own key, with what was expected, what was found, and a hint. */
static void refuses_wrong_type(const char *whole, const char *word, size_t len)
{
	char member[64], text[512];
	long column;

	snprintf(member, sizeof(member), "'%.*s': [ [ null ] ]", (int)len, word);
	snprintf(text, sizeof(text), whole, member);
	column = strstr(text, "[ [ null") - text + 1;
	CHECK_ROW(read_text(text), -1, text);
	CHECK_ROW(err.code, ERR_INPUT, text);
	CHECK_ROW(strncmp(err.key, word, len), 0, text);
	CHECK_ROW(err.line, 1, text);
	CHECK_WITHIN(err.column, column, column + 4);
	if (!strstr(err.message, "expected") || !strstr(err.message, "found") || !err.hint[0])
		fail_msg("%s: \"%s\", hint \"%s\"", text, err.message, err.hint);
}

/* No word of the language takes a value of another type in silence; yield, request, execve and exit take any, as rt-app's yield does. */
TEST(refused, every_word_refuses_a_wrong_type)
{
	size_t i, len;
	int nr = 0;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const char *word;

		for (word = places[i].words; *word; word += len + (word[len] == ' ')) {
			len = strcspn(word, " ");
			refuses_wrong_type(places[i].whole, word, len);
			nr++;
		}
	}
	CHECK_WITHIN(nr, 110, 200);
}

TEST_MAIN("refused")
