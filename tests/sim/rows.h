/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a program measured, as CSV on standard output, which carries nothing
 * else:
 *
 *   quantity,flow,kind,time,value
 *
 * flow: a number from 0 or "all"; kind: psp, tcp, scp, … or empty; time: the
 * end of the interval in seconds, or empty for the whole measured part. Figures
 * that do not exist (NaN) leave no row.
 */
#ifndef TESTS_SIM_ROWS_H
#define TESTS_SIM_ROWS_H

#include <ostream>
#include <string>

#include "meters.h"

namespace sim
{

class Rows
{
public:
  explicit Rows (std::ostream &out);    /* writes the header */

  void Add (const std::string &quantity, const std::string &flow,
      const std::string &kind, double value);
  void Add (const std::string &quantity, unsigned flow,
      const std::string &kind, double value);
  /* … in the interval that ends at `time`. */
  void Add (const std::string &quantity, const std::string &flow,
      const std::string &kind, ns3::Time time, double value);
  void Add (const std::string &quantity, unsigned flow,
      const std::string &kind, ns3::Time time, double value);
  /* NAME_mean, NAME_deviation, NAME_min, …_median, _p95, _p99, _max. */
  void Add (const std::string &quantity, unsigned flow,
      const std::string &kind, const Distribution &distribution);
  void Add (const std::string &quantity, const std::string &flow,
      const std::string &kind, const Distribution &distribution);

private:
  void Row (const std::string &quantity, const std::string &flow,
      const std::string &kind, const std::string &time, double value);

  std::ostream &m_out;
};

}

#endif
