/* SPDX-License-Identifier: MIT */
/* kernels_impl.h - what the printers of rows and rules share.  Private to report/kernels_*.c. */
#ifndef REPORT_KERNELS_IMPL_H
#define REPORT_KERNELS_IMPL_H

#include "core/model.h"

/* Rows are few; the model of one is made when it is asked for. */
u32 kernels_nr_rows(void);
struct kernel_model kernels_model_at(u32 i);
/* The index of the row called @row, which there is. */
int kernels_index(const char *row);
/* The model of the row that @row inherits from; false where it inherits from none. */
bool kernels_parent(const char *row, struct kernel_model *parent);

/* Is a rule of CPU bandwidth control, of the fair class, or of EEVDF? */
enum rule_part { RULE_PART_BANDWIDTH, RULE_PART_FAIR, RULE_PART_EEVDF, NR_RULE_PARTS };
enum rule_part kernels_part(enum rule rule);
const char *kernels_part_name(enum rule_part part);

/* Linux spells a rule that is off or on NAME and NO_NAME: NAME into @buf, "" where the rule has other values.  Returns @buf. */
char *kernels_alias(enum rule rule, char *buf, size_t size);

/* Do all rows agree in @rule, in @param? */
bool kernels_rule_varies(enum rule rule);
bool kernels_param_varies(enum param param);

#endif
