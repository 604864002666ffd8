/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tcpflow.h"

#include <algorithm>

#include "ns3/applications-module.h"

using namespace ns3;

namespace sim
{

namespace
{

constexpr uint32_t DEFAULT_WINDOW = 1024;       /* packets */

uint32_t
window_bytes (const TcpConfig &config)
{
  return (config.window ? config.window : DEFAULT_WINDOW) * config.segment;
}

Ptr<Socket>
new_socket (Ptr<Node> node, const TcpConfig &config)
{
  TypeId variant;
  Ptr<Socket> socket;

  NS_ABORT_MSG_UNLESS (TypeId::LookupByNameFailSafe (config.variant, &variant),
      "no such TCP: " << config.variant);
  node->GetObject<TcpL4Protocol> ()->SetAttribute ("SocketType",
      TypeIdValue (variant));
  socket = Socket::CreateSocket (node, TcpSocketFactory::GetTypeId ());
  socket->SetAttribute ("SegmentSize", UintegerValue (config.segment));
  /* What is outstanding is in the sender's buffer: that is the window. One
   * that the receiver advertises makes ns-3.37 crash at times, when it has no
   * room left in the middle of a segment. */
  socket->SetAttribute ("SndBufSize", UintegerValue (window_bytes (config)));
  socket->SetAttribute ("RcvBufSize",
      UintegerValue (2 * window_bytes (config)));
  socket->SetAttribute ("DelAckCount", UintegerValue (config.delayed_ack));
  socket->SetAttribute ("DelAckTimeout",
      TimeValue (config.delayed_ack_time));
  socket->SetAttribute ("Sack", BooleanValue (config.sack));
  socket->SetAttribute ("Timestamp", BooleanValue (config.timestamps));
  socket->SetAttribute ("MinRto", TimeValue (config.min_rto));
  socket->SetAttribute ("UseEcn", EnumValue (config.ecn
          ? TcpSocketState::On : TcpSocketState::Off));
  return socket;
}

}

class TcpReceiverApp : public Application
{
public:
  static TypeId GetTypeId ();
  TcpReceiverApp (const TcpConfig &config, uint16_t port)
    : m_config (config), m_port (port) { }

protected:
  void DoDispose () override;

private:
  void StartApplication () override;
  void StopApplication () override { }
  void Accept (Ptr<Socket> socket, const ns3::Address &from);
  void Read (Ptr<Socket> socket);

  TcpConfig m_config;
  uint16_t m_port;
  Ptr<Socket> m_socket, m_accepted;
};

TypeId
TcpReceiverApp::GetTypeId ()
{
  static TypeId id = TypeId ("sim::TcpReceiverApp").SetParent<Application> ();

  return id;
}

void
TcpReceiverApp::DoDispose ()
{
  m_socket = m_accepted = nullptr;
  Application::DoDispose ();
}

void
TcpReceiverApp::StartApplication ()
{
  m_socket = new_socket (GetNode (), m_config);
  m_socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), m_port));
  m_socket->Listen ();
  m_socket->SetAcceptCallback (
      MakeNullCallback<bool, Ptr<Socket>, const ns3::Address &> (),
      MakeCallback (&TcpReceiverApp::Accept, this));
}

void
TcpReceiverApp::Accept (Ptr<Socket> socket, const ns3::Address &)
{
  m_accepted = socket;
  socket->SetRecvCallback (MakeCallback (&TcpReceiverApp::Read, this));
}

void
TcpReceiverApp::Read (Ptr<Socket> socket)
{
  Ptr<Packet> packet;

  while ((packet = socket->Recv ()) && packet->GetSize () > 0) {
    uint32_t size = packet->GetSize ();
    uint32_t n = (size + m_config.segment - 1) / m_config.segment;

    if (m_config.meter)
      m_config.meter->ReceivedBytes (Simulator::Now (),
          size + n * TCP_OVERHEAD, size);
  }
}

