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
expect 0 'live on real CPUs' run scenarios/one-hog.json --duration 0.1 --live
expect 0 '"stolen_usec"' run scenarios/one-hog.json --duration 0.1 --live --json --periods --threads
expect 2 'real work needs a real CPU each' run scenarios/fibtest-96.json --cpus 1024 --live
expect 2 'leave out --live' run scenarios/one-hog.json --live --snapshot 1
expect 2 'leave out --runs' run scenarios/one-hog.json --live --runs 2
expect 2 'there is no shape "wbe"' new wbe
expect 2 'did you mean web\?' new wbe
expect 2 'which shape' new -o x.json
expect 0 'web +A web server' new
expect 0 '"poisson"' new web
expect 2 'takes cgroupfs or systemd' run scenarios/one-hog.json --driver docker
expect 2 'takes old or new' run scenarios/one-hog.json --weights newer
expect 2 'no-such-file.yaml: cannot be read' run scenarios/one-hog.json --limits-from no-such-file.yaml
expect 2 'expected a cgroup directory' run scenarios/one-hog.json --limits-from /web=docs
expect 0 'bw_expiry' kernels 4.14.133 5.4
expect 0 '"rules"' kernels --json
expect 0 '"history"' kernels --json
expect 0 '"differs"' kernels 5.3 5.4 --json
expect 0 '^HZ +' kernels --detect
expect 2 'take no row' kernels --detect 5.4
expect 2 'goes with --detect' kernels --proc-root /proc
expect 2 'cannot be read' kernels --detect --proc-root "$dir"
expect 0 'note: 5\.15\.0-1051-aws \(Ubuntu\): row 5\.15, HZ 250' kernels 5.15.0-1051-aws
expect 0 'note: 5\.15\.0-1051-aws \(Ubuntu\): row 5\.15, HZ 250' run scenarios/one-hog.json --duration 0.1 --kernel 5.15.0-1051-aws
expect 2 'did you mean "debian-11"' run scenarios/one-hog.json --kernel debian-21
expect 2 'FIGURE<TIME' advise scenarios/one-hog.json --target 'p99=5'
expect 2 'two targets' advise scenarios/one-hog.json --target 'p99<5' --no-throttle 1
expect 2 'which group' advise scenarios/nested.json
expect 2 'no group "/pods"' advise scenarios/nested.json --group /pods
expect 2 'no task "web"' advise scenarios/one-hog.json --task web
expect 1 'No limit meets it' advise scenarios/one-hog.json --target 'p99<1ms' --phases 2 --duration 1
expect 0 'to paste' advise scenarios/slice.json --no-throttle 0.5 --phases 2
expect 0 '/pod is the limit' explain scenarios/nested.json
expect 0 'take a trace' explain --fleet tests/data/metrics/range.csv
expect 2 'readings of the same counters' explain scenarios/nested.json scenarios/web.json
expect 2 'are for counters' explain scenarios/nested.json --fleet
printf 'nr_periods 1\nnr_throttled 4\nthrottled_usec 0\n' > "$dir/impossible.stat"
printf 'nr_periods 70\nnr_throttled 65\nthrottled_time 8640000000\n' > "$dir/later.stat"
printf 'nr_periods 10\nnr_throttled 5\nthrottled_time 0\n' > "$dir/earlier.stat"
expect 2 '4 of 1 periods: that cannot be' explain "$dir/impossible.stat"
expect 0 'which is 2 CPUs stopped' explain "$dir/earlier.stat" "$dir/later.stat" --limit 500m --seconds 6
expect 2 'went back' explain "$dir/later.stat" "$dir/earlier.stat"
for c in $("$fairground" --help | awk '/^  [a-z]/ { print $1 }'); do
	expect 0 "Usage: fairground $c" "$c" --help
	expect 0 "Usage: fairground $c" help "$c"
	done=$((done + 1))
	# One screen, none of its lines broken by a terminal of 100 columns; replay has most what-ifs.
	most=45
	[ "$c" = replay ] && most=60
	[ "$("$fairground" "$c" --help | wc -l)" -le $most ] || { echo "usage: $c --help is longer than $most lines"; bad=1; }
	if [ "$c" != replay ] && "$fairground" "$c" --help | awk 'length > 100 { exit 1 }'; then
		:
	elif [ "$c" != replay ]; then
		echo "usage: $c --help has lines wider than 100 columns"
		bad=1
	fi
