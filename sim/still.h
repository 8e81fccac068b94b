/* SPDX-License-Identifier: MIT */
/*
 * still.h - a machine in which nothing happens: a lab to look at, whose clock stands.
 */
#ifndef SIM_STILL_H
#define SIM_STILL_H

#include "base/arena.h"
#include "core/lab.h"

struct still {
	struct lab *lab;
	struct arena mem; /* all of the lab; mem.total is what it takes */
};

/*
 * A lab of @cpus CPUs on @topology (NULL: flat) under @model, at @hz.  0; -1 where memory is out or @topology is none of that many CPUs.
 * Then, too, still_fini() must follow.
 */
int still_init(struct still *s, int cpus, const struct topology *topology, const struct kernel_model *model, u32 hz);
void still_fini(struct still *s);

#endif
