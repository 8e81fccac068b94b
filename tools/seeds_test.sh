#!/bin/bash
# SPDX-License-Identifier: MIT
#
# seeds_test.sh - every command that docs/seeds.md, docs/task-throttling.md, docs/gather.md and the README show runs, and prints the figures that those
# pages claim.
#
#	tools/seeds_test.sh FAIRGROUND			exit 1 where a command fails or a figure is another
#	tools/seeds_test.sh FAIRGROUND --write		puts the figures of today into the pages, where a line has the same words
#	tools/seeds_test.sh FAIRGROUND --page PAGE	the commands of another page only
#	tools/seeds_test.sh FAIRGROUND --show N [PAGE]	what the N-th command of docs/seeds.md, or of PAGE, prints
#
# In a fenced block a command stands behind "$ fairground", and below it lines of what it prints.  Each must be a line of the output
# with the same words; numbers may differ by 2 % (by 0.02 where that is more), whole ones by 2: figures move a little when costs do,
# claims must not.  Blanks do not count.  A line that ends in "..." stands for any line that begins like it.
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

# The line of FILE that is most like CLAIM, as a claim; exit 1 where none has its words, or (without "any") its figures.
like() { # CLAIM FILE [any]
	CLAIM=$1 ANY=${3:-} awk '
	function shape(s) { gsub(/[0-9]+(\.[0-9]+)?/, "#", s); return s }
	function numbers(s, into,   n) {
		n = 0
		while (match(s, /[0-9]+(\.[0-9]+)?/)) {
			into[++n] = substr(s, RSTART, RLENGTH)
			s = substr(s, RSTART + RLENGTH)
		}
		return n
	}
	function apart(a, b) { return a > b ? a - b : b - a }
	function near(a, b,   most) {
		most = b * 0.02
		if (most < 0.02) most = 0.02
		if (a !~ /\./ && b !~ /\./ && most < 2) most = 2
		return apart(a, b) <= most + 1e-9
	}
	function plain(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
	BEGIN {
		claim = plain(ENVIRON["CLAIM"])
		open = sub(/ ?\.\.\.$/, "", claim)
		wanted = shape(claim)
		nr = numbers(claim, want)
		words = split(claim, unused, " ")
	}
	{
		line = plain($0)
		got = shape(line)
		if (open ? index(got, wanted) != 1 : got != wanted)
			next
		numbers(line, have)
		far = 0
		for (i = 1; i <= nr; i++) {
			if (!near(have[i], want[i]) && !ENVIRON["ANY"])
				next
			far += (i == 1 ? 100 : 1) * apart(have[i], want[i]) / (want[i] + have[i] + 1e-9) # the first is often the time
		}
		if (best == "" || far < least) {
			best = line
			least = far
		}
	}
	END {
		if (best == "")
			exit 1
		if (open) {
			n = split(best, word, " ")
			best = word[1]
			for (i = 2; i <= words; i++)
				best = best " " word[i]
			if (words < n)
				best = best "..."
		}
		print best
	}' "$2"
}

run() { # FILE WORDS, as a shell reads them
	local page=$1 words=$2
	commands=$((commands + 1))
	eval "set -- $words"
	timeout 120 "$fairground" "$@" > "$dir/out" 2> "$dir/err" || {
		echo "seeds: $page: does not run: $words"
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
		like "$text" "$dir/out" > "$dir/found" || {
			echo "seeds: $1: command $nr does not print: $text"
			bad=1
			[ "$mode" = --write ] && like "$text" "$dir/out" any > "$dir/found" && printf '%s\t%s\n' "$text" "$(cat "$dir/found")" >> "$dir/changes"
		}
	done < <(listing "$1")
}

# What has changed, put into the page: whole lines, the first that is the same.
write_changes() { # FILE
	awk -F '\t' 'NR == FNR { from[NR] = $1; to[NR] = $2; nr = NR; next }
	{
		for (i = 1; i <= nr; i++)
			if (!done[i] && $0 == from[i]) {
				$0 = to[i]
				done[i] = 1
				break
			}
		print
	}' "$dir/changes" "$1" > "$dir/page" && cp "$dir/page" "$1"
}

shown=${3:-}
pages="docs/seeds.md docs/task-throttling.md docs/gather.md docs/fsperf.md"
[ "$mode" = --page ] && pages=$shown
for page in $pages; do
	[ "$mode" != --show ] || [ "$page" = "${4:-docs/seeds.md}" ] || continue
	rm -f "$dir/changes"
	check "$page"
	[ -s "$dir/changes" ] && write_changes "$page"
done
if [ "$mode" != --page ]; then
	mode=
	while read -r words; do
		run README.md "$words"
	done < <(sed -n 's/^\$ fairground //p' README.md)
fi
echo "seeds: $commands commands run, $claims lines claimed"
[ $claims -gt 0 ] || bad=1
exit $bad
