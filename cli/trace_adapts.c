/* SPDX-License-Identifier: MIT */
/*
 * trace_adapts.c - programs that adapt: how many threads they start follows from the CPUs or the limit they find at their start.
 *
 * Under another limit such a program may have other threads than were recorded, so a replay with the recorded ones is not the
 * whole answer.  They are known by the names their runtimes give to threads; a Go program names none, and is known by the watchman of its
 * runtime (a thread that sleeps 20 us to 10 ms and does next to nothing) among threads that all have the program's name, or by
 * the name of a well-known one.
 */
#include "cli/traced.h"

#include <string.h>

#include "trace/family.h"

#define WATCHMAN_LEAST 20  /* bursts */
#define WATCHMAN_RUN (100 * US)
#define WATCHMAN_SLEEP (11 * MS)
#define POOL_LEAST 4	   /* threads of one name, its own included */

static const struct runtime {
	const char *name, *patterns; /* separated by | */
	const char *chooses;
} runtimes[] = {
	{ "JVM", "GC Thread#*|G1 *|C1 CompilerThre*|C2 CompilerThre*|VM Thread|VM Periodic Tas*|ParGC Thread#*|ZWorker#*|Shenandoah*|ForkJoinPool*",
	  "it sizes its pools (collectors, compilers, ForkJoinPool) by the limit, rounded up to whole CPUs (from 8u191 and 10 on; before by the node's CPUs); "
	  "-XX:ActiveProcessorCount= sets the number" },
	{ ".NET", ".NET *|.NET-*",
	  "it sizes its thread pool and, with server collection, its heaps by the limit, rounded up to whole CPUs; DOTNET_PROCESSOR_COUNT= sets the number" },
	{ "Envoy", "wrk:worker_*|dog:*",
	  "it starts a worker for each CPU of the node, whatever the limit; --concurrency sets the number" },
	{ "Go", "kubelet|containerd|dockerd|etcd|kube-apiserver|kube-proxy|coredns|prometheus|traefik|istiod|node_exporter|cadvisor|alertmanager|grafana",
	  "up to Go 1.24 it runs on as many threads at once as the node has CPUs, from 1.25 on as the limit allows, rounded up; GOMAXPROCS= sets the number" },
};

static bool matches(const struct runtime *r, const char *name)
{
	char pattern[64];
	const char *p = r->patterns;

	while (*p) {
		size_t len = strcspn(p, "|");

		if (len < sizeof(pattern)) {
			memcpy(pattern, p, len);
			pattern[len] = '\0';
			if (name_matches(pattern, name))
				return true;
		}
		p += len + (p[len] == '|');
	}
	return false;
}

static const char *trace_name(const struct traced *t, u32 i) { return t->tr.tasks[t->rec.threads[i].task].name; }

static bool is_watchman(const struct recovered_thread *th)
{
	return th->bursts >= WATCHMAN_LEAST && th->run_p50 <= WATCHMAN_RUN && th->sleep_p50 <= WATCHMAN_SLEEP &&
	       th->wakes[WAKE_SLEEP] + th->wakes[WAKE_PERIOD] > th->bursts / 2;
}

/* One watchman among threads that all have one name. */
static bool looks_like_go(const struct traced *t)
{
	u32 watchmen = 0;

	if (t->rec.sc.nr_tasks < POOL_LEAST)
		return false;
	for (u32 i = 0; i < t->rec.sc.nr_tasks; i++) {
		if (strcmp(trace_name(t, i), trace_name(t, 0)))
			return false;
		watchmen += is_watchman(&t->rec.threads[i]);
	}
	return watchmen == 1;
}

void say_adapts(struct sentences *s, const struct traced *t)
{
	for (size_t r = 0; r < ARRAY_SIZE(runtimes); r++) {
		for (u32 i = 0; i < t->rec.sc.nr_tasks; i++) {
			if (!matches(&runtimes[r], trace_name(t, i)))
				continue;
			sentences_add(s, "The group adapts: %s is a thread of %s. Under another limit, or on another node, it may have other threads than were recorded: %s "
				      "(replay --threads N tries another number).", trace_name(t, i), runtimes[r].name, runtimes[r].chooses);
			return;
		}
	}
	if (looks_like_go(t))
		sentences_add(s, "The group may adapt: it looks like a Go program (one of its threads watches the others). Then: %s (replay --threads N tries another number).",
			      runtimes[ARRAY_SIZE(runtimes) - 1].chooses);
}
