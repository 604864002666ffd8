/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "arrivals.h"

using namespace ns3;

namespace sim
{

namespace
{

/* Neither a SYN nor RTCP is so long, bytes. */
constexpr uint32_t LEAST_MEDIA = 200;

}

void
Arrivals::Watch (Ptr<Node> node)
{
  node->GetObject<Ipv4L3Protocol> ()->TraceConnectWithoutContext ("Rx",
      MakeCallback (&Arrivals::Received, this));
}

void
Arrivals::Received (Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t)
{
  if (packet->GetSize () >= LEAST_MEDIA)
    m_arrivals.push_back ({Simulator::Now (), packet->GetSize ()});
}

double
Arrivals::Kbps (Time from, Time to) const
{
  double bytes = 0;

  for (const auto &a : m_arrivals)
    if (a.at >= from && a.at < to)
      bytes += a.bytes;
  return 8e-3 * bytes / (to - from).GetSeconds ();
}

double
Arrivals::Gap (size_t i) const
{
  return (m_arrivals[i].at - m_arrivals[i - 1].at).GetSeconds () * 1e3;
}

Distribution
Arrivals::Gaps (Time from, Time to) const
{
  std::vector<double> gaps;

  for (size_t i = 1; i < m_arrivals.size (); i++)
    if (m_arrivals[i].at >= from && m_arrivals[i].at < to)
      gaps.push_back (Gap (i));
  return describe (gaps);
}

void
Arrivals::AddGaps (Rows &rows, unsigned flow, const std::string &kind,
    Time from) const
{
  for (size_t i = 1; i < m_arrivals.size (); i++)
    if (m_arrivals[i].at >= from)
      rows.Add ("gap_ms", flow, kind, m_arrivals[i].at, Gap (i));
}

}
