/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "derive.h"
#include "libsrtp.h"

/* RTP packets by which a packet may be late and is still accepted. */
#define REPLAY_WINDOW 1024
#define RTP_HEADER 12           /* bytes of the fixed RTP header */
#define RTCP_HEADER 8           /* bytes of the unencrypted RTCP header */
/* Bytes of the SRTCP index with its E flag (RFC 3711 section 3.4). */
#define RTCP_INDEX 4

struct _PspSrtpSession
{
  const PspLibsrtp *lib;
  srtp_t srtp;
  PspSrtpKey key;
};

const char *
psp_srtp_missing (void)
{
  return psp_libsrtp () ? NULL :
      "libsrtp2.so.1 cannot be loaded; install the package libsrtp2-1";
}

size_t
psp_srtp_key_size (PspSrtpSuite suite)
{
  switch (suite) {
    case PSP_SRTP_AES_128_GCM:
      return SRTP_AES_GCM_128_KEY_LEN_WSALT;
    case PSP_SRTP_AES_256_GCM:
      return SRTP_AES_GCM_256_KEY_LEN_WSALT;
    case PSP_SRTP_AES_CM_128_HMAC_SHA1_80:
      return SRTP_AES_ICM_128_KEY_LEN_WSALT;
    case PSP_SRTP_NONE:
      break;
  }
  return 0;
}

static size_t
tag_size (PspSrtpSuite suite)
{
  return suite == PSP_SRTP_AES_CM_128_HMAC_SHA1_80 ? 10 : 16;
}

size_t
psp_srtp_overhead (const PspSrtpKey * key, bool rtcp)
{
  return tag_size (key->suite) + key->mki_size + (rtcp ? RTCP_INDEX : 0);
}

/* The MKI precedes the tag (RFC 3711 section 3.1); with GCM it follows the
 * ciphertext, of which the tag is a part (RFC 7714 section 8.2). */
const uint8_t *
psp_srtp_mki (PspSrtpSuite suite, size_t mki_size, const uint8_t * data,
    size_t size)
{
  size_t behind = mki_size;

  if (suite == PSP_SRTP_AES_CM_128_HMAC_SHA1_80)
    behind += tag_size (suite);
  return size < RTP_HEADER + behind ? NULL : data + size - behind;
}

static void
set_policy (const PspLibsrtp * lib, srtp_policy_t * policy,
    PspSrtpSuite suite)
{
  switch (suite) {
    case PSP_SRTP_AES_128_GCM:
      lib->crypto_policy_set_aes_gcm_128_16_auth (&policy->rtp);
      lib->crypto_policy_set_aes_gcm_128_16_auth (&policy->rtcp);
      break;
    case PSP_SRTP_AES_256_GCM:
      lib->crypto_policy_set_aes_gcm_256_16_auth (&policy->rtp);
      lib->crypto_policy_set_aes_gcm_256_16_auth (&policy->rtcp);
      break;
    default:
      lib->crypto_policy_set_rtp_default (&policy->rtp);
      lib->crypto_policy_set_rtcp_default (&policy->rtcp);
  }
  policy->window_size = REPLAY_WINDOW;
}

/* Adds a stream, or a template for all streams that come. */
static bool
add (PspSrtpSession * s, srtp_ssrc_type_t type, uint32_t ssrc)
{
  srtp_master_key_t master = {
    .key = s->key.key,
    .mki_id = s->key.mki,
    .mki_size = (unsigned) s->key.mki_size
  };
  srtp_master_key_t *masters[] = { &master };
  srtp_policy_t policy;

  memset (&policy, 0, sizeof policy);
  set_policy (s->lib, &policy, s->key.suite);
  policy.ssrc.type = type;
  policy.ssrc.value = ssrc;
  policy.keys = masters;
  policy.num_master_keys = 1;
  return s->lib->add_stream (s->srtp, &policy) == srtp_err_status_ok;
}

PspSrtpSession *
psp_srtp_session_new (const PspSrtpKey * key, bool inbound)
{
  const PspLibsrtp *lib = psp_libsrtp ();
  PspSrtpSession *s = lib ? calloc (1, sizeof *s) : NULL;

  if (!s)
    return NULL;
  s->lib = lib;
  s->key = *key;
  if (psp_srtp_key_size (key->suite) > 0 &&
      s->lib->create (&s->srtp, NULL) == srtp_err_status_ok &&
      add (s, inbound ? ssrc_any_inbound : ssrc_any_outbound, 0))
    return s;
  psp_srtp_session_free (s);
  return NULL;
}

void
psp_srtp_session_free (PspSrtpSession * s)
{
  if (!s)
    return;
  if (s->srtp)
    s->lib->dealloc (s->srtp);
  psp_srtp_wipe (&s->key, sizeof s->key);
  free (s);
}

const PspSrtpKey *
psp_srtp_session_key (const PspSrtpSession * s)
{
  return &s->key;
}

static PspSrtpResult
result_of (srtp_err_status_t status)
{
  switch (status) {
    case srtp_err_status_ok:
      return PSP_SRTP_OK;
    case srtp_err_status_replay_fail:
    case srtp_err_status_replay_old:
    case srtp_err_status_pkt_idx_old:
      return PSP_SRTP_REPLAYED;
    default:
      return PSP_SRTP_FAILED;
  }
}

PspSrtpResult
psp_srtp_protect (PspSrtpSession * s, uint8_t * data, size_t *size, bool rtcp)
{
  int length = (int) *size;
  unsigned mki = s->key.mki_size > 0;
  srtp_err_status_t status = rtcp ?
      s->lib->protect_rtcp_mki (s->srtp, data, &length, mki, 0) :
      s->lib->protect_mki (s->srtp, data, &length, mki, 0);

  *size = (size_t) length;
  return result_of (status);
}

PspSrtpResult
psp_srtp_unprotect (PspSrtpSession * s, uint8_t * data, size_t *size, bool rtcp)
{
  int length = (int) *size;
  unsigned mki = s->key.mki_size > 0;
  srtp_err_status_t status;

  if (*size < (rtcp ? RTCP_HEADER : RTP_HEADER) +
      psp_srtp_overhead (&s->key, rtcp))
    return PSP_SRTP_FAILED;
  status = rtcp ? s->lib->unprotect_rtcp_mki (s->srtp, data, &length, mki) :
      s->lib->unprotect_mki (s->srtp, data, &length, mki);
  *size = (size_t) length;
  return result_of (status);
}

bool
psp_srtp_set_roc (PspSrtpSession * s, uint32_t ssrc, uint32_t roc)
{
  uint32_t known;

  if (s->lib->get_stream_roc (s->srtp, ssrc, &known) != srtp_err_status_ok &&
      !add (s, ssrc_specific, ssrc))
    return false;
  return s->lib->set_stream_roc (s->srtp, ssrc, roc) == srtp_err_status_ok;
}
