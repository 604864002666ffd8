#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# A lower rate with all frames kept, with no network: quantizes the coefficients of
# coded video more coarsely, to each of some targets. MODE=auto drops frames as
# well where that is not enough.
#
#   pipelines/requantize.sh [CLIP.m2v [BITS_PER_SECOND…]]
. "$(dirname "$0")/common.sh"
prepare
in=${1:-$mpeg_clip}
shift || true
[ $# -gt 0 ] || set -- 3000000 2000000 1400000 400000

# Of what `identity` says of each buffer.
rate() {
  sed -nE 's/.*\(([0-9]+) bytes.* pts: 0:([0-9]+):([0-9.]+), duration: 0:00:([0-9.]+),.*/\1 \2 \3 \4/p' |
    awk '{ bytes += $1; end = 60 * $2 + $3 + $4; if (end > last) last = end }
      END { printf "%8d b/s, %d frames", bytes * 8 / last, NR }'
}

for target; do
  out=$(mktemp --suffix=.m2v)
  left=$(gst-launch-1.0 -v filesrc location="$in" ! mpegvideoparse \
    ! mpegscaler mode="${MODE:-requantize}" follow-events=false \
      target-bitrate="$target" \
    ! identity silent=false ! filesink location="$out" | rate)
  printf 'target %8d: %s, in %s\n' "$target" "$left" "$out"
done
