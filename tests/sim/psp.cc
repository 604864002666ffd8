/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-psp: packet-spacing agents and TCP connections in the topology of
 * Kapadia, Feng and Feng, ICDCS 2001 (Figure 6): 100 Mb/s and 2 ms to each
 * sender, 155 Mb/s and 40 ms to the sink, 10 packets of buffer, packets of
 * 1400 bytes.
 *
 * Rows, of [warmup, duration) and, with --interval, of each interval:
 *   sent_mbps, throughput_mbps, loss   a flow; over all of a kind
 *   share_min_mbps, share_max_mbps, jain       over all of a kind
 *   gap_us_*, send_gap_us_*            a flow of kind psp; over all
 *   spacing_us                         in force at the end
 *   utilisation, queue_ms_*            of the bottleneck
 */
#include <map>
#include <algorithm>
#include <iostream>
#include <memory>

#include "options.h"
#include "rows.h"
#include "session.h"
#include "tcpflow.h"

using namespace ns3;

namespace
{

struct Options : sim::RunOptions
{
  unsigned flows = 16, tcp = 0, window = 20;
  double spread = 0.001, stagger = 0, phase_ms = 100, interval = 0;
  std::string variant = "ns3::TcpNewReno";
  bool sack = true;
  uint32_t delayed_ack = 1;
};

struct Run
{
  Options options;
  std::unique_ptr<sim::Dumbbell> dumbbell;
  std::unique_ptr<sim::BottleneckMeter> bottleneck;
  std::vector<std::unique_ptr<sim::FlowMeter>> meters;
  std::vector<sim::Session> sessions;
  std::vector<sim::TcpFlow> tcps;
};

Options
parse (int argc, char **argv)
{
  CommandLine line;
  Options o;

  o.controller = "fixed";
  o.jitter = 0.1;
  o.Add (line);
  line.AddValue ("flows", "packet-spacing agents", o.flows);
  line.AddValue ("tcp", "TCP connections beside them", o.tcp);
  line.AddValue ("window", "of each TCP connection, packets", o.window);
  line.AddValue ("variant", "of TCP, a TypeId", o.variant);
  line.AddValue ("sack", "selective acknowledgements", o.sack);
  line.AddValue ("delayed-ack", "segments to one ACK of TCP", o.delayed_ack);
  line.AddValue ("spread", "of the access rates, as a part of them", o.spread);
  line.AddValue ("phase-ms", "starts are spread over so long", o.phase_ms);
  line.AddValue ("stagger", "from one agent's start to the next's, s",
      o.stagger);
  line.AddValue ("interval", "of the time series, s; 0 = none", o.interval);
  line.Parse (argc, argv);
  o.Check ();
  return o;
}

Time
random_phase (const Run &run)
{
  Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable> ();

  return MicroSeconds (static_cast<uint64_t> (
      random->GetValue (0, 1000 * run.options.phase_ms)));
}

/* Readings of PSP, which are parameters of its: stale-epochs, life,
 * unwind. */
void
set_reading (sim::SenderConfig &sender)
{
  static const std::map<std::string, std::pair<const char *,
      std::vector<double>>> readings = {
    {"psp-stale", {"psp", {1}}},
    {"damped-psp-stale", {"damped-psp", {1, 0, 0}}},
    {"damped-psp-unwind", {"damped-psp", {0, 0, 0, 1}}},
  };
  auto reading = readings.find (sender.controller);

  if (reading == readings.end ())
    return;
  sender.controller = reading->second.first;
  sender.parameters = reading->second.second;
}

void
add_agent (Run &run, unsigned flow)
{
  const Options &o = run.options;
  sim::SenderConfig sender = o.Sender (flow, run.meters[flow].get ());

  set_reading (sender);
  run.sessions.push_back (sim::install_session (*run.dumbbell, flow, sender,
          sim::ReceiverConfig (),
          Create<sim::GreedySource> (o.Payload ()),
          Seconds (o.stagger * flow) + random_phase (run)));
}

void
add_tcp (Run &run, unsigned flow)
{
  sim::TcpConfig config;

  config.variant = run.options.variant;
  config.segment = run.options.packet - sim::TCP_OVERHEAD;
  config.window = run.options.window;
  config.sack = run.options.sack;
  config.delayed_ack = run.options.delayed_ack;
  config.meter = run.meters[flow].get ();
  run.tcps.push_back (sim::install_tcp (*run.dumbbell, flow, config,
          random_phase (run)));
}

void
build (Run &run)
{
  const Options &o = run.options;
  sim::DumbbellConfig config = o.Link (o.flows + o.tcp);

  config.access_spread = o.spread;
  run.dumbbell = std::make_unique<sim::Dumbbell> (config);
  run.bottleneck = std::make_unique<sim::BottleneckMeter> (*run.dumbbell);
  for (unsigned i = 0; i < config.n_flows; i++)
    run.meters.push_back (std::make_unique<sim::FlowMeter> ());
  for (unsigned i = 0; i < o.flows; i++)
    add_agent (run, i);
  for (unsigned i = o.flows; i < config.n_flows; i++)
    add_tcp (run, i);
}

/* What is in [from, to), of flows [first, last). */
struct Figures
{
  std::vector<double> sent, received, loss;
  double sent_sum = 0, received_sum = 0, loss_all = 0;
};

Figures
measure (const Run &run, unsigned first, unsigned last, Time from, Time to)
{
  Figures f;
  double offered = 0, dropped = 0;

  for (unsigned i = first; i < last; i++) {
    double packets = static_cast<double> (
        run.bottleneck->Offered (i, from, to));
    double lost = static_cast<double> (run.bottleneck->Dropped (i, from, to));

    f.sent.push_back (8e-6 * run.options.packet * packets
        / (to - from).GetSeconds ());
    if (i < run.options.flows)
      f.sent.back () = run.meters[i]->SentMbps (from, to);
    f.received.push_back (run.meters[i]->ReceivedMbps (from, to));
    f.loss.push_back (i < run.options.flows ? run.meters[i]->Loss (from, to)
        : lost / packets);
    f.sent_sum += f.sent.back ();
    f.received_sum += f.received.back ();
    offered += packets;
    dropped += lost;
  }
  f.loss_all = dropped / offered;
  return f;
}

void
report_kind (const Run &run, sim::Rows &rows, const std::string &kind,
    unsigned first, unsigned last)
{
  Time from = run.options.From (), to = run.options.To ();
  Figures f = measure (run, first, last, from, to);

  if (first == last)
    return;
  for (unsigned i = first; i < last; i++) {
    rows.Add ("sent_mbps", i, kind, f.sent[i - first]);
    rows.Add ("throughput_mbps", i, kind, f.received[i - first]);
    rows.Add ("loss", i, kind, f.loss[i - first]);
  }
  rows.Add ("sent_mbps", "all", kind, f.sent_sum);
  rows.Add ("throughput_mbps", "all", kind, f.received_sum);
  rows.Add ("loss", "all", kind, f.loss_all);
  rows.Add ("share_min_mbps", "all", kind,
      *std::min_element (f.received.begin (), f.received.end ()));
  rows.Add ("share_max_mbps", "all", kind,
      *std::max_element (f.received.begin (), f.received.end ()));
  rows.Add ("jain", "all", kind, sim::jain (f.received));
}

void
report_series (const Run &run, sim::Rows &rows, const std::string &kind,
    unsigned first, unsigned last)
{
  Time step = Seconds (run.options.interval);

  if (first == last || step <= Time (0))
    return;
  for (Time at = step; at <= run.options.To (); at += step) {
    Figures f = measure (run, first, last, at - step, at);

    for (unsigned i = first; i < last; i++) {
      rows.Add ("sent_mbps", i, kind, at, f.sent[i - first]);
      rows.Add ("throughput_mbps", i, kind, at, f.received[i - first]);
    }
    rows.Add ("throughput_mbps", "all", kind, at, f.received_sum);
    rows.Add ("loss", "all", kind, at, f.loss_all);
  }
}

void
report_agents (const Run &run, sim::Rows &rows)
{
  Time from = run.options.From (), to = run.options.To ();

  for (unsigned i = 0; i < run.options.flows; i++) {
    rows.Add ("gap_us", i, "psp", run.meters[i]->Gaps (from, to));
    rows.Add ("send_gap_us", i, "psp", run.meters[i]->SendGaps (from, to));
    rows.Add ("spacing_us", i, "psp",
        1e-3 * static_cast<double> (run.sessions[i].sender->Stats ().period));
  }
}

void
report (const Run &run, sim::Rows &rows)
{
  Time from = run.options.From (), to = run.options.To ();
  unsigned n = run.options.flows, all = n + run.options.tcp;

  report_kind (run, rows, "psp", 0, n);
  report_kind (run, rows, "tcp", n, all);
  report_agents (run, rows);
  rows.Add ("utilisation", "all", "", run.bottleneck->Utilisation (from, to));
  rows.Add ("queue_ms", "all", "", run.bottleneck->Waits (from, to));
  report_series (run, rows, "psp", 0, n);
  report_series (run, rows, "tcp", n, all);
}

}

int
main (int argc, char **argv)
{
  Run run;

  run.options = parse (argc, argv);
  RngSeedManager::SetRun (run.options.seed);
  build (run);
  run.options.Run (MilliSeconds (200));
  sim::Rows rows (std::cout);
  report (run, rows);
  Simulator::Destroy ();
  return 0;
}
