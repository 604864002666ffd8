/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * sim-replay LOG [SESSION]: what tests/replay's psp-replay does, in ns-3: each
 * call that a pspsink made of its sender (GST_DEBUG=pspcalls:7) is an event of
 * the simulation, at the time it had, and has to get the same answer from the
 * simulation's sender. 0: all are the same; 1: not; 2: no such log.
 */
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>

#include "ns3/core-module.h"

extern "C"
{
#include "replay.h"
}

using namespace ns3;

namespace
{

class Player
{
public:
  Player (const char *name, int64_t session) : m_log (name)
  {
    psp_replay_init (&m_replay, session);
  }

  ~Player () { psp_replay_clear (&m_replay); }

  /* Schedules the next call, if there is one. */
  void Schedule ();
  int Result () const;

private:
  void Call ();

  std::ifstream m_log;
  PspReplay m_replay;
  int64_t m_offset = PSP_TIME_UNKNOWN;  /* recorded time at 0 */
  uint64_t m_same = 0, m_different = 0;
  bool m_broken = false;
};

void
Player::Schedule ()
{
  PspReplayResult read = PSP_REPLAY_OTHER;
  std::string line;
  int64_t at;

  while (read == PSP_REPLAY_OTHER && std::getline (m_log, line))
    read = psp_replay_read (&m_replay, line.c_str (), line.size ());
  if (read != PSP_REPLAY_SAME) {
    m_broken = read == PSP_REPLAY_BROKEN;
    return;
  }
  at = psp_call_time (&m_replay.recorded);
  if (m_offset == PSP_TIME_UNKNOWN && at != PSP_TIME_UNKNOWN)
    m_offset = at;
  /* Threads that took the time before another one called come a little late. */
  Time delay = at == PSP_TIME_UNKNOWN ? Time (0)
    : NanoSeconds (at - m_offset) - Simulator::Now ();
  Simulator::Schedule (std::max (delay, Time (0)), &Player::Call, this);
}

void
Player::Call ()
{
  switch (psp_replay_call (&m_replay)) {
    case PSP_REPLAY_SAME:
      m_same++;
      break;
    case PSP_REPLAY_DIFFERENT:
      m_different++;
      break;
    default:
      m_broken = true;
      return;
  }
  Schedule ();
}

int
Player::Result () const
{
  if (m_broken || m_same + m_different == 0) {
    std::cerr << "this is no log of a session from its beginning: record with "
      "GST_DEBUG=pspcalls:7 GST_DEBUG_FILE=LOG GST_DEBUG_NO_COLOR=1\n";
    return 2;
  }
  std::cout << m_same + m_different << " calls until "
    << Simulator::Now ().GetSeconds () << " s: " << m_different
    << " answers differ\n";
  return m_different > 0;
}

}

int
main (int argc, char **argv)
{
  int result;

  if (argc < 2 || argc > 3) {
    std::cerr << "usage: sim-replay LOG [SESSION]\n";
    return 2;
  }
  Time::SetResolution (Time::NS);
  Player player (argv[1], argc > 2 ? std::stoll (argv[2]) : -1);

  player.Schedule ();
  Simulator::Run ();
  result = player.Result ();
  Simulator::Destroy ();
  return result;
}
