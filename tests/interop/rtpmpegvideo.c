/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * rtpmpegvideopay and rtpmpegvideodepay against another implementation of
 * RFC 2250, in both directions: what is decoded at the other end is, frame by
 * frame, what the file decodes to.
 *
 *   interop-rtpmpegvideo stock|plugins-rs|ffmpeg
 */
#include <gst/check/gstcheck.h>
#include <gio/gio.h>
#include <glib/gstdio.h>

#include <stdlib.h>
#include <string.h>

#define CAPS "application/x-rtp,media=video,clock-rate=90000," \
    "encoding-name=MPV,payload=32"
#define DECODE "mpegvideoparse ! avdec_mpeg2video max-threads=1 ! " \
    "fakesink name=out sync=false async=false signal-handoffs=true"
/* Gives time stamps, of which a file has none. */
#define STAMPED "mpegvideoparse ! rtpmpegvideopay ! rtpmpegvideodepay"
#define WAIT (30 * GST_SECOND)

typedef struct
{
  const gchar *name, *payloader, *depayloader;
  gboolean pays_mpeg1, pays_unstamped;
} Peer;

static const Peer peers[] = {
  {"stock", "rtpmpvpay", "rtpmpvdepay", FALSE, TRUE},
  {"plugins-rs", "rtpmpvpay2", "rtpmpvdepay2", TRUE, FALSE},
  {"ffmpeg", NULL, NULL, TRUE, TRUE},
};

static const Peer *peer;

/* MPEG-2 frame pictures, MPEG-2 field pictures, MPEG-1. */
static const gchar *const files[] = {
  "ocean-176x96p30-500k.m2v",
  "bbb-352x576i25-fields-3M.m2v",
  "bbb-352x288p25-1100k.m1v",
};

/* The pairs of elements; %s: of the peer. */
static const struct
{
  const gchar *what, *launch;
  gboolean theirs, unstamped;
} pairs[] = {
  /* *INDENT-OFF* */
  {"ours to theirs", "mpegvideoparse ! rtpmpegvideopay mtu=1000 ! %s", FALSE,
      TRUE},
  {"ours without extension to theirs",
      "mpegvideoparse ! rtpmpegvideopay extension-header=false ! %s", FALSE,
      TRUE},
  {"theirs to ours", "mpegvideoparse ! %s mtu=1000 ! rtpmpegvideodepay", TRUE,
      TRUE},
  {"theirs, stamped, to ours",
      STAMPED " ! mpegvideoparse ! %s ! rtpmpegvideodepay", TRUE, FALSE},
  /* *INDENT-ON* */
};

static gchar *
file_path (const gchar * file)
{
  return g_build_filename (TEST_FILES_DIR, file, NULL);
}

static void
take_picture (G_GNUC_UNUSED GstElement * sink, GstBuffer * buffer,
    G_GNUC_UNUSED GstPad * pad, GPtrArray * pictures)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_ptr_array_add (pictures, g_compute_checksum_for_data (G_CHECKSUM_MD5,
          map.data, map.size));
  gst_buffer_unmap (buffer, &map);
}

static GstElement *
launch (const gchar * description, GPtrArray * pictures)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  GstElement *sink;

  fail_unless (error == NULL, "%s: %s", description,
      error ? error->message : "");
  if (pictures) {
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
    g_signal_connect (sink, "handoff", G_CALLBACK (take_picture), pictures);
    gst_object_unref (sink);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
finish (GstElement * pipeline)
{
  GstMessage *message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline),
      WAIT, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "no end of stream");
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static GPtrArray *
decode (const gchar * path, const gchar * through)
{
  GPtrArray *pictures = g_ptr_array_new_with_free_func (g_free);
  gchar *description = g_strdup_printf ("filesrc location=\"%s\" ! %s ! "
      DECODE, path, through);

  finish (launch (description, pictures));
  g_free (description);
  return pictures;
}

