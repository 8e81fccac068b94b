#!/bin/bash
# SPDX-License-Identifier: MIT
#
# hostile.sh - input that means harm, or is merely far too large: clear, bounded, and nothing half written.
#
#	tools/hostile.sh FAIRGROUND
#
# 1. Names from files are data: whatever they hold, no byte that a terminal obeys comes out of any command.
# 2. Deep, huge, endless, without memory, without disk, interrupted: one line, the right exit code, soon.
set -u

fairground=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0 done=0 skipped=0

fail() {
	echo "hostile: $*"
	bad=1
}

# ---- 1. names ----

# No control byte but the line's end, nothing that turns the direction, well-formed UTF-8.
is_clean() { # FILE
	! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1" &&
		iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1
}
for sample in '\033[1m' 'a\007' '\302\233' '\342\200\256' '\303' '\177'; do # a check that cannot fail is none
	# shellcheck disable=SC2059 - escapes
	printf "$sample" > "$dir/sample"
	is_clean "$dir/sample" && fail "the check takes $sample for clean"
done
clean() { # WHAT FILE
	done=$((done + 1))
	[ -s "$2" ] || fail "$1 says nothing"
	is_clean "$2" || fail "$1 lets out what a terminal obeys: $(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f-\xff]' "$2" | head -1 | od -c | head -3)"
}

says() { # WHAT ARGUMENTS...: standard output and error together
	local what=$1
	shift
	timeout 60 "$fairground" "$@" > "$dir/out" 2>&1
	clean "$what" "$dir/out"
}

# Escapes, C1 bytes, overriding direction, broken UTF-8, markup, quotes, formats, path parts, a line's end, a long tail.
task='a\u001b[31mb\u009b2J\u202ec\u0007d<script>alert(1)</script>&lt;%s%n'"$(printf '\233\377\300\257')"'../../../etc/passwd\n\u0022'
long=$(head -c 500 /dev/zero | tr '\0' 'x')
group='/g\u001b]0;title\u0007<b>&'"$(printf '\377')"
cat > "$dir/names.json" <<EOF
{ "machine": { "cpus": 2 }, "global": { "duration": 0.3 }, "name": "n\u001b[5m",
  "groups": { "$group": { "cpu.max": "10000 100000" } },
  "tasks": { "$task": { "taskgroup": "$group", "loop": -1, "run": 1000 }, "$task$long": { "loop": 3, "lock": "m\u001b[1m", "run": 10, "unlock": "m\u001b[1m" },
             "../../$task": { "loop": -1, "runn\u001bing": 5, "x\u001b[2J": 1 } } }
EOF
for mode in "" --threads --periods --json "--json --threads --periods" "--snapshot 0.1" "--runs 3" "--runs 3 --json"; do
	# shellcheck disable=SC2086 - words of a command line
	says "run $mode" run "$dir/names.json" $mode
done
says "compare" compare "$dir/names.json" --kernel 4.14 --kernel 5.10
says "compare --json" compare "$dir/names.json" --kernel 4.14 --kernel 5.10 --json
timeout 60 "$fairground" run "$dir/names.json" --json > "$dir/out" 2> /dev/null
grep -q 'u001b' "$dir/out" || fail "the JSON of a result has lost the escape byte of a name"

