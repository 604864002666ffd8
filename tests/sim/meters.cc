/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "meters.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ns3;

namespace sim
{

namespace
{

constexpr uint32_t PPP = 2;     /* bytes */
constexpr uint32_t SOURCE_AT = 12;      /* in an IPv4 header */
constexpr double NONE = std::numeric_limits<double>::quiet_NaN ();

/* The part of a log, in order of time, that is in [from, to). */
template <typename T>
struct Part
{
  Part (const std::vector<T> &log, Time from, Time to)
  {
    auto before = [] (const T &entry, int64_t at) { return entry.at < at; };
    first = std::lower_bound (log.begin (), log.end (), from.GetNanoSeconds (),
        before);
    last = std::lower_bound (first, log.end (), to.GetNanoSeconds (), before);
  }
  auto begin () const { return first; }
  auto end () const { return last; }

  typename std::vector<T>::const_iterator first, last;
};

uint64_t
count (const std::vector<int64_t> &log, Time from, Time to)
{
  auto first = std::lower_bound (log.begin (), log.end (),
      from.GetNanoSeconds ());

  return static_cast<uint64_t> (std::lower_bound (first, log.end (),
          to.GetNanoSeconds ()) - first);
}

double
mbps (uint64_t bytes, Time from, Time to)
{
  return 8e-6 * static_cast<double> (bytes) / (to - from).GetSeconds ();
}

template <typename T>
Distribution
gaps (const std::vector<T> &log, Time from, Time to)
{
  std::vector<double> samples;
  int64_t last = -1;

  for (const T &entry : Part<T> (log, from, to)) {
    if (last >= 0)
      samples.push_back (1e-3 * static_cast<double> (entry.at - last));
    last = entry.at;
  }
  return describe (samples);
}

double
quantile (const std::vector<double> &sorted, double q)
{
  double rank = std::ceil (q * static_cast<double> (sorted.size ()));

  return sorted[static_cast<size_t> (std::max (rank, 1.0)) - 1];
}

}

Distribution
describe (std::vector<double> &samples)
{
  Distribution d;
  double sum = 0, squares = 0;

  d.n = samples.size ();
  if (samples.empty ())
    return d;
  for (double s : samples)
    sum += s;
  d.mean = sum / static_cast<double> (d.n);
  for (double s : samples)
    squares += (s - d.mean) * (s - d.mean);
  d.deviation = std::sqrt (squares / static_cast<double> (d.n));
  std::sort (samples.begin (), samples.end ());
  d.min = samples.front ();
  d.median = quantile (samples, 0.5);
  d.p95 = quantile (samples, 0.95);
  d.p99 = quantile (samples, 0.99);
  d.max = samples.back ();
  return d;
}

double
jain (const std::vector<double> &rates)
{
  double sum = 0, squares = 0;

  for (double r : rates) {
    sum += r;
    squares += r * r;
  }
  if (squares <= 0)
    return NONE;
  return sum * sum / (static_cast<double> (rates.size ()) * squares);
}

void
FlowMeter::Sent (Time now, uint32_t bytes, uint32_t payload)
{
  m_sent.push_back ({ now.GetNanoSeconds (), bytes, payload, false });
}

void
FlowMeter::Received (Time now, uint64_t index)
{
  int64_t at = now.GetNanoSeconds ();

  if (index >= m_sent.size ())
    return;
  m_sent[index].arrived = true;
  m_received.push_back ({ at, at - m_sent[index].at, m_sent[index].bytes,
      m_sent[index].payload });
}

void
FlowMeter::ReceivedBytes (Time now, uint32_t bytes, uint32_t payload)
{
  m_received.push_back ({ now.GetNanoSeconds (), -1, bytes, payload });
}

void
FlowMeter::Rtt (Time now, Time rtt)
{
  m_rtts.push_back ({ now.GetNanoSeconds (), 1e3 * rtt.GetSeconds () });
}

uint64_t
FlowMeter::PacketsSent (Time from, Time to) const
{
  Part<Departure> part (m_sent, from, to);

  return static_cast<uint64_t> (part.last - part.first);
}

uint64_t
FlowMeter::PacketsReceived (Time from, Time to) const
{
  Part<Arrival> part (m_received, from, to);

  return static_cast<uint64_t> (part.last - part.first);
}

double
FlowMeter::SentMbps (Time from, Time to) const
{
  uint64_t bytes = 0;

  for (const Departure &d : Part<Departure> (m_sent, from, to))
    bytes += d.bytes;
  return mbps (bytes, from, to);
}

double
FlowMeter::ReceivedMbps (Time from, Time to) const
{
  uint64_t bytes = 0;

  for (const Arrival &a : Part<Arrival> (m_received, from, to))
    bytes += a.bytes;
  return mbps (bytes, from, to);
}

double
FlowMeter::ReceivedPayloadMbps (Time from, Time to) const
{
  uint64_t bytes = 0;

  for (const Arrival &a : Part<Arrival> (m_received, from, to))
    bytes += a.payload;
  return mbps (bytes, from, to);
}

double
FlowMeter::Loss (Time from, Time to) const
{
  uint64_t sent = 0, lost = 0;

  for (const Departure &d : Part<Departure> (m_sent, from, to)) {
    sent++;
    lost += !d.arrived;
  }
  return sent ? static_cast<double> (lost) / static_cast<double> (sent) : NONE;
}

Distribution
FlowMeter::Gaps (Time from, Time to) const
{
  return gaps (m_received, from, to);
}

Distribution
FlowMeter::SendGaps (Time from, Time to) const
{
  return gaps (m_sent, from, to);
}

Distribution
FlowMeter::Delays (Time from, Time to) const
{
  std::vector<double> samples;

  for (const Arrival &a : Part<Arrival> (m_received, from, to))
    if (a.delay >= 0)
      samples.push_back (1e-6 * static_cast<double> (a.delay));
  return describe (samples);
}

Distribution
FlowMeter::Rtts (Time from, Time to) const
{
  std::vector<double> samples;

  for (const Sample &s : Part<Sample> (m_rtts, from, to))
    samples.push_back (s.value);
  return describe (samples);
}

BottleneckMeter::BottleneckMeter (const Dumbbell &dumbbell)
  : m_dumbbell (dumbbell),
    m_rate (dumbbell.Config ().rate),
    m_accepted (dumbbell.Config ().n_flows + 1),
    m_dropped (dumbbell.Config ().n_flows + 1)
{
  Ptr<QueueDisc> disc = dumbbell.Disc ();

  if (disc) {
    disc->TraceConnectWithoutContext ("Enqueue",
        MakeCallback (&BottleneckMeter::DiscEnqueue, this));
    disc->TraceConnectWithoutContext ("Dequeue",
        MakeCallback (&BottleneckMeter::DiscDequeue, this));
    disc->TraceConnectWithoutContext ("Drop",
        MakeCallback (&BottleneckMeter::DiscDrop, this));
    return;
  }
  Ptr<Queue<Packet>> queue = dumbbell.Bottleneck ()->GetQueue ();
  queue->TraceConnectWithoutContext ("Enqueue",
      MakeCallback (&BottleneckMeter::DeviceEnqueue, this));
  queue->TraceConnectWithoutContext ("Dequeue",
      MakeCallback (&BottleneckMeter::DeviceDequeue, this));
  queue->TraceConnectWithoutContext ("Drop",
      MakeCallback (&BottleneckMeter::DeviceDrop, this));
}

namespace
{

int64_t
now_ns ()
{
  return Simulator::Now ().GetNanoSeconds ();
}

/* Of a packet with its PPP header. */
Ipv4Address
source_of (Ptr<const Packet> packet)
{
  uint8_t data[PPP + SOURCE_AT + 4];

  if (packet->CopyData (data, sizeof data) < sizeof data)
    return Ipv4Address ();
  return Ipv4Address::Deserialize (data + PPP + SOURCE_AT);
}

Ipv4Address
source_of (Ptr<const QueueDiscItem> item)
{
  Ptr<const Ipv4QueueDiscItem> ipv4 =
      DynamicCast<const Ipv4QueueDiscItem> (item);

  return ipv4 ? ipv4->GetHeader ().GetSource () : Ipv4Address ();
}

}

void
BottleneckMeter::DeviceEnqueue (Ptr<const Packet> packet)
{
  m_accepted[m_dumbbell.FlowOf (source_of (packet))].push_back (now_ns ());
  m_waiting.push_back (now_ns ());
}

void
BottleneckMeter::DeviceDequeue (Ptr<const Packet> packet)
{
  Leave (packet->GetSize ());
}

void
BottleneckMeter::DeviceDrop (Ptr<const Packet> packet)
{
  m_dropped[m_dumbbell.FlowOf (source_of (packet))].push_back (now_ns ());
}

void
BottleneckMeter::DiscEnqueue (Ptr<const QueueDiscItem> item)
{
  m_accepted[m_dumbbell.FlowOf (source_of (item))].push_back (now_ns ());
  m_waiting.push_back (now_ns ());
}

/* In the discipline a packet has no PPP header yet. */
void
BottleneckMeter::DiscDequeue (Ptr<const QueueDiscItem> item)
{
  Leave (item->GetSize () + PPP);
}

void
BottleneckMeter::DiscDrop (Ptr<const QueueDiscItem> item)
{
  m_dropped[m_dumbbell.FlowOf (source_of (item))].push_back (now_ns ());
}

void
BottleneckMeter::Leave (uint32_t bytes)
{
  if (m_waiting.empty ())
    return;
  m_left.push_back ({ now_ns (), now_ns () - m_waiting.front (), bytes });
  m_waiting.pop_front ();
}

uint64_t
BottleneckMeter::Dropped (unsigned flow, Time from, Time to) const
{
  return count (m_dropped.at (flow), from, to);
}

uint64_t
BottleneckMeter::Offered (unsigned flow, Time from, Time to) const
{
  return Dropped (flow, from, to) + count (m_accepted.at (flow), from, to);
}

double
BottleneckMeter::Loss (unsigned flow, Time from, Time to) const
{
  uint64_t offered = Offered (flow, from, to);

  return offered ? static_cast<double> (Dropped (flow, from, to))
      / static_cast<double> (offered) : NONE;
}

double
BottleneckMeter::Loss (Time from, Time to) const
{
  uint64_t offered = 0, dropped = 0;

  for (unsigned i = 0; i < m_accepted.size (); i++) {
    offered += Offered (i, from, to);
    dropped += Dropped (i, from, to);
  }
  return offered ? static_cast<double> (dropped)
      / static_cast<double> (offered) : NONE;
}

double
BottleneckMeter::Utilisation (Time from, Time to) const
{
  uint64_t bytes = 0;

  for (const Departure &d : Part<Departure> (m_left, from, to))
    bytes += d.bytes;
  return 1e6 * mbps (bytes, from, to)
      / static_cast<double> (m_rate.GetBitRate ());
}

Distribution
BottleneckMeter::Waits (Time from, Time to) const
{
  std::vector<double> samples;

  for (const Departure &d : Part<Departure> (m_left, from, to))
    samples.push_back (1e-6 * static_cast<double> (d.wait));
  return describe (samples);
}

}
