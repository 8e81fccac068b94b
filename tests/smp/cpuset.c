/* SPDX-License-Identifier: MIT */
/*
 * cpuset.cpus: what a group leaves to its tasks, what a change does to them, and what a kernel refuses (docs/rules/smp.md section 3).
 */
#include "tests/test.h"

#include "tests/smp/place_bed.h"

/* ---- effective sets ---- */

static int cpuset(struct bed *b, struct task_group *tg, u64 cpus)
{
	return lab_set_cpuset(b->lab, 0, tg, cpus ? &cpus : NULL, NULL);
}

static u64 cpus_of(struct bed *b, const struct task_group *tg)
{
	u64 cpus = 0;

	lab_group_cpus(b->lab, tg, &cpus);
	return cpus;
}

static struct task_group *unlimited(struct bed *b, struct task_group *parent) { return limited(&b->d, parent, RUNTIME_INF, 100 * MS); }

TEST(effective, what_the_parent_has_of_it_or_the_parents_where_that_is_nothing)
{
	struct task_group *web, *a, *in;
	struct bed b;

	bed_of(&b, M8, .row = "6.12");
	web = unlimited(&b, NULL);
	a = unlimited(&b, web);
	in = unlimited(&b, a);
	CHECK_EQ(cpus_of(&b, in), 0xff);
	CHECK_EQ(cpuset(&b, web, 0x0f), 0);
	CHECK_EQ(cpus_of(&b, in), 0x0f); /* nothing said: inherited through two levels */
	CHECK_EQ(cpuset(&b, a, 0x3c), 0);
	CHECK_EQ(cpus_of(&b, a), 0x0c);
	CHECK_EQ(cpuset(&b, in, 0x40), 0);
	CHECK_EQ(cpus_of(&b, in), 0x0c); /* nothing is left of it */
	CHECK_EQ(cpuset(&b, web, 0xf0), 0);
	CHECK_EQ(cpus_of(&b, a), 0x30);
	CHECK_EQ(cpuset(&b, web, 0), 0);
	CHECK_EQ(cpus_of(&b, in), 0x3c); /* a's own, all of it now; 6 is still none of it */
	CHECK_EQ(cpuset(&b, a, 0), 0);
	CHECK_EQ(cpus_of(&b, in), 0x40);
	bed_fini(&b);
}

/* ---- what a change does to tasks ---- */

static struct task_struct *member(struct bed *b, struct task_group *tg, int cpu)
{
	struct task_spec spec = { .tg = tg };
	struct task_struct *p = lab_fork(b->lab, cpu, NULL, &spec);

	start(&b->d, p);
	CHECK_EQ(lab_task_cpu(p), cpu);
	return p;
}

/* smp-35, by a cpuset: who runs is taken along, who waits moves at once, who may stay stays, a sleeper moves when it wakes. */
TEST(change, smp_35_a_cpuset_shrinks_to_one_cpu)
{
	struct task_struct *asleep, *running, *there, *waiting, *stranger;
	struct task_group *tg;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	tg = unlimited(&b, NULL);
	running = member(&b, tg, 0);
	there = member(&b, tg, 1);
	stranger = hog_on(&b, 2);
	asleep = member(&b, tg, 3);
	block(&b.d, 3);
	waiting = hog_on(&b, 0);
	CHECK_EQ(lab_move(b.lab, 0, waiting, tg), 0);
	CHECK_EQ(cpuset(&b, tg, 2), 0);
	CHECK_EQ(lab_task_cpu(waiting), 1);
	obey_kicks(&b.d);
	CHECK_EQ(lab_task_cpu(running), 1);
	CHECK_EQ(lab_task_cpu(there), 1);
	CHECK_EQ(there->migrations, 0);
	CHECK_EQ(lab_task_cpu(stranger), 2);
	CHECK_EQ(lab_task_cpu(asleep), 3);
	CHECK_EQ(interrupt_wakes(&b, 3, asleep), 1);
	bed_fini(&b);
}