done

# Screens that people read stay within 100 columns, but for what is to be pasted.
wide() { # ARGUMENTS...
	local line
	done=$((done + 1))
	line=$("$fairground" "$@" 2> /dev/null | grep -v 'kubectl patch' | awk 'length > 100 { print; exit }')
	[ -z "$line" ] || { echo "usage: \"$*\" prints a line wider than 100 columns: $line"; bad=1; }
}
for s in burst nested tiny batch threads request web; do
	wide run "scenarios/$s.json"
	wide explain "scenarios/$s.json"
done
wide advise scenarios/burst.json --phases 2
wide advise scenarios/threads.json --phases 2
wide compare scenarios/sleeper.json --kernel 5.15 --kernel 6.6 --why
wide kernels 5.15 6.6
wide kernels 5.15
for t in own_burn5_q25.ftrace.txt own_2busy_pin_q50.ftrace.txt own_two_q25.dat.gz; do
	wide explain "tests/data/own/$t"
	wide doctor "tests/data/own/$t"
done
wide explain --fleet tests/data/metrics/range.csv

# What other programs call a limit is taken as it is; what looks like one and is none gets a hint.
for l in CPUQuota=50% --cpus=0.5 '50000 100000' 'cpu.max=50000 100000' '500 m' '0.5 cpus' /web=CPUQuota=50%; do
	expect 0 '50/100 ms \(500m\)' run scenarios/request.json --duration 1 --limit "$l"
done
expect 2 'kubelet raises it' run scenarios/request.json --limit 5m
expect 0 '5/1000 ms \(5m\)' run scenarios/request.json --duration 1 --limit 5m/1s
expect 2 'CPUQuota=50%' run scenarios/request.json --limit CPUQuota=50
expect 2 'as in 500m' run scenarios/request.json --limit 500M
expect 2 'as in /web=250m' run scenarios/request.json --limit web=500m
expect 0 'quota stands first' run scenarios/request.json --duration 1 --limit '100000 50000'
expect 0 '30ms is in ms' run scenarios/request.json --duration 1 --limit 300m+30
expect 2 'a limit is --limit 1\.5' run scenarios/request.json --cpus 1.5
expect 0 'needs' advise scenarios/slice.json --no-throttle 50% --phases 2
expect 2 '0\.99 or 99%' advise scenarios/slice.json --no-throttle 99

