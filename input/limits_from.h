/* SPDX-License-Identifier: MIT */
/*
 * limits_from.h - limits out of the files in which managers keep them, into a scenario.
 *
 *	pod.yaml		Kubernetes manifest	resources.limits.cpu and requests.cpu of each container, and the pod's
 *	web.service		systemd unit		CPUQuota=, CPUQuotaPeriodSec=, CPUWeight=, CPUShares=, in it and in web.service.d/NAME.conf
	web.service.d		its drop-ins		the same, where the unit is in another folder; or one of them
 *	/sys/fs/cgroup/web	cgroup directory	cpu.max, cpu.max.burst, cpu.weight; or cpu.cfs_*, cpu.shares; and those below it
 *
 * What kubelet, runc or systemd would change about an amount before the kernel sees it is changed, and said.
 */
#ifndef INPUT_LIMITS_FROM_H
#define INPUT_LIMITS_FROM_H

#include "input/scenario_file.h"

/* How the container runtime of a manifest writes; a systemd unit and a cgroup directory have no choice. */
struct manager {
	bool systemd;	  /* its systemd driver, else cgroupfs */
	bool new_weights; /* requests become weights by the conversion of runc 1.4 and crun 1.23, else by the older one */
};

/*
 * Put what the file or directory in @spec ("[GROUP=]PATH") says into the groups of @sc: without GROUP into those of the same
 * name (the container's, the pod's, the unit's, the directory's), or the only group there is into the only one that is limited.
 * @notes gets what a manager changes, and what of the file found no group.  0, or -1 with @err set and @sc as it was.
 */
int scenario_set_limits_from(struct scenario *sc, const char *spec, const struct manager *manager, struct warnings *notes,
			     struct err *err);

/* cpu.weight of cgroup v2 for cpu.shares of v1 (2 to 262144), as container runtimes convert them, then and now. */
u64 manager_weight(u64 shares, bool new_weights);

#endif
