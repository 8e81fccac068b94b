#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rules_page.sh - the tables in docs/rules.md, docs/distributions.md and docs/kernels/ are what the program itself prints.
#
#	tools/rules_page.sh FAIRGROUND			compares; exit 1 where a page has drifted
#	tools/rules_page.sh FAIRGROUND --write		writes the tables anew; what stands around them is left alone
#	tools/rules_page.sh FAIRGROUND --scores		... and the oracle's scores of the rows, which takes minutes
#
# A page says between which marks its tables stand, and what prints them:
#
#	<!-- fairground kernels 5.4 --markdown -->
#	...
#	<!-- end -->
#
# "<!-- oracle 5.4 -->" is the mark of a score.  It is not compared here: tests of the oracle hold it.
set -u

fairground=$1
mode=${2:-}
bad=0

# Where a rule is shown to change a figure: the witness tables name it as "rule" or rule=value.
witness_of() { # RULE
	grep -lE "\"$1[\"=]" tests/*/witness*.c 2> /dev/null | sed 's|.*|[&](../&)|' | paste -sd ' '
}

# The sections of all rules, with a line for the witness behind the other lines of each.
with_witnesses() {
	local line rule='' listed=
	while IFS= read -r line; do
		case $line in
		'### '*) rule=${line#'### '} listed= ;;
		'- '*) listed=1 ;;
		'')
			if [ -n "$rule" ] && [ -n "$listed" ]; then
				local w
				w=$(witness_of "$rule")
				echo "- witness: ${w:-none yet}"
				rule=
			fi
			;;
		esac
		printf '%s\n' "$line"
	done
}

made_by() { # ARGUMENTS
	# shellcheck disable=SC2086 - words of a command line without quotes
	case $1 in
	'kernels --markdown') "$fairground" $1 | with_witnesses ;;
	*) "$fairground" $1 ;;
	esac
}

# One line per kernel that was measured as this row: figures inside the tolerance, of all.
score_of() { # ROW
	"$fairground" oracle --row "$1" --json 2> /dev/null | python3 -c '
import json, sys
try:
    rows = json.load(sys.stdin)["rows"]
except ValueError:
    sys.exit(print("Not measured."))
for row in sorted(rows):
    for kind in sorted(rows[row]):
        s = rows[row][kind]
        print("- %s, %s: %d of %d figures inside the tolerance, %d cases" % (row, kind, s["inside"], s["cells"], s["cases"]))'
}

page() { # FILE: what it should be
	local line skip=
	while IFS= read -r line || [ -n "$line" ]; do
		[ "$line" = '<!-- end -->' ] && skip=
		[ -n "$skip" ] || printf '%s\n' "$line"
		case $line in
		'<!-- fairground '*' -->')
			line=${line#'<!-- fairground '}
			made_by "${line%' -->'}"
			skip=1
			;;
		'<!-- oracle '*' -->')
			if [ "$mode" = --scores ]; then
				line=${line#'<!-- oracle '}
				score_of "${line%' -->'}"
				skip=1
			fi
			;;
		esac
	done < "$1"
}

for file in docs/rules.md docs/distributions.md docs/kernels/*.md; do
	new=$(page "$file"; echo x) || exit 1
	new=${new%x}
	if [ "$mode" = --write ] || [ "$mode" = --scores ]; then
		printf '%s' "$new" | cmp -s - "$file" || printf '%s' "$new" > "$file"
	elif ! printf '%s' "$new" | cmp -s - "$file"; then
		echo "rules_page: $file has drifted: run tools/rules_page.sh FAIRGROUND --write"
		printf '%s' "$new" | diff "$file" - | head -5
		bad=1
	fi
done

# Every row has its page, and no page is left of a row that is gone.
rows=$("$fairground" kernels --json | sed -n 's/^  "rows": *\[\(.*\)\].*/\1/p' | tr -d '"' | tr ',' ' ')
[ -n "$rows" ] || { echo "rules_page: no rows"; exit 1; }
for row in $rows; do
	[ -f "docs/kernels/$row.md" ] || { echo "rules_page: row $row has no page docs/kernels/$row.md"; bad=1; }
	grep -q "(kernels/$row.md)" docs/rules.md || { echo "rules_page: docs/rules.md does not link the page of row $row"; bad=1; }
done
for file in docs/kernels/*.md; do
	row=$(basename "$file" .md)
	case " $rows " in
	*" $row "*) ;;
	*) echo "rules_page: $file belongs to no row"; bad=1 ;;
	esac
	grep -q "^<!-- fairground kernels $row --markdown -->" "$file" || { echo "rules_page: $file has no table of its row"; bad=1; }
done
exit $bad
