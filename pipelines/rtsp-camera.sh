#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# A camera by RTSP, sent on over a network that takes less than it makes: its
# H.264 is thinned out to at most 0.8 Mb/s. No encoder here, and the camera needs
# to know nothing. Without a URL, an RTSP server on loopback is the camera, for
# 8 s. Writes what arrived to a file and plays that through a decoder.
#
#   pipelines/rtsp-camera.sh [rtsp://CAMERA/… [OUTPUT.h264]]
. "$(dirname "$0")/common.sh"
prepare rtsp
url=${1-} out=${2:-$(mktemp --suffix=.h264)}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
if [ -z "$url" ]; then
  url=rtsp://127.0.0.1:5554/camera
  python3 - "$url" "$clip" <<'PYTHON' &
import sys
from urllib.parse import urlparse
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
url = urlparse(sys.argv[1])
camera = GstRtspServer.RTSPMediaFactory()
camera.set_launch(
    "( filesrc location=\"%s\" ! mpegvideoparse ! avdec_mpeg2video"
    " ! videoconvert ! video/x-raw,format=I420 ! clocksync"
    " ! x264enc tune=zerolatency bitrate=1500"
    " speed-preset=superfast key-int-max=60 ! rtph264pay name=pay0 )"
    % sys.argv[2])
server = GstRtspServer.RTSPServer()
server.set_address(url.hostname)
server.set_service(str(url.port))
server.get_mount_points().add_factory(url.path, camera)
if not server.attach(None):
    sys.exit("port %d is in use" % url.port)
GLib.MainLoop().run()
PYTHON
  while kill -0 $! 2>/dev/null && ! (: </dev/tcp/127.0.0.1/5554) 2>/dev/null; do
    sleep .1
  done
fi
gst-launch-1.0 -q pspsrc port=5032 eos-on-bye=true caps="$h264_caps" \
  ! rtpjitterbuffer ! rtph264depay ! h264parse \
  ! video/x-h264,stream-format=byte-stream ! filesink location="$out" &
receiver=$!
sleep 1
say "Sending what $url shows, at most 0.8 Mb/s of it"
gst-launch-1.0 -q rtspsrc location="$url" protocols=tcp latency=100 \
  ! rtph264depay ! h264parse ! mpegscaler \
  ! rtph264pay config-interval=-1 mtu=1200 ! pspsink port=5032 \
  max-target-bitrate=800000 start-target-bitrate=800000
wait $receiver
say "$(stat -c %s "$out") bytes arrived in $out"
decode h264 "$out"
