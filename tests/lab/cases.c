/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RFC 8867's schedules and queues are those of its sections 5.1 to 5.8: 50 ms
 * one way, 300 ms of queue; jitter as its section 4.1.1.3 and RFC 8868 section
 * 4.5 have it (normal, 15 ms in the mean, cut at 3 sigma).
 */
#include "cases.h"

#include <string.h>

#define MS INT64_C (1000000)
#define S INT64_C (1000000000)
#define LINK(spec) .forward = {.link = spec}
#define BACK(spec) .back = {.link = spec}
#define TWO_MB "rate=2M,delay=20ms,queue=60p"
#define JITTER ",jitter=30ms:normal"
#define R51 "schedule=0s:1M/40s:2500k/60s:600k/80s:1M,delay=50ms,queue=300ms"
#define R52 "schedule=0s:4M/25s:2M/50s:3500k/75s:1M/100s:2M,delay=50ms," \
    "queue=300ms"

/* *INDENT-OFF* */
const LabCase lab_cases[] = {
  /* alone */
  {"key", "2 Mb/s, 40 ms, 60 packets; key frames", LINK (TWO_MB),
    .flows = "media:keys", .end = 60, .from = 10},
  {"vbv", "the same, key frames of 80 ms at most", LINK (TWO_MB),
    .flows = "media:vbv", .end = 60, .from = 10},
  {"slices", "the same, x264 zerolatency's manner", LINK (TWO_MB),
    .flows = "media:slices", .end = 60, .from = 10},
  {"steady", "the same, even frames", LINK (TWO_MB),
    .flows = "media:even", .end = 60, .from = 10},
  {"noise", "the same, frame sizes with sigma .30", LINK (TWO_MB),
    .flows = "media:noisy", .end = 60, .from = 10},
  {"part", "the same, the source makes .6 of the target", LINK (TWO_MB),
    .flows = "media:part", .end = 60, .from = 10},
  {"short10", "key, a queue of 10 packets",
    LINK ("rate=2M,delay=20ms,queue=10p"), .flows = "media:keys", .end = 60,
    .from = 10},
  {"rtt200", "key, a round trip of 200 ms",
    LINK ("rate=2M,delay=100ms,queue=60p"), BACK ("delay=100ms"),
    .flows = "media:keys", .end = 60, .from = 10},
  {"lan", "10 Mb/s, 2 ms, 60 packets; key frames",
    LINK ("rate=10M,delay=1ms,queue=60p"), BACK ("delay=1ms"),
    .flows = "media:keys", .end = 60, .from = 10},
  {"r100k", "100 kb/s, .5 s of queue",
    LINK ("rate=100k,delay=20ms,queue=500ms"), .flows = "media:plain",
    .end = 60, .from = 10},
  {"r300k", "300 kb/s, .3 s of queue",
    LINK ("rate=300k,delay=20ms,queue=300ms"), .flows = "media:plain",
    .end = 60, .from = 10},
  {"r10M", "10 Mb/s, .1 s of queue",
    LINK ("rate=10M,delay=20ms,queue=100ms"), .flows = "media:plain",
    .end = 30, .from = 10},
  {"r100M", "100 Mb/s, 50 ms of queue",
    LINK ("rate=100M,delay=20ms,queue=50ms"), .flows = "media:plain",
    .end = 30, .from = 15},
  /* changes */
  {"step", "2, 1, 2 Mb/s at 30 and 50 s",
    LINK ("schedule=0s:2M/30s:1M/50s:2M,delay=20ms,queue=60p"),
    .flows = "media:plain", .end = 60, .from = 10, .down_at = 30, .up_at = 50},
  {"stepkey", "the same with key frames",
    LINK ("schedule=0s:2M/30s:1M/50s:2M,delay=20ms,queue=60p"),
    .flows = "media:keys", .end = 60, .from = 10, .down_at = 30, .up_at = 50},
  {"stepslices", "the same, x264 zerolatency's manner",
    LINK ("schedule=0s:2M/30s:1M/50s:2M,delay=20ms,queue=60p"),
    .flows = "media:slices", .end = 60, .from = 10, .down_at = 30,
    .up_at = 50},
  {"step10", "2, .4, 4 Mb/s",
    LINK ("schedule=0s:2M/30s:400k/50s:4M,delay=20ms,queue=60p"),
    .flows = "media:plain", .end = 60, .from = 10, .down_at = 30, .up_at = 50},
  {"stop20", "2 Mb/s, 20 kb/s for 20 s, 2 Mb/s",
    LINK ("schedule=0s:2M/30s:20k/50s:2M,delay=20ms,queue=60p"),
    .flows = "media:plain", .end = 60, .from = 52, .down_at = 30, .up_at = 50},
  {"hole1", "nothing passes for 1 s",
    LINK ("schedule=0s:2M/30s:0/31s:2M,delay=20ms,queue=60p"),
    .flows = "media:plain", .end = 45, .from = 10, .up_at = 31},
  {"hole30", "nothing passes for 30 s",
    LINK ("schedule=0s:2M/30s:0/60s:2M,delay=20ms,queue=60p"),
    .flows = "media:plain", .end = 75, .from = 63, .up_at = 60},
  {"longer", "the path becomes 40 ms longer at 30 s",
    .forward = {TWO_MB, .longer_at = 30 * S, .longer_by = 40 * MS},
    .flows = "media:keys", .end = 75, .from = 45},
  {"cross", "3 Mb/s, a constant 1.5 Mb/s from 30 to 60 s",
    LINK ("schedule=0s:3M,delay=20ms,queue=60p"),
    .flows = "media:plain constant:1500@30-60", .end = 75, .from = 32,
    .down_at = 30, .up_at = 60},
  {"app", "the source makes .4 Mb/s until 40 s", LINK (TWO_MB),
    .flows = "media:plain", .end = 60, .from = 42, .down_at = 40, .up_at = 40,
    .most_until = 40, .most = 400000},
  {"appcut", "the same until 20 s, when the link falls to .7 Mb/s",
    LINK ("schedule=0s:2M/20s:700k,delay=20ms,queue=60p"),
    .flows = "media:plain", .end = 40, .from = 22, .down_at = 20,
    .most_until = 20, .most = 400000},
  /* beside TCP */
  {"cubic60", "a cubic from 10 s on", LINK (TWO_MB),
    .flows = "media:plain cubic@10", .end = 140, .from = 40},
  {"cubicslices", "the same, x264 zerolatency's manner", LINK (TWO_MB),
    .flows = "media:slices cubic@10", .end = 140, .from = 40},
  {"cubicsoon", "the same, the cubic comes .5 s after the media",
    LINK (TWO_MB), .flows = "media:slices cubic@0.5", .end = 140, .from = 40},
  {"cubicfirst", "the cubic first, media at 20 s", LINK (TWO_MB),
    .flows = "media:plain@20 cubic", .end = 140, .from = 40},
  {"reno60", "a Reno from 10 s on", LINK (TWO_MB),
    .flows = "media:plain reno@10", .end = 140, .from = 40},
  {"cubic15", "a queue of 15 packets", LINK ("rate=2M,delay=20ms,queue=15p"),
    .flows = "media:plain cubic@10", .end = 140, .from = 40},
  {"cubicfirst15", "the same, the cubic first",
    LINK ("rate=2M,delay=20ms,queue=15p"), .flows = "media:plain@20 cubic",
    .end = 140, .from = 40},
  {"cubic200", "a queue of 200 packets",
    LINK ("rate=2M,delay=20ms,queue=200p"), .flows = "media:plain cubic@10",
    .end = 140, .from = 40},
  {"cubicfast", "20 Mb/s, 100 packets",
    LINK ("rate=20M,delay=20ms,queue=100p"), .flows = "media:plain cubic@10",
    .end = 100, .from = 40},
  {"cubic3", "three cubics, 6 Mb/s, 100 packets",
    LINK ("rate=6M,delay=20ms,queue=100p"),
    .flows = "media:plain cubic@10 cubic@10 cubic@10", .end = 140,
    .from = 40},
  {"tcpleave", "a cubic from 20 to 60 s; figures after 70 s", LINK (TWO_MB),
    .flows = "media:keys cubic@20-60", .end = 100, .from = 70},
  /* own kind */
  {"self2", "2 sessions, 20 s apart", LINK (TWO_MB), .flows = "2*media:plain",
    .stagger = 20, .end = 110, .from = 50},
  {"self2key", "the same with key frames", LINK (TWO_MB),
    .flows = "2*media:keys", .stagger = 20, .end = 110, .from = 50},
  {"self2slices", "the same, x264 zerolatency's manner", LINK (TWO_MB),
    .flows = "2*media:slices", .stagger = 20, .end = 110, .from = 50},
  {"self4", "4 sessions, 10 s apart, 4 Mb/s",
    LINK ("rate=4M,delay=20ms,queue=60p"), .flows = "4*media:plain",
    .stagger = 10, .end = 120, .from = 60},
  {"self8", "8 sessions, 10 s apart, 4 Mb/s",
    LINK ("rate=4M,delay=20ms,queue=100p"), .flows = "8*media:plain",
    .stagger = 10, .end = 160, .from = 100},
  {"self4fast", "4 sessions, 10 s apart, 40 Mb/s",
    LINK ("rate=40M,delay=20ms,queue=150p"), .flows = "4*media:plain",
    .stagger = 10, .end = 90, .from = 60},
  /* RFC 8867 */
  {"r51", "RFC 8867 5.1", LINK (R51), BACK ("delay=50ms"),
    .flows = "media:plain", .end = 100, .from = 0, .down_at = 60, .up_at = 80},
  {"r51j", "with jitter", LINK (R51 JITTER), BACK ("delay=50ms"),
    .flows = "media:plain", .end = 100, .from = 0, .down_at = 60, .up_at = 80},
  {"r52", "RFC 8867 5.2", LINK (R52), BACK ("delay=50ms"),
    .flows = "2*media:plain", .end = 125, .from = 0},
  {"r52j", "with jitter", LINK (R52 JITTER), BACK ("delay=50ms"),
    .flows = "2*media:plain", .end = 125, .from = 0},
  {"r53", "RFC 8867 5.3",
    LINK ("schedule=0s:2M/20s:1M/40s:500k/60s:2M,delay=50ms,queue=300ms"),
    BACK ("schedule=0s:2M/35s:800k/70s:2M,delay=50ms,queue=300ms"),
    .flows = "media:plain back-media:plain", .end = 100, .from = 0},
  {"r54", "RFC 8867 5.4", LINK ("rate=3500k,delay=50ms,queue=300ms"),
    BACK ("delay=50ms"), .flows = "3*media:plain", .stagger = 20, .end = 120,
    .from = 60},
  {"r55", "RFC 8867 5.5", LINK ("rate=4M,delay=0ms,queue=300ms"),
    BACK ("delay=0ms"),
    .flows = "media:plain+10 media:plain@10+25 media:plain@20+50 "
      "media:plain@30+100 media:plain@40+150", .end = 300, .from = 60},
  {"r56", "RFC 8867 5.6", LINK ("rate=2M,delay=50ms,queue=300ms"),
    BACK ("delay=50ms"), .flows = "media:plain reno@0", .end = 120,
    .from = 30},
  {"r56q20", "with a queue of 20 ms", LINK ("rate=2M,delay=50ms,queue=20ms"),
    BACK ("delay=50ms"), .flows = "media:plain reno@0", .end = 120,
    .from = 30},
  {"r56q1000", "with a queue of 1 s", LINK ("rate=2M,delay=50ms,queue=1s"),
    BACK ("delay=50ms"), .flows = "media:plain reno@0", .end = 120,
    .from = 30},
  {"r57", "RFC 8867 5.7", LINK ("rate=2M,delay=50ms,queue=300ms"),
    BACK ("delay=50ms"), .flows = "2*media:plain 10*files", .end = 300,
    .from = 0},
  {"r58", "RFC 8867 5.8", LINK ("rate=3500k,delay=50ms,queue=300ms"),
    BACK ("delay=50ms"), .flows = "3*media:plain", .end = 120, .from = 65,
    .pause_from = 40, .pause_to = 60},
  /* losses, jitter, radio, reports */
  {"loss1", "1 % random loss", LINK (TWO_MB ",loss=1%"),
    .flows = "media:plain", .end = 60, .from = 10},
  {"loss5", "5 %", LINK (TWO_MB ",loss=5%"), .flows = "media:plain",
    .end = 60, .from = 10},
  {"lossburst", "2 % in bursts of 4", LINK (TWO_MB ",gilbert=0.0051:0.25"),
    .flows = "media:plain", .end = 60, .from = 10},
  {"jitter", "normal, 0 to 50 ms, in order",
    LINK (TWO_MB ",jitter=50ms:normal"), .flows = "media:plain", .end = 60,
    .from = 10},
  {"wifi", "10 Mb/s, released in bunches both ways",
    .forward = {"rate=10M,delay=20ms,queue=100p", .bunch_share = .01,
      .bunch_gap = 6 * MS, .bunch_long = 40 * MS},
    .back = {"delay=20ms", .bunch_share = .02, .bunch_gap = 6 * MS,
      .bunch_long = 40 * MS}, .flows = "media:plain", .end = 60, .from = 10},
  {"fbloss", "20 % of the reports are lost", LINK (TWO_MB),
    BACK ("delay=20ms,loss=20%"), .flows = "media:keys", .end = 60,
    .from = 10},
  {"fbgap", "no report for 1.5 s", LINK (TWO_MB),
    .back = {"delay=20ms", .gap_from = 30 * S, .gap_to = 31500 * MS},
    .flows = "media:plain", .end = 45, .from = 10, .up_at = 31},
  {"police", "a policer of 2 Mb/s and 20 kB; no queue",
    .forward = {"rate=20M,delay=20ms,queue=100p", .police_rate = 2000000,
      .police_bucket = 20000}, .flows = "media:plain", .end = 60, .from = 10},
  {"codel", "CoDel marks ECT(0)", LINK (TWO_MB ",codel,ecn"),
    .flows = "media:plain", .end = 60, .from = 10, .ecn = 2},
  {"codeld", "CoDel drops; key frames", LINK (TWO_MB ",codel"),
    .flows = "media:keys", .end = 60, .from = 10},
  {"l4s", "10 Mb/s, ECT(1) is marked above 1 ms",
    LINK ("rate=10M,delay=20ms,queue=100p,step=1ms"),
    .flows = "media:plain", .end = 60, .from = 10, .ecn = 1},
  {"l4s2", "2 sessions", LINK ("rate=10M,delay=20ms,queue=100p,step=1ms"),
    .flows = "2*media:plain", .stagger = 10,
    .end = 80, .from = 40, .ecn = 1},
  {.name = NULL}
};
/* *INDENT-ON* */

const LabCase *
lab_case_find (const char *name)
{
  unsigned i;

  for (i = 0; lab_cases[i].name; i++)
    if (strcmp (lab_cases[i].name, name) == 0)
      return &lab_cases[i];
  return NULL;
}
