#!/bin/bash
# SPDX-License-Identifier: MIT
#
# predict_guest.sh - predict.sh in an emulator that counts instructions: nothing but the kernel and the load is there.
#
#	tests/live/predict_guest.sh KERNEL FAIRGROUND LIVE_LOAD OUT.md [ARGUMENTS of predict.sh]
#
# KERNEL is a bzImage; both programs are static.  BASH_STATIC and BUSYBOX name static ones (Debian: bash-static, busybox-static), QEMU the
# emulator (one CPU: 7.2 and later will do).  SECONDS_MOST=n gives up after so long (3600).  The emulator is tools/oracle/README.md's.
set -eu

[ $# -ge 4 ] || { sed -n '6,9s/^# \{0,1\}//p' "$0"; exit 2; }
kernel=$1 fairground=$2 load=$3 out=$4
shift 4
bash=${BASH_STATIC:-/bin/bash-static} busybox=${BUSYBOX:-/bin/busybox} qemu=${QEMU:-qemu-system-x86_64}
for f in "$kernel" "$fairground" "$load" "$bash" "$busybox"; do
	[ -e "$f" ] || { echo "predict_guest: $f is missing" >&2; exit 3; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mkdir -p "$dir/root"/{bin,proc,sys,dev,tmp}
cp "$bash" "$dir/root/bin/bash"
cp "$busybox" "$dir/root/bin/busybox"
for c in $("$busybox" --list); do
	[ -e "$dir/root/bin/$c" ] || ln -s busybox "$dir/root/bin/$c"
done
cp "$fairground" "$dir/root/fairground"
cp "$load" "$dir/root/live_load"
cp "${0%/*}/predict.sh" "$dir/root/predict.sh"
[ $# -eq 0 ] || printf '%q ' "$@" > "$dir/root/arguments"
cat > "$dir/root/init" <<'INIT'
#!/bin/bash
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t tracefs trace /sys/kernel/tracing
cd /
FAIRGROUND_TABLE=/table bash -c "bash /predict.sh /fairground /live_load $(cat /arguments 2> /dev/null)" > /dev/ttyS0 2>&1
{ echo '#TABLE'; cat /table; echo '#DONE'; } > /dev/ttyS0
poweroff -f
INIT
chmod +x "$dir/root/init"
(cd "$dir/root" && find . | cpio -o -H newc --quiet | gzip -1) > "$dir/initrd"

timeout "${SECONDS_MOST:-3600}" "$qemu" -accel tcg,thread=single -icount shift=0,sleep=off -cpu qemu64 -smp 1 -m 768 -nodefaults -display none \
	-no-reboot -rtc base=2026-01-01,clock=vm -seed 1 -kernel "$kernel" -initrd "$dir/initrd" -serial "file:$dir/console" \
	-append "console=ttyS0 quiet panic=-1 nokaslr norandmaps tsc=reliable clocksource=tsc mitigations=off nowatchdog random.trust_cpu=off" || true
tr -d '\r' < "$dir/console" > "$dir/said"
grep -q '^#DONE' "$dir/said" || { echo "predict_guest: the guest did not come to its end; its console says:" >&2; tail -5 "$dir/said" >&2; exit 3; }
sed -n '1,/^#TABLE/ { /^#TABLE/!p }' "$dir/said"
sed -n '/^#TABLE/,/^#DONE/ { /^#/!p }' "$dir/said" > "$out"
[ -s "$out" ]
