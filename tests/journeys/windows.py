# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Cuts out of a trace of calls what one event passed through.

What is looked for in a trace is a set of names, for trees differ: where a
function has another name in the tree that is measured, it goes into the set."""

import bisect
import collections
import re
import statistics

Function = collections.namedtuple("Function", "name file")

# Where windows begin and end.
RECEIVE = {"psp_udp_receive"}
SEND = {"psp_udp_send"}
WAIT = {"psp_wait"}
HAND_OVER = {"gst_psp_notifier_tell", "gst_psp_notifier_notice",
             "gst_notifier_replace"}
MAKE_EVENT = {"gst_congestion_event_new"}
TAKE_EVENT = {"gst_mpeg_scaler_src_event"}
CHAIN = {"gst_mpeg_scaler_chain"}
DECIDE = {"gst_mpeg_scaler_reducer_frame", "gst_mpeg_scaler_processor_frame",
          "gst_mpeg_scaler_m2v_processor_frame"}
PAY = {"gst_rtp_mpeg_video_pay_handle_buffer"}
RENDER = {"gst_psp_sink_render", "gst_psp_sink_render_list"}
POP = {"gst_psp_queue_pop"}
READ_MACROBLOCK = {"scaler_slice_reader_next", "m2v_slice_reader_next"}
WRITE_MACROBLOCK = {"scaler_slice_writer_put", "m2v_slice_writer_put"}
BOUNDARIES = set().union(RECEIVE, SEND, WAIT, HAND_OVER, MAKE_EVENT,
                         TAKE_EVENT, CHAIN, DECIDE, PAY, RENDER, POP, READ_MACROBLOCK,
                         WRITE_MACROBLOCK)

# What happens to an event on its way: functions that do it, as patterns of
# their names. Who has called one of them is on the way too.
FEEDBACK_STEPS = {
    "received": "psp_udp_receive",
    "read": "psp_ccfb_parse",
    "packets acknowledged": "psp_history_feedback|psp_history_acknowledge",
    "rate decided": r"\w+_on_feedback",
    "notice due": "psp_notices_update",
    "notice taken": r"psp_notices_(told|announced)",
    "handed over": "|".join(sorted(HAND_OVER)),
    "event made": "gst_congestion_event_new",
    "event obeyed": "gst_follower_note",
    "target applied": "gst_follower_target",
    "scale chosen": r"\w+_fit_scale",
    "frame judged": r"\w+_dropper_frame",
    "decided": "|".join(sorted(DECIDE)),
}
BUFFER_STEPS = {
    "header read": "psp_rtp_parse",
    "queued": "gst_psp_queue_offer",
    "departure decided": "psp_pacer_next",
    "taken": "gst_psp_queue_pop",
    "remembered": "psp_history_sent",
    "controller told": r"\w+_on_sent",
    "next slot": "psp_pacer_sent",
    "sent": "psp_udp_send",
}
MACROBLOCK_STEPS = {
    "read": r"\w+_slice_reader_next",
    "blocks read": r"\w+_read_blocks",
    "quantiser chosen": "tm5_macroblock",
    "requantized": r"\w+_requantize_macroblock|m2v_levels_scale",
    "written": r"\w+_slice_writer_put",
    "blocks written": r"\w+_write_blocks",
}


class Thread:
    """One thread's records (time, entered, Function), oldest first."""

    def __init__(self, records):
        self.records = records
        self.times = [r[0] for r in records]
        self.ends = {}          # of an entry: the record of its exit
        self.callers = []       # of a record: the entry of who runs before it
        self.names = collections.defaultdict(list)      # entries
        self._match()

    def _match(self):
        stack = []
        for i, (_, entered, function) in enumerate(self.records):
            self.callers.append(stack[-1] if stack else None)
            if entered:
                stack.append(i)
                self.names[function.name].append(i)
            elif any(self.records[j][2] == function for j in stack):
                while self.records[stack[-1]][2] != function:
                    stack.pop()
                self.ends[stack.pop()] = i

    def calls(self, names):
        """Entries of these that also end."""
        return sorted(i for name in names for i in self.names.get(name, ())
                      if i in self.ends)

    def last(self, names, before, key=None):
        """The last call of these that began before that record, or None."""
        found = [calls[at - 1] for calls in map(self.names.get, names) if calls
                 for at in [bisect.bisect_left(calls, before)] if at > 0]
        return max(found, default=None)

    def first(self, names, after):
        """The first call of these from that record on that ends, or None."""
        found = [calls[at] for calls in map(self.names.get, names) if calls
                 for at in [bisect.bisect_left(calls, after)]
                 if at < len(calls) and calls[at] in self.ends]
        return min(found, default=None)

    def at(self, time):
        """The first record from that time on."""
        return bisect.bisect_left(self.times, time)

    def outermost(self, i, since):
        """The outermost call around i (or i) that began since that record."""
        while self.callers[i] is not None and self.callers[i] >= since:
            i = self.callers[i]
        return i

    def stack(self, i, root):
        """Functions from the entry root down to that of the entry i."""
        calls = []
        while i is not None and i >= root:
            calls.append(self.records[i][2])
            i = self.callers[i]
        return calls[::-1]

    def passed(self, first, last):
        """Functions that run between two records: entered or returned to. A
        window ends with the exit of its last function."""
        for i in range(first, last + 1):
            _, entered, function = self.records[i]
            if entered:
                yield function
            elif i < last and self.callers[i] is not None:
                caller = self.callers[self.callers[i]]
                if caller is not None:
                    yield self.records[caller][2]


