/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * An encoder of the laboratory (tests/lab), modelled or recorded, as a source in ns-3:
 * it follows the targets that the sender announces.
 */
#ifndef TESTS_SIM_ENCODERSOURCE_H
#define TESTS_SIM_ENCODERSOURCE_H

#include <deque>
#include <string>

#include "session.h"

extern "C"
{
#include <labsource.h>
}

namespace sim
{

class EncoderSource : public Source
{
public:
  /* It starts at that time; `bitrate` is in force then, bits/s of payload. Aborts where
   * there is no encoder of the name (psp-lab -l). */
  EncoderSource (const std::string &name, int64_t bitrate, ns3::Time start,
      uint64_t seed);
  EncoderSource (const EncoderSource &) = delete;
  EncoderSource &operator= (const EncoderSource &) = delete;
  ~EncoderSource () override;

  uint32_t Head (ns3::Time now) override;
  bool Take (ns3::Time now) override;
  ns3::Time Next (ns3::Time now) override;
  unsigned Waiting (ns3::Time now) override;
  void Notice (ns3::Time now, const PspNotice &notice) override;
  void Drop (ns3::Time now) override;

private:
  struct Packet { uint32_t payload; bool last; };

  void Produce (ns3::Time now);
  void Make (int64_t now);

  LabSource *m_encoder;
  ns3::Time m_start;
  int64_t m_target;
  std::deque<Packet> m_packets;
  uint64_t m_waiting_bits = 0;
};

}

#endif
