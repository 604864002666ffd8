# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A table that a program writes into a page of docs/evidence."""

import os
import re
import sys

EVIDENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs",
                        "evidence")


def short(value):
    """.25 for 0.25."""
    return ("%.3f" % value).replace("0.", ".", 1) if value < 1 else \
        "%.3f" % value


def put(page, table):
    """Between the marks of the page's cases."""
    path = os.path.join(EVIDENCE, page)
    with open(path, encoding="utf8") as f:
        text = f.read()
    text, n = re.subn(r"(<!-- cases -->\n).*?(<!-- end -->)",
                      lambda m: m[1] + "\n" + table + "\n" + m[2], text,
                      flags=re.DOTALL)
    if n != 1:
        sys.exit(path + " has no place for the table")
    with open(path, "w", encoding="utf8") as f:
        f.write(text)


def write(lines, page=None):
    """Prints lines as they come, and puts them into the page, if any."""
    table = ""
    for line in lines:
        print(line, flush=True)
        table += line + "\n"
    if page:
        put(page, table)


def program(build, name):
    path = os.path.join(build, "tests", "sim", name)
    if not os.path.exists(path):
        sys.exit("there is no %s: it needs ns-3 (libns3-dev)" % path)
    return path