# Everything that complains about a name, a value or a file repeats it.
evil=$(printf 'e\033[31m\233\302\233\342\200\256vil')
cp "$dir/names.json" "$dir/$evil.json"
says "a file's name" run "$dir/$evil.json"
says "a missing file" run "$dir/no-$evil"
says "an unknown command" "$evil"
says "an unknown option" run "--$evil" x
says "a wrong kernel" run "$dir/names.json" --kernel "$evil"
says "a wrong rule" run "$dir/names.json" --rule "$evil=1"
says "a wrong tunable" run "$dir/names.json" --tunable "$evil=1"
says "a wrong limit" run "$dir/names.json" --limit "$evil"
says "a limit's group" run "$dir/names.json" --limit "/$evil=1"
says "a wrong time" run "$dir/names.json" --duration "$evil"
says "a wrong shape" new "$evil"
says "a file there is" new web -o "$dir/$evil.json"
printf '{ "tasks": { "t": { "run": "%s" } } }' "$evil" > "$dir/bad.json"
says "a wrong value" run "$dir/bad.json"
printf '{ "%s" 5 }' "$evil" > "$dir/bad.json"
says "a wrong byte" run "$dir/bad.json"
printf '{ "machine": { "cpus": 1 }, "tasks": { "%s": { "loop": 1, "run": 1, "suspend": "%s" } }, "global": { "duration": -1 } }' "$evil" "$evil" > "$dir/bad.json"
says "a deadlock" run "$dir/bad.json"
printf '{ "machine": { "cpus": 1 }, "groups": { "/%s": { "cpu.max": "%s" } }, "tasks": { "t": { "run": 1 } } }' "$evil" "$evil" > "$dir/bad.json"
says "a refused write" run "$dir/bad.json"
printf 'metadata: { name: "%s" }\nspec: { containers: [ { name: "%s" }, { name: x } ] }\n' "$evil" "$evil" > "$dir/pod.yaml"
says "a manifest" run "$dir/names.json" --limits-from "$dir/pod.yaml"
printf 'metadata: { name: "%s" }\nspec: { containers: [ { name: x, resources: { limits: { cpu: "%s" } } } ] }\n' "$evil" "$evil" > "$dir/pod.yaml"
says "a wrong manifest" run "$dir/names.json" --limits-from "$dir/pod.yaml"
printf 'CPUQuota=%s\n' "$evil" > "$dir/$evil.service"
says "a wrong unit" run "$dir/names.json" --limits-from "$dir/$evil.service"

# Names of tasks, cgroups and containers in recordings and counters.
sed "s/burn-25769/$(printf 'b\033[1m\233\342\200\256<b>')-25769/; s/burn:25769/x:25769/g; s/comm=burn /comm=$(printf 'b\033[1m\233\342\200\256<b>') /g" \
	tests/data/own/own_burn5_q25.ftrace.txt > "$dir/$evil.txt"
LC_ALL=C grep -q "$(printf '\033')" "$dir/$evil.txt" || fail "the recording has no evil name in it"
for args in "doctor" "explain" "replay" "replay --limit *=max --threads 2" "replay --json" "explain --json" "doctor --json" "advise --no-throttle 0.9 --phases 1" \
	"replay --group x --limit 1" "replay --comm nobody"; do
	set -f
	# shellcheck disable=SC2086 - words of a command line
	says "$args of a recording" $args "$dir/$evil.txt"
	set +f
done
says "a group that is picked" replay "$dir/$evil.txt" --group "$evil: comm~*"
says "what was recorded" replay "$dir/$evil.txt" --recorded "$evil"
says "a scenario that is saved" replay "$dir/$evil.txt" --save-scenario "$dir/$evil.json2"
printf 'container_cpu_cfs_periods_total{pod="%s",container="%s"} 100\ncontainer_cpu_cfs_throttled_periods_total{pod="%s",container="%s"} 50\n' \
	"$evil" "$evil" "$evil" "$evil" > "$dir/$evil.prom"
for args in "explain" "explain --fleet" "explain --json"; do
	# shellcheck disable=SC2086 - words of a command line
	says "$args of counters" $args "$dir/$evil.prom"
done
printf "input_series:\n- series: 'container_cpu_cfs_periods_total{pod=\"%s\"}'\n  values: '%s'\n" "$evil" "$evil" > "$dir/$evil.yaml"
says "a wrong value of a series" explain "$dir/$evil.yaml"
printf 'nr_periods %s\n' "$evil" > "$dir/$evil.stat"
says "a wrong counter" explain "$dir/$evil.stat"

