#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Two machines, the sending one: a live-encoded test picture to receiver.sh on
# HOST. The picture's quality follows the network.
#
#   pipelines/sender.sh HOST [PORT]
. "$(dirname "$0")/common.sh"
[ $# -ge 1 ] || die "usage: sender.sh HOST [PORT]: HOST is where receiver.sh runs"
prepare
exec gst-launch-1.0 -e \
  videotestsrc is-live=true pattern=ball ! video/x-raw,width=1280,height=720,framerate=30/1 \
  ! timeoverlay ! $live_encoder ! encoderbitrate max-bitrate=8000000 \
  ! rtph264pay config-interval=-1 mtu=1200 ! pspsink host="$1" port="${2:-5004}"
