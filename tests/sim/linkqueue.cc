/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "linkqueue.h"

#include <algorithm>
#include <memory>

extern "C"
{
#include <spec.h>
}

using namespace ns3;

namespace sim
{

LinkQueue::LinkQueue (const std::string &specification, Deliver deliver)
  : m_deliver (std::move (deliver))
{
  LinkConfig config;
  char error[LINK_ERROR_SIZE];

  NS_ABORT_MSG_UNLESS (link_spec_parse (specification.c_str (), &config,
          error), specification << ": " << error);
  m_link = link_new (&config);
  NS_ABORT_MSG_UNLESS (m_link, "out of memory");
}

LinkQueue::~LinkQueue ()
{
  LinkPacket packet;

  m_event.Cancel ();
  while (link_flush (m_link, &packet))
    if (packet.last)
      delete static_cast<Inside *> (packet.handle);
  link_free (m_link);
}

void
LinkQueue::Offer (Ptr<Packet> packet, uint16_t protocol)
{
  auto inside = std::make_unique<Inside> (Inside { packet, protocol });
  LinkPacket offered {};

  offered.handle = inside.get ();
  offered.size = packet->GetSize ();
  if (link_offer (m_link, Simulator::Now ().GetNanoSeconds (), &offered)
      == LINK_ACCEPTED)
    inside.release ();          /* until Take () has it back */
  Schedule ();
}

void
LinkQueue::Take ()
{
  LinkPacket packet;

  while (link_take (m_link, Simulator::Now ().GetNanoSeconds (), &packet)) {
    Inside *inside = static_cast<Inside *> (packet.handle);

    if (packet.verdict == LINK_DELIVERED || packet.verdict == LINK_DUPLICATE)
      m_deliver (inside->packet->Copy (), inside->protocol);
    if (packet.last)
      delete inside;
  }
  Schedule ();
}

void
LinkQueue::Schedule ()
{
  int64_t next = link_next (m_link);

  m_event.Cancel ();
  if (next == LINK_NEVER)
    return;
  m_event = Simulator::Schedule (
      std::max (NanoSeconds (next) - Simulator::Now (), Time (0)),
      &LinkQueue::Take, this);
}

}
