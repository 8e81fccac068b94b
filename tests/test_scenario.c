/* SPDX-License-Identifier: MIT */
/* test_scenario.c - scenario and rt-app files: what they mean.  What is refused: test_refused.c. */
#include "tests/read_bed.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/lab.h"

/* ---- the whole ---- */

/* The example of the contract, field by field. */
TEST(scenario, contract_example)
{
	must_read("{ 'machine': { 'cpus': 2, 'hz': 250 },\n"
		  "  'kernel': { 'row': '5.4', 'rules': ['bw_expiry=none'], 'tunables': { 'sched_cfs_bandwidth_slice_us': 5000 } },\n"
		  "  'groups': { '/web': { 'cpu.max': '25000 100000', 'cpu.max.burst': '0', 'cpu.weight': '100' },\n"
		  "              '/web/side': { 'cpu.max': 'max 100000' } },\n"
		  "  'global': { 'duration': 10 },\n"
		  "  'tasks': {\n"
		  "    'worker': { 'instance': 2, 'taskgroup': '/web', 'loop': -1,\n"
		  "                'timer': { 'ref': 'unique', 'period': 5000000, 'mode': 'absolute' }, 'run': 50000 },\n"
		  "    'hog': { 'taskgroup': '/web/side', 'cpus': [0], 'priority': 5, 'loop': -1, 'run': 100000 } } }");
	CHECK_EQ(warn.nr, 0);
	CHECK_STR(sc.name, "test");
	CHECK_EQ(sc.machine.cpus, 2);
	CHECK_STR(sc.kernel.row, "5.4");
	CHECK_STR(sc.kernel.rules[0], "bw_expiry=none");
	CHECK_EQ(sc.kernel.tunable_values[0], 5000);
	CHECK_EQ(sc.nr_groups, 2);
	CHECK_STR(sc.groups[0].path, "/web");
	CHECK(sc.groups[0].declared);
	CHECK_EQ(sc.groups[0].nr_writes, 3);
	CHECK_STR(sc.groups[0].writes[0].value, "25000 100000");
	CHECK_STR(sc.groups[0].writes[1].file, "cpu.max.burst");
	CHECK_EQ(sc.groups[1].writes[0].at.line, 4);
	CHECK_EQ(sc.groups[1].writes[0].at.column, 41);
	CHECK_EQ(sc.duration, 10 * SEC);
	CHECK_EQ(task(0)->instances, 2);
	CHECK_STR(task(0)->group, "/web");
	CHECK_EQ(task(0)->program.loop, 1);
	CHECK_EQ(task(0)->program.phases[0].loop, -1);
	CHECK_EQ(step_of(0, 0)->kind, STEP_TIMER);
	CHECK_EQ(step_of(0, 0)->len.a, 5 * SEC);
	CHECK_EQ(step_of(0, 0)->flags, STEP_ABSOLUTE | STEP_UNIQUE);
	CHECK_EQ(step_of(0, 1)->len.a, 50 * MS);
	CHECK_EQ(task(1)->cpus[0], 1);
	CHECK_EQ(task(1)->nice, 5);
}

/* What a file leaves out has the documented default. */
TEST(scenario, defaults)
{
	struct costs c = costs_default();

	must_read("{'machine': {}, " T "}");
	CHECK_EQ(sc.machine.cpus, 1);
	CHECK_EQ(sc.machine.hz, 250);
	CHECK_EQ(sc.machine.cgroup, 0);
	CHECK_EQ(sc.machine.preempt, -1); /* the row's */
	CHECK(sc.machine.nohz);
	CHECK_STR(sc.kernel.row, "5.10");
	CHECK_EQ(sc.seed, 1);
	CHECK_EQ(sc.duration, 10 * SEC);
	CHECK_EQ(sc.measure_from, 0);
	CHECK_EQ(sc.measure_to, NEVER);
	CHECK(!memcmp(&sc.machine.costs, &c, sizeof(c)));
	CHECK_EQ(c.switch_, 2000);
	CHECK_EQ(c.wakeup, 3000);
	CHECK_EQ(c.timer_irq, 1000);
	CHECK_EQ(c.tick, 1000);
	CHECK_EQ(c.ipi, 1000);
	CHECK_EQ(c.idle_exit, 1000);
	CHECK_EQ(c.migrate, 5000);
	CHECK_EQ(c.unthrottle, 500);
	CHECK_EQ(c.newidle, 500);
	CHECK_EQ(c.timer_slack, 50000);
	CHECK_EQ(task(0)->instances, 1);
	CHECK_EQ(task(0)->program.loop, -1);
	CHECK_EQ(task(0)->program.until, REF_NONE);
}

