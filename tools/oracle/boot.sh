#!/bin/bash
# SPDX-License-Identifier: MIT
#
# boot.sh - boots a kernel in an emulator that counts instructions, runs a file of cases in it, and appends one line a case to OUT.
#
#	tools/oracle/boot.sh KERNEL VCPUS SPECFILE LABEL OUT.jsonl [HZ]
#
#	KERNEL is a bzImage, or a vmlinux with a PVH entry; recordings go to the directory OUT.traces.
#	SPECFILE may be a directory of scenarios: then FAIRGROUND=program (a static one) measures each, and their JSON goes to OUT.measured/
#	QEMU=program (10.0.2 works; 7.2 starves all CPUs but the first)   WORKLOAD=program (default build/workload, see build.sh)
#	SHIFT=n one instruction is 2^n ns (0)   SECONDS_MOST=n give up after so long (600)   APPEND="more kernel parameters"
set -eu

[ $# -ge 5 ] || { sed -n '4,12s/^# \{0,1\}//p' "$0"; exit 2; }
kernel=$1 vcpus=$2 spec=$3 label=$4 out=$5 hz=${6:-250}
qemu=${QEMU:-qemu-system-x86_64} workload=${WORKLOAD:-build/workload}
# need WHAT FILE HINT
need() { [ -e "$2" ] || { echo "boot: $1 is missing: $2 ($3)" >&2; exit 3; }; }
need "the kernel" "$kernel" "a bzImage, as in /boot"
need "the workload program" "$workload" "tools/oracle/build.sh makes it; or WORKLOAD=..."
need "the file of cases" "$spec" "tests/oracle/README.md describes one"
[ ! -d "$spec" ] || need "a static fairground" "${FAIRGROUND:-FAIRGROUND=...}" "tools/oracle/README.md, the last section"
for program in "$qemu" cpio gzip; do
	command -v "$program" > /dev/null || { echo "boot: $program is not installed" >&2; exit 3; }
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# All there is in the guest: the program as /init, and what it shall do.
mkdir -p "$dir/root"/{proc,sys,dev}
cp "$workload" "$dir/root/init"
if [ -d "$spec" ]; then
	cp "$FAIRGROUND" "$dir/root/fairground"
	mkdir "$dir/root/scenarios"
	cp "$spec"/*.json "$dir/root/scenarios"
else
	cp "$spec" "$dir/root/spec"
fi
echo "$label" > "$dir/root/label"
echo "$hz" > "$dir/root/hz"
(cd "$dir/root" && find . | cpio -o -H newc --quiet | gzip -1) > "$dir/initrd"

# One thread emulates all CPUs in turn, so that a virtual ns is one instruction and idle time takes none.  The clock is virtual too.
# Lines leave by the debug port and the guest by another, so that no console is in the way.
timeout "${SECONDS_MOST:-600}" "$qemu" -accel tcg,thread=single -icount "shift=${SHIFT:-0},sleep=off" -cpu qemu64 \
	-smp "$vcpus,sockets=1,cores=$vcpus,threads=1" -m 512 -nodefaults -display none -no-reboot \
	-rtc base=2026-01-01,clock=vm -seed 1 -kernel "$kernel" -initrd "$dir/initrd" \
	-append "console=ttyS0 quiet nokaslr norandmaps tsc=reliable clocksource=tsc mitigations=off nowatchdog random.trust_cpu=off panic=-1 ${APPEND:-}" \
	-serial "file:$dir/console" -debugcon "file:$dir/lines" -device isa-debug-exit,iobase=0xf4,iosize=0x04 || true

if ! grep -q '^#DONE' "$dir/lines"; then
	echo "boot: the guest did not come to its end; its console says:" >&2
	[ ! -f "$dir/console" ] || tail -5 "$dir/console" >&2
	exit 3
fi
base=${out%.jsonl}
mkdir -p "$base.traces" "$base.measured"
awk -v lines="$out" -v traces="$base.traces" -v measured="$base.measured" -v of="$label.${vcpus}cpu" '
/^#JSON / { file = measured "/" $2; printf "" > file; nr++; next }
/^#ENDJSON/ { close(file); file = ""; next }
/^#TRACE / { file = traces "/" of "." $2 ".trace.txt"; next }
/^#ENDTRACE/ { close(file); file = ""; next }
file != "" { print > file; next }
/^\{/ { print >> lines; nr++ }
END { print "boot: " nr + 0 " cases" }' "$dir/lines"
rmdir --ignore-fail-on-non-empty "$base.traces" "$base.measured"
