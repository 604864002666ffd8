/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "none": packets leave as they come, as they do from udpsink. The initial
 * decision (no period, no window, unknown target) never changes.
 */
#include <control/controller.h>

static void
none_init (PspController * c, int64_t now, PspDecision * d)
{
  (void) c;
  (void) now;
  (void) d;
}

const PspControllerClass psp_cc_none = {
  .name = "none",
  .size = sizeof (PspController),
  .needs_feedback = false,
  .init = none_init,
};
