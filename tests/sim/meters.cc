/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "meters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/* Of one of the entries' counts of bytes. */
template <typename T>
double
mbps (const std::vector<T> &log, uint32_t T::*bytes, Time from, Time to)
{
  uint64_t sum = 0;

  for (const T &entry : Part<T> (log, from, to))
    sum += entry.*bytes;
  return 8e-6 * static_cast<double> (sum) / (to - from).GetSeconds ();
}

/* Of what `value` makes of each entry; NaN = nothing. */
template <typename T, typename Value>
Distribution
values (const std::vector<T> &log, Time from, Time to, Value value)
{
  std::vector<double> samples;

  for (const T &entry : Part<T> (log, from, to))
    if (double sample = value (entry); !std::isnan (sample))
      samples.push_back (sample);
  return describe (samples);
}

template <typename T>
Distribution
gaps (const std::vector<T> &log, Time from, Time to)
{
  double last = NONE;

  return values (log, from, to, [&last] (const T &entry) {
        double at = static_cast<double> (entry.at);
        return 1e-3 * (at - std::exchange (last, at));
      });
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
  return mbps (m_sent, &Departure::bytes, from, to);
}

double
FlowMeter::ReceivedMbps (Time from, Time to) const
{
  return mbps (m_received, &Arrival::bytes, from, to);
}

double
FlowMeter::ReceivedPayloadMbps (Time from, Time to) const
{
  return mbps (m_received, &Arrival::payload, from, to);
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
  return values (m_received, from, to, [] (const Arrival &a) {
        return a.delay < 0 ? NONE : 1e-6 * static_cast<double> (a.delay);
      });
}

Distribution
FlowMeter::Rtts (Time from, Time to) const
{
  return values (m_rtts, from, to, [] (const Sample &s) { return s.value; });
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

uint32_t
frame_size (Ptr<const Packet> packet)
{
  return packet->GetSize ();
}

/* In the discipline a packet has no PPP header yet. */
uint32_t
frame_size (Ptr<const QueueDiscItem> item)
{
  return item->GetSize () + PPP;
}

}

BottleneckMeter::BottleneckMeter (const Dumbbell &dumbbell)
  : m_dumbbell (dumbbell),
    m_rate (dumbbell.Config ().rate),
    m_accepted (dumbbell.Config ().n_flows + 1),
    m_dropped (dumbbell.Config ().n_flows + 1)
{
  if (dumbbell.Disc ())
    Watch<QueueDiscItem> (dumbbell.Disc ());
  else
    Watch<Packet> (dumbbell.Bottleneck ()->GetQueue ());
}

template <typename Item>
void
BottleneckMeter::Watch (Ptr<Object> queue)
{
  queue->TraceConnectWithoutContext ("Enqueue",
      MakeCallback (&BottleneckMeter::Enqueue<Item>, this));
  queue->TraceConnectWithoutContext ("Dequeue",
      MakeCallback (&BottleneckMeter::Dequeue<Item>, this));
  queue->TraceConnectWithoutContext ("Drop",
      MakeCallback (&BottleneckMeter::Drop<Item>, this));
}

template <typename Item>
void
BottleneckMeter::Enqueue (Ptr<const Item> item)
{
  m_accepted[m_dumbbell.FlowOf (source_of (item))].push_back (now_ns ());
  m_waiting.push_back (now_ns ());
}

template <typename Item>
void
BottleneckMeter::Dequeue (Ptr<const Item> item)
{
  if (m_waiting.empty ())
    return;
  m_left.push_back ({ now_ns (), now_ns () - m_waiting.front (),
      frame_size (item) });
  m_waiting.pop_front ();
}

template <typename Item>
void
BottleneckMeter::Drop (Ptr<const Item> item)
{
  m_dropped[m_dumbbell.FlowOf (source_of (item))].push_back (now_ns ());
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
  return 1e6 * mbps (m_left, &Departure::bytes, from, to)
      / static_cast<double> (m_rate.GetBitRate ());
}

Distribution
BottleneckMeter::Waits (Time from, Time to) const
{
  return values (m_left, from, to, [] (const Departure &d) {
        return 1e-6 * static_cast<double> (d.wait);
      });
}

}
