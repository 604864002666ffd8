# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Set-up of the scripts in this folder: packages, build, environment.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../tests/setup.sh"

# The tests are two thirds of the tree, and whoever looks at a picture need not
# wait for them.
setup_target=psp-pipelines

prepare() {                     # prepare PACKAGE_GROUP…
  setup_packages build play "$@"
  [ -n "${PSP_NO_BUILD-}" ] || setup_build
  export PATH="/usr/bin:$PATH"  # Debian's Python, which has the gi bindings
  setup_environment
}

# compare STREAM CLIP [--short] [OUTPUT_DIRECTORY]: by pspsink and by udpsink.
compare() {
  local stream=$1 file=$2 seconds=45
  shift 2
  [ "${1-}" != --short ] || { seconds=18; shift; }
  local out=${1:-$build/$(basename "$0" .sh)}
  prepare report
  mkdir -p "$out"
  exec python3 "$top/tests/benchmarks/quickstart.py" --stream "$stream" \
    --relay "$build/tests/link/relay/psp-link-relay" --clip "$file" \
    --seconds "$seconds" --out "$out"
}

# decode h264|h265 FILE: says how many pictures the elementary stream has, and
# how many of them a decoder shows.
decode() {
  local decoder="avdec_h264 output-corrupt=false"
  [ "$1" = h264 ] || decoder=libde265dec
  gst-launch-1.0 -v filesrc location="$2" ! "$1parse" \
    ! "video/x-$1,alignment=au" ! identity name=coded silent=false \
    ! $decoder ! identity name=shown silent=false ! fakesink |
    awk '/GstIdentity:coded: last-message = chain/ { coded++ }
      /GstIdentity:shown: last-message = chain/ { shown++ }
      END { printf "%d of %d pictures decode\n", shown, coded }'
}

clip=$top/tests/files/walk-720x480p30-4M.m2v
mpeg_clip=$top/tests/files/sintel-720x480-pulldown-4M.m2v
mpv_caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=MPV"
h265_caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H265"
h264_caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"
# Decoders for 4:4:4, which x264enc takes if it may, are rare. An element, because
# some scripts have caps before it.
live_encoder="capsfilter caps=video/x-raw,format=I420 ! x264enc tune=zerolatency
  speed-preset=superfast key-int-max=60"
