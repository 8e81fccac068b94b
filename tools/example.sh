#!/bin/sh
# SPDX-License-Identifier: MIT
#
# example.sh - a program of examples/ is what the page shows, and does what the page says.
#
#	tools/example.sh PROGRAM PAGE		run in the source tree; exit 77 where the host is too busy to judge
set -eu

program=$1 page=$2
name=$(basename "$program")

# The block of the page behind the line that holds @1.
block() {
	awk -v mark="$1" '
	index($0, mark) { found = 1 }
	found && /^```/ { if (inside) exit; inside = 1; next }
	inside' "$page"
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

block "(../examples/$name.c)" > "$dir/source"
if ! cmp "examples/$name.c" "$dir/source"; then
	echo "example: $page does not show examples/$name.c as it is"
	exit 1
fi

# sanitizers and busy hosts are slow, but not that slow
timeout 60 "$program" > "$dir/out"
cat "$dir/out"
[ -s "$dir/out" ]

case $name in
autoscaler) # simulated: the same everywhere
	block "prints on every machine" > "$dir/says"
	diff "$dir/says" "$dir/out"
	;;
tenants) # real: within 4 % of the limits, if the host left it the time
	awk '
	/^\/silver/ { silver = $2 + 0 }
	/^\/gold/ { gold = $2 + 0 }
	/^the host took/ { took = $4 + 0 }
	END {
		if (silver >= 240 && silver <= 260 && gold >= 720 && gold <= 780)
			exit 0
		if (took > 7)
			exit 77
		print "example: " silver "m and " gold "m are not 250m and 750m"
		exit 1
	}' "$dir/out"
	;;
esac
