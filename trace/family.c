/* SPDX-License-Identifier: MIT */
/* family.c - a union of sets over the task table. */
#include "trace/family.h"

#include <stdlib.h>
#include <string.h>

static u32 root_of(u32 *of, u32 task)
{
	while (of[task] != task) {
		of[task] = of[of[task]];
		task = of[task];
	}
	return task;
}

static void join(u32 *of, u32 a, u32 b)
{
	a = root_of(of, a);
	b = root_of(of, b);
	if (a < b)
		of[b] = a;
	else
		of[a] = b;
}

/* Tasks that name the same process. */
static void join_processes(u32 *of, const struct trace *tr)
{
	u32 *leader = malloc(tr->nr_slots * sizeof(*leader));

	if (!leader)
		return;
	memset(leader, 0xff, tr->nr_slots * sizeof(*leader));
	for (u32 i = 1; i < tr->nr_tasks; i++) {
		s32 tgid = tr->tasks[i].tgid;
		u32 at;

		if (tgid <= 0)
			continue;
		at = (u32)(((u64)(u32)tgid * 0x9e3779b97f4a7c15u) >> 32) & (tr->nr_slots - 1);
		while (leader[at] != TRACE_NO_TASK && tr->tasks[leader[at]].tgid != tgid)
			at = (at + 1) & (tr->nr_slots - 1);
		if (leader[at] == TRACE_NO_TASK)
			leader[at] = i;
		join(of, leader[at], i);
	}
	free(leader);
}

/* Tasks of one cgroup; the root is no group. */
static void join_cgroups(u32 *of, const struct trace *tr)
{
	u32 *first = calloc((size_t)tr->nr_groups + 1, sizeof(*first));

	for (u32 i = 1; first && i < tr->nr_tasks; i++) {
		u32 group = tr->tasks[i].group;

		if (!group || !strcmp(tr->groups[group - 1], "/"))
			continue;
		if (!first[group])
			first[group] = i;
		join(of, first[group], i);
	}
	free(first);
}

/* Threads of the kernel have numbered names too, and are no family. */
static bool is_kernel_name(const char *name)
{
	static const char *const prefixes[] = { "kworker", "ksoftirqd", "migration", "rcu", "cpuhp", "irq/", "swapper", "kswapd",
						"ktimers", "khugepaged", "idle_inject", "watchdog" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* "worker-3" and "worker-12" have the stem "worker": its length, or 0 where the name ends in no number. */
static size_t stem_of(const char *name)
{
	size_t len = strlen(name), at = len;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at == len || is_kernel_name(name))
		return 0;
	while (at && strchr(".-_#:/ ", name[at - 1]))
		at--;
	return at;
}

struct stem {
	const char *name;
	size_t len;
	u32 task;
};

static int by_stem(const void *a, const void *b)
{
	const struct stem *x = a, *y = b;
	int order = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	if (order || x->len != y->len)
		return order ? order : (x->len < y->len ? -1 : 1);
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Numbered names of one pool.  Only where no column says which process a thread belongs to. */
static void join_pools(u32 *of, const struct trace *tr)
{
	struct stem *stems = malloc((tr->nr_tasks + 1) * sizeof(*stems));
	u32 nr = 0;

	if (!stems)
		return;
	for (u32 i = 1; i < tr->nr_tasks; i++) {
		size_t len = tr->tasks[i].tgid ? 0 : stem_of(tr->tasks[i].name);

		if (len)
			stems[nr++] = (struct stem){ tr->tasks[i].name, len, i };
	}
	qsort(stems, nr, sizeof(*stems), by_stem);
	for (u32 i = 1; i < nr; i++)
		if (stems[i].len == stems[i - 1].len && !memcmp(stems[i].name, stems[i - 1].name, stems[i].len))
			join(of, stems[i].task, stems[i - 1].task);
	free(stems);
}

int families_init(struct families *fam, const struct trace *tr)
{
	fam->nr = tr->nr_tasks;
	fam->of = malloc(((size_t)fam->nr + 1) * sizeof(*fam->of));
	if (!fam->of)
		return -1;
	for (u32 i = 0; i < fam->nr; i++)
		fam->of[i] = i;
	join_processes(fam->of, tr);
	join_cgroups(fam->of, tr);
	join_pools(fam->of, tr);
	for (u32 i = 1; i < fam->nr; i++) {
		u32 parent = tr->tasks[i].parent;

		if (parent < fam->nr && parent != TRACE_IDLE && tr->tasks[i].name[0] &&
		    !strcmp(tr->tasks[i].name, tr->tasks[parent].name))
			join(fam->of, i, parent);
	}
	for (u32 i = 0; i < fam->nr; i++)
		fam->of[i] = root_of(fam->of, i);
	return 0;
}

void families_fini(struct families *fam)
{
	free(fam->of);
	fam->of = NULL;
	fam->nr = 0;
}

bool name_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *back = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			back = name;
		} else if (*pattern == *name) {
			pattern++, name++;
		} else if (star) {
			pattern = star;
			name = ++back;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool descends(const struct trace *tr, u32 task, s32 pid)
{
	u32 steps = 0;

	while (task < tr->nr_tasks && steps++ < 64) {
		if (tr->tasks[task].pid == pid || tr->tasks[task].tgid == pid)
			return true;
		task = tr->tasks[task].parent;
	}
	return false;
}

u32 families_pick(const struct families *fam, const struct trace *tr, const struct trace_pick *pick, bool *member)
{
	u32 nr = 0;

	for (u32 i = 1; i < fam->nr; i++) {
		if (pick->comm && name_matches(pick->comm, tr->tasks[i].name))
			member[i] = true;
		if (pick->pid > 0 && (descends(tr, i, pick->pid) || tr->tasks[fam->of[i]].pid == pick->pid))
			member[i] = true;
		if (pick->tasks && pick->tasks[i])
			member[i] = true;
		nr += member[i];
	}
	return nr;
}

const char *families_name(const struct families *fam, const struct trace *tr, u32 family)
{
	u32 best = family;

	for (u32 i = 1; i < fam->nr; i++)
		if (fam->of[i] == family && tr->tasks[i].pid < tr->tasks[best].pid)
			best = i;
	return tr->tasks[best].name[0] ? tr->tasks[best].name : "?";
}
