#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Builds Debian packages of what is committed: the tarball of `meson dist`, the
# source package and the binary packages, whose tests run meanwhile; then lintian
# looks at them. Installs what that takes, as root or by sudo.
#
#   tests/packages/build.sh [FOLDER]        default: build/packages
#
# FOLDER has them in the end, and the log. DEB_BUILD_OPTIONS=nocheck leaves the
# tests out.
set -euo pipefail
. "$(dirname "$0")/../setup.sh"

out=${1:-$build/packages}
mkdir -p "$out"
out=$(realpath "$out")
export PATH=/usr/bin:$PATH      # Debian's Meson, Python and compilers alone
# Packages of debugging symbols would be installed by ./*.deb, too.
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:+$DEB_BUILD_OPTIONS }noautodbgsym"

setup_packages debian
cd "$top"
dpkg-checkbuilddeps 2>/dev/null || {
  say "Installing what debian/control asks for"
  setup_apt build-dep "$top"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(dpkg-parsechangelog -S Version)
name=$(dpkg-parsechangelog -S Source)
run() {                         # run WHAT COMMAND…
  say "$1"
  shift
  "$@" >>"$out/build.log" 2>&1 ||
    { tail -n 40 "$out/build.log" >&2; die "It failed; the log is $out/build.log"; }
}
: >"$out/build.log"
# A copied clone looks changed until then.
git update-index -q --refresh || true
tree=$name-$version             # the tarball's name, if meson.build agrees
run "Making the tarball" sh -c 'meson setup -Dtests=false "$0/dist" &&
  meson dist -C "$0/dist" --no-tests --formats xztar' "$work"
tar -C "$work" -xf "$work/dist/meson-dist/$tree.tar.xz"
cd "$work/$tree"
run "Building the packages, and testing" dpkg-buildpackage --no-sign
cd "$work"
run "Looking at them" lintian --allow-root --fail-on error,warning \
  ./*.changes
mv "$name"_* ./*.deb "dist/meson-dist/$tree.tar.xz"* "$out"
say "The packages are in $out:"
ls "$out"/*.deb
