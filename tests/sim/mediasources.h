/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The two applications of Chung and Claypool, "Better-Behaved,
 * Better-Performing Multimedia Networking", section 2: MM_APP sends frames of
 * one size at the rate of its scale, MPEG_APP those frames of a trace that
 * Table 2 passes.
 *
 * ns-2's packets are as large as is written in the paper, headers or not: so
 * are ours, from IPv4 header to payload.
 */
#ifndef TESTS_SIM_MEDIASOURCES_H
#define TESTS_SIM_MEDIASOURCES_H

#include <array>
#include <cstdint>
#include <vector>

#include "session.h"

namespace sim
{

constexpr int N_SCALES = 5;
/* "maximum packet size of 1500 bytes" (section 3). */
constexpr uint32_t MAX_PACKET = 1500;

/* bits/s, by scale; Table 1. */
constexpr std::array<int64_t, N_SCALES> TABLE_1
  = {300000, 500000, 700000, 900000, 1100000};

/* Each frame is a packet; the interval changes with the next one. */
class MmSource : public Source
{
public:
  MmSource (ns3::Time first, uint32_t packet_size);
  uint32_t Head (ns3::Time now) override;
  bool Take (ns3::Time now) override;
  ns3::Time Next (ns3::Time now) override;
  void Notice (ns3::Time now, const PspNotice &notice) override;
  void Drop (ns3::Time now) override;

private:
  void Produce (ns3::Time now);

  ns3::Time m_next;
  uint32_t m_size;
  int m_scale = 0;
  unsigned m_waiting = 0;
};

/* Figure 2(a): the frames of a stream in the order of the paper's trace, which
 * is that of display. Which scales pass them says the policy of mpegscaler,
 * asked in coded order. */
class M2vTrace
{
public:
  /* Pattern 1: IBBPBBPBB, 2: IBBPBBPBBPBB. */
  M2vTrace (unsigned pattern, unsigned n_frames);

  unsigned GroupSize () const { return m_group; }
  unsigned FrameCount () const { return (unsigned) m_lowest.size (); }
  char Type (unsigned index) const;
  uint32_t Bytes (unsigned index) const;
  bool Passes (unsigned index, int scale) const;
  /* bits/s of the frames from `begin` to before `end`. */
  double Bitrate (unsigned begin, unsigned end, int scale) const;

  static constexpr unsigned FPS = 30;

private:
  unsigned m_group;
  std::vector<unsigned> m_lowest;       /* scale that passes it */
};

/* RTP payload of a frame that takes so many bytes in all its packets. */
uint32_t frame_payload (uint32_t bytes);

/* Begins `phase` frames into the trace. */
ns3::Ptr<FrameSource> m2v_source (const M2vTrace &trace, ns3::Time first,
    unsigned phase);

}

#endif
