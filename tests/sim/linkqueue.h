/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The model of the emulated link (tests/link) as a bottleneck in ns-3: packets go in,
 * and come out as it delivers them. It marks none.
 */
#ifndef TESTS_SIM_LINKQUEUE_H
#define TESTS_SIM_LINKQUEUE_H

#include <functional>
#include <string>

#include "ns3/core-module.h"
#include "ns3/network-module.h"

extern "C"
{
#include <model.h>
}

namespace sim
{

/* Not copied: what is scheduled points to it. */
class LinkQueue
{
public:
  using Deliver = std::function<void (ns3::Ptr<ns3::Packet>, uint16_t protocol)>;

  /* The specification is that of tests/link/README.md; aborts where it is wrong. */
  LinkQueue (const std::string &specification, Deliver deliver);
  LinkQueue (const LinkQueue &) = delete;
  LinkQueue &operator= (const LinkQueue &) = delete;
  ~LinkQueue ();

  /* A packet with its IP header. */
  void Offer (ns3::Ptr<ns3::Packet> packet, uint16_t protocol);

private:
  struct Inside { ns3::Ptr<ns3::Packet> packet; uint16_t protocol; };

  void Take ();
  void Schedule ();

  Deliver m_deliver;
  Link *m_link;
  ns3::EventId m_event;
};

}

#endif
