#!/bin/bash
# SPDX-License-Identifier: MIT
#
# price_test.sh - what the switch path and idle CPUs may cost, in instructions; never in seconds.
#
#	tools/price_test.sh BUILD COMPILER		COMPILER: gcc, or another
#
# Skipped (77) without valgrind.
set -u

build=$1 compiler=$2
command -v valgrind > /dev/null || { echo "price: valgrind is not there"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0

# ---- bandwidth control on the switch path: docs/performance.md 2 ----

bash tools/price.sh --raw "$build" 2000 3.2 5.4 > "$dir/price" || { cat "$dir/price"; exit 1; }
# How a compiler spreads the path over functions moves some instructions, tens of them where limits are charged.
unlimited=11 limited=51
[ "$compiler" = gcc ] || unlimited=20 limited=100
awk -v unlimited=$unlimited -v limited=$limited '
function within(cost, most) {
	if (cost > most || cost < -1) {
		printf "price: row %s, %s: %+.1f instructions a switch, at most %d\n", $1, $2, cost, most
		bad = 1
	}
}
$2 == "not_compiled" { base = $3; digest = $6 }
$2 == "key_off" || $2 == "unconstrained" { within($3 - base, unlimited) }
$2 ~ /^10000000000/ { within($3 - base, limited); if ($3 - base < 5) { print "price: nothing was charged in row " $1; bad = 1 } }
$2 != "no_groups" && $6 != digest { print "price: row " $1 ", " $2 ": other switches than without limits"; bad = 1 }
END { if (NR != 12) { print "price: " NR " lines, not 12"; bad = 1 } exit bad }' "$dir/price" || bad=1

# ---- growth: instructions for each busy CPU-tick ----

# Some compilers' debug information is more than valgrind can read; names are enough.
strip --strip-debug -o "$dir/bench" "$build/bench/bench" || exit 1

per_tick() { # SHAPE N SECONDS
	local said
	said=$(valgrind --tool=callgrind --collect-atstart=no --toggle-collect=machine_run_until --callgrind-out-file="$dir/out" \
		"$dir/bench" "$1" "$2" "$3" 2> "$dir/err") || { tail -3 "$dir/err" >&2; exit 1; }
	awk -v ticks="${said%% *}" '/^totals:/ { printf "%.1f\n", $2 / ticks }' "$dir/out"
}

at_most() { # FACTOR WHAT SHAPE N SECONDS N SECONDS: the second costs at most FACTOR times the first
	local few many
	few=$(per_tick "$3" "$4" "$5") many=$(per_tick "$3" "$6" "$7")
	echo "price: $2: $few and $many instructions a busy CPU-tick"
	awk -v few="$few" -v many="$many" -v factor="$1" 'BEGIN { exit !(few > 0 && many <= few * factor) }' ||
		{ echo "price: $2: more than $1 times"; bad=1; }
}

at_most 1.03 "1 and 1023 idle CPUs" idle 2 10 1024 10
at_most 1.25 "16 and 256 CPUs" cpus 16 1 256 1
at_most 1.6 "16 and 1024 busy threads on a CPU" tasks 16 2 1024 2
at_most 1.6 "16 and 256 groups on a CPU" groups 16 2 256 2
exit $bad
