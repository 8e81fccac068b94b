#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build.sh - the workload program, in one static file that needs nothing from the system it runs on.
#
#	tools/oracle/build.sh [FILE]		default: build/workload; run in the source tree
set -eu

out=${1:-build/workload}
mkdir -p "$(dirname "$out")"
${CC:-gcc} -std=gnu11 -O2 -static -pthread -I. -o "$out" tools/oracle/workload.c tools/oracle/threads.c tools/oracle/print.c \
	live/burn.c live/cgroup.c live/cgroup_find.c live/cgroup_rights.c live/file.c live/phase.c oracle/spec.c \
	base/arena.c text/err.c text/number.c text/say.c text/utf8.c