Window = collections.namedtuple("Window", "thread root first last")
Window.__doc__ = """Records first to last of a thread; who called what happens
in them counts from the entry root on."""


class Event:
    """One event's windows: in which files it was."""

    def __init__(self, *windows):
        self.windows = windows

    def entered(self):
        """{file: names of functions}, in order: whatever ran."""
        return by_file(f for w in self.windows
                       for f in w.thread.passed(w.first, w.last))

    def on_the_way(self, steps):
        """The same, but only what did a step, and who called that."""
        return by_file(f for _, stack in self._steps(steps) for f in stack)

    def missing(self, steps):
        return sorted(set(steps) - {step for step, _ in self._steps(steps)})

    def _steps(self, steps):
        for w in self.windows:
            for i in range(w.first, w.last + 1):
                _, entered, function = w.thread.records[i]
                for step, pattern in steps.items():
                    if entered and re.fullmatch(pattern, function.name):
                        yield step, w.thread.stack(i, w.root)


def by_file(functions):
    files = {}
    for f in functions:
        names = files.setdefault(f.file, [])
        if f.name not in names:
            names.append(f.name)
    return files


def sources(files):
    """Not headers: what is inline there is read with who uses it."""
    return [f for f in files if f.endswith(".c")]


def typical(events, steps):
    """Of all events the one of the median number of files on the way."""
    counted = [(len(sources(e.on_the_way(steps))), e) for e in events]
    median = statistics.median_low([n for n, _ in counted])
    return next(e for n, e in counted if n == median)


def chain_calls(threads):
    return [(t, i) for t in threads for i in t.calls(CHAIN)]


def dropped(threads):
    """(Thread, entry) of the scaler's chain calls that pass nothing on."""
    for t, i in chain_calls(threads):
        paid = t.first(PAY, i)
        if paid is None or paid > t.ends[i]:
            yield t, i


def told(threads):
    """Congestion events that the scaler took: (time of the end, Thread, entry
    of what makes the event, entry of what takes it), in order."""
    found = []
    for t in threads:
        for make in t.calls(MAKE_EVENT):
            take = t.first(TAKE_EVENT, make)
            following = t.first(MAKE_EVENT, make + 1)
            if take is not None and (following is None or take < following):
                found.append((t.times[t.ends[take]], t, make, take))
    return sorted(found, key=lambda e: e[0])


def handed_over(threads, before):
    """The last hand-over that began before that time: (Thread, entry)."""
    found = [(t.times[i], t, i) for t in threads
             for i in [t.last(HAND_OVER, t.at(before))]
             if i is not None and i in t.ends]
    return max(found, key=lambda e: e[0])[1:] if found else None


def feedback_to_drop(threads):
    """From a datagram with feedback to the frame that is dropped next: in the
    pacing thread until the hand-over, in the thread that pushes the event until
    the scaler has it, in the streaming thread until the scaler has decided.
    Only where the feedback itself, and no later timer, made the event."""
    events, used = told(threads), None
    times = [e[0] for e in events]
    for stream, chain in dropped(threads):
        n = bisect.bisect_left(times, stream.times[chain])
        if n == 0 or events[n - 1] is used:
            continue
        used = events[n - 1]
        _, notifying, make, take = used
        over = handed_over(threads, notifying.times[make])
        if not over:
            continue
        pacing, tell = over
        receive = pacing.last(RECEIVE, tell)
        wait = pacing.last(WAIT, tell)
        if receive is None or wait is None or wait > receive:
            continue
        decide = stream.first(DECIDE, chain)
        if decide is None or stream.ends[decide] > stream.ends[chain]:
            decide = chain
        woken = notifying.at(pacing.times[tell])
        yield Event(
            Window(pacing, 0, receive, pacing.ends[tell]),
            Window(notifying, 0, woken, notifying.ends[take]),
            Window(stream, chain, chain, stream.ends[decide]))


def buffer_to_packet(threads):
    """From a rendered buffer that is queued to the next paced packet: in the
    streaming thread the call that queues, in the pacing thread the outermost
    call, since that thread last waited, in which a packet is taken from the
    queue, until it is sent."""
    for stream in threads:
        for render in stream.calls(RENDER):
            end = stream.ends[render]
            sent = stream.first(SEND, render)
            if sent is not None and sent < end:
                continue
            for pacing in threads:
                pop = pacing.first(POP, pacing.at(stream.times[end]))
                if pacing is stream or pop is None:
                    continue
                sent = pacing.first(SEND, pop)
                wait = pacing.last(WAIT, pop)
                if sent is None or wait is None:
                    continue
                yield Event(
                    Window(stream, render, render, end),
                    Window(pacing, 0,
                           pacing.outermost(pop, pacing.ends[wait]),
                           pacing.ends[sent]))


def requantized(threads):
    """One macroblock that is written: from where it is read to where the next
    is, in the scaler's chain call of its picture."""
    for t in threads:
        for put in t.calls(WRITE_MACROBLOCK):
            chain, read = t.last(CHAIN, put), t.last(READ_MACROBLOCK, put)
            following = t.first(READ_MACROBLOCK, put)
            if chain is not None and read is not None and chain < read:
                last = t.ends[chain]
                if following is not None:
                    last = min(last, following - 1)
                yield Event(Window(t, chain, read, last))
