#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pure.sh - is the scheduler a pure function of what it is handed?
#
#	tools/pure.sh OBJECT...		the objects of base/ and core/, or an archive of them
#
# They are linked into one object, so that calls among them do not count.  What is still undefined then must be one of
# the four memory movers, and no object may keep state: nothing in .data or .bss (relocated constants are fine).
# Prints one line per breach; exit 1 when there is any.
set -eu

LD=${LD:-ld}
NM=${NM:-nm}
OBJDUMP=${OBJDUMP:-objdump}

[ $# -gt 0 ] || { echo "usage: pure.sh OBJECT..." >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$LD" -r -o "$dir/core.o" --whole-archive "$@"

# A sanitizer or coverage build calls its own runtime; that is the compiler's doing, not the scheduler's.
bad=0
"$NM" -u --format=posix "$dir/core.o" |
	awk '$2 == "U" && $1 !~ /^(memcpy|memset|memmove|memcmp|__(u?(div|mod|divmod|mul)|popcount|clz|ctz|bswap|ashl|ashr|lshr)[sdt]i[234]|__(asan|ubsan|tsan|gcov|sanitizer|llvm)_.*|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)$/ {
		print "core needs " $1; bad = 1 } END { exit bad }' || bad=1
"$OBJDUMP" -t "$dir/core.o" |
	awk '{ at = index($0, " O ") } at && $0 ~ /[ \t]\.(data|bss)[.\t]/ && $0 !~ /\.data\.rel\.ro/ && $NF !~ /^(__|\.)/ {
		print "core keeps state in " $NF; bad = 1 } END { exit bad }' || bad=1
exit $bad
