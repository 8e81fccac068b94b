#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage.sh - what the program says and how it exits when it is used wrongly.
#
#	tools/usage.sh FAIRGROUND
set -u

fairground=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0 done=0

# expect CODE PATTERN ARGUMENTS...: exit code, and a line of the output that matches
expect() {
	local code=$1 pattern=$2 out rc
	shift 2
	out=$("$fairground" "$@" 2>&1 < /dev/null)
	rc=$?
	done=$((done + 1))
	if [ $rc -ne "$code" ]; then
		echo "usage: \"$*\" exits $rc, not $code: $out"
		bad=1
	elif ! grep -qE -- "$pattern" <<< "$out"; then
		echo "usage: \"$*\" does not say /$pattern/: $out"
		bad=1
	fi
}

expect 2 'Usage: fairground COMMAND'
expect 0 'Usage: fairground COMMAND' --help
expect 0 '^fairground [0-9]+\.[0-9]+' --version
expect 2 'did you mean run\?' rnu
expect 2 'unknown command "frobnicate"' frobnicate
expect 2 'did you mean --kernel\?' run --kernl=5.4 scenarios/one-hog.json
expect 2 'unknown option "--frobnicate"' run --frobnicate scenarios/one-hog.json
expect 2 'SCENARIO is missing' run
expect 2 'one argument too many' run scenarios/one-hog.json another.json
expect 2 '--kernel needs a value' run scenarios/one-hog.json --kernel
expect 2 'takes no value' run --json=yes scenarios/one-hog.json
expect 2 'No such file' run no-such-file.json
expect 2 '5\.44' run scenarios/one-hog.json --kernel 5.44
expect 2 'bw_expirey' run scenarios/one-hog.json --rule bw_expirey=none
expect 2 'bw_expiry' run scenarios/one-hog.json --rule bw_expiry=sometimes
expect 2 'sched_frob' run scenarios/one-hog.json --tunable sched_frob=1
expect 2 'expected a time' run scenarios/one-hog.json --duration soon
expect 2 '1 to 1024' run scenarios/one-hog.json --cpus 0
expect 2 'nothing to compare' compare scenarios/one-hog.json --kernel 5.4
expect 2 'given twice' run scenarios/one-hog.json --kernel 5.4 --kernel 5.10
expect 2 'no row is called "9.99"' kernels 9.99
expect 0 'bw_expiry' kernels 4.14.133 5.4
expect 0 '"rules"' kernels --json
for c in run compare kernels help; do
	expect 0 "Usage: fairground $c" "$c" --help
	expect 0 "Usage: fairground $c" help "$c"
done

# A name in a file is data: escape bytes must not reach the terminal.
printf '{ "machine": { "cpus": 1 }, "global": { "duration": 1 }, "tasks": { "a\033[31mb": { "loop": 1, "run": 10 } } }\n' > "$dir/escape.json"
for mode in --json --threads; do
	if "$fairground" run "$dir/escape.json" $mode 2>&1 | LC_ALL=C grep -q "$(printf '\033')"; then
		echo "usage: an escape byte of a name came out of run $mode"
		bad=1
	fi
done

# A full disk is not success.
if [ -w /dev/full ]; then
	"$fairground" run scenarios/one-hog.json > /dev/full 2> /dev/null
	[ $? -eq 3 ] || { echo "usage: a full disk was not noticed"; bad=1; }
fi
# Completion offers commands, options, rows and the values of a rule, also behind the "=" at which bash splits words.
. completion/fairground.bash
offers() { # WANTED WORDS...
	local wanted=$1
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_fairground
	done=$((done + 1))
	case " ${COMPREPLY[*]} " in
	*" $wanted "*) ;;
	*) echo "usage: completion of \"$*\" does not offer $wanted: ${COMPREPLY[*]}"; bad=1 ;;
	esac
}
offers run fairground ru
offers --kernel fairground run --k
offers 4.14.133 fairground run --kernel 4.
offers bw_expiry=seq fairground run --rule bw_ex
offers seq fairground run --rule bw_expiry =
offers none fairground run --rule bw_expiry = n
offers 5.4 fairground kernels 5
offers compare fairground help c
offers scenarios fairground run scen

echo "usage: $done uses tried"
exit $bad
