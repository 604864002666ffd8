/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A network of ns-3 as a flow sees it: two nodes, and where to send to.
 */
#ifndef TESTS_SIM_TOPOLOGY_H
#define TESTS_SIM_TOPOLOGY_H

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

namespace sim
{

class Topology
{
public:
  virtual ~Topology () = default;
  virtual ns3::Ptr<ns3::Node> Sender (unsigned flow) const = 0;
  virtual ns3::Ptr<ns3::Node> Receiver (unsigned flow) const = 0;
  /* Where to send to: the flow's receiver, at a port of its own. */
  virtual ns3::InetSocketAddress Address (unsigned flow) const = 0;
  virtual uint16_t Port (unsigned flow) const = 0;
  /* Of the sender's interface: it waits for that and never fills a queue of its own. */
  virtual ns3::DataRate AccessRate (unsigned flow) const = 0;
};

}

#endif
