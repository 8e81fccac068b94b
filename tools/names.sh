#!/bin/bash
# SPDX-License-Identifier: MIT
#
# names.sh - what the pages name exists, every header stands by itself, each function of an installed one is documented; and a proof that
# all three checks can fail.
#
#	tools/names.sh CC [DIR]		run in the source tree; DIR: another tree of pages, held against this one
#
#	`core/fair.c`  `select_*.c`  `schedule.c`	a file from the root, beside the page, or of that name in some room
#	`peek_load()`					something that is called or defined in a .c, .h or .def
#	rule `bw_pool`  --rule bw_pool=exact		a row of core/rules.def
#
# docs/rules/ is about kernels and their files, and left out.
# shellcheck disable=SC2016 # backquotes are meant as they stand
set -u

cc=${1:?usage: names.sh CC [DIR]}
where=${2:-.}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# What pages may name though it is not here, and why.
elsewhere='
docs/your-rule.md core/spare_young.c	the page adds it
docs/your-rule.md spare_young		so it does
docs/seeds.md wake_up_process		of the kernel
tools/oracle/README.md wake_up_process	of the kernel
tools/oracle/README.md kernel/sched/sched.h	of the kernel
'
is_elsewhere() { grep -qE "^$1 $(printf '%s' "$2" | sed 's/[.*]/\\&/g')[[:blank:]]" <<< "$elsewhere"; }

find . \( -name .git -o -name build \) -prune -o -type f -printf '%P\n' > "$dir/files"
sed 's|.*/||' "$dir/files" > "$dir/bases"
grep -E '\.([ch]|def)$' "$dir/files" | xargs grep -ohE '\b[A-Za-z_]\w*\(' | sed 's/($//' | LC_ALL=C sort -u > "$dir/called"
sed -nE 's/^RULE(_ASKED)?\([A-Z0-9_]+, "([a-z0-9_]+)".*/\2/p' core/rules.def > "$dir/rules"

file_exists() { # PAGE NAME
	case $2 in
	*\**) compgen -G "$2" > /dev/null || compgen -G "$(dirname "$1")/$2" > /dev/null || compgen -G "*/$2" > /dev/null ;;
	*/*) [ -e "$2" ] || [ -e "$(dirname "$1")/$2" ] ;;
	*) grep -qxF "$2" "$dir/bases" ;;
	esac
}

# Lines "KIND LINE NAME" of one page.
named() { # FILE
	local n='[A-Za-z0-9_.*/-]+\.(c|h|def|sh|awk|md|build)'
	grep -noE "\`$n\`|\]\(${n}[)#]" "$1" | sed -E 's/`|\]\(|[)#]$//g; s/^([0-9]+):/file \1 /'
	grep -noE '`\w+\(\)`' "$1" | sed -E 's/[`()]//g; s/^([0-9]+):/call \1 /'
	grep -noE '\b[Rr]ule `[a-z0-9_]+|--rule [a-z0-9_]+' "$1" | sed -E 's/^([0-9]+):.*[` ]/rule \1 /'
}

bad=0 seen=0
while read -r page; do
	while read -r kind line name; do
		seen=$((seen + 1))
		case $kind in
		file) file_exists "$page" "$name" ;;
		call) grep -qxF "$name" "$dir/called" ;;
		rule) grep -qxF "${name#no_}" "$dir/rules" ;;
		esac || is_elsewhere "$page" "$name" || { echo "names: $page:$line: no such $kind: $name"; bad=1; }
	done < <(named "$where/$page")
done < <(cd "$where" && find . \( -name .git -o -name build \) -prune -o -name '*.md' -printf '%P\n' | grep -v '^docs/rules/' | LC_ALL=C sort)

# Headers of all rooms but those that are made to be included in a place (they have no guard).
stands=0
while read -r h; do
	grep -q '^#ifndef [A-Z0-9_]*_H$' "$where/$h" || continue
	stands=$((stands + 1))
	printf '#include "%s"\n' "$h" > "$dir/one.c"
	"$cc" -std=gnu11 -D_FILE_OFFSET_BITS=64 -DFAIRGROUND_ZSTD=0 -Wall -Wextra -Wundef -Werror -I"$where" -I. -fsyntax-only "$dir/one.c" || bad=1
done < <(cd "$where" && find . \( -name .git -o -name build \) -prune -o -name '*.h' -printf '%P\n' | LC_ALL=C sort)

# Functions of installed headers: what, in which unit, what is refused, whose it is then.
sed -n "/^public_headers = {/,/^}/p" meson.build | awk -F"'" '{
	for (i = 2; i < NF; i += 2)
		if ($i !~ /\./) room = $i
		else if ($i ~ /\.h$/) print room "/" $i
}' > "$dir/public"
(cd "$where" && while read -r h; do [ -e "$h" ] && echo "$h"; done < "$dir/public" | xargs awk -f "$OLDPWD/tools/documented.awk") || bad=1

if [ "$where" = . ]; then
	echo "names: $seen names on the pages, $stands headers, $(wc -l < "$dir/public") of them installed"
	if [ "$seen" -lt 300 ] || [ "$stands" -lt 100 ] || [ "$(wc -l < "$dir/public")" -lt 40 ]; then
		echo "names: that is too few"
		bad=1
	fi
	mkdir -p "$dir/t/docs" "$dir/t/core"
	printf '%s\n' 'See `core/nowhere.c`, `no_such_call()`, rule `bw_nonsense` and [that](nowhere.md).' > "$dir/t/docs/page.md"
	printf '%s\n' '#ifndef CORE_LAME_H' '#define CORE_LAME_H' 'void limp(struct unknown_yet *x, u64 y);' '#endif' > "$dir/t/core/lame.h"
	printf '%s\n' '/* One that is spoken of. */' 'int lab_good(void);' '' 'int lab_mute(void);' > "$dir/t/core/lab.h"
	said=$(bash "$0" "$cc" "$dir/t" 2>&1)
	for fault in 'file: core/nowhere.c' 'call: no_such_call' 'rule: bw_nonsense' 'file: nowhere.md' 'lame.h' 'lab_mute'; do
		grep -qF "$fault" <<< "$said" || { echo "names: a planted fault was not found: $fault"; bad=1; }
	done
fi
exit $bad
