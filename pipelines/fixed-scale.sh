#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# The scale by hand, with no network: what is left of a clip at each of the
# five scales.
#
#   pipelines/fixed-scale.sh [CLIP.m2v]
. "$(dirname "$0")/common.sh"
prepare
in=${1:-$mpeg_clip}
for scale in 4 3 2 1 0; do
  out=$(mktemp --suffix=.m2v)
  gst-launch-1.0 -q filesrc location="$in" ! mpegvideoparse \
    ! mpegscaler follow-events=false scale=$scale ! filesink location="$out"
  printf 'scale %d: %8d bytes in %s\n' $scale "$(stat -c %s "$out")" "$out"
done
