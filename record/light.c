/* SPDX-License-Identifier: MIT */
/*
 * light.c - the keeper of a recording of counters: files that anybody may read, once a period of the group.
 *
 *	poll	cpu.stat | schedstat of some threads	sleep until the next
 *
 * Law: it takes less than a thousandth of a CPU.  What a poll costs is measured, and when all threads do not fit they have their turns; polls that
 * have not been earned yet are left out.  The file says when each figure was read, so nothing depends on how often that was.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/facts.h"
#include "record/held.h"
#include "record/run.h"
#include "text/outfile.h"

#define PERIOD_USUAL (100 * MS)
#define POLL_LEAST (25 * MS)	/* below that not even the waking fits */
#define AIM_PARTS 1100		/* of its time a poll may take one of these: 0.09 % */
#define CREDIT (50 * US)	/* at the beginning */
#define ASK_EVERY 16		/* polls, what threads cost */
#define LOOK_EVERY SEC		/* for new threads */
#define LOOK_PARTS 5000		/* and looking may take 0.02 % */
#define THREADS_FIRST 16	/* polled at once before it is known what one costs */
#define FILES_SPARE 64
#define LINES_EVERY 64		/* polls */

struct poller {
	struct recording *r;
	struct outfile o;
	struct members members;
	int *watched; /* schedstat of members.v; -1: gone, or never there */
	u32 cap, most_files, open_files;
	int stat_fd, usage_fd;
	struct held held;
	u64 every;	  /* ns between two polls, where they cost little enough */
	u64 began, next, look_at;
	u64 used_before, used; /* CPU time before the first poll, and after the last */
	u32 at;		  /* whose turn it is */
	u32 turns;	  /* how many threads a poll takes */
	u64 fixed, each;  /* ns that a poll, and a thread in it, cost; smoothed */
	bool lost_group;
};

static struct err *err_of(struct poller *p) { return &p->r->end->err; }

static void put_line(void *ctx, const char *line)
{
	struct poller *p = ctx;

	fputs(line, p->o.out);
	fputc('\n', p->o.out);
}

/* ---- the group's counters ---- */

