/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What happened to each flow and at the bottleneck. Everything is logged in
 * memory and asked for afterwards, over any part [from, to) of the run. Let
 * the simulation run on for a round trip after the last `to`, so that what is
 * in flight then does not count as lost.
 *
 * Bytes are those of IP packets (what a link carries without its own header);
 * rates are Mb/s of them unless their name says payload.
 */
#ifndef TESTS_SIM_METERS_H
#define TESTS_SIM_METERS_H

#include <cstdint>
#include <deque>
#include <vector>

#include "dumbbell.h"

namespace sim
{

struct Distribution
{
  uint64_t n = 0;
  double mean = 0, deviation = 0;       /* of the population */
  double min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
};

/* Sorts its argument. All 0 where there is nothing. */
Distribution describe (std::vector<double> &samples);
/* Jain, Chiu and Hawe 1984: 1 = all have the same, 1/n = one has all. */
double jain (const std::vector<double> &rates);

/* One flow, end to end. Not copied: others keep pointers to it. */
class FlowMeter
{
public:
  FlowMeter () = default;
  FlowMeter (const FlowMeter &) = delete;
  FlowMeter &operator= (const FlowMeter &) = delete;

  /* The next packet left; the first is number 0. */
  void Sent (ns3::Time now, uint32_t bytes, uint32_t payload);
  /* Packet number `index` arrived; what was not sent is ignored. */
  void Received (ns3::Time now, uint64_t index);
  /* So much of a byte stream (TCP) arrived: IP bytes and payload. */
  void ReceivedBytes (ns3::Time now, uint32_t bytes, uint32_t payload);
  /* A round trip was measured (TCP: by the sender). */
  void Rtt (ns3::Time now, ns3::Time rtt);

  uint64_t PacketsSent (ns3::Time from, ns3::Time to) const;
  uint64_t PacketsReceived (ns3::Time from, ns3::Time to) const;
  double SentMbps (ns3::Time from, ns3::Time to) const;
  double ReceivedMbps (ns3::Time from, ns3::Time to) const;
  double ReceivedPayloadMbps (ns3::Time from, ns3::Time to) const;
  /* Of what left in that time, the part that never arrived; NaN where nothing
   * left, and for TCP (see BottleneckMeter::Loss). */
  double Loss (ns3::Time from, ns3::Time to) const;
  /* Between arrivals, µs. */
  Distribution Gaps (ns3::Time from, ns3::Time to) const;
  /* Between departures, µs. */
  Distribution SendGaps (ns3::Time from, ns3::Time to) const;
  /* One way, of what arrived in that time, ms. */
  Distribution Delays (ns3::Time from, ns3::Time to) const;
  /* ms. */
  Distribution Rtts (ns3::Time from, ns3::Time to) const;

private:
  struct Departure { int64_t at; uint32_t bytes, payload; bool arrived; };
  struct Arrival { int64_t at, delay; uint32_t bytes, payload; };
  struct Sample { int64_t at; double value; };

  std::vector<Departure> m_sent;
  std::vector<Arrival> m_received;
  std::vector<Sample> m_rtts;
};

/* The bottleneck's queue, left to right. What is flushed from it leaves then,
 * as if it had been sent; and a rate that changes on the way changes nothing
 * but what Utilisation refers to. */
class BottleneckMeter
{
public:
  explicit BottleneckMeter (const Dumbbell &dumbbell);
  BottleneckMeter (const BottleneckMeter &) = delete;
  BottleneckMeter &operator= (const BottleneckMeter &) = delete;

  /* Packets of a flow that came to the queue, and of these dropped. */
  uint64_t Offered (unsigned flow, ns3::Time from, ns3::Time to) const;
  uint64_t Dropped (unsigned flow, ns3::Time from, ns3::Time to) const;
  /* Dropped / Offered; NaN where nothing came. Also over all flows. */
  double Loss (unsigned flow, ns3::Time from, ns3::Time to) const;
  double Loss (ns3::Time from, ns3::Time to) const;
  /* What the link carried, as a part of its rate, its own headers included. */
  double Utilisation (ns3::Time from, ns3::Time to) const;
  /* Time spent in the queue, without transmission, ms. */
  Distribution Waits (ns3::Time from, ns3::Time to) const;

private:
  struct Departure { int64_t at, wait; uint32_t bytes; };

  /* Item: Packet of the device's queue, QueueDiscItem of the discipline's. */
  template <typename Item> void Watch (ns3::Ptr<ns3::Object> queue);
  template <typename Item> void Enqueue (ns3::Ptr<const Item> item);
  template <typename Item> void Dequeue (ns3::Ptr<const Item> item);
  template <typename Item> void Drop (ns3::Ptr<const Item> item);

  const Dumbbell &m_dumbbell;
  ns3::DataRate m_rate;
  /* By flow, one more for what is nobody's; times. */
  std::vector<std::vector<int64_t>> m_accepted, m_dropped;
  std::deque<int64_t> m_waiting;        /* since when; first in, first out */
  std::vector<Departure> m_left;
};

}

#endif
