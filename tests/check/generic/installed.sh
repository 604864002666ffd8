#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# installed.sh BUILD PREFIX CC SOURCE PLUGIN…: what `meson install` puts below
# PREFIX serves by itself: the plugins load, and an application is built with the
# library's pkg-config file and runs.
set -euo pipefail
build=$1 prefix=$2 cc=$3 source=$4
shift 4
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root"

pc=$(find "$root" -name gstreamer-congestion-1.0.pc)
[ -n "$pc" ] || { echo "there is no pkg-config file"; exit 1; }
sed -i "s|^prefix=.*|prefix=$root$prefix|" "$pc"
export PKG_CONFIG_PATH=${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
library=$(pkg-config --variable=libdir gstreamer-congestion-1.0)
export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Word by word.
$cc -o "$root/application" "$source" \
  $(pkg-config --cflags --libs gstreamer-congestion-1.0)
"$root/application"

export GST_PLUGIN_PATH_1_0=$library/gstreamer-1.0 GST_PLUGIN_SYSTEM_PATH_1_0=
export GST_REGISTRY_1_0=$root/registry
for plugin in "$@"; do
  gst-inspect-1.0 "$plugin" >/dev/null ||
    { echo "plugin $plugin does not load"; exit 1; }
done
# No binary remembers where it was built.
if grep -rl -- "$build/gst-libs" "$library"; then
  echo "a path of the build is in these"
  exit 1
fi