static void
compare (const gchar * what, const GPtrArray * expected,
    const GPtrArray * pictures, guint n)
{
  fail_unless (pictures->len >= n, "%s: %u pictures of %u", what,
      pictures->len, n);
  fail_unless (n >= 60, "%s: only %u pictures", what, n);
  for (guint i = 0; i < n; i++)
    fail_unless (g_str_equal (g_ptr_array_index (expected, i),
            g_ptr_array_index (pictures, i)), "%s: picture %u differs", what,
        i);
}

GST_START_TEST (test_elements)
{
  guint row = __i__ % G_N_ELEMENTS (pairs);
  const gchar *file = files[__i__ / G_N_ELEMENTS (pairs)];
  gchar *path = file_path (file), *what, *through;
  GPtrArray *expected, *pictures;

  if (pairs[row].theirs && ((g_str_has_suffix (file, "m1v")
              && !peer->pays_mpeg1) || (pairs[row].unstamped
              && !peer->pays_unstamped))) {
    g_printerr ("not tried: %s, %s, which %s refuses\n", file, pairs[row].what,
        peer->payloader);
    g_free (path);
    return;
  }
  what = g_strdup_printf ("%s, %s", file, pairs[row].what);
  through = g_strdup_printf (pairs[row].launch, pairs[row].theirs ?
      peer->payloader : peer->depayloader);
  expected = decode (path, "identity");
  pictures = decode (path, through);
  fail_unless_equals_int (pictures->len, expected->len);
  compare (what, expected, pictures, expected->len);
  g_ptr_array_unref (expected);
  g_ptr_array_unref (pictures);
  g_free (through);
  g_free (what);
  g_free (path);
}

GST_END_TEST;

static GSubprocess *
spawn (const gchar * const *argv)
{
  GError *error = NULL;
  GSubprocess *process =
      g_subprocess_newv (argv, G_SUBPROCESS_FLAGS_STDOUT_SILENCE,
      &error);

  fail_unless (process != NULL, "%s", error ? error->message : "");
  return process;
}

static void
wait_for (GSubprocess * process)
{
  fail_unless (g_subprocess_wait (process, NULL, NULL));
  fail_unless (g_subprocess_get_successful (process), "ffmpeg failed");
  g_object_unref (process);
}

/* An even port that is free, and the next one too. */
static guint
free_port (void)
{
  GInetAddress *any = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  guint port = 0;

  for (guint i = 0; i < 100 && port == 0; i++) {
    guint candidate = 20000 + 2 * g_random_int_range (0, 10000);
    gboolean ok = TRUE;

    for (guint j = 0; j < 2; j++) {
      GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
          G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
      GSocketAddress *address = g_inet_socket_address_new (any, candidate + j);

      ok = ok && g_socket_bind (socket, address, FALSE, NULL);
      g_object_unref (address);
      g_object_unref (socket);
    }
    port = ok ? candidate : 0;
  }
  g_object_unref (any);
  fail_unless (port != 0, "no free port");
  return port;
}

/* Until the other process listens. */
static void
wait_for_port (guint port)
{
  gchar *text = g_strdup_printf (":%04X ", port);
  gboolean bound = FALSE;

  for (guint i = 0; i < 1000 && !bound; i++) {
    gchar *sockets = NULL;

    g_usleep (10000);
    fail_unless (g_file_get_contents ("/proc/net/udp", &sockets, NULL, NULL));
    bound = strstr (sockets, text) != NULL;
    g_free (sockets);
  }
  fail_unless (bound, "nothing listens on port %u", port);
  g_free (text);
}

/* The checksums of ffmpeg's framemd5. */
static GPtrArray *
read_checksums (const gchar * path)
{
  GPtrArray *pictures = g_ptr_array_new_with_free_func (g_free);
  gchar *contents, **lines;

  fail_unless (g_file_get_contents (path, &contents, NULL, NULL));
  lines = g_strsplit (contents, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    const gchar *comma = strrchr (lines[i], ',');

    if (lines[i][0] != '#' && comma)
      g_ptr_array_add (pictures, g_strstrip (g_strdup (comma + 1)));
  }
  g_strfreev (lines);
  g_free (contents);
  return pictures;
}

static gchar *
new_directory (void)
{
  gchar *directory = g_dir_make_tmp ("interop-XXXXXX", NULL);

  fail_unless (directory != NULL);
  return directory;
}

