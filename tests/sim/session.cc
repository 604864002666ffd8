/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "session.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace sim
{

namespace
{

constexpr uint32_t PPP = 2;
constexpr uint32_t MAX_RTCP = 1200;
constexpr uint8_t PAYLOAD_TYPE = 96;
constexpr uint32_t TIMESTAMP_RATE = 90000;
constexpr uint32_t SSRC = 1;

}

TypeId
SenderApp::GetTypeId ()
{
  static TypeId id = TypeId ("sim::SenderApp").SetParent<Application> ();

  return id;
}

SenderApp::SenderApp (const SenderConfig &config, Ptr<Source> source)
  : m_config (config),
    m_source (source),
    m_random (CreateObject<UniformRandomVariable> ())
{
  if (!m_config.klass)
    m_config.klass = psp_controller_find (config.controller.c_str ());
  NS_ABORT_MSG_UNLESS (m_config.klass, "no such controller: "
      << config.controller);
  NS_ABORT_MSG_UNLESS (config.interface_rate.GetBitRate () > 0,
      "the interface needs a rate");
}

SenderApp::~SenderApp ()
{
  psp_sender_free (m_sender);
  psp_rtcp_feedback_clear (&m_feedback);
}

void
SenderApp::DoDispose ()
{
  m_event.Cancel ();
  m_socket = nullptr;
  m_source = nullptr;
  Application::DoDispose ();
}

/* The sender's monotonic clock. */
int64_t
SenderApp::Clock () const
{
  Time since = Simulator::Now () - m_time_base;

  return m_clock_base + static_cast<int64_t> (
      static_cast<double> (since.GetNanoSeconds ()) / m_slowness);
}

/* When the clock will have come to that. */
Time
SenderApp::When (int64_t clock) const
{
  double since = static_cast<double> (clock - m_clock_base) * m_slowness;

  return m_time_base + NanoSeconds (static_cast<int64_t> (std::ceil (since)));
}

/* From here on the clock goes at another speed. */
void
SenderApp::Wander ()
{
  if (m_config.jitter <= 0)
    return;
  m_clock_base = Clock ();
  m_time_base = Simulator::Now ();
  m_slowness = m_random->GetValue (1 - m_config.jitter, 1 + m_config.jitter);
}

/* As the papers have them, where it is not to be as pspsink: their smallest round trip
 * is never forgotten, and the decrease of the spacing is a constant. */
std::vector<double>
SenderApp::Parameters () const
{
  const PspParameter *table = m_config.klass->parameters;
  std::vector<double> values (PSP_MAX_PARAMETERS);

  psp_parameter_defaults (table, values.data ());
  std::copy (m_config.parameters.begin (), m_config.parameters.end (),
      values.begin ());
  if (m_config.as_pspsink)
    return values;
  for (const char *name : {"life", "relative-decrease"})
    {
      int i = psp_parameter_find (table, name);

      if (i >= 0)
        values[static_cast<size_t> (i)] = 0;
    }
  return values;
}

void
SenderApp::StartApplication ()
{
  PspSenderConfig config {};
  std::vector<double> parameters = Parameters ();

  config.controller = m_config.klass;
  config.limits = m_config.limits;
  config.parameters = parameters.data ();
  m_time_base = Simulator::Now ();
  m_clock_base = m_time_base.GetNanoSeconds ();
  m_sender = psp_sender_new (&config, m_clock_base);
  m_ticked_at = m_clock_base;
  psp_sender_reports_init (&m_reports, "sender", m_config.seed);
  NS_ABORT_MSG_UNLESS (m_sender && psp_rtcp_feedback_init (&m_feedback,
          MAX_RTCP), "out of memory");
  m_socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  m_socket->Bind ();
  m_socket->Connect (m_config.to);
  if (m_config.ecn)
    m_socket->SetIpTos (PSP_ECN_ECT0);
  m_socket->SetRecvCallback (MakeCallback (&SenderApp::Read, this));
  Run ();
}

void
SenderApp::StopApplication ()
{
  m_event.Cancel ();
  if (m_socket)
    m_socket->Close ();
  m_socket = nullptr;
}

PspSenderStats
SenderApp::Stats () const
{
  PspSenderStats stats {};

  if (m_sender)
    psp_sender_stats (m_sender, Clock (), &stats);
  return stats;
}

void
SenderApp::SetLimits (const PspLimits &limits)
{
  m_config.limits = limits;
  if (!m_socket)
    return;
  psp_sender_set_limits (m_sender, &limits, Clock ());
  Run ();
}

void
SenderApp::Reset ()
{
  if (!m_socket)
    return;
  psp_rtcp_feedback_forget (&m_feedback);
  psp_sender_reset (m_sender, Clock ());
  m_ticked_at = Clock ();
  Run ();
}

void
SenderApp::Read (Ptr<Socket> socket)
{
  Ptr<Packet> packet;
  uint8_t data[MAX_RTCP];
  bool bye = false;

  while ((packet = socket->Recv ())) {
    uint32_t size = packet->CopyData (data, sizeof data);

    if (psp_packet_kind (data, size) == PSP_PACKET_RTCP)
      psp_rtcp_feedback_receive (&m_feedback, m_sender, data, size, Clock (),
          &bye);
  }
  Run ();
}

/* When a timer is due, or reports are. */
int64_t
SenderApp::NextTick () const
{
  return std::min (psp_sender_next_tick (m_sender, Clock ()),
      psp_sender_reports_next (&m_reports, m_ticked_at));
}

/* Everything that is due; and when to look again. */
void
SenderApp::Run ()
{
  Time next;

  if (!m_socket)
    return;
  if (NextTick () <= Clock ()) {
    m_ticked_at = Clock ();
    psp_sender_tick (m_sender, m_ticked_at);
  }
  TakeNotices ();
  SendReports ();
  next = SendAll ();
  int64_t tick = NextTick ();
  if (tick != PSP_TIME_NEVER)
    next = std::min (next, When (tick));
  m_event.Cancel ();
  if (next == Time::Max ())
    return;
  /* When () rounds: the clock may yet be short of it. */
  next = std::max (next - Simulator::Now (), NanoSeconds (1));
  m_event = Simulator::Schedule (next, &SenderApp::Run, this);
}

void
SenderApp::TakeNotices ()
{
  PspNotice notice;

  while (psp_sender_take_notice (m_sender, Clock (), &notice)) {
    m_source->Notice (Simulator::Now (), notice);
    if (m_config.notice)
      m_config.notice (Simulator::Now (), notice);
  }
}

void
SenderApp::SendReports ()
{
  uint8_t data[MAX_RTCP];
  size_t size;

  while ((size = psp_sender_reports_pack (&m_reports, Clock (), ntp_now (),
              PSP_TIME_UNKNOWN, false, data, sizeof data)) > 0)
    m_socket->Send (Create<Packet> (data, static_cast<uint32_t> (size)));
}

/* What may leave now; returns when more may. */
Time
SenderApp::SendAll ()
{
  for (;;) {
    Time now = Simulator::Now ();
    uint32_t payload;
    int64_t next;

    if (!psp_sender_media_allowed (m_sender, Clock ()))
      m_source->Drop (now);
    payload = m_source->Head (now);
    if (payload == 0)
      return m_source->Next (now);
    if (m_interface_free > now)
      return m_interface_free;
    if (psp_sender_allowance (m_sender, Clock (), 1, &next) == 0) {
      psp_sender_wait (m_sender);
      return next == PSP_TIME_NEVER ? Time::Max () : When (next);
    }
    SendOne (payload);
  }
}

void
SenderApp::SendOne (uint32_t payload)
{
  Time now = Simulator::Now ();
  PspRtpHeader header {};
  PspPacket sent {};
  uint32_t timestamp = static_cast<uint32_t> (
      now.GetMicroSeconds () * TIMESTAMP_RATE / 1000000);
  bool marker = m_source->Take (now);
  uint8_t data[RTP_HEADER] = { 0x80,
    static_cast<uint8_t> (PAYLOAD_TYPE | (marker ? 0x80 : 0)),
    static_cast<uint8_t> (m_seq >> 8), static_cast<uint8_t> (m_seq),
    static_cast<uint8_t> (timestamp >> 24),
    static_cast<uint8_t> (timestamp >> 16),
    static_cast<uint8_t> (timestamp >> 8), static_cast<uint8_t> (timestamp),
    0, 0, 0, SSRC };

  header.ssrc = SSRC;
  header.timestamp = timestamp;
  header.seq = m_seq++;
  header.payload_type = PAYLOAD_TYPE;
  header.marker = marker;
  header.size = payload + RTP_HEADER;
  header.payload_size = payload;
  psp_rtp_packet (&header, &sent);
  psp_sender_reports_sent (&m_reports, &header, PSP_TIME_UNKNOWN, Clock ());
  psp_sender_sent (m_sender, &sent, Clock (), m_source->Waiting (now));
  NS_ABORT_MSG_UNLESS (psp_sender_make_room (m_sender, Clock ()),
      "out of memory");
  if (m_config.meter)
    m_config.meter->Sent (now, payload + OVERHEAD, payload);

  Ptr<Packet> packet = Create<Packet> (data, RTP_HEADER);
  /* As zeros that ns-3 does not store. */
  packet->AddAtEnd (Create<Packet> (payload));
  m_socket->Send (packet);
  m_interface_free = now
      + m_config.interface_rate.CalculateBytesTxTime (payload + OVERHEAD + PPP);
  Wander ();
}

Session
install_session (const Topology &topology, unsigned flow, SenderConfig sender,
    ReceiverConfig receiver, Ptr<Source> source, Time start, Time stop)
{
  Session session;

  sender.to = topology.Address (flow);
  sender.interface_rate = topology.AccessRate (flow);
  receiver.port = topology.Port (flow);
  receiver.meter = sender.meter;
  receiver.ecn = sender.ecn;
  receiver.as_pspsrc = sender.as_pspsink;
  session.sender = CreateObject<SenderApp> (sender, source);
  session.receiver = CreateObject<ReceiverApp> (receiver);
  session.sender->SetStartTime (start);
  if (stop != Time::Max ())
    session.sender->SetStopTime (stop);
  topology.Sender (flow)->AddApplication (session.sender);
  topology.Receiver (flow)->AddApplication (session.receiver);
  return session;
}

}
