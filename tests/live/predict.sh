#!/bin/bash
# SPDX-License-Identifier: MIT
#
# predict.sh - is a prediction from a recording right?  Real loads run under limit A and are recorded; from that recording alone the model says how
# they would fare under limit B; then they run under B three times.
#
#	tests/live/predict.sh FAIRGROUND LIVE_LOAD [--few N] [--pair NAME]... [--seconds N] [--fresh] [--keep DIR] [--list]
#	tests/live/predict.sh FAIRGROUND --again DIR
#
#	load, limit A --> recording of events ----> replay --limit B --> predicted
#		      --> counters, beside it ----> replay --limit B --> predicted from counters alone
#	load, limit B, three times --> cpu.stat, recordings --> real		side by side, with the errors
#
# --few N	as many pairs, of as many kinds as possible (for tests); --pair NAME only that one; --list says which there are
# --fresh	each run draws its own arrivals and lengths, as the days of a real program do; without it B meets those that A had
# --keep DIR	leave recordings and readings there
# --again DIR	make the tables again from what --keep left in DIR; runs nothing but replay
# FAIRGROUND_TABLE=FILE puts the table there in Markdown, FAIRGROUND_TABLE_LIGHT=FILE that of the counters, for docs/fidelity.md.
#
# Where events may not be recorded, counters alone are (record --light).  Needs the right to make groups with limits.  Exit 77: skipped, and why.
# Whatever ends it, nothing stays behind: the loads die with it, and its groups, predict-PID, are removed by it or by the next run.
set -eu

usage() { sed -n '7,19s/^# \{0,1\}//p' "$0"; exit 2; }
skip() { echo "predict: skipped: $*" >&2; exit 77; }
note() { echo "predict: $*" >&2; }

# ---- the pairs ----

