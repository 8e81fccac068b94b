#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rtapp_diff.sh - what a stock rt-app does with a file is what we would do.
#
#	tools/rtapp_diff.sh COMPARE CC [FILE...]
#
# COMPARE is the program of tests/rtapp/compare.c.  Without FILEs those of tests/rtapp/.  Where no rt-app is installed: exit 77, skipped.
# Every file is either run by both, with the same calls in the same order in every thread, or refused by both.
set -u

compare=$1 cc=$2
shift 2
[ $# -gt 0 ] || set -- tests/rtapp/*.json
rtapp=$(command -v rt-app) || { echo "rtapp_diff: rt-app is not installed, skipped"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0 ran=0 refused=0

$cc -shared -fPIC -O1 -o "$dir/shim.so" tests/rtapp/shim.c -ldl || { echo "rtapp_diff: the shim does not build"; exit 1; }

# Its own settings would make a calibration of the machine, or write elsewhere: they are replaced.  So is an endless duration by a second.
prepare() { # FILE
	sed -E 's/"calibration"[ ]*:[ ]*("[^"]*"|[0-9]+)/"calibration" : 1000/; s/"duration"[ ]*:[ ]*[0-9]+/"duration" : 1/;
		s/"logdir"[ ]*:[ ]*"[^"]*"/"logdir" : ".\/"/; s/"ftrace"[ ]*:[ ]*("[^"]*"|[a-z]+)/"ftrace" : false/; s/"gnuplot"[ ]*:[ ]*true/"gnuplot" : false/' "$1"
}

# One file, both ways: into $exited (empty: refused), $ours, $dir/said.
both() { # NAME
	: > "$dir/log"
	(cd "$dir" && RTAPP_DIFF=$dir/log LD_PRELOAD=$dir/shim.so timeout -s INT 5 "$rtapp" "$1" > out 2>&1)
	# it ends by itself, by its duration, by our patience, or it refuses the file
	case $? in
	0) grep -qE '"duration"[ ]*:[ ]*[0-9]' "$dir/$1" && exited=0 || exited=1 ;;
	124 | 130) exited=0 ;;
	*) exited= ;;
	esac
	# 1.0 leaves an event of a wrong type out, with an error; later versions refuse the file, and so do we
	grep -q 'Unknown or mismatch' "$dir/out" && exited=
	"$compare" "$dir/$1" "$dir/log" "${exited:-0}" "$(nproc)" > "$dir/said" 2>&1
	ours=$?
}

for file in "$@"; do
	name=$(basename "$file")
	prepare "$file" > "$dir/$name"
	for try in 1 2 3; do # a timer that is missed because this computer was busy makes no call
		both "$name"
		[ $ours -eq 1 ] && [ $try -lt 3 ] || break
	done
	if [ -z "$exited" ]; then
		refused=$((refused + 1))
		[ $ours -eq 3 ] && continue
		echo "rtapp_diff: $file: rt-app refuses it ($(grep -v notice "$dir/out" | grep . | tail -1)), we do not"
		cat "$dir/said"
		bad=1
	else
		ran=$((ran + 1))
		[ $ours -eq 0 ] || { echo "rtapp_diff: $file:"; cat "$dir/said"; bad=1; }
	fi
done
echo "rtapp_diff: $ran files run by both, $refused refused by both"
[ $ran -gt 0 ] || bad=1
exit $bad
