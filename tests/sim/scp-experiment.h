/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * An experiment as Cen, Pu and Walpole made theirs (SPIE 3310, 1998, section
 * 5): sessions of SCP and of TCP that come and go, over one bottleneck, which
 * may become another in the midst of it.
 */
#ifndef TESTS_SIM_SCP_EXPERIMENT_H
#define TESTS_SIM_SCP_EXPERIMENT_H

#include <memory>
#include <string>
#include <vector>

#include "dumbbell.h"
#include "meters.h"
#include "rows.h"
#include "session.h"
#include "tcpflow.h"

namespace sim
{

/* When a session starts and stops. */
struct Span
{
  double start, stop;           /* s */
};

/* "0-200,40-400", in seconds; false where it is not. */
bool parse_spans (const std::string &text, std::vector<Span> &spans);

struct Path
{
  uint64_t rate = 28800;        /* bits/s */
  double delay_ms = 50;         /* one way */
};

struct ExperimentConfig
{
  std::vector<Span> scp, tcp;
  std::string controller = "scp";
  uint32_t payload = 1460;      /* RTP; UDP's is 1472, RTP header included */
  uint32_t tcp_window = 44;     /* packets */
  uint32_t feedback_us = 25000;
  double jitter = 0;            /* of a sender's wake-ups, part of a period */
  uint64_t access_rate = 10000000;
  Path path, second;            /* second: from switch_at on */
  uint32_t queue = 36;          /* packets */
  double switch_at = 0;         /* s; 0 = never */
  bool reset = false;           /* … and the sender is told */
  double notice_ms = 100;       /* … so much later */
  double phase = 1;             /* s: starts are later by up to this */
  double warmup = 0, duration = 100, interval = 1;      /* s */
  uint32_t seed = 1;
};

class Experiment
{
public:
  explicit Experiment (const ExperimentConfig &config);

  void Run ();
  void Report (Rows &rows) const;

private:
  /* What a sender says of itself; NaN = nothing. */
  struct State
  {
    double base_rtt;            /* ms */
    double in_flight, window;   /* packets */
    double lost;                /* packets so far, timeouts included */
  };

  struct Flow
  {
    bool is_tcp;
    Span span;                  /* as it came, phase included */
    FlowMeter meter;
    Session session;
    std::vector<State> states;  /* at the end of each interval */
  };

  void Add (bool is_tcp, const Span &span);
  void Start (unsigned index);
  void Sample ();
  void Switch ();
  void Reset ();
  double PacketRate (const Flow &flow, ns3::Time from, ns3::Time to) const;
  Distribution Buffering (const Flow &flow, ns3::Time from, ns3::Time to) const;
  double OneWay (const Path &path) const;
  void ReportSession (Rows &rows, unsigned index) const;
  void ReportSeries (Rows &rows, unsigned index) const;
  void ReportSwitch (Rows &rows, unsigned index) const;

  ExperimentConfig m_config;
  std::unique_ptr<Dumbbell> m_dumbbell;
  std::unique_ptr<BottleneckMeter> m_bottleneck;
  std::vector<std::unique_ptr<Flow>> m_flows;
};

}

#endif
