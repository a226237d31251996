# What every finding begins with: a temporary folder, packages of Debian in it,
# and a comparison of what was seen with what is expected.  To be sourced.
# shellcheck shell=bash

set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0

# unpack PACKAGE=VERSION...: download packages of Debian 12 and unpack them into
# $work/root; nothing is installed.
unpack() {
	(cd "$work" && apt-get download -qq "$@" && for deb in *.deb; do
		dpkg -x "$deb" root
		rm "$deb"
	done) || { echo "cannot download: $*" >&2; exit 2; }
}

# expect WHAT SEEN EXPECTED: print what was seen; it must be what is expected.
expect() {
	printf '%-58s %s\n' "$1" "$2"
	[ "$2" = "$3" ] || { echo "    expected: $3"; missed=1; }
}

# The last command: 0 as long as nothing has changed.
finish() {
	[ "$missed" = 0 ] || echo 'the behaviour has changed'
	exit "$missed"
}
