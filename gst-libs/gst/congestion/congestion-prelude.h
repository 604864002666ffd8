/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_CONGESTION_PRELUDE_H__
#define __GST_CONGESTION_PRELUDE_H__

#ifndef GST_CONGESTION_API
#  ifdef BUILDING_GST_CONGESTION
#    define GST_CONGESTION_API __attribute__ ((visibility ("default"))) extern
#  else
#    define GST_CONGESTION_API extern
#  endif
#endif

#endif
