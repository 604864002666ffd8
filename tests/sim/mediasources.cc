/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "mediasources.h"

extern "C"
{
#include "policy.h"
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

static MpegFrame
make_frame (char type, unsigned temporal_reference)
{
  MpegFrame frame {};

  frame.valid = true;
  frame.type = type == 'I' ? MPEG_PICTURE_I :
      type == 'P' ? MPEG_PICTURE_P : MPEG_PICTURE_B;
  frame.starts_group = type == 'I';
  frame.temporal_reference = temporal_reference;
  return frame;
}

/* In coded order each I and P comes before the two B displayed before it, and
 * a group counts its frames from the first one displayed. */
MpegTrace::MpegTrace (unsigned pattern, unsigned n_frames)
  : m_group (pattern == 1 ? 9 : 12), m_lowest (n_frames)
{
  ScalerPolicy policy;
  unsigned begin = 0;

  scaler_policy_init (&policy);
  for (unsigned anchor = 0; anchor < n_frames + 2; anchor += 3) {
    unsigned first = anchor > 0 ? anchor - 2 : 0;

    if (anchor % m_group == 0)
      begin = first;
    for (unsigned i = 0; first + i <= anchor; i++) {
      unsigned index = i == 0 ? anchor : first + i - 1;
      MpegFrame frame = make_frame (Type (index), index - begin);
      unsigned lowest = scaler_policy_next (&policy, &frame);

      if (index < n_frames)
        m_lowest[index] = lowest;
    }
  }
}

char
MpegTrace::Type (unsigned index) const
{
  return index % m_group == 0 ? 'I' : index % 3 == 0 ? 'P' : 'B';
}

uint32_t
MpegTrace::Bytes (unsigned index) const
{
  char type = Type (index);

  return type == 'I' ? 11000 : type == 'P' ? 8000 : 2000;
}

bool
MpegTrace::Passes (unsigned index, int scale) const
{
  return (int) m_lowest[index % m_lowest.size ()] <= scale;
}

double
MpegTrace::Bitrate (unsigned begin, unsigned end, int scale) const
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
mpeg_source (const MpegTrace &trace, ns3::Time first, unsigned phase)
{
  auto size = [trace, phase] (uint64_t index, int scale) -> uint32_t {
    unsigned i = (unsigned) ((index + phase) % trace.FrameCount ());

    return trace.Passes (i, scale < 0 ? 0 : scale)
        ? frame_payload (trace.Bytes (i)) : 0;
  };

  return ns3::Create<FrameSource> (first,
      ns3::Seconds (1.0 / MpegTrace::FPS), MAX_PACKET - OVERHEAD, size);
}

}
