#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The viewer's page: who gets it, and that nobody else does."""

import json
import os
import resource
import signal
import socket
import sys
import unittest

import viewers
from viewers import HOSTILE, wait_for


def listening(port):
    """Addresses that listen at the port, as /proc has them."""
    found = set()
    for name in ("tcp", "tcp6"):
        with open("/proc/net/" + name, encoding="ascii") as file:
            for line in list(file)[1:]:
                address, number = line.split()[1].split(":")
                if int(number, 16) == port and line.split()[3] == "0A":
                    found.add(address)
    return found


class Access(viewers.Case):
    def setUp(self):
        super().setUp()
        self.serve()

    def test_page(self):
        for name, kind in (("", "text/html"), ("page.js", "text/javascript"),
                           ("page.css", "text/css"),
                           ("data", "application/json"),
                           ("metrics", "text/plain")):
            status, headers, body = self.own(name)
            self.assertEqual(status, 200, name)
            self.assertEqual(headers.get_content_type(), kind)
            self.assertEqual("metrics" == name, not body)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertFalse([header for header in headers
                              if header.lower().startswith("access-control")])

    def test_token(self):
        for path in ("/", "/data", "/metrics", "/x/", "/%s" % self.token,
                     "/%s/data" % self.token[:-1], "/%sx/data" % self.token,
                     "//data", "/%C3%A9/data", "/%ff/data"):
            status, headers, body = self.ask(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(self.token.encode(), body)
        for name in ("no-page", "../server.py", "..%2fserver.py",
                     "page.js/../../server.py"):
            self.assertEqual(self.own(name)[0], 404, name)

    def test_host(self):
        own = "127.0.0.1:%d" % self.port
        for host in (own, "localhost:%d" % self.port, "[::1]:%d" % self.port):
            self.assertEqual(self.own("data", host=host)[0], 200, host)
        for host in ("evil.example", "evil.example:%d" % self.port,
                     "127.0.0.1", "127.0.0.1:1", own + ".evil.example",
                     "localhost"):
            self.assertEqual(self.own("data", host=host)[0], 403, host)

    def test_read_only(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS",
                       "TRACE"):
            status, headers, _ = self.own("data", method=method)
            self.assertEqual((status, headers["Allow"]), (405, "GET"), method)

    def test_loopback(self):
        self.assertIn(listening(self.port), [
            {"0100007F"}, {"0100007F", "0" * 24 + "01000000"}])

    def test_ipv6(self):
        if not any(len(address) > 8 for address in listening(self.port)):
            self.skipTest("this machine has no ::1")
        self.assertEqual(self.own("data", family="::1",
                                  host="[::1]:%d" % self.port)[0], 200)

    def test_slow_browser(self):
        """It waits by itself."""
        reporter = self.report()
        for _ in range(400):
            reporter.stats()
        self.wait_for_points(400)
        slow = [socket.create_connection(("127.0.0.1", self.port))
                for _ in range(20)]
        for one in slow:
            one.sendall(("GET /%s/data HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
                         % (self.token, self.port) * 20).encode())
        reporter.stats()
        self.wait_for_points(401)
        for one in slow:
            one.close()


class Reports(viewers.Case):
    def setUp(self):
        super().setUp()
        self.serve()

    def test_data(self):
        reporter = self.report()
        reporter.stats()
        reporter.event("loss", **{"target-bitrate": 800000})
        reporter.event("increase")
        reporter.event([], scale=3)
        reporter.stats(after=1000000, **{"payload-bytes-sent": 250000})
        self.wait_for_points(2)
        found = self.data()
        element, = found["elements"]
        self.assertEqual((element["type"], element["element"], element["pid"]),
                         ("pspsink", "pspsink0", 4711))
        self.assertEqual(element["figures"]["rate"], [None, 2e6])
        self.assertEqual(element["figures"]["target"], [2e6, 2e6])
        self.assertEqual(element["figures"]["rtt"], [.04, .04])
        self.assertEqual(element["figures"]["loss"], [1, 1])
        self.assertEqual([event[1:] for event in element["events"]],
                         [[1, "loss 0.8 Mb/s"], [0, "increase"],
                          [1, " scale 3"]])
        self.assertEqual(self.data(found["seq"])["elements"][0]["time"], [])
        reporter.close()
        wait_for(lambda: self.data()["elements"][0]["ended"])

    def test_hostile_lines(self):
        """Whoever sends them is not heard any longer; others are."""
        good = self.report()
        for data in (b"\n", b"{}\n", b"[]\n", b"nonsense\n", b"\xff\xfe\n",
                     b"[" * 60000 + b"\n", b'{"time":' + b"9" * 9999 + b"}\n",
                     b'{"time":NaN}\n', b'{"time":true}\n',
                     b'{"time":1,"id":1,"stats":{"more":1e999},'
                     b'"type":"pspsink"}\n', b"x" * 200000,
                     b'{"time":1,"id":1,"stats":[]}\n',
                     b'{"time":1,"id":1,"stats":{},"type":"fakesink"}\n',
                     b'{"time":1,"id":-1,"stats":{},"type":"pspsink"}\n'):
            bad = self.report()
            try:
                bad.raw(data)
            except OSError:             # already hung up
                pass
            self.assertTrue(bad.is_hung_up(), data[:40])
        good.stats()
        self.wait_for_points(1)
        good.socket.settimeout(.01)
        self.assertFalse(good.is_hung_up())
        # As browsers read it: no NaN, no Infinity.
        json.loads(self.own("data")[2], parse_constant=self.fail)

    def test_wrong_values(self):
        """Statistics of other types, as a later version's may be."""
        reporter = self.report(program=HOSTILE, element=HOSTILE)
        reporter.stats(**{"target-bitrate": "fast", "rtt": True, "loss": {},
                          "queue-time": 10 ** 300, "payload-bytes-sent": None,
                          "link-state": [1], HOSTILE: HOSTILE})
        self.wait_for_points(1)
        element, = self.data()["elements"]
        self.assertEqual(list(element["figures"]), ["delivered"])
        self.assertEqual(self.own("metrics")[0], 200)

    def test_other_protocol(self):
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(self.path)
            other.sendall(b'{"time":1,"protocol":2,"pid":1,"program":"x"}\n')
            self.assertEqual(other.recv(1), b"")

    def test_too_many_elements(self):
        reporter = self.report()
        for number in range(300):
            reporter.names["id"] = number
            try:
                reporter.stats(after=1)
            except OSError:
                break
        self.assertTrue(reporter.is_hung_up())
        self.assertEqual(len(self.data()["elements"]), 256)


class Places(viewers.Case):
    def fails(self, *arguments):
        process = self.view(*arguments)
        self.assertEqual(process.wait(viewers.PATIENCE), 1)
        return process.stderr.read()

    def test_modes(self):
        self.serve()
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(self.path)).st_mode & 0o777,
                         0o700)

    def test_open_folder(self):
        os.mkdir(os.path.dirname(self.path), 0o755)
        self.assertIn("only this user", self.fails())

    def test_linked_folder(self):
        os.mkdir(os.path.join(self.folder, "other"), 0o700)
        os.symlink("other", os.path.dirname(self.path))
        self.assertIn("only this user", self.fails())

    def test_file_in_place(self):
        os.mkdir(os.path.dirname(self.path), 0o700)
        with open(self.path, "w", encoding="ascii"):
            pass
        self.assertIn("is no socket", self.fails())

    def test_second_viewer(self):
        self.serve()
        self.assertIn("another viewer is running", self.fails())

    def test_left_over(self):
        """A viewer that was killed is in nobody's way."""
        self.serve().kill()
        self.started[-1].wait()
        self.assertTrue(os.path.exists(self.path))
        self.serve().send_signal(signal.SIGTERM)
        self.assertEqual(self.started[-1].wait(viewers.PATIENCE), 0)
        self.assertFalse(os.path.exists(self.path))

    def test_busy_port(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            self.assertIn("port %d is in use" % port,
                          self.fails("--port", str(port)))

    def test_next_port(self):
        from pspview import server
        taken = []
        try:
            taken.append(server.bind_both(server.PORT))
        except OSError:
            pass                        # somebody else has it
        self.serve("--stay")
        self.assertGreater(self.port, server.PORT)
        for listener in sum(taken, []):
            listener.close()

    def test_token_file(self):
        path = os.path.join(self.folder, "token")
        self.serve("--port", "0", "--token-file", path).terminate()
        self.started[-1].wait()
        first = self.token
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.serve("--port", "0", "--token-file", path).terminate()
        self.started[-1].wait()
        self.assertEqual(self.token, first)
        os.chmod(path, 0o644)
        self.assertIn("chmod 600", self.fails("--token-file", path))
        os.chmod(path, 0o600)
        with open(path, "w", encoding="ascii") as file:
            file.write("../short\n")
        self.assertIn("has no token", self.fails("--token-file", path))


    def test_strangers_token_file(self):
        path = os.path.join(self.folder, "token")
        with open(path, "w", encoding="ascii") as file:
            file.write("0123456789abcdef\n")
        os.chmod(path, 0o600)
        link = os.path.join(self.folder, "link")
        os.symlink("token", link)
        self.assertIn("symbolic link", self.fails("--token-file", link))
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe, 0o600)
        self.assertIn("is no file", self.fails("--token-file", pipe))
        if os.geteuid() != 0:
            self.skipTest("only root can have a file of another user's")
        os.chown(path, 65534, 65534)
        self.assertIn("another user", self.fails("--token-file", path))

    def test_browser(self):
        """Its command line, which every user can read, has no token."""
        said = os.path.join(self.folder, "said")
        browser = os.path.join(self.folder, "browser")
        with open(browser, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\necho "$1" > %s.new\nmv %s.new %s\n'
                       % (said, said, said))
        os.chmod(browser, 0o700)
        viewer = self.serve("--port", "0", "--open", BROWSER=browser)
        wait_for(lambda: os.path.exists(said))
        with open(said, encoding="ascii") as file:
            address = file.read().strip()
        self.assertNotIn(self.token, address)
        page = address[len("file://"):]
        self.assertEqual(os.stat(page).st_mode & 0o777, 0o600)
        self.assertEqual(os.path.dirname(page), os.path.dirname(self.path))
        with open(page, encoding="ascii") as file:
            self.assertIn("url=http://127.0.0.1:%d/%s/" % (
                self.port, self.token), file.read())
        viewer.terminate()
        self.assertEqual(viewer.wait(viewers.PATIENCE), 0)
        self.assertFalse(os.path.exists(page))

    def test_full_disk(self):
        """It ends the recording, is said once, and ends nothing else."""
        path = os.path.join(self.folder, "recording")
        viewer = self.serve("--port", "0", "--record", path)
        reporter = self.report()
        reporter.stats()
        self.wait_for_points(1)
        size = os.path.getsize(path)
        resource.prlimit(viewer.pid, resource.RLIMIT_FSIZE, (size, size))
        for _ in range(3):
            reporter.stats()
        self.report().stats()
        self.wait_for_points(5)
        viewer.terminate()
        self.assertEqual(viewer.wait(viewers.PATIENCE), 0)
        self.assertEqual(viewer.stderr.read().count("nothing is recorded"), 1)
        self.assertEqual(os.path.getsize(path), size)


