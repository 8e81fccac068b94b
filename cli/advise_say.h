/* SPDX-License-Identifier: MIT */
/* advise_say.h - what a change costs, how sure it is, what to paste, and what must be said with it. */
#ifndef CLI_ADVISE_SAY_H
#define CLI_ADVISE_SAY_H

#include "cli/advise_search.h"

/* Fill price and confidence of the answer and the alternatives. */
void advice_price(struct advice *a);
/* Lines to copy: Kubernetes, systemd, docker, the cgroup file. */
void advice_paste(struct sentences *out, const struct advice *a);
void advice_say(struct sentences *out, const struct advice *a);

#endif
