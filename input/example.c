/* SPDX-License-Identifier: MIT */
/*
 * example.c - what a key looks like when it is right: the hint of an error that has no better one.
 */
#include <string.h>

#include "input/reader.h"

static const struct {
	const char *key, *example;
} examples[] = {
	/* top level */
	{ "machine", "\"machine\": { \"cpus\": 4, \"hz\": 250 }" },
	{ "kernel", "\"kernel\": \"5.10\", or { \"row\": \"5.4\", \"rules\": [\"bw_expiry=none\"] }" },
	{ "groups", "\"groups\": { \"/web\": { \"cpu.max\": \"25000 100000\" } }" },
	{ "global", "\"global\": { \"duration\": 10 }" },
	{ "tasks", "\"tasks\": { \"hog\": { \"loop\": -1, \"run\": 1000 } }" },
	{ "resources", "\"resources\": { \"disk\": { \"type\": \"device\", \"service\": 80 } }" },
	{ "at", "\"at\": [ { \"t\": 500000, \"write\": { \"/web/cpu.max\": \"max\" } } ]" },
	{ "name", "\"name\": \"my scenario\"" },
	{ "seed", "\"seed\": 1" },
	{ "history", "\"history\": true" },
	{ "present", "\"present\": \"runfibtest\"" },
	{ "start_phase", "\"start_phase\": 12500 is 12.5 ms" },
	{ "measure", "\"measure\": { \"from\": 1000000, \"to\": 5000000 }" },
	{ "from", "\"measure\": { \"from\": 1000000, \"to\": 5000000 }" },
	{ "to", "\"measure\": { \"from\": 1000000, \"to\": 5000000 }, or \"move\": { \"task\": \"w\", \"to\": \"/b\" }" },
	{ "duration", "\"duration\": 10 is 10 s, -1 until every task has exited" },
	{ "default_policy", "\"default_policy\": \"SCHED_OTHER\"" },
	/* machine and kernel */
	{ "cpus", "\"cpus\": 4 of a machine; [0, 2], \"0-3,8\" or 5 of a task" },
	{ "hz", "\"hz\": 250; kernels are built with 100, 250, 300 or 1000" },
	{ "cgroup", "\"cgroup\": 2" },
	{ "ticks", "\"ticks\": \"aligned\"" },
	{ "nohz", "\"nohz\": true" },
	{ "hrtick", "\"hrtick\": false" },
	{ "preempt", "\"preempt\": \"voluntary\"" },
	{ "topology", "\"topology\": \"2n x 24c x 2t\", \"c5.9xlarge\", or { \"cores\": [\"0,4\", \"1,5\"], \"llcs\": [\"0-3\", \"4-7\"] }" },
	{ "shape", "\"shape\": \"2n x 24c x 2t\"" },
	{ "file", "\"file\": \"web-1.machine\", as fairground machine --snapshot writes it" },
	{ "cores", "\"cores\": [\"0,4\", \"1,5\"]" },
	{ "clusters", "\"clusters\": [\"0-3\", \"4-7\"]" },
	{ "llcs", "\"llcs\": [\"0-3\", \"4-7\"]" },
	{ "packages", "\"packages\": [\"0-7\", \"8-15\"]" },
	{ "nodes", "\"nodes\": [\"0-7\", \"8-15\"]" },
	{ "distances", "\"distances\": [[10, 21], [21, 10]]" },
	{ "reach", "\"reach\": 32" },
	{ "isolated", "\"isolated\": \"2-3\"" },
	{ "clock_skew_us", "\"clock_skew_us\": 500, or one for each CPU: [0, 250, 500]" },
	{ "timer_slack_us", "\"timer_slack_us\": 50" },
	{ "costs", "\"costs\": \"none\", or { \"switch\": 2, \"wakeup\": 3 } in us" },
	{ "row", "\"row\": \"5.4\"; fairground kernels lists all" },
	{ "rules", "\"rules\": [\"bw_expiry=none\"]; fairground kernels lists all" },
	{ "tunables", "\"tunables\": { \"sched_cfs_bandwidth_slice_us\": 5000 }" },
	/* groups */
	{ "cpu.max", "\"cpu.max\": \"25000 100000\", or \"max\"" },
	{ "cpu.max.burst", "\"cpu.max.burst\": 5000" },
	{ "cpu.weight", "\"cpu.weight\": 100" },
	{ "cpu.weight.nice", "\"cpu.weight.nice\": 0" },
	{ "cpu.idle", "\"cpu.idle\": 1" },
	{ "cpuset.cpus", "\"cpuset.cpus\": \"0-1\"" },
	{ "cpu.shares", "\"cpu.shares\": 1024" },
	{ "cpu.cfs_quota_us", "\"cpu.cfs_quota_us\": 25000" },
	{ "cpu.cfs_period_us", "\"cpu.cfs_period_us\": 100000" },
	{ "cpu.cfs_burst_us", "\"cpu.cfs_burst_us\": 5000" },
	{ "period_phase", "\"period_phase\": 25000, or \"random\"" },
	{ "limit", "\"limit\": \"250m\", \"1.5\", \"150%\", \"50000/100000\" or \"250m+25ms\"" },
	{ "expect", "\"expect\": \"EINVAL\"" },
	{ "value", "\"cpu.max\": { \"value\": \"1\", \"expect\": \"EINVAL\" }" },
	/* at */
	{ "t", "\"t\": 500000 is half a second" },
	{ "write", "\"write\": { \"/web/cpu.max\": \"max\" }" },
	{ "move", "\"move\": { \"task\": \"worker\", \"to\": \"/other\" }" },
	{ "affinity", "\"affinity\": { \"task\": \"worker\", \"cpus\": [1] }" },
	{ "cpu", "{ \"t\": 900000, \"cpu\": 1, \"online\": false }" },
	{ "online", "{ \"t\": 900000, \"cpu\": 1, \"online\": false }" },
	{ "task", "\"move\": { \"task\": \"worker\", \"to\": \"/other\" }" },
	/* tasks and phases */
	{ "instance", "\"instance\": 8" },
	{ "loop", "\"loop\": 10, or -1 for ever" },
	{ "delay", "\"delay\": 500000 starts it after half a second" },
	{ "cpus_each", "\"cpus_each\": \"1-35\"" },
	{ "taskgroup", "\"taskgroup\": \"/web\"" },
	{ "priority", "\"priority\": 5" },
	{ "policy", "\"policy\": \"SCHED_BATCH\"" },
	{ "slice", "\"slice\": 3000 is 3 ms" },
	{ "dl-runtime", "\"dl-runtime\": 3000 is 3 ms" },
	{ "kthread", "\"kthread\": true" },
	{ "until", "\"until\": \"stop\", and \"set\": \"stop\" in another task" },
	{ "iterations_per_ms", "\"iterations_per_ms\": 1000" },
	{ "phases", "\"phases\": { \"light\": { \"loop\": 10, \"run\": 300, \"sleep\": 700 } }" },
	/* events, by the beginning of their key */
	{ "lock", "\"lock\": \"m\"" },
	{ "unlock", "\"unlock\": \"m\"" },
	{ "wait", "\"wait\": { \"ref\": \"queue\", \"mutex\": \"m\" }" },
	{ "signal", "\"signal\": \"queue\"" },
	{ "broad", "\"broad\": \"queue\"" },
	{ "sync", "\"sync\": { \"ref\": \"queue\", \"mutex\": \"m\" }" },
	{ "sleep", "\"sleep\": 700 is 0.7 ms" },
	{ "runtime", "\"runtime\": 300 is 0.3 ms, or { \"exponential\": 300 }" },
	{ "run", "\"run\": 300 is 0.3 ms, or { \"exponential\": 300 }" },
	{ "timer", "\"timer\": { \"ref\": \"unique\", \"period\": 16000, \"mode\": \"absolute\" }" },
	{ "suspend", "\"suspend\": \"go\", and \"resume\": \"go\" in another task" },
	{ "resume", "\"resume\": \"go\"" },
	{ "memrun", "a number of bytes" },
	{ "mem", "a number of bytes" },
	{ "iorun", "a number of bytes" },
	{ "yield", "\"yield\": \"\"" },
	{ "barrier", "\"barrier\": \"all\"" },
	{ "fork", "\"fork\": \"worker\", a task with \"instance\": 0" },
	{ "sem_post", "\"sem_post\": \"s\"" },
	{ "sem_wait", "\"sem_wait\": \"s\", or { \"ref\": \"s\", \"spin\": true }" },
	{ "sys", "\"sys\": 300, or { \"us\": 300, \"resched\": true }" },
	{ "arrive", "\"arrive\": { \"ref\": \"clients\", \"poisson\": 1000 }" },
	{ "spin", "\"spin\": \"go\", and \"resume\": \"go\" in another task" },
	{ "put", "\"put\": { \"ref\": \"q\", \"work\": 300 }" },
	{ "get", "\"get\": \"q\", or { \"ref\": \"q\", \"spin\": true, \"batch\": true }" },
	{ "io", "\"io\": { \"ref\": \"disk\", \"service\": 80 }" },
	{ "join", "\"join\": \"worker\"" },
	{ "set", "\"set\": \"stop\"" },
	{ "begin", "\"begin\": \"submit\", and \"end\": \"submit\" behind what is measured" },
	{ "end", "\"end\": \"submit\"" },
	/* inside events and resources */
	{ "ref", "\"timer\": { \"ref\": \"unique\", \"period\": 16000 }" },
	{ "mutex", "\"wait\": { \"ref\": \"queue\", \"mutex\": \"m\" }" },
	{ "period", "\"period\": 16000 is 16 ms" },
	{ "mode", "\"mode\": \"absolute\"" },
	{ "polls_clock", "\"run\": { \"us\": 300, \"polls_clock\": true }" },
	{ "resched", "\"sys\": { \"us\": 300, \"resched\": true }" },
	{ "work", "\"put\": { \"ref\": \"q\", \"work\": 300 }" },
	{ "service", "\"service\": 80 is 80 us, or { \"exponential\": 80 }" },
	{ "depth", "\"depth\": 4" },
	{ "irq", "\"irq\": 2 is 2 us in the interrupt" },
	{ "irq_cpus", "\"irq_cpus\": \"submitter\", or the CPUs of the device's queues: [0, 4]" },
	{ "coalesce", "\"coalesce\": 100: an interrupt waits so many us for more to be done" },
	{ "stray", "\"stray\": 0.1: a tenth of its interrupts hit any CPU" },
	{ "post", "\"post\": \"s\", a semaphore" },
	{ "cpu", "\"cpu\": 3; of a \"put\" also \"here\" or \"each\"" },
	{ "spin", "\"spin\": true" },
	{ "batch", "\"batch\": true" },
	{ "capacity", "\"capacity\": 64" },
	{ "per_cpu", "\"per_cpu\": true" },
	{ "measured", "\"measured\": true" },
	{ "count", "\"count\": 1" },
	{ "type", "\"type\": \"device\"" },
	{ "exponential", "{ \"exponential\": 300 }: its mean in us" },
	{ "uniform", "{ \"uniform\": [100, 500] }: lowest and highest in us" },
	{ "normal", "{ \"normal\": [300, 50] }: mean and standard deviation in us" },
	{ "lognormal", "{ \"lognormal\": [300, 0.5] }: median in us, and sigma of the logarithm" },
	{ "values", "{ \"values\": [280, 310, 295] } in us" },
	{ "every", "{ \"every\": 1000 }: one each ms" },
	{ "poisson", "{ \"poisson\": 1000 }: one each ms on average" },
	{ "times", "{ \"times\": [1000, 2500] }: us from the start" },
	/* before rt-app 1.0 */
	{ "exec", "\"exec\": 5000, \"period\": 24000" },
	{ "lock_order", "\"lock_order\": [\"r0\"], \"resources\": { \"r0\": { \"duration\": 1000 } }" },
	{ "access", "\"access\": [\"m0\"]" },
};

const char *example_of(const char *key)
{
	const char *event = event_name(key);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(examples); i++)
		if (!strcmp(examples[i].key, key) || (event && !strcmp(examples[i].key, event)))
			return examples[i].example;
	return NULL;
}

/* By the key; where there is none, or it is the user's own, by what stands there most often. */
void hint_example(struct err *err)
{
	const char *example = example_of(err->key);

	if (example)
		err_hint(err, "for example %s", example);
	else if (*err->key == '/')
		err_hint(err, "for example \"/web\": { \"cpu.max\": \"25000 100000\" }");
	else if (*err->key)
		err_hint(err, "docs/scenario.md has an example of each word");
	else
		err_hint(err, "is a comma, a quote or a bracket missing here or in the line before?");
}
