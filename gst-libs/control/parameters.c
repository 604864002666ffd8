/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/parameters.h>

#include <string.h>

int
psp_parameter_find (const PspParameter * table, const char *name)
{
  int i;

  for (i = 0; table && table[i].name; i++)
    if (strcmp (table[i].name, name) == 0)
      return i;
  return -1;
}

unsigned
psp_parameter_count (const PspParameter * table)
{
  unsigned n = 0;

  while (table && n < PSP_MAX_PARAMETERS && table[n].name)
    n++;
  return n;
}

void
psp_parameter_defaults (const PspParameter * table,
    double values[PSP_MAX_PARAMETERS])
{
  unsigned n = psp_parameter_count (table), i;

  for (i = 0; i < PSP_MAX_PARAMETERS; i++)
    values[i] = i < n ? table[i].standard : 0;
}

bool
psp_parameter_allows (const PspParameter * parameter, double value)
{
  return value >= parameter->least && value <= parameter->most;
}