# NAME KIND A B LOAD; of two loads both stand in the group, each in one of its own.  Half go from tight to loose and half the other way.
pairs() {
	local burst='burst period=250000 work=40000 jitter=20' bursts='bursts threads=4 period=100000 work=8000 jitter=20'
	local pipe='pipe threads=3 period=20000 work=3000 jitter=20' pool='pool threads=4 period=8000 work=4000'
	local timers='timers threads=6 period=60000 work=4000 jitter=20' mixed='mixed period=100000 work=10000 jitter=20'
	local quiet='pool threads=2 period=16000 work=4000' small='timers threads=3 period=60000 work=4000 jitter=20'
	cat <<-EOF
	burst-1 burst 20ms/100ms 40ms/100ms $burst
	burst-2 burst 27ms/100ms 60ms/100ms $burst
	burst-3 burst 20ms/100ms 75ms/250ms $burst
	burst-4 burst 22ms/100ms 22ms/100ms+22ms $burst
	burst-5 burst 60ms/100ms 25ms/100ms $burst
	burst-6 burst max 30ms/100ms $burst
	burst-7 burst 40ms/100ms 10ms/50ms $burst
	bursts-1 bursts 35ms/100ms 60ms/100ms $bursts
	bursts-2 bursts 38ms/100ms 100ms/100ms $bursts
	bursts-3 bursts 36ms/100ms 36ms/100ms+36ms $bursts
	bursts-4 bursts 100ms/100ms 35ms/100ms $bursts
	bursts-5 bursts max 40ms/100ms $bursts
	bursts-6 bursts 80ms/100ms 20ms/50ms $bursts
	bursts-7 bursts 150ms/100ms 45ms/100ms $bursts
	pipe-1 pipe 50ms/100ms 80ms/100ms $pipe
	pipe-2 pipe 48ms/100ms 150ms/100ms $pipe
	pipe-3 pipe 50ms/100ms 50ms/100ms+30ms $pipe
	pipe-4 pipe 25ms/50ms 60ms/100ms $pipe
	pipe-5 pipe 90ms/100ms 50ms/100ms $pipe
	pipe-6 pipe max 48ms/100ms $pipe
	pipe-7 pipe 80ms/100ms 25ms/50ms $pipe
	pool-1 pool 60ms/100ms 100ms/100ms $pool
	pool-2 pool 58ms/100ms 150ms/100ms $pool
	pool-3 pool 60ms/100ms 60ms/100ms+40ms $pool
	pool-4 pool 120ms/100ms 60ms/100ms $pool
	pool-5 pool max 65ms/100ms $pool
	pool-6 pool 100ms/100ms 30ms/50ms $pool
	pool-7 pool 90ms/100ms 70ms/100ms $pool
	timers-1 timers 30ms/100ms 50ms/100ms $timers
	timers-2 timers 32ms/100ms 100ms/100ms $timers
	timers-3 timers 33ms/100ms 33ms/100ms+20ms $timers
	timers-4 timers 16ms/50ms 50ms/100ms $timers
	timers-5 timers 60ms/100ms 33ms/100ms $timers
	timers-6 timers max 35ms/100ms $timers
	timers-7 timers 50ms/100ms 17ms/50ms $timers
	mixed-1 mixed 30ms/100ms 60ms/100ms $mixed
	mixed-2 mixed 50ms/100ms 120ms/100ms $mixed
	mixed-3 mixed 40ms/100ms 125ms/250ms $mixed
	mixed-4 mixed 100ms/100ms 40ms/100ms $mixed
	mixed-5 mixed max 50ms/100ms $mixed
	mixed-6 mixed 80ms/100ms 20ms/50ms $mixed
	mixed-7 mixed 120ms/100ms 60ms/100ms $mixed
	neighbour-1 neighbour 25ms/100ms 50ms/100ms $quiet
	neighbour-2 neighbour 28ms/100ms 80ms/100ms $quiet
	neighbour-3 neighbour 30ms/100ms 30ms/100ms+20ms $quiet
	neighbour-4 neighbour 15ms/50ms 60ms/100ms $quiet
	neighbour-5 neighbour 60ms/100ms 30ms/100ms $quiet
	neighbour-6 neighbour max 30ms/100ms $quiet
	neighbour-7 neighbour 50ms/100ms 15ms/50ms $quiet
	nested-1 nested 48ms/100ms 80ms/100ms $quiet / $small
	nested-2 nested 46ms/100ms 120ms/100ms $quiet / $small
	nested-3 nested 48ms/100ms 48ms/100ms+30ms $quiet / $small
	nested-4 nested 100ms/100ms 45ms/100ms $quiet / $small
	nested-5 nested max 45ms/100ms $quiet / $small
	nested-6 nested 80ms/100ms 23ms/50ms $quiet / $small
	nested-7 nested 120ms/100ms 50ms/100ms $quiet / $small
	EOF
}

# N pairs of as many kinds as there are, one kind's from tight to loose and the next one's the other way.
few() { # N
	pairs | awk -v n="$1" '
	!($2 in at) { at[$2] = kinds++ }
	{ split($1, name, "-"); line[at[$2], name[2] - 1] = $0 }
	END { for (round = 0; round < 7; round++) for (k = 0; k < kinds; k++) if (got++ < n) print line[k, (k % 2 * 4 + round) % 7] }'
}

# ---- groups ----

# Where the cpu controller is, and who may write there.
find_controller() {
	local d
	for d in /sys/fs/cgroup /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct; do
		if grep -qsw cpu "$d/cgroup.controllers"; then
			version=2 root=$d
			break
		elif [ -e "$d/cpu.cfs_quota_us" ] || [ -e "$d/cpu.shares" ]; then
			version=1 root=$d
			[ -e "$d/cpuacct.usage" ] || [ ! -d /sys/fs/cgroup/cpuacct ] || acct=/sys/fs/cgroup/cpuacct/predict-$$
			break
		fi
	done
	[ -n "$root" ] || skip "no cgroup file system with the cpu controller at /sys/fs/cgroup"
	top=$root/predict-$$
}

put() { # TEXT FILE
	printf '%s\n' "$1" > "$2"
}

make_group() { # PATH
	mkdir "$1" || return 1
	[ "$version" -eq 1 ] || put +cpu "$1/cgroup.subtree_control"
}

