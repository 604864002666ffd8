/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-besidetcp: an encoder's session beside ns-3's TCP, over a bottleneck that is the
 * model of the emulated link. Whoever begins at 0 was there first.
 *
 * Rows, of [warmup, duration):
 *   throughput_mbps            a flow; IP bytes
 *   share, share_worst         of the media over itself and the mean TCP flow; the
 *                              least in 10 s
 *   utilisation                of the bottleneck
 *   loss                       of the media's packets
 *   delay_ms_*                 of the media's packets, one way
 */
#include <algorithm>
#include <iostream>
#include <memory>

#include "encodersource.h"
#include "options.h"
#include "rows.h"
#include "tcpflow.h"

using namespace ns3;

namespace
{

constexpr int64_t UNPROVED_BITRATE = 600000;    /* as pspsink has it */
constexpr unsigned WORST = 10;  /* s */

struct Options : sim::RunOptions
{
  unsigned tcp = 1;
  std::string variant = "ns3::TcpCubic", encoder = "keys";
  double rtt_ms = 40, media_at = 0, tcp_at = 10;
  int64_t start = 300000;
};

struct Run
{
  Options options;
  std::unique_ptr<sim::Dumbbell> dumbbell;
  std::vector<std::unique_ptr<sim::FlowMeter>> meters;  /* the media's first */
};

Options
parse (int argc, char **argv)
{
  CommandLine line;
  Options o;

  o.controller = "poise";
  o.rate_mbps = 2;
  o.buffer = 60;
  o.duration = 140;
  o.warmup = 40;
  o.Add (line);
  line.AddValue ("tcp", "TCP connections", o.tcp);
  line.AddValue ("variant", "of TCP, a TypeId", o.variant);
  line.AddValue ("encoder", "one of psp-lab's", o.encoder);
  line.AddValue ("rtt-ms", "without queues", o.rtt_ms);
  line.AddValue ("media-at", "when the media begins, s", o.media_at);
  line.AddValue ("start", "first target of the media, bits/s", o.start);
  line.AddValue ("tcp-at", "when TCP begins, s", o.tcp_at);
  line.Parse (argc, argv);
  o.Check ();
  return o;
}

sim::DumbbellConfig
make_link (const Options &o)
{
  sim::DumbbellConfig config;
  uint64_t bits = static_cast<uint64_t> (o.rate_mbps * 1e6);

  config.n_flows = 1 + o.tcp;
  config.access_delay = MicroSeconds (
      static_cast<uint64_t> (o.rtt_ms * 1000 / 2));
  config.link = "rate=" + std::to_string (bits) + ",queue="
      + std::to_string (o.buffer) + "p,overhead=0";
  return config;
}

void
add_media (Run &run)
{
  const Options &o = run.options;
  sim::SenderConfig sender = o.Sender (0, run.meters[0].get ());
  Time at = Seconds (o.media_at);

  sender.as_pspsink = true;
  sender.limits.start_bitrate = o.start;
  sender.limits.unproved_bitrate = UNPROVED_BITRATE;
  sim::install_session (*run.dumbbell, 0, sender, sim::ReceiverConfig (),
      Create<sim::EncoderSource> (o.encoder, o.start, at, o.seed), at);
}

void
add_tcp (Run &run, unsigned flow)
{
  Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable> ();
  sim::TcpConfig config;

  config.variant = run.options.variant;
  config.segment = 1500 - sim::TCP_OVERHEAD;
  config.delayed_ack = 2;
  config.meter = run.meters[flow].get ();
  /* Else every seed has the same TCP. */
  sim::install_tcp (*run.dumbbell, flow, config,
      Seconds (run.options.tcp_at + random->GetValue (0, 1)));
}

void
build (Run &run)
{
  run.dumbbell = std::make_unique<sim::Dumbbell> (make_link (run.options));
  for (unsigned i = 0; i <= run.options.tcp; i++)
    run.meters.push_back (std::make_unique<sim::FlowMeter> ());
  add_media (run);
  for (unsigned i = 1; i <= run.options.tcp; i++)
    add_tcp (run, i);
}

double
tcp_mbps (const Run &run, Time from, Time to)
{
  double sum = 0;

  for (size_t i = 1; i < run.meters.size (); i++)
    sum += run.meters[i]->ReceivedMbps (from, to);
  return sum;
}

double
share (const Run &run, Time from, Time to)
{
  double media = run.meters[0]->ReceivedMbps (from, to);

  return media / (media + tcp_mbps (run, from, to) / run.options.tcp);
}

double
worst_share (const Run &run)
{
  double worst = 1;

  for (Time at = run.options.From (); at + Seconds (WORST)
      <= run.options.To (); at += Seconds (1))
    worst = std::min (worst, share (run, at, at + Seconds (WORST)));
  return worst;
}

void
report (const Run &run)
{
  Time from = run.options.From (), to = run.options.To ();
  sim::Rows rows (std::cout);

  for (unsigned i = 0; i < run.meters.size (); i++)
    rows.Add ("throughput_mbps", i, i == 0 ? "media" : "tcp",
        run.meters[i]->ReceivedMbps (from, to));
  rows.Add ("share", 0, "media", share (run, from, to));
  rows.Add ("share_worst", 0, "media", worst_share (run));
  rows.Add ("utilisation", "all", "", (run.meters[0]->ReceivedMbps (from, to)
          + tcp_mbps (run, from, to)) / run.options.rate_mbps);
  rows.Add ("loss", 0, "media", run.meters[0]->Loss (from, to));
  rows.Add ("delay_ms", 0, "media", run.meters[0]->Delays (from, to));
}

}

int
main (int argc, char **argv)
{
  Run run;

  run.options = parse (argc, argv);
  NS_ABORT_MSG_UNLESS (run.options.tcp > 0, "there is no TCP");
  RngSeedManager::SetRun (run.options.seed);
  build (run);
  run.options.Run (Seconds (1));
  report (run);
  Simulator::Destroy ();
  return 0;
}
