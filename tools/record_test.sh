#!/bin/bash
# SPDX-License-Identifier: MIT
#
# record_test.sh - record on this machine: whatever ends it, no tracer stays and no half of a file.
#
#	tools/record_test.sh FAIRGROUND
#
# What needs the right to trace is left out without it; exit 77 where nothing could be tried.
set -u

fairground=$1
dir=$(mktemp -d)
chmod 755 "$dir"
group=
clean() {
	[ -z "$group" ] || rmdir "$group" "${group/\/cpu\//\/cpuacct\/}" 2> /dev/null
	rm -rf "$dir"
}
trap clean EXIT
bad=0 done=0 skipped=0

fail() {
	echo "record: $*"
	bad=1
}

tracefs=$(awk '{ for (i = 7; i < NF; i++) if ($i == "-" && $(i + 1) == "tracefs") { print $5; exit } }' /proc/self/mountinfo)
is_left() { [ -e "$tracefs/instances/fairground-$pid" ]; } # that of $pid; others may record too
none_left() { # WHAT: within two seconds
	done=$((done + 1))
	for _ in $(seq 20); do
		is_left || return
		sleep 0.1
	done
	fail "$1: a tracer is left: fairground-$pid"
}
run() { # ARGUMENTS...: to its end, what it says in $dir/said; $pid
	timeout 60 "$fairground" "$@" > "$dir/said" 2>&1 &
	local waiting=$!
	for _ in $(seq 20); do
		pid=$(pgrep -P $waiting) && break
		sleep 0.01
	done
	wait $waiting
}
nothing_there() { # WHAT
	[ -z "$(ls -A "$dir/out")" ] || fail "$1: something is left: $(ls -A "$dir/out")"
	rm -rf "$dir/out"
	mkdir -m 777 "$dir/out"
}
mkdir -m 777 "$dir/out"

# ---- with the right to trace ----

begin() { # ARGUMENTS...: in the background, $pid; the keeper runs when this returns
	"$fairground" record --all -d 20 -o "$dir/out/t.dat" > "$dir/said" 2>&1 &
	pid=$!
	for _ in $(seq 50); do
		is_left && break
		sleep 0.05
	done
	sleep 0.3
}

