# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The command line."""

import argparse
import asyncio
import errno
import os
import pathlib
import secrets
import signal
import stat
import sys
import tempfile
import time

from . import plot, recording
from .inlet import Inlet, Unusable, default_path
from .model import Model, Refused
from .terminal import Terminal

TRACER = "pspview"
REDRAW = 0.5                    # s
FORGET = 5                      # s
GRACE = 1                       # s
TOKEN_MOST = 100


class Failed(Exception):
    """Said to the user, who can do something about it."""


def arguments(argv):
    parser = argparse.ArgumentParser(
        prog="gst-psp-view", usage="gst-psp-view [OPTION]… [-- COMMAND…]",
        description="Shows what congestion-controlled GStreamer pipelines do, "
        "while they run. With a COMMAND it starts that, and ends with it; "
        "without, it waits for programs that are started with "
        "GST_TRACERS=pspview.")
    add = parser.add_argument
    add("--port", type=int, help="TCP port of the page (0 = any); without it "
        "8790, or the next that is free")
    add("--open", action="store_true", help="open the page in a browser")
    add("--stay", action="store_true", help="go on when COMMAND ends")
    add("--token-file", metavar="FILE", help="keep the token of the page's "
        "address in FILE, for Prometheus; it is made where it does not exist")
    add("--terminal", action="store_true", help="show the figures here, and "
        "serve no page")
    add("--no-page", action="store_true", help="serve no page")
    add("--record", metavar="FILE", help="write to FILE what is reported")
    add("--plot", metavar="FILE", help="draw what was recorded, and do nothing "
        "else")
    add("-o", "--output", metavar="FILE", default="gst-psp-view.png",
        help="picture that --plot makes, PNG or SVG by its name (%(default)s)")
    add("command", nargs="*", metavar="COMMAND", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.port is not None and not 0 <= args.port <= 65535:
        parser.error("a port is a number from 0 to 65535")
    if args.plot and args.command:
        parser.error("--plot draws a recording; it starts no COMMAND")
    return args


def read_token(path):
    """Whoever reads it can read the page: it must be this user's alone."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return check_token(path)
    token = secrets.token_urlsafe(16)
    with os.fdopen(handle, "w") as file:
        file.write(token + "\n")
    return token


def open_own(path):
    """What is looked at is what is read, whatever happens to the name; and a
    pipe is not waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise Failed("%s is a symbolic link: name the file itself" % path) \
            from None
    return os.fdopen(handle, encoding="ascii", errors="replace")


def check_token(path):
    with open_own(path) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise Failed("%s is no file. Name another one." % path)
        if found.st_uid != os.geteuid():
            raise Failed("%s belongs to another user. Remove it, or name "
                         "another one." % path)
        if found.st_mode & 0o077:
            raise Failed("%s can be read by others: chmod 600 %s"
                         % (path, path))
        token = file.read(TOKEN_MOST).strip()
    if len(token) < 16 or not all(c.isalnum() or c in "-_" for c in token):
        raise Failed("%s has no token: 16 or more letters, digits, - and _. "
                     "Remove it, and one is made." % path)
    return token


def make_server(args, model, look):
    try:
        from .server import Server
    except ImportError:
        raise Failed("the page needs aiohttp; on Debian: apt install "
                     "python3-aiohttp. --terminal needs nothing.") from None
    token = read_token(args.token_file) if args.token_file else \
        secrets.token_urlsafe(16)
    return Server(model, token, args.port, look)


def environment(path):
    """Of the command: its tracers, and where they find this viewer."""
    env = dict(os.environ)
    own = [tracer for tracer in env.get("GST_TRACERS", "").split(";") if tracer]
    if TRACER not in own:
        own.append(TRACER)
    env["GST_TRACERS"] = ";".join(own)
    env["GST_PSP_VIEW_SOCKET"] = os.path.abspath(path)
    return env


def is_in_foreground():
    """A terminal's Ctrl+C reaches this program, and what it started."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


class Viewer:
    def __init__(self, args):
        self.args = args
        self.model = Model()
        self.recorder = recording.Recorder(args.record) if args.record else None
        self.inlet = Inlet(self.model, default_path(), self.recorder)
        self.terminal = Terminal() if args.terminal else None
        self.server = None
        if not args.terminal and not args.no_page:
            self.server = make_server(args, self.model, self.inlet.look)
        self.process = None
        self.output = None              # of the command, beside --terminal
        self.opened = None              # file that --open shows the browser
        self.ended = asyncio.Event()

    async def run(self):
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._on_signal, number)
        await self.inlet.start()
        try:
            if self.server:
                await self.server.start()
                self._say()
            return await self._show()
        finally:
            if self.server and self.server.runner:
                await self.server.stop()
            await self.inlet.stop()
            if self.opened:
                self.opened.close()
            if self.recorder:
                self.recorder.close()

    def _say(self):
        print("gst-psp-view: %s" % self.server.url(), file=sys.stderr,
              flush=True)
        if not self.args.command:
            print("Waiting for programs that are started with GST_TRACERS=%s"
                  % TRACER, file=sys.stderr, flush=True)
        if self.args.open:
            self._open()

    def _open(self):
        """Every user can read a browser's command line: it names a file that
        this user alone can read, and that leads to the address."""
        import webbrowser
        self.opened = tempfile.NamedTemporaryFile(
            "w", suffix=".html", encoding="ascii",
            dir=os.path.dirname(os.path.abspath(self.inlet.path)))
        self.opened.write(
            '<!DOCTYPE html><meta http-equiv="refresh" content="0; url=%s">\n'
            '<title>gst-psp-view</title><a href="%s">gst-psp-view</a>\n'
            % (self.server.url(), self.server.url()))
        self.opened.flush()
        webbrowser.open(pathlib.Path(self.opened.name).as_uri())

    async def _show(self):
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(self._forget())]
        if self.terminal:
            self.terminal.open()
            tasks.append(loop.create_task(self._draw()))
        try:
            return await self._wait()
        finally:
            for task in tasks:
                task.cancel()
            if self.terminal:
                self.terminal.draw(self.model.elements)
                self.terminal.close()
            self._print_output()

    async def _wait(self):
        if not self.args.command or self.ended.is_set():
            await self.ended.wait()
            return 0
        await self._start()
        if self.ended.is_set():         # by a signal that came meanwhile
            self._send(signal.SIGTERM)
        status = await self.process.wait()
        if self.args.stay and not self.ended.is_set():
            print("gst-psp-view: %s ended; Ctrl+C ends this, too"
                  % self.args.command[0], file=sys.stderr)
            await self.ended.wait()
        return status if status >= 0 else 128 - status

    async def _start(self):
        # What it writes would spoil the figures.
        if self.terminal and self.terminal.is_terminal:
            self.output = tempfile.TemporaryFile()
        try:
            self.process = await asyncio.create_subprocess_exec(
                *self.args.command, env=environment(self.inlet.path),
                stdout=self.output, stderr=self.output)
        except OSError as error:
            raise Failed("%s cannot be started: %s" % (
                self.args.command[0], error.strerror)) from None

    def _print_output(self):
        if self.output:
            self.output.seek(0)
            sys.stdout.write(self.output.read().decode(errors="replace"))
            self.output.close()

    def _on_signal(self, number):
        """The first SIGINT is the command's where a terminal did not send it
        as well, and where the command goes on: a second one could cut short
        how it ends. Whoever sends another one waits no longer."""
        is_first = not self.ended.is_set()
        self.ended.set()
        if number == signal.SIGTERM:
            self._send(number)
        elif not is_first:
            self._send(signal.SIGKILL)
        elif not is_in_foreground():
            asyncio.get_running_loop().call_later(GRACE, self._send, number)

    def _send(self, number):
        if self.process and self.process.returncode is None:
            self.process.send_signal(number)

    async def _forget(self):
        while True:
            await asyncio.sleep(FORGET)
            self.model.forget(time.monotonic())

    async def _draw(self):
        while True:
            self.terminal.draw(self.model.elements)
            await asyncio.sleep(REDRAW)


async def view(args):
    return await Viewer(args).run()


def run(args):
    if args.plot:
        plot.plot(recording.read(args.plot), args.output)
        return 0
    return asyncio.run(view(args))


def failures():
    found = [Failed, Unusable, Refused, plot.NoMatplotlib, ValueError, OSError]
    try:
        from .server import Busy
    except ImportError:
        return tuple(found)
    return tuple(found + [Busy])


def main(argv=None):
    args = arguments(argv)
    try:
        return run(args)
    except failures() as error:
        print("gst-psp-view: %s" % error, file=sys.stderr)
        return 1
