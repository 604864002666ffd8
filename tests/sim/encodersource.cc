/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "encodersource.h"

using namespace ns3;

namespace sim
{

namespace
{

/* s of the target that may wait, as in pspsink; the camera's next pictures are then
 * gone. */
constexpr double QUEUE_TIME = 1;

}

EncoderSource::EncoderSource (const std::string &name, int64_t bitrate,
    Time start, uint64_t seed)
  : m_encoder (lab_source_new (name.c_str (), bitrate, seed)),
    m_start (start),
    m_target (bitrate)
{
  NS_ABORT_MSG_UNLESS (m_encoder, "there is no encoder " << name);
}

EncoderSource::~EncoderSource ()
{
  m_encoder->klass->free (m_encoder);
}

void
EncoderSource::Make (int64_t now)
{
  static uint32_t payloads[LAB_FRAME_PACKETS];
  size_t n = m_encoder->klass->take (m_encoder, now, payloads);

  if (static_cast<double> (m_waiting_bits)
      > QUEUE_TIME * static_cast<double> (m_target))
    return;
  for (size_t i = 0; i < n; i++) {
    m_packets.push_back ({ payloads[i], i == n - 1 });
    m_waiting_bits += 8 * payloads[i];
  }
}

/* Every frame whose time has come. */
void
EncoderSource::Produce (Time now)
{
  int64_t since = (now - m_start).GetNanoSeconds (), next;

  while ((next = m_encoder->klass->next (m_encoder)) <= since)
    Make (next);
}

uint32_t
EncoderSource::Head (Time now)
{
  Produce (now);
  return m_packets.empty () ? 0 : m_packets.front ().payload;
}

bool
EncoderSource::Take (Time)
{
  Packet packet = m_packets.front ();

  m_packets.pop_front ();
  m_waiting_bits -= 8 * packet.payload;
  return packet.last;
}

Time
EncoderSource::Next (Time)
{
  return m_start + NanoSeconds (m_encoder->klass->next (m_encoder));
}

unsigned
EncoderSource::Waiting (Time now)
{
  Produce (now);
  return static_cast<unsigned> (m_packets.size ());
}

void
EncoderSource::Notice (Time now, const PspNotice &notice)
{
  if (notice.target_bitrate < 0)
    return;
  Produce (now);
  m_target = notice.target_bitrate;
  m_encoder->klass->set_target (m_encoder, (now - m_start).GetNanoSeconds (),
      m_target);
}

void
EncoderSource::Drop (Time now)
{
  Produce (now);
  m_packets.clear ();
  m_waiting_bits = 0;
}

}
