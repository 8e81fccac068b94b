#!/bin/bash
# SPDX-License-Identifier: MIT
#
# life_test.sh - docs/life-of-a-slice.md tells what the code does.
#
#	tools/life_test.sh FAIRGROUND
#
# Every function() it names is defined in core/; every "a() -> b()" is a call of b in the body of a, maybe by way of ON_PATH(); every row of its tables is what
# the snapshot shows at that moment.
set -u

fairground=$1
page=docs/life-of-a-slice.md
bad=0 functions=0 calls=0 rows=0

fail() {
	echo "life: $*"
	bad=1
}

# The bodies of all functions of core/, one line each: name, then its text.
bodies=$(mktemp)
trap 'rm -f "$bodies"' EXIT
awk '
/^[a-z][^=;]*\(/ && !inside {		# a function or a prototype begins; its parameters may go on for lines
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	body = ""
	if (/\{.*\}$/) {
		text = $0
		sub(/^[^{]*/, "", text)
		print name " " text
		name = ""
	}
	if (/;$/)
		name = ""
	next
}
/^\{/ && name != "" { inside = 1; next }
/^\}/ { if (inside) print name " " body; inside = 0; name = ""; next }
inside { body = body " " $0; next }
/;$/ { name = "" }' core/*.c core/*.h > "$bodies"

# What core asks for and does not have: the owner of time brings it.
asked=" spend a b " # and the two letters that explain an arrow

for f in $(grep -o '[a-z_]*()' "$page" | sort -u | tr -d '()'); do
	functions=$((functions + 1))
	case $asked in *" $f "*) continue ;; esac
	grep -q "^$f " "$bodies" || fail "$f() is not a function of core/"
done

# Chains: each arrow by itself.
while read -r from arrow to; do
	calls=$((calls + 1))
	[ "$arrow" = '~>' ] && continue
	grep "^$from " "$bodies" | grep -q "[^a-z_]$to)\?(" || fail "$from() does not call $to()"
done < <(sed -n '/^```calls/,/^```$/p' "$page" | grep '>' | tr -d '()' |
	awk '{ for (i = 1; i + 2 <= NF; i += 2) print $i, $(i + 1), $(i + 2) }')

field() { # WHERE FIELD: of the lines of the snapshot that begin with WHERE
	sed -n "s/^ *$1.*\.$2 \(-\{0,1\}[0-9]*\).*/\1/p" <<< "$shot" | head -1
}
while IFS='|' read -r _ at pool cpu0 cpu1 throttled _; do
	rows=$((rows + 1))
	shot=$("$fairground" run scenarios/slice.json --snapshot "${at// /}")
	shown="$(field '' runtime) $(field 'cfs_rq\[0\]' runtime_remaining) $(field 'cfs_rq\[1\]' runtime_remaining) $(field '' throttled_cfs_rq)"
	[ "$shown" = "$(echo $pool $cpu0 $cpu1 $throttled)" ] || fail "at $at s the snapshot shows $shown, the page $pool $cpu0 $cpu1 $throttled"
done < <(grep '^| [0-9]' "$page")

[ $functions -gt 30 ] && [ $calls -gt 30 ] && [ $rows -ge 6 ] || fail "only $functions functions, $calls calls, $rows rows were found"
echo "life: $functions functions, $calls calls, $rows rows"
exit $bad
