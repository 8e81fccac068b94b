/* SPDX-License-Identifier: MIT */
/* kernel.h - which kernel a scenario asks for: its row with the changes, and what follows from its age. */
#ifndef OWNER_KERNEL_H
#define OWNER_KERNEL_H

#include "core/model.h"
#include "text/err.h"
#include "work/scenario.h"

/* Fill @model from the row, the rules and the tunables of @sc.  0, or -1 with @err set. */
int kernel_of(const struct scenario *sc, struct kernel_model *model, struct err *err);

/* 1 or 2: what @sc says, else what a kernel of that age has. */
int cgroup_of(const struct scenario *sc, const struct kernel_model *model);

/* What @sc says, else what the row was built with. */
enum preempt_model preempt_of(const struct scenario *sc, const struct kernel_model *model);

#endif
