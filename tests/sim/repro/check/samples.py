# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The example, whole or with changes, and a build directory with the fake
simulation in it."""

import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", ".."))

from repro.scenario import read_paper                   # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
REPRODUCE = os.path.join(HERE, "..", "..", "reproduce.py")


def example():
    with open(os.path.join(HERE, "example.toml")) as file:
        return file.read()


def write(folder, text):
    path = os.path.join(folder, "test.toml")
    with open(path, "w") as file:
        file.write(text)
    return path


def changed(folder, *changes):
    """Path of the example with [(old, new)] replaced, each found once."""
    text = example()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return write(folder, text)


def paper():
    return read_paper(os.path.join(HERE, "example.toml"))


def fake_build(folder):
    path = os.path.join(folder, "tests", "sim")
    os.makedirs(path)
    shutil.copy(os.path.join(HERE, "fakesim.py"),
                os.path.join(path, "sim-fake"))
    return folder
