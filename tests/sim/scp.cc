/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-scp: the experiments of Cen, Pu and Walpole, "Flow and Congestion
 * Control for Internet Media Streaming Applications", SPIE 3310, 1998, in ns-3.
 * scenarios/scp.toml says which options make which of the paper's figures.
 */
#include <iostream>

#include "scp-experiment.h"

namespace
{

void
read_options (int argc, char **argv, sim::ExperimentConfig &c,
    std::string &scp, std::string &tcp)
{
  ns3::CommandLine cmd;

  cmd.AddValue ("scp", "SCP sessions: START-STOP[,START-STOP]..., s", scp);
  cmd.AddValue ("tcp", "TCP sessions, likewise", tcp);
  cmd.AddValue ("controller", "of the SCP sessions", c.controller);
  cmd.AddValue ("payload", "of an RTP packet, bytes", c.payload);
  cmd.AddValue ("tcp-window", "packets", c.tcp_window);
  cmd.AddValue ("feedback-us", "packets wait for their report for so long",
      c.feedback_us);
  cmd.AddValue ("jitter", "of departures, part of a period", c.jitter);
  cmd.AddValue ("access-rate", "of the senders' links, bits/s",
      c.access_rate);
  cmd.AddValue ("rate", "of the bottleneck, bits/s", c.path.rate);
  cmd.AddValue ("delay-ms", "of the bottleneck, one way", c.path.delay_ms);
  cmd.AddValue ("queue", "of the bottleneck, packets", c.queue);
  cmd.AddValue ("switch-at", "the path changes then, s; 0 = never",
      c.switch_at);
  cmd.AddValue ("second-rate", "of the bottleneck from then on",
      c.second.rate);
  cmd.AddValue ("second-delay-ms", "likewise", c.second.delay_ms);
  cmd.AddValue ("reset", "senders are told of the change", c.reset);
  cmd.AddValue ("notice-ms", "so much after it", c.notice_ms);
  cmd.AddValue ("phase", "sessions start later by up to this, s", c.phase);
  cmd.AddValue ("warmup", "not measured, s", c.warmup);
  cmd.AddValue ("duration", "s", c.duration);
  cmd.AddValue ("interval", "of time series, s", c.interval);
  cmd.AddValue ("seed", "", c.seed);
  cmd.Parse (argc, argv);
}

}

int
main (int argc, char **argv)
{
  sim::ExperimentConfig config;
  std::string scp, tcp;

  read_options (argc, argv, config, scp, tcp);
  if (!sim::parse_spans (scp, config.scp)
      || !sim::parse_spans (tcp, config.tcp)
      || config.scp.size () + config.tcp.size () == 0) {
    std::cerr << "sessions are START-STOP[,START-STOP]... in seconds, at "
        "least one of --scp and --tcp" << std::endl;
    return 2;
  }
  if (!psp_controller_find (config.controller.c_str ())) {
    std::cerr << "there is no controller " << config.controller << std::endl;
    return 2;
  }

  sim::Experiment experiment (config);
  experiment.Run ();

  sim::Rows rows (std::cout);
  experiment.Report (rows);
  return 0;
}