/* Everything a machine can say. */
TEST(scenario, machine)
{
	must_read("{'machine': {'clock_skew_us': [0, -1.5], 'cpus': 2, 'hz': 1000, 'cgroup': 1, 'ticks': 'skewed', 'nohz': false,"
		  "'preempt': 'full', 'topology': '2 cores', 'costs': {'switch': 1.25, 'ipi': 0}, 'timer_slack_us': 1, 'hrtick': true},"
		  "'seed': 18446744073709551615, 'history': true, 'present': 'runfibtest', 'start_phase': 2.5, 'name': 'n',"
		  "'measure': {'from': 1000, 'to': 2000}, 'kernel': '5.4', " T "}");
	CHECK_EQ(sc.machine.hz, 1000);
	CHECK_EQ(sc.machine.cgroup, 1);
	CHECK_EQ(sc.machine.ticks, TICKS_SKEWED);
	CHECK(!sc.machine.nohz);
	CHECK_EQ(sc.machine.preempt, PREEMPT_FULL);
	CHECK_STR(sc.machine.topology_text, "2 cores");
	CHECK_EQ(sc.machine.topology->nr_cpus, 2);
	CHECK_EQ(sc.machine.clock_skew[1], -1500);
	CHECK_EQ(sc.machine.costs.switch_, 1250);
	CHECK_EQ(sc.machine.costs.ipi, 0);
	CHECK_EQ(sc.machine.costs.wakeup, 3000);
	CHECK_EQ(sc.machine.costs.timer_slack, 1000);
	CHECK(sc.machine.hrtick);
	CHECK(sc.seed == UINT64_MAX);
	CHECK(sc.history);
	CHECK_STR(sc.present, "runfibtest");
	CHECK_EQ(sc.start_phase, 2500);
	CHECK_STR(sc.name, "n");
	CHECK_EQ(sc.measure_from, 1 * MS);
	CHECK_EQ(sc.measure_to, 2 * MS);
	CHECK_STR(sc.kernel.row, "5.4");
}

/* "costs": "none" makes the timer slack 0 too, unless that is given by itself, wherever it stands. */
TEST(scenario, no_costs)
{
	struct costs none = costs_none();

	must_read("{'machine': {'costs': 'none'}, " T "}");
	CHECK(!memcmp(&sc.machine.costs, &none, sizeof(none)));
	must_read("{'machine': {'timer_slack_us': 5, 'costs': 'none'}, " T "}");
	CHECK_EQ(sc.machine.costs.timer_slack, 5000);
	CHECK_EQ(sc.machine.costs.switch_, 0);
}

/* One number of clock skew lies evenly over the CPUs. */
TEST(scenario, even_clock_skew)
{
	must_read("{'machine': {'cpus': 5, 'clock_skew_us': 8}, " T "}");
	CHECK_EQ(sc.machine.clock_skew[0], 0);
	CHECK_EQ(sc.machine.clock_skew[1], 2000);
	CHECK_EQ(sc.machine.clock_skew[4], 8000);
	must_read("{'machine': {'cpus': 1, 'clock_skew_us': 8}, " T "}");
	CHECK_EQ(sc.machine.clock_skew[0], 0);
}