make_groups() {
	if [ "$version" -eq 2 ] && ! grep -qw cpu "$root/cgroup.subtree_control"; then
		was_off=1
		put +cpu "$root/cgroup.subtree_control" 2> /dev/null || skip "the cpu controller of $root may not be handed down"
	fi
	make_group "$top" 2> /dev/null || skip "no group can be made in $root by uid $(id -u)"
	mkdir "$top/beside"
	make_group "$top/load"
	mkdir "$top/load/a" "$top/load/b"
	[ -z "$acct" ] || mkdir "$acct" 2> /dev/null || acct=
	# Before everything else on this machine; but on its only CPU the recorder must get a turn too.
	if [ "$(nproc)" -eq 1 ]; then
		return 0
	elif [ "$version" -eq 1 ]; then
		put 262144 "$top/cpu.shares"
	else
		put 10000 "$top/cpu.weight"
	fi
}

remove_groups() { # DIR
	local d n
	for d in load/a load/b load beside .; do
		for n in 1 2 3 4 5 6 7 8 9 10; do
			{ [ ! -d "$1/$d" ] || rmdir "$(realpath "$1/$d")" 2> /dev/null; } && break
			sleep 0.1
		done
	done
}

sweep() {
	local d
	for d in "$root"/predict-* /sys/fs/cgroup/cpuacct/predict-*; do
		[ ! -d "$d" ] || [ -d "/proc/${d##*-}" ] || remove_groups "$d"
	done
}

