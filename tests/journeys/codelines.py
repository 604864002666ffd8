#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""codelines.py [COMMIT]...: lines of C code in gst-libs/, gst/ and ext/, headers
included. A line counts where something is left of it without comments and white
space. Without a commit: the files of this tree as they are."""

import io
import os
import re
import subprocess
import sys
import tarfile

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOPS = ("gst-libs", "gst", "ext")
# A string or a character is kept, whatever is in it.
TOKEN = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
                   r"""|/\*.*?\*/|//[^\n]*""", re.S)


def without_comments(text):
    def kept(found):
        return found.group(1) or "\n" * found.group().count("\n") or " "
    return TOKEN.sub(kept, text)


def count(text):
    return sum(bool(line.strip()) for line in
               without_comments(text).splitlines())


def is_counted(path):
    return path.startswith(tuple(top + "/" for top in TOPS)) \
        and path.endswith((".c", ".h"))


def git(*command):
    return subprocess.run(["git", "-C", TREE, *command], check=True,
                          stdout=subprocess.PIPE).stdout


def of_commit(commit):
    """Path and text of each file."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
        for member in archive:
            if member.isfile() and is_counted(member.name):
                yield member.name, archive.extractfile(member).read().decode()


def of_tree():
    for path in git("ls-files", *TOPS).decode().splitlines():
        if is_counted(path):
            with open(os.path.join(TREE, path), encoding="utf8") as file:
                yield path, file.read()


def folder_of(path):
    """The library's or the plugin's."""
    parts = path.split("/")[:-1]
    return "/".join(parts[:3 if parts[:2] == ["gst-libs", "gst"] else 2])


def table(files):
    lines = {}
    for path, text in files:
        folder = folder_of(path)
        lines[folder] = lines.get(folder, 0) + count(text)
    return lines


def main():
    columns = [(name, table(of_commit(name))) for name in sys.argv[1:]] \
        or [("this tree", table(of_tree()))]
    folders = sorted(set().union(*(lines for _, lines in columns)))
    print("| folder | %s |" % " | ".join(name for name, _ in columns))
    print("|---|%s" % ("---|" * len(columns)))
    for folder in folders:
        print("| `%s` | %s |" % (folder, " | ".join(
            str(lines.get(folder, "–")) for _, lines in columns)))
    print("| all | %s |" % " | ".join(str(sum(lines.values()))
                                      for _, lines in columns))


if __name__ == "__main__":
    main()
