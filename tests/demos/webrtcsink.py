#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""webrtcsink.py: the webrtcsink of gst-plugins-rs sends to headless Chromium over an
emulated link whose rate rises, with rtpbandwidth under the name rtpgccbwe that it
asks for. Nothing is set: it makes the estimator and the encoder, and sets this
one's bitrate by that one's.

PEER_PLUGINS names the folder of the plugin rswebrtc; without it the demo is
skipped. What the plugin takes for its signalling server is a few lines here, on
the sender's own loopback; the browser is driven as in chromium.py."""

import asyncio
import json
import os
import sys
import threading

from sessions import Gst, need, play, source, stats, stop, wait_for
import chromium
from webrtc import HIGH, LOW

try:
    from aiohttp import web
except ImportError as why:
    print("skipped: %s (package python3-aiohttp)" % why)
    sys.exit(77)

PORT = 8443
# A session of the only consumer there is.
SESSION = {"sessionId": "one", "peerId": "browser"}


class Signalling:
    """The server of one producer, and its consumer: lines of JSON as in
    webrtc.End."""

    def __init__(self):
        self.producer = asyncio.Future()
        self.loop = asyncio.get_event_loop()

    def read(self):
        for line in sys.stdin:
            asyncio.run_coroutine_threadsafe(
                self.producer.result().send_json(dict(
                    type="peer", sessionId=SESSION["sessionId"],
                    sdp={"type": "answer", "sdp": json.loads(line)["sdp"]})),
                self.loop)

    async def serve(self, request):
        peer = web.WebSocketResponse()
        await peer.prepare(request)
        await peer.send_json({"type": "welcome", "peerId": "sender"})
        async for message in peer:
            await self.hear(peer, json.loads(message.data))
        return peer

    async def hear(self, peer, what):
        if what["type"] == "setPeerStatus" and "producer" in what["roles"]:
            self.producer.set_result(peer)
            threading.Thread(target=self.read, daemon=True).start()
            await peer.send_json(dict(SESSION, type="startSession"))
        elif "sdp" in what:
            print(json.dumps({"sdp": what["sdp"]["sdp"]}), flush=True)
        elif "ice" in what:
            print(json.dumps({"candidate": what["ice"]["candidate"],
                              "line": what["ice"]["sdpMLineIndex"]}), flush=True)

    async def run(self, ready):
        app = web.Application()
        app.router.add_get("/", self.serve)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", PORT).start()
        ready.set()
        await asyncio.Event().wait()


def signal():
    """Serves in a thread of its own."""
    ready = threading.Event()

    def run():
        async def serve():
            await Signalling().run(ready)
        asyncio.run(serve())
    threading.Thread(target=run, daemon=True).start()
    ready.wait()


def send():
    found = {}
    signal()
    # The pictures alone: webrtcsink codes them.
    pipeline = Gst.parse_launch(
        "%s ! webrtcsink name=sink video-caps=video/x-h264 "
        "stun-server=NULL start-bitrate=1200000" % source(0, over=chromium.CLOCK).split(
            " ! x264enc")[0])
    sink = pipeline.get_by_name("sink")
    sink.get_property("signaller").set_property(
        "uri", "ws://127.0.0.1:%d" % PORT)
    # What it makes for the consumer is in a pipeline of its own; encoders that it
    # only tries come here too.
    sink.connect("encoder-setup", lambda sink, consumer, pad, encoder:
                 consumer != "discovery" and found.update(encoder=encoder))

    def on_element(webrtcbin, parent, element):
        factory = element.get_factory()
        if factory and factory.get_name() == "rtpgccbwe":
            found["estimator"] = element
    sink.connect("consumer-added", lambda sink, consumer, webrtcbin:
                 webrtcbin.connect("deep-element-added", on_element))
    play(pipeline)
    wait_for("in session", lambda: len(found) == 2, pipeline)
    estimator, encoder = found["estimator"], found["encoder"]

    def known():
        return stats(estimator)

    def bitrate():
        return encoder.get_property("bitrate") * 1000
    wait_for("below what the link carries", lambda:
             known()["packets-acked"] > 300 and bitrate() < LOW, pipeline)
    print("at first:", bitrate(), known(), file=sys.stderr)
    wait_for("up as the link is", lambda: bitrate() > 1.2 * LOW
             and LOW < known()["delivered-bitrate"] < HIGH, pipeline)
    print("then:", bitrate(), known(), file=sys.stderr)
    stop(pipeline)


def check():
    """Ends the demo where something is missing."""
    if "PEER_PLUGINS" not in os.environ:
        print("skipped: PEER_PLUGINS does not name a folder with webrtcsink")
        sys.exit(77)
    Gst.Registry.get().scan_path(os.environ["PEER_PLUGINS"])
    need("webrtcsink", "rtpgccbwe", "x264enc", "webrtcbin", "nicesrc")
    if Gst.ElementFactory.find("rtpgccbwe").get_plugin_name() != "rtpbandwidth":
        print("skipped: the rtpgccbwe in PEER_PLUGINS is another one")
        sys.exit(77)


if __name__ == "__main__":
    Gst.init(None)
    check()
    # It halves the rate of pictures where there is little for them.
    sys.exit(chromium.main(__file__, send, chromium.LEAST_FRAMES // 2))