# A scenario, a recording or counters: also from a pipe, packed, with a byte order mark; each command says what a file is that it does not take.
burn=tests/data/own/own_burn5_q25
gzip -c scenarios/burst.json > "$dir/burst.json.gz"
{ printf '\357\273\277'; cat $burn.cpu.stat; } > "$dir/bom.stat"
cat $burn.cpu.stat "$dir/bom.stat" > "$dir/twice.stat"
printf 'apiVersion: v1\nkind: Pod\n' > "$dir/pod.yaml"
printf 'CONTAINER ID   NAME   CPU %%   MEM USAGE\nabc   web   30%%   5MiB\n' > "$dir/stats.txt"
printf '\377\376{\000}\000' > "$dir/utf16.json"
printf 'A text about nr_periods and nr_throttled, and container_x.\n' > "$dir/readme.md"
printf '# tracer: nop\n       rcu-9 [000] d..2  10.000001: sched_wakeup: comm=a pid=5 prio=120 target_cpu=000\n' > "$dir/wakeups.txt"
expect 0 'comes in bursts' explain "$dir/burst.json.gz"
expect 0 'burst' run "$dir/burst.json.gz"
expect 0 'nr_throttled 20' explain "$dir/bom.stat"
expect 2 'for the second time' explain "$dir/twice.stat"
expect 2 'a Kubernetes manifest' explain "$dir/pod.yaml"
expect 2 'a Kubernetes manifest' run "$dir/pod.yaml"
expect 2 'docker stats' doctor "$dir/stats.txt"
expect 2 'UTF-16' run "$dir/utf16.json"
expect 2 'UTF-16' explain "$dir/utf16.json"
expect 2 'no trace in a known format' explain "$dir/readme.md"
expect 2 'no trace in a known format' doctor "$dir/readme.md"
expect 2 'no sched_switch among its 1' explain "$dir/wakeups.txt"
expect 2 'a recording, and no scenario' run $burn.ftrace.txt
expect 2 'counters of a cgroup, and no scenario' compare $burn.cpu.stat --kernel 5.4 --kernel 5.10
# A cgroup's directory stands for its counters, and the limit is read beside them.
mkdir "$dir/group" "$dir/group1" && cp $burn.cpu.stat "$dir/group/cpu.stat" && cp $burn.cpu.stat "$dir/group1/cpu.stat"
expect 2 'cpu.stat is read, but it has none' explain "$dir"
expect 0 'nr_throttled 20  throttled 413 ms$' explain "$dir/group"
echo '25000 100000' > "$dir/group/cpu.max"
expect 0 'limit 25/100 ms \(250m\)' explain "$dir/group"
expect 0 'limit 25/100 ms \(250m\)' explain "$dir/group/cpu.stat" --seconds 3
expect 0 'limit 50/100 ms \(500m\)' explain "$dir/group/cpu.stat" --limit 500m
echo 'max 100000' > "$dir/group/cpu.max"
expect 0 'nr_throttled 20  throttled 413 ms$' explain "$dir/group"
echo 30000 > "$dir/group1/cpu.cfs_quota_us" && echo 60000 > "$dir/group1/cpu.cfs_period_us"
expect 0 'limit 30/60 ms \(500m\)' explain "$dir/group1"
expect 2 'a: cannot be read' explain "$dir/a" "$dir/b"
expect 2 '--group is for recordings' explain scenarios/burst.json --group /web
expect 2 'fairground new burst' run burst
expect 0 'needs' advise tests/data/own/own_two_q25.light --phases 2
piped() { # PATTERN FILE ARGUMENTS...
	local pattern=$1 file=$2
	shift 2
	done=$((done + 1))
	cat "$file" | timeout 60 "$fairground" "$@" 2>&1 | grep -qE -- "$pattern" || { echo "usage: $file in a pipe to \"$*\" does not say /$pattern/"; bad=1; }
}
piped 'comes in bursts' scenarios/burst.json explain -
piped 'needs 1037m' scenarios/burst.json advise - --phases 2
piped 'was throttled in 20 of 22' $burn.ftrace.txt explain -
piped 'nr_throttled 20' $burn.cpu.stat explain -
piped 'ticks at 250 Hz' $burn.ftrace.txt doctor -
piped 'docker stats' "$dir/stats.txt" explain -
expect 0 'between two readings' explain <(cat $burn.cpu.stat) <(cat $burn.cpu.stat)

# measure refuses before it touches anything.
expect 2 'SCENARIO is missing' measure
expect 2 'takes a number of per cent' measure scenarios/measure/sleeper.json --within much
expect 3 'holds no cpu controller' measure scenarios/measure/sleeper.json --cgroup-root "$dir"
expect 0 'latency_p50_usec' measure --tolerances
printf '{ "machine": { "cpus": 1 }, "global": { "duration": 1 }, "tasks": { "k": { "kthread": true, "run": 10 } } }\n' > "$dir/kthread.json"
mkdir "$dir/v2" && echo cpu > "$dir/v2/cgroup.controllers"
expect 2 'kernel thread' measure "$dir/kthread.json" --cgroup-root "$dir/v2"

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
# record refuses before it touches anything; what it wrote is known for what it is.
expect 2 'only one of --cgroup' record --all --pid 1
expect 2 '--light is about one group' record --light
expect 2 '--poll is for --light' record --poll 5
expect 2 '--buffer is for recordings of events' record --light --pid 1 --buffer 100
expect 2 'there is no process' record --pid 2147483647
expect 2 'there is no group' record --cgroup /no/such/group -o "$dir/none.dat"
expect 3 'holds no tracefs' record --tracefs "$dir" -o "$dir/none.dat"
[ ! -e "$dir/none.dat" ] || { echo "usage: record wrote something though it was refused"; bad=1; }
two=tests/data/own/own_two_q25
expect 0 '/fgrec/web +2 .* 25.0\.\.25.0 +1.00' doctor $two.dat.gz
expect 0 '; 31 polls' doctor $two.light
expect 0 '"throttle_gaps": "partly"' doctor --json $two.light
expect 0 '/web: 2 threads.*25/100 ms .250m., file' replay $two.dat.gz
expect 0 'what the recording leaves open: when between two polls' replay $two.light --limit 500m
expect 0 'throttled in 2[0-9] of|of the active periods were throttled' explain $two.light
expect 2 'is for recordings of events' replay $two.light --comm hog
expect 2 'needs a recording of events' replay $two.light --threads 2
head -c 2000 $two.light > "$dir/cut.light"
expect 0 'The file has no last line' replay "$dir/cut.light"

