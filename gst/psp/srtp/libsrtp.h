/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Loads libsrtp for the first session: Debian's libsrtp also loads the
 * libraries of NSS, whose relocations take 100 kB of each process.
 */
#ifndef PSP_LIBSRTP_H
#define PSP_LIBSRTP_H

#include <srtp2/srtp.h>

/* The functions of libsrtp that are used. */
#define PSP_LIBSRTP_FUNCTIONS(f) \
  f (init) \
  f (create) \
  f (dealloc) \
  f (add_stream) \
  f (crypto_policy_set_aes_gcm_128_16_auth) \
  f (crypto_policy_set_aes_gcm_256_16_auth) \
  f (crypto_policy_set_rtp_default) \
  f (crypto_policy_set_rtcp_default) \
  f (protect_mki) \
  f (protect_rtcp_mki) \
  f (unprotect_mki) \
  f (unprotect_rtcp_mki) \
  f (get_stream_roc) \
  f (set_stream_roc)

typedef struct
{
#define PSP_LIBSRTP_MEMBER(name) __typeof__ (srtp_##name) *name;
  PSP_LIBSRTP_FUNCTIONS (PSP_LIBSRTP_MEMBER)
#undef PSP_LIBSRTP_MEMBER
} PspLibsrtp;

/* Loads and initialises libsrtp at the first call, from any thread. It stays
 * loaded, because other code of the process may use it. Returns NULL if it is
 * not installed, or lacks a function. */
const PspLibsrtp *psp_libsrtp (void);

#endif
