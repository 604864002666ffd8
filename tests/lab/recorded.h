/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The functions of lab_sources for recorded encoders.
 */
#ifndef TESTS_LAB_RECORDED_H
#define TESTS_LAB_RECORDED_H

#include "labsource.h"

/* Returns the recorded encoder of that name, which begins as if it had worked
 * at `bitrate` for long. */
LabSource *lab_recorded_new (const LabSourceClass * klass, int64_t bitrate,
    uint64_t seed);
void lab_recorded_free (LabSource * s);
void lab_recorded_set_target (LabSource * s, int64_t now, int64_t bitrate);
int64_t lab_recorded_next (const LabSource * s);
size_t lab_recorded_take (LabSource * s, int64_t now,
    uint32_t payloads[LAB_FRAME_PACKETS]);

#endif