/* Who says nothing of CPUs gets as many as are named; a plain rt-app file gets 4 at least, and is told. */
TEST(scenario, how_many_cpus)
{
	static const struct { const char *text; int cpus; u32 warnings; } rows[] = {
		{ "{'machine': {}, " T "}", 1, 0 },
		{ "{'machine': {'hz': 100}, 'tasks': {'t': {'cpus': [2], 'run': 1}}}", 3, 0 },
		{ "{'kernel': '5.4', 'tasks': {'t': {'cpus_each': '1-35', 'run': 1}}}", 36, 1 },
		{ "{'kernel': '5.4', 'tasks': {'t': {'phases': {'p': {'cpus': '0,7', 'run': 1}}}}}", 8, 1 },
		{ "{'machine': {}, 'at': [{'t': 1, 'cpu': 5, 'online': false}], " T "}", 6, 0 },
		{ "{'machine': {}, 'at': [{'t': 1, 'affinity': {'task': 't', 'cpus': [9]}}], " T "}", 10, 0 },
		{ "{" T "}", 4, 1 },
		{ "{'tasks': {'t': {'cpus': [6], 'run': 1}}}", 7, 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		must_read(rows[i].text);
		CHECK_ROW(sc.machine.cpus, rows[i].cpus, rows[i].text);
		CHECK_ROW(warn.nr, rows[i].warnings, rows[i].text);
	}
	CHECK_EQ(read_as(&(struct read_options){ .cpus = 16 }, "{" T "}"), 0);
	CHECK_EQ(sc.machine.cpus, 16);
	CHECK_EQ(warn.nr, 0);
	CHECK_EQ(read_as(&(struct read_options){ .cpus = 2 }, "{'machine': {'cpus': 8}, " T "}"), 0);
	CHECK_EQ(sc.machine.cpus, 2);
}

/* Seconds may be decimal; -1 is until all tasks exit, and a task that never does is told. */
TEST(scenario, duration)
{
	must_read("{'machine': {}, 'global': {'duration': 2.5}, " T "}");
	CHECK_EQ(sc.duration, 2500 * MS);
	must_read("{'machine': {}, 'global': {'duration': -1}, 'tasks': {'t': {'loop': 3, 'run': 1}}}");
	CHECK(sc.duration == NEVER);
	CHECK_EQ(warn.nr, 0);
	must_read("{'machine': {}, 'global': {'duration': -1}, " T "}");
	CHECK_EQ(warn.nr, 1);
	must_read("{'machine': {}, 'global': {'duration': -1}, 'tasks': {'t': {'until': 'x', 'run': 1}}}");
	CHECK_EQ(warn.nr, 0);
}

/* ---- groups ---- */

/* Groups are made with their parents, each once; a group nobody declared is marked so. */
TEST(scenario, group_tree)
{
	static const struct { const char *path; bool declared; u32 writes; } rows[] = {
		{ "/a", false, 0 }, { "/a/b", true, 1 }, { "/c", true, 2 }, { "/c/d", false, 0 }, { "/c/d/e", false, 0 }, { "/m", false, 0 },
	};
	u32 i;

	must_read("{'groups': {'/a/b': {'cpu.shares': 512}, '/c': {'cpu.max': 5000, 'cpu.idle': '1'}},"
		  "'tasks': {'t': {'taskgroup': '/c/d/e', 'run': 1}, 'u': {'taskgroup': '', 'run': 1}, 'v': {'taskgroup': '/', 'run': 1}},"
		  "'at': [{'t': 5, 'move': {'task': 't', 'to': '/m'}}]}");
	CHECK_EQ(sc.nr_groups, ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_STR(sc.groups[i].path, rows[i].path);
		CHECK_EQ(sc.groups[i].declared, rows[i].declared);
		CHECK_EQ(sc.groups[i].nr_writes, rows[i].writes);
	}
	CHECK_STR(sc.groups[1].writes[0].value, "512");
	CHECK_STR(sc.groups[2].writes[0].value, "5000");
	CHECK_STR(task(0)->group, "/c/d/e");
	CHECK(!task(1)->group);
	CHECK(!task(2)->group);
}

/* period_phase, limit, an expected refusal, a key that stands twice. */
TEST(scenario, group_keys)
{
	must_read("{'groups': {'/r': {'period_phase': 'random'}, '/f': {'period_phase': 2.5, 'limit': '250m/20ms+5ms'},"
		  "'/e': {'cpu.max': {'value': '1', 'expect': 'EINVAL'}, 'cpu.max': 'max', '_cpu.max': 'x'}}, " T "}");
	CHECK(sc.groups[0].phase_random);
	CHECK_EQ(sc.groups[1].phase, 2500);
	CHECK(sc.groups[1].phase_set);
	CHECK_STR(sc.groups[1].writes[0].value, "5000 20000");
	CHECK_STR(sc.groups[1].writes[1].file, "cpu.max.burst");
	CHECK_STR(sc.groups[1].writes[1].value, "5000");
	CHECK_EQ(sc.groups[2].nr_writes, 2);
	CHECK_STR(sc.groups[2].writes[0].value, "1");
	CHECK_STR(sc.groups[2].writes[0].expect, "EINVAL");
	CHECK(!sc.groups[2].writes[1].expect);
}

/* "at" entries come in order of time, then of the file. */
TEST(scenario, at)
{
	must_read("{'machine': {'cpus': 2}, 'groups': {'/web': {}}, " T ", 'at': [ {'t': 5.5, 'cpu': 1, 'online': false},\n"
		  "{'t': 2, 'write': {'/web/cpu.max': 'max', '/web/cpu.weight': 50}, 'expect': 'EINVAL'},\n"
		  "{'t': 5.5, 'affinity': {'task': 't', 'cpus': '0-1'}}, {'t': 1, 'move': {'task': 't', 'to': '/'}} ]}");
	CHECK_EQ(sc.nr_at, 5);
	CHECK_EQ(sc.at[0].kind, AT_MOVE);
	CHECK_STR(sc.at[0].group, "/");
	CHECK_EQ(sc.at[1].kind, AT_WRITE);
	CHECK_STR(sc.at[1].write.group, "/web");
	CHECK_STR(sc.at[1].write.file, "cpu.max");
	CHECK_STR(sc.at[1].write.expect, "EINVAL");
	CHECK_STR(sc.at[2].write.value, "50");
	CHECK_EQ(sc.at[3].kind, AT_ONLINE);
	CHECK_EQ(sc.at[3].t, 5500);
	CHECK_EQ(sc.at[3].cpu, 1);
	CHECK(!sc.at[3].online);
	CHECK_EQ(sc.at[4].cpus[0], 3);
}

/* --cpuset /web=1 takes the place of all that /web, what is in it and their tasks say of CPUs, now and later; of nothing else. */
TEST(scenario, cpuset_option)
{
	must_read("{'machine': {'cpus': 4}, 'groups': {'/web': {'cpuset.cpus': '0-3', 'cpu.weight': 50}, '/web/in': {'cpuset.cpus': '2'}, '/webs': {'cpuset.cpus': '3'}},"
		  "'tasks': {'a': {'taskgroup': '/web', 'cpus': [2], 'run': 1}, 'b': {'taskgroup': '/web/in', 'run': 1}, 'c': {'taskgroup': '/webs', 'cpus': [3], 'run': 1}},"
		  "'at': [{'t': 1, 'write': {'/web/in/cpuset.cpus': '0', '/web/cpu.max': 'max', '/webs/cpuset.cpus': '2'}},"
		  "{'t': 2, 'affinity': {'task': 'b', 'cpus': [0]}}, {'t': 3, 'affinity': {'task': 'c', 'cpus': [0]}}]}");
	CHECK_EQ(scenario_set_cpuset(&sc, "/web=1", &err), 0);
	CHECK_EQ(sc.groups[0].nr_writes, 1);
	CHECK_STR(sc.groups[0].writes[0].file, "cpu.weight");
	CHECK_EQ(sc.groups[1].nr_writes, 0);
	CHECK_EQ(sc.groups[2].nr_writes, 1);
	CHECK_EQ(task(0)->cpus[0], 2);
	CHECK_EQ(task(1)->cpus[0], 2);
	CHECK_EQ(task(2)->cpus[0], 8);
	CHECK_EQ(sc.nr_at, 3);
	CHECK_STR(sc.at[0].write.file, "cpu.max");
	CHECK_STR(sc.at[1].write.group, "/webs");
	CHECK_EQ(sc.at[2].kind, AT_AFFINITY);
	CHECK_EQ(scenario_set_cpuset(&sc, "0", &err), 0);
	CHECK_EQ(sc.groups[2].nr_writes + sc.nr_at, 1);
	CHECK_EQ(task(2)->cpus[0], 1);
}

/* ---- tasks ---- */

/* CPUs for all copies, or dealt out; names of policies and what priority means under them. */
TEST(scenario, task_properties)
{
	must_read("{'machine': {'cpus': 64}, 'tasks': {"
		  "'a': {'cpus': [0, '2-3', 63], 'kthread': true, 'iterations_per_ms': 1000, 'delay': 1.5, 'slice': 100, 'run': 1},"
		  "'b': {'cpus_each': '1-35', 'policy': 'SCHED_FIFO', 'run': 1},"
		  "'c': {'instance': 2, 'cpus_each': [5, 6], 'policy': 'SCHED_RR', 'priority': 50, 'run': 1},"
		  "'d': {'instance': 0, 'policy': 'SCHED_IDLE', 'run': 1}, 'e': {'policy': 'SCHED_BATCH', 'priority': -20, 'dl-runtime': 700, 'run': 1}}}");
	CHECK(task(0)->cpus[0] == (1u | 4 | 8 | (u64)1 << 63));
	CHECK(task(0)->kthread);
	CHECK_EQ(task(0)->iterations_per_ms, 1000);
	CHECK_EQ(task(0)->delay, 1500);
	CHECK_EQ(task(0)->slice, 100 * US);
	CHECK_EQ(task(1)->instances, 35);
	CHECK_EQ(task(1)->cpus_each[34], 35);
	CHECK_EQ(task(1)->policy, SCHED_FIFO);
	CHECK_EQ(task(1)->rt_priority, 10);
	CHECK_EQ(task(1)->nice, 0);
	CHECK_EQ(task(2)->instances, 2);
	CHECK_EQ(task(2)->policy, SCHED_RR);
	CHECK_EQ(task(2)->rt_priority, 50);
	CHECK_EQ(task(3)->instances, 0);
	CHECK_EQ(task(3)->policy, SCHED_IDLE);
	CHECK_EQ(task(4)->policy, SCHED_BATCH);
	CHECK_EQ(task(4)->nice, -20);
	CHECK_EQ(task(4)->slice, 700 * US);
}

/* "default_policy" counts where a task names none. */
TEST(scenario, default_policy)
{
	must_read("{'machine': {}, 'tasks': {'t': {'run': 1}, 'u': {'policy': 'SCHED_DEADLINE', 'run': 1}}, 'global': {'default_policy': 'SCHED_RR'}}");
	CHECK_EQ(task(0)->policy, SCHED_RR);
	CHECK_EQ(task(0)->rt_priority, 10);
	CHECK_EQ(task(1)->policy, SCHED_DEADLINE);
}

/* Events by prefix, in rt-app's order of test: memrun before mem, runtime before run; ours by name. */
TEST(scenario, events_by_prefix)
{
	static const struct { const char *key, *value; enum step_kind kind; } rows[] = {
		{ "run0", "1", STEP_RUN }, { "running_total", "1", STEP_RUN }, { "runtime3", "1", STEP_RUNTIME }, { "sleep_b", "1", STEP_SLEEP },
		{ "lock", "'m'", STEP_LOCK }, { "unlock_x", "'m'", STEP_UNLOCK }, { "wait1", "{'ref': 'c', 'mutex': 'm'}", STEP_WAIT },
		{ "signal", "'c'", STEP_SIGNAL }, { "broadcast", "'c'", STEP_BROAD }, { "sync", "{'ref': 'c', 'mutex': 'm'}", STEP_SYNC },
		{ "timerA", "{'ref': 'x', 'period': 5}", STEP_TIMER }, { "suspend", "''", STEP_SUSPEND }, { "resume", "'t'", STEP_RESUME },
		{ "memrun", "{'size': 1}", STEP_MEM }, { "mem", "100", STEP_MEM }, { "iorun", "100", STEP_MEM }, { "yield", "''", STEP_YIELD },
		{ "barrier1", "'b'", STEP_BARRIER }, { "fork", "'t'", STEP_FORK }, { "sem_post", "'s'", STEP_SEM_POST }, { "sem_wait", "'s'", STEP_SEM_WAIT },
		{ "begin", "'x'", STEP_BEGIN }, { "end2", "'x'", STEP_END }, { "execve", "''", STEP_EXEC },
		{ "sys2", "5", STEP_SYS }, { "spin", "'c'", STEP_SPIN }, { "put", "'q'", STEP_QUEUE_PUT }, { "get12", "'q'", STEP_QUEUE_GET },
		{ "request", "''", STEP_REQUEST }, { "exit", "''", STEP_EXIT }, { "set", "'f'", STEP_SET }, { "join", "'u'", STEP_JOIN },
		{ "io", "{'ref': 'd', 'service': 5}", STEP_IO }, { "arrive", "{'every': 5}", STEP_ARRIVE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[200];

		snprintf(text, sizeof(text), "{'machine': {}, 'tasks': {'t': {'%s': %s}, 'u': {'run': 1}}}", rows[i].key, rows[i].value);
		must_read(text);
		CHECK_ROW(sc.tasks[0].program.nr_steps, 1, rows[i].key);
		CHECK_ROW(step_of(0, 0)->kind, rows[i].kind, rows[i].key);
		CHECK_STR(step_of(0, 0)->key, rows[i].key);
	}
}

/* What an item, a completion, a device and a queue may say. */
TEST(scenario, queues_and_devices)
{
	must_read("{'machine': {'cpus': 4}, 'tasks': {'t': {'put': {'ref': 'w', 'work': 5, 'cpu': 'each', 'post': 's'}, 'put2': {'ref': 'w', 'cpu': 3, 'resume': 'c'},"
		  "'put3': {'ref': 'w', 'cpu': 'here', 'put': 'q'}, 'get': {'ref': 'q', 'spin': true, 'batch': true}, 'sem_wait': {'ref': 's', 'spin': true},"
		  "'io': {'ref': 'd', 'put': {'ref': 'w', 'work': 2, 'put': 'q'}}, 'io2': {'ref': 'd', 'put': 'q'}, 'suspend': 'c'}, 'k': {'cpus_each': 'all', 'get': 'w'}},"
		  "'resources': {'d': {'type': 'device', 'service': 50, 'depth': 0, 'irq': 2, 'irq_cpus': '0,3', 'stray': 0.25}, 'w': {'type': 'queue', 'per_cpu': true},"
		  "'q': {'type': 'queue', 'measured': true}}}");
	CHECK_EQ(step_of(0, 0)->cpu, CPU_EACH);
	CHECK_EQ(step_of(0, 0)->len.a, 5 * US);
	CHECK_EQ(sc.resources[step_of(0, 0)->ref2].kind, RES_SEM);
	CHECK_EQ(step_of(0, 1)->cpu, 3);
	CHECK_EQ(step_of(0, 1)->ref2, step_of(0, 7)->ref); /* the condition that somebody waits for */
	CHECK_EQ(step_of(0, 2)->cpu, CPU_HERE);
	CHECK_EQ(step_of(0, 2)->ref2, step_of(0, 3)->ref);
	CHECK_EQ(step_of(0, 3)->flags, STEP_SPINS | STEP_BATCH);
	CHECK_EQ(step_of(0, 4)->flags, STEP_SPINS);
	CHECK_EQ(step_of(0, 5)->ref2, step_of(0, 0)->ref);
	CHECK_EQ(step_of(0, 5)->ref3, step_of(0, 3)->ref);
	CHECK_EQ(step_of(0, 5)->len.a, 2 * US);
	CHECK_EQ(step_of(0, 6)->ref2, step_of(0, 3)->ref);
	CHECK_EQ(step_of(0, 6)->ref3, REF_NONE);
	CHECK_EQ(task(1)->instances, 4);
	CHECK_EQ(task(1)->cpus_each[3], 3);
	CHECK_EQ(sc.resources[step_of(0, 5)->ref].irq, 2 * US);
	CHECK_EQ(sc.resources[step_of(0, 5)->ref].nr_irq_cpus, 2);
	CHECK_EQ(sc.resources[step_of(0, 5)->ref].irq_cpus[1], 3);
	CHECK_EQ(sc.resources[step_of(0, 5)->ref].stray, 250000);
	CHECK(sc.resources[step_of(0, 0)->ref].per_cpu && sc.resources[step_of(0, 3)->ref].measured);
	must_read(TASK("'io': {'ref': 'd', 'service': 5}"));
	CHECK_EQ(sc.resources[step_of(0, 0)->ref].irq, NEVER);
	CHECK(!sc.resources[step_of(0, 0)->ref].irq_cpus);
}

/* A kernel thread that loops for ever keeps no run going, so that nobody is warned of it. */
TEST(scenario, kernel_threads_end_with_the_rest)
{
	must_read("{'machine': {}, 'global': {'duration': -1}, 'tasks': {'t': {'loop': 1, 'run': 1}, 'k': {'kthread': true, 'loop': -1, 'get': 'q'}}}");
	CHECK_EQ(warn.nr, 0);
	must_read("{'machine': {}, 'global': {'duration': -1}, 'tasks': {'t': {'loop': 1, 'run': 1}, 'k': {'loop': -1, 'get': 'q'}}}");
	CHECK_EQ(warn.nr, 1);
}

/* Lengths of time, each spelling. */
TEST(scenario, lengths)
{
	must_read(TASK("'run': {'exponential': 300}, 'run1': {'uniform': [10, 20]}, 'sleep': {'normal': [100, 5.5]}, 'sys': {'us': {'lognormal': [50, 0.25]}},"
		       "'run2': {'values': [1, 2.5, 3]}, 'runtime': 0.0004"));
	CHECK_EQ(step_of(0, 0)->len.kind, DIST_EXPONENTIAL);
	CHECK_EQ(step_of(0, 0)->len.a, 300 * US);
	CHECK_EQ(step_of(0, 1)->len.b, 20 * US);
	CHECK_EQ(step_of(0, 2)->len.kind, DIST_NORMAL);
	CHECK_EQ(step_of(0, 2)->len.b, 5500);
	CHECK_EQ(step_of(0, 3)->len.kind, DIST_LOGNORMAL);
	CHECK_EQ(step_of(0, 3)->len.b, 250);
	CHECK_EQ(step_of(0, 4)->len.nr, 3);
	CHECK_EQ(step_of(0, 4)->len.values[1], 2500);
	CHECK_EQ(step_of(0, 5)->len.a, 0);
}

/* A timer that is absolute once is absolute for all who share it; one of a thread's own only within its task. */
TEST(scenario, absolute_timers)
{
	must_read("{'machine': {}, 'tasks': {'a': {'timer': {'ref': 'x', 'period': 1}, 'timer1': {'ref': 'unique', 'period': 1}, 'timer2': {'ref': 'unique', 'period': 1, 'mode': 'absolute'}},"
		  "'b': {'timer': {'ref': 'x', 'period': 1, 'mode': 'absolute'}, 'timer1': {'ref': 'unique', 'period': 1}, 'timer2': {'period': 1}}}}");
	CHECK(sc.resources[step_of(0, 0)->ref].absolute);
	CHECK_EQ(step_of(0, 1)->flags, STEP_UNIQUE | STEP_ABSOLUTE);
	CHECK_EQ(step_of(0, 2)->flags, STEP_UNIQUE | STEP_ABSOLUTE);
	CHECK_EQ(step_of(1, 1)->flags, STEP_UNIQUE);
	CHECK_EQ(step_of(1, 2)->flags, STEP_UNIQUE);
}

/* A barrier counts the threads of each task once for each time it names it. */
TEST(scenario, barrier_users)
{
	must_read("{'machine': {}, 'tasks': {'a': {'barrier': 'x', 'instance': 3}, 'b': {'barrier': 'x', 'barrier2': 'x'}}}");
	CHECK_EQ(sc.resources[0].users, 5);
}

/* suspend: the condition it names where somebody resumes that, else the task's own name. */
TEST(scenario, suspend)
{
	must_read("{'machine': {}, 'tasks': {'a': {'suspend': 'x', 'suspend2': 'y', 'suspend3': 'a'}, 'b': {'phases': {'p': {'resume': 'x'}, 'q': {'resume': 'a'}}}}}");
	CHECK_STR(sc.resources[step_of(0, 0)->ref].name, "x");
	CHECK_STR(sc.resources[step_of(0, 1)->ref].name, "a");
	CHECK_STR(sc.resources[step_of(0, 2)->ref].name, "a");
}

/* fork and join may name a task that stands further down. */
TEST(scenario, tasks_by_name)
{
	must_read("{'machine': {}, 'tasks': {'a': {'fork': 'c', 'join': 'b'}, 'b': {'run': 1}, 'c': {'instance': 0, 'run': 1}}}");
	CHECK_EQ(step_of(0, 0)->ref, 2);
	CHECK_EQ(step_of(0, 1)->ref, 1);
}

/* A key that stands twice is two events in order; stock rt-app keeps the last value at the first place. */
TEST(scenario, duplicate_events)
{
	static const char text[] = "{'machine': {}, 'tasks': {'t': {'run': 1, 'sleep': 2, 'run': 5, 'sleep': 9}}}";

	must_read(text);
	CHECK_EQ(task(0)->program.nr_steps, 4);
	CHECK_EQ(step_of(0, 2)->len.a, 5 * US);
	CHECK_EQ(warn.nr, 0);
	CHECK_EQ(read_as(&(struct read_options){ .rtapp_compat = true }, text), 0);
	CHECK_EQ(task(0)->program.nr_steps, 2);
	CHECK_EQ(step_of(0, 0)->kind, STEP_RUN);
	CHECK_EQ(step_of(0, 0)->len.a, 5 * US);
	CHECK_EQ(step_of(0, 1)->len.a, 9 * US);
	CHECK_EQ(warn.nr, 2);
	CHECK(strstr(warn.list[0].message, "line 1, column 33"));
}

/* As stock rt-app: a task-level "runtime" is a slice request too, but only when asked to be so stock. */
TEST(scenario, stock_runtime_slice)
{
	static const char text[] = "{'machine': {}, 'tasks': {'t': {'runtime': 5000}}}";

	must_read(text);
	CHECK_EQ(task(0)->slice, 0);
	CHECK_EQ(read_as(&(struct read_options){ .rtapp_compat = true }, text), 0);
	CHECK_EQ(task(0)->slice, 5 * MS);
}

/* Two phases or tasks of one name are two; the second task needs a name of its own. */
TEST(scenario, same_names)
{
	must_read("{'machine': {}, 'tasks': {'t': {'phases': {'p': {'run': 1}, 'p': {'run': 2}}}, 't': {'run': 3}, 't': {'run': 4}}}");
	CHECK_EQ(sc.nr_tasks, 3);
	CHECK_EQ(task(0)->program.nr_phases, 2);
	CHECK_STR(task(1)->name, "t.2");
	CHECK_STR(task(2)->name, "t.3");
	CHECK_EQ(warn.nr, 2);
}

/* Inner phases are listed behind the one that holds them, and counted. */
TEST(scenario, nested_phases)
{
	must_read(TASK("'phases': {'a': {'loop': 2, 'phases': {'b': {'run': 1}, 'c': {'loop': 3, 'phases': {'d': {'run': 2}}}}}, 'e': {'run': 3}}"));
	CHECK_EQ(task(0)->program.nr_phases, 5);
	CHECK_EQ(task(0)->program.phases[0].inner, 3);
	CHECK_EQ(task(0)->program.phases[1].inner, 0);
	CHECK_EQ(task(0)->program.phases[2].inner, 1);
	CHECK_EQ(task(0)->program.phases[2].loop, 3);
	CHECK_EQ(task(0)->program.phases[4].nr, 1);
}

/* A phase's policy without a priority takes that policy's default; a priority alone keeps the policy so far. */
TEST(scenario, phase_policy)
{
	must_read(TASK("'priority': 3, 'phases': {'a': {'run': 1}, 'b': {'policy': 'SCHED_FIFO', 'run': 1}, 'c': {'priority': 7, 'run': 1}, 'd': {'policy': 'SCHED_OTHER', 'run': 1}}"));
	CHECK(!task(0)->program.phases[0].sets_sched);
	CHECK_EQ(task(0)->program.phases[1].policy, SCHED_FIFO);
	CHECK_EQ(task(0)->program.phases[1].rt_priority, 10);
	CHECK_EQ(task(0)->program.phases[2].policy, SCHED_FIFO);
	CHECK_EQ(task(0)->program.phases[2].rt_priority, 7);
	CHECK_EQ(task(0)->program.phases[3].policy, SCHED_NORMAL);
	CHECK_EQ(task(0)->program.phases[3].nice, 0);
	CHECK_EQ(task(0)->nice, 3);
}

/* rt-app before 1.0: resources in lock_order, the rest of exec, the period on its grid. */
TEST(scenario, legacy_grammar)
{
	static const enum step_kind a[] = { STEP_RUN, STEP_SIGNAL, STEP_RUN, STEP_TIMER };
	static const enum step_kind b[] = { STEP_LOCK, STEP_WAIT, STEP_UNLOCK, STEP_LOCK, STEP_LOCK, STEP_RUN, STEP_UNLOCK, STEP_UNLOCK };
	u32 i;

	must_read("{'tasks': {'a': {'exec': 5000, 'period': 24000, 'lock_order': ['r', 'sig'], 'resources': {'r': {'duration': 1000}, 'sig': {'duration': 0}}},"
		  "'b': {'exec': 300, 'period': 24000, 'sleep': false, 'lock_order': ['w', 'm'], 'resources': {'w': {'access': ['wm']}, 'm': {'duration': 300, 'access': ['n']}}}},"
		  "'resources': {'r': {'type': 'run'}, 'sig': {'type': 'signal', 'target': 'w'}, 'w': {'type': 'wait'}, 'wm': {'type': 'mutex'}}}");
	CHECK_EQ(task(0)->program.nr_steps, ARRAY_SIZE(a));
	for (i = 0; i < ARRAY_SIZE(a); i++)
		CHECK_EQ(step_of(0, i)->kind, a[i]);
	CHECK_EQ(step_of(0, 0)->len.a, 1 * MS);
	CHECK_EQ(step_of(0, 2)->len.a, 4 * MS);
	CHECK_EQ(step_of(0, 3)->flags, STEP_UNIQUE | STEP_ABSOLUTE);
	CHECK_STR(sc.resources[step_of(0, 1)->ref].name, "w");
	CHECK_EQ(task(1)->program.nr_steps, ARRAY_SIZE(b));
	for (i = 0; i < ARRAY_SIZE(b); i++)
		CHECK_EQ(step_of(1, i)->kind, b[i]);
	CHECK_EQ(step_of(1, 1)->ref, step_of(0, 1)->ref);
	CHECK_EQ(step_of(1, 1)->ref2, step_of(1, 0)->ref);
	must_read(TASK("'exec': 5, 'run': 6"));
	CHECK_EQ(task(0)->program.nr_steps, 1);
	CHECK_STR(warn.list[0].key, "run");
	CHECK(strstr(warn.list[0].message, "beside \"exec\""));
}

/* ---- files and changes ---- */

/* A file that cannot be read is one error; one that can is read to its end. */
TEST(scenario, files)
{
	char path[] = "/tmp/test_scenario_XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	int i;

	scenario_free(&sc);
	warnings_free(&warn);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_read_file("/nonexistent/x.json", &sc, &warn, &err), -1);
	CHECK_EQ(err.code, ERR_INPUT);
	CHECK(strstr(err.message, "cannot be read"));
	fprintf(f, "{'machine': {}, 'tasks': {'t': {");
	for (i = 0; i < 20000; i++)
		fprintf(f, "'run%d': 1, ", i);
	fprintf(f, "}}}");
	fclose(f);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_read_file(path, &sc, &warn, &err), 0);
	CHECK_EQ(sc.tasks[0].program.nr_steps, 20000);
	unlink(path);
}

