#!/bin/bash
# SPDX-License-Identifier: MIT
#
# workload.sh - the oracle's workload program builds in one static file, runs on this kernel, and leaves nothing behind.
#
#	tests/live/workload.sh FAIRGROUND
#
# Exit 77: skipped, and why.  Only what holds on a machine that others use too is asked: the limit held, the periods were counted, and
# `fairground oracle` can play the line.
set -eu

fairground=${1:?usage: tests/live/workload.sh FAIRGROUND}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "workload: $*" >&2; exit 1; }
skip() { echo "workload: skipped: $*" >&2; exit 77; }

# Groups whose process is gone.
left() {
	local g
	for g in $(find /sys/fs/cgroup -maxdepth 2 -name 'fairground-*' 2> /dev/null); do
		[ -d "/proc/${g##*-}" ] || echo "$g"
	done
}

number() { sed -n "s/.*\"case\":\"$1\".*\"groups\":\[.*\"$2\":\([0-9]*\).*/\1/p" "$dir/lines"; }

within() { # WHAT VALUE LEAST MOST
	[ -n "$2" ] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1 is ${2:-not there}, expected $3 to $4"
}

echo 'int main(void) { return 0; }' > "$dir/empty.c"
if "${CC:-gcc}" -static -o "$dir/empty" "$dir/empty.c" 2> /dev/null; then
	tools/oracle/build.sh "$dir/workload"
	! ldd "$dir/workload" > /dev/null 2>&1 || fail "the program needs libraries of the system"
else
	skip "this compiler has no static C library to link with"
fi

cat > "$dir/cases" <<'CASES'
# one limit, then one inside another
name=hog-q20 secs=1 g=a:0:20000:100000:0 t=1:0:hog:0:0:0:0
name=pipe secs=1 align=1 g=p:0:50000:100000:0 g=p/c:0:20000:100000:0 t=1:0:every:10000:50000:0:0
CASES
"$fairground" measure scenarios/measure/hog-200m.json --duration 0.2 --repeat 1 > /dev/null 2> "$dir/refused" ||
	skip "no limit can be set here: $(head -1 "$dir/refused")"
timeout 60 "$dir/workload" "$dir/cases" 6.18-host 250 > "$dir/lines" || fail "it ends with $?"

[ "$(wc -l < "$dir/lines")" -eq 2 ] || fail "two cases gave $(wc -l < "$dir/lines") lines"
within "the hog's CPU time" "$(number hog-q20 usage_us)" 1000 232000 # 10 quotas, a part of one, a tick on either side
within "the number of periods" "$(number hog-q20 nr_periods)" 9 11
within "the number of throttled periods" "$(number hog-q20 nr_throttled)" 1 11
"$fairground" oracle "$dir/lines" --case '*' > "$dir/played" || fail "its lines cannot be played"
grep -q '^  usage /p/c' "$dir/played" || fail "its lines are not played"
[ -z "$(left)" ] || fail "groups stay behind: $(left)"
echo "workload: two cases measured, played, and gone"
