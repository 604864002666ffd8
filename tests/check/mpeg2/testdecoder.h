/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: decodes what the slice reader reads, plainly and exactly.
 */
#ifndef TEST_DECODER_H
#define TEST_DECODER_H

#include "testframe.h"

typedef struct TestDecoder TestDecoder;

TestDecoder *test_decoder_new (void);
void test_decoder_free (TestDecoder * d);

/* Begins a frame with its first or only picture of that type. NULL where the
 * picture cannot be read. The frame is the decoder's; if it is no B frame it
 * serves as reference until the second one after it begins, whatever the test
 * has written into its samples meanwhile. */
TestFrame *test_decoder_begin (TestDecoder * d, const M2vSequence * sequence,
    const M2vPicture * picture);

/* Decodes a picture of it: all of it, or two fields. `bytes`: of its span.
 * Returns NULL, or what is wrong. */
const gchar *test_decoder_picture (TestDecoder * d,
    const M2vSequence * sequence, const M2vMatrices * matrices,
    const M2vPicture * picture, const guint8 * bytes);

#endif
