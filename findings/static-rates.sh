#!/bin/bash
# libibverbs 44.0: a static rate that is asked for by its name's number is none.
#
# ibv_ah_attr.static_rate takes an enum ibv_rate, and libibverbs converts Mb/s
# and multiples of 2.5 Gb/s into one.  The names are rounded and the numbers are
# those of the lanes: IBV_RATE_100_GBPS is 103125 Mb/s and IBV_RATE_400_GBPS is
# 425000.  mbps_to_ibv_rate(100000) therefore returns IBV_RATE_MAX, which is 0
# and means "no limit", as it does for every number between two rates: whoever
# asks for 100 or 400 Gb/s limits nothing, without an error.
#
# ibv_rate_to_mult(3) knows no multiple of 14, 25, 56, 100, 112, 168, 200 and
# 300 Gb/s and returns -1, and mult_to_ibv_rate(-1) is again IBV_RATE_MAX: a
# rate that is kept as a multiple, as the header suggests, becomes none.  And
# the enum is not in the order of the rates (10 Gb/s is 3, 5 Gb/s is 5).
#
# What to do: search all values of enum ibv_rate by ibv_rate_to_mbps(3) for the
# fastest one that is not above the rate that is wanted.
# shellcheck source=findings/common.sh
. "$(dirname "$0")/common.sh"

unpack libibverbs1=44.0-2 libibverbs-dev=44.0-2 libnl-3-200=3.7.0-0.2+b1 \
	libnl-route-3-200=3.7.0-0.2+b1
cat >"$work/rates.c" <<'END'
#include <infiniband/verbs.h>
#include <stdio.h>

int main(void)
{
	const int asked[] = { 100000, 200000, 400000, 56000, 10001 };

	for (int i = 0; i < 5; i++)
		printf("%d ", mbps_to_ibv_rate(asked[i]));
	printf("\n%d %d %d\n", ibv_rate_to_mbps(IBV_RATE_100_GBPS),
	       ibv_rate_to_mbps(IBV_RATE_400_GBPS),
	       mbps_to_ibv_rate(103125) == IBV_RATE_100_GBPS);
	for (int rate = IBV_RATE_2_5_GBPS; rate <= IBV_RATE_1200_GBPS; rate++)
		if (mult_to_ibv_rate(ibv_rate_to_mult(rate)) != rate)
			printf("%d ", ibv_rate_to_mbps(rate));
	printf("\n%d\n", IBV_RATE_10_GBPS < IBV_RATE_5_GBPS);
	return 0;
}
END
lib=$work/root/usr/lib/x86_64-linux-gnu
gcc -I"$work/root/usr/include" -o "$work/rates" "$work/rates.c" \
	-L"$lib" -l:libibverbs.so.1 -Wl,-rpath-link,"$lib"
LD_LIBRARY_PATH=$lib "$work/rates" >"$work/seen"
mapfile -t seen <"$work/seen"
expect 'enum of 100000, 200000, 400000, 56000, 10001 Mb/s' "${seen[0]}" \
	'0 0 0 0 0 '
expect 'Mb/s of IBV_RATE_100_GBPS, IBV_RATE_400_GBPS' "${seen[1]}" \
	'103125 425000 1'
expect 'Mb/s of rates that are lost as a multiple' "${seen[2]}" \
	'14062 56250 112500 168750 25781 103125 206250 309375 '
expect 'IBV_RATE_10_GBPS < IBV_RATE_5_GBPS' "${seen[3]}" 1
finish
