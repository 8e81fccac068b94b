/* SPDX-License-Identifier: MIT */
/*
 * Who wakes threads that sleep until the same moment: A1 and A2 of docs/rules/smp-checked.md.
 *
 *	CPU 0 [ t1 t3 ]  CPU 1 [ t0 t2 ]	one interrupt each, in order of arming; CPU after CPU, from a first one
 */
#include "tests/test.h"

#include "tests/machine_of.h"

/* The @nr-th sched_waking at @t, from 0. */
static struct event waking_at(struct testbed *m, u64 t, u32 nr)
{
	struct event ev;
	u32 i;

	for (i = 0;; i++) {
		ev = nth_event(m, EVENT_SCHED_WAKING, i);
		if (ev.time == NEVER || (ev.time == t && !nr--))
			return ev;
	}
}

/* A1: four threads on two CPUs, made in turn, sleep until 10 ms: each CPU's come in one piece, in the order of arming. */
TEST(timers, a1_cpu_after_cpu)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 task[4], i;
	static const u32 order[] = { 1, 3, 0, 2 };

	for (i = 0; i < 4; i++)
		task[i] = program(m, "/", i % 2 ? 0 : 1, 0, RUN(1 * MS), AT(10 * MS), RUN(1 * MS));
	run_until(m, 20 * MS);
	for (i = 0; i < 4; i++) {
		struct event ev = waking_at(m, 10 * MS, i);

		CHECK_EQ(ev.task, order[i] + 1); /* ids count from 1 */
		CHECK_EQ(ev.cpu, i / 2);
		(void)task[i];
	}
	done(m);
}

/* A1, in the emulator: CPU 1's two come 15 us behind CPU 0's, each CPU's in one piece, and who is woken elsewhere begins when that CPU has its turn. */
TEST(timers, a1_cpus_are_served_in_turn)
{
	struct testbed *m = machine_of(.cpus = 2, .timers_apart = 15 * US);
	static const u64 first_and_last[SCENARIO_MOST_CPUS / 64] = { 0x9 };
	static const u32 order[] = { 1, 3, 0, 2 };
	u32 i;

	for (i = 0; i < 4; i++)
		program(m, "/", i % 2 ? 0 : 1, 0, RUN(1 * MS), AT(10 * MS), RUN(1 * MS));
	run_until(m, 20 * MS);
	for (i = 0; i < 4; i++) {
		struct event ev = waking_at(m, 10 * MS + i / 2 * 15 * US, i % 2);

		CHECK_EQ(ev.task, order[i] + 1);
		CHECK_EQ(ev.cpu, i / 2);
	}
	done(m);
	m = machine_of(.cpus = 4, .timers_apart = 15 * US);
	for (i = 0; i < 2; i++) /* both sleep on CPU 0, and the second finds CPU 3 idle: three turns behind it */
		affinity_at(m, 5 * MS, program(m, "/", 0, 0, RUN(1 * MS), AT(10 * MS), RUN(1 * MS)), first_and_last);
	run_until(m, 20 * MS);
	CHECK_EQ(nth_run(m, 0, 1).from, 10 * MS);
	CHECK_EQ(nth_run(m, 1, 1).cpu, 3);
	CHECK_EQ(nth_run(m, 1, 1).from, 10 * MS + 3 * 15 * US);
	done(m);
}

/* How often a run of task 0, on CPU 0, begins @apart before one of CPU 1's tasks 1 and 3, where they begin @apart from each other; those are @pairs. */
static u32 begins_first(struct testbed *m, u64 apart, u32 *pairs)
{
	u32 i, k, n, first = 0;
	u64 from, other;

	*pairs = 0;
	for (i = 0; (from = nth_run(m, 0, i).from) != NEVER; i++)
		for (k = 1; k < 4; k += 2)
			for (n = 0; (other = nth_run(m, k, n).from) != NEVER; n++) {
				*pairs += other == from + apart || from == other + apart;
				first += other == from + apart;
			}
	return first;
}

/* A5, in the emulator: a tick's doings come CPU by CPU, from one on that is drawn; else both CPUs switch at once. */
TEST(timers, a5_ticks_are_served_in_turn)
{
	static const u64 turns[] = { 15 * US, 0 };
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(turns); i++) {
		struct testbed *m = machine_of(.cpus = 2, .row = "6.12", .timers_apart = turns[i]);
		u32 pairs, first;

		scenario_of(m)->machine.ticks = TICKS_SHUFFLED;
		for (k = 0; k < 4; k++)
			hog(m, "/", k % 2, 0);
		run_until(m, 400 * MS);
		first = begins_first(m, turns[i], &pairs);
		CHECK(pairs >= 40); /* the 100 ticks each end a turn on both, and every second one begins a run of task 0 */
		CHECK_WITHIN(first * 100 / pairs, turns[i] ? 30 : 100, turns[i] ? 70 : 100);
		done(m);
	}
}