/* Rules replace those that set the same, in either spelling; what does not go together is refused and changes nothing. */
TEST(scenario, change_the_kernel)
{
	must_read("{'kernel': {'row': '4.18', 'rules': ['bw_expiry=none', 'NO_START_DEBIT']}, " T "}");
	CHECK_EQ(scenario_add_rule(&sc, "bw_expiry=seq", &err), 0);
	CHECK_EQ(scenario_add_rule(&sc, "START_DEBIT", &err), 0);
	CHECK_EQ(sc.kernel.nr_rules, 2);
	CHECK_STR(sc.kernel.rules[0], "bw_expiry=seq");
	CHECK_STR(sc.kernel.rules[1], "START_DEBIT");
	CHECK_EQ(scenario_add_rule(&sc, "bw_expiry=x", &err), -1);
	CHECK_STR(err.key, "--rule");
	CHECK_EQ(sc.kernel.nr_rules, 2);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_kernel(&sc, "5.4", &err), 0);
	CHECK_STR(sc.kernel.row, "5.4");
	CHECK_EQ(scenario_set_kernel(&sc, "5.44", &err), -1);
	CHECK_STR(err.key, "--kernel");
	CHECK(strstr(err.hint, "did you mean \"5.4\""));
	CHECK_STR(sc.kernel.row, "5.4");
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_tunable(&sc, "sched_latency_ns=1000000", &err), 0);
	CHECK_EQ(scenario_set_tunable(&sc, "sched_latency_ns=2000000", &err), 0);
	CHECK_EQ(sc.kernel.nr_tunables, 1);
	CHECK_EQ(sc.kernel.tunable_values[0], 2000000);
	CHECK_EQ(scenario_set_tunable(&sc, "sched_latency_ns", &err), -1);
	CHECK(strstr(err.message, "NAME=NUMBER"));
	CHECK_EQ(scenario_check_kernel(&sc, &(struct err){ 0 }), 0);
}

