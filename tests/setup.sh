# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Set-up shared by tests/run.sh and the scripts in pipelines/: installs what
# is missing and builds. Source it, then call `setup_packages GROUP…` and
# `setup_build`. Nothing outside the build directory and apt is touched.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD_DIR:-$top/build}
# Debian's Python: others on the PATH rarely have the gi bindings.
export PATH="/usr/bin:$PATH"

packages_build="gcc meson ninja-build pkg-config libglib2.0-dev
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libgstreamer-plugins-bad1.0-dev libavcodec-dev libavutil-dev libswscale-dev
  libsrtp2-dev libsodium-dev"
packages_play="gstreamer1.0-tools gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
  gstreamer1.0-plugins-ugly gstreamer1.0-libav gstreamer1.0-x"
# The last two make the Python binding of the guide.
packages_report="python3-gi python3-gst-1.0 gir1.2-gstreamer-1.0
  gir1.2-gst-plugins-base-1.0 python3-numpy python3-matplotlib
  gobject-introspection libgirepository1.0-dev"
packages_rtsp="python3-gi gir1.2-gstreamer-1.0 gir1.2-gst-rtsp-server-1.0"
packages_test="$packages_report $packages_rtsp
  gir1.2-gst-plugins-bad-1.0 gstreamer1.0-nice
  libgstrtspserver-1.0-dev
  iproute2 binutils ffmpeg mpeg2dec libde265-examples libopenh264-dev mjpegtools
  libavformat-dev libbpf-dev bpftool clang xvfb gir1.2-gtk-3.0 gstreamer1.0-gtk3
  python3-aiohttp"
packages_sim="g++ libns3-dev"
packages_check="clang libclang-rt-14-dev valgrind chromium prometheus"
# Some 750 MB, for a few of the demos and a test: not installed unasked.
packages_large="chromium golang-go"
packages_debian="build-essential git lintian"

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# setup_missing GROUP…: names the packages of these groups that are missing.
setup_missing() {
  local group var
  for group in "$@"; do
    var=packages_$group
    for package in ${!var}; do
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
        grep -q 'install ok installed' || printf '%s\n' "$package"
    done
  done
}

# setup_positions SED_SCRIPT: on one line of the terminal, what the script makes
# of the latest line that it knows.
setup_positions() {
  local at
  sed -un "$1" | while IFS= read -r at; do
    printf '\r\033[K   %s' "${at:0:70}" >&2
  done
  printf '\r\033[K' >&2
}

# setup_hint GROUP…: how to get what is missing of these, which is not installed
# unasked.
setup_hint() {
  local missing
  mapfile -t missing < <(setup_missing "$@")
  [ ${#missing[@]} -eq 0 ] && return
  say "Not installed, as they are large: ${missing[*]}. Tests that were skipped for want of them run after
   apt-get install --no-install-recommends ${missing[*]}"
}

# setup_logged LOG SED_SCRIPT COMMAND…: runs it with all that it says in LOG;
# on a terminal, SED_SCRIPT finds in it how far the command is.
setup_logged() {
  local log=$1 position=$2
  shift 2
  if [ -t 2 ]; then
    "$@" 2>&1 | tee "$log" | setup_positions "$position"
    return "${PIPESTATUS[0]}"
  fi
  "$@" >"$log" 2>&1
}

# setup_apt ARGUMENT…: apt-get with these, as root or by sudo. apt closes the
# descriptor of its status for the packages' scripts, so nothing else uses it.
setup_apt() {
  local as=() log status='^[dp][lm]status:'
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "Debian packages are missing, and neither root nor sudo is at hand. As root run
  apt-get update && apt-get --no-install-recommends $*
and then this again."
    as=(sudo)
  fi
  log=$(mktemp)
  setup_logged "$log" "s/$status.*:\([0-9]*\)\.[0-9]*:\(.*\)/\1 %: \2/p" \
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive sh -c 'exec 3>&1 && apt-get update -q &&
      apt-get -q -y --no-install-recommends -o APT::Status-Fd=3 "$@"' sh "$@" ||
    {
      grep -v "$status" "$log" | tail -n 20 >&2 || true
      die "apt-get failed; its whole output is in $log"
    }
  rm -f "$log"
}

# setup_packages GROUP…: installs the missing packages of these groups.
setup_packages() {
  local missing
  mapfile -t missing < <(setup_missing "$@")
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null ||
    die "This machine has no apt. Install by its own means what these Debian packages hold: ${missing[*]}"
  say "Installing ${#missing[@]} Debian packages: ${missing[*]:0:3}${missing[3]+, …}"
  setup_apt install "${missing[@]}"
}

# What is installed of all groups, whoever installed it.
setup_installed() {
  local group names=
  for group in ${!packages_*}; do
    names+=" ${!group}"
  done
  dpkg-query -W -f '${Package} ${Version} ${Status}\n' $names 2>/dev/null |
    sort -u || true
}

# setup_configure [MESON OPTION…]: configures $build, again where packages have
# come or gone since: what Meson did not find then it would go on to leave out.
setup_configure() {
  local installed again=()
  installed=$(setup_installed)
  if [ -f "$build/build.ninja" ]; then
    [ "$installed" != "$(cat "$build/setup.installed" 2>/dev/null)" ] || return 0
    again=(--reconfigure)
    meson configure --clearcache "$build" >/dev/null 2>&1 || true
  fi
  say "Configuring${again:+ again} in $build"
  meson setup "${again[@]}" "$build" "$top" "$@" >"$build.log" 2>&1 ||
    { tail -n 20 "$build.log" >&2; die "meson setup failed; its whole output is in $build.log"; }
  mv "$build.log" "$build/setup.log"
  printf '%s\n' "$installed" >"$build/setup.installed"
}

# setup_build [MESON OPTION…]: configures $build and brings it up to date, or
# $setup_target in it alone.
setup_target=
setup_build() {
  local log=$build/build.log warnings
  setup_configure "$@"
  say "Building in $build"
  setup_logged "$log" 's/^\[\([0-9]*\)\/\([0-9]*\)\] .*/\1 of \2/p' \
    ninja -C "$build" $setup_target ||
    {
      if grep -q '^FAILED:' "$log"; then
        sed -n '/^FAILED:/,$p' "$log" | head -n 60 >&2 || true
      else
        tail -n 20 "$log" >&2
      fi
      die "The build failed; its whole output is in $log"
    }
  # None is wanted, so they must not go unseen.
  warnings=$(grep -c ' warning: ' "$log" || true)
  [ "$warnings" -eq 0 ] || {
    say "Warnings of the compiler: $warnings, all in $log, such as"
    grep -m 5 ' warning: ' "$log" >&2
  }
}

# setup_environment: GStreamer finds the plugins in the build directory.
setup_environment() {
  export GST_PLUGIN_PATH_1_0="$build/gst:$build/ext${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}"
  export LD_LIBRARY_PATH="$build/gst-libs/gst/congestion${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export GI_TYPELIB_PATH="$build/gst-libs/gst/congestion${GI_TYPELIB_PATH:+:$GI_TYPELIB_PATH}"
  export GST_REGISTRY_1_0="$build/registry.bin"
}
