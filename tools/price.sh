#!/bin/bash
# SPDX-License-Identifier: MIT
#
# price.sh - the price of bandwidth control on the switch path, in the shape of the table of "CFS Bandwidth Control v7.2" (2011).
#
#	tools/price.sh BUILD [ROUND-TRIPS [ROW...]]		BUILD: a build directory; 100000 round trips, rows 3.2 and 5.4
#	tools/price.sh --raw BUILD ...				ROW WHO INSTRUCTIONS BRANCHES SWITCHES DIGEST a line, for tests
#
# Instructions and branches of bench/pipe.c's ping_pong() under callgrind, divided by the switches: they repeat to the last one.
# Cycles need a machine whose counters perf can read.
set -u

raw=
[ "${1:-}" = --raw ] && { raw=1; shift; }
build=${1:?usage: price.sh [--raw] BUILD [ROUND-TRIPS [ROW...]]}
rounds=${2:-100000}
shift $(($# < 2 ? $# : 2))
rows=${*:-3.2 5.4}
command -v valgrind > /dev/null || { echo "price: needs valgrind"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# measure ROW TITLE PIPE WHO: a line "ROW TITLE INSTRUCTIONS BRANCHES SWITCHES DIGEST CYCLES"
measure() {
	local said
	said=$(valgrind --tool=callgrind --branch-sim=yes --collect-atstart=no '--toggle-collect=ping_pong*' \
		--callgrind-out-file="$dir/out" "$build/bench/pipe_$3" "$1" "$4" "$rounds" 2> "$dir/err") || { cat "$dir/err"; exit 1; }
	awk -v row="$1" -v title="$2" -v switches="${said%% *}" -v digest="${said##* }" -v cycles="$(cycles "$1" "$3" "$4" "${said%% *}")" '
		/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i }
		/^totals:/ { for (i = 2; i <= NF; i++) n[name[i]] = $i }
		END {
			if (!switches || !n["Ir"]) { print "price: nothing was counted" > "/dev/stderr"; exit 1 }
			printf "%s %s %.3f %.3f %s %s %s\n", row, title, n["Ir"] / switches, (n["Bc"] + n["Bi"]) / switches, switches, digest, cycles
		}' "$dir/out" || exit 1
}

# Of a run less those of setting up; "-" where there are no counters.
count_cycles() { perf stat -x, -e cycles:u "$@" 2>&1 > /dev/null | awk -F, '$3 ~ /^cycles/ { print $1 + 0 }'; }
have_cycles=
[ -z "$raw" ] && command -v perf > /dev/null && [ "$(count_cycles true)" -gt 0 ] 2> /dev/null && have_cycles=1
cycles() { # ROW PIPE WHO SWITCHES
	[ -n "$have_cycles" ] || { echo -; return; }
	local all none
	all=$(count_cycles "$build/bench/pipe_$2" "$1" "$3" "$rounds")
	none=$(count_cycles "$build/bench/pipe_$2" "$1" "$3" 1)
	awk -v n="$((all - none))" -v switches="$4" 'BEGIN { printf "%.1f\n", n / switches }'
}

for row in $rows; do
	measure "$row" no_groups no_groups nobody
	measure "$row" not_compiled no_limits nobody
	measure "$row" key_off full nobody
	measure "$row" unconstrained full another
	measure "$row" 10000000000/1000 full 10000000000/1000
	measure "$row" 10000000000/1000000 full 10000000000/1000000
done > "$dir/lines" || { cat "$dir/lines"; exit 1; }
[ -n "$raw" ] && { cut -d' ' -f1-6 "$dir/lines"; exit 0; }

awk -v rounds="$rounds" -v cycles="$have_cycles" '
function change(now, base) { return sprintf("%9.1f  %+7.1f (%+.2f %%)", now, now - base, (now - base) * 100 / base) }
function title(what) {
	if (what == "no_groups")
		return "groups not compiled"
	if (what == "not_compiled")
		return "not compiled"
	if (what == "key_off")
		return "key off: nobody is limited"
	if (what == "unconstrained")
		return "unconstrained: another is"
	return what
}
BEGIN {
	printf "Two tasks hand a byte to each other %d times on one CPU; for each of %d switches:\n\n", rounds, 2 * rounds
	printf "kernel  bandwidth control          instructions                    branches                       cycles\n"
}
{
	if ($2 == "no_groups") {
		printf "%-7s %-26s %9.1f                       %8.1f                       %s\n", $1, title($2), $3, $4, $7
		next
	}
	if ($2 == "not_compiled") {
		instructions = $3
		branches = $4
		printf "        %-26s %9.1f                       %8.1f                       %s\n", title($2), $3, $4, $7
		next
	}
	printf "        %-26s %-31s %-30s %s\n", title($2), change($3, instructions), change($4, branches), $7
}
END { if (!cycles) print "\ncycles: perf can read no counter on this machine" }' "$dir/lines"
