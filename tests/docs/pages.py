# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The documents, and how to read them."""

import glob
import os
import re

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DOCS = os.path.join(TOP, "docs")
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.M | re.S)


def read(path):
    with open(path, encoding="utf8") as file:
        return file.read()


def shown(path):
    """The path as messages name it."""
    return os.path.relpath(path, TOP)


def everything():
    """Every page that this project wrote."""
    found = [os.path.join(TOP, "README.md")]
    for folder in ("docs", "tests"):
        found += glob.glob(os.path.join(TOP, folder, "**", "*.md"),
                           recursive=True)
    return sorted(found)


def for_users():
    """README.md and docs/, without the figures and how they came about."""
    evidence = os.path.join(DOCS, "evidence") + os.sep
    return [path for path in everything()
            if not path.startswith(evidence) and
            (path.startswith(DOCS) or os.path.dirname(path) == TOP)]


def element_page(name):
    return os.path.join(DOCS, "elements", name + ".md")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def section(text, heading):
    """What stands under a heading of any level, up to the next of its level or
    above; None where there is no such heading."""
    found = re.search(r"^(#+) %s$" % re.escape(heading), text, re.M)
    if not found:
        return None
    rest = text[found.end():]
    end = re.search(r"^#{1,%d} " % len(found.group(1)), rest, re.M)
    return rest[:end.start()] if end else rest


def rows(text):
    """The cells of each row of the tables in a text."""
    for line in text.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in
                   re.split(r"(?<!\\)\|", line.strip().strip("|"))]
