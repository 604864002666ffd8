/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "scp-experiment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

using namespace ns3;

namespace sim
{

namespace
{

constexpr uint32_t TCP_SEGMENT = 1448;  /* of 1500-byte IP packets with
                                           time stamps */
constexpr uint32_t PPP = 2;     /* bytes of header in ns-3 */
constexpr double NONE = std::numeric_limits<double>::quiet_NaN ();
/* Settled on a path: so much of what it carries, over the time of so many
 * packets, and a second at least. */
constexpr double SETTLED = 0.9;
constexpr double SETTLED_PACKETS = 20;

/* What left so long before a switch may be lost by it, s. */
constexpr double FLUSHED = 5;
/* Time for what is under way at the end to arrive, s. */
constexpr double AFTER = 30;

}

bool
parse_spans (const std::string &text, std::vector<Span> &spans)
{
  std::istringstream list (text);
  std::string item;

  while (std::getline (list, item, ',')) {
    std::istringstream one (item);
    Span span;
    char dash = 0;

    if (!(one >> span.start >> dash >> span.stop) || dash != '-'
        || !one.eof () || span.start < 0 || span.stop <= span.start)
      return false;
    spans.push_back (span);
  }
  return true;
}

Experiment::Experiment (const ExperimentConfig &config)
  : m_config (config)
{
  DumbbellConfig dumbbell;

  RngSeedManager::SetSeed (1);
  RngSeedManager::SetRun (config.seed);
  dumbbell.n_flows = static_cast<unsigned> (config.scp.size ()
      + config.tcp.size ());
  dumbbell.access_rate = DataRate (config.access_rate);
  dumbbell.access_delay = MicroSeconds (500);
  dumbbell.rate = DataRate (config.path.rate);
  dumbbell.delay = MicroSeconds (static_cast<uint64_t> (
          1000 * config.path.delay_ms));
  dumbbell.queue.limit = config.queue;
  m_dumbbell = std::make_unique<Dumbbell> (dumbbell);
  m_bottleneck = std::make_unique<BottleneckMeter> (*m_dumbbell);
  for (const Span &span : config.scp)
    Add (false, span);
  for (const Span &span : config.tcp)
    Add (true, span);
  if (config.switch_at > 0)
    Simulator::Schedule (Seconds (config.switch_at), &Experiment::Switch,
        this);
  for (double t = config.interval; t <= config.duration; t += config.interval)
    Simulator::Schedule (Seconds (t), &Experiment::Sample, this);
}

void
Experiment::Add (bool is_tcp, const Span &span)
{
  Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable> ();
  auto flow = std::make_unique<Flow> ();

  flow->is_tcp = is_tcp;
  flow->span.start = span.start + random->GetValue (0, m_config.phase);
  flow->span.stop = std::min (span.stop, m_config.duration);
  m_flows.push_back (std::move (flow));
  Start (static_cast<unsigned> (m_flows.size () - 1));
}

void
Experiment::Start (unsigned index)
{
  Flow &flow = *m_flows[index];
  Time start = Seconds (flow.span.start), stop = Seconds (flow.span.stop);

  if (flow.is_tcp) {
    TcpConfig tcp;

    tcp.segment = TCP_SEGMENT;
    tcp.window = m_config.tcp_window;
    tcp.timestamps = true;
    tcp.min_rto = Seconds (1);
    tcp.meter = &flow.meter;
    install_tcp (*m_dumbbell, index, tcp, start, stop);
  } else {
    SenderConfig sender;
    ReceiverConfig receiver;

    sender.controller = m_config.controller;
    sender.jitter = m_config.jitter;
    sender.seed = m_config.seed + index;
    sender.meter = &flow.meter;
    receiver.feedback_interval = MicroSeconds (m_config.feedback_us);
    receiver.seed = m_config.seed + index;
    flow.session = install_session (*m_dumbbell, index, sender, receiver,
        Create<GreedySource> (m_config.payload), start, stop);
  }
}

/* What was on the old interface is lost. */
void
Experiment::Switch ()
{
  Ptr<PointToPointNetDevice> device = m_dumbbell->Bottleneck ();
  Ptr<Channel> channel = device->GetChannel ();

  device->GetQueue ()->Flush ();
  for (size_t i = 0; i < channel->GetNDevices (); i++)
    DynamicCast<PointToPointNetDevice> (channel->GetDevice (i))
        ->SetDataRate (DataRate (m_config.second.rate));
  channel->SetAttribute ("Delay", TimeValue (MicroSeconds (
              static_cast<uint64_t> (1000 * m_config.second.delay_ms))));
  if (m_config.reset)
    Simulator::Schedule (MicroSeconds (static_cast<uint64_t> (
                1000 * m_config.notice_ms)), &Experiment::Reset, this);
}

void
Experiment::Reset ()
{
  for (const auto &flow : m_flows)
    if (!flow->is_tcp && flow->session.sender->Core ())
      flow->session.sender->Reset ();
}

void
Experiment::Sample ()
{
  double now = Simulator::Now ().GetSeconds ();

  for (const auto &flow : m_flows) {
    State state = { NONE, NONE, NONE, NONE };

    if (!flow->is_tcp && flow->span.start < now && now < flow->span.stop) {
      PspSenderStats stats = flow->session.sender->Stats ();

      if (stats.rtt_min != PSP_TIME_UNKNOWN)
        state.base_rtt = 1e-6 * static_cast<double> (stats.rtt_min);
      state.in_flight = static_cast<double> (stats.in_flight);
      state.window = static_cast<double> (stats.window);
      state.lost = static_cast<double> (stats.packets_lost
          - stats.packets_recovered);
    }
    flow->states.push_back (state);
  }
}

void
Experiment::Run ()
{
  Simulator::Stop (Seconds (m_config.duration + AFTER));
  Simulator::Run ();
}

/* In units of the paper's 1472-byte packets, for TCP too. */
double
Experiment::PacketRate (const Flow &flow, Time from, Time to) const
{
  uint32_t payload = m_config.payload;

  if (flow.is_tcp)
    payload += RTP_HEADER;
  return flow.meter.ReceivedPayloadMbps (from, to) * 1e6 / 8 / payload;
}

/* Sender to receiver, nothing waiting anywhere, ms. */
double
Experiment::OneWay (const Path &path) const
{
  double bits = 8.0 * (m_config.payload + OVERHEAD + PPP);

  return path.delay_ms + 0.5
      + 1e3 * bits * (1 / static_cast<double> (path.rate)
      + 1 / static_cast<double> (m_config.access_rate));
}

/* SCP: end to end, less what the path itself takes. TCP: in the bottleneck's
 * queue, since packets end to end are not told apart there; retransmission, and
 * the sending socket's buffer, would come on top. */
Distribution
Experiment::Buffering (const Flow &flow, Time from, Time to) const
{
  bool second = m_config.switch_at > 0
      && from >= Seconds (m_config.switch_at);
  double path = OneWay (second ? m_config.second : m_config.path);
  Distribution d;

  if (flow.is_tcp)
    return m_bottleneck->Waits (from, to);
  d = flow.meter.Delays (from, to);
  if (d.n > 0)
    for (double *x : { &d.mean, &d.min, &d.median, &d.p95, &d.p99, &d.max })
      *x -= path;
  return d;
}

void
Experiment::ReportSession (Rows &rows, unsigned index) const
{
  const Flow &flow = *m_flows[index];
  std::string kind = flow.is_tcp ? "tcp" : "scp";
  Time from = Seconds (std::max (m_config.warmup, flow.span.start));
  Time to = Seconds (flow.span.stop);
  Distribution buffering = Buffering (flow, from, to);

  if (from >= to)
    return;
  rows.Add ("packet_rate", index, kind, PacketRate (flow, from, to));
  if (buffering.n > 0)
    rows.Add ("buffering_ms", index, kind, buffering);
  rows.Add ("loss", index, kind, m_bottleneck->Loss (index, from, to));
}

void
Experiment::ReportSeries (Rows &rows, unsigned index) const
{
  const Flow &flow = *m_flows[index];
  std::string kind = flow.is_tcp ? "tcp" : "scp";

  for (size_t i = 0; i < flow.states.size (); i++) {
    Time from = Seconds (static_cast<double> (i) * m_config.interval);
    Time to = Seconds (static_cast<double> (i + 1) * m_config.interval);
    Distribution buffering;

    if (to <= Seconds (flow.span.start) || from >= Seconds (flow.span.stop))
      continue;
    buffering = Buffering (flow, from, to);
    rows.Add ("packet_rate", index, kind, to, PacketRate (flow, from, to));
    if (buffering.n > 0)
      rows.Add ("buffering_ms", index, kind, to, buffering.mean);
    rows.Add ("base_rtt_ms", index, kind, to, flow.states[i].base_rtt);
    rows.Add ("in_flight", index, kind, to, flow.states[i].in_flight);
    rows.Add ("window", index, kind, to, flow.states[i].window);
    rows.Add ("presumed_lost", index, kind, to, flow.states[i].lost);
  }
}

/* How long until the new path is used, what was lost meanwhile, and the longest
 * wait on it. */
void
Experiment::ReportSwitch (Rows &rows, unsigned index) const
{
  const Flow &flow = *m_flows[index];
  std::string kind = flow.is_tcp ? "tcp" : "scp";
  double capacity = static_cast<double> (m_config.second.rate) / 8
      / (m_config.payload + OVERHEAD + PPP);
  double span = std::max (SETTLED_PACKETS / capacity, 1.0);
  double step = std::max (1 / capacity, 0.01), settled = NONE, t;
  Time at = Seconds (m_config.switch_at), end = Seconds (flow.span.stop);

  for (t = 0; at + Seconds (t + span) <= end; t += step)
    if (PacketRate (flow, at + Seconds (t), at + Seconds (t + span))
        >= SETTLED * capacity) {
      settled = t;
      break;
    }
  /* Never is as long as was looked. */
  rows.Add ("settled_s", index, kind, std::isnan (settled) ? t : settled);
  rows.Add ("switch_use", index, kind,
      PacketRate (flow, at + (end - at) / 2, end) / capacity);
  if (flow.is_tcp)
    return;
  rows.Add ("switch_lost", index, kind,
      std::round (flow.meter.Loss (at - Seconds (FLUSHED), end)
      * static_cast<double> (flow.meter.PacketsSent (at - Seconds (FLUSHED),
              end))));
  rows.Add ("switch_buffering_ms", index, kind,
      Buffering (flow, at + (end - at) / 2, end));
}

void
Experiment::Report (Rows &rows) const
{
  Time from = Seconds (m_config.warmup), to = Seconds (m_config.duration);

  for (unsigned i = 0; i < m_flows.size (); i++) {
    ReportSession (rows, i);
    ReportSeries (rows, i);
    if (m_config.switch_at > 0)
      ReportSwitch (rows, i);
  }
  if (m_config.switch_at > 0)
    return;
  rows.Add ("utilisation", "all", "", m_bottleneck->Utilisation (from, to));
  rows.Add ("queue_ms", "all", "", m_bottleneck->Waits (from, to));
  rows.Add ("loss", "all", "", m_bottleneck->Loss (from, to));
}

}
