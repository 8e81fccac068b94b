#!/bin/bash
# SPDX-License-Identifier: MIT
#
# your_rule_test.sh - docs/your-rule.md is true: its file and its patch, put into a clean copy of the tree, make the rule that it speaks of.
#
#	tools/your_rule_test.sh COMPILER
#
#	page ---> core/NAME.c, patch ---> copy of the tree ---> build ---> the witness shows both figures, the page's commands print its lines
#	                                                    '---> the same with the rule's answer turned round: the witness must fail
#
# Skipped (77) without meson, ninja, patch or cmocka.
set -u

cc=$1
page=docs/your-rule.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

die() { echo "your_rule: $*"; exit 1; }

for tool in meson ninja patch; do
	command -v $tool > /dev/null || { echo "your_rule: $tool is not there"; exit 77; }
done

# The fenced blocks of a language in the page.
blocks() { awk -v lang="$1" '/^```/ { inside = $0 == "```" lang && !inside; next } inside' "$page"; } # LANGUAGE

# ---- the copy: what a release has, and nothing of the rule ----

# Without what builds left, here or in the user's own directories; each of those has a file that meson writes.
excludes=$(find . -maxdepth 3 -name build.ninja -printf '%h\n' | sed 's/^/--exclude=/')
# shellcheck disable=SC2086 - one option each
tar --exclude=./.git $excludes -cf - . | tar -C "$dir" -xf - 2> /dev/null || die "cannot copy the tree"

file=$(sed -n 's/^`\(core\/[a-z_]*\.c\)`:$/\1/p' "$page")
[ -n "$file" ] || die "$page names no file"
rule=$(basename "$file" .c)
[ ! -e "$dir/$file" ] || die "$file is there already"
blocks c > "$dir/$file"
lines=$(wc -l < "$dir/$file")
[ "$lines" -gt 5 ] && [ "$lines" -le 60 ] || die "$file has $lines lines, not 6 to 60"
grep -q "\"$rule\"" "$dir/core/rules.def" && die "rule $rule is there already"
blocks diff > "$dir/patch"
patch -s -d "$dir" -p1 < "$dir/patch" || die "the patch of $page does not apply"
[ "$(grep -c '^+RULE_ASKED(' "$dir/patch")" = 1 ] || die "the patch has not one line in the table"

# ---- built ----

build="$dir/build-of-the-page"
CC=$cc meson setup --buildtype=plain -Doptimization=0 -Dwerror=true "$build" "$dir" > "$dir/log" 2>&1 || { tail -20 "$dir/log"; die "meson fails"; }
ninja -C "$build" -t targets all 2> /dev/null | grep -q '^tests/fair/fair_witness:' || { echo "your_rule: cmocka is not there"; exit 77; }
make() { nice ninja -C "$build" -j2 fairground tests/fair/fair_witness > "$dir/log" 2>&1; }
make || { grep -m5 -A5 -E 'error|warning|undefined' "$dir/log"; die "does not build"; }

cd "$dir" || exit 1
"$build/tests/fair/fair_witness" > "$dir/witness" 2>&1 || { cat "$dir/witness"; die "the witness does not see the rule"; }
shown=$("$build/tests/fair/fair_witness" --list | grep "^$rule	" | tr '\t' ' ')
grep -qxF -- "$shown" "$page" || die "the page does not show what the witness does: $shown"
bash tools/seeds_test.sh "$build/fairground" --page "$page" || exit 1

# ---- and the witness can fail ----

sed -i 's/^\treturn \(.*\);$/\treturn !(\1);/' "$file"
make || { tail -5 "$dir/log"; die "does not build with the answer turned round"; }
"$build/tests/fair/fair_witness" > "$dir/witness" 2>&1 && die "the witness passes though the rule answers the opposite"
grep -q "$rule=on" "$dir/witness" || die "it is not the row of $rule that fails"
echo "your_rule: $rule, $lines lines, built and witnessed: $shown"
