#!/bin/sh
# SPDX-License-Identifier: MIT
#
# wrong_edit.sh - the laws stop what they are there for.
#
#	wrong_edit.sh CC		run from the top of the sources
#
# Two wrong edits of core/bandwidth.c are tried, each in a copy: an expired slice that is not counted as lost, and slack that
# is returned without being taken from the CPU, so twice.  Each must stop at the ledger's law; the scheduler as it is must not;
# and an edit that finds nothing to edit fails, so that this cannot go stale.
set -eu
cc=${1:-cc}
dir=$(mktemp -d "${TMPDIR:-/tmp}/wrong_edit.XXXXXX")
trap 'rm -rf "$dir"' EXIT

law='granted + (u64)l->created == l->pool'

for file in core/*.c base/*.c tests/driver.c tests/bandwidth/wrong_edit.c; do
	[ "$file" = core/bandwidth.c ] || $cc -std=gnu11 -O0 -I. -c -o "$dir/$(echo "$file" | tr / _).o" "$file"
done

build() { # NAME: from $dir/bandwidth.c
	$cc -std=gnu11 -O0 -I. -o "$dir/$1" "$dir/bandwidth.c" "$dir"/*.o -lcmocka
}

try() { # NAME SED-SCRIPT
	sed "$2" core/bandwidth.c > "$dir/bandwidth.c"
	if cmp -s core/bandwidth.c "$dir/bandwidth.c"; then
		echo "wrong_edit: \"$1\" finds nothing to edit in core/bandwidth.c"
		exit 1
	fi
	build "$1"
	status=0
	"$dir/$1" > "$dir/out" 2>&1 || status=$?
	if [ "$status" -ne 3 ] || ! grep -qF "$law" "$dir/out"; then
		echo "wrong_edit: \"$1\" was not stopped by the ledger's law (exit code $status):"
		cat "$dir/out"
		exit 1
	fi
	echo "stopped at the law: $1"
}

cp core/bandwidth.c "$dir/bandwidth.c"
build as-it-is
"$dir/as-it-is"
echo "passes: as it is"
try expired-not-counted '/lost += (u64)cfs_rq->runtime_remaining;/d'
try slack-returned-twice '/cfs_rq->runtime_remaining -= slack;/d'
