/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A controller's own parameters: a table that describes them, and values in the
 * order of the table. An element that offers a controller to users needs only
 * this table.
 */
#ifndef CONTROL_PARAMETERS_H
#define CONTROL_PARAMETERS_H

#include <control/types.h>

/* The limit on entries in one controller's table. A test holds all to it. */
#define PSP_MAX_PARAMETERS 16

typedef struct
{
  /* Lower-case words joined by '-'; NULL ends a table. Controllers that share a
   * name share the whole entry: users set it once for all of them. */
  const char *name;
  const char *unit;             /* "ns", "bit/s", "" = a number */
  double least, most;           /* range; both ends belong to it */
  double standard;              /* the default */
  const char *blurb;            /* meaning */
  const char *source;           /* of the default: a paper, a page of docs */
} PspParameter;

/* Returns the place of the name in the table, or −1. NULL is an empty table. */
int psp_parameter_find (const PspParameter * table, const char *name);
/* Returns the number of entries in the table. */
unsigned psp_parameter_count (const PspParameter * table);
/* Fills values with the defaults of the table. */
void psp_parameter_defaults (const PspParameter * table,
    double values[PSP_MAX_PARAMETERS]);
/* True if the value is a number within the range. */
bool psp_parameter_allows (const PspParameter * parameter, double value);

#endif
