/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-media-scaling: Chung and Claypool, "Better-Behaved, Better-Performing
 * Multimedia Networking", Euromedia 2000, with media-scaling at the sender.
 *
 * --experiment=policy: what the scales of MPEG_APP pass (Table 2, Figure 2).
 * --experiment=alone: one application with the core to itself, its scales
 * ending at --scale (Table 1, Figure 2).
 * --experiment=sharing: Figures 3 to 5. Flows 0 to 4 are TCP, 5 is MM_APP, 6 is
 * MPEG_APP; at 15 s 7, 8 and 9 join, one of each. Rows carry the end of their
 * interval: 15 stands for 5 to 15 s, 25 for 15 to 25 s.
 */
#include <iostream>
#include <list>
#include <stdexcept>

#include "ns3/core-module.h"
#include "arrivals.h"
#include "mediasources.h"
#include "rows.h"
#include "tcpflow.h"

using namespace ns3;

namespace
{

struct Options
{
  std::string experiment = "sharing", app = "mm";
  unsigned pattern = 1;
  int scale = 4;
  uint32_t mm_packet = 750;
  double red_min = 5, red_max = 15, red_weight = 0.002, red_p = 0.02;
  bool red_gentle = false;
  uint32_t queue_limit = 50;
  bool modern_tcp = false;
  uint32_t tcp_window = 20, min_rto_ms = 200;
  bool gaps = false;
  unsigned seed = 1;
};

Options
parse (int argc, char *argv[])
{
  Options o;
  CommandLine cmd;

  cmd.AddValue ("experiment", "policy, alone or sharing", o.experiment);
  cmd.AddValue ("app", "alone: mm or mpeg", o.app);
  cmd.AddValue ("pattern", "of the MPEG stream: 1 or 2", o.pattern);
  cmd.AddValue ("scale", "policy, alone: 0 to 4", o.scale);
  cmd.AddValue ("mm-packet", "bytes, IP header included", o.mm_packet);
  cmd.AddValue ("red-min", "packets", o.red_min);
  cmd.AddValue ("red-max", "packets", o.red_max);
  cmd.AddValue ("red-weight", "of a sample in the average", o.red_weight);
  cmd.AddValue ("red-p", "greatest probability", o.red_p);
  cmd.AddValue ("red-gentle", "above red-max", o.red_gentle);
  cmd.AddValue ("queue-limit", "packets", o.queue_limit);
  cmd.AddValue ("modern-tcp", "as ns-3 has it", o.modern_tcp);
  cmd.AddValue ("tcp-window", "packets", o.tcp_window);
  cmd.AddValue ("min-rto-ms", "of TCP", o.min_rto_ms);
  cmd.AddValue ("gaps", "a row for each gap of flows 0 and 5", o.gaps);
  cmd.AddValue ("seed", "run number", o.seed);
  cmd.Parse (argc, argv);
  if (o.scale < 0 || o.scale >= sim::N_SCALES || o.pattern < 1
      || o.pattern > 2 || o.mm_packet <= sim::OVERHEAD
      || o.mm_packet > sim::MAX_PACKET)
    throw std::invalid_argument ("an option is out of range");
  return o;
}

/* Reno as ns-2 had it in 2000: no limited transmit (RFC 3042), no rate
 * reduction while it recovers but deflation, a first window of one packet, and
 * a clock that ticks every 0.1 s, two of which are the shortest timeout. */
void
age_tcp ()
{
  Config::SetDefault ("ns3::TcpSocketBase::LimitedTransmit",
      BooleanValue (false));
  Config::SetDefault ("ns3::TcpSocketBase::ClockGranularity",
      TimeValue (MilliSeconds (100)));
  Config::SetDefault ("ns3::TcpSocket::InitialCwnd", UintegerValue (1));
  Config::SetDefault ("ns3::TcpL4Protocol::RecoveryType",
      TypeIdValue (TypeId::LookupByName ("ns3::TcpClassicRecovery")));
}

/* A second of frames from an I on is what Figure 2(b) counts. */
void
run_policy (const Options &o)
{
  sim::Rows rows (std::cout);
  unsigned group = o.pattern == 1 ? 9 : 12;
  sim::M2vTrace trace (o.pattern, 20 * group);
  double passes = 0;

  /* The second group, as a number whose digits are its frames: 1 = passes. */
  for (unsigned i = group; i < 2 * group; i++)
    passes = 10 * passes + (trace.Passes (i, o.scale) ? 1 : 0);
  rows.Add ("passes", "all", "mpeg", passes);
  rows.Add ("second_kbps", "all", "mpeg", trace.Bitrate (group,
      group + sim::M2vTrace::FPS, o.scale) / 1e3);
  rows.Add ("average_kbps", "all", "mpeg", trace.Bitrate (group,
      11 * group, o.scale) / 1e3);
}

enum class Kind { TCP, MM, MPEG };

const char *
kind_name (Kind kind)
{
  return kind == Kind::TCP ? "tcp" : kind == Kind::MM ? "mm" : "mpeg";
}

struct Flow
{
  Flow (Kind k, Time s) : kind (k), start (s) { }

