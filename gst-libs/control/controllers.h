/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * All controllers, in the order of the documentation. Each includer defines
 * PSP_CONTROLLER (x) for its own purpose, so this file may be included more
 * than once. cc-*.c defines psp_cc_x.
 */
PSP_CONTROLLER (none)
PSP_CONTROLLER (fixed)
PSP_CONTROLLER (psp)
PSP_CONTROLLER (damped_psp)
PSP_CONTROLLER (rap_psp)
PSP_CONTROLLER (scp)
PSP_CONTROLLER (poise)
PSP_CONTROLLER (media_scaling)