# The doctor answers for whatever is a recording, and says what is none.
burn=tests/data/own/own_burn5_q25.ftrace.txt
expect 0 'burn +2 +517 +25/100 ms' doctor "$burn"
expect 0 '"throttle_gaps": "partly"' doctor --json "$burn"
expect 0 '"burn": . "quota_usec": 2[45][0-9]{3}, "period_usec": 100000' doctor --json "$burn"
# machines
expect 0 'c5\.9xlarge: 36 CPUs, 18 cores' machine c5.9xlarge
expect 0 '0-15,32-47 +0,32 1,33 \.\. 15,47 +MC 0-15,32-47 < NUMA 0-63' machine '2n x 16c x 2t' --kernel 4.14
expect 0 '^fairground machine 1$' machine --snapshot power9
expect 0 'epyc-7742 ' machine --names
expect 2 'expected what is counted' machine '2n x 3q'
expect 2 'did you mean "c5\.9xlarge"' machine c5.9xlarg
expect 2 'cannot be read' machine ./nofile
expect 3 'tells of no CPU' machine --sys-root "$dir"
expect 2 '--sys-root is for the host' machine 2c --sys-root "$dir"
expect 2 '--names goes with nothing else' machine --names 2c
printf 'fairground machine 1\ncpus 2\ncpu 0 core 0 llc 0\n' > "$dir/half.machine"
expect 2 'CPU 1 is in no llc' machine "$dir/half.machine"
expect 0 '4 CPUs \(2n x 2c\)' run scenarios/one-hog.json --topology '2n x 2c' --duration 0.1
expect 2 '2n x 2c has 4 CPUs, found 8' run scenarios/one-hog.json --topology '2n x 2c' --cpus 8
expect 0 'trace.dat, version 7, 300 ms, 2 CPUs' doctor fuzz/corpus/fuzz_recording/dat7
expect 0 'kernel 6\.1\.0-18-amd64, clock mono; 9 scheduler events' doctor fuzz/corpus/fuzz_recording/perf
expect 0 'who wakes whom +yes' doctor fuzz/corpus/fuzz_recording/perfetto
expect 0 'ftrace text, 300 ms' doctor fuzz/corpus/fuzz_recording/atrace
head -c 5000 fuzz/corpus/fuzz_recording/dat6 > "$dir/half.dat"
expect 0 'damaged pieces passed over' doctor "$dir/half.dat"
expect 2 'a scenario, and no trace' doctor scenarios/one-hog.json
expect 2 'expected CPUs from 0 to 1' run scenarios/spread.json --cpuset 5
expect 2 'expected CPUs from 0 to 1' run scenarios/spread.json --cpuset 1-0
expect 2 'no task is in this group' run scenarios/spread.json --cpuset /x=0
cpuset='{ "machine": { "cpus": 4 }, "groups": { "/web": { "cpuset.cpus": "0-1" }, "/web/in": { "cpuset.cpus": %s } }, "tasks": { "a": { "taskgroup": "/web/in", "cpus": [%s], "run": 1000 } }, "at": [ %s ] }'
# shellcheck disable=SC2059 - a scenario with three gaps
cpusets() { printf "$cpuset" "$1" "$2" "$3" > "$dir/cpuset.json"; }
cpusets '"1-2"' 1,2 ''
expect 0 'a +/web/in +1 ' run "$dir/cpuset.json"
cpusets '"2-4"' 1 ''
expect 2 'cpuset.json:1:[0-9]+: "cpuset.cpus": /web/in: the kernel refuses "2-4" .ERANGE.: it has a CPU that the machine has not' run "$dir/cpuset.json"
cpusets '"1-"' 1 ''
expect 2 'EINVAL.: cpuset.cpus takes a list of CPUs' run "$dir/cpuset.json"
cpusets '1' 2 ''
expect 2 '"a" asks for CPUs of which the cpuset of /web/in has none' run "$dir/cpuset.json"
cpusets '"2-3"' 0 '{ "t": 500, "affinity": { "task": "a", "cpus": [3] } }'
expect 2 '"affinity": the kernel refuses these CPUs .EINVAL.' run "$dir/cpuset.json"
cpusets '"0-1"' 0 '{ "t": 500, "write": { "/web/cpuset.cpus": "0" } }'
expect 0 'a +/web/in +1 ' run "$dir/cpuset.json" --kernel 6.1
expect 2 'writes no cpusets' measure "$dir/cpuset.json" --cpus 1
expect 2 'EBUSY.: the cpuset of a group below' run "$dir/cpuset.json" --kernel 5.10
expect 0 'a +/web/in +1 ' run "$dir/cpuset.json" --kernel 5.10 --cpuset /web=3
expect 2 'expected a list of CPUs behind the group' run scenarios/spread.json --cpuset /g
expect 2 'one group at a time' explain tests/data/own/own_hog_q25.ftrace.txt --group 'a: comm~b*' --group 'c: comm~d*'
expect 2 'nothing stands before it' replay tests/data/own/own_hog_q25.ftrace.txt --and --hz 100
expect 2 'expected an amount' replay tests/data/own/own_hog_q25.ftrace.txt --recorded soon
expect 2 'given two limits' replay tests/data/own/own_hog_q25.ftrace.txt --recorded 250m --recorded max
expect 2 'no request of the group is marked so' explain tests/data/own/own_hog_q25.ftrace.txt --request GET
expect 2 'cannot be read: No such file' doctor "$dir/nothing"
expect 2 'no scheduling events in this trace' replay "$dir/half.dat" --limit 1
expect 0 '/web: 2 threads' explain "$burn" --group 'web: comm~burn*'
expect 2 'no task of this trace is in it' explain "$burn" --group 'web: comm~nginx'
expect 2 'is no pid' explain "$burn" --group 'web: pid=x'
# A recovered scenario is a file as a whole or not at all, and runs to the digest that the replay names.
expect 0 'The scenario under the recorded limit is in' replay "$burn" --save-scenario "$dir/saved.json"
digest=$("$fairground" run "$dir/saved.json" | sed -n 's/.*digest \([0-9a-f]*\).*/\1/p')
expect 2 'there is such a file already' replay "$burn" --save-scenario "$dir/saved.json"
expect 0 "${digest:-no digest}" replay "$burn" --json --save-scenario "$dir/again.json"
expect 2 'as JSON there is no way to write a group with the path /\.\.' replay "$burn" --group '..: comm~burn*' --save-scenario "$dir/not.json"
expect 3 'cannot be written' replay "$burn" --save-scenario "$dir/nowhere/x.json"
cmp -s "$dir/saved.json" "$dir/again.json" || { echo "usage: the saved scenario differs from one run to the next"; bad=1; }
[ -z "$(find "$dir" -name 'not.json*')" ] || { echo "usage: a scenario that cannot be written leaves a file behind"; bad=1; }
echo '6 /elsewhere' > "$dir/members"
expect 2 'names no task of this trace' explain "$burn" --cgroups "$dir/members"

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
offers hackbench fairground new hack
offers systemd fairground run --driver s
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
