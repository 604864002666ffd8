/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The shared part of the kernels.
 */
#ifndef MPEG2REQUANTIZE_KERNELSCALE_H
#define MPEG2REQUANTIZE_KERNELSCALE_H

#include <mpeg2requantize/kernels.h>

/* transform1d.h's factors, at 8 * u + v. */
extern const float m2v_forward_scale[64];
extern const float m2v_inverse_scale[64];

/* x86-32 may compute the plain kernels' floats with more precision. */
#if defined (__x86_64__) && defined (__GNUC__)
#define M2V_HAVE_X86
extern const M2vKernels m2v_kernels_sse41;
extern const M2vKernels m2v_kernels_avx2;
#endif

#endif
