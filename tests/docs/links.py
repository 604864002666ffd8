#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Checks that every relative link of the documents leads somewhere, to a
heading that exists where it names one, that the files of the tree which docs/
and README.md name are there, and that docs/README.md links to every page for users.

    tests/docs/links.py"""

import os
import re
import sys

import pages

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
# `tests/x.py BUILD` and the like; not `tests/NAME.c`, `tests/*/x`.
NAMED = re.compile(r"`((?:\./)?(?:debian|docs|ext|gst|gst-libs|pipelines|tests|tools|\.ci)"
                   r"/[a-z0-9_./-]*)(?=[` ])")


def anchors(path):
    """The names that GitHub gives to headings."""
    text = pages.FENCE.sub("", pages.read(path))
    names = set()
    for heading in re.findall(r"^#+ +(.*)$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-")
        number, plain = 0, name
        while name in names:
            number += 1
            name = "%s-%d" % (plain, number)
        names.add(name)
    return names


def faults_of(path):
    for target in LINK.findall(pages.without_code(pages.read(path))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(path), name)) \
            if name else path
        if not os.path.exists(to):
            yield "%s is not there" % target
        elif anchor and to.endswith(".md") and anchor not in anchors(to):
            yield "%s has no such heading" % target


def not_there(path):
    if not path.startswith(pages.DOCS) and os.path.dirname(path) != pages.TOP:
        return
    for name in NAMED.findall(pages.FENCE.sub("", pages.read(path))):
        if not os.path.exists(os.path.join(pages.TOP, name)):
            yield "%s is not there" % name


def not_in_the_index():
    index = os.path.join(pages.DOCS, "README.md")
    linked = {os.path.normpath(os.path.join(pages.DOCS, target.split("#")[0]))
              for target in LINK.findall(pages.read(index))}
    for path in pages.for_users():
        if path.startswith(pages.DOCS) and path != index and \
                path not in linked:
            yield "%s does not link to %s" % (pages.shown(index),
                                              pages.shown(path))


def main():
    found = ["%s: %s" % (pages.shown(path), fault)
             for path in pages.everything()
             for check in (faults_of, not_there) for fault in check(path)]
    found += not_in_the_index()
    print("\n".join(found) or "%d pages: all links lead somewhere" %
          len(pages.everything()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
