#!/bin/bash
# perftest 6.06 (4.5+0.17-1) and rdma-core's tools 44.0: the exit status does not
# tell "asked for help", "wrong option" and "no device" apart.
#
# ib_write_bw --version and --help print to standard output and end with 1, the
# status of a wrong option and of a machine without an RDMA device: a probe such
# as `ib_write_bw --version >/dev/null || install it` never finds it installed,
# and `set -e` ends there.  Without the kernel's RDMA core, ibv_get_device_list(3)
# fails with ENOSYS, where with it but without a device it gives an empty list
# and no error; ibv_devices ends with 1 then and ibv_devinfo with 255.
#
# What to do: look for the text, or for the file (command -v ib_write_bw).
# shellcheck source=findings/common.sh
. "$(dirname "$0")/common.sh"

if [ -d /sys/class/infiniband ]; then
	echo 'this host has the RDMA core: what is shown here is a host without'
	exit 77
fi
unpack perftest=4.5+0.17-1 ibverbs-utils=44.0-2 libibverbs1=44.0-2 \
	librdmacm1=44.0-2 libibumad3=44.0-2 libnl-3-200=3.7.0-0.2+b1 \
	libnl-route-3-200=3.7.0-0.2+b1 libpci3=1:3.9.0-4
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu
export PATH=$work/root/usr/bin:$PATH

# outcome COMMAND...: its exit status, and whether it wrote to standard output.
outcome() {
	local status=0
	"$@" >"$work/out" 2>"$work/err" || status=$?
	echo "$status $([ -s "$work/out" ] && echo text || echo nothing)"
}

expect 'ib_write_bw --version' "$(outcome ib_write_bw --version)" '1 text'
expect 'ib_write_bw --help' "$(outcome ib_write_bw --help)" '1 text'
expect 'ib_write_bw --nonsense' "$(outcome ib_write_bw --nonsense)" '1 text'
expect 'ib_write_bw' "$(outcome ib_write_bw)" '1 nothing'
expect 'ibv_devices' "$(outcome ibv_devices)" '1 nothing'
expect 'ibv_devinfo' "$(outcome ibv_devinfo)" '255 nothing'
expect 'what ibv_devinfo says' \
	"$(grep -o 'Function not implemented' "$work/err")" \
	'Function not implemented'
finish