# "25ms/100ms+10ms" --> quota, period and burst in us; quota -1: none
limit_of() { # LIMIT
	local text=$1
	quota=-1 period=100000 burst=0
	[ "$text" != max ] || return 0
	case $text in
	*+*)
		burst=${text#*+}
		burst=$((${burst%ms} * 1000))
		text=${text%%+*}
		;;
	esac
	quota=$((${text%%ms*} * 1000))
	text=${text#*/}
	period=$((${text%ms} * 1000))
}

set_limit() { # LIMIT
	local g=$top/load
	limit_of "$1"
	if [ "$version" -eq 2 ]; then
		[ ! -e "$g/cpu.max.burst" ] || put 0 "$g/cpu.max.burst"
		[ "$quota" -ge 0 ] && put "$quota $period" "$g/cpu.max" || put "max $period" "$g/cpu.max"
		[ "$burst" -eq 0 ] || put "$burst" "$g/cpu.max.burst"
	else
		[ ! -e "$g/cpu.cfs_burst_us" ] || put 0 "$g/cpu.cfs_burst_us"
		put -1 "$g/cpu.cfs_quota_us"
		put "$period" "$g/cpu.cfs_period_us"
		put "$quota" "$g/cpu.cfs_quota_us"
		[ "$burst" -eq 0 ] || put "$burst" "$g/cpu.cfs_burst_us"
	fi
}

can_burst() { [ -e "$top/load/cpu.max.burst" ] || [ -e "$top/load/cpu.cfs_burst_us" ]; }

# ---- loads ----

run_in() { # GROUP LOAD-ARGUMENTS...: in the background, its figures into $dir/load.GROUP
	local group=$1
	shift
	[ -z "$acct" ] || [ "$group" = beside ] || set -- "$@" "join=$acct/cgroup.procs"
	"$load" "$@" "join=$top/$group/cgroup.procs" > "$dir/load.${group##*/}" 2>&1 &
	running="$running $!"
}

start_load() { # KIND DRAW LOAD...
	local kind=$1 draw=$2 all first second
	shift 2
	all="$*" running=
	first=${all%% / *}
	second=${all#"$first"}
	second=${second# / }
	# shellcheck disable=SC2086 - words of a row
	set -- $first
	run_in load/a "$1" $((seconds + 3)) "${@:2}" "seed=$draw"
	# shellcheck disable=SC2086
	set -- $second
	[ $# -eq 0 ] || run_in load/b "$1" $((seconds + 3)) "${@:2}" "seed=$draw"
	[ "$kind" != neighbour ] || run_in beside bursts $((seconds + 3)) as=lx "threads=$(($(nproc) < 60 ? $(nproc) : 60))" period=50000 work=30000 jitter=50 "seed=$((6 + draw))"
}

stop_load() {
	local p
	for p in $running; do
		kill -9 "$p" 2> /dev/null || true
		wait "$p" 2> /dev/null || true
	done
	running=
}

# ---- recordings ----

# Events where they may be recorded, else counters.
choose_recorder() {
	for light in '' --light; do
		# shellcheck disable=SC2086
		timeout 20 "$fairground" record $light --cgroup "$top/load" -d 0.1 -o "$dir/try" > /dev/null 2> "$dir/refused" && return 0
		note "record${light:+ }$light: $(head -1 "$dir/refused")"
	done
	skip "nothing can be recorded here"
}

# cpu.stat of the group, its CPU time, and when that was
read_stat() {
	echo "now_usec ${EPOCHREALTIME/[.,]/}"
	cat "$top/load/cpu.stat"
	[ "$version" -eq 2 ] || [ ! -e "${acct:-$top/load}/cpuacct.usage" ] ||
		echo "usage_usec $(($(cat "${acct:-$top/load}/cpuacct.usage") / 1000))"
}

record() { # FILE: while the load runs
	local p counters=
	read_stat > "$1.before"
	if [ -z "$light" ] && [ "${1##*/}" = a ]; then
		timeout $((seconds + 20)) "$fairground" record --light --cgroup "$top/load" -d "$seconds" -o "$1.light" > "$1.light.said" 2>&1 &
		counters=$!
	fi
	# shellcheck disable=SC2086
	timeout $((seconds + 20)) "$fairground" record $light --cgroup "$top/load" -d "$seconds" -o "$1" > "$1.said" 2>&1 ||
		{ note "$name: record: $(head -1 "$1.said")"; return 1; }
	read_stat > "$1.after"
	[ -z "$counters" ] || wait "$counters" || { note "$name: record --light: $(head -1 "$1.light.said")"; rm -f "$1.light"; }
	for p in $running; do
		kill -0 "$p" 2> /dev/null || { note "$name: the load ended before its recording did"; return 1; }
	done
}

# ---- answers ----

# What a recording shows, and what the model says of a further limit: JSON into RECORDING.json.  Who is in the group, its limit, the kernel and its
# ticks are in the recording.
ask() { # RECORDING [LIMIT]
	timeout 120 "$fairground" replay "$1" ${2:+--limit "$2"} --json > "$1.json" 2> "$1.refused" ||
		{ note "$name: $(head -1 "$1.refused")"; return 1; }
}

# Lengths are those of the threads that the kind is about, ld-KIND; where they are all there is, the group's.
ranges='
	function bounds(line, key,	t) {
		if (!match(line, "\"" key "\": \\[ *[0-9]+, *[0-9]+")) return 0
		t = substr(line, RSTART, RLENGTH); sub(/.*\[ */, "", t); split(t, at, /, */)
		return 1
	}
	function single(line, key,	t) {
		if (!match(line, "\"" key "\": *[0-9]+")) return 0
		t = substr(line, RSTART, RLENGTH); sub(/.*: */, "", t); at[1] = at[2] = t
		return 1
	}
	function note(name) { lo[name] = at[1] + 0; hi[name] = at[2] + 0 }
	function percent(part, whole) { return whole ? 100 * part / whole : 0 }'

# "WHAT LIKELY LOW HIGH" of the prediction in a file of JSON: share of periods in per cent, CPU time in us per s, lengths of bursts in us
predicted() { # FILE POOL
	awk -v pool="$2" -v seconds="$seconds" "$ranges"'
	/^  "runs": \[/ { runs = 1 }
	!runs { next }
	/^      "range": \{/ { part = "range" }
	/^      "likely": \{/ { part = "likely" }
	/^      "threads": \{/ { part = "threads" }
	part == "range" && bounds($0, "[^\"]*\\.nr_throttled") { note("throttled") }
	part == "range" && bounds($0, "[^\"]*\\.nr_periods") { note("periods") }
	part == "range" && bounds($0, "[^\"]*\\.usage_usec") { note("usage") }
	part == "range" && bounds($0, "[^\"]*\\.p50_usec") { note("p50") }
	part == "range" && bounds($0, "[^\"]*\\.p95_usec") { note("p95") }
	part == "likely" && single($0, "[^\"]*\\.nr_throttled") { likely["throttled"] = at[1] }
	part == "likely" && single($0, "[^\"]*\\.nr_periods") { likely["periods"] = at[1] }
	part == "likely" && single($0, "[^\"]*\\.usage_usec") { likely["usage"] = at[1] }
	part == "likely" && single($0, "[^\"]*\\.p50_usec") { likely["p50"] = at[1] }
	part == "likely" && single($0, "[^\"]*\\.p95_usec") { likely["p95"] = at[1] }
	part == "threads" && index($0, "\"" pool "\": {") {
		if (bounds($0, "p50")) note("p50")
		if (bounds($0, "p95")) note("p95")
		if (single($0, "p50")) likely["p50"] = at[1]
		if (single($0, "p95")) likely["p95"] = at[1]
	}
	END {
		if (!("usage" in lo))
			exit 1
		for (f in lo) if (!(f in likely)) likely[f] = (lo[f] + hi[f]) / 2
		print "share", percent(likely["throttled"], likely["periods"]), percent(lo["throttled"], hi["periods"]), percent(hi["throttled"], hi["periods"])
		print "usage", likely["usage"] / seconds, lo["usage"] / seconds, hi["usage"] / seconds
		if (hi["p50"]) { print "p50", likely["p50"], lo["p50"], hi["p50"]; print "p95", likely["p95"], lo["p95"], hi["p95"] }
	}' "$1"
}

# cpu.stat at the beginning and the end of the recording, which says it itself; what it does not say (v1: CPU time) was read around it: "KEY BEFORE AFTER"
readings() { # RECORDING
	{
		sed 's/^/before /' "$1.before"
		sed 's/^/after /' "$1.after"
		LC_ALL=C grep -a -o '"stat": "[^"]*/load", "at": "[^}]*}' "$1" 2> /dev/null | awk -v seconds="$seconds" '
		{ when[NR] = /"at": "before"/ ? "before" : "after"; said[NR] = $0 }
		END {
			for (r = 1; NR == 2 && r <= 2; r++) {
				n = split(said[r], field, ", ")
				for (i = 3; i <= n; i++) { split(field[i], v, ": "); gsub(/[^a-z_]/, "", v[1]); print when[r], v[1], v[2] + 0 }
				if (said[r] ~ /usage_usec/) print when[r], "now_usec", r == 1 ? 0 : seconds * 1000000
			}
		}'
	} | awk '$1 == "before" { first[$2] = $3 } $1 == "after" { last[$2] = $3 } END { for (k in last) print k, first[k], last[k] }'
}

# The same of what was recorded, one value each: the share and the CPU time are cpu.stat's, the rest the recording's.
recorded() { # RECORDING POOL
	readings "$1" > "$dir/readings"
	awk -v stat="$dir/readings" -v pool="$2" "$ranges"'
	BEGIN { while ((getline line < stat) > 0) { split(line, v, " "); count[v[1]] = v[3] - v[2] } }
	/^  "model": \{/ { exit }
	/^    "latency_usec"/ { if (single($0, "p50")) note("p50"); if (single($0, "p95")) note("p95") }
	index($0, "\"" pool "\": {") && /"bursts"/ { if (bounds($0, "p50")) note("p50"); if (bounds($0, "p95")) note("p95") }
	END {
		print "share", percent(count["nr_throttled"], count["nr_periods"])
		print "usage", 1000000 * count["usage_usec"] / count["now_usec"]
		if (lo["p50"]) { print "p50", lo["p50"]; print "p95", lo["p95"] }
	}' "$1.json"
}

# One line a figure: "NAME KIND A B FIGURE REAL LOW HIGH PREDICTED LOW HIGH"; REAL is the median of three runs.
figures() { # NAME KIND A B POOL RECORDING
	local i
	{
		predicted "$6.json" "$5" | sed 's/^/model /'
		for i in 1 2 3; do
			recorded "$dir/b$i" "$5" | sed 's/^/real /'
		done
	} | awk -v row="$1 $2 $3 $4" '
	$1 == "model" { likely[$2] = $3; lo[$2] = $4; hi[$2] = $5 }
	$1 == "real" { v[$2, nr[$2]++] = $3 }
	function sort3(f,	i, k, t) {
		for (i = 0; i < 3; i++) for (k = i + 1; k < 3; k++)
			if (v[f, k] < v[f, i]) { t = v[f, i]; v[f, i] = v[f, k]; v[f, k] = t }
	}
	END {
		n = split("share usage p50 p95", names, " ")
		for (i = 1; i <= n; i++) {
			f = names[i]
			if (!(f in lo) || nr[f] < 3)
				continue
			sort3(f)
			print row, f, v[f, 1], v[f, 0], v[f, 2], likely[f], lo[f], hi[f]
		}
	}'
}

# What is in $dir of a pair, asked and put beside each other.
judge() { # NAME KIND A B LOAD...
	local name=$1 kind=$2 a=$3 b=$4
	ask "$dir/a" "$b" && ask "$dir/b1" && ask "$dir/b2" && ask "$dir/b3" || { failed=$((failed + 1)); return 0; }
	figures "$name" "$kind" "$a" "$b" "ld-$5" "$dir/a" | tee -a "$dir/figures" | say_pair
	[ -e "$dir/a.light" ] && ask "$dir/a.light" "$b" || return 0
	figures "$name" "$kind" "$a" "$b" "ld-$5" "$dir/a.light" >> "$dir/figures.light"
}

# The seed of a run: of every one the same, or its own.
draw_of() { # NAME RUN
	[ -z "$fresh" ] && echo 1 || printf '%s %s' "$1" "$2" | cksum | cut -d ' ' -f 1
}

pair() { # NAME KIND A B LOAD...
	local name=$1 kind=$2 a=$3 b=$4 i
	shift 4
	case $a$b in *+*) can_burst || { note "$name: this kernel has no burst"; return 0; } ;; esac
	rm -f "$dir"/[ab]*
	for i in a b1 b2 b3; do
		[ "$i" = a ] && set_limit "$a" || set_limit "$b"
		start_load "$kind" "$(draw_of "$name" "$i")" "$@"
		sleep "$settle"
		record "$dir/$i" || i=none
		stop_load
		[ "$i" != none ] || { failed=$((failed + 1)); return 0; }
	done
	[ -z "$keep" ] || keep_pair "$keep/$name"
	judge "$name" "$kind" "$a" "$b" "$@"
}

keep_pair() { # DIR
	mkdir -p "$1"
	cp "$dir"/[ab]* "$dir"/load.* "$1"
	rm -f "$1"/*.json
	printf '%s %s %s %s\n' "$(uname -r)" "$(nproc)" "$version" "$seconds" > "$keep/host"
}

# A pair of which recordings were kept
pair_again() { # NAME KIND A B LOAD...
	[ -d "$again/$1" ] || return 0
	rm -f "$dir"/[ab]*
	cp "$again/$1"/[ab]* "$dir"
	judge "$@"
}

say_pair() {
	awk '
	function ms(v) { return sprintf(v >= 99500 ? "%.0f" : v >= 9950 ? "%.1f" : "%.2f", v / 1000) }
	function show(f, v) { return f == "share" ? sprintf("%.0f", v) : ms(v) }
	{
		printf "%-12s %-11s %-10s -> %-16s %-6s real %s (%s..%s)  predicted %s (%s..%s)\n", NR == 1 ? $1 : "", NR == 1 ? $2 : "", NR == 1 ? $3 : "",
		       NR == 1 ? $4 : "", $5, show($5, $6), show($5, $7), show($5, $8), show($5, $9), show($5, $10), show($5, $11)
	}'
}

# ---- the table ----

# Errors: of the share in points, of the rest in per cent of the real value.  A figure's grain is a period, 1 % of CPU time, 2 % of a length: two
# ranges meet where they have a value in common or are no farther apart than that, and the truth, the median of the real runs, is inside a
# range where it lies no farther beyond.  Widths: of the share in points, of the rest in per cent of what is predicted.
summary() { # FIGURES
	awk -v periods="$((seconds * 10))" '
	function abs(v) { return v < 0 ? -v : v }
	# CPUs of a limit; "max" is more than any
	function cpus(limit,	at) { if (limit == "max") return 1000000; split(limit, at, "/"); return at[1] / at[2] }
	# Of equal limits the one with a burst, or the longer period, is the looser one.
	function is_looser(b, a,	x, y) {
		if (cpus(b) != cpus(a)) return cpus(b) > cpus(a)
		split(a, x, "/"); split(b, y, "/")
		return b ~ /[+]/ || y[2] + 0 > x[2] + 0
	}
	function put(set, f, e, meet, in_range, wide) {
		wides[set, f, n[set, f] + 0] = wide
		err[set, f, n[set, f]++] = abs(e)
		sum[set, f] += e
		met[set, f] += meet
		inside[set, f] += in_range
		if (!(set in seen)) { seen[set] = 1; sets[nr_sets++] = set }
	}
	function rank(of, set, f, share,	i, k, t, m, at) {
		m = n[set, f]
		for (i = 0; i < m; i++) s[i] = of == "err" ? err[set, f, i] : wides[set, f, i]
		for (i = 1; i < m; i++) { t = s[i]; for (k = i - 1; k >= 0 && s[k] > t; k--) s[k + 1] = s[k]; s[k + 1] = t }
		at = int(share * m + .999999) - 1
		return s[at < 0 ? 0 : at]
	}
	BEGIN { nr_sets = split("all,tight to loose,loose to tight", first, ","); for (i = 1; i <= nr_sets; i++) { sets[i - 1] = first[i]; seen[first[i]] = 1 } }
	{
		e = $5 == "share" ? $9 - $6 : $6 ? 100 * ($9 - $6) / $6 : 0
		grain = $5 == "share" ? 100 / periods : $5 == "usage" ? .01 * $6 : .02 * $6
		meet = $7 <= $11 + grain && $8 >= $10 - grain
		in_range = $6 <= $11 + grain && $6 >= $10 - grain
		wide = $5 == "share" ? $11 - $10 : $9 ? 100 * ($11 - $10) / $9 : 0
		put("all", $5, e, meet, in_range, wide)
		put(is_looser($4, $3) ? "tight to loose" : "loose to tight", $5, e, meet, in_range, wide)
		put($2, $5, e, meet, in_range, wide)
	}
	END {
		split("share usage p50 p95", names, " ")
		title["share"] = "throttled periods, points"; title["usage"] = "CPU time, %"
		title["p50"] = "p50 of bursts, %"; title["p95"] = "p95 of bursts, %"
		print "| load | pairs | figure | median error | 9 of 10 below | mean, signed | truth inside the range | median width | ranges meet |"
		print "|---|---|---|---|---|---|---|---|---|"
		for (i = 0; i < nr_sets; i++)
			for (k = 1; k <= 4; k++) {
				f = names[k]; m = n[sets[i], f]
				if (m)
					printf "| %s | %d | %s | %.1f | %.1f | %+.1f | %d | %.1f | %d |\n", sets[i], m, title[f], rank("err", sets[i], f, .5),
					       rank("err", sets[i], f, .9), sum[sets[i], f] / m, inside[sets[i], f], rank("wide", sets[i], f, .5), met[sets[i], f]
			}
	}' "$1"
}

table() { # FIGURES
	local nr
	nr=$(awk '{ print $1 }' "$1" | sort -u | wc -l)
	printf 'Kernel %s, %s CPUs, cgroup v%s; %d pairs, %s s each, limit B three times.\n\n' $host "$nr" "$seconds"
	summary "$1"
	printf '\nEach cell: real, with the least and the most of three runs; then what was predicted, and its range.\n\n'
	echo '| pair | A | B | throttled periods, % | CPU, ms per s | p50 of bursts, ms | p95 of bursts, ms |'
	echo '|---|---|---|---|---|---|---|'
	awk '
	function ms(v) { return sprintf(v >= 99500 ? "%.0f" : v >= 9950 ? "%.1f" : "%.2f", v / 1000) }
	function show(f, v) { return f == "share" ? sprintf("%.0f", v) : ms(v) }
	function range(f, at, a, b) { return show(f, at) (show(f, a) == show(f, b) ? "" : " (" show(f, a) ".." show(f, b) ")") }
	function row() { if (last != "") printf "| %s | %s | %s | %s |\n", head, cell["share"], cell["usage"], cell["p50"] " | " cell["p95"] }
	$1 != last { row(); delete cell; last = $1; head = $1 " | " $3 " | " $4 }
	{ cell[$5] = range($5, $6, $7, $8) "; " range($5, $9, $10, $11) }
	END { row() }' "$1"
}

# The summary is said, and the whole goes where the caller wants it.
tell() { # FIGURES TITLE FILE
	[ -s "$1" ] || return 0
	table "$1" > "$dir/table"
	printf '\n%s\n' "$2"
	sed -n '/^| load/,/^$/p' "$dir/table"
	[ -z "$3" ] || cp "$dir/table" "$3"
}

# ---- all of it ----

fairground='' load='' keep='' fresh='' seconds=4 settle=0.7 wanted='' some='' root='' version='' top='' acct='' failed=0 light='' was_off='' running='' again='' host=''
while [ $# -gt 0 ]; do
	case $1 in
	--few) some=${2:?}; shift ;;
	--pair) wanted="$wanted ${2:?}"; shift ;;
	--seconds) seconds=${2:?}; shift ;;
	--fresh) fresh=yes ;;
	--keep) keep=${2:?}; shift ;;
	--again) again=${2:?}; load=-; shift ;;
	--list) pairs; exit 0 ;;
	-*) usage ;;
	*) if [ -z "$fairground" ]; then fairground=$1; elif [ -z "$load" ]; then load=$1; else usage; fi ;;
	esac
	shift
done
[ -n "$load" ] || usage

dir=$(mktemp -d)
finish() {
	stop_load
	[ -z "$top" ] || [ ! -d "$top" ] || remove_groups "$top"
	[ -z "$acct" ] || [ ! -d "$acct" ] || remove_groups "$acct"
	[ -z "$was_off" ] || put -cpu "$root/cgroup.subtree_control" 2> /dev/null || true
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ -n "$again" ]; then
	[ -d "$again" ] || { echo "predict: $again is no directory" >&2; exit 2; }
	[ ! -e "$again/host" ] || read -r kernel cpus version seconds < "$again/host"
	host="${kernel:-unknown} ${cpus:-?} ${version:-?}"
else
	find_controller
	sweep
	make_groups
	choose_recorder
	host="$(uname -r) $(nproc) $version"
fi
: > "$dir/figures"
: > "$dir/figures.light"
if [ -n "$some" ]; then
	few "$some"
elif [ -n "$wanted" ]; then
	for name in $wanted; do
		pairs | grep "^$name " || { echo "predict: no pair is called $name" >&2; exit 2; }
	done
else
	pairs
fi > "$dir/pairs"
while read -r row <&3; do
	# shellcheck disable=SC2086 - words of a row
	if [ -n "$again" ]; then pair_again $row; else pair $row; fi
done 3< "$dir/pairs"
[ -s "$dir/figures" ] || { note "no pair came to its end"; exit 1; }
tell "$dir/figures" "$([ -z "$light" ] && echo From events: || echo From counters:)" "${FAIRGROUND_TABLE:-}"
tell "$dir/figures.light" "From counters:" "${FAIRGROUND_TABLE_LIGHT:-}"
[ "$failed" -eq 0 ] || { note "$failed pairs could not be predicted"; exit 1; }
