#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pages.sh - the man pages, the completion script and the README's screen are what the program itself writes.
#
#	tools/pages.sh FAIRGROUND		compares; exit 1 where one has drifted
#	tools/pages.sh FAIRGROUND --write	writes them anew
set -eu

fairground=$1
mode=${2:-}
bad=0

page() { # FILE ARGUMENTS-OF-HELP...
	file=$1
	shift
	if [ "$mode" = --write ]; then
		"$fairground" help "$@" > "$file"
	elif ! "$fairground" help "$@" | cmp -s - "$file"; then
		echo "pages: $file has drifted: run tools/pages.sh FAIRGROUND --write"
		bad=1
	fi
}

page docs/man/fairground.1.scd --man
commands=$("$fairground" --help | awk '/^  [a-z]/ { print $1 }')
[ -n "$commands" ]
for c in $commands; do
	page "docs/man/fairground-$c.1.scd" --man "$c"
done
page completion/fairground.bash --completion

# The README's screen: the first "$ fairground" line of it and what that prints, up to the closing fence.
screen() {
	line=$(sed -n 's/^\$ fairground //p' README.md | head -1)
	printf '$ fairground %s\n\n' "$line"
	# shellcheck disable=SC2086 - words of a command line without quotes
	"$fairground" $line
}
if [ "$mode" = --write ]; then
	screen > README.screen
	awk '
	/^\$ fairground / && !done { while ((getline l < "README.screen") > 0) print l; skip = 1; done = 1 }
	/^```/ { skip = 0 }
	!skip' README.md > README.new
	mv README.new README.md
	rm README.screen
elif [ "$(screen)" != "$(sed -n '/^\$ fairground /,/^```/ { /^```/q; p }' README.md)" ]; then
	echo "pages: the screen in README.md is not what the program prints: run tools/pages.sh FAIRGROUND --write"
	bad=1
fi

# No page of a command that is gone, and every command has its row in meson.build.
for f in docs/man/fairground-*.1.scd; do
	c=${f#docs/man/fairground-}
	case " $(echo $commands) " in
	*" ${c%.1.scd} "*) ;;
	*) echo "pages: $f belongs to no command"; bad=1 ;;
	esac
done
for c in $commands; do
	grep -q "^commands = .*'$c'" meson.build || { echo "pages: meson.build does not install the page of $c"; bad=1; }
done
bash -n completion/fairground.bash || bad=1
exit $bad
