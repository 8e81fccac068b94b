#!/bin/bash
# SPDX-License-Identifier: MIT
#
# seeds.sh - every command that docs/seeds.md and the README show runs.
#
#	tools/seeds.sh FAIRGROUND
set -u

fairground=$1
bad=0 done=0
while read -r line; do
	done=$((done + 1))
	# shellcheck disable=SC2086 - words of a command line without quotes
	timeout 120 "$fairground" ${line#"$ fairground "} > /dev/null 2>&1 || { echo "seeds: does not run: $line"; bad=1; }
done < <(sed -n 's/^\$ fairground .*/&/p' docs/seeds.md README.md)
echo "seeds: $done commands run"
[ $done -gt 0 ] || bad=1
exit $bad