class TcpSenderApp : public Application
{
public:
  static TypeId GetTypeId ();
  TcpSenderApp (const TcpConfig &config, const ns3::Address &to)
    : m_config (config), m_to (to) { }
  uint64_t Timeouts () const { return m_timeouts; }

protected:
  void DoDispose () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void Connected (Ptr<Socket>) { Fill (); }
  void Room (Ptr<Socket>, uint32_t) { Fill (); }
  void Fill ();
  void Pause ();
  void Resume ();
  void Rtt (Time, Time now) { m_rtt = now; }
  void Acknowledged (Ptr<const Packet>, const TcpHeader &,
      Ptr<const TcpSocketBase>);
  void State (TcpSocketState::TcpCongState_t before,
      TcpSocketState::TcpCongState_t now);

  TcpConfig m_config;
  ns3::Address m_to;
  Ptr<Socket> m_socket;
  EventId m_event;
  Time m_rtt;
  bool m_paused = false;
  uint64_t m_timeouts = 0;
};

TypeId
TcpSenderApp::GetTypeId ()
{
  static TypeId id = TypeId ("sim::TcpSenderApp").SetParent<Application> ();

  return id;
}

void
TcpSenderApp::DoDispose ()
{
  m_event.Cancel ();
  m_socket = nullptr;
  Application::DoDispose ();
}

void
TcpSenderApp::StartApplication ()
{
  m_socket = new_socket (GetNode (), m_config);
  m_socket->TraceConnectWithoutContext ("RTT",
      MakeCallback (&TcpSenderApp::Rtt, this));
  m_socket->TraceConnectWithoutContext ("Rx",
      MakeCallback (&TcpSenderApp::Acknowledged, this));
  m_socket->TraceConnectWithoutContext ("CongState",
      MakeCallback (&TcpSenderApp::State, this));
  m_socket->Bind ();
  m_socket->SetConnectCallback (
      MakeCallback (&TcpSenderApp::Connected, this),
      MakeNullCallback<void, Ptr<Socket>> ());
  m_socket->SetSendCallback (MakeCallback (&TcpSenderApp::Room, this));
  m_socket->Connect (m_to);
  if (m_config.on > Time (0) && m_config.off > Time (0))
    m_event = Simulator::Schedule (m_config.on, &TcpSenderApp::Pause, this);
}

void
TcpSenderApp::StopApplication ()
{
  m_event.Cancel ();
  m_paused = true;
}

/* Whole segments only, so that no small one comes in between. */
void
TcpSenderApp::Fill ()
{
  while (!m_paused && m_socket->GetTxAvailable () >= m_config.segment)
    if (m_socket->Send (Create<Packet> (m_config.segment)) < 0)
      break;
}

void
TcpSenderApp::Pause ()
{
  m_paused = true;
  m_event = Simulator::Schedule (m_config.off, &TcpSenderApp::Resume, this);
}

void
TcpSenderApp::Resume ()
{
  m_paused = false;
  m_event = Simulator::Schedule (m_config.on, &TcpSenderApp::Pause, this);
  Fill ();
}

/* ns-3 tells of a round trip only when it differs from the one before: each
 * ACK counts as a sample of the last. */
void
TcpSenderApp::Acknowledged (Ptr<const Packet>, const TcpHeader &,
    Ptr<const TcpSocketBase>)
{
  if (m_config.meter && m_rtt > Time (0))
    m_config.meter->Rtt (Simulator::Now (), m_rtt);
}

void
TcpSenderApp::State (TcpSocketState::TcpCongState_t,
    TcpSocketState::TcpCongState_t now)
{
  m_timeouts += now == TcpSocketState::CA_LOSS;
}

TcpFlow
install_tcp (const Topology &topology, unsigned flow, const TcpConfig &config,
    Time start, Time stop)
{
  TcpFlow tcp;

  tcp.receiver =
      CreateObject<TcpReceiverApp> (config, topology.Port (flow));
  tcp.sender = CreateObject<TcpSenderApp> (config, topology.Address (flow));
  tcp.sender->SetStartTime (start);
  if (stop != Time::Max ())
    tcp.sender->SetStopTime (stop);
  topology.Receiver (flow)->AddApplication (tcp.receiver);
  topology.Sender (flow)->AddApplication (tcp.sender);
  return tcp;
}

uint64_t
tcp_timeouts (const TcpFlow &flow)
{
  return DynamicCast<TcpSenderApp> (flow.sender)->Timeouts ();
}

}
