/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Declarations that only the files of the core share.
 */
#ifndef ITCP_CORE_PRIVATE_H
#define ITCP_CORE_PRIVATE_H

#include "types.h"

/* ns. Longer times are taken for an hour, so that sums of them cannot
 * overflow. */
#define ITCP_MAX_TIME (3600 * PSP_SECOND)

#endif
