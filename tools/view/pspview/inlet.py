# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The Unix socket to which processes report: a file of mode 0600 in a folder of
mode 0700 that is this user's."""

import asyncio
import errno
import os
import socket
import stat
import struct
import sys
import time

from .model import Refused, parse

LINE_MOST = 64 * 1024           # bytes; a report of a tracer has no longer one
PROCESSES_MOST = 64
# s. Reports wait so long in the kernel once one has come, or until somebody looks:
# most of what they cost is to wake up. A page looks more often. In the end there is so
# much time for the last ones.
PAUSE = 1.2
LAST = .1


class Unusable(Exception):
    """Why there can be no socket, and what to do."""


def default_path():
    """Where tracers look, too: gstpspviewlink.c."""
    named = os.environ.get("GST_PSP_VIEW_SOCKET")
    if named:
        return named
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    own = "gst-psp-view"
    if not runtime and os.path.isdir("/run/user/%d" % os.geteuid()):
        runtime = "/run/user/%d" % os.geteuid()
    if not runtime:
        runtime, own = "/tmp", "gst-psp-view-%d" % os.geteuid()
    return os.path.join(runtime, own, "socket")


def check_folder(folder):
    """Whoever else could write there could take the socket's place."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise Unusable("%s cannot be made: %s. Name another place in "
                       "GST_PSP_VIEW_SOCKET." % (folder, error.strerror))
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or \
            found.st_mode & 0o077:
        raise Unusable("%s is not a folder that only this user can enter. "
                       "Remove it, or name another place in "
                       "GST_PSP_VIEW_SOCKET." % folder)


def is_listening(path):
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError as error:
            return error.errno == errno.EAGAIN
        return True


def remove_left_over(path):
    """A viewer that was killed leaves its socket."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise Unusable("%s is no socket. Remove it, or name another place in "
                       "GST_PSP_VIEW_SOCKET." % path)
    if is_listening(path):
        raise Unusable(
            "another viewer is running (%s). It shows every program that is "
            "started with GST_TRACERS=pspview; for a second viewer name "
            "another place in GST_PSP_VIEW_SOCKET." % path)
    os.unlink(path)


def listen(path):
    check_folder(os.path.dirname(os.path.abspath(path)))
    remove_left_over(path)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen(16)
    except OSError as error:
        listener.close()
        raise Unusable("%s: %s. Name another place in GST_PSP_VIEW_SOCKET."
                       % (path, error.strerror or error)) from None
    finally:
        os.umask(before)
    listener.setblocking(False)
    return listener


def peer_uid(connection):
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED,
                                        struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1]


class Connection(asyncio.Protocol):
    """A process that reports."""

    def __init__(self, inlet):
        self.inlet, self.loop = inlet, asyncio.get_running_loop()
        self.transport = self.process = self.timer = None
        self.rest = b""                 # of a line whose end has not come
        self.pause = PAUSE

    def connection_made(self, transport):
        self.transport = transport
        uid = peer_uid(transport.get_extra_info("socket"))
        if len(self.inlet.connections) >= PROCESSES_MOST or \
                uid not in (0, os.geteuid()):
            transport.abort()
            return
        self.process = self.inlet.model.process()
        self.inlet.connections.add(self)

    def data_received(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        try:
            for line in lines + [self.rest]:
                if len(line) > LINE_MOST:
                    raise Refused("a line of over %d bytes" % LINE_MOST)
            for line in lines:
                self.inlet.take(self.process, parse(line))
        except ValueError as error:
            print("gst-psp-view: a process is not shown any longer: %s" % error,
                  file=sys.stderr)
            self.transport.abort()
            return
        if self.pause:
            self.transport.pause_reading()
            self.timer = self.loop.call_later(self.pause, self.resume)

    def connection_lost(self, error):
        if self.timer:
            self.timer.cancel()
        if self.process:
            self.process.end(time.monotonic())
        self.inlet.connections.discard(self)

    def resume(self):
        """What waits in the kernel comes now."""
        if self.timer:
            self.timer.cancel()
        self.transport.resume_reading()


class Inlet:
    """Hands what comes to a model, and each line to `record` where that is."""

    def __init__(self, model, path, record=None):
        self.model, self.path, self.record = model, path, record
        self.connections = set()
        self.server = None

    async def start(self):
        listener = listen(self.path)
        loop = asyncio.get_running_loop()
        self.server = await loop.create_unix_server(lambda: Connection(self),
                                                    sock=listener)

    async def stop(self):
        self.server.close()
        for connection in self.connections:
            connection.pause = 0
        await self.look()
        if self.connections:
            await asyncio.sleep(LAST)
        for connection in list(self.connections):
            connection.transport.abort()
        await asyncio.sleep(0)
        try:
            os.unlink(self.path)
        except OSError:
            pass

    async def look(self):
        """The model has what was reported before."""
        for connection in self.connections:
            connection.resume()
        # One turn of the loop sees that there is something, the next one has it.
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    def take(self, process, found):
        process.take(found)
        if self.record:
            self._record(process.number, found)

    def _record(self, number, line):
        """A full disk ends the recording, and nothing else."""
        try:
            self.record.write(number, line)
        except OSError as error:
            print("gst-psp-view: nothing is recorded any longer: %s. Make room "
                  "and start anew, or name another place by --record."
                  % error.strerror, file=sys.stderr)
            self._stop_recording()

    def _stop_recording(self):
        record, self.record = self.record, None
        try:
            record.close()
        except OSError:
            pass                        # has been said
