#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Compares what mpegscaler of two builds makes of streams, byte for byte.

compare-builds.py [--cache FILE] [--jobs N] OLD NEW STREAM...

OLD and NEW are build directories, STREAMs are MPEG-1 or MPEG-2 video; each is
also tried with some of its bytes damaged. For changes that must not change any
output. Succeeds where all outputs are equal. FILE keeps OLD's results.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

SCALES = [f'scale={s}' for s in range(5)]
# Of the source's bitrate. Files have no time: frames are taken for 25 a second.
SHARES = (0.08, 0.2, 0.4, 0.6, 0.85)


def settings(bitrate):
    """Properties of mpegscaler to try at a source's bitrate."""
    target = [f'target-bitrate={int(bitrate * share)}' for share in SHARES]
    drift = ['off', 'on', 'all']
    yield from SCALES
    yield from (f'{s} repeat-dropped=true' for s in SCALES[:4])
    yield from target
    yield from (f'{t} repeat-dropped=true' for t in target[1:4])
    yield f'{target[2]} fill-target=false'
    for i, t in enumerate(target):
        yield f'mode=requantize {t} drift-compensation={drift[i % 3]}'
    for i, t in enumerate(target):
        yield f'mode=auto {t} drift-compensation={drift[(i + 1) % 3]}'
    yield f'mode=requantize {target[2]} rate-distortion=true'
    yield f'mode=auto {target[1]} rate-distortion=true repeat-dropped=true'
    yield f'mode=auto scale=3 {target[1]}'
    yield f'mode=auto {target[1]} max-quantiser=12'
    yield (f'mode=requantize {target[2]} modulation=source kb=1.4 '
           'front-load=0')


def digest(build, stream, properties):
    """MD5 of what the build's mpegscaler makes of the stream."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out')
        plugins = [os.path.join(build, 'gst', 'mpegscaler')]
        env = dict(os.environ, GST_PLUGIN_PATH=':'.join(plugins),
                   GST_REGISTRY=os.path.join(build, 'compare-registry.bin'),
                   LD_LIBRARY_PATH=':'.join(
                       os.path.join(build, 'gst-libs', d)
                       for d in ('.', 'gst/congestion')))
        subprocess.run(
            ['gst-launch-1.0', '-q', 'filesrc', f'location={stream}', '!',
             'mpegvideoparse', '!', 'mpegscaler', 'follow-events=false',
             *properties.split(), '!', 'filesink', f'location={out}'],
            env=env, check=True, stdout=subprocess.DEVNULL)
        with open(out, 'rb') as data:
            return hashlib.md5(data.read()).hexdigest()


def bitrate(data):
    """Bits per second at 25 pictures a second."""
    return len(data) * 8 * 25 / max(1, data.count(b'\0\0\1\0'))


def damaged(data):
    """The stream with a byte in 8,000 changed, always the same ones."""
    chance = random.Random(1)
    data = bytearray(data)
    for _ in range(len(data) // 8000):
        data[chance.randrange(200, len(data))] = chance.randrange(256)
    return bytes(data)


def main():
    """Compares; exit status 1 where any output differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--cache')
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('old')
    parser.add_argument('new')
    parser.add_argument('stream', nargs='+')
    args = parser.parse_args()
    cache = {}
    if args.cache and os.path.exists(args.cache):
        with open(args.cache, encoding='ascii') as file:
            cache = json.load(file)

    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for stream in args.stream:
            with open(stream, 'rb') as file:
                data = file.read()
            broken = os.path.join(folder, 'damaged-'
                                  + os.path.basename(stream))
            with open(broken, 'wb') as file:
                file.write(damaged(data))
            for path in (stream, broken):
                jobs += [(path, p) for p in settings(bitrate(data))]

        def compare(job):
            key = os.path.basename(job[0]) + ' ' + job[1]
            old = cache.get(key) or digest(args.old, *job)
            return key, old, digest(args.new, *job)

        differ = 0
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for key, old, new in pool.map(compare, jobs):
                cache[key] = old
                if old != new:
                    differ += 1
                    print('differs:', key)
        print(f'{len(jobs)} outputs compared, {differ} differ')
    if args.cache:
        with open(args.cache, 'w', encoding='ascii') as file:
            json.dump(cache, file)
    return differ > 0


if __name__ == '__main__':
    sys.exit(main())
