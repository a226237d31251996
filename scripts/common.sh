# Shared by demo and check: install what is missing, build out of the tree.
# To be sourced by bash.
# shellcheck shell=bash

top=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
# shellcheck disable=SC2034 # for who sources this
build_packages='make autoconf automake pkg-config python3 libibverbs-dev
libjansson-dev libsodium-dev librdmacm-dev ibverbs-providers ibverbs-utils'

# Whether apt-get knows what packages there are today.
updated=''

say() {
	printf '== %s\n' "$*" >&2
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "not root and no sudo; as root, run: $*"
	fi
}

# The names among the arguments that dpkg does not have installed.
missing_packages() {
	local package status
	for package; do
		status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)
		[ "$status" = 'install ok installed' ] || echo "$package"
	done
}

install_packages() {
	command -v apt-get >/dev/null ||
		die "no apt-get here: install the equivalents of: $*"
	local missing
	missing=$(missing_packages "$@" | tr '\n' ' ')
	[ -n "$missing" ] || return 0
	say "installing $missing"
	[ "$updated" ] || as_root apt-get update -qq ||
		die "apt-get update failed"
	updated=yes
	# shellcheck disable=SC2086 # one word for each package
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends $missing >/dev/null ||
		die "apt-get could not install $missing"
}

# build FOLDER [CONFIGURE OPTION...]: configure and make in FOLDER.
build() {
	local folder=$1
	shift
	if [ ! -x "$top/configure" ] ||
		[ "$top/configure.ac" -nt "$top/configure" ] ||
		[ "$top/Makefile.am" -nt "$top/Makefile.in" ]; then
		(cd "$top" && autoreconf -i >/dev/null 2>&1) ||
			die "autoreconf failed: run autoreconf -i to see why"
	fi
	mkdir -p "$folder"
	(cd "$folder" && { [ -f Makefile ] ||
		"$top/configure" -q "$@"; } && make -s -j"$(nproc)")
}