# A recording of counters, and marks in a trace: every name in them is data.
light() { # LINE...: such a recording, with a target called evil
	printf '{"fairground": "light", "version": 1, "kernel": "%s", "hz": 250, "cpus": 2, "target": "/%s"}\n' "$evil" "$evil"
	printf '{"limit": "/%s", "quota_usec": 25000, "period_usec": 100000}\n' "$evil"
	printf '{"member": "/%s", "pid": 11, "name": "%s%s", "tids": [11, 12]}\n' "$evil" "$evil" "$task"
	printf '{"t": 1000000, "stat": [1, 1, 0, 0, 0, 0], "threads": [[11, 100, 200, 1], [12, 1, 1, 1]]}\n'
	for i in 1 2 3 4 5; do
		printf '{"t": %d00000, "stat": [%d0000, 1%d, %d, 1000, 0, 0], "threads": [[11, %d0000000, 200, %d], [12, %d000000, 20, %d]]}\n' "1$i" "$i" "$i" "$i" "$i" "$i" "$i" "$i"
	done
	[ $# -eq 0 ] || printf '%s\n' "$@"
}
light '{"end": "time"}' > "$dir/$evil.light"
for args in "doctor" "doctor --json" "explain" "explain --json" "replay --limit 500m" "replay --limit 500m --json" "advise --target p50<100ms --phases 2"; do
	# shellcheck disable=SC2086 - words of a command line
	says "$args of counters" $args "$dir/$evil.light"
done
light "{\"member\": \"$evil\"}" > "$dir/bad.light"
says "a wrong group in counters" replay "$dir/bad.light"
light "{\"t\": \"$evil\"}" > "$dir/bad.light"
says "a wrong number in counters" explain "$dir/bad.light"
sed "s/^/ evil-7 [000] ..... 1.000000: tracing_mark_write: /; s/light/record/; s/: {/: fairground {/" "$dir/$evil.light" |
	cat tests/data/own/own_burn5_q25.ftrace.txt - > "$dir/marks.txt"
says "marks in a trace" doctor "$dir/marks.txt"
says "marks in a trace, replayed" replay "$dir/marks.txt"
says "a wrong cgroup to record" record --cgroup "$evil" -o "$dir/nothing"
says "a wrong container to record" record --container "$evil" -o "$dir/nothing"
says "a wrong tracefs" record --tracefs "$dir/$evil" -o "$dir/nothing"
says "a wrong root of groups" record --light --cgroup x --cgroup-root "$dir/$evil" -o "$dir/nothing"
[ -e "$dir/nothing" ] && fail "record has written something though it was refused"

# A path in a file names a group, never a file.
for path in '/../../tmp' '/a/../b' '/./a' '//a' '/a/'; do
	printf '{ "machine": { "cpus": 1 }, "groups": { "%s": { } }, "tasks": { "t": { "run": 1 } } }' "$path" > "$dir/bad.json"
	timeout 60 "$fairground" run "$dir/bad.json" > "$dir/out" 2>&1
	[ $? -eq 2 ] || fail "a group called $path is taken"
done

# ---- 2. too much, too little ----

# expect CODE PATTERN COMMAND...: the exit code; one error of at most two lines on standard error that matches; nothing on standard output.
expect() {
	local code=$1 pattern=$2 rc
	shift 2
	timeout 300 "$@" > "$dir/out" 2> "$dir/err" < /dev/null
	rc=$?
	done=$((done + 1))
	[ $rc -eq "$code" ] || fail "\"$*\" exits $rc, not $code: $(head -c 300 "$dir/err")"
	grep -qE -- "$pattern" "$dir/err" || fail "\"$*\" does not say /$pattern/: $(head -c 300 "$dir/err")"
	[ "$(wc -l < "$dir/err")" -le 2 ] || fail "\"$*\" says more than one thing: $(head -c 300 "$dir/err")"
	[ ! -s "$dir/out" ] || fail "\"$*\" has written something"
}

deep() { # BRACKET
	head -c 1000000 /dev/zero | tr '\0' "$1" > "$dir/deep.json"
}
deep '['
expect 2 'deep.json:1:65: nested deeper than 64 levels' "$fairground" run "$dir/deep.json"
sed 's/\[/{"a":/g' "$dir/deep.json" | head -c 1000000 > "$dir/deep2.json"
expect 2 'nested deeper than 64 levels' "$fairground" run "$dir/deep2.json"
expect 2 'nested deeper than 64 levels' "$fairground" run scenarios/one-hog.json --limits-from "$dir/deep.json"

light > "$dir/many.light"
awk 'BEGIN { for (i = 0; i < 300000; i++) printf "{\"t\":%d,\"threads\":[[%d,%d,1,1]]}\n", 2000000 + i, 1000 + i % 100000, 100000000 + i }' >> "$dir/many.light"
done=$((done + 1))
timeout 60 "$fairground" doctor "$dir/many.light" > "$dir/out" 2> "$dir/err" || fail "a hundred thousand threads: $(head -c 200 "$dir/err")"
{ light; head -c 1000000 /dev/zero | tr '\0' '['; echo; } > "$dir/deep.light"
expect 2 'deep.light:10:65: nested deeper than 64 levels' "$fairground" explain "$dir/deep.light"
{ light; printf '{"t": 2000000, "threads": [['; head -c 2000000 /dev/zero | tr '\0' '9'; printf ', 1, 1, 1]]}\n{"t": 2000001}\n'; } > "$dir/wide.light"
expect 2 'wide.light:10:.*whole number' "$fairground" explain "$dir/wide.light"

truncate -s 4G "$dir/4g.json"
expect 2 'too large: expected at most 256 MB' "$fairground" run "$dir/4g.json"
expect 2 'too large: expected at most 256 MB' "$fairground" run scenarios/one-hog.json --limits-from "$dir/4g.json"
done=$((done + 1))
head -c 400000000 /dev/zero | timeout 60 "$fairground" run - > "$dir/out" 2> "$dir/err"
grep -q 'too large' "$dir/err" || fail "an endless pipe: $(head -c 200 "$dir/err")"
expect 2 'Is a directory' "$fairground" run "$dir"
expect 2 'expected .*, found' "$fairground" run /dev/null

for number in 1e999 99999999999999999999999999 -1e999 1e-999999999999 NaN Infinity -Infinity 1e9999999999999999999; do
	for key in '"machine": { "cpus": N }' '"machine": { "hz": N }' '"seed": N' '"global": { "duration": N }' '"start_phase": N' \
		'"measure": { "from": 1, "to": N }' '"at": [ { "t": N, "cpu": 0, "online": true } ]' '"machine": { "costs": { "switch": N } }'; do
		printf '{ "kernel": "5.10", %s, "tasks": { "t": { "loop": 1, "run": 1 } } }' "${key/N/$number}" > "$dir/huge.json"
		timeout 60 "$fairground" run "$dir/huge.json" > "$dir/out" 2> "$dir/err"
		case $?:$number in
		2:* | 0:1e-999999999999) ;; # a number so small is 0, which some of these may be
		*) fail "$key with $number: $(head -c 200 "$dir/err")" ;;
		esac
		done=$((done + 1))
	done
	for key in '"run": N' '"sleep": N' '"loop": N' '"instance": N' '"delay": N' '"priority": N' '"cpus": [ N ]' '"timer": { "period": N }'; do
		printf '{ "machine": { "cpus": 1 }, "tasks": { "t": { "loop": 1, %s } }, "global": { "duration": 0.01 } }' "${key/N/$number}" > "$dir/huge.json"
		timeout 60 "$fairground" run "$dir/huge.json" > "$dir/out" 2> "$dir/err"
		case $?:$number in
		2:* | 0:1e-999999999999) ;;
		*) fail "$key with $number: $(head -c 200 "$dir/err")" ;;
		esac
		done=$((done + 1))
	done