/* When the task on CPU @cpu goes on after the refill at @t. */
static u64 goes_on(struct testbed *m, u32 cpu, u64 t)
{
	u32 i;

	for (i = 0; nth_run(m, cpu, i).from < t; i++)
		;
	return nth_run(m, cpu, i).from;
}

/* In the emulator, whom a refill lets go begin in turn: the CPU whose timer it is, and the others behind it.  (38 of 41 refills of four hogs on 5.10.) */
TEST(timers, those_let_go_begin_in_turn)
{
	static const u64 turns[] = { 15 * US, 0 };
	u64 from[4];
	u32 i, k, first;

	for (i = 0; i < ARRAY_SIZE(turns); i++) {
		struct testbed *m = machine_of(.cpus = 4, .row = "5.10", .timers_apart = turns[i]);

		group(m, "/g", 100 * MS, 100 * MS);
		for (k = 0; k < 4; k++)
			hog(m, "/g", (int)k, 0);
		run_until(m, 250 * MS);
		for (k = first = 0; k < 4; k++) {
			from[k] = goes_on(m, k, 200 * MS);
			first = from[k] < from[first] ? k : first;
		}
		CHECK_EQ(from[first], 200 * MS);
		for (k = 1; k < 4; k++)
			CHECK_EQ(from[(first + k) % 4], 200 * MS + k * turns[i]);
		done(m);
	}
}

/* A1: the interrupted CPU does not switch before its batch is finished: the second and third find it taken. */
TEST(timers, a1_a_batch_sees_its_own_cpu_busy)
{
	static const char *const rows[] = { "5.10", "6.12" };
	size_t k;

	for (k = 0; k < ARRAY_SIZE(rows); k++) {
		struct testbed *m = machine_of(.cpus = 4, .row = rows[k], .rules = { "sis_util=off" });
		u32 task[3], i;

		for (i = 0; i < 3; i++)
			task[i] = program(m, "/", ANY_CPU, 0, RUN(1 * MS), AT(10 * MS), RUN(1 * MS), AT(20 * MS), RUN(1 * MS));
		run_until(m, 30 * MS);
		for (i = 0; i < 3; i++) {
			CHECK_EQ(nth_run(m, task[i], 1).from, 10 * MS);
			CHECK_EQ(nth_run(m, task[i], 2).from, 20 * MS);
		}
		done(m);
	}
}

static int first_cpu_at(u64 seed, bool history, u64 t)
{
	struct testbed *m = machine_of(.cpus = 4, .seed = seed);
	int i, cpu;

	scenario_of(m)->history = history;
	for (i = 0; i < 4; i++)
		cycle(m, "/", i, 0, 10 * MS, RUN(1 * MS));
	run_until(m, t + 1 * MS);
	cpu = waking_at(m, t, 0).cpu;
	for (i = 1; i < 4; i++)
		CHECK_EQ(waking_at(m, t, (u32)i).cpu, (cpu + i) % 4);
	done(m);
	return cpu;
}

/* A1: which CPU comes first is CPU 0, or drawn from the seed for each instant where the machine has a past; the others follow around. */
TEST(timers, a1_the_first_cpu)
{
	u64 seed, seen = 0;
	int cpu;

	CHECK_EQ(first_cpu_at(1, false, 20 * MS), 0);
	CHECK_EQ(first_cpu_at(2, false, 30 * MS), 0);
	for (seed = 1; seed <= 12; seed++) {
		cpu = first_cpu_at(seed, true, 20 * MS);
		CHECK_EQ(first_cpu_at(seed, true, 20 * MS), cpu);
		seen |= (u64)1 << cpu;
	}
	CHECK_EQ(seen, 0xf);
	CHECK(first_cpu_at(1, true, 20 * MS) != first_cpu_at(1, true, 30 * MS) ||
	      first_cpu_at(1, true, 20 * MS) != first_cpu_at(1, true, 40 * MS));
}

