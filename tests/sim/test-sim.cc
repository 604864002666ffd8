/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the programs are made of, where the result is known exactly.
 */
#include <cmath>
#include <cstdio>
#include <memory>

#include "session.h"
#include "tcpflow.h"

using namespace ns3;
using namespace sim;

namespace
{

constexpr uint32_t PACKET = 1400, PPP = 2;
constexpr double SLOT_US = 8.0 * (PACKET + PPP) / 100;  /* at 100 Mb/s */
constexpr double CORE_SLOT_US = 8.0 * (PACKET + PPP) / 155;

unsigned failures;

void
expect (const char *what, double got, double wanted, double tolerance)
{
  if (std::fabs (got - wanted) <= tolerance)
    return;
  failures++;
  std::printf ("%s: %.9g, not %.9g within %g\n", what, got, wanted, tolerance);
}

/* Senders of one kind and what came of them, from 1 s to `end`. */
struct Experiment
{
  explicit Experiment (const DumbbellConfig &config)
    : dumbbell (config), bottleneck (dumbbell)
  {
    for (unsigned i = 0; i < config.n_flows; i++)
      meters.push_back (std::make_unique<FlowMeter> ());
  }
  ~Experiment () { Simulator::Destroy (); }

  void
  Send (const std::string &controller, int64_t period, double jitter = 0,
      Ptr<Source> source = nullptr)
  {
    for (unsigned i = 0; i < meters.size (); i++) {
      SenderConfig sender;

      sender.controller = controller;
      if (controller == "fixed")
        sender.parameters = { static_cast<double> (period) };
      sender.jitter = jitter;
      sender.meter = meters[i].get ();
      sessions.push_back (install_session (dumbbell, i, sender,
              ReceiverConfig (), source ? source :
              Ptr<Source> (Create<GreedySource> (PACKET - OVERHEAD)),
              MicroSeconds (37 * i)));
    }
  }

  void
  Run ()
  {
    Simulator::Stop (to + MilliSeconds (500));
    Simulator::Run ();
  }

