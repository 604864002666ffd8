/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "radiocell.h"

#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/lte-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/point-to-point-epc-helper.h"
#include "ns3/point-to-point-module.h"
#include "ns3/ssid.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/yans-wifi-helper.h"

using namespace ns3;

namespace sim
{

namespace
{

constexpr uint16_t FIRST_PORT = 5004;
constexpr uint32_t LONG_QUEUE = 100000; /* packets: waiting decides */
/* s; the longest wait for the answer to a request for block acknowledgement. On
 * a busy radio it comes behind what waits in the queue. With ns-3's default of
 * 5 ms some stations then never get anything through again. */
constexpr double BLOCK_ACK_ANSWER = 1;

NetDeviceContainer
wire (const RadioConfig &config, Ptr<Node> a, Ptr<Node> b)
{
  PointToPointHelper helper;
  double bytes = static_cast<double> (config.wire_rate.GetBitRate ()) / 8
      * config.queue_time;

  helper.SetDeviceAttribute ("DataRate", DataRateValue (config.wire_rate));
  helper.SetChannelAttribute ("Delay", TimeValue (config.wire_delay));
  helper.SetQueue ("ns3::DropTailQueue<Packet>", "MaxSize",
      QueueSizeValue (QueueSize (QueueSizeUnit::BYTES,
              static_cast<uint32_t> (bytes))));
  helper.DisableFlowControl ();
  return helper.Install (a, b);
}

Ipv4InterfaceContainer
number (const NetDeviceContainer &devices, const char *network)
{
  Ipv4AddressHelper helper;

  helper.SetBase (network, "255.255.255.0");
  return helper.Assign (devices);
}

}

RadioCell::RadioCell (const RadioConfig &config)
  : m_config (config), m_server (CreateObject<Node> ())
{
  m_stations.Create (Stations ());
}

void
RadioCell::InstallInternet (const NodeContainer &nodes) const
{
  InternetStackHelper internet;

  internet.SetIpv6StackInstall (false);
  internet.Install (nodes);
}

Ptr<Node>
RadioCell::Sender (unsigned flow) const
{
  return IsDown (flow) ? m_server : m_stations.Get (flow);
}

Ptr<Node>
RadioCell::Receiver (unsigned flow) const
{
  return IsDown (flow) ? m_stations.Get (flow) : m_server;
}

uint16_t
RadioCell::Port (unsigned flow) const
{
  return static_cast<uint16_t> (FIRST_PORT + 2 * flow);
}

InetSocketAddress
RadioCell::Address (unsigned flow) const
{
  return InetSocketAddress (IsDown (flow) ? m_addresses.at (flow) :
      m_server_address, Port (flow));
}

DataRate
RadioCell::AccessRate (unsigned) const
{
  return m_config.wire_rate;
}

NetDeviceContainer
WifiCell::Radio (Ptr<Node> access_point)
{
  YansWifiChannelHelper channel = YansWifiChannelHelper::Default ();
  YansWifiPhyHelper phy;
  WifiHelper wifi;
  WifiMacHelper mac;
  Ssid ssid ("cell");
  NetDeviceContainer devices;

  phy.SetChannel (channel.Create ());
  phy.Set ("ChannelSettings", StringValue ("{0, 20, BAND_2_4GHZ, 0}"));
  /* Two streams for modes from HtMcs8 on. */
  phy.Set ("Antennas", UintegerValue (2));
  phy.Set ("MaxSupportedTxSpatialStreams", UintegerValue (2));
  phy.Set ("MaxSupportedRxSpatialStreams", UintegerValue (2));
  wifi.SetStandard (WIFI_STANDARD_80211n);
  wifi.SetRemoteStationManager ("ns3::ConstantRateWifiManager",
      "DataMode", StringValue (m_config.mode),
      "ControlMode", StringValue ("ErpOfdmRate24Mbps"));
  mac.SetType ("ns3::ApWifiMac", "Ssid", SsidValue (ssid));
  devices = wifi.Install (phy, mac, access_point);
  mac.SetType ("ns3::StaWifiMac", "Ssid", SsidValue (ssid));
  devices.Add (wifi.Install (phy, mac, m_stations));
  return devices;
}

WifiCell::WifiCell (const RadioConfig &config)
  : RadioCell (config)
{
  Ptr<Node> access_point = CreateObject<Node> ();
  NodeContainer all (m_server, access_point, m_stations);
  Ipv4InterfaceContainer interfaces;
  NetDeviceContainer radio;
  MobilityHelper mobility;

  Config::SetDefault ("ns3::WifiMacQueue::MaxDelay",
      TimeValue (Seconds (config.queue_time)));
  Config::SetDefault ("ns3::WifiMacQueue::MaxSize",
      QueueSizeValue (QueueSize (QueueSizeUnit::PACKETS, LONG_QUEUE)));
  Config::SetDefault ("ns3::QosTxop::AddBaResponseTimeout",
      TimeValue (Seconds (BLOCK_ACK_ANSWER)));
  /* An address that is asked for again, on a busy radio, may be lost. */
  Config::SetDefault ("ns3::ArpCache::AliveTimeout", TimeValue (Hours (24)));
  mobility.SetMobilityModel ("ns3::ConstantPositionMobilityModel");
  mobility.Install (NodeContainer (access_point, m_stations));
  InstallInternet (all);
  interfaces = number (wire (config, m_server, access_point), "10.1.0.0");
  m_server_address = interfaces.GetAddress (0);
  radio = Radio (access_point);
  interfaces = number (radio, "10.2.0.0");
  /* Else a queueing discipline slips in above the radio's own queue. */
  TrafficControlHelper ().Uninstall (radio);
  for (unsigned i = 0; i < Stations (); i++)
    m_addresses.push_back (interfaces.GetAddress (i + 1));
  Ipv4GlobalRoutingHelper::PopulateRoutingTables ();
}

void
LteCell::Place (Ptr<Node> tower)
{
  MobilityHelper mobility;

  mobility.SetMobilityModel ("ns3::ConstantVelocityMobilityModel");
  mobility.Install (NodeContainer (tower, m_stations));
  for (unsigned i = 0; i < Stations (); i++) {
    Ptr<ConstantVelocityMobilityModel> station =
        m_stations.Get (i)->GetObject<ConstantVelocityMobilityModel> ();

    station->SetPosition (Vector (m_config.distance, i, 0));
    station->SetVelocity (Vector (m_config.speed, 0, 0));
  }
}

LteCell::LteCell (const RadioConfig &config)
  : RadioCell (config)
{
  Ptr<LteHelper> lte = CreateObject<LteHelper> ();
  Ptr<PointToPointEpcHelper> core = CreateObject<PointToPointEpcHelper> ();
  Ptr<Node> tower = CreateObject<Node> ();
  Ipv4StaticRoutingHelper routing;
  Ipv4InterfaceContainer interfaces;
  NetDeviceContainer towers, stations;

  m_lte = lte;
  m_core = core;
  Config::SetDefault ("ns3::LteRlcUm::MaxTxBufferSize",
      UintegerValue (config.queue_bytes));
  lte->SetEpcHelper (core);
  lte->SetAttribute ("PathlossModel",
      StringValue ("ns3::Cost231PropagationLossModel"));
  lte->SetEnbDeviceAttribute ("DlBandwidth", UintegerValue (config.blocks));
  lte->SetEnbDeviceAttribute ("UlBandwidth", UintegerValue (config.blocks));
  Place (tower);
  towers = lte->InstallEnbDevice (tower);
  stations = lte->InstallUeDevice (m_stations);
  InstallInternet (NodeContainer (NodeContainer (m_server), m_stations));
  interfaces = number (wire (config, m_server, core->GetPgwNode ()), "1.0.0.0");
  m_server_address = interfaces.GetAddress (0);
  routing.GetStaticRouting (m_server->GetObject<Ipv4> ())
      ->AddNetworkRouteTo ("7.0.0.0", "255.0.0.0", 1);
  interfaces = core->AssignUeIpv4Address (stations);
  for (unsigned i = 0; i < Stations (); i++) {
    m_addresses.push_back (interfaces.GetAddress (i));
    routing.GetStaticRouting (m_stations.Get (i)->GetObject<Ipv4> ())
        ->SetDefaultRoute (core->GetUeDefaultGatewayAddress (), 1);
  }
  lte->Attach (stations, towers.Get (0));
}

}
