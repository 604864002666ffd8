# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Runs the programs of the scenarios, a few at a time, and collects their
rows."""

import concurrent.futures
import hashlib
import os
import resource
import subprocess
import threading
from dataclasses import dataclass

from .problem import Missing, Problem
from .table import Table, read_output, read_table, written

# s; a signal that comes as Python begins to wait is noticed as that ends.
TICK = .5


@dataclass
class Run:
    paper: str
    scenario: object
    params: dict
    seed: int
    command: list
    output: str         # the file that keeps what the program printed

    @property
    def point(self):
        return tuple(self.params.items())

    def __str__(self):
        return " ".join(self.command)


def program(build, scenario):
    path = os.path.join(build, "tests", "sim", scenario.program)
    if not os.access(path, os.X_OK):
        raise Missing(
            "%s is missing, which the scenario %r needs: build it (meson "
            "compile -C %s); where meson made no target of it, ns-3 was not "
            "found (Debian: libns3-dev)" % (path, scenario.name, build))
    return path


def plan(paper, scenario, build, work):
    """[Run] of all points and seeds."""
    path, found = program(build, scenario), []
    for params in scenario.combinations():
        for seed in range(1, scenario.seeds + 1):
            command = [path] + ["--%s=%s" % (name, written(value))
                                for name, value in params.items()]
            command.append("--seed=%d" % seed)
            key = hashlib.sha256("\n".join(command).encode()).hexdigest()[:16]
            found.append(Run(paper, scenario, params, seed, command,
                             os.path.join(work, key + ".csv")))
    return found


def kept(run):
    """Whether an earlier run of this very program left its output."""
    try:
        return os.path.getmtime(run.output) > os.path.getmtime(run.command[0])
    except OSError:
        return False


def processor_time():
    """s of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def time_of(runs):
    """s of processor time of the runs, kept ones too."""
    total = 0
    for name in {run.output + ".s" for run in runs}:
        with open(name) as file:
            total += float(file.read())
    return total


class Pool:
    """A few processes at a time; the first that fails ends the others."""

    def __init__(self, jobs, progress):
        self.jobs, self.progress = jobs, progress
        self.lock, self.running, self.stopped = threading.Lock(), set(), False
        self.time = processor_time()

    def all(self, runs):
        threads = concurrent.futures.ThreadPoolExecutor(self.jobs)
        waiting = []
        try:
            # Here already a signal may come.
            for run in runs:
                waiting.append(threads.submit(self.one, run))
            left = set(waiting)
            while left:
                ended, left = concurrent.futures.wait(
                    left, TICK, concurrent.futures.FIRST_COMPLETED)
                for done in ended:
                    done.result()
        except BaseException:
            self.stop(waiting)
            raise
        finally:
            threads.shutdown()

    def stop(self, waiting):
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()
        for future in waiting:
            future.cancel()

    def one(self, run):
        if self.stopped:
            return
        self.progress.begins(run)
        part = run.output + ".part"
        with open(part, "wb") as out:
            code, errors = self.execute(run, out)
        if self.stopped:
            return
        if code != 0:
            raise Problem("%s\n  ended with %s%s" % (
                run, "signal %d" % -code if code < 0 else "status %d" % code,
                "".join("\n  " + line for line in
                        errors.decode(errors="replace").splitlines()[-8:])))
        self.note_time(run)
        os.replace(part, run.output)
        self.progress.ends(run)

    def note_time(self, run):
        """What came on top since the last run ended: exact in sum."""
        with self.lock:
            before, self.time = self.time, processor_time()
            taken = self.time - before
        with open(run.output + ".s", "w") as file:
            file.write("%.6f\n" % taken)

    def execute(self, run, out):
        """(status, what it said on standard error)"""
        with self.lock:
            if self.stopped:
                return 0, b""
            process = subprocess.Popen(run.command, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=subprocess.PIPE)
            self.running.add(process)
        try:
            errors = process.communicate(timeout=run.scenario.timeout)[1]
            return process.returncode, errors
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Problem("%s\n  took longer than %g s" % (
                run, run.scenario.timeout)) from None
        finally:
            with self.lock:
                self.running.discard(process)


def collect(runs):
    """{(paper, scenario): Table} of what the runs printed."""
    found = {}
    for run in runs:
        key = run.paper, run.scenario.name
        if key not in found:
            found[key] = Table(run.params)
        with open(run.output, newline="") as lines:
            read = read_output(lines, str(run))
        if not read:
            raise Problem("%s\n  printed no rows" % run)
        for quantity, row in read:
            found[key].add(run.point, run.seed, quantity, row)
    return found


def from_csv(scenario, folder, beside):
    """The Table of a scenario with source = "csv"."""
    path = os.path.join(folder, scenario.file)
    for found in path, os.path.join(beside, scenario.file):
        if os.path.exists(found):
            print("%s: %s" % (scenario.name, os.path.normpath(found)))
            return read_table(found)
    raise Missing("%s is missing, which the scenario %r needs; it is made "
                  "by  %s" % (path, scenario.name, scenario.command))


def execute(papers, build, work, csv_folder, jobs, progress, keep):
    """{paper: {scenario: Table}}, and the s of processor time it takes"""
    os.makedirs(work, exist_ok=True)
    runs, results = [], {paper.name: {} for paper in papers}
    for paper in papers:
        for scenario in paper.scenarios.values():
            if scenario.program:
                runs += plan(paper.name, scenario, build, work)
            else:
                results[paper.name][scenario.name] = \
                    from_csv(scenario, csv_folder,
                             os.path.dirname(paper.path))
    # the same command once; the first seed of everything first, so that it is
    # known early how long the rest takes
    due = sorted(({r.output: r for r in runs
                   if not (keep and kept(r))}).values(),
                 key=lambda run: run.seed)
    progress.start(due, jobs)
    Pool(jobs, progress).all(due)
    progress.finish()
    for (paper, scenario), table in collect(runs).items():
        results[paper][scenario] = table
    return results, time_of(runs)
