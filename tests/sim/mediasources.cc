/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "mediasources.h"

extern "C"
{
#include <scaling/policy.h>
}

namespace sim
{

MmSource::MmSource (ns3::Time first, uint32_t packet_size)
  : m_next (first), m_size (packet_size)
{
}

void
MmSource::Produce (ns3::Time now)
{
  for (; m_next <= now; m_waiting++)
    m_next += ns3::Seconds (8.0 * m_size / TABLE_1[m_scale]);
}

uint32_t
MmSource::Head (ns3::Time now)
{
  Produce (now);
  return m_waiting > 0 ? m_size - OVERHEAD : 0;
}

bool
MmSource::Take (ns3::Time)
{
  m_waiting--;
  return true;
}

ns3::Time
MmSource::Next (ns3::Time)
{
  return m_next;
}

void
MmSource::Notice (ns3::Time now, const PspNotice &notice)
{
  Produce (now);
  if (notice.scale >= 0)
    m_scale = notice.scale;
}

void
MmSource::Drop (ns3::Time now)
{
  Produce (now);
  m_waiting = 0;
}

static ScalingPicture
make_picture (char type, unsigned distance)
{
  ScalingPicture picture {};

  picture.readable = true;
  picture.key = type == 'I';
  picture.reference = type != 'B';
  picture.distance = distance;
  return picture;
}

/* In coded order each I and P comes before the two B displayed before it. */
M2vTrace::M2vTrace (unsigned pattern, unsigned n_frames)
  : m_group (pattern == 1 ? 9 : 12), m_lowest (n_frames)
{
  ScalingPolicy policy;

  scaling_policy_init (&policy);
  for (unsigned anchor = 0; anchor < n_frames + 2; anchor += 3) {
    unsigned first = anchor > 0 ? anchor - 2 : 0;

    for (unsigned i = 0; first + i <= anchor; i++) {
      unsigned index = i == 0 ? anchor : first + i - 1;
      unsigned distance = i == 0 ? anchor - first + 1 : anchor - index;
      ScalingPicture picture = make_picture (Type (index), distance);
      unsigned lowest = scaling_policy_next (&policy, &picture);

      if (index < n_frames)
        m_lowest[index] = lowest;
    }
  }
}

char
M2vTrace::Type (unsigned index) const
{
  return index % m_group == 0 ? 'I' : index % 3 == 0 ? 'P' : 'B';
}

uint32_t
M2vTrace::Bytes (unsigned index) const
{
  char type = Type (index);

  return type == 'I' ? 11000 : type == 'P' ? 8000 : 2000;
}

bool
M2vTrace::Passes (unsigned index, int scale) const
{
  return (int) m_lowest[index % m_lowest.size ()] <= scale;
}

double
M2vTrace::Bitrate (unsigned begin, unsigned end, int scale) const
{
  double bits = 0;

  for (unsigned i = begin; i < end; i++)
    bits += Passes (i, scale) ? 8.0 * Bytes (i) : 0;
  return bits * FPS / (end - begin);
}

uint32_t
frame_payload (uint32_t bytes)
{
  return bytes - (bytes + MAX_PACKET - 1) / MAX_PACKET * OVERHEAD;
}

ns3::Ptr<FrameSource>
m2v_source (const M2vTrace &trace, ns3::Time first, unsigned phase)
{
  auto size = [trace, phase] (uint64_t index, int scale) -> uint32_t {
    unsigned i = (unsigned) ((index + phase) % trace.FrameCount ());

    return trace.Passes (i, scale < 0 ? 0 : scale)
        ? frame_payload (trace.Bytes (i)) : 0;
  };

  return ns3::Create<FrameSource> (first,
      ns3::Seconds (1.0 / M2vTrace::FPS), MAX_PACKET - OVERHEAD, size);
}

}
