/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The last hop by radio, as ns-3 models it:
 *
 *   server == wire == access point or gateway ))) station 0, 1, …
 *
 * Each flow has a station of its own. The radio is what all of them share.
 */
#ifndef TESTS_SIM_RADIOCELL_H
#define TESTS_SIM_RADIOCELL_H

#include <string>
#include <vector>

#include "topology.h"

namespace sim
{

struct RadioConfig
{
  /* Flows from the server to stations, then from stations to the server. */
  unsigned n_down = 1, n_up = 0;
  ns3::DataRate wire_rate {100000000};
  ns3::Time wire_delay = ns3::MilliSeconds (20);
  /* Queues: s of waiting on the wire and for Wi-Fi, bytes a station in LTE. */
  double queue_time = .3;
  uint32_t queue_bytes = 75000;
  /* Wi-Fi: 802.11n at 2.4 GHz, 20 MHz; the mode of all stations. */
  std::string mode = "HtMcs11";
  /* LTE in a city: resource blocks (25 = 5 MHz), m to the eNB, and m/s away from it. */
  unsigned blocks = 25;
  double distance = 200, speed = 0;
};

class RadioCell : public Topology
{
public:
  ns3::Ptr<ns3::Node> Sender (unsigned flow) const override;
  ns3::Ptr<ns3::Node> Receiver (unsigned flow) const override;
  ns3::InetSocketAddress Address (unsigned flow) const override;
  uint16_t Port (unsigned flow) const override;
  ns3::DataRate AccessRate (unsigned flow) const override;

protected:
  explicit RadioCell (const RadioConfig &config);
  void InstallInternet (const ns3::NodeContainer &nodes) const;
  unsigned Stations () const { return m_config.n_down + m_config.n_up; }

  RadioConfig m_config;
  ns3::Ptr<ns3::Node> m_server;
  ns3::NodeContainer m_stations;
  ns3::Ipv4Address m_server_address;
  std::vector<ns3::Ipv4Address> m_addresses;    /* of stations */

private:
  bool IsDown (unsigned flow) const { return flow < m_config.n_down; }
};

class WifiCell : public RadioCell
{
public:
  explicit WifiCell (const RadioConfig &config);

private:
  ns3::NetDeviceContainer Radio (ns3::Ptr<ns3::Node> access_point);
};

class LteCell : public RadioCell
{
public:
  explicit LteCell (const RadioConfig &config);

private:
  void Place (ns3::Ptr<ns3::Node> tower);

  /* What nodes refer to without a reference of their own. */
  ns3::Ptr<ns3::Object> m_lte, m_core;
};

}

#endif
