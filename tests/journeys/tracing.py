# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Reads what trace.c wrote: whose function is at an address, in which file."""

import array
import glob
import os
import subprocess

from windows import BOUNDARIES, Function, Thread

EXIT = 1 << 63


def read_maps(folder):
    """(begin, end, load address, library) of what is mapped executable."""
    maps, bases = [], {}
    for path in glob.glob(os.path.join(folder, "*-maps-*")):
        with open(path) as f:
            for line in f:
                words = line.split(maxsplit=5)
                if len(words) < 6 or not words[5].startswith("/"):
                    continue
                begin, end = (int(w, 16) for w in words[0].split("-"))
                library = words[5].strip()
                if int(words[2], 16) == 0:
                    bases.setdefault(library, begin)
                if "x" in words[1] and library in bases:
                    maps.append((begin, end, bases[library], library))
    return maps


def addr2line(library, addresses, source):
    """{address: Function}, the file relative to the source folder."""
    text = subprocess.run(
        ["addr2line", "-a", "-f", "-i", "-e", library],
        input="".join("0x%x\n" % a for a in addresses),
        stdout=subprocess.PIPE, text=True, check=True).stdout
    found, address = {}, None
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("0x"):
            address = int(line, 16)
            continue
        file = next(lines).rsplit(":", 1)[0]
        # What is inlined there comes first, the function itself last.
        found[address] = Function(
            line, os.path.relpath(os.path.realpath(file), source))
    return found


def symbolise(addresses, maps, source):
    by_library, found = {}, {}
    for a in addresses:
        for begin, end, base, library in maps:
            if begin <= a < end:
                by_library.setdefault((library, base), []).append(a)
    for (library, base), group in by_library.items():
        names = addr2line(library, [a - base for a in group], source)
        found.update((a, names[a - base]) for a in group)
    return found


def without_repeats(records):
    """Leaves out a call of what calls nothing where the same has just been
    called there: bytes that are scanned one by one fill most of a trace."""
    kept = []
    for record in records:
        if len(kept) >= 3 and not record[1] and kept[-1][1] and \
                record[2] == kept[-1][2] == kept[-2][2] == kept[-3][2] and \
                not kept[-2][1] and kept[-3][1] and \
                record[2].name not in BOUNDARIES:
            kept.pop()
        else:
            kept.append(record)
    return kept


def read_thread(path):
    with open(path, "rb") as f:
        words = array.array("Q", f.read())
    return words[0::2], words[1::2]


def read_trace(folder, source):
    """Threads of the one traced process."""
    raw = [read_thread(path) for path in
           sorted(glob.glob(os.path.join(folder, "*-thread-*")))]
    addresses = {f & ~EXIT for _, marked in raw for f in set(marked)}
    functions = symbolise(addresses, read_maps(folder),
                          os.path.realpath(source))
    missing = addresses - functions.keys()
    if not raw or missing:
        raise RuntimeError("%s: %d threads, %d functions without a name" %
                           (folder, len(raw), len(missing)))
    return [Thread(without_repeats((time, f < EXIT, functions[f & ~EXIT])
                                   for time, f in zip(*thread)))
            for thread in raw]
