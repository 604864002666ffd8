/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The papers' topology in ns-3:
 *
 *   sender 0   -- access --\                        /-- exit -- receiver 0
 *   sender 1   -- access --- left == bottleneck == right -- …
 *   sender k-1 -- access --/                        \-- exit -- receiver k-1
 *
 * or, without exits, all receivers on the right router itself, where ports
 * tell them apart. Links are point-to-point, PPP, so each packet takes 2 bytes
 * more than its IP size. The bottleneck's queue, left to right, is the only one
 * that drops; the one packet being transmitted is not counted in it, as in
 * ns-2. Routers hand packets on from link to link by themselves: what ns-3's IP
 * would do there, searching all its interfaces for each packet, is a third of
 * all work, and nothing that a packet meets depends on it.
 */
#ifndef TESTS_SIM_DUMBBELL_H
#define TESTS_SIM_DUMBBELL_H

#include <memory>
#include <string>
#include <vector>

#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include "linkqueue.h"
#include "topology.h"

namespace sim
{

enum class QueueKind
{
  DROP_TAIL,                    /* limit in packets */
  DROP_TAIL_BYTES,              /* limit in bytes, PPP's 2 a packet included */
  RED                           /* limit in packets */
};

struct QueueConfig
{
  QueueKind kind = QueueKind::DROP_TAIL;
  uint32_t limit = 10;
  /* Floyd and Jacobson 1993; thresholds in packets. */
  double red_min = 5, red_max = 15, red_weight = 0.002, red_p = 0.02;
  bool red_gentle = false;
  bool ecn = false;             /* RED marks what is ECN-capable */
  uint32_t mean_packet = 1000;  /* bytes, for RED's idle time */
};

struct DumbbellConfig
{
  unsigned n_flows = 1;
  ns3::DataRate access_rate {100000000};
  ns3::Time access_delay = ns3::MilliSeconds (2);
  /* Each sender's access rate is off by up to this part, drawn at random: two
   * interfaces never run at quite the same speed. */
  double access_spread = 0;
  /* On top of access_delay, flow by flow; what is missing is 0. */
  std::vector<ns3::Time> extra_delay;
  ns3::DataRate rate {155000000};
  ns3::Time delay = ns3::MilliSeconds (40);
  QueueConfig queue;
  bool exits = false;           /* else: receivers on the right router */
  ns3::DataRate exit_rate {100000000};
  ns3::Time exit_delay = ns3::MilliSeconds (0);
  /* The model of tests/link in place of rate, delay and queue, left to right: its
   * specification. What comes back then waits for nothing. */
  std::string link;
};

/* Not copied: its links keep pointers to it. */
class Dumbbell : public Topology
{
public:
  explicit Dumbbell (const DumbbellConfig &config);
  Dumbbell (const Dumbbell &) = delete;
  Dumbbell &operator= (const Dumbbell &) = delete;

  const DumbbellConfig &Config () const { return m_config; }
  ns3::Ptr<ns3::Node> Sender (unsigned flow) const override;
  ns3::Ptr<ns3::Node> Receiver (unsigned flow) const override;
  ns3::InetSocketAddress Address (unsigned flow) const override;
  uint16_t Port (unsigned flow) const override;
  /* Spread included. */
  ns3::DataRate AccessRate (unsigned flow) const override;
  /* Whose source address this is; n_flows = nobody's. */
  unsigned FlowOf (ns3::Ipv4Address source) const;

  /* The bottleneck, left to right. */
  ns3::Ptr<ns3::PointToPointNetDevice> Bottleneck () const;
  /* NULL unless the queue is RED. */
  ns3::Ptr<ns3::QueueDisc> Disc () const { return m_disc; }

private:
  void Access (unsigned flow);
  void Exit (unsigned flow);
  void Core ();
  void Forward ();
  bool ToBottleneck (ns3::Ptr<ns3::NetDevice>,
      ns3::Ptr<const ns3::Packet> packet, uint16_t protocol,
      const ns3::Address &);
  bool ToSender (ns3::Ptr<ns3::NetDevice>,
      ns3::Ptr<const ns3::Packet> packet, uint16_t protocol,
      const ns3::Address &);

  DumbbellConfig m_config;
  ns3::NodeContainer m_senders, m_receivers, m_routers;
  std::vector<ns3::DataRate> m_access_rates;
  std::vector<ns3::Ipv4Address> m_addresses;
  ns3::NetDeviceContainer m_to_senders; /* of the left router */
  ns3::Ptr<ns3::PointToPointNetDevice> m_bottleneck;
  ns3::Ptr<ns3::QueueDisc> m_disc;
  std::unique_ptr<LinkQueue> m_link;
};

}

#endif
