#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""An RTSP server that adapts to each client, which is a stock rtspsrc: media is not
shared, so each client has an rtpbandwidth and an encoder of its own. Each client
is behind an emulated link of its own, and their rates differ.

Without arguments it makes the links and all ends."""

import os
import subprocess
import sys

from sessions import (GLib, Gst, TWCC, gi, need, play, source, stats, stop,
                      wait_for)

try:
    gi.require_version("GstRtp", "1.0")
    gi.require_version("GstRtsp", "1.0")
    gi.require_version("GstRtspServer", "1.0")
except ValueError as error:
    print("skipped: %s" % error)
    sys.exit(77)
from gi.repository import GstRtp, GstRtsp, GstRtspServer  # noqa: E402

LINKS = 1500000, 600000         # bits/s, to each client
USE = .7                        # of its link that each client gets in the end
LOOK = 5                        # s, over which that is judged
# The server's address on each link. On the first one psp-link-tun gives it.
SECOND, SECOND_CLIENT = "10.98.0.1/24", "10.98.0.2/24"
DEVICE = "psplink0"             # of psp-link-tun, in each of its namespaces


def auxiliary(session, bandwidth):
    box = Gst.Bin()
    box.add(bandwidth)
    for name in "sink", "src":
        box.add_pad(Gst.GhostPad.new("%s_%u" % (name, session),
                                     bandwidth.get_static_pad(name)))
    return box


class Server:
    def __init__(self, bitrate, **properties):
        self.properties = properties
        self.bandwidths, self.encoders = [], []
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch("( %s )" % source(bitrate))
        factory.set_profiles(GstRtsp.RTSPProfile.AVPF)
        factory.set_shared(False)
        factory.connect("media-configure", self.on_media_configure)
        self.server = GstRtspServer.RTSPServer()
        self.server.set_address("0.0.0.0")
        self.server.set_service("0")
        self.server.get_mount_points().add_factory("/live", factory)
        self.server.attach(None)
        self.port = self.server.get_bound_port()

    def on_media_configure(self, factory, media):
        """Has the payloader number packets transport-wide. The media's rtpbin
        comes later, into the pipeline that the media is in."""
        element = media.get_element()
        extension = GstRtp.RTPHeaderExtension.create_from_uri(TWCC)
        extension.set_id(3)
        element.get_by_name("pay0").emit("add-extension", extension)
        self.encoders.append(element.get_by_name("encoder"))
        element.get_parent().connect("deep-element-added", self.on_element)

    def on_element(self, pipeline, parent, element):
        factory = element.get_factory()
        name = factory.get_name() if factory else ""
        if name == "rtpbin":
            element.connect("request-aux-sender", self.on_request_aux_sender)
        elif name == "multiudpsink":    # what it waited would look like a queue
            element.set_property("sync", False)

    def on_request_aux_sender(self, rtpbin, session):
        bandwidth = Gst.ElementFactory.make("rtpbandwidth")
        for name, value in self.properties.items():
            bandwidth.set_property(name.replace("_", "-"), value)
        self.bandwidths.append(bandwidth)
        return auxiliary(session, bandwidth)

    def stats(self):
        return [stats(b) for b in self.bandwidths]


def near(rate, link):
    return USE * link <= rate <= link


def adapted(server):
    return all(near(s["target-bitrate"], link)
               and near(s["delivered-bitrate"], link)
               and near(encoder.get_property("bitrate") * 1000, link)
               for s, encoder, link in zip(server.stats(), server.encoders,
                                           LINKS))


def serve():
    server = Server(1000000, estimated_bitrate=300000)
    for n in range(1, len(LINKS) + 1):
        print(server.port, flush=True)      # the next client comes
        wait_for("answered by client %d" % n, lambda:
                 len(server.bandwidths) == n
                 and all(s["packets-acked"] > 200 for s in server.stats()))
    wait_for("near what each link carries", lambda: adapted(server))
    before, now = server.stats(), Gst.util_get_timestamp
    start = now()
    wait_for("sent for a while", lambda: now() > start + LOOK * Gst.SECOND)
    after, seconds = server.stats(), (now() - start) / Gst.SECOND
    rates = [8 * (b["payload-bytes-sent"] - a["payload-bytes-sent"]) / seconds
             for a, b in zip(before, after)]
    for rate, link, s in zip(rates, LINKS, after):
        print("%d of %d bits/s: %s" % (rate, link, s), file=sys.stderr)
    if not all(near(rate, link) for rate, link in zip(rates, LINKS)):
        sys.exit("failed: a client's rate is not near its link's")
    if any(s["packets-lost"] > .05 * s["packets-acked"] for s in after):
        sys.exit("failed: too much is lost")


def play_from(address, port):
    pipeline = Gst.parse_launch(
        "rtspsrc location=rtsp://%s:%s/live protocols=udp latency=100"
        " ! fakesink sync=false" % (address, port))
    play(pipeline)
    GLib.MainLoop().run()


def link(n, role, *arguments):
    """Runs this program again in the command of psp-link-tun."""
    return subprocess.call(
        [os.environ["PSP_LINK_TUN"], "--forward", "rate=%d,delay=20ms,queue=60p"
         % LINKS[n], "--back", "delay=20ms", "--", sys.executable, __file__,
         role, *arguments])


def ip(*arguments):
    subprocess.check_call(["ip", *arguments])


def within(namespace, *arguments, **more):
    return subprocess.Popen(["ip", "netns", "exec", namespace, sys.executable,
                             __file__, *arguments], text=True, **more)


def all_ends(server_at, first_at, first_address):
    """Within both links: the server's end of the second one moves to where that
    of the first one is."""
    moved_from, second_at = os.environ["LINK_NS_A"], os.environ["LINK_NS_B"]
    ip("-n", moved_from, "link", "set", DEVICE, "netns", server_at,
       "name", "second")
    ip("-n", server_at, "address", "add", SECOND, "dev", "second")
    ip("-n", server_at, "link", "set", "second", "up")
    ip("-n", second_at, "address", "add", SECOND_CLIENT, "dev", DEVICE)
    server, clients = within(server_at, "server", stdout=subprocess.PIPE), []
    for namespace, address in ((first_at, first_address),
                               (second_at, SECOND.partition("/")[0])):
        port = server.stdout.readline().strip()
        if port:
            clients.append(within(namespace, "client", address, port))
    status = server.wait()
    for client in clients:
        client.terminate()
        client.wait()
    return status


def second_link():
    """Within the first one."""
    return link(1, "all", *(os.environ[name] for name in (
        "LINK_NS_A", "LINK_NS_B", "LINK_ADDR_A")))


Gst.init(None)
need("rtspsrc", "x264enc", "rtpbandwidth", "encoderbitrate")
role, *rest = sys.argv[1:] or [""]
sys.exit({"": lambda: link(0, "second-link"), "second-link": second_link,
          "all": all_ends, "server": serve, "client": play_from}[role](*rest))
