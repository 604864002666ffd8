# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Set-up of the scripts in this folder: packages, build, environment.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../tests/setup.sh"

prepare() {                     # prepare PACKAGE_GROUP…
  setup_packages build play "$@"
  [ -n "${PSP_NO_BUILD-}" ] || setup_build
  setup_environment
}

clip=$top/tests/files/walk-720x480p30-4M.m2v
h264_caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"
live_encoder="x264enc tune=zerolatency speed-preset=superfast key-int-max=60"
