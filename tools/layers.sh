#!/bin/sh
# SPDX-License-Identifier: MIT
#
# layers.sh - the include directions of all rooms, and a proof that the check can fail.
#
#	tools/layers.sh			run in the source tree; exit 1 on a breach
set -eu

files=$(find base core work text owner sim rt live examples input trace report oracle cli tests fuzz bench -name '*.[ch]' | LC_ALL=C sort)
# shellcheck disable=SC2086 - a list of names without blanks
awk -f tools/layers.awk layers.txt $files
echo "layers: $(echo "$files" | wc -l) files keep to their doors"

# Planted faults, each of which must be found.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
plant() { # ROOM LINE WHAT
	mkdir -p "$dir/$1"
	printf '%s\n' "$2" > "$dir/$1/planted.c"
	if (cd "$dir" && awk -f "$OLDPWD/tools/layers.awk" "$OLDPWD/layers.txt" "$1/planted.c") > /dev/null; then
		echo "layers: a planted fault was not found: $3"
		exit 1
	fi
}
OLDPWD=$PWD
plant core '#include "sim/machine.h"' "core includes sim"
plant core '#include <stdio.h>' "core includes stdio"
plant sim '#include "report/result_json.h"' "sim includes report"
plant input '#include "core/lab.h"' "input includes more of core than model.h"
plant work '#include "scenario.h"' "an include without its room"
plant attic '#include "base/types.h"' "a room that layers.txt does not know"
