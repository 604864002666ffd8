#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# A coded MPEG-2 clip of 4.2 Mb/s over an emulated link of 2 Mb/s that drops to
# 0.8 Mb/s and comes back (40 ms round trip, queue of 10 packets): by pspsink
# through mpegscaler, which recodes it or drops frames, and by udpsink, each over
# a link of its own. Ends with a table and a picture. Everything stays on
# loopback; no root is needed once the packages are there.
#
#   pipelines/quickstart.sh [--h264] [--short] [OUTPUT_DIRECTORY]
#
# With --h264 the same pictures as H.264, coded here by x264enc at 4.2 Mb/s, which
# mpegscaler thins out.
. "$(dirname "$0")/common.sh"
stream=mpeg
options=()
for option in "$@"; do
  case $option in
    --h264) stream=h264 ;;
    --short) options=(--short "${options[@]}") ;;
    -*) die "usage: pipelines/quickstart.sh [--h264] [--short] [OUTPUT_DIRECTORY]" ;;
    *) options+=("$option") ;;
  esac
done
compare $stream "$mpeg_clip" "${options[@]}"
