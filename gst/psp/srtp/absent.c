/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Replaces the other files if libsrtp or libsodium is missing: no session can
 * be created.
 */
#include "derive.h"
#include "session.h"

#include <string.h>

const char *
psp_srtp_missing (void)
{
  return "this plugin was built without libsrtp2 or libsodium; install "
      "libsrtp2-dev and libsodium-dev, and build it with -Dsrtp=enabled";
}

size_t
psp_srtp_key_size (PspSrtpSuite suite)
{
  (void) suite;
  return 0;
}

size_t
psp_srtp_overhead (const PspSrtpKey * key, bool rtcp)
{
  (void) key;
  (void) rtcp;
  return 0;
}

const uint8_t *
psp_srtp_mki (PspSrtpSuite suite, size_t mki_size, const uint8_t * data,
    size_t size)
{
  (void) suite;
  (void) mki_size;
  (void) data;
  (void) size;
  return NULL;
}

PspSrtpSession *
psp_srtp_session_new (const PspSrtpKey * key, bool inbound)
{
  (void) key;
  (void) inbound;
  return NULL;
}

void
psp_srtp_session_free (PspSrtpSession * s)
{
  (void) s;
}

const PspSrtpKey *
psp_srtp_session_key (const PspSrtpSession * s)
{
  (void) s;
  return NULL;
}

PspSrtpResult
psp_srtp_protect (PspSrtpSession * s, uint8_t * data, size_t *size, bool rtcp)
{
  (void) s;
  (void) data;
  (void) size;
  (void) rtcp;
  return PSP_SRTP_FAILED;
}

PspSrtpResult
psp_srtp_unprotect (PspSrtpSession * s, uint8_t * data, size_t *size, bool rtcp)
{
  return psp_srtp_protect (s, data, size, rtcp);
}

bool
psp_srtp_set_roc (PspSrtpSession * s, uint32_t ssrc, uint32_t roc)
{
  (void) s;
  (void) ssrc;
  (void) roc;
  return false;
}

bool
psp_srtp_secret (const char *passphrase, uint8_t secret[PSP_SRTP_SECRET])
{
  (void) passphrase;
  (void) secret;
  return false;
}

void
psp_srtp_derive (const uint8_t * secret, size_t secret_size,
    const uint8_t * salt, size_t salt_size, const char *label, uint8_t * key,
    size_t size)
{
  (void) secret;
  (void) secret_size;
  (void) salt;
  (void) salt_size;
  (void) label;
  memset (key, 0, size);
}

void
psp_srtp_random (void *data, size_t size)
{
  memset (data, 0, size);
}

void
psp_srtp_wipe (void *data, size_t size)
{
  memset (data, 0, size);
}
