#!/bin/bash
# SPDX-License-Identifier: MIT
#
# seeds_test.sh - every command that docs/seeds.md and the README show runs, and prints the figures that docs/seeds.md claims.
#
#	tools/seeds_test.sh FAIRGROUND			exit 1 where a command fails or a figure is another
#	tools/seeds_test.sh FAIRGROUND --show N		what the N-th command of docs/seeds.md prints
#
# In a fenced block a command stands behind "$ fairground", and below it lines of what it prints.  Each must be a line of the output
# with the same words; numbers may differ by 2 %, and whole numbers by 2: figures move a little when costs do, claims must not.  Blanks do
# not count.  A line that ends in "..." stands for any line that begins like it.
set -u

fairground=$1
mode=${2:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0 commands=0 claims=0

# The commands of FILE, one a line, each followed by its claims behind a tab: "C<tab>words" and "L<tab>line".
listing() { # FILE
	awk '
	/^```/ { fenced = !fenced; command = 0; next }
	!fenced { next }
	/^\$ fairground / { command = 1; print "C\t" substr($0, 14); next }
	/^\$ / { command = 0; next }
	command && NF { print "L\t" $0 }' "$1"
}

# Is there a line in FILE like CLAIM?
holds() { # CLAIM FILE
	CLAIM=$1 awk '
	function shape(s) { gsub(/[0-9]+(\.[0-9]+)?/, "#", s); return s }
	function numbers(s, into,   n) {
		n = 0
		while (match(s, /[0-9]+(\.[0-9]+)?/)) {
			into[++n] = substr(s, RSTART, RLENGTH)
			s = substr(s, RSTART + RLENGTH)
		}
		return n
	}
	function near(a, b,   d, most) {
		d = a - b; if (d < 0) d = -d
		most = b * 0.02
		if (a !~ /\./ && b !~ /\./ && most < 2) most = 2
		return d <= most + 1e-9
	}
	function plain(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
	BEGIN {
		claim = plain(ENVIRON["CLAIM"])
		open = sub(/ ?\.\.\.$/, "", claim)
		wanted = shape(claim)
		nr = numbers(claim, want)
	}
	{
		line = plain($0)
		got = shape(line)
		if (open ? index(got, wanted) != 1 : got != wanted)
			next
		numbers(line, have)
		for (i = 1; i <= nr; i++)
			if (!near(have[i], want[i]))
				next
		found = 1
		exit
	}
	END { exit !found }' "$2"
}

run() { # FILE WORDS
	commands=$((commands + 1))
	# shellcheck disable=SC2086 - words of a command line without quotes
	timeout 120 "$fairground" $2 > "$dir/out" 2> "$dir/err" || {
		echo "seeds: $1: does not run: $2"
		head -3 "$dir/err"
		bad=1
	}
	cat "$dir/err" >> "$dir/out"
}

check() { # FILE
	local kind text nr=0
	while IFS=$'\t' read -r kind text; do
		if [ "$kind" = C ]; then
			nr=$((nr + 1))
			run "$1" "$text"
			[ "$mode" = --show ] && [ "$nr" = "${shown:-}" ] && { cat "$dir/out"; exit 0; }
			continue
		fi
		claims=$((claims + 1))
		holds "$text" "$dir/out" || { echo "seeds: $1: command $nr does not print: $text"; bad=1; }
	done < <(listing "$1")
}

shown=${3:-}
check docs/seeds.md
mode=
while read -r words; do
	run README.md "$words"
done < <(sed -n 's/^\$ fairground //p' README.md)
echo "seeds: $commands commands run, $claims lines claimed"
[ $claims -gt 0 ] || bad=1
exit $bad
