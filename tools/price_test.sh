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

# ---- the pages say so, too: what a row adds to the instruction, what all of it costs within 5 % ----

said() { # PAGE ROW-OF-THE-TABLE: the last two columns of that row in the first table with a column for row 3.2
	sed 's/,//g' "$1" | awk -F '|' -v row=" $2" '
	/here (row )?3\.2/ { inside = 1 }
	inside && !/^\|/ { exit }
	inside && index($2, row) == 1 { split($(NF - 2), a, " "); split($(NF - 1), b, " "); print a[1] + 0, b[1] + 0 }'
}

for page in docs/performance.md docs/seeds.md; do
	for row in 'not compiled' unconstrained '10000000000/1000 ' 10000000000/1000000; do
		title=$(echo "$row" | tr ' ' _)
		title=${title%_}
		awk -v said="$(said "$page" "$row")" -v title="$title" -v page=$page '
		function far(a, b, most) { return a - b > most || b - a > most }
		$2 == "not_compiled" { base[$1] = $3 }
		$2 == title { is[$1] = title == "not_compiled" ? $3 : $3 - base[$1] }
		END {
			n = split(said, s, " ")
			for (i = 1; i <= 2; i++) {
				now = is[i == 1 ? "3.2" : "5.4"]
				if (n != 2 || far(s[i], now, title == "not_compiled" ? now / 20 : 1)) {
					printf "price: %s, %s: says %s, is %.1f (tools/price.sh BUILD prints all)\n", page, title, s[i], now
					bad = 1
				}
			}
			exit bad
		}' "$dir/price" || bad=1
	done
done

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

# ---- CPUs that sleep without ticks while others balance: instructions for each of them and each tick ----

per_sleeper() { # CPUS SECONDS; 16 of them are busy, at 250 Hz
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect=machine_run_until --callgrind-out-file="$dir/out" \
		"$dir/bench" sleepers "$1" "$2" > "$dir/said" 2> "$dir/err" || { tail -3 "$dir/err" >&2; exit 1; }
	awk -v n="$(((${1} - 16) * ${2} * 250))" '/^totals:/ { printf "%.1f\n", $2 / n }' "$dir/out"
}

few=$(per_sleeper 256 4) many=$(per_sleeper 1024 4)
echo "price: 240 and 1008 CPUs asleep: $few and $many instructions for each and each tick"
awk -v few="$few" -v many="$many" 'BEGIN { exit !(few > 0 && many > 0 && many <= few && many <= 130) }' ||
	{ echo "price: asleep: more than 130, or more for each where there are more of them"; bad=1; }

at_most 1.03 "1 and 1023 idle CPUs" idle 2 10 1024 10
at_most 1.25 "16 and 256 CPUs" cpus 16 1 256 1
at_most 1.6 "16 and 1024 busy threads on a CPU" tasks 16 2 1024 2
at_most 1.6 "16 and 256 groups on a CPU" groups 16 2 256 2
exit $bad
