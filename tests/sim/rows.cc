/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "rows.h"

#include <cmath>
#include <cstdio>

using namespace ns3;

namespace sim
{

namespace
{

std::string
format (double value)
{
  char text[32];

  std::snprintf (text, sizeof text, "%.12g", value);
  return text;
}

}

Rows::Rows (std::ostream &out)
  : m_out (out)
{
  m_out << "quantity,flow,kind,time,value\n";
}

void
Rows::Row (const std::string &quantity, const std::string &flow,
    const std::string &kind, const std::string &time, double value)
{
  if (std::isnan (value))
    return;
  m_out << quantity << ',' << flow << ',' << kind << ',' << time << ','
      << format (value) << '\n';
}

void
Rows::Add (const std::string &quantity, const std::string &flow,
    const std::string &kind, double value)
{
  Row (quantity, flow, kind, "", value);
}

void
Rows::Add (const std::string &quantity, unsigned flow,
    const std::string &kind, double value)
{
  Add (quantity, std::to_string (flow), kind, value);
}

void
Rows::Add (const std::string &quantity, const std::string &flow,
    const std::string &kind, Time time, double value)
{
  Row (quantity, flow, kind, format (time.GetSeconds ()), value);
}

void
Rows::Add (const std::string &quantity, unsigned flow,
    const std::string &kind, Time time, double value)
{
  Add (quantity, std::to_string (flow), kind, time, value);
}

void
Rows::Add (const std::string &quantity, const std::string &flow,
    const std::string &kind, const Distribution &d)
{
  if (d.n == 0)
    return;
  Add (quantity + "_mean", flow, kind, d.mean);
  Add (quantity + "_deviation", flow, kind, d.deviation);
  Add (quantity + "_min", flow, kind, d.min);
  Add (quantity + "_median", flow, kind, d.median);
  Add (quantity + "_p95", flow, kind, d.p95);
  Add (quantity + "_p99", flow, kind, d.p99);
  Add (quantity + "_max", flow, kind, d.max);
}

void
Rows::Add (const std::string &quantity, unsigned flow,
    const std::string &kind, const Distribution &distribution)
{
  Add (quantity, std::to_string (flow), kind, distribution);
}

}
