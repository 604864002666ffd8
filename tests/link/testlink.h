/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the tests of the model share.
 */
#ifndef LINK_TESTLINK_H
#define LINK_TESTLINK_H

#include <gst/check/gstcheck.h>

#include "model.h"
#include "spec.h"

static inline Link *
new_link (const char *spec)
{
  LinkConfig config;
  char error[LINK_ERROR_SIZE];
  Link *l;

  fail_unless (link_spec_parse (spec, &config, error), "%s: %s", spec, error);
  l = link_new (&config);
  fail_unless (l != NULL);
  return l;
}

#endif