class Commands(viewers.Case):
    def test_environment_and_status(self):
        process = self.view(
            "--port", "0", "--", "sh", "-c",
            'echo "$GST_TRACERS $GST_PSP_VIEW_SOCKET"; exit 7',
            GST_TRACERS="stats")
        self.assertEqual(process.wait(viewers.PATIENCE), 7)
        self.assertEqual(process.stdout.read(),
                         "stats;pspview %s\n" % self.path)

    def test_no_such_command(self):
        process = self.view("--port", "0", "--", "/no/such/program")
        self.assertEqual(process.wait(viewers.PATIENCE), 1)
        self.assertIn("/no/such/program cannot be started",
                      process.stderr.read())

    def test_killed_viewer(self):
        """The command goes on."""
        begun, gate, done = (os.path.join(self.folder, name)
                             for name in ("begun", "gate", "done"))
        self.serve("--port", "0", "--", "sh", "-c",
                   "touch %s; until [ -e %s ]; do sleep .05; done; touch %s"
                   % (begun, gate, done))
        wait_for(lambda: os.path.exists(begun))
        self.started[-1].kill()
        self.started[-1].wait()
        with open(gate, "w", encoding="ascii"):
            pass
        wait_for(lambda: os.path.exists(done))


class Interrupts(viewers.Case):
    """A command notes that it began, and each SIGINT. Some seconds after the
    first one it ends, with the number of those that came as its status."""

    COMMAND = """if True:
        import os, signal, sys, time
        n = 0
        def note(*_):
            global n
            n += 1
            open(os.path.join(sys.argv[1], "told"), "w").close()
        signal.signal(signal.SIGINT, note)
        open(os.path.join(sys.argv[1], "begun"), "w").close()
        while n == 0:
            time.sleep(.02)
        time.sleep(int(sys.argv[2]))
        sys.exit(n)
        """

    def start(self, seconds, **options):
        process = self.view("--no-page", "--", sys.executable, "-c",
                            self.COMMAND, self.folder, str(seconds), **options)
        self.wait_for_file("begun")
        return process

    def wait_for_file(self, name):
        wait_for(lambda: os.path.exists(os.path.join(self.folder, name)))

    def test_viewer_alone(self):
        """The command is told, too."""
        process = self.start(0)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(viewers.PATIENCE), 1)

    def test_twice(self):
        """The command is not waited for."""
        process = self.start(2 * viewers.PATIENCE)
        process.send_signal(signal.SIGINT)
        self.wait_for_file("told")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(viewers.PATIENCE), 128 + signal.SIGKILL)

    def test_terminal(self):
        """It tells both, and the command has its time to end."""
        keys, terminal = os.openpty()
        self.addCleanup(os.close, keys)
        self.addCleanup(os.close, terminal)
        process = self.start(3, terminal=terminal)
        os.write(keys, b"\x03")
        self.assertEqual(process.wait(viewers.PATIENCE), 1)


if __name__ == "__main__":
    if viewers.aiohttp_is_missing():
        print("skipped: aiohttp is missing (python3-aiohttp)")
        sys.exit(77)
    unittest.main()