/* A machine may grow and shrink as long as every CPU that is named stays; "all CPUs" grows along. */
TEST(scenario, change_the_machine)
{
	must_read("{'machine': {'cpus': 4}, 'tasks': {'t': {'phases': {'a': {'cpus': [2], 'run': 1}, 'b': {'run': 1}}}}}");
	CHECK_EQ(sc.tasks[0].program.phases[1].cpus[0], 15);
	CHECK_EQ(scenario_set_cpus(&sc, 70, &err), 0);
	CHECK(sc.tasks[0].program.phases[1].cpus[0] == UINT64_MAX);
	CHECK_EQ(sc.tasks[0].program.phases[1].cpus[1], 63);
	CHECK_EQ(scenario_set_cpus(&sc, 3, &err), 0);
	CHECK_EQ(sc.tasks[0].program.phases[1].cpus[0], 7);
	CHECK_EQ(scenario_set_cpus(&sc, 2, &err), -1);
	CHECK(strstr(err.message, "names CPU 2: expected at least 3 CPUs"));
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_cpus(&sc, 1025, &err), -1);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_hz(&sc, "1000", &err), 0);
	CHECK_EQ(sc.machine.hz, 1000);
	CHECK_EQ(scenario_set_hz(&sc, "x", &err), -1);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_seed(&sc, "7", &err), 0);
	CHECK_EQ(sc.seed, 7);
	CHECK_EQ(scenario_set_seed(&sc, "-7", &err), -1);
	err = (struct err){ 0 };
	CHECK_EQ(scenario_set_duration(&sc, "0.5", &err), 0);
	CHECK_EQ(sc.duration, 500 * MS);
	CHECK_EQ(scenario_set_duration(&sc, "-1", &err), 0);
	CHECK(sc.duration == NEVER);
	CHECK_EQ(scenario_set_duration(&sc, "0", &err), -1);
}

