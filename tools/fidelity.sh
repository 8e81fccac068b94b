#!/bin/bash
# SPDX-License-Identifier: MIT
#
# fidelity.sh - makes the tables of docs/fidelity.md anew.
#
#	tools/fidelity.sh FAIRGROUND				the oracle, and scenarios/measure on this machine (as root, 5 minutes)
#	tools/fidelity.sh FAIRGROUND --guest KERNEL LABEL	and the same in the emulator: FAIRGROUND_STATIC, WORKLOAD, QEMU as for
#								tools/oracle/boot.sh
#	tools/fidelity.sh FAIRGROUND --measured DIR BLOCK	only that block (host or guest), from JSON that is there already
#	tools/fidelity.sh FAIRGROUND --predict LIVE_LOAD [KEEP]	only recordings and what was predicted from them (as root, half an hour); the recordings are left in KEEP
#	tools/fidelity.sh FAIRGROUND --predict-again KEEP	the same from those recordings
#	tools/fidelity.sh FAIRGROUND --predict-guest KERNEL LIVE_LOAD	the same in the emulator, of static programs: tests/live/predict_guest.sh
#
# Run in the source tree.  What is not made anew stays as it is.
set -eu

fairground=${1:?usage: tools/fidelity.sh FAIRGROUND [--guest KERNEL LABEL | --measured DIR BLOCK | --predict LIVE_LOAD [KEEP] | --predict-again KEEP | --predict-guest KERNEL LIVE_LOAD]}
page=docs/fidelity.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# replace BLOCK < TEXT: what stands between the marks of BLOCK
replace() {
	cat > "$dir/block"
	awk -v begin="<!-- $1 -->" -v end="<!-- end of $1 -->" -v text="$dir/block" '
	$0 == end { skip = 0 }
	!skip
	$0 == begin { skip = 1; while ((getline line < text) > 0) print line }' "$page" > "$dir/page"
	grep -q "^<!-- $1 -->$" "$page" || { echo "fidelity: $page has no block $1" >&2; exit 1; }
	cp "$dir/page" "$page"
}

oracle_block() {
	echo '```text'
	"$fairground" oracle | awk '/^$/ && seen { exit } NF { seen = 1 } /^The model/ { print; getline; print; seen = 0; next } { print }'
	echo '```'
}

# Cells of a file are a line each, the noise is a line.
table() { # FILES...
	awk '
	function number(key,	s) { s = $0; if (!sub(".*\"" key "\": *", "", s)) return ""; sub(/[,} ].*/, "", s); return s + 0 }
	function range(	s) { s = $0; sub(/.*"real_range": \[ */, "", s); sub(/ *\].*/, "", s); split(s, r, /, */) }
	function ms(us) { return us >= 100000 ? sprintf("%.0f", us / 1000) : us >= 10000 ? sprintf("%.1f", us / 1000) : sprintf("%.2f", us / 1000) }
	function flush_file() {
		if (file == "" || !cells)
			return
		printf "| %s | %d of %d | %s | %s | %s | %s | %s | %s |\n", file, ok, cells, cpu, cpu_range, cpu_model, throttled, p50, others
		all += cells; all_ok += ok; all_noisy += noisy
	}
	FNR == 1 {
		flush_file()
		file = FILENAME
		sub(/.*\//, "", file); sub(/\.json$/, "", file)
		cells = ok = noisy = 0
		cpu = cpu_range = cpu_model = throttled = p50 = others = ""
	}
	/"release": "/ && kernel == "" { kernel = $0; sub(/.*"release": "/, "", kernel); sub(/".*/, "", kernel) }
	/^    \{ "name": "/ {
		name = $0; sub(/.*"name": "/, "", name); sub(/".*/, "", name)
		figure = name; sub(/.*\./, "", figure)
		cells++
		if ($0 ~ /"ok": true/) { ok++; noisy += $0 ~ /"noisy": true/ }
		else misses = misses sprintf("- `%s` %s: real %s, model %s, near is %s\n", file, name, number("real"), number("model"), number("tolerance"))
		range()
		if (figure ~ /^(usage|runtime)_usec$/ && cpu == "") {
			cpu = ms(number("real")); cpu_model = ms(number("model"))
			cpu_range = ms(r[1]) == ms(r[2]) ? "" : ms(r[1]) ".." ms(r[2])
		}
		if (figure == "nr_throttled" && throttled == "") throttled = number("real") " / " number("model")
		if (figure == "latency_p50_usec" && p50 == "") p50 = ms(number("real")) " / " ms(number("model"))
	}
	/"noise": \{/ { others = ms(number("others_usec")); repeats = number("repeats"); steal += number("steal_usec") }
	BEGIN {
		print "| scenario | near | CPU ms | range | model | throttled periods | p50 ms | others, CPU ms |"
		print "|---|---|---|---|---|---|---|---|"
	}
	END {
		flush_file()
		printf "\nKernel %s, each scenario measured %d times. %d of %d figures are near", kernel, repeats, all_ok, all
		printf all_noisy ? ", %d of these because the repeats themselves differ by more than a quarter" : "%.0s", all_noisy
		printf "; steal time %s ms in all.\n", ms(steal)
		if (misses != "") printf "\nNot near (times in us):\n\n%s", misses
	}' "$@"
}

measured() { # DIR: its files that hold a measurement
	find "$1" -name '*.json' -size +0 | LC_ALL=C sort
}

block_of() { # DIR BLOCK
	local files
	mapfile -t files < <(measured "$1")
	[ ${#files[@]} -gt 0 ] || { echo "fidelity: nothing was measured" >&2; exit 3; }
	table "${files[@]}" | replace "$2"
}

if [ "${2:-}" = --measured ]; then
	block_of "$3" "$4"
	exit 0
fi

predicted() { # ARGUMENTS of predict.sh
	FAIRGROUND_TABLE=$dir/table FAIRGROUND_TABLE_LIGHT=$dir/light bash tests/live/predict.sh "$fairground" "$@" || [ -s "$dir/table" ] || exit 3
	replace predict < "$dir/table"
	[ ! -s "$dir/light" ] || replace predict-light < "$dir/light"
}

if [ "${2:-}" = --predict ]; then
	predicted "$3" ${4:+--keep "$4"}
	exit 0
fi

if [ "${2:-}" = --predict-again ]; then
	predicted --again "$3"
	exit 0
fi

if [ "${2:-}" = --predict-guest ]; then
	bash tests/live/predict_guest.sh "$3" "$fairground" "$4" "$dir/table" || [ -s "$dir/table" ] || exit 3
	replace predict-guest < "$dir/table"
	exit 0
fi

oracle_block | replace oracle
mkdir "$dir/host"
for f in scenarios/measure/*.json; do
	echo "fidelity: $f" >&2
	"$fairground" measure "$f" --json --ahead > "$dir/host/$(basename "$f")" || rm -f "$dir/host/$(basename "$f")"
done
block_of "$dir/host" host
if [ "${2:-}" = --guest ]; then
	FAIRGROUND=${FAIRGROUND_STATIC:-build/static/fairground} SECONDS_MOST=${SECONDS_MOST:-1800} \
		tools/oracle/boot.sh "$3" 1 scenarios/measure "$4" "$dir/guest.jsonl"
	block_of "$dir/guest.measured" guest
fi
