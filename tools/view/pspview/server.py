# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The page and the metrics, over HTTP on this machine alone. Nothing can be
changed by it. Whoever does not know the token gets nothing."""

import errno
import hmac
import itertools
import os
import socket
import time

from aiohttp import web

from . import figures, metrics

PORT = 8790
PORTS = 20                      # tried from there on, where none is named
PAGE = os.path.join(os.path.dirname(__file__), "page")
FILES = {"": ("page.html", "text/html"),
         "page.js": ("page.js", "text/javascript"),
         "page.css": ("page.css", "text/css")}
HEADERS = {
    "Content-Security-Policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Busy(Exception):
    """No port to listen at."""


def bind(family, host, port):
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((host, port))
        listener.listen(16)
    except OSError:
        listener.close()
        raise
    return listener


def bind_both(port):
    """Of 127.0.0.1, and of ::1 where this machine has it."""
    listeners = [bind(socket.AF_INET, "127.0.0.1", port)]
    try:
        listeners.append(bind(socket.AF_INET6, "::1",
                              listeners[0].getsockname()[1]))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            listeners[0].close()
            raise
    return listeners


def find_port(wanted):
    """wanted: None = the first that is free. Others are used, or fail."""
    tried = range(PORT, PORT + PORTS) if wanted is None else [wanted]
    for port in tried:
        try:
            return bind_both(port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise Busy("port %d cannot be had: %s. Name another one by "
                           "--port." % (port, error.strerror)) from None
    if wanted is None:
        raise Busy("ports %d to %d are all in use. Name another one by --port."
                   % (PORT, PORT + PORTS - 1))
    raise Busy("port %d is in use. Name another one, or leave --port out: the "
               "next free one is taken." % wanted)


def numbers(values):
    """Four digits are more than a picture shows."""
    return [None if value is None else float("%.4g" % value)
            for value in values]


def newer(queue, after):
    """The end of a queue, in order: what most requests ask for is short."""
    found = list(itertools.takewhile(lambda item: item.seq > after,
                                     reversed(queue)))
    return found[::-1]


def described(element, after):
    """An element, and what is new of it."""
    points = newer(element.points, after)
    shown = [name for name in figures.FIGURES
             if any(name in point.figures for point in points)]
    return {
        "key": element.key, "program": element.process.program,
        "pid": element.process.pid, "process": element.process.number,
        "pipeline": element.pipeline, "element": element.name,
        "type": element.kind, "ended": element.ended is not None,
        "missed": element.process.missed, "stats": element.stats,
        "time": [round(point.time, 3) for point in points],
        "figures": {name: numbers(point.figures.get(name) for point in points)
                    for name in shown},
        "events": [[round(event.time, 3), event.weight, event.text]
                   for event in newer(element.events, after)],
    }


class Server:
    def __init__(self, model, token, port=None, look=None):
        self.model, self.token, self.wanted = model, token, port
        self.look = look                # has the model get what is new
        self.port = 0
        self.runner = None

    def url(self):
        return "http://127.0.0.1:%d/%s/" % (self.port, self.token)

    async def start(self):
        listeners = find_port(self.wanted)
        self.port = listeners[0].getsockname()[1]
        # Where the token is missing, so is the page: any path comes here.
        app = web.Application(middlewares=[self._guard], client_max_size=1024)
        app.router.add_get("/{path:.*}", self._answer, allow_head=False)
        self.runner = web.AppRunner(app, access_log=None)
        await self.runner.setup()
        for listener in listeners:
            await web.SockSite(self.runner, listener).start()

    async def stop(self):
        await self.runner.cleanup()

    def _is_own_host(self, host):
        """A name that somebody else made point here is refused."""
        return host in ["%s:%d" % (name, self.port)
                        for name in ("127.0.0.1", "[::1]", "localhost")]

    @web.middleware
    async def _guard(self, request, handler):
        if request.method != "GET":
            response = web.Response(status=405, headers={"Allow": "GET"},
                                    text="This page can only be read.\n")
        elif not self._is_own_host(request.headers.get("Host", "")):
            response = web.Response(status=403, text="Ask for 127.0.0.1, ::1 "
                                    "or localhost, by its number.\n")
        else:
            response = await handler(request)
        response.headers.update(HEADERS)
        return response

    async def _answer(self, request):
        token, slash, name = request.match_info["path"].partition("/")
        if not slash or not hmac.compare_digest(token.encode(errors="replace"),
                                                self.token.encode()):
            return web.Response(status=404, text="Use the whole address that "
                                "gst-psp-view printed.\n")
        if name in FILES:
            return self._file(*FILES[name])
        if name in ("data", "metrics") and self.look:
            await self.look()
        if name == "data":
            return self._data(request)
        if name == "metrics":
            text = metrics.text(self.model.active())
            return web.Response(body=text.encode(),
                                headers={"Content-Type": metrics.CONTENT_TYPE})
        return web.Response(status=404, text="There is no such page.\n")

    @staticmethod
    def _file(name, kind):
        with open(os.path.join(PAGE, name), encoding="utf8") as file:
            return web.Response(text=file.read(), content_type=kind,
                                charset="utf-8")

    def _data(self, request):
        try:
            after = int(request.query.get("after", "0")[:16])
        except ValueError:
            after = 0
        now = time.monotonic()
        self.model.forget(now)
        answer = {
            "now": round(now, 3), "clock": round(time.time() - now, 3),
            "seq": self.model.seq,
            "elements": [described(element, after)
                         for element in self.model.elements]}
        if after == 0:
            answer["charts"] = [chart._asdict() for chart in figures.CHARTS]
            answer["labels"] = figures.LABELS
        return web.json_response(answer)
