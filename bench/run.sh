#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - every figure of docs/performance.md in one table.
#
#	bench/run.sh [BUILD]		BUILD: an optimised build; build/bench, which is made when it is not there
#
# Times are CPU time of one thread, the best of five runs; "limit" is what must not be exceeded, "!" where it is.  The second part counts
# instructions and needs valgrind.
set -eu
cd "$(dirname "$0")/.."

build=${1:-build/bench}
if [ $# -eq 0 ]; then
	[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release > /dev/null
	ninja -C "$build" bench/bench bench/pipe_full bench/pipe_no_limits bench/pipe_no_groups > "$build/log" || { cat "$build/log"; exit 1; }
fi

sed -n 's/^model name[^:]*: /on: /p' /proc/cpuinfo | head -1
"$build/bench/bench"
echo
tools/price.sh "$build" || [ $? -eq 77 ]
