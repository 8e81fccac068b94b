/* SPDX-License-Identifier: MIT */
/* run.c - the caller's side of a recording: whom, with which rights, and a keeper that does it. */
#define _GNU_SOURCE
#include "record/run.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATIENCE 2000 /* ms for readers that were killed to let go of the tracer */

static bool clear(void *ctx)
{
	struct recording *r = ctx;

	return r->ask->light || tracer_remove(&r->tracer, PATIENCE);
}

/* The tracer, as far as nothing is changed yet. */
static int prepare_trace(struct recording *r, struct err *err)
{
	if (tracer_find(&r->tracer, r->ask->tracefs, getpid(), err) || tracer_rights(&r->tracer, err))
		return -1;
	tracer_sweep(&r->tracer);
	return 0;
}

static int prepare_light(const struct recording *r, struct err *err)
{
	if (*r->target.path)
		return 0;
	if (r->target.kind == TARGET_ALL) {
		err_set(err, ERR_INPUT, "--light is about one group: which?");
		err_hint(err, "name it by --cgroup, --pid or --container");
	} else {
		err_set(err, ERR_HOST, "the group of process %d has no cpu.stat that can be read", r->target.pid);
		err_hint(err, "is the cpu controller's hierarchy mounted here? --cgroup-root DIR says where");
	}
	return -1;
}

int record_run(struct record_end *end, const struct record_ask *ask, struct err *err)
{
	struct recording r = { .ask = ask };
	int signal, ret;

	memset(end, 0, sizeof(*end));
	if (target_find(&r.target, &ask->who, err) || (ask->light ? prepare_light(&r, err) : prepare_trace(&r, err)))
		return -1;
	r.end = mmap(NULL, sizeof(*r.end), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.end == MAP_FAILED)
		return err_set(err, ERR_HOST, "out of memory");
	ret = guard_run(ask->light ? record_light : record_trace, clear, &r, &signal, err);
	*end = *r.end;
	munmap(r.end, sizeof(*r.end));
	strcpy(end->target, r.target.path);
	if (ret)
		return -1;
	if (end->err.code) {
		*err = end->err;
		return -1;
	}
	return end->complete ? 0 : err_set(err, ERR_HOST, "interrupted twice: nothing has been written");
}
