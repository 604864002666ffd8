# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The networks that live.py puts a live encoder through, and the figures that
each is judged by."""

import collections
import dataclasses

from repro.spread import jain

from . import livefigures as of

LEAD = 4                # s from the link's begin to the media's
QUICK = .5              # of the seconds that are not an outage's
RATE = 2_000_000
DELAY = "20ms"          # one way

# What a run left. sent, received: as livefigures.distinct takes them; others: what
# it returns for each further session.
class Run:
    def __init__(self, sent, received, passed, others=()):
        self.sent, self.passed = sent, passed
        self.packets = of.distinct(sent, received)
        self.sessions = [self.packets, *others]


# A time that shrinks with --quick, and seconds that do not.
At = collections.namedtuple("At", "scaled fixed", defaults=(0,))
# A neighbour: always with something to send, or `page` bytes each `every` seconds,
# each over a connection of its own; reverse: from the media's receiver.
Tcp = collections.namedtuple("Tcp", "algorithm begin end page every reverse",
                             defaults=(0, 5, False))
# find(run, window, case, scale); kind: share, ms, s. bar: what is to be
# reached by the median; each: by every run; beyond: by the median, so much more
# than scp's at most.
Figure = collections.namedtuple(
    "Figure", "name title kind higher bar find each beyond",
    defaults=(None, None))


def window_use(run, case, scale):
    begin, end = case.times(case.window, scale)
    return of.use(run.packets, case.schedule(scale), begin, end)


def use_by_all(run, case, scale):
    begin, end = case.times(case.window, scale)
    return sum(of.use(packets, case.schedule(scale), begin, end)
               for packets in run.sessions)


def evenness(run, case, scale):
    return jain([of.bits_received(packets, *case.times(case.window, scale))
                 for packets in run.sessions])


def wait(q):
    return lambda run, case, scale: of.quantile(
        of.waits(run.passed, *case.times(case.window, scale)), q)


def lost(run, case, scale):
    return of.lost(run.passed, *case.times(case.window, scale))


def frame(run, case, scale):
    return of.quantile(of.frame_delays(
        run.sent, run.packets, *case.times(case.window, scale))[0], .95)


def whole(run, case, scale):
    return of.frame_delays(run.sent, run.packets,
                           *case.times(case.window, scale))[1]


def share(run, case, scale):
    return of.share(run.packets, run.passed, *case.times(case.window, scale))


def worst(run, case, scale):
    return of.worst_share(run.packets, run.passed,
                          *case.times(case.window, scale))


def peak(since, seconds):
    def find(run, case, scale):
        begin = case.time(since, scale)
        return max(of.waits(run.passed, begin, begin + seconds), default=None)
    return find


def calm(since, until):
    return lambda run, case, scale: of.calm(
        run.passed, *case.times((since, until), scale))


def back(since, part, fresh=False):
    def find(run, case, scale):
        begin, end = case.times((since, case.length), scale)
        return of.back(run.packets, begin, part * RATE, end, fresh)
    return find


def after(since):
    """95 % of the waits from then on."""
    def find(run, case, scale):
        begin, end = case.times((since, case.length), scale)
        return of.quantile(of.waits(run.passed, begin, end), .95)
    return find


def figures(use=None, p95=None, shared=None, worst_bar=None, each=None,
            even=None):
    """What every case has; bars where the case has one."""
    if even is not None:
        found = [Figure("all", "use by all", "share", True, use, use_by_all),
                 Figure("even", "Jain's index", "share", True, even, evenness)]
    elif shared is not None:
        found = [Figure("share", "share beside TCP", "share", True, shared, share,
                        each=each),
                 Figure("worst", "share, worst 10 s", "share", True, worst_bar,
                        worst)]
    else:
        found = [Figure("use", "use", "share", True, use, window_use)]
    return found + [
        Figure("p50", "wait, median", "ms", False, None, wait(.5)),
        Figure("p95", "wait, p95", "ms", False, p95, wait(.95)),
        Figure("lost", "lost at the queue", "share", False, None, lost),
        Figure("frame", "frame delay, p95", "ms", False, None, frame,
               beyond=.02),
        Figure("whole", "frames whole", "share", True, None, whole)]


@dataclasses.dataclass
class Case:
    """Times are from when the media begins."""
    name: str
    says: str
    length: At
    window: tuple
    shown: list
    queue: int = 60
    steps: tuple = ((At(0), RATE),)
    wire: str = ""              # impairments, as tests/link has them
    tcp: Tcp = None
    back: str = ""              # the link from the receiver, beside its delay
    ecn: str = ""               # of pspsink; TCP has ECN then, too
    stopped: tuple = ()         # when the receiver is, and for how long
    others: int = 0             # further sessions of the same kind, 1 s apart
    quick: bool = True          # runs with --quick, too
    start: int = 500_000        # where controller and encoder begin
    lead: float = LEAD

    @staticmethod
    def time(at, scale):
        return at.scaled * scale + at.fixed

    def times(self, pair, scale):
        return tuple(self.time(at, scale) for at in pair)

    def seconds(self, scale):
        return self.time(self.length, scale)

    def schedule(self, scale):
        return [(self.time(at, scale), rate) for at, rate in self.steps]

    def forward(self, scale, seed):
        """The link's specification, in the link's own time."""
        steps = "/".join("%gs:%d" % (at + self.lead if at else 0, rate)
                         for at, rate in self.schedule(scale))
        return ",".join(["delay=" + DELAY, "queue=%dp" % self.queue,
                         "schedule=" + steps, "seed=%d" % seed] +
                        [self.wire] * bool(self.wire))

    def figures(self, run, scale):
        return {f.name: f.find(run, self, scale) for f in self.shown}


MINUTE = dict(length=At(60), window=(At(10), At(60)))
OUT = At(20)            # an outage begins


def outage(name, says, seconds, rate, bar, stop=False):
    end = At(OUT.scaled, seconds)
    steps = ((At(0), RATE), (OUT, rate), (end, RATE))
    return Case(
        name, says, At(OUT.scaled + 10, seconds + 10), (At(5), OUT),
        [Figure("back", "back at .8", "s", False, bar,
                back(end, .8, fresh=True)),
         Figure("peak", "peak wait once it is back", "ms", False, None,
                peak(end, 10))] + figures(),
        **({"stopped": (OUT, seconds)} if stop else {"steps": steps}))


def beside(name, says, algorithm, bar, worst_bar=None, first=False, **more):
    lead = {"lead": LEAD + 8} if first else {}
    return Case(name, says, At(110), (At(40), At(110)),
                figures(shared=bar, worst_bar=worst_bar,
                        each=.25 if first else None),
                tcp=Tcp(algorithm, At(0, -8) if first else At(10), At(110)),
                **lead, **more)


CASES = {case.name: case for case in [
    Case("steady", "2 Mb/s", shown=figures(use=.92, p95=.015), **MINUTE),
    Case("start300", "2 Mb/s, from 300 kb/s", At(0, 20), (At(0, 5), At(0, 20)),
         [Figure("up", ".85 received", "s", False, 1.5, back(At(0), .85)),
          Figure("peak", "peak wait", "ms", False, .08, peak(At(0), 10))] +
         figures(), start=300_000),
    Case("step", "2 → 1 → 2 Mb/s",
         shown=[Figure("peak", "peak wait", "ms", False, .08,
                       peak(At(20), 5)),
                Figure("calm", "calm", "s", False, .2, calm(At(20), At(40))),
                Figure("back", "back at .9", "s", False, 1.2,
                       back(At(40), .9))] + figures(),
         steps=((At(0), RATE), (At(20), RATE // 2), (At(40), RATE)), **MINUTE),
    beside("cubic60", "cubic comes", "cubic", .4, .2),
    beside("cubic15", "cubic comes, queue 15", "cubic", .4, .2, queue=15),
    beside("cubic60-first", "cubic was there", "cubic", .35, .2, first=True),
    beside("cubic15-first", "cubic was there, queue 15", "cubic", .35, .2,
           queue=15, first=True),
    beside("cubic6M-first", "cubic was there, 6 Mb/s", "cubic", .35, .2,
           first=True, steps=((At(0), 3 * RATE),), quick=False),
    beside("reno60", "reno comes", "reno", .4),
    beside("reno16M-first", "reno was there, 16 Mb/s, queue 40", "reno", .35,
           .2, queue=40, first=True, steps=((At(0), 8 * RATE),), quick=False),
    beside("bbr60", "bbr comes", "bbr", .25),
    beside("bbr60-first", "bbr was there", "bbr", .25, first=True),
    beside("bbr60-30k", "the same, from 30 kb/s", "bbr", .25, first=True,
           start=30_000),
    Case("cubicfade", "cubic comes, .2 Mb/s from 40 to 43 s", At(110),
         (At(50), At(110)), figures(shared=.4, worst_bar=.2),
         steps=((At(0), RATE), (At(40), RATE // 10), (At(40, 3), RATE)),
         tcp=Tcp("cubic", At(10), At(110))),
    Case("pages", "pages of 300 kB each 5 s, over cubic", At(45),
         (At(10), At(45)), figures(),
         tcp=Tcp("cubic", At(0), At(45), page=300_000)),
    Case("pagesmall", "pages of 50 kB each second, over cubic", At(45),
         (At(10), At(45)), figures(),
         tcp=Tcp("cubic", At(0), At(45), page=50_000, every=1)),
    Case("own4", "4 sessions of the same kind", At(70), (At(20), At(70)),
         figures(even=.92), start=300_000, others=3, quick=False,
         lead=LEAD + 8),
    Case("fqcubic", "4 Mb/s, a queue a flow (fq_codel); cubic comes", At(70),
         (At(30), At(70)), figures(shared=.4, worst_bar=.2), queue=1000,
         steps=((At(0), 2 * RATE),), wire="codel,fq",
         tcp=Tcp("cubic", At(10), At(70))),
    Case("upload", "cubic back, 1 Mb/s, queue 100", At(45), (At(10), At(45)),
         figures(), tcp=Tcp("cubic", At(5), At(45), reverse=True),
         back="rate=1M,queue=100p"),
    Case("codelcubic0", "4 Mb/s, CoDel marks; cubic comes", At(70),
         (At(30), At(70)), figures(shared=.4, worst_bar=.2), queue=200,
         steps=((At(0), 2 * RATE),), wire="codel,ecn",
         tcp=Tcp("cubic", At(10), At(70)), ecn="ect0"),
    Case("codelcubic1", "the same, media with ECT(1)", At(70),
         (At(30), At(70)), figures(shared=.4, worst_bar=.2), queue=200,
         steps=((At(0), 2 * RATE),), wire="codel,ecn",
         tcp=Tcp("cubic", At(10), At(70)), ecn="ect1"),
    Case("l4s", "4 Mb/s, ECT(1) is marked above 1 ms",
         shown=figures(use=.85), queue=100, steps=((At(0), 2 * RATE),),
         wire="step=1ms", ecn="ect1", **MINUTE),
    Case("tcpleave", "cubic from 10 to 50 s", At(70, 10), (At(30), At(50)),
         [Figure("after", "wait 10 s after it left, p95", "ms", False, .015,
                 after(At(50, 10)))] + figures(shared=.4),
         tcp=Tcp("cubic", At(10), At(50))),
    Case("loss1", "1 % lost at random", shown=figures(use=.92), wire="loss=1%",
         **MINUTE),
    Case("loss5", "5 % lost at random", shown=figures(use=.85), wire="loss=5%",
         **MINUTE),
    Case("jitter", "jitter of 30 ms, in order", shown=figures(use=.88),
         wire="jitter=30ms:normal", **MINUTE),
    outage("low", "20 kb/s for 20 s", 20, 20_000, 1.5),
    outage("hole1", "nothing for 1 s", 1, 0, 1),
    outage("hole30", "nothing for 30 s", 30, 0, 3),
    outage("stop8", "receiver stopped for 8 s", 8, RATE, 2, stop=True),
    outage("stop15", "receiver stopped for 15 s", 15, RATE, 3, stop=True),
]}