/* It asked for CPU 1, its cpuset goes to CPU 2 and comes back: from 6.2 on it is on CPU 1 again, before it may use all. */
TEST(change, what_a_task_asked_for_holds_again_from_6_2)
{
	static const struct { const char *row; u64 then; } rows[] = { { "4.14", 0xf }, { "6.1", 0xf }, { "6.4", 2 }, { "7.2", 2 } };
	const u64 one = 2;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_struct *p;
		struct task_group *tg;
		struct bed b;

		bed_of(&b, M4, .row = rows[i].row);
		tg = unlimited(&b, NULL);
		p = member(&b, tg, 0);
		CHECK_EQ(lab_affinity(b.lab, 0, p, &one), 0);
		obey_kicks(&b.d);
		CHECK_EQ(lab_task_cpu(p), 1);
		CHECK_EQ(cpuset(&b, tg, 4), 0);
		obey_kicks(&b.d);
		CHECK_EQ(lab_task_cpu(p), 2); /* the cpuset, where nothing of it was asked for */
		CHECK_EQ(cpuset(&b, tg, 0xf), 0);
		obey_kicks(&b.d);
		CHECK_ROW(*p->cpus_allowed, rows[i].then, rows[i].row);
		CHECK_ROW(lab_task_cpu(p), rows[i].then == 2 ? 1 : 2, rows[i].row);
		bed_fini(&b);
	}
}

/* From inside it gets what the cpuset has of what it asks for; nothing is refused and changes nothing; all of it is remembered. */
TEST(change, a_task_gets_what_its_cpuset_has_of_what_it_asks_for)
{
	const u64 asked = 0x5, outside = 0xc;
	struct task_struct *p;
	struct task_group *tg;
	struct bed b;

	bed_of(&b, M4, .row = "6.12");
	tg = unlimited(&b, NULL);
	p = member(&b, tg, 0);
	CHECK_EQ(cpuset(&b, tg, 0x3), 0);
	CHECK_EQ(lab_affinity(b.lab, 0, p, &asked), 0);
	CHECK_EQ(*p->cpus_allowed, 0x1);
	CHECK_EQ(lab_affinity(b.lab, 0, p, &outside), -22);
	CHECK_EQ(*p->cpus_allowed, 0x1);
	CHECK_EQ(cpuset(&b, tg, 0xf), 0);
	CHECK_EQ(*p->cpus_allowed, 0x5);
	bed_fini(&b);
}

/* To 6.1 only a change of what is effective overwrites: the same set again, or one that the parent cuts the same, leaves tasks alone. */
TEST(change, nothing_happens_where_the_effective_set_stays)
{
	const u64 one = 2;
	struct task_struct *p;
	struct task_group *web, *in;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	web = unlimited(&b, NULL);
	in = unlimited(&b, web);
	CHECK_EQ(cpuset(&b, web, 0x3), 0);
	p = member(&b, in, 0);
	CHECK_EQ(lab_affinity(b.lab, 0, p, &one), 0);
	CHECK_EQ(cpuset(&b, web, 0x3), 0);
	CHECK_EQ(*p->cpus_allowed, 0x2);
	CHECK_EQ(cpuset(&b, in, 0x3), 0);
	CHECK_EQ(*p->cpus_allowed, 0x2);
	CHECK_EQ(cpuset(&b, in, 0x1), 0);
	CHECK_EQ(*p->cpus_allowed, 0x1);
	bed_fini(&b);
}

/* Into another group: with another cpuset its CPUs are the new ones; with the same, or none, they are its own still. */
TEST(change, a_move_takes_over_the_cpuset)
{
	const u64 one = 2;
	struct task_group *free, *also_free, *tg;
	struct task_struct *p;
	struct bed b;

	bed_of(&b, M4, .row = "5.10");
	free = unlimited(&b, NULL);
	also_free = unlimited(&b, NULL);
	tg = unlimited(&b, NULL);
	CHECK_EQ(cpuset(&b, tg, 0xc), 0);
	p = member(&b, free, 0);
	CHECK_EQ(lab_affinity(b.lab, 0, p, &one), 0);
	obey_kicks(&b.d);
	CHECK_EQ(lab_move(b.lab, 0, p, also_free), 0);
	CHECK_EQ(*p->cpus_allowed, 0x2);
	CHECK_EQ(lab_move(b.lab, 0, p, tg), 0);
	obey_kicks(&b.d);
	CHECK_EQ(*p->cpus_allowed, 0xc);
	CHECK(lab_task_cpu(p) >= 2);
	bed_fini(&b);
}