  Kind kind;
  Time start;
  sim::FlowMeter meter;
  sim::Arrivals arrivals;
};

/* The network of Figure 3 with flows in it. */
class Network
{
public:
  Network (const Options &o, std::list<Flow> &flows);

  void Run (Time until);
  void Interval (sim::Rows &rows, Time from, Time to) const;
  void Course (sim::Rows &rows, Time step, Time to) const;
  void Gaps (sim::Rows &rows, Time from) const;

  /* Whose scales may not go beyond --scale. */
  bool limited = false;

  void Install ();

private:
  static constexpr uint64_t CORE_RATE = 6000000;

  static sim::DumbbellConfig Topology (const Options &o, size_t n_flows);
  void SetRates (Kind kind, sim::SenderConfig &sender) const;
  void InstallMedia (unsigned index, Flow &flow, Time start);
  void InstallTcp (unsigned index, Flow &flow, Time start);
  void Sums (sim::Rows &rows, Time from, Time to) const;

  const Options &m_options;
  std::list<Flow> &m_flows;
  sim::Dumbbell m_dumbbell;
  sim::BottleneckMeter m_bottleneck;
  sim::M2vTrace m_trace;
};

sim::DumbbellConfig
Network::Topology (const Options &o, size_t n_flows)
{
  sim::DumbbellConfig c;

  c.n_flows = (unsigned) n_flows;
  c.access_rate = c.exit_rate = DataRate (10000000);
  c.access_delay = c.exit_delay = MilliSeconds (5);
  c.exits = true;
  c.rate = DataRate (CORE_RATE);
  c.delay = MilliSeconds (20);
  c.queue.kind = sim::QueueKind::RED;
  c.queue.limit = o.queue_limit;
  c.queue.red_min = o.red_min;
  c.queue.red_max = o.red_max;
  c.queue.red_weight = o.red_weight;
  c.queue.red_p = o.red_p;
  c.queue.red_gentle = o.red_gentle;
  c.queue.mean_packet = sim::MAX_PACKET;
  return c;
}

Network::Network (const Options &o, std::list<Flow> &flows)
  : m_options (o), m_flows (flows), m_dumbbell (Topology (o, flows.size ())),
    m_bottleneck (m_dumbbell), m_trace (o.pattern, 360)
{
}

/* Each begins within one group of pictures (0.3 s) of its time: the paper's
 * MPEG_APPs, 50 groups apart, would send every I at once. */
void
Network::Install ()
{
  auto random = CreateObject<UniformRandomVariable> ();
  unsigned i = 0;

  for (auto &flow : m_flows) {
    Time start = flow.start + Seconds (random->GetValue (0, 0.3));

    if (flow.kind == Kind::TCP)
      InstallTcp (i, flow, start);
    else
      InstallMedia (i, flow, start);
    flow.arrivals.Watch (m_dumbbell.Receiver (i++));
  }
}

/* As the elements are used: MM_APP tells its sink Table 1, MPEG_APP is
 * mpegscaler, which tells nothing, unless its scale is to be limited. */
void
Network::SetRates (Kind kind, sim::SenderConfig &sender) const
{
  unsigned group = m_trace.GroupSize ();

  for (int i = 0; i < sim::N_SCALES; i++)
    sender.parameters.push_back (static_cast<double> (
          kind == Kind::MM ? sim::TABLE_1[(size_t) i] :
          limited ? (int64_t) m_trace.Bitrate (0, 10 * group, i) : 0));
  /* Less than the next scale's, more than any burst needs in the long run. */
  if (limited)
    sender.limits.max_bitrate = static_cast<int64_t> (
        sender.parameters[(size_t) m_options.scale]) * 11 / 10;
}

void
Network::InstallMedia (unsigned index, Flow &flow, Time start)
{
  sim::SenderConfig sender;
  Ptr<sim::Source> source;

  sender.controller = "media-scaling";
  SetRates (flow.kind, sender);
  sender.seed = m_options.seed * 100 + index;
  sender.meter = &flow.meter;
  if (flow.kind == Kind::MM)
    source = Create<sim::MmSource> (start, m_options.mm_packet);
  else
    source = sim::m2v_source (m_trace, start, 0);
  sim::install_session (m_dumbbell, index, sender, sim::ReceiverConfig (),
      source, start);
}

void
Network::InstallTcp (unsigned index, Flow &flow, Time start)
{
  sim::TcpConfig tcp;

  tcp.segment = sim::MAX_PACKET - sim::TCP_OVERHEAD;
  tcp.window = m_options.tcp_window;
  tcp.sack = m_options.modern_tcp;
  tcp.min_rto = MilliSeconds (m_options.min_rto_ms);
  tcp.meter = &flow.meter;
  sim::install_tcp (m_dumbbell, index, tcp, start);
}

void
Network::Run (Time until)
{
  Simulator::Stop (until);
  Simulator::Run ();
}

/* Figure 4's table. */
void
Network::Interval (sim::Rows &rows, Time from, Time to) const
{
  unsigned i = 0;

  for (auto &flow : m_flows) {
    if (flow.start <= from) {
      sim::Distribution gaps = flow.arrivals.Gaps (from, to);
      const char *kind = kind_name (flow.kind);

      rows.Add ("throughput_kbps", i, kind, to,
          flow.arrivals.Kbps (from, to));
      rows.Add ("goodput_kbps", i, kind, to,
          flow.meter.ReceivedMbps (from, to) * 1e3);
      rows.Add ("loss_percent", i, kind, to,
          100 * m_bottleneck.Loss (i, from, to));
      rows.Add ("gap_mean_ms", i, kind, to, gaps.mean);
      rows.Add ("gap_deviation_ms", i, kind, to, gaps.deviation);
      rows.Add ("gap_max_ms", i, kind, to, gaps.max);
    }
    i++;
  }
  Sums (rows, from, to);
}

void
Network::Sums (sim::Rows &rows, Time from, Time to) const
{
  std::vector<double> rates;
  double sum[3] = {}, n[3] = {};
  sim::Distribution waits = m_bottleneck.Waits (from, to);

  for (auto &flow : m_flows)
    if (flow.start <= from) {
      rates.push_back (flow.arrivals.Kbps (from, to));
      sum[(int) flow.kind] += rates.back ();
      n[(int) flow.kind]++;
    }
  for (Kind kind : {Kind::TCP, Kind::MM, Kind::MPEG})
    rows.Add ("mean_kbps", "all", kind_name (kind), to,
        sum[(int) kind] / n[(int) kind]);
  rows.Add ("fair_share_kbps", "all", "", to,
      CORE_RATE / 1e3 / (double) rates.size ());
  rows.Add ("jain", "all", "", to, sim::jain (rates));
  rows.Add ("udp_over_tcp", "all", "", to, (sum[1] + sum[2]) / (n[1] + n[2])
      / (sum[0] / n[0]));
  rows.Add ("use_percent", "all", "", to,
      100 * (sum[0] + sum[1] + sum[2]) * 1e3 / (double) CORE_RATE);
  rows.Add ("link_percent", "all", "", to,
      100 * m_bottleneck.Utilisation (from, to));
  rows.Add ("wait_mean_ms", "all", "", to, waits.mean);
  rows.Add ("wait_deviation_ms", "all", "", to, waits.deviation);
}

void
Network::Course (sim::Rows &rows, Time step, Time to) const
{
  unsigned i = 0;

  for (auto &flow : m_flows) {
    for (Time t = flow.start + step; t <= to; t += step)
      rows.Add ("kbps", i, kind_name (flow.kind), t,
          flow.arrivals.Kbps (t - step, t));
    i++;
  }
}

void
Network::Gaps (sim::Rows &rows, Time from) const
{
  unsigned i = 0;

  for (auto &flow : m_flows) {
    if (i == 0 || i == 5)
      flow.arrivals.AddGaps (rows, i, kind_name (flow.kind), from);
    i++;
  }
}

void
run_alone (const Options &o)
{
  std::list<Flow> flows;
  sim::Rows rows (std::cout);

  if (o.app != "mm" && o.app != "mpeg")
    throw std::invalid_argument ("--app is neither mm nor mpeg");
  flows.emplace_back (o.app == "mm" ? Kind::MM : Kind::MPEG, Time (0));
  Network network (o, flows);
  network.limited = true;
  network.Install ();
  network.Run (Seconds (36));
  /* A whole number of groups. */
  rows.Add ("throughput_kbps", 0, o.app,
      flows.front ().meter.ReceivedMbps (Seconds (5), Seconds (35)) * 1e3);
  rows.Add ("loss_percent", 0, o.app,
      100 * flows.front ().meter.Loss (Seconds (5), Seconds (35)));
}

void
run_sharing (const Options &o)
{
  const Time join = Seconds (15), end = Seconds (25);
  std::list<Flow> flows;
  sim::Rows rows (std::cout);

  for (int i = 0; i < 5; i++)
    flows.emplace_back (Kind::TCP, Time (0));
  flows.emplace_back (Kind::MM, Time (0));
  flows.emplace_back (Kind::MPEG, Time (0));
  for (Kind kind : {Kind::TCP, Kind::MM, Kind::MPEG})
    flows.emplace_back (kind, join);
  Network network (o, flows);
  network.Install ();
  network.Run (end + Seconds (1));
  network.Interval (rows, Seconds (5), join);
  network.Interval (rows, join, end);
  network.Course (rows, Seconds (1), end);
  if (o.gaps)
    network.Gaps (rows, Seconds (5));
}

}

int
main (int argc, char *argv[])
try
{
  Options o = parse (argc, argv);

  RngSeedManager::SetRun (o.seed);
  if (!o.modern_tcp)
    age_tcp ();
  if (o.experiment == "policy")
    run_policy (o);
  else if (o.experiment == "alone")
    run_alone (o);
  else if (o.experiment == "sharing")
    run_sharing (o);
  else
    throw std::invalid_argument ("--experiment is none that exists");
  Simulator::Destroy ();
  return 0;
}
catch (const std::exception &e)
{
  std::cerr << "sim-media-scaling: " << e.what () << "\n";
  return 1;
}
