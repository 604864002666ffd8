/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "session.h"

#include <algorithm>
#include <fstream>
#include <numeric>

using namespace ns3;

namespace sim
{

FrameSource::FrameSource (Time first, Time interval, uint32_t max_payload,
    Size size)
  : m_next (first),
    m_interval (interval),
    m_max_payload (max_payload),
    m_size (std::move (size))
{
  NS_ABORT_MSG_UNLESS (interval > Time (0) && max_payload > 0, "no frames");
}

/* Every frame whose time has come. */
void
FrameSource::Produce (Time now)
{
  for (; m_next <= now; m_next += m_interval) {
    uint32_t bytes = m_size (m_index++, m_scale);

    if (bytes > 0)
      m_frames.push_back (bytes);
  }
}

uint32_t
FrameSource::Head (Time now)
{
  Produce (now);
  return m_frames.empty () ? 0 : std::min (m_frames.front (), m_max_payload);
}

bool
FrameSource::Take (Time now)
{
  m_frames.front () -= Head (now);
  if (m_frames.front () > 0)
    return false;
  m_frames.pop_front ();
  return true;
}

Time
FrameSource::Next (Time)
{
  return m_next;
}

void
FrameSource::Notice (Time, const PspNotice &notice)
{
  m_scale = notice.scale;
}

void
FrameSource::Drop (Time now)
{
  Produce (now);
  m_frames.clear ();
}

uint64_t
FrameSource::Backlog () const
{
  return std::accumulate (m_frames.begin (), m_frames.end (), uint64_t {0});
}

TraceSource::TraceSource (const std::string &path)
{
  std::ifstream file (path);
  double at, last = 0;
  uint32_t size;

  while (file >> at >> size) {
    NS_ABORT_MSG_UNLESS (at >= last && size > RTP_HEADER,
        path << ": packet " << m_packets.size () << " makes no sense");
    m_packets.push_back ({ Seconds (at), size - RTP_HEADER });
    last = at;
  }
  NS_ABORT_MSG_UNLESS (file.eof () && !m_packets.empty (),
      path << " is no trace of packets");
}

uint32_t
TraceSource::Head (Time now)
{
  return m_next < m_packets.size () && m_packets[m_next].at <= now ?
      m_packets[m_next].payload : 0;
}

bool
TraceSource::Take (Time)
{
  m_next++;
  return false;
}

Time
TraceSource::Next (Time)
{
  return m_next < m_packets.size () ? m_packets[m_next].at : Time::Max ();
}

}