/* A1: the timer is that of the CPU where it went to sleep, and so the waker's CPU, whoever is idle; so it wakes there. */
TEST(timers, a1_woken_where_it_slept)
{
	struct testbed *m = machine_of(.cpus = 4);
	u32 hog0 = hog(m, "/", 0, 0), t;

	t = program(m, "/", ANY_CPU, 1 * MS, RUN(1 * MS), SLEEP(5 * MS), RUN(1 * MS), SLEEP(5 * MS), RUN(1 * MS));
	run_until(m, 30 * MS);
	CHECK_EQ(nth_run(m, t, 1).cpu, nth_run(m, t, 0).cpu);
	CHECK_EQ(nth_run(m, t, 2).cpu, nth_run(m, t, 0).cpu);
	CHECK_EQ(waking_at(m, 7 * MS, 0).cpu, nth_run(m, t, 0).cpu);
	CHECK_EQ(ran(m, hog0, 0, 30 * MS), 30 * MS);
	done(m);
}

/* A CPU that is gone has no timers: another one's interrupt wakes who slept there. */
TEST(timers, an_offline_cpu_wakes_nobody)
{
	struct testbed *m = machine_of(.cpus = 2);
	u32 t = program(m, "/", ANY_CPU, 0, RUN(1 * MS), AT(10 * MS), RUN(1 * MS));

	online_at(m, 6 * MS, 0, false);
	run_until(m, 20 * MS);
	CHECK_EQ(nth_run(m, t, 0).cpu, 0);
	CHECK_EQ(waking_at(m, 10 * MS, 0).cpu, 1);
	CHECK_EQ(nth_run(m, t, 1).cpu, 1);
	done(m);
}

/* A2: a thread that is late for its own timer goes on: nobody is woken, nothing is placed. */
TEST(timers, a2_a_late_thread_does_not_wake)
{
	struct testbed *m = machine_of(.cpus = 2);

	u32 t = cycle(m, "/", ANY_CPU, 0, 10 * MS, RUN(12 * MS));

	run_until(m, 100 * MS);
	CHECK_EQ(count_events(m, EVENT_SCHED_WAKING), 0);
	CHECK_EQ(nth_run(m, t, 0).to, NEVER);
	done(m);
}

/*
 * What looking for an idle CPU costs is the waker's, and comes before the next thing that it does: four CPUs at 10 us each, then 2 ms of work;
 * or a spin, which ends when the wakee has run its 1 ms and says so.
 */
TEST(timers, the_waker_pays_for_the_search)
{
	int spins;

	for (spins = 0; spins < 2; spins++) {
		struct testbed *m = machine_of(.cpus = 4, .costs = { .scan = 10 * US, .wakeup_released = NEVER });
		u32 there = condition(m, "there"), back = condition(m, "back"), waker, wakee;
		struct step spin = { .kind = STEP_SPIN, .ref = back };

		wakee = program(m, "/", ANY_CPU, 0, RUN(1 * MS), SUSPEND(there), RUN(1 * MS), RESUME(back));
		hog(m, "/", 1, 0);
		hog(m, "/", 2, 0);
		waker = program(m, "/", 0, 10 * MS, RUN(1 * MS), RESUME(there), spins ? spin : RUN(1 * MS), RUN(1 * MS));
		run_until(m, 20 * MS);
		CHECK_EQ(nth_run(m, wakee, 1).cpu, 3);
		CHECK_EQ(nth_run(m, wakee, 1).to, 12 * MS);
		CHECK_EQ(nth_run(m, waker, 0).to, 13 * MS + (spins ? 0 : 40 * US));
		done(m);
	}
}

/*
 * 8: a wakeup of another, idle CPU takes one interrupt and one way out of idle, whoever queues the wakee; of a polling one nothing.  (Both threads
 * began one way out of idle late.)
 */
TEST(timers, a_remote_wakeup_costs_one_interrupt)
{
	static const char *const rows[] = { "5.10", "6.1", "7.2" };
	size_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		bool polls = i % 2;
		struct testbed *m = machine_of(.cpus = 2, .row = rows[i / 2], .costs = { .ipi = 10 * US, .idle_exit = 20 * US,
					       .idle_poll = polls ? 1 * SEC : 0, .wakeup_released = NEVER });
		u32 there = condition(m, "there"), wakee;

		wakee = program(m, "/", 1, 0, RUN(1 * MS), SUSPEND(there), RUN(1 * MS));
		program(m, "/", 0, 10 * MS, RUN(1 * MS), RESUME(there), RUN(5 * MS));
		run_until(m, 30 * MS);
		CHECK_ROW(nth_run(m, wakee, 1).from - nth_run(m, wakee, 0).from, (polls ? 11000 : 11030) * US, rows[i / 2]);
		done(m);
	}
}

TEST_MAIN("smp: timers of one moment")