/* ---- the pages ---- */

/* All of the file at @path in the source tree, for free(). */
static char *page(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 17);

	if (!f)
		fail_msg("%s is not there: run this in the source tree", path);
	CHECK(fread(text, 1, (1 << 17) - 1, f) > 1000);
	fclose(f);
	return text;
}

/* A piece of a scenario, made whole: a member of the top level, or of the tasks. */
static void make_whole(const char *piece, char *out, size_t size)
{
	bool groups = !strncmp(piece, "\"groups\"", 8);
	bool top = groups || !strncmp(piece, "\"at\"", 4) || !strncmp(piece, "\"resources\"", 11);

	if (*piece == '{')
		snprintf(out, size, "%s", piece);
	else if (top)
		snprintf(out, size, "{ \"machine\": { \"cpus\": 4 }, %s%s, \"tasks\": { \"worker\": { \"run\": 1 } } }",
			 groups ? "" : "\"groups\": { \"/web\": { } }, ", piece);
	else
		snprintf(out, size, "{ \"machine\": { \"cpus\": 4 }, \"tasks\": { %s } }", piece);
}

/* Every example on the page is read without a warning. */
TEST(scenario, examples_of_the_page)
{
	char *text = page("docs/scenario.md"), *p = text, *end, whole[4096];
	int nr = 0;

	while ((p = strstr(p, "```json\n"))) {
		p += 8;
		end = strstr(p, "\n```");
		CHECK(end != NULL);
		*end = '\0';
		make_whole(p, whole, sizeof(whole));
		must_read(whole);
		CHECK_ROW(warn.nr, 0, whole);
		p = end + 1;
		nr++;
	}
	CHECK_WITHIN(nr, 5, 20);
	free(text);
}

