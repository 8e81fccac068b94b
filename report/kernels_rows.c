/* SPDX-License-Identifier: MIT */
/* kernels_rows.c - questions about rows and rules that every printer of them asks. */
#include "report/kernels_impl.h"

#include <stdio.h>
#include <string.h>

u32 kernels_nr_rows(void)
{
	u32 n = 0;

	while (model_row_name((int)n))
		n++;
	return n;
}

struct kernel_model kernels_model_at(u32 i)
{
	struct kernel_model m;

	memset(&m, 0, sizeof(m));
	model_init(&m, model_row_name((int)i));
	return m;
}

int kernels_index(const char *row)
{
	int i;

	for (i = 0; model_row_name(i); i++)
		if (!strcmp(model_row_name(i), row))
			return i;
	return -1;
}

bool kernels_parent(const char *row, struct kernel_model *parent)
{
	const char *name = model_row_parent(kernels_index(row));

	if (!name)
		return false;
	memset(parent, 0, sizeof(*parent));
	model_init(parent, name);
	return true;
}

/* rules.def keeps bandwidth control first and EEVDF last; its first rule is the pick. */
enum rule_part kernels_part(enum rule rule)
{
	if (!strncmp(rule_info(rule)->name, "bw_", 3))
		return RULE_PART_BANDWIDTH;
	return rule < RULE_PICK ? RULE_PART_FAIR : RULE_PART_EEVDF;
}

const char *kernels_part_name(enum rule_part part)
{
	static const char *const names[NR_RULE_PARTS] = { "CPU bandwidth control", "The fair class",
							  "EEVDF, and when a switch takes effect" };

	return names[part];
}

char *kernels_alias(enum rule rule, char *buf, size_t size)
{
	const char *name = rule_info(rule)->name;
	size_t i;

	buf[0] = '\0';
	if (strcmp(rule_info(rule)->values, "off|on"))
		return buf;
	for (i = 0; name[i] && i + 1 < size; i++)
		buf[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
	buf[i] = '\0';
	return buf;
}

bool kernels_rule_varies(enum rule rule)
{
	struct kernel_model first = kernels_model_at(0);
	u32 i, nr = kernels_nr_rows();

	for (i = 1; i < nr; i++)
		if (kernels_model_at(i).rule[rule] != first.rule[rule])
			return true;
	return false;
}

bool kernels_param_varies(enum param param)
{
	struct kernel_model first = kernels_model_at(0);
	u32 i, nr = kernels_nr_rows();

	for (i = 1; i < nr; i++)
		if (kernels_model_at(i).param[param] != first.param[param])
			return true;
	return false;
}
