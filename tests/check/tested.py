#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""tested.py TESTS LIBRARY...: succeeds where C sources below the folder TESTS
name each function that the headers below each library's folder declare. What a
library keeps to itself is declared in headers called *-private.h."""

import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
DIRECTIVE = re.compile(r"^#(?:[^\n]*\\\n)*[^\n]*", re.M)
BRACES = re.compile(r"\{[^{}]*\}")
# The names that purity.sh knows as a library's own; others are pieces of its
# sources, which happen to be in a header.
FUNCTION = re.compile(
    r"\b((?:h26[45x]|m2v|psp|scaling|start_code|tm5|vbv)_\w+)\s*\(")


def functions(header):
    text = DIRECTIVE.sub("", COMMENT.sub("", header.read_text()))
    while BRACES.search(text):
        text = BRACES.sub(";", text)
    for declaration in text.split(";"):
        found = FUNCTION.search(declaration)
        if found and not declaration.lstrip().startswith("typedef"):
            yield found.group(1)


def main():
    tests = pathlib.Path(sys.argv[1])
    named = set()
    for source in tests.rglob("*.[ch]"):
        named.update(re.findall(r"\w+", COMMENT.sub("", source.read_text())))
    untested = False
    for library in map(pathlib.Path, sys.argv[2:]):
        declared = [(name, header) for header in sorted(library.rglob("*.h"))
                    if not header.stem.endswith("-private")
                    for name in functions(header)]
        if not declared:
            print("%s declares nothing" % library)
            sys.exit(99)                # an error, not a finding
        for name, header in declared:
            if name not in named:
                print("%s/%s: no test names %s" % (library.name, header.name,
                                                   name))
                untested = True
    sys.exit(untested)


main()