static void
remove_directory (gchar * directory, ...)
{
  va_list names;
  const gchar *name;

  va_start (names, directory);
  while ((name = va_arg (names, const gchar *)))
  {
    gchar *path = g_build_filename (directory, name, NULL);

    g_remove (path);
    g_free (path);
  }
  va_end (names);
  g_rmdir (directory);
  g_free (directory);
}

static GPtrArray *
decode_by_ffmpeg (const gchar * path, const gchar * out)
{
  const gchar *const argv[] = { "ffmpeg", "-v", "error", "-i", path,
    "-fps_mode", "passthrough", "-f", "framemd5", "-y", out, NULL
  };

  wait_for (spawn (argv));
  return read_checksums (out);
}

/* Which file, and whether with section 3.4.1's header. */
static const struct
{
  guint file;
  gboolean extension, srtp;
} sendings[] = { {0, FALSE, FALSE}, {0, TRUE, FALSE}, {1, TRUE, FALSE},
{2, FALSE, FALSE}, {0, TRUE, TRUE}
};

/* The one suite that FFmpeg has and we have. */
#define SRTP "srtp-suite=aes-cm-128-hmac-sha1-80 srtp-key=" \
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d "
#define FFMPEG_SUITE "AES_CM_128_HMAC_SHA1_80"
#define FFMPEG_KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd"

static gboolean
lacks_srtp (void)
{
  if (HAVE_SRTP)
    return FALSE;
  g_printerr ("not tried: SRTP, without which this is built\n");
  return TRUE;
}

GST_START_TEST (test_to_ffmpeg)
{
  const gchar *file = files[sendings[__i__].file];
  gchar *path = file_path (file), *directory = new_directory ();
  gchar *out = g_build_filename (directory, "out", NULL);
  gchar *sdp = g_build_filename (directory, "sdp", NULL);
  guint port = free_port ();
  gboolean srtp = sendings[__i__].srtp;
  gchar *session = g_strdup_printf ("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\n"
      "c=IN IP4 127.0.0.1\nt=0 0\nm=video %u RTP/%s", port, srtp ?
      "SAVP 32\na=crypto:1 " FFMPEG_SUITE " inline:" FFMPEG_KEY "\n" :
      "AVP 32\n");
  gchar *description = g_strdup_printf ("filesrc location=\"%s\" ! "
      "mpegvideoparse ! rtpmpegvideopay mtu=1200 extension-header=%d ! "
      "%s host=127.0.0.1 port=%u sync=true", path,
      sendings[__i__].extension, srtp ? "pspsink controller=none " SRTP :
      "udpsink", port);
  GPtrArray *expected = decode_by_ffmpeg (path, out), *pictures;
  /* It cannot know that no more will come. */
  guint n = expected->len - 4;
  gchar *n_frames = g_strdup_printf ("%u", n);
  const gchar *const argv[] = { "timeout", "30", "ffmpeg", "-v", "error",
    "-protocol_whitelist", "file,udp,rtp,srtp", "-buffer_size", "2000000", "-i",
    sdp, "-fps_mode", "passthrough", "-frames:v", n_frames, "-f", "framemd5",
    "-y", out, NULL
  };
  GSubprocess *ffmpeg;

  fail_unless (g_file_set_contents (sdp, session, -1, NULL));
  ffmpeg = spawn (argv);
  wait_for_port (port);
  finish (launch (description, NULL));
  wait_for (ffmpeg);
  pictures = read_checksums (out);
  compare (file, expected, pictures, n);
  g_ptr_array_unref (expected);
  g_ptr_array_unref (pictures);
  remove_directory (directory, "out", "sdp", NULL);
  g_free (n_frames);
  g_free (description);
  g_free (session);
  g_free (sdp);
  g_free (out);
  g_free (path);
}

GST_END_TEST;

/* Until nothing has come for a while. */
static void
wait_for_silence (GstElement * pipeline)
{
  GstBus *bus = GST_ELEMENT_BUS (pipeline);
  gboolean silent = FALSE;

  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  while (!silent) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, WAIT,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);

    fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT);
    silent = gst_message_has_name (message, "GstUDPSrcTimeout") ||
        gst_message_has_name (message, "GstPspSrcTimeout");
    gst_message_unref (message);
  }
}

