/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "dumbbell.h"

#include <cmath>

using namespace ns3;

namespace sim
{

namespace
{

constexpr uint32_t ACCESS_NETWORKS = 0x0a010000;        /* 10.1.0.0/24 on */
constexpr uint32_t EXIT_NETWORKS = 0x0a800000;  /* 10.128.0.0/24 on */
constexpr uint32_t CORE_NETWORK = 0x0aff0000;   /* 10.255.0.0/24 */
constexpr unsigned MAX_FLOWS = 1024;
constexpr uint16_t FIRST_PORT = 5004;
/* Long enough that nothing is lost but at the bottleneck. */
constexpr uint32_t ELSEWHERE = 100000;
constexpr uint32_t DESTINATION_AT = 16; /* in an IPv4 header */
/* Of a link behind which another one is the bottleneck, bits/s. */
constexpr uint64_t NO_BOTTLENECK = 1000000000000;

NetDeviceContainer
link (Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay,
    QueueSize queue, bool flow_control = false)
{
  PointToPointHelper helper;

  helper.SetDeviceAttribute ("DataRate", DataRateValue (rate));
  helper.SetChannelAttribute ("Delay", TimeValue (delay));
  helper.SetQueue ("ns3::DropTailQueue<Packet>",
      "MaxSize", QueueSizeValue (queue));
  /* Without it no queueing discipline slips in above the device's queue. */
  if (!flow_control)
    helper.DisableFlowControl ();
  return helper.Install (a, b);
}

QueueSize
packets (uint32_t n)
{
  return QueueSize (QueueSizeUnit::PACKETS, n);
}

Ipv4InterfaceContainer
number (const NetDeviceContainer &devices, uint32_t network)
{
  Ipv4AddressHelper helper;

  helper.SetBase (Ipv4Address (network), Ipv4Mask ("/24"));
  return helper.Assign (devices);
}

void
route_all (Ptr<Node> node, Ipv4Address next, Ptr<NetDevice> device)
{
  Ptr<Ipv4> ipv4 = node->GetObject<Ipv4> ();
  Ptr<Ipv4StaticRouting> routing =
      Ipv4StaticRoutingHelper ().GetStaticRouting (ipv4);

  routing->SetDefaultRoute (next, ipv4->GetInterfaceForDevice (device));
}

/* On nodes and links of their own speed: no ARP, one protocol. */
void
install_internet (const NodeContainer &nodes)
{
  InternetStackHelper internet;

  internet.SetRoutingHelper (Ipv4StaticRoutingHelper ());
  internet.SetIpv6StackInstall (false);
  internet.Install (nodes);
}

TrafficControlHelper
red (const DumbbellConfig &c)
{
  TrafficControlHelper helper;
  const QueueConfig &q = c.queue;

  helper.SetRootQueueDisc ("ns3::RedQueueDisc",
      "MaxSize", QueueSizeValue (packets (q.limit)),
      "MinTh", DoubleValue (q.red_min), "MaxTh", DoubleValue (q.red_max),
      "QW", DoubleValue (q.red_weight), "LInterm", DoubleValue (1 / q.red_p),
      "Gentle", BooleanValue (q.red_gentle), "UseEcn", BooleanValue (q.ecn),
      "MeanPktSize", UintegerValue (q.mean_packet),
      "LinkBandwidth", DataRateValue (c.rate),
      "LinkDelay", TimeValue (c.delay));
  return helper;
}

QueueSize
bottleneck_queue (const QueueConfig &q)
{
  switch (q.kind) {
    case QueueKind::DROP_TAIL:
      return packets (q.limit);
    case QueueKind::DROP_TAIL_BYTES:
      return QueueSize (QueueSizeUnit::BYTES, q.limit);
    default:
      return packets (1);       /* the discipline holds the others */
  }
}

}

Dumbbell::Dumbbell (const DumbbellConfig &config)
  : m_config (config)
{
  NS_ABORT_MSG_IF (config.n_flows > MAX_FLOWS, "too many flows");
  m_senders.Create (config.n_flows);
  m_routers.Create (2);
  install_internet (m_senders);
  install_internet (m_routers);
  if (config.exits) {
    m_receivers.Create (config.n_flows);
    install_internet (m_receivers);
  }
  Core ();
  for (unsigned i = 0; i < config.n_flows; i++)
    Access (i);
  for (unsigned i = 0; config.exits && i < config.n_flows; i++)
    Exit (i);
  Forward ();
}

void
Dumbbell::Core ()
{
  bool has_link = !m_config.link.empty ();
  bool has_disc = !has_link && m_config.queue.kind == QueueKind::RED;
  NetDeviceContainer devices = has_link ? link (m_routers.Get (0),
      m_routers.Get (1), DataRate (NO_BOTTLENECK), Time (0),
      packets (ELSEWHERE)) : link (m_routers.Get (0), m_routers.Get (1),
      m_config.rate, m_config.delay, bottleneck_queue (m_config.queue),
      has_disc);
  Ipv4InterfaceContainer interfaces;

  m_bottleneck = DynamicCast<PointToPointNetDevice> (devices.Get (0));
  DynamicCast<PointToPointNetDevice> (devices.Get (1))->GetQueue ()
      ->SetMaxSize (packets (ELSEWHERE));
  if (has_disc)
    m_disc = red (m_config).Install (devices.Get (0)).Get (0);
  interfaces = number (devices, CORE_NETWORK);
  if (has_disc)
    TrafficControlHelper ().Uninstall (devices.Get (1));
  route_all (m_routers.Get (0), interfaces.GetAddress (1), devices.Get (0));
  route_all (m_routers.Get (1), interfaces.GetAddress (0), devices.Get (1));
  if (has_link)
    m_link = std::make_unique<LinkQueue> (m_config.link,
        [this] (Ptr<Packet> packet, uint16_t protocol) {
          m_bottleneck->Send (packet, m_bottleneck->GetBroadcast (), protocol);
        });
  if (!m_config.exits)
    m_addresses.assign (m_config.n_flows, interfaces.GetAddress (1));
}

void
Dumbbell::Access (unsigned flow)
{
  Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable> ();
  double off = random->GetValue (-1, 1) * m_config.access_spread;
  DataRate rate (static_cast<uint64_t> (std::llround (
              static_cast<double> (m_config.access_rate.GetBitRate ())
              * (1 + off))));
  Time extra = flow < m_config.extra_delay.size () ?
      m_config.extra_delay[flow] : Time (0);
  NetDeviceContainer devices = link (m_senders.Get (flow), m_routers.Get (0),
      rate, m_config.access_delay + extra, packets (ELSEWHERE));
  Ipv4InterfaceContainer interfaces =
      number (devices, ACCESS_NETWORKS + (flow << 8));

  m_access_rates.push_back (rate);
  m_to_senders.Add (devices.Get (1));
  route_all (m_senders.Get (flow), interfaces.GetAddress (1), devices.Get (0));
}

void
Dumbbell::Exit (unsigned flow)
{
  NetDeviceContainer devices = link (m_receivers.Get (flow),
      m_routers.Get (1), m_config.exit_rate, m_config.exit_delay,
      packets (ELSEWHERE));
  Ipv4InterfaceContainer interfaces =
      number (devices, EXIT_NETWORKS + (flow << 8));

  route_all (m_receivers.Get (flow), interfaces.GetAddress (1),
      devices.Get (0));
  m_addresses.push_back (interfaces.GetAddress (0));
}

/* The left router's own forwarding. A queueing discipline sits below IP: with
 * one, what is to go through it is left to IP. */
void
Dumbbell::Forward ()
{
  for (unsigned i = 0; !m_disc && i < m_config.n_flows; i++)
    m_to_senders.Get (i)->SetReceiveCallback (
        MakeCallback (&Dumbbell::ToBottleneck, this));
  m_bottleneck->SetReceiveCallback (MakeCallback (&Dumbbell::ToSender, this));
}

bool
Dumbbell::ToBottleneck (Ptr<NetDevice>, Ptr<const Packet> packet,
    uint16_t protocol, const ns3::Address &)
{
  if (m_link)
    m_link->Offer (packet->Copy (), protocol);
  else
    m_bottleneck->Send (packet->Copy (), m_bottleneck->GetBroadcast (),
        protocol);
  return true;
}

bool
Dumbbell::ToSender (Ptr<NetDevice>, Ptr<const Packet> packet,
    uint16_t protocol, const ns3::Address &)
{
  uint8_t data[DESTINATION_AT + 4];
  unsigned flow;
  Ptr<NetDevice> device;

  if (packet->CopyData (data, sizeof data) < sizeof data)
    return false;
  flow = FlowOf (Ipv4Address::Deserialize (data + DESTINATION_AT));
  if (flow >= m_config.n_flows)
    return false;
  device = m_to_senders.Get (flow);
  device->Send (packet->Copy (), device->GetBroadcast (), protocol);
  return true;
}

Ptr<Node>
Dumbbell::Sender (unsigned flow) const
{
  return m_senders.Get (flow);
}

Ptr<Node>
Dumbbell::Receiver (unsigned flow) const
{
  return m_config.exits ? m_receivers.Get (flow) : m_routers.Get (1);
}

uint16_t
Dumbbell::Port (unsigned flow) const
{
  return static_cast<uint16_t> (FIRST_PORT + 2 * flow);
}

InetSocketAddress
Dumbbell::Address (unsigned flow) const
{
  return InetSocketAddress (m_addresses.at (flow), Port (flow));
}

DataRate
Dumbbell::AccessRate (unsigned flow) const
{
  return m_access_rates.at (flow);
}

unsigned
Dumbbell::FlowOf (Ipv4Address source) const
{
  uint32_t flow = (source.Get () - ACCESS_NETWORKS) >> 8;

  return flow < m_config.n_flows ? flow : m_config.n_flows;
}

Ptr<PointToPointNetDevice>
Dumbbell::Bottleneck () const
{
  return m_bottleneck;
}

}