/* Every word of the language stands on the page and in the schema. */
TEST(scenario, words_are_documented)
{
	static const char *const words[] = {
		"machine", "cpus", "hz", "cgroup", "ticks", "nohz", "preempt", "topology", "shape", "file", "cores", "clusters", "llcs", "packages", "nodes", "distances", "reach", "isolated", "clock_skew_us", "timer_slack_us", "hrtick", "costs",
		"switch", "wakeup", "timer_irq", "tick", "ipi", "idle_exit", "migrate", "unthrottle", "newidle", "kernel", "row", "rules", "tunables",
		"groups", "cpu.max", "cpu.max.burst", "cpu.weight", "cpu.weight.nice", "cpu.idle", "cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us",
		"cpu.cfs_burst_us", "cpuset.cpus", "period_phase", "limit", "expect", "global", "duration", "default_policy", "seed", "measure", "history", "present",
		"start_phase", "name", "at", "write", "move", "affinity", "online", "resources", "service", "depth", "irq", "irq_cpus", "stray", "coalesce", "capacity", "per_cpu", "measured", "count", "spin", "batch", "post", "idle_poll", "scan",
		"instance", "loop", "delay", "cpus_each", "taskgroup", "priority", "policy", "slice", "dl-runtime", "kthread", "until", "iterations_per_ms",
		"phases", "exponential", "uniform", "normal", "lognormal", "values", "every", "poisson", "times", "resched", "mode", "period", "work",
		"util_min", "util_max", "nodes_membind",
	};
	char *md = page("docs/scenario.md"), *schema = page("docs/scenario.schema.json"), quoted[64], code[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		snprintf(quoted, sizeof(quoted), "\"%s\"", words[i]);
		snprintf(code, sizeof(code), "`%s`", words[i]);
		if (!strstr(schema, quoted))
			fail_msg("%s is not in the schema", words[i]);
		if (!strstr(md, code) && !strstr(md, quoted))
			fail_msg("%s is not on the page", words[i]);
	}
	for (i = 0; event_key((u32)i); i++) {
		snprintf(quoted, sizeof(quoted), "\"^%s", event_key((u32)i));
		snprintf(code, sizeof(code), "`%s`", event_key((u32)i));
		if (!strstr(schema, quoted) && !strstr("runtime memrun", event_key((u32)i))) /* they begin like run and mem */
			fail_msg("%s is not in the schema", event_key((u32)i));
		if (!strstr(md, code))
			fail_msg("%s is not on the page", event_key((u32)i));
	}
	free(md);
	free(schema);
}

TEST_MAIN("scenario")
