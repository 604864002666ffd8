#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""check.py SOURCE BUILD LIBRARY: succeeds where debian/ has what the build has:
the version, a package for each installed file, the name of each plugin in a
package's description, and the symbols that LIBRARY exports; and where the build
installs each page of docs/."""

import json
import pathlib
import re
import subprocess
import sys


def introspect(build, what):
    return json.loads((build / "meson-info" / what).read_text())


def installed(build):
    """Paths as in a package: below usr, libraries in a folder of the machine."""
    options = {option["name"]: option["value"]
               for option in introspect(build, "intro-buildoptions.json")}
    prefix = pathlib.PurePosixPath(options["prefix"])
    for path in introspect(build, "intro-installed.json").values():
        path = pathlib.PurePosixPath(path).relative_to(prefix)
        if path.is_relative_to(options["libdir"]):
            path = "lib/any" / path.relative_to(options["libdir"])
        yield "usr" / path


def patterns(debian):
    return [line for rules in debian.glob("*.install")
            for line in rules.read_text().split()]


def is_packaged(path, wanted):
    return any(part.match(pattern) for pattern in wanted
               for part in [path, *path.parents])


def pages(source):
    return (path for path in sorted((source / "docs").rglob("*"))
            if path.suffix in (".md", ".png", ".svg"))


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], text=True,
                           check=True, stdout=subprocess.PIPE).stdout
    return {line.split()[-1] for line in lines.splitlines()}


def faults(source, build, library):
    debian = source / "debian"
    project = introspect(build, "intro-projectinfo.json")["version"]
    version = re.match(r"\S+ \((.*)\)", (debian / "changelog").read_text())[1]
    if version != project:
        yield "debian/changelog has version %s, meson.build %s" % (
            version, project)
    control = (debian / "control").read_text()
    wanted = patterns(debian)
    for path in installed(build):
        if not is_packaged(path, wanted):
            yield "no debian/*.install names %s" % path
        plugin = re.match(r"libgst(\w+)\.so$", path.name)
        if plugin and path.parent.name == "gstreamer-1.0" and \
                not re.search(r"\b%s\b" % plugin[1], control):
            yield "no description in debian/control names plugin %s" % plugin[1]
    with_docs = introspect(build, "intro-installed.json")
    for page in pages(source.resolve()):
        if not any(str(path) in with_docs for path in [page, *page.parents]):
            yield "docs/meson.build does not install %s" % page.name
    listed = {symbol for symbols in debian.glob("*.symbols") for symbol in
              re.findall(r"^ (\w+)@", symbols.read_text(), re.M)}
    for symbol in sorted(listed ^ exported(library)):
        yield "%s is only %s" % (symbol, "in debian/*.symbols"
                                 if symbol in listed else "in the library")


def main():
    source, build = map(pathlib.Path, sys.argv[1:3])
    found = list(faults(source, build, sys.argv[3]))
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