if [ -n "$tracefs" ] && [ -w "$tracefs/instances" ]; then
	was=$(cat "$tracefs/tracing_on")
	run record -d 0.4 -o "$dir/out/t.dat" --json || fail "a short recording: $(cat "$dir/said")"
	none_left "a short recording"
	grep -q '"kind": "trace"' "$dir/said" && grep -q '"event_nsec"' "$dir/said" || fail "a short recording says $(cat "$dir/said")"
	"$fairground" doctor "$dir/out/t.dat" > "$dir/said" || fail "doctor cannot read what was recorded"
	grep -q 'clock mono' "$dir/said" || fail "doctor says $(cat "$dir/said")"
	if command -v trace-cmd > /dev/null; then
		trace-cmd report "$dir/out/t.dat" 2> /dev/null | grep -q 'sched_switch' || fail "trace-cmd cannot read what was recorded"
	fi
	rm "$dir/out/t.dat"

	begin
	kill -TERM $pid
	wait $pid || fail "SIGTERM: exit $?"
	none_left "SIGTERM"
	[ -s "$dir/out/t.dat" ] || fail "SIGTERM: no file"
	rm -f "$dir/out/t.dat"
	nothing_there "SIGTERM"

	begin
	kill -KILL $pid
	wait $pid 2> /dev/null
	none_left "kill -9"
	sleep 0.2
	nothing_there "kill -9"

	begin
	pkill -KILL -P $pid # the keeper
	wait $pid
	[ $? -eq 3 ] || fail "the keeper was killed, and yet the exit code is not 3"
	grep -q 'its tracer has been removed' "$dir/said" || fail "the keeper was killed: $(cat "$dir/said")"
	none_left "the keeper killed"
	nothing_there "the keeper killed"

	begin
	keeper=$(pgrep -P $pid)
	kill -STOP "$keeper"
	kill -KILL $pid "$keeper"
	wait $pid 2> /dev/null
	none_left "both killed"
	nothing_there "both killed"

	begin
	keeper=$(pgrep -P $pid)
	last=$(pgrep -P "$keeper" -x fg-last)
	kill -STOP "$keeper" "$last"
	kill -KILL $pid "$keeper" "$last"
	wait $pid 2> /dev/null
	for _ in $(seq 40); do # it holds the tracer's files until it is dead
		grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$keeper/status" || break
		sleep 0.05
	done
	is_left || fail "all killed: there should be a tracer now"
	"$fairground" record -d 0.1 -o "$dir/out/t.dat" > "$dir/said" 2>&1 || fail "after all were killed: $(cat "$dir/said")"
	none_left "all killed, and recorded again"
	rm -f "$dir/out/t.dat"
	nothing_there "all killed"

	# a disk that is full: one error, and nothing stays
	mkdir "$dir/small"
	if mount -t tmpfs -o size=16k none "$dir/small" 2> /dev/null; then
		run record -d 0.5 -o "$dir/small/t.dat"
		[ $? -eq 3 ] && grep -q 'No space left' "$dir/said" || fail "a full disk: $(cat "$dir/said")"
		[ -z "$(ls -A "$dir/small")" ] || fail "a full disk: something is left"
		umount "$dir/small"
		none_left "a full disk"
	else
		skipped=$((skipped + 1))
	fi
	[ "$(cat "$tracefs/tracing_on")" = "$was" ] || fail "the tracer of everybody was switched"

	# a group of its own, by events and by counters
	cpu=$(awk '$0 ~ / - cgroup / && $NF ~ /(^|,)cpu(,|$)/ { print $5; exit }' /proc/self/mountinfo)
	if [ -n "$cpu" ] && mkdir "$cpu/fg-record-test-$$" 2> /dev/null; then
		group=$cpu/fg-record-test-$$
		echo 20000 > "$group/cpu.cfs_quota_us"
		sh -c "echo \$\$ > '$group/cgroup.procs'; timeout 6 sh -c 'while :; do :; done'" &
		busy=$!
		sleep 0.3
		run record --cgroup "/${group##*/}" -d 1.5 -o "$dir/out/g.dat" || fail "a group: $(cat "$dir/said")"
		grep -q 'events of its threads' "$dir/said" || fail "a group: all events were recorded"
		none_left "a group"
		timeout 30 "$fairground" doctor "$dir/out/g.dat" > "$dir/said"
		grep -q '20/100 ms (200m) .* 1.00' "$dir/said" || fail "the limit is not in the recording: $(cat "$dir/said")"
		timeout 60 "$fairground" replay "$dir/out/g.dat" --limit max > "$dir/said" 2>&1 || fail "replay: $(cat "$dir/said")"
		grep -q '(200m), file' "$dir/said" || fail "replay does not take the limit from the recording: $(cat "$dir/said")"
		timeout 30 "$fairground" record --light --cgroup "/${group##*/}" -d 2 -o "$dir/out/g.light" > "$dir/said" 2>&1 || fail "counters: $(cat "$dir/said")"
		timeout 60 "$fairground" explain "$dir/out/g.light" > "$dir/said" 2>&1 || fail "explain: $(cat "$dir/said")"
		grep -q 'limit 20/100 ms' "$dir/said" || fail "counters without a limit: $(cat "$dir/said")"
		timeout 60 "$fairground" replay "$dir/out/g.light" --limit 500m > "$dir/said" 2>&1 || fail "replay of counters: $(cat "$dir/said")"
		grep -q 'every range is over these too' "$dir/said" || fail "replay does not say that ranges are wider"
		wait $busy
		for _ in $(seq 20); do
			rmdir "$group" 2> /dev/null && break
			sleep 0.1
		done
		done=$((done + 5))
	else
		skipped=$((skipped + 1))
	fi
	rm -rf "$dir/out"
	mkdir -m 777 "$dir/out"
else
	skipped=$((skipped + 3))
fi

# ---- without any right ----

as_nobody() {
	if [ "$(id -u)" -ne 0 ]; then
		timeout 60 "$@"
	else
		timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
}
cp "$fairground" "$dir/fg"
chmod 755 "$dir/fg"
if as_nobody "$dir/fg" --version > /dev/null 2>&1; then
	if ! as_nobody test -w "${tracefs:-/nowhere}/instances"; then
		done=$((done + 1))
		as_nobody "$dir/fg" record -d 1 -o "$dir/out/t.dat" > "$dir/said" 2>&1
		[ $? -eq 3 ] || fail "without rights: not exit 3"
		grep -qE 'it lacks: .*instances|no tracefs is mounted' "$dir/said" && grep -q -- '--light' "$dir/said" || fail "without rights: $(cat "$dir/said")"
		nothing_there "without rights"
	fi
	sh -c 'while :; do :; done' &
	busy=$!
	if as_nobody "$dir/fg" record --light --pid $busy -d 3 -o "$dir/out/p.light" --json > "$dir/said" 2>&1; then
		done=$((done + 1))
		share=$(sed -n 's/.*"cpu_share": \([0-9.]*\).*/\1/p' "$dir/said")
		awk "BEGIN { exit !($share < 0.001) }" || fail "--light took $share of a CPU"
		"$fairground" doctor "$dir/out/p.light" > "$dir/said" || fail "doctor of counters"
	else
		grep -q 'has no cpu.stat' "$dir/said" || fail "--light without rights: $(cat "$dir/said")"
		skipped=$((skipped + 1))
	fi
	kill $busy
	wait $busy 2> /dev/null
else
	skipped=$((skipped + 1))
fi

echo "record: $done things tried, $skipped parts skipped"
[ $done -gt 0 ] || exit 77
exit $bad
