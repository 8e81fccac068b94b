#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pure_test.sh - the scheduler is pure, and the check that says so can fail.
#
#	tools/pure_test.sh CC OBJECT...
set -eu

cc=$1
shift
sh tools/pure.sh "$@"
echo "pure: base and core need four memory functions and keep no state"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
plant() { # CODE WHAT
	printf '%s\n' "$1" > "$dir/planted.c"
	$cc -O2 -fPIC -c "$dir/planted.c" -o "$dir/planted.o"
	if sh tools/pure.sh "$dir/planted.o" > /dev/null; then
		echo "pure: a planted fault was not found: $2"
		exit 1
	fi
}
plant 'int printf(const char *, ...); void f(int x); void f(int x) { printf("%d", x); }' "a call to printf"
plant 'static int calls; int f(void); int f(void) { return ++calls; }' "a counter in .bss"
plant 'int mode = 3; int f(void); int f(void) { return mode; }' "a variable in .data"
