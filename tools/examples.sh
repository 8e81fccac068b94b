#!/bin/bash
# SPDX-License-Identifier: MIT
#
# examples.sh - every worked example of docs/rules/ has a test that bears its name.
#
#	tools/examples.sh		exit 1 where one has none
#	tools/examples.sh --list	each example and the files whose tests bear its name
#
# Examples are called bw-7, fair-38, smp-25b wherever docs/rules/ speaks of them.  A test bears a name in its own (fair_38_two_equal_hogs,
# bw7, bw3_to_bw9) or in the text of a row ("fair-81: ..."); comments and the tables of witnesses do not count.
set -u

mode=${1:-}
bad=0

examples() { # sorted by family and number
	grep -ohE '\b(bw|fair|smp)-[0-9]+[a-z]?\b' docs/rules/*.md | sort -u | sort -t- -k1,1 -k2,2V
}

# NAME<tab>FILE for every name that a test bears.
borne() {
	local file
	for file in $(find tests -name '*.c' ! -name 'witness*.c' | sort); do
		awk -v file="$file" '
		# without comments, which may go over several lines
		function bare(s,   at, end, out) {
			out = ""
			for (;;) {
				if (inside) {
					if (!(end = index(s, "*/")))
						return out
					s = substr(s, end + 2)
					inside = 0
				}
				if (!(at = index(s, "/*")))
					return out s
				out = out substr(s, 1, at - 1)
				s = substr(s, at + 2)
				inside = 1
			}
		}
		function bear(family, name) { print family "-" name "\t" file }
		{
			s = bare($0)
			while (match(s, /(^|[^A-Za-z0-9])(bw|fair|smp)[-_]?[0-9]+[a-z]?(_to_(bw|fair|smp)?[0-9]+)?/)) {
				word = substr(s, RSTART, RLENGTH)
				s = substr(s, RSTART + RLENGTH)
				if (s ~ /^[A-Za-z0-9]/)
					continue
				sub(/^[^a-z]/, "", word)
				family = word
				sub(/[-_0-9].*/, "", family)
				sub(/^[a-z]+[-_]?/, "", word)
				from = to = word
				if (word ~ /_to_/) {
					sub(/_to_.*/, "", from)
					sub(/.*_to_[a-z]*/, "", to)
					for (i = from + 0; i <= to + 0; i++)
						bear(family, i)
				} else {
					bear(family, word)
				}
			}
		}' "$file"
	done | sort -u
}

all=$(examples)
[ -n "$all" ] || { echo "examples: docs/rules/ has none"; exit 1; }
tests=$(borne)

where() { printf '%s\n' "$tests" | awk -F '\t' -v name="$1" '$1 == name { printf "%s%s", n++ ? " " : "", $2 }'; } # NAME

if [ "$mode" = --list ]; then
	for name in $all; do
		printf '%-8s %s\n' "$name" "$(where "$name")"
	done
	exit 0
fi

with=0
for name in $all; do
	if [ -n "$(where "$name")" ]; then
		with=$((with + 1))
	else
		echo "examples: no test bears the name of $name ($(grep -lE "\b$name\b" docs/rules/*.md | paste -sd ' '))"
		bad=1
	fi
done

# No test bears the name of an example that does not exist.
for name in $(printf '%s\n' "$tests" | cut -f1); do
	case " $(printf '%s ' $all) " in
	*" $name "*) ;;
	*) echo "examples: $(where "$name") names $name, which docs/rules/ does not have"; bad=1 ;;
	esac
done

echo "examples: $with of $(printf '%s\n' "$all" | wc -l) have a test"
exit $bad