done

# A million tasks, and a million threads of one.
awk 'BEGIN { print "{ \"machine\": { \"cpus\": 4 }, \"global\": { \"duration\": 0.001 }, \"tasks\": {"
	for (i = 0; i < 1000000; i++) printf "\"t%d\": { \"loop\": 1, \"run\": 1 },\n", i
	print "} }" }' > "$dir/million.json"
done=$((done + 1))
timeout 600 "$fairground" run "$dir/million.json" > "$dir/out" 2> "$dir/err" || fail "a million tasks: $(head -c 200 "$dir/err")"
[ "$(wc -l < "$dir/out")" -lt 100 ] || fail "a million tasks are shown on more than one screen"
printf '{ "machine": { "cpus": 4 }, "global": { "duration": 0.001 }, "tasks": { "t": { "instance": 1000000, "run": 1 } } }' > "$dir/threads.json"
done=$((done + 1))
timeout 600 "$fairground" run "$dir/threads.json" > "$dir/out" 2> "$dir/err" || fail "a million threads: $(head -c 200 "$dir/err")"
printf '{ "machine": { "cpus": 4 }, "tasks": { "t": { "instance": 1000001, "run": 1 } } }' > "$dir/threads.json"
expect 2 'how many threads' "$fairground" run "$dir/threads.json"