GST_START_TEST (test_from_ffmpeg)
{
  /* The last one is the first under SRTP. */
  gboolean srtp = __i__ == G_N_ELEMENTS (files);
  const gchar *file = files[srtp ? 0 : __i__];
  gchar *path = file_path (file);
  guint port = free_port ();
  gchar *url = g_strdup_printf ("%srtp://127.0.0.1:%u", srtp ? "s" : "", port);
  gchar *description = g_strdup_printf ("%s port=%u timeout=300000000 "
      "buffer-size=2000000 caps=\"" CAPS "\" ! rtpjitterbuffer latency=100 ! "
      "rtpmpegvideodepay ! " DECODE, srtp ? "pspsrc " SRTP : "udpsrc", port);
  const gchar *const argv[] = { "timeout", "30", "ffmpeg", "-v", "fatal",
    "-re", "-fflags", "+genpts", "-i", path, "-c", "copy", "-f", "rtp",
    srtp ? "-srtp_out_suite" : url, srtp ? FFMPEG_SUITE : NULL,
    "-srtp_out_params", FFMPEG_KEY, url, NULL
  };
  GPtrArray *pictures = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *expected = decode (path, "identity");
  GstElement *pipeline = launch (description, pictures);

  wait_for_port (port);
  wait_for (spawn (argv));
  wait_for_silence (pipeline);
  gst_element_send_event (pipeline, gst_event_new_eos ());
  finish (pipeline);
  fail_unless_equals_int (pictures->len, expected->len);
  compare (file, expected, pictures, expected->len);
  g_ptr_array_unref (expected);
  g_ptr_array_unref (pictures);
  g_free (description);
  g_free (url);
  g_free (path);
}

GST_END_TEST;

static Suite *
interop_suite (void)
{
  Suite *s = suite_create (peer->name);
  TCase *tc = tcase_create (peer->name);

  if (peer->payloader) {
    tcase_add_loop_test (tc, test_elements, 0,
        G_N_ELEMENTS (files) * G_N_ELEMENTS (pairs));
  } else {
    gboolean srtp = !lacks_srtp ();

    tcase_add_loop_test (tc, test_to_ffmpeg, 0,
        G_N_ELEMENTS (sendings) - !srtp);
    tcase_add_loop_test (tc, test_from_ffmpeg, 0, G_N_ELEMENTS (files) + srtp);
  }
  suite_add_tcase (s, tc);
  return s;
}

/* The first thing that the peer's tests need and that is not there. */
static const gchar *
find_missing (void)
{
  const gchar *const elements[] = { "mpegvideoparse", "avdec_mpeg2video",
    peer->payloader ? peer->payloader : "udpsink",
    peer->depayloader ? peer->depayloader : "rtpjitterbuffer"
  };
  const gchar *const programs[] = { "ffmpeg", "timeout" };

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstElementFactory *factory = gst_element_factory_find (elements[i]);

    if (!factory)
      return elements[i];
    gst_object_unref (factory);
  }
  for (guint i = 0; !peer->payloader && i < G_N_ELEMENTS (programs); i++) {
    gchar *program = g_find_program_in_path (programs[i]);

    if (!program)
      return programs[i];
    g_free (program);
  }
  return NULL;
}

int
main (int argc, char **argv)
{
  const gchar *missing;

  gst_check_init (&argc, &argv);
  for (guint i = 0; argc == 2 && i < G_N_ELEMENTS (peers); i++) {
    if (g_str_equal (argv[1], peers[i].name))
      peer = &peers[i];
  }
  if (!peer) {
    g_printerr ("usage: %s stock|plugins-rs|ffmpeg\n", argv[0]);
    return 2;
  }
  missing = find_missing ();
  if (missing) {
    g_printerr ("skipped: %s is not there\n", missing);
    return 77;
  }
  return gst_check_run_suite (interop_suite (), peer->name, __FILE__);
}