static int open_counters(struct poller *p)
{
	const struct cgroups *cg = &p->r->target.cg;
	char path[FILE_PATH_MAX];

	p->stat_fd = open(cgroups_path(cg, p->r->target.path, "cpu.stat", path, sizeof(path)), O_RDONLY | O_CLOEXEC);
	if (p->stat_fd < 0)
		return err_set(err_of(p), ERR_HOST, "cannot read %s: %s", path, strerror(errno));
	if (cg->version == 1 && *cg->acct) {
		if (snprintf(path, sizeof(path), "%s%s/cpuacct.usage", cg->acct, p->r->target.path) < (int)sizeof(path))
			p->usage_fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	return 0;
}

/* ---- threads ---- */

static u32 most_files(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return 512;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
	return lim.rlim_max > FILES_SPARE ? (u32)min_u64(lim.rlim_max - FILES_SPARE, 1 << 16) : 0;
}

static void watch(struct poller *p, u32 i)
{
	const struct member *m = &p->members.v[i];
	char path[96];

	p->watched[i] = -1;
	if (p->open_files == p->most_files)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", m->pid, m->tid);
	p->watched[i] = open(path, O_RDONLY | O_CLOEXEC);
	p->open_files += p->watched[i] >= 0;
}

static void make_lines(struct poller *p) { held_lines(&p->held, &p->members); }

/* Who is new is told and watched from now on. */
static int look(struct poller *p)
{
	const struct fact_sink sink = { put_line, p };
	u32 first, nr;

	make_lines(p); /* of those who are known, before others are told of */
	first = members_look(&p->members, &p->r->target);
	nr = p->members.nr;

	if (nr > p->cap) {
		u32 cap = nr * 2;
		int *more = realloc(p->watched, cap * sizeof(*more));

		if (!more)
			return err_set(err_of(p), ERR_HOST, "out of memory");
		p->watched = more;
		p->cap = cap;
	}
	for (u32 i = first; i < nr; i++)
		watch(p, i);
	facts_members(&sink, &p->members, first);
	return 0;
}

/* ---- a poll ---- */

/* The next @nr threads have their turn. */
static u32 poll_threads(struct poller *p, u32 nr)
{
	u32 polled = 0;

	for (u32 i = 0; i < p->members.nr && polled < nr && held_has_room(&p->held); i++) {
		u32 at = p->at < p->members.nr ? p->at : 0;

		p->at = at + 1;
		if (p->watched[at] < 0)
			continue;
		polled++;
		if (held_read(&p->held, p->watched[at], (s32)at))
			continue;
		close(p->watched[at]); /* it has gone */
		p->watched[at] = -1;
		p->open_files--;
		held_gone(&p->held, at);
	}
	if (polled < p->open_files)
		held_part(&p->held);
	return polled;
}

static void poll_group(struct poller *p)
{
	held_poll(&p->held, clock_of(CLOCK_MONOTONIC) / US);
	p->lost_group = !held_read(&p->held, p->stat_fd, HELD_STAT);
	if (p->usage_fd >= 0)
		held_read(&p->held, p->usage_fd, HELD_USAGE);
}

/* One that was disturbed must not count much. */
static u64 smoothed(u64 old, u64 now) { return old ? (7 * old + min_u64(now, 2 * old)) / 8 : now; }

/* How many threads fit into a poll. */
static void fit(struct poller *p)
{
	u64 may = p->every / AIM_PARTS, all = p->open_files;

	p->turns = (u32)max_u64(1, may > p->fixed ? min_u64(all, (may - p->fixed) / max_u64(p->each, 1)) : 1);
	p->r->end->thread_turns = max_u64(p->r->end->thread_turns, (all + p->turns - 1) / p->turns);
}

/* What was used must have been earned by then; else polls are left out until it is. */
static void pay(struct poller *p)
{
	u64 earned = (p->next - p->began) / AIM_PARTS + CREDIT, spent = p->used - p->used_before;

	if (spent > earned)
		p->next += ((spent - earned) * AIM_PARTS + p->every - 1) / p->every * p->every;
}

/* Asking what a poll costs costs too, so what threads are of it is asked now and then. */
static void poll_once(struct poller *p)
{
	bool ask = p->r->end->polls % ASK_EVERY == 0;
	u64 middle, end, before = p->r->end->polls ? p->used : 0, all;
	u32 polled;

	poll_group(p);
	middle = ask ? clock_of(CLOCK_PROCESS_CPUTIME_ID) : 0;
	polled = poll_threads(p, p->turns);
	if (!held_has_room(&p->held) || p->r->end->polls % LINES_EVERY == 0)
		make_lines(p);
	end = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	if (polled && ask)
		p->each = smoothed(p->each, (end - middle) / polled);
	all = end - before;
	if (before) /* waking up is in it, and looking for threads */
		p->fixed = smoothed(p->fixed, all - min_u64(all, polled * p->each));
	p->used = end;
	p->r->end->polls++;
}

/* ---- from beginning to end ---- */

/* The group's period, or so many of them that polls do not come too thick. */
static u64 poll_time(const struct recording *r)
{
	u64 quota, period = 0, every = r->ask->poll;

	if (every)
		return every;
	if (!cgroups_limit(&r->target.cg, r->target.path, &quota, &period) || !period)
		period = PERIOD_USUAL;
	return (POLL_LEAST + period - 1) / period * period;
}

static int begin(struct poller *p)
{
	const struct fact_sink sink = { put_line, p };
	const struct target *t = &p->r->target;
	struct fact_groups groups;

	p->every = poll_time(p->r);
	p->turns = THREADS_FIRST;
	p->most_files = most_files();
	if (outfile_open(&p->o, p->r->ask->output, false, err_of(p)) || open_counters(p))
		return -1;
	if (!held_init(&p->held, p->o.out, t->cg.version == 1))
		return err_set(err_of(p), ERR_HOST, "out of memory");
	facts_head(&sink, "light", t, false, p->every);
	facts_groups(&groups, t);
	facts_limits(&sink, t, &groups);
	facts_groups_fini(&groups);
	return look(p);
}

/* The next poll is due a whole number of steps behind the first, late ones left out; the last one at the end. */
static enum guard_word wait_for_next(struct poller *p, int alive, u64 end)
{
	u64 due = min_u64(p->next, end), now = clock_of(CLOCK_MONOTONIC);

	while (now < due) {
		enum guard_word word = guard_wait(alive, due - now);

		if (word != GUARD_GO_ON)
			return word;
		now = clock_of(CLOCK_MONOTONIC);
	}
	p->r->end->late += now > due + p->every / 2;
	while (p->next <= now)
		p->next += p->every;
	return GUARD_GO_ON;
}

static void maybe_look(struct poller *p, u64 now)
{
	u64 began;

	if (now < p->look_at)
		return;
	began = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	look(p);
	p->look_at = now + max_u64(LOOK_EVERY, (clock_of(CLOCK_PROCESS_CPUTIME_ID) - began) * LOOK_PARTS);
}

static void go_round(struct poller *p, int alive)
{
	u64 end, now = clock_of(CLOCK_MONOTONIC);
	enum guard_word word = GUARD_GO_ON;
	struct record_end *to = p->r->end;

	p->began = p->next = now;
	p->used_before = p->used = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	p->look_at = now + LOOK_EVERY;
	end = now + p->r->ask->duration;
	while (now < end && !p->lost_group && !to->err.code) {
		word = wait_for_next(p, alive, end);
		if (word != GUARD_GO_ON)
			break;
		poll_once(p);
		now = clock_of(CLOCK_MONOTONIC);
		maybe_look(p, now);
		fit(p);
		pay(p);
	}
	make_lines(p);
	to->wall = now - p->began;
	to->cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - p->used_before;
	fprintf(p->o.out, "{\"end\":\"%s\",\"polls\":%" PRIu64 ",\"late\":%" PRIu64 ",\"cpu_usec\":%" PRIu64 "}\n",
		p->lost_group ? "gone" : word == GUARD_GO_ON ? "time" : "stopped", to->polls, to->late, to->cpu / US);
	if (word == GUARD_ABANDON)
		err_set(err_of(p), ERR_HOST, "interrupted twice: nothing has been written");
}

static void finish(struct poller *p)
{
	struct record_end *end = p->r->end;
	u64 bytes;

	end->every = end->polls > 1 ? end->wall / (end->polls - 1) : p->every;
	end->threads = p->members.nr;
	end->cpus = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	end->no_threads = p->members.nr && !p->open_files && access("/proc/self/schedstat", R_OK);
	bytes = (u64)max_s64(ftello(p->o.out), 0);
	if (outfile_close(&p->o, err_of(p)))
		return;
	end->bytes = bytes;
	end->complete = true;
}

void record_light(void *recording, int alive)
{
	struct recording *r = recording;
	struct poller p = { .r = r, .stat_fd = -1, .usage_fd = -1 };

	members_init(&p.members);
	if (!begin(&p)) {
		go_round(&p, alive);
		if (!r->end->err.code)
			finish(&p);
	}
	if (p.o.out)
		outfile_drop(&p.o);
	held_fini(&p.held);
	members_fini(&p.members);
	free(p.watched);
}
