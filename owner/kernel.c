/* SPDX-License-Identifier: MIT */
/*
 * kernel.c - which kernel a scenario asks for.
 *
 *	row "5.4"  +  rules  +  tunables  --->  struct kernel_model, or an error that says what to write instead
 */
#include "owner/kernel.h"

#include <errno.h>

static const char *file_of(const struct scenario *sc) { return sc->file && *sc->file ? sc->file : NULL; }

static int refuse_rule(const struct scenario *sc, const char *rule, int ret, const char *needs, struct err *err)
{
	switch (ret) {
	case -ENOENT:
		err_at(err, file_of(sc), 0, 0, rule, "there is no such rule");
		err_hint(err, "fairground kernels lists the rules");
		break;
	case -EPERM:
		err_at(err, file_of(sc), 0, 0, rule, "this rule needs %s", needs);
		err_hint(err, "add --rule %s before it", needs);
		break;
	default:
		err_at(err, file_of(sc), 0, 0, rule, "the rule has no such value");
		err_hint(err, "fairground kernels lists the values of each rule");
	}
	return -1;
}

int kernel_of(const struct scenario *sc, struct kernel_model *model, struct err *err)
{
	const struct kernel_spec *k = &sc->kernel;
	u32 i;

	if (model_init(model, k->row)) {
		err_at(err, file_of(sc), 0, 0, "kernel", "there is no row called %s", k->row);
		err_hint(err, "fairground kernels lists the rows");
		return -1;
	}
	for (i = 0; i < k->nr_rules; i++) {
		const char *needs = NULL;
		int ret = model_set_rule(model, k->rules[i], &needs);

		if (ret)
			return refuse_rule(sc, k->rules[i], ret, needs, err);
	}
	if (sc->machine.hrtick) /* as good as the feature's name */
		model->rule[RULE_HRTICK] = 1;
	for (i = 0; i < k->nr_tunables; i++) {
		int ret = model_set_tunable(model, k->tunables[i], k->tunable_values[i]);

		if (ret == -ENOENT)
			return err_at(err, file_of(sc), 0, 0, k->tunables[i], "there is no such tunable");
		if (ret)
			return err_at(err, file_of(sc), 0, 0, k->tunables[i], "the value is out of range");
	}
	return 0;
}

/* Rule cgroup: v1 is value 0. */
int cgroup_of(const struct scenario *sc, const struct kernel_model *model)
{
	return sc->machine.cgroup ? sc->machine.cgroup : 1 + model->rule[RULE_CGROUP];
}

/* Rule preempt: what the row's kernel was built with. */
enum preempt_model preempt_of(const struct scenario *sc, const struct kernel_model *model)
{
	return (enum preempt_model)(sc->machine.preempt < 0 ? model->rule[RULE_PREEMPT] : sc->machine.preempt);
}
