/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of the kernels: what they share.
 */
#ifndef SCALER_KERNELSCALE_H
#define SCALER_KERNELSCALE_H

#include "kernels.h"

/* transform1d.h's factors, at 8 * u + v. */
extern const float scaler_forward_scale[64];
extern const float scaler_inverse_scale[64];

/* x86-32 may compute the plain kernels' floats with more precision. */
#if defined (__x86_64__) && defined (__GNUC__)
#define SCALER_HAVE_X86
extern const ScalerKernels scaler_kernels_sse41;
extern const ScalerKernels scaler_kernels_avx2;
#endif

#endif
