/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "session.h"

#include <algorithm>

using namespace ns3;

namespace sim
{

namespace
{

/* A wall clock, 32.32; only its differences matter. */
constexpr int64_t NTP_AT_0 = 1000000;   /* s */

}

uint64_t
ntp_now ()
{
  uint64_t now = static_cast<uint64_t> (
      Simulator::Now ().GetNanoSeconds () + NTP_AT_0 * PSP_SECOND);
  uint64_t second = static_cast<uint64_t> (PSP_SECOND);

  return (now / second) << 32 | ((now % second) << 32) / second;
}

TypeId
ReceiverApp::GetTypeId ()
{
  static TypeId id = TypeId ("sim::ReceiverApp").SetParent<Application> ();

  return id;
}

ReceiverApp::ReceiverApp (const ReceiverConfig &config)
  : m_config (config)
{
}

ReceiverApp::~ReceiverApp ()
{
  psp_receiver_free (m_receiver);
}

void
ReceiverApp::DoDispose ()
{
  m_event.Cancel ();
  m_socket = nullptr;
  Application::DoDispose ();
}

void
ReceiverApp::StartApplication ()
{
  PspReceiverConfig config {};

  config.ssrc = 0x1000 + m_config.port;
  config.cname = "receiver";
  config.feedback_interval = m_config.feedback_interval.GetNanoSeconds ();
  /* The papers' rows were made with one report a second below the 2 %. */
  if (!m_config.as_pspsrc)
    config.floor_interval = PSP_SECOND;
  config.max_rtcp_size = m_config.max_rtcp_size;
  config.clock_rate = m_config.clock_rate;
  config.random_seed = m_config.seed;
  m_receiver = psp_receiver_new (&config);
  NS_ABORT_MSG_UNLESS (m_receiver, "out of memory");
  m_socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  m_socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), m_config.port));
  m_socket->SetIpRecvTos (m_config.ecn);
  m_socket->SetRecvCallback (MakeCallback (&ReceiverApp::Read, this));
}

void
ReceiverApp::StopApplication ()
{
  m_event.Cancel ();
  if (m_socket)
    m_socket->Close ();
  m_socket = nullptr;
}

PspReceiverStats
ReceiverApp::Stats () const
{
  PspReceiverStats stats {};

  if (m_receiver)
    psp_receiver_stats (m_receiver, &stats);
  return stats;
}

void
ReceiverApp::Read (Ptr<Socket> socket)
{
  Ptr<Packet> packet;

  while ((packet = socket->RecvFrom (m_sender)))
    Take (packet);
  Run ();
}

/* The sender counts from 0. */
uint64_t
ReceiverApp::Index (uint16_t seq)
{
  int64_t index = static_cast<int64_t> (m_next_index)
      + psp_seq_distance (seq, static_cast<uint16_t> (m_next_index));

  if (index < 0)
    return seq;
  m_next_index = std::max (m_next_index, static_cast<uint64_t> (index) + 1);
  return static_cast<uint64_t> (index);
}

void
ReceiverApp::Take (Ptr<Packet> packet)
{
  uint8_t data[64];
  uint32_t kept = packet->CopyData (data, sizeof data);
  Time now = Simulator::Now ();
  SocketIpTosTag tos;
  PspRtpHeader header;
  uint8_t ecn = PSP_ECN_NOT_ECT;

  if (psp_packet_kind (data, kept) == PSP_PACKET_RTCP) {
    uint8_t rtcp[1500];
    uint32_t byes[PSP_MAX_STREAMS];
    unsigned n = psp_receiver_rtcp (m_receiver, rtcp,
        packet->CopyData (rtcp, sizeof rtcp), now.GetNanoSeconds (), byes);

    while (n > 0)
      psp_receiver_end_stream (m_receiver, byes[--n], now.GetNanoSeconds ());
    return;
  }
  if (!psp_rtp_parse (data, kept, packet->GetSize (), &header))
    return;
  if (m_config.ecn && packet->PeekPacketTag (tos))
    ecn = tos.GetTos () & 3;
  psp_receiver_packet (m_receiver, &header, ecn, now.GetNanoSeconds ());
  if (m_config.meter)
    m_config.meter->Received (now, Index (header.seq));
}

void
ReceiverApp::Run ()
{
  uint8_t data[1500];
  int64_t now = Simulator::Now ().GetNanoSeconds (), next;
  size_t size;

  if (!m_socket)
    return;
  while ((size = psp_receiver_pack (m_receiver, now, ntp_now (), data,
              std::min<size_t> (sizeof data, m_config.max_rtcp_size))) > 0)
    m_socket->SendTo (Create<Packet> (data, static_cast<uint32_t> (size)), 0,
        m_sender);
  next = psp_receiver_next (m_receiver, now);
  next = next == PSP_TIME_NEVER ? next : std::max (next, now + 1);
  if (m_event.IsRunning () && next == static_cast<int64_t> (m_event.GetTs ()))
    return;
  m_event.Cancel ();
  if (next != PSP_TIME_NEVER)
    m_event = Simulator::Schedule (NanoSeconds (next - now),
        &ReceiverApp::Run, this);
}

}
