#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rules_page.sh - the tables in docs/rules.md, docs/distributions.md and docs/kernels/ are what the program itself prints, and no
# page links what is not there.
#
#	tools/rules_page.sh FAIRGROUND			compares; exit 1 where a page has drifted
#	tools/rules_page.sh FAIRGROUND --write		writes the tables and the rows' scores anew; what stands around them is left alone
#
# A page says between which marks its tables stand, and what prints them:
#
#	<!-- fairground kernels 5.4 --markdown -->
#	...
#	<!-- end -->
#
# "<!-- oracle 5.4 -->", "<!-- misses -->" and "<!-- divergences -->" are marks of the oracle's answers.  They are not compared: they move with every change of
# the model, and the oracle's own test holds them.
set -u

fairground=$1
mode=${2:-}
bad=0

# What the witness programs of this build show: a rule, a tab, a figure with its values.  A build without tests has none of them.
shows=$(for program in "$(dirname "$fairground")"/tests/*/*witness; do
	[ -f "$program" ] && [ -x "$program" ] && "$program" --list
done)

# Where a rule is shown to change a figure: the witness tables name it as "rule" or rule=value.
witness_of() { # RULE
	local where
	where=$(grep -lE "\"$1[\"=]" tests/*/witness*.c 2> /dev/null | sed 's|.*|[&](../&)|' | paste -sd ' ')
	echo "- witness: ${where:-none yet}"
	if [ -n "$shows" ]; then
		printf '%s\n' "$shows" | sed -n "s/^$1\t/  - /p"
	else # as the page has it
		sed -n "/^### $1\$/,/^### /{/^  - /p}" docs/rules.md
	fi
}

# The sections of all rules, with what the witness shows behind the other lines of each.
with_witnesses() {
	local line rule='' listed=
	while IFS= read -r line; do
		case $line in
		'### '*) rule=${line#'### '} listed= ;;
		'- '*) listed=1 ;;
		'')
			if [ -n "$rule" ] && [ -n "$listed" ]; then
				witness_of "$rule"
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

# The score of the kernels that were measured as this row.
score_of() { # ROW
	local table
	table=$("$fairground" oracle --row "$1" 2> /dev/null | sed -n '/^kernel /,/^[*]/ { /^[*]/!p }')
	if [ -n "$table" ]; then
		printf '```text\n%s\n```\n' "$table"
	else
		echo "No kernel of this row was measured."
	fi
}

# Every figure outside its tolerance, a line for each case and cause.
misses() {
	"$fairground" oracle --json 2> /dev/null | sed -n '/^  "misses": \[/,/^  \]/p' | awk '
	function field(name,   s) {
		s = $0
		if (!sub(".*\"" name "\": ", "", s))
			return ""
		if (s ~ /^"/) { s = substr(s, 2); sub(/".*/, "", s) } else sub(/[ ,}].*/, "", s)
		return s
	}
	function shown(v, unit) {
		v += 0
		if (unit != "us")
			return sprintf("%d", v + 0.5)
		return v >= 1000000 ? sprintf("%.2f s", v / 1000000) : v >= 1000 ? sprintf("%.1f ms", v / 1000) : sprintf("%d us", v + 0.5)
	}
	function flush() {
		if (list != "")
			printf "| %s | %s | %s |\n", last, list, cause
		list = ""
	}
	BEGIN { print "| case | figure: real, model | cause |\n|---|---|---|" }
	/"case": / {
		if (field("case") != last || field("cause") != cause)
			flush()
		last = field("case")
		cause = field("cause")
		list = list (list == "" ? "" : "; ") field("cell") ": " shown(field("real"), field("unit")) ", " shown(field("model"), field("unit"))
	}
	END { flush() }'
}

# Where recordings and the model part for the first time, and why: docs/misses.md.
divergences() {
	"$fairground" oracle --kind pinned --trace all --json 2> /dev/null | awk '
	function value(   s) { s = $0; sub(/^ *"[a-z_]*": /, "", s); sub(/,$/, "", s); gsub(/^"|"$/, "", s); return s }
	BEGIN { print "| recording | agree in who | intervals near | parts at | cause |\n|---|---|---|---|---|" }
	/^      "case": / { name = value() }
	/^      "who_share": / { who = value() }
	/^      "near_share": / { near = value() }
	/^      "diverges_in": / { how = value() }
	/^      "diverges_usec": / { at = value() }
	/^      "cause": / { printf "| %s | %.1f %% | %.1f %% | %.1f ms, in %s | %s |\n", name, who, near, at / 1000, how == "who" ? "who" : "when", value() }'
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
		'<!-- misses -->')
			if [ "$mode" = --write ]; then
				misses
				skip=1
			fi
			;;
		'<!-- divergences -->')
			if [ "$mode" = --write ]; then
				divergences
				skip=1
			fi
			;;
		'<!-- oracle '*' -->')
			if [ "$mode" = --write ]; then
				line=${line#'<!-- oracle '}
				score_of "${line%' -->'}"
				skip=1
			fi
			;;
		esac
	done < "$1"
}

for file in docs/rules.md docs/distributions.md docs/misses.md docs/kernels/*.md; do
	new=$(page "$file"; echo x) || exit 1
	new=${new%x}
	if [ "$mode" = --write ]; then
		printf '%s' "$new" | cmp -s - "$file" || printf '%s' "$new" > "$file"
	elif ! printf '%s' "$new" | cmp -s - "$file"; then
		echo "rules_page: $file has drifted: run tools/rules_page.sh FAIRGROUND --write"
		printf '%s' "$new" | diff "$file" - | head -5
		bad=1
	fi
done

# No rule without a witness.
for rule in $(sed -n '/^<!-- fairground kernels --markdown/,/^<!-- end/s/^### //p' docs/rules.md); do
	sed -n "/^### $rule\$/,/^### /p" docs/rules.md | grep -q '^- witness: \[' || {
		echo "rules_page: rule $rule has no witness: a row in tests/*/witness.c with a figure that changes (tests/witness.h)"
		bad=1
	}
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

# Links between our pages lead somewhere.
for file in *.md docs/*.md docs/*/*.md tests/oracle/README.md; do
	while IFS= read -r link; do
		target=${link%%#*}
		[ -z "$target" ] || [ -e "$(dirname "$file")/$target" ] || { echo "rules_page: $file links $link, which is not there"; bad=1; }
	done < <(grep -oE '\]\([^) ]+\)' "$file" | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:')
done
exit $bad