/* cgroup v2: without its last CPU a cpuset is the parent's; when the CPU comes back its tasks do. */
TEST(change, a_cpuset_without_cpus_is_its_parents_until_they_come_back)
{
	struct task_struct *p;
	struct task_group *web, *tg;
	struct bed b;

	bed_of(&b, M4, .row = "6.12");
	web = unlimited(&b, NULL);
	tg = unlimited(&b, web);
	CHECK_EQ(cpuset(&b, web, 0xc), 0);
	CHECK_EQ(cpuset(&b, tg, 0x8), 0);
	p = member(&b, tg, 3);
	CHECK_EQ(lab_hotplug(b.lab, 3, false), 0);
	obey_kicks(&b.d);
	CHECK_EQ(lab_task_cpu(p), 2);
	CHECK_EQ(lab_hotplug(b.lab, 3, true), 0);
	obey_kicks(&b.d);
	CHECK_EQ(lab_task_cpu(p), 3);
	bed_fini(&b);
}

/* A kernel thread that is bound to its CPU stays there. */
TEST(change, a_bound_kernel_thread_is_not_asked)
{
	const u64 one = 1;
	struct task_group *tg;
	struct task_struct *p;
	struct bed b;

	bed_of(&b, S2, .row = "6.12");
	tg = unlimited(&b, NULL);
	p = lab_fork(b.lab, 0, NULL, &(struct task_spec){ .tg = tg, .kthread = true, .cpus = &one });
	CHECK_EQ(cpuset(&b, tg, 2), 0);
	CHECK_EQ(*p->cpus_allowed, 1);
	bed_fini(&b);
}

/* ---- what is refused ---- */

enum { SHRINK_BELOW_CHILD, EMPTY_WITH_TASKS, WIDER_THAN_PARENT, THE_ROOT };

static int refusal(const char *row, int cgroup, int what)
{
	struct task_group *web, *in;
	const char *why = NULL;
	const u64 low = 0x3, one = 0x1, high = 0xc;
	struct bed b;
	int ret;

	bed_of(&b, M4, .row = row, .cgroup = cgroup);
	web = unlimited(&b, NULL);
	in = unlimited(&b, web);
	CHECK_EQ(cpuset(&b, web, low), 0);
	if (what == SHRINK_BELOW_CHILD)
		CHECK_EQ(cpuset(&b, in, low), 0);
	if (what == EMPTY_WITH_TASKS)
		member(&b, in, 0);
	ret = lab_set_cpuset(b.lab, 0, what == THE_ROOT ? lab_root(b.lab) : what == WIDER_THAN_PARENT ? in : web,
			     what == EMPTY_WITH_TASKS ? NULL : what == WIDER_THAN_PARENT ? &high : &one, &why);
	CHECK_EQ(!ret, !why);
	bed_fini(&b);
	return ret;
}

TEST(refused, as_the_version_and_the_kernel_have_it)
{
	enum { ACCES = -13, BUSY = -16, NOSPC = -28 };
	static const struct { const char *row; int cgroup, shrink, empty, wider; } rows[] = {
		{ "4.14", 1, BUSY, NOSPC, ACCES }, { "7.2", 1, BUSY, NOSPC, ACCES },
		{ "5.10", 2, BUSY, NOSPC, 0 }, { "6.1", 2, 0, NOSPC, 0 }, { "6.18", 2, 0, NOSPC, 0 }, { "7.2", 2, 0, 0, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(refusal(rows[i].row, rows[i].cgroup, SHRINK_BELOW_CHILD), rows[i].shrink, rows[i].row);
		CHECK_ROW(refusal(rows[i].row, rows[i].cgroup, EMPTY_WITH_TASKS), rows[i].empty, rows[i].row);
		CHECK_ROW(refusal(rows[i].row, rows[i].cgroup, WIDER_THAN_PARENT), rows[i].wider, rows[i].row);
		CHECK_ROW(refusal(rows[i].row, rows[i].cgroup, THE_ROOT), ACCES, rows[i].row);
	}
}

TEST_MAIN("smp: cpusets")
