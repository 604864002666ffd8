/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "options.h"

#include <cmath>

using namespace ns3;

namespace sim
{

void
RunOptions::Add (CommandLine &line)
{
  line.AddValue ("controller", "of the sessions", controller);
  line.AddValue ("spacing-us", "of controller fixed", spacing_us);
  line.AddValue ("packet", "bytes, IP header included", packet);
  line.AddValue ("rate-mbps", "of the bottleneck", rate_mbps);
  line.AddValue ("buffer", "of the bottleneck, packets", buffer);
  line.AddValue ("jitter", "of each period, as a part of it", jitter);
  line.AddValue ("duration", "s", duration);
  line.AddValue ("warmup", "of it not measured, s", warmup);
  line.AddValue ("seed", "of everything random", seed);
}

void
RunOptions::Check () const
{
  NS_ABORT_MSG_UNLESS (packet > OVERHEAD, "no payload is left");
  NS_ABORT_MSG_UNLESS (duration > warmup, "nothing is measured");
}

DumbbellConfig
RunOptions::Link (unsigned n_flows) const
{
  DumbbellConfig config;

  config.n_flows = n_flows;
  config.queue.limit = buffer;
  config.rate = DataRate (static_cast<uint64_t> (rate_mbps * 1e6));
  return config;
}

SenderConfig
RunOptions::Sender (unsigned flow, FlowMeter *meter) const
{
  SenderConfig sender;

  sender.controller = controller;
  if (controller == "fixed")
    sender.parameters = { std::round (spacing_us * 1000) };
  sender.jitter = jitter;
  sender.seed = static_cast<uint32_t> (seed * 1000 + flow);
  sender.meter = meter;
  return sender;
}

void
RunOptions::Run (Time more) const
{
  Simulator::Stop (To () + more);
  Simulator::Run ();
}

}