# No memory.  (Sanitizers need more address space than there is.)
if bash -c 'ulimit -v 400000 && "$0" --version' "$fairground" > /dev/null 2>&1; then
	limited() { # KB ARGUMENTS...
		(ulimit -v "$1" && shift && exec "$@")
	}
	export -f limited
	for kb in 20000 100000 400000; do
		expect 3 'out of memory' bash -c "limited $kb $fairground run $dir/million.json --json"
	done
else
	skipped=$((skipped + 1))
fi

# No space: the standard output, a file to write; a small disk of our own where we may have one.
if [ -w /dev/full ]; then
	for args in "run scenarios/one-hog.json" "run scenarios/one-hog.json --json" "compare scenarios/one-hog.json --kernel 4.14 --kernel 5.10" "new web" "kernels"; do
		done=$((done + 1))
		# shellcheck disable=SC2086 - words of a command line
		"$fairground" $args > /dev/full 2> "$dir/err"
		[ $? -eq 3 ] && grep -q 'could not be written' "$dir/err" || fail "$args: a full disk was not noticed"
	done
fi
mkdir "$dir/small"
if mount -t tmpfs -o size=4k none "$dir/small" 2> /dev/null; then
	head -c 4096 /dev/zero > "$dir/small/filler" 2> /dev/null
	expect 3 'No space left on device' "$fairground" new web -o "$dir/small/web.json"
	[ -e "$dir/small/web.json" ] && fail "half of a file is on the full disk"
	[ "$(ls "$dir/small")" = filler ] || fail "something is left on the full disk: $(ls "$dir/small")"
	umount "$dir/small"
else
	skipped=$((skipped + 1))
fi
"$fairground" new web -o "$dir/web.json" || fail "new web -o does not work"
cmp -s "$dir/web.json" scenarios/web.json || fail "new web -o does not write the scenario"
expect 2 'there is such a file already' "$fairground" new gc -o "$dir/web.json"
cmp -s "$dir/web.json" scenarios/web.json || fail "new has touched a file that was there"
expect 3 'cannot be written' "$fairground" new web -o "$dir/no/such/folder.json"

# Ctrl-C: at once, and nothing has been written.
for args in "run scenarios/web.json --duration 100000 --json" "run scenarios/web.json --duration 100000 --runs 8" \
	"compare scenarios/web.json --duration 100000 --kernel 4.14 --kernel 5.10"; do
	done=$((done + 1))
	began=$SECONDS
	# shellcheck disable=SC2086 - words of a command line
	timeout -s INT 1 "$fairground" $args > "$dir/out" 2> "$dir/err"
	[ $((SECONDS - began)) -le 10 ] || fail "$args: Ctrl-C took $((SECONDS - began)) s"
	[ ! -s "$dir/out" ] || fail "$args: interrupted, and yet something was written"
done

echo "hostile: $done inputs tried, $skipped parts skipped"
exit $bad
