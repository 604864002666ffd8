/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-agreement: one session over one bottleneck, as agreement.py runs it in
 * real time over tests/link: the same packets, rate, queue and delay, and
 * sender and receiver so near to the bottleneck that only it counts. The source
 * is greedy; that of media-scaling sends frames of what its scale allows, 0.3,
 * 0.5, 0.7, 0.9 and 1.1 times the link's rate.
 *
 * Rows, of [warmup, duration): throughput_mbps (IP bytes), loss (at the
 * bottleneck's queue), queue_ms_*.
 */
#include <cmath>
#include <iostream>

#include "rows.h"
#include "session.h"

using namespace ns3;

namespace
{

struct Options
{
  std::string controller = "scp";
  double rate_mbps = 2, delay_ms = 20, duration = 25, warmup = 5;
  double start_mbps = 0, jitter = 0.01, frame_ms = 20;
  unsigned queue = 10, packet = 1000;
  uint64_t spacing_us = 1500, seed = 1;
};

Options
parse (int argc, char **argv)
{
  CommandLine line;
  Options o;

  line.AddValue ("controller", "of the session", o.controller);
  line.AddValue ("spacing-us", "of controller fixed", o.spacing_us);
  line.AddValue ("rate-mbps", "of the bottleneck, IP and PPP", o.rate_mbps);
  line.AddValue ("delay-ms", "each way", o.delay_ms);
  line.AddValue ("start-mbps", "to start with, payload; 0 = the controller's",
      o.start_mbps);
  line.AddValue ("queue", "of the bottleneck, packets", o.queue);
  line.AddValue ("packet", "bytes of RTP, its header included", o.packet);
  line.AddValue ("duration", "s", o.duration);
  line.AddValue ("warmup", "of it not measured, s", o.warmup);
  line.AddValue ("jitter", "of each period, as a part of it", o.jitter);
  line.AddValue ("frame-ms", "of media-scaling, from one to the next",
      o.frame_ms);
  line.AddValue ("seed", "of everything random", o.seed);
  line.Parse (argc, argv);
  NS_ABORT_MSG_UNLESS (o.packet > sim::RTP_HEADER, "no payload is left");
  NS_ABORT_MSG_UNLESS (o.duration > o.warmup, "nothing is measured");
  return o;
}

sim::DumbbellConfig
make_link (const Options &o)
{
  sim::DumbbellConfig config;

  config.access_rate = DataRate ("10Gbps");
  config.access_delay = Time (0);
  config.rate = DataRate (static_cast<uint64_t> (o.rate_mbps * 1e6));
  config.delay = MicroSeconds (static_cast<uint64_t> (o.delay_ms * 1000));
  config.queue.limit = o.queue;
  return config;
}

/* As Table 1 of media-scaling's paper, for this link. */
int64_t
scale_bitrate (const Options &o, int scale)
{
  return std::llround (1e5 * o.rate_mbps) * (3 + 2 * scale);
}

Ptr<sim::Source>
make_source (const Options &o)
{
  uint32_t payload = o.packet - sim::RTP_HEADER;

  if (o.controller != "media-scaling")
    return Create<sim::GreedySource> (payload);
  return Create<sim::FrameSource> (Time (0),
      MicroSeconds (static_cast<uint64_t> (o.frame_ms * 1000)), payload,
      [o] (uint64_t, int scale) {
        return scale < 0 ? 0 : static_cast<uint32_t> (
            static_cast<double> (scale_bitrate (o, scale)) * o.frame_ms / 8000);
      });
}

}

int
main (int argc, char **argv)
{
  Options o = parse (argc, argv);
  Time from = Seconds (o.warmup), to = Seconds (o.duration);

  RngSeedManager::SetRun (o.seed);
  sim::Dumbbell dumbbell (make_link (o));
  sim::BottleneckMeter bottleneck (dumbbell);
  sim::FlowMeter flow;
  sim::SenderConfig sender;

  sender.controller = o.controller;
  sender.limits.fixed_period = static_cast<int64_t> (o.spacing_us) * 1000;
  sender.limits.start_bitrate = static_cast<int64_t> (o.start_mbps * 1e6);
  for (int scale = 0; scale < PSP_SCALES; scale++)
    sender.limits.scale_bitrates[scale] = scale_bitrate (o, scale);
  sender.jitter = o.jitter;
  sender.seed = static_cast<uint32_t> (o.seed);
  sender.meter = &flow;
  sim::install_session (dumbbell, 0, sender, sim::ReceiverConfig (),
      make_source (o), Seconds (0));
  Simulator::Stop (to + Seconds (1));
  Simulator::Run ();

  sim::Rows rows (std::cout);
  rows.Add ("throughput_mbps", 0, o.controller, flow.ReceivedMbps (from, to));
  rows.Add ("loss", 0, o.controller, bottleneck.Loss (0, from, to));
  rows.Add ("queue_ms", "all", "", bottleneck.Waits (from, to));
  Simulator::Destroy ();
  return 0;
}
