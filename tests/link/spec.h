/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Parses a link in one line: "rate=2M,delay=20ms,queue=10p". The grammar is in
 * README.md.
 */
#ifndef LINK_SPEC_H
#define LINK_SPEC_H

#include "model.h"

#define LINK_ERROR_SIZE 200     /* bytes */

/* Parses a specification, starting from link_config_init(). If it returns
 * false, *config is void, and `error` says what is wrong with which key. */
bool link_spec_parse (const char *spec, LinkConfig * config,
    char error[LINK_ERROR_SIZE]);

#endif
