/* SPDX-License-Identifier: MIT */
/*
 * scenario.c - an empty scenario, with every default in place.
 *
 * The default costs are those of a present server CPU, rounded to one digit: docs/scenario.md says where each is from.
 */
#include "text/memory.h"
#include "work/scenario.h"

#define PREEMPT_DEFAULT (-1) /* the row's own: rule preempt */

struct costs costs_default(void)
{
	return (struct costs){
		.switch_ = 2 * US,
		.wakeup = 3 * US,
		.wakeup_released = NEVER,
		.timer_irq = 1 * US,
		.tick = 1 * US,
		.ipi = 1 * US,
		.idle_exit = 1 * US,
		.migrate = 5 * US,
		.unthrottle = 500,
		.newidle = 500,
		.softirq = 1 * US,
		.stopper = 5 * US,
		.scan = 100,
		.timer_slack = 50 * US,
	};
}

struct costs costs_none(void) { return (struct costs){ .wakeup_released = NEVER }; }

void scenario_init(struct scenario *sc)
{
	*sc = (struct scenario){
		.name = "",
		.file = "",
		.kernel = { .row = "5.10" },
		.seed = 1,
		.duration = 10 * SEC,
		.measure_to = NEVER,
		.machine = { .cpus = 1, .hz = 250, .nohz = true, .preempt = PREEMPT_DEFAULT, .costs = costs_default() },
	};
	arena_of_malloc(&sc->mem);
}

void scenario_free(struct scenario *sc)
{
	arena_fini(&sc->mem);
}
