/* SPDX-License-Identifier: MIT */
/* test_scenario_json.c - scenarios as JSON: what can be written comes back the same, and what cannot is said. */
#include "tests/test.h"
#include "tests/written.h"

#include <stdlib.h>

#include "input/scenario_file.h"

/* What the language or the writer has no words for is refused by name, not left out. */
TEST(scenario_json, what_cannot_be_written_is_said)
{
	static const struct { const char *text, *says; } rows[] = {
		{ "{'tasks': {'a': {'suspend': 'x'}}}", "the event suspend" },
		{ "{'tasks': {'a': {'fork': 'a'}}}", "the event fork" },
		{ "{'tasks': {'a': {'put': 'q', 'run': 1}}}", "the event put" },
		{ "{'tasks': {'a': {'run': 1, 'until': 'f'}}}", "the flag that ends a" },
		{ "{'tasks': {'a': {'run': 1, 'cpus_each': '0-1'}}}", "one CPU a thread, of a" },
		{ "{'machine': {'cpus': 2, 'clock_skew_us': 5}, 'tasks': {'a': {'run': 1}}}", "clocks that are apart" },
		{ "{'tasks': {'a': {'run': 1}}, 'at': [{'t': 5, 'affinity': {'task': 'a', 'cpus': [0]}}]}", "at a later time" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct warnings w = { 0 };
		struct err err = { 0 };
		struct scenario sc;

		CHECK_ROW(scenario_read("t.json", rows[i].text, strlen(rows[i].text), &sc, &w, &err), 0, rows[i].text);
		assert_null(written(&sc, &err));
		if (!strstr(err.message, rows[i].says))
			fail_msg("%s: %s", rows[i].text, err.message);
		CHECK_ROW(err.code, ERR_INPUT, rows[i].text);
		warnings_free(&w);
		scenario_free(&sc);
	}
}

/* The rest of what is written: machine, kernel, groups, draws, phases in phases. */
TEST(scenario_json, a_scenario_of_many_words)
{
	static const char text[] =
		"{'name': 'many', 'machine': {'cpus': 4, 'hz': 1000, 'cgroup': 2, 'ticks': 'skewed', 'nohz': false, 'preempt': 'full', 'timer_slack_us': 1.5,"
		" 'costs': {'switch': 2.25, 'wakeup_released': 0.5}}, 'kernel': {'row': '5.4', 'rules': ['bw_expiry=none'],"
		" 'tunables': {'sched_cfs_bandwidth_slice_us': 3000}}, 'seed': 7, 'history': true, 'start_phase': 0.125,"
		" 'measure': {'from': 1000, 'to': 900000}, 'global': {'duration': 1.000000001},"
		" 'groups': {'/a': {'cpu.max': '20000 100000', 'cpu.weight': {'value': '0', 'expect': 'ERANGE'}, 'period_phase': 'random', 'cpuset.cpus': '0-2'}, '/a/b': {'cpuset.cpus': {'value': '9', 'expect': 'ERANGE'}}},"
		" 'resources': {'s': {'type': 'semaphore', 'count': 2}, 'in': {'type': 'arrivals', 'uniform': [500, 1500]}},"
		" 'tasks': {'x': {'instance': 2, 'taskgroup': '/a/b', 'priority': 5, 'delay': 7, 'cpus': [0, 2], 'arrive': 'in', 'run': {'exponential': 300},"
		" 'run2': {'lognormal': [100, 0.5]}, 'sem_post': 's', 'loop': -1}, 'y': {'policy': 'SCHED_BATCH', 'kthread': true, 'loop': 40, 'phases': {"
		" 'p': {'loop': 2, 'phases': {'q': {'lock': 'm', 'sys': {'us': 40, 'resched': true}, 'unlock': 'm', 'cpus': [1]}, 'r': {'loop': 3, 'sem_wait': 's',"
		" 'runtime': 100, 'yield': 1, 'priority': -3}}}, 'z': {'timer': {'period': 900, 'mode': 'absolute'}, 'request': 1, 'run': {'normal': [50, 5]},"
		" 'taskgroup': '/a'}}}, 'v': {'arrive': {'poisson': 2000}, 'run': {'values': [1, 0.001]}, 'timer': {'ref': 'all', 'period': 30}, 'loop': -1}}}";
	struct warnings w = { 0 };
	struct err err = { 0 };
	struct scenario sc;

	if (scenario_read("t.json", text, strlen(text), &sc, &w, &err))
		fail_msg("%d:%d %s", err.line, err.column, err.message);
	check_written(&sc, "many words");
	warnings_free(&w);
	scenario_free(&sc);
}

TEST_MAIN("scenario_json")
