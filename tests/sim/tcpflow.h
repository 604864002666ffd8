/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A file transfer without end over ns-3's TCP, as the papers' competitors:
 * ns-2's one-way TCP has neither time stamps nor delayed ACK, and a window in
 * packets. It has no SACK either, but ns-3's TCP without SACK sends a tenth and
 * more of its segments twice for nothing.
 */
#ifndef TESTS_SIM_TCPFLOW_H
#define TESTS_SIM_TCPFLOW_H

#include <string>

#include "meters.h"
#include "topology.h"

namespace sim
{

/* TCP and IPv4 headers, without options. */
constexpr uint32_t TCP_OVERHEAD = 40;

struct TcpConfig
{
  std::string variant = "ns3::TcpLinuxReno";    /* a TypeId: TcpNewReno, … */
  uint32_t segment = 1360;      /* payload, bytes */
  uint32_t window = 0;          /* packets outstanding at most; 0 = 1024 */
  uint32_t delayed_ack = 1;     /* one ACK for so many packets */
  /* The longest wait of an ACK, as in Linux. ns-3's own 200 ms are as long as
   * min_rto: with these a window of one packet timed out for ever. */
  ns3::Time delayed_ack_time = ns3::MilliSeconds (40);
  bool sack = true, timestamps = false, ecn = false;
  ns3::Time min_rto = ns3::MilliSeconds (200);
  /* Sends for `on`, then pauses for `off`, and so on; 0 = always sends. */
  ns3::Time on, off;
  FlowMeter *meter = nullptr;   /* ReceivedBytes, Rtt */
};

struct TcpFlow
{
  ns3::Ptr<ns3::Application> sender, receiver;
};

/* On the flow's nodes. The loss of a TCP flow is the bottleneck's
 * (BottleneckMeter::Loss). */
TcpFlow install_tcp (const Topology &topology, unsigned flow,
    const TcpConfig &config, ns3::Time start,
    ns3::Time stop = ns3::Time::Max ());

/* Retransmission timeouts so far. */
uint64_t tcp_timeouts (const TcpFlow &flow);

}

#endif
