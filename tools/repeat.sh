#!/bin/bash
# SPDX-License-Identifier: MIT
#
# repeat.sh - the same input gives the same bits: run twice, on one thread and several, with every tick and without, with every
# law checked.
#
#	tools/repeat.sh FAIRGROUND
set -u

fairground=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0 done=0

same() { # WHAT FILE FILE
	done=$((done + 1))
	cmp -s "$2" "$3" || { echo "repeat: $1 differs"; bad=1; }
}

# The whole result except for what a run may say about how it was made.
run() { "$fairground" run --json --threads --periods "$@"; }

for s in scenarios/*.json; do
	short=(--duration 1)
	run "$s" "${short[@]}" > "$dir/a" || { echo "repeat: $s does not run"; bad=1; continue; }
	run "$s" "${short[@]}" > "$dir/b"
	same "$s, a second time," "$dir/a" "$dir/b"
	run "$s" "${short[@]}" --no-skip > "$dir/b"
	same "$s with every tick" "$dir/a" "$dir/b"
	run "$s" "${short[@]}" --check-laws > "$dir/b" || { echo "repeat: $s breaks a law"; bad=1; }
	same "$s with every law checked" "$dir/a" "$dir/b"
done

"$fairground" compare scenarios/fibtest-36.json --kernel 4.14.133 --rule bw_expiry=none --phases 3 --duration 1 --json --jobs 1 > "$dir/a"
"$fairground" compare scenarios/fibtest-36.json --kernel 4.14.133 --rule bw_expiry=none --phases 3 --duration 1 --json --jobs 3 > "$dir/b"
same "a comparison on three threads" "$dir/a" "$dir/b"

# A check that cannot fail is none: another seed of a random arrival, or another kernel, must change the bits.
"$fairground" run scenarios/fibtest-36.json --json --duration 1 --kernel 4.14.133 > "$dir/a"
"$fairground" run scenarios/fibtest-36.json --json --duration 1 --kernel 5.4 > "$dir/b"
cmp -s <(grep '"digest"' "$dir/a") <(grep '"digest"' "$dir/b") && { echo "repeat: two kernels have one digest"; bad=1; }
"$fairground" compare scenarios/fibtest-36.json --kernel 4.14.133 --kernel 5.4 --duration 1 --phases 2 --expect-same > "$dir/c"
[ $? -eq 1 ] || { echo "repeat: --expect-same does not see the difference"; bad=1; }
echo "repeat: $done pairs compared"
exit $bad
