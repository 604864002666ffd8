# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Whether a screen shows a picture of a source.

    screenshot.py read FILE SOURCE…

writes the pictures of SOURCE, a piece of a launch line, small to a file, and

    screenshot.py look PNG WIDTHxHEIGHT FILE

takes screenshots of $DISPLAY and compares its upper left part of that size with
each of them. PNG keeps the last screenshot, and PNG-expected.png the picture that
is most like it. Exit code 0 where it is the same picture, but for what an encoder
makes of it."""

import subprocess
import sys
import time

import numpy

COLUMNS, ROWS = 160, 90         # of what is compared
ALIKE = 0.9                     # correlation; 0 for a screen of one colour
TINT = 5.0                      # mean of the difference in colour, of 255
TRIES = 40                      # a second between them
SMALL = ("videoconvert ! videoscale add-borders=false"
         " ! video/x-raw,format=RGB,width=%d,height=%d,pixel-aspect-ratio=1/1"
         % (COLUMNS, ROWS))


def launch(line):
    return subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True,
                          stdout=subprocess.PIPE).stdout


def pictures(octets):
    return numpy.frombuffer(octets, numpy.uint8).reshape(-1, ROWS, COLUMNS, 3)


def shot(path, width, height):
    """The upper left part of the screen, small; all of the screen in a file."""
    whole = "ximagesrc use-damage=false show-pointer=false num-buffers=1 "
    part = "startx=0 starty=0 endx=%d endy=%d " % (width - 1, height - 1)
    launch(whole + "! videoconvert ! pngenc ! filesink location=" + path)
    return pictures(launch(whole + part + "! " + SMALL + " ! fdsink fd=1"))[0]


def correlation(a, b):
    """Of the values of two pictures; 0 where one has a single colour."""
    a, b = (x.astype(numpy.float32) - x.mean() for x in (a, b))
    size = numpy.sqrt((a * a).sum() * (b * b).sum())
    return float((a * b).sum() / size) if size else 0.0


def tint(a, b):
    """How far the colours are from each other, whatever the brightness."""
    a, b = (x.astype(numpy.float32) for x in (a, b))
    a, b = (x - x.mean(axis=2, keepdims=True) for x in (a, b))
    return float(numpy.abs(a - b).mean())


def best(picture, candidates):
    """The most alike of them: its number, correlation, difference in colour."""
    scores = [correlation(picture, candidate) for candidate in candidates]
    number = int(numpy.argmax(scores))
    return number, scores[number], tint(picture, candidates[number])


def is_shown(alike, colour):
    return alike >= ALIKE and colour <= TINT


def save(path, picture):
    subprocess.run(
        ["gst-launch-1.0", "-q", "fdsrc", "fd=0", "blocksize=%d" % picture.size,
         "!", "rawvideoparse", "format=rgb", "width=%d" % COLUMNS,
         "height=%d" % ROWS, "!", "videoconvert", "!", "pngenc", "!",
         "filesink", "location=" + path], input=picture.tobytes(), check=True)


def read(path, *source):
    launch("%s ! %s ! filesink location=%s" % (" ".join(source), SMALL, path))


def look(path, size, source):
    with open(source, "rb") as file:
        candidates = pictures(file.read())
    for _ in range(TRIES):
        time.sleep(1)
        picture = shot(path, *map(int, size.split("x")))
        number, alike, colour = best(picture, candidates)
        print("most like picture %d of %d: correlation %.3f (%.2f or more),"
              " colours %.1f apart (%.0f or less)" % (
                  number, len(candidates), alike, ALIKE, colour, TINT),
              flush=True)
        if is_shown(alike, colour):
            break
    save(path + "-expected.png", candidates[number])
    return not is_shown(alike, colour)


if __name__ == "__main__":
    sys.exit({"read": read, "look": look}[sys.argv[1]](*sys.argv[2:]))
