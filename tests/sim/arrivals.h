/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When packets came to the node of a receiver, as ns-2's traces have it: what
 * TCP holds back until a gap is filled has arrived all the same, and so has
 * what it gets twice.
 */
#ifndef TESTS_SIM_ARRIVALS_H
#define TESTS_SIM_ARRIVALS_H

#include <string>
#include <vector>

#include "meters.h"
#include "rows.h"

namespace sim
{

/* Not copied: the node keeps a pointer to it. */
class Arrivals
{
public:
  Arrivals () = default;
  Arrivals (const Arrivals &) = delete;
  Arrivals &operator= (const Arrivals &) = delete;

  void Watch (ns3::Ptr<ns3::Node> node);

  /* IP bytes in [from, to). */
  double Kbps (ns3::Time from, ns3::Time to) const;
  /* ms, of what arrived in [from, to). */
  Distribution Gaps (ns3::Time from, ns3::Time to) const;
  /* One row of `gap_ms` for each packet from then on. */
  void AddGaps (Rows &rows, unsigned flow, const std::string &kind,
      ns3::Time from) const;

private:
  struct Arrival { ns3::Time at; uint32_t bytes; };

  double Gap (size_t i) const;
  void Received (ns3::Ptr<const ns3::Packet> packet, ns3::Ptr<ns3::Ipv4> ip,
      uint32_t interface);

  std::vector<Arrival> m_arrivals;
};

}

#endif
