/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the programs with sessions over one drop-tail bottleneck are told
 * alike, and how they run.
 */
#ifndef TESTS_SIM_OPTIONS_H
#define TESTS_SIM_OPTIONS_H

#include <cstdint>
#include <string>

#include "dumbbell.h"
#include "session.h"

namespace sim
{

struct RunOptions
{
  std::string controller;
  double spacing_us = 0;        /* of controller fixed */
  unsigned packet = 1400;       /* bytes, IP header included */
  double rate_mbps = 155;       /* of the bottleneck */
  unsigned buffer = 10;         /* of the bottleneck, packets */
  double jitter = 0;            /* of each period, as a part of it */
  double duration = 20, warmup = 5;     /* s */
  uint64_t seed = 1;

  void Add (ns3::CommandLine &line);
  /* Aborts where they make no sense. */
  void Check () const;

  /* The bottleneck, for so many flows; the rest as DumbbellConfig has it. */
  DumbbellConfig Link (unsigned n_flows) const;
  /* The flow's sender, metered. */
  SenderConfig Sender (unsigned flow, FlowMeter *meter) const;
  uint32_t Payload () const { return packet - OVERHEAD; }
  /* What is measured. */
  ns3::Time From () const { return ns3::Seconds (warmup); }
  ns3::Time To () const { return ns3::Seconds (duration); }
  /* And `more`, so that nothing measured is still in flight. */
  void Run (ns3::Time more) const;
};

}

#endif