  Time from = Seconds (1), to = Seconds (3);
  Dumbbell dumbbell;
  BottleneckMeter bottleneck;
  std::vector<std::unique_ptr<FlowMeter>> meters;
  std::vector<Session> sessions;
};

void
test_blasting_one ()
{
  Experiment e {DumbbellConfig ()};
  Distribution gaps, delays;

  e.Send ("none", 0);
  e.Run ();
  gaps = e.meters[0]->Gaps (e.from, e.to);
  delays = e.meters[0]->Delays (e.from, e.to);
  /* A sender report on the same link may come in between. */
  expect ("blasting, gap", gaps.mean, SLOT_US, 0.001);
  expect ("blasting, median gap", gaps.median, SLOT_US, 1e-6);
  expect ("blasting, Mb/s", e.meters[0]->ReceivedMbps (e.from, e.to),
      100.0 * PACKET / (PACKET + PPP), 0.01);
  expect ("blasting, loss", e.meters[0]->Loss (e.from, e.to), 0, 0);
  /* Both links, store and forward. */
  expect ("delay, ms", delays.min, 42 + (SLOT_US + CORE_SLOT_US) / 1000, 1e-4);
}

void
test_spacing ()
{
  static const int64_t periods[] = { 200, 1500, 5000 };  /* µs */

  for (int64_t period : periods) {
    Experiment e {DumbbellConfig ()};

    e.Send ("fixed", period * PSP_USECOND);
    e.Run ();
    Distribution gaps = e.meters[0]->Gaps (e.from, e.to);
    expect ("spacing, gap", gaps.mean, static_cast<double> (period), 1e-6);
    expect ("spacing, deviation", gaps.deviation, 0, 1e-6);
    expect ("spacing, Mb/s", e.meters[0]->ReceivedMbps (e.from, e.to),
        8.0 * PACKET / static_cast<double> (period), 0.01);
  }
}

/* Uniform in 1 ± 0.1: the mean is kept, the deviation 0.1 / √3. */
void
test_jitter ()
{
  Experiment e {DumbbellConfig ()};

  e.to = Seconds (11);
  e.Send ("fixed", 1000 * PSP_USECOND, 0.1);
  e.Run ();
  Distribution gaps = e.meters[0]->SendGaps (e.from, e.to);
  expect ("jitter, mean", gaps.mean, 1000, 3);
  expect ("jitter, deviation", gaps.deviation, 100 / std::sqrt (3), 2);
  expect ("jitter, least", gaps.min, 900, 1);
}

/* 200 Mb/s into 155, 10 packets of buffer. */
void
test_blasting_two ()
{
  DumbbellConfig config;

  config.n_flows = 2;
  Experiment e {config};
  e.Send ("none", 0);
  e.Run ();
  expect ("two, utilisation", e.bottleneck.Utilisation (e.from, e.to), 1, 1e-4);
  expect ("two, loss", e.bottleneck.Loss (e.from, e.to), 1 - 155.0 / 200, 1e-3);
  expect ("two, loss by packets", (e.meters[0]->Loss (e.from, e.to)
          + e.meters[1]->Loss (e.from, e.to)) / 2, 1 - 155.0 / 200, 1e-3);
  expect ("two, longest wait, ms", e.bottleneck.Waits (e.from, e.to).max,
      10 * CORE_SLOT_US / 1000, CORE_SLOT_US / 1000);
}

void
test_tcp_window ()
{
  Experiment e {DumbbellConfig ()};
  TcpConfig config;

  e.to = Seconds (20);
  config.window = 20;
  config.meter = e.meters[0].get ();
  install_tcp (e.dumbbell, 0, config, Seconds (0));
  e.Run ();
  /* A round trip is a little more than 84 ms: transmission. */
  expect ("TCP, window of 20, Mb/s",
      e.meters[0]->ReceivedMbps (e.from, e.to), 20 * 8e-6 * PACKET / 0.084,
      0.05);
  expect ("TCP, round trip, ms",
      e.meters[0]->Rtts (e.from, e.to).median, 84.3, 1);
}

/* RED keeps the queue of two blasting flows about its upper threshold, where
 * drop-tail fills what there is. */
void
test_red ()
{
  DumbbellConfig config;

  config.n_flows = 2;
  config.queue.kind = QueueKind::RED;
  config.queue.limit = 1000;
  config.queue.red_weight = 0.01;
  Experiment e {config};
  e.Send ("none", 0);
  e.Run ();
  expect ("RED, utilisation", e.bottleneck.Utilisation (e.from, e.to), 1, 0.01);
  expect ("RED, mean queue, packets",
      1000 * e.bottleneck.Waits (e.from, e.to).mean / CORE_SLOT_US, 10, 6);
}

/* Bursts of many sizes, and what of them comes through in each millisecond. */
std::vector<double>
pass_bottleneck (const std::string &link)
{
  DumbbellConfig config;
  std::vector<double> passed;

  config.rate = DataRate (47000000);    /* no two events at once */
  config.link = link;
  Experiment e {config};
  e.Send ("none", 0, 0, Create<FrameSource> (Seconds (0), MilliSeconds (7),
          1360, [] (uint64_t index, int) {
            return static_cast<uint32_t> (index * 7919 % 97 * 800);
          }));
  e.Run ();
  for (Time at = e.from; at < e.to; at += MilliSeconds (1))
    passed.push_back (static_cast<double> (
            e.meters[0]->PacketsReceived (at, at + MilliSeconds (1))));
  passed.push_back (e.meters[0]->Delays (e.from, e.to).mean);
  passed.push_back (e.meters[0]->Loss (e.from, e.to));
  return passed;
}

/* ns-3's queue and the model of tests/link let the same packets through. */
void
test_link_model ()
{
  std::vector<double> queue = pass_bottleneck ("");
  std::vector<double> model =
      pass_bottleneck ("rate=47M,delay=40ms,queue=10p,overhead=2");

  expect ("link, some are lost", queue.back () > .05 && queue.back () < .6, 1,
      0);
  /* The link behind the model takes 11 ns; ns-3 rounds to 1 ns. */
  for (size_t i = 0; i < queue.size (); i++)
    expect ("link", model[i], queue[i], 3e-5);
}

/* In bytes, behind exits of their own; 30 frames a second. */
void
test_frames ()
{
  DumbbellConfig config;

  config.exits = true;
  config.exit_delay = MilliSeconds (5);
  config.rate = DataRate (10000000);
  config.queue.kind = QueueKind::DROP_TAIL_BYTES;
  config.queue.limit = 30000;
  Experiment e {config};
  e.Send ("none", 0, 0, Create<FrameSource> (Seconds (0), Seconds (0.04), 1000,
          [] (uint64_t index, int) { return index % 2 ? 2500u : 7500u; }));
  e.Run ();
  expect ("frames, payload, Mb/s",
      e.meters[0]->ReceivedPayloadMbps (e.from, e.to), 8e-6 * 25 * 5000, 0.03);
  expect ("frames, packets",
      static_cast<double> (e.meters[0]->PacketsSent (e.from, e.to)),
      25 * 2 * 5.5, 5);
  expect ("frames, loss", e.meters[0]->Loss (e.from, e.to), 0, 0);
}

/* Feedback comes back and is followed: one adaptive flow without competition
 * goes to no spacing at all. */
void
test_adaptive ()
{
  Experiment e {DumbbellConfig ()};

  e.Send ("damped-psp", 0);
  e.Run ();
  PspSenderStats stats = e.sessions[0].sender->Stats ();
  expect ("adaptive, period", static_cast<double> (stats.period), 0, 0);
  expect ("adaptive, RTT, ms", static_cast<double> (stats.rtt_min) / 1e6, 84.5,
      1);
  expect ("adaptive, Mb/s", e.meters[0]->ReceivedMbps (e.from, e.to),
      100.0 * PACKET / (PACKET + PPP), 0.01);
}

void
test_figures ()
{
  std::vector<double> samples { 4, 1, 3, 2 };
  Distribution d = describe (samples);

  expect ("mean", d.mean, 2.5, 0);
  expect ("deviation", d.deviation, std::sqrt (1.25), 1e-12);
  expect ("median", d.median, 2, 0);
  expect ("95 %", d.p95, 4, 0);
  expect ("Jain, equal", jain ({ 3, 3, 3 }), 1, 1e-12);
  expect ("Jain, one", jain ({ 0, 0, 0, 5 }), 0.25, 1e-12);
}

}

int
main ()
{
  test_figures ();
  test_blasting_one ();
  test_spacing ();
  test_jitter ();
  test_blasting_two ();
  test_tcp_window ();
  test_red ();
  test_link_model ();
  test_frames ();
  test_adaptive ();
  return failures ? 1 : 0;
}
