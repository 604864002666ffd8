/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-agreement: one session over one bottleneck, as agreement.py runs it in
 * real time over tests/link: the same packets, rate, queue and delay, and
 * sender and receiver so near to the bottleneck that only it counts. The source
 * is greedy; or it is the packets of a real stream, each at its time; that of
 * media-scaling sends frames of what its scale allows, 0.3, 0.5, 0.7, 0.9 and
 * 1.1 times the link's rate.
 *
 * Rows, of [warmup, duration): throughput_mbps (IP bytes), loss (at the
 * bottleneck's queue), queue_ms_*.
 */
#include <cmath>
#include <iostream>

#include "options.h"
#include "rows.h"

using namespace ns3;

namespace
{

constexpr int N_SCALES = 5;

struct Options : sim::RunOptions
{
  double delay_ms = 20, start_mbps = 0, frame_ms = 20;
  std::string trace;
};

Options
parse (int argc, char **argv)
{
  CommandLine line;
  Options o;

  o.controller = "scp";
  o.rate_mbps = 2;
  o.jitter = 0.01;
  o.Add (line);
  line.AddValue ("delay-ms", "each way", o.delay_ms);
  line.AddValue ("start-mbps", "to start with, payload; 0 = the controller's",
      o.start_mbps);
  line.AddValue ("frame-ms", "of media-scaling, from one to the next",
      o.frame_ms);
  line.AddValue ("trace", "file of packets to send; see TraceSource", o.trace);
  line.Parse (argc, argv);
  o.Check ();
  return o;
}

sim::DumbbellConfig
make_link (const Options &o)
{
  sim::DumbbellConfig config = o.Link (1);

  config.access_rate = DataRate ("10Gbps");
  config.access_delay = Time (0);
  config.delay = MicroSeconds (static_cast<uint64_t> (o.delay_ms * 1000));
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
  if (!o.trace.empty ())
    return Create<sim::TraceSource> (o.trace);
  if (o.controller != "media-scaling")
    return Create<sim::GreedySource> (o.Payload ());
  return Create<sim::FrameSource> (Time (0),
      MicroSeconds (static_cast<uint64_t> (o.frame_ms * 1000)), o.Payload (),
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

  RngSeedManager::SetRun (o.seed);
  sim::Dumbbell dumbbell (make_link (o));
  sim::BottleneckMeter bottleneck (dumbbell);
  sim::FlowMeter flow;
  sim::SenderConfig sender = o.Sender (0, &flow);

  sender.limits.start_bitrate = static_cast<int64_t> (o.start_mbps * 1e6);
  if (o.controller == "media-scaling")
    for (int scale = 0; scale < N_SCALES; scale++)
      sender.parameters.push_back (
          static_cast<double> (scale_bitrate (o, scale)));
  sim::install_session (dumbbell, 0, sender, sim::ReceiverConfig (),
      make_source (o), Seconds (0));
  o.Run (Seconds (1));

  sim::Rows rows (std::cout);
  rows.Add ("throughput_mbps", 0, o.controller,
      flow.ReceivedMbps (o.From (), o.To ()));
  rows.Add ("loss", 0, o.controller, bottleneck.Loss (0, o.From (), o.To ()));
  rows.Add ("queue_ms", "all", "", bottleneck.Waits (o.From (), o.To ()));
  Simulator::Destroy ();
  return 0;
}
