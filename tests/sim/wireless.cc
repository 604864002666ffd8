/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-wireless: encoders' sessions, and TCP, over ns-3's Wi-Fi or LTE.
 *
 * Rows, of [warmup, duration):
 *   throughput_mbps            a flow; IP bytes
 *   media_mbps, jain           of all media
 *   loss, delay_ms_*           of the media's packets, one way; the worst flow's
 */
#include <algorithm>
#include <iostream>
#include <memory>

#include "encodersource.h"
#include "options.h"
#include "radiocell.h"
#include "rows.h"
#include "tcpflow.h"

using namespace ns3;

namespace
{

constexpr int64_t START_BITRATE = 300000;
constexpr int64_t UNPROVED_BITRATE = 600000;    /* as pspsink has it */

/* Media down, then TCP down, then media up, then TCP up. */
struct Options : sim::RunOptions
{
  sim::RadioConfig radio;
  bool lte = false;
  unsigned down = 1, up = 0, tcp_down = 0, tcp_up = 0;
  std::string encoder = "keys";
  double tcp_at = 20, wire_mbps = 100, most_mbps = 0;
  int delay_ms = 20;
};

struct Run
{
  Options options;
  std::unique_ptr<sim::RadioCell> cell;
  std::vector<std::unique_ptr<sim::FlowMeter>> meters;
};

Options
parse (int argc, char **argv)
{
  CommandLine line;
  Options o;

  o.controller = "poise";
  o.duration = 60;
  o.warmup = 30;
  o.Add (line);
  line.AddValue ("lte", "LTE in place of Wi-Fi", o.lte);
  line.AddValue ("down", "media from the server", o.down);
  line.AddValue ("up", "media to the server", o.up);
  line.AddValue ("tcp-down", "TCP connections from the server", o.tcp_down);
  line.AddValue ("tcp-up", "TCP connections to the server", o.tcp_up);
  line.AddValue ("tcp-at", "when they begin, s", o.tcp_at);
  line.AddValue ("encoder", "one of psp-lab's", o.encoder);
  line.AddValue ("most-mbps", "the largest target; 0 = none", o.most_mbps);
  line.AddValue ("wire-mbps", "of the wire", o.wire_mbps);
  line.AddValue ("delay-ms", "of the wire", o.delay_ms);
  line.AddValue ("mode", "of Wi-Fi, ns-3's name", o.radio.mode);
  line.AddValue ("queue-s", "longest wait for Wi-Fi", o.radio.queue_time);
  line.AddValue ("queue-bytes", "of an LTE bearer", o.radio.queue_bytes);
  line.AddValue ("blocks", "of LTE", o.radio.blocks);
  line.AddValue ("distance", "to the eNB, m", o.radio.distance);
  line.AddValue ("speed", "away from it, m/s", o.radio.speed);
  line.Parse (argc, argv);
  o.Check ();
  NS_ABORT_MSG_UNLESS (o.down + o.up > 0, "there is no media");
  o.radio.n_down = o.down + o.tcp_down;
  o.radio.n_up = o.up + o.tcp_up;
  o.radio.wire_rate = DataRate (static_cast<uint64_t> (o.wire_mbps * 1e6));
  o.radio.wire_delay = MilliSeconds (o.delay_ms);
  return o;
}

bool
is_media (const Options &o, unsigned flow)
{
  return flow < o.down || (flow >= o.radio.n_down
      && flow < o.radio.n_down + o.up);
}

/* One after the other within a second, as no two sessions begin at once. */
void
add_media (Run &run, unsigned flow)
{
  const Options &o = run.options;
  sim::SenderConfig sender = o.Sender (flow, run.meters[flow].get ());
  Time at = Seconds (1. + flow / (1. + static_cast<double> (run.meters.size ())));

  sender.as_pspsink = true;
  sender.limits.start_bitrate = START_BITRATE;
  sender.limits.unproved_bitrate = UNPROVED_BITRATE;
  sender.limits.max_bitrate = static_cast<int64_t> (o.most_mbps * 1e6);
  sim::install_session (*run.cell, flow, sender, sim::ReceiverConfig (),
      Create<sim::EncoderSource> (o.encoder, START_BITRATE, at,
          o.seed * 1000 + flow), at);
}

void
add_tcp (Run &run, unsigned flow)
{
  Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable> ();
  sim::TcpConfig config;

  config.variant = "ns3::TcpCubic";
  config.segment = 1500 - sim::TCP_OVERHEAD;
  config.delayed_ack = 2;
  config.meter = run.meters[flow].get ();
  sim::install_tcp (*run.cell, flow, config,
      Seconds (run.options.tcp_at + random->GetValue (0, 1)));
}

void
build (Run &run)
{
  const Options &o = run.options;
  unsigned n = o.radio.n_down + o.radio.n_up;

  if (o.lte)
    run.cell = std::make_unique<sim::LteCell> (o.radio);
  else
    run.cell = std::make_unique<sim::WifiCell> (o.radio);
  for (unsigned i = 0; i < n; i++)
    run.meters.push_back (std::make_unique<sim::FlowMeter> ());
  for (unsigned i = 0; i < n; i++)
    if (is_media (o, i))
      add_media (run, i);
    else
      add_tcp (run, i);
}

void
report (const Run &run)
{
  const Options &o = run.options;
  Time from = o.From (), to = o.To ();
  sim::Rows rows (std::cout);
  std::vector<double> media;
  sim::Distribution delays;
  double loss = 0, sum = 0;

  for (unsigned i = 0; i < run.meters.size (); i++) {
    const sim::FlowMeter &meter = *run.meters[i];
    double mbps = meter.ReceivedMbps (from, to);

    rows.Add ("throughput_mbps", i, is_media (o, i) ? "media" : "tcp", mbps);
    if (!is_media (o, i))
      continue;
    media.push_back (mbps);
    sum += mbps;
    loss = std::max (loss, meter.Loss (from, to));
    if (meter.Delays (from, to).p95 > delays.p95)
      delays = meter.Delays (from, to);
  }
  rows.Add ("media_mbps", "all", "", sum);
  rows.Add ("jain", "all", "", sim::jain (media));
  rows.Add ("loss", "worst", "media", loss);
  rows.Add ("delay_ms", "worst", "media", delays);
}

}

int
main (int argc, char **argv)
{
  Run run;

  run.options = parse (argc, argv);
  RngSeedManager::SetRun (run.options.seed);
  build (run);
  run.options.Run (Seconds (1));
  report (run);
  Simulator::Destroy ();
  return 0;
}
