/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * openh264layers FILE PICTURES: a moving pattern of 176x144 as H.264 with three
 * temporal layers, said by prefix NAL units, which no element makes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wels/codec_api.h>

#define WIDTH 176
#define HEIGHT 144
#define RATE 25
#define BITRATE 300000

static int
open_encoder (ISVCEncoder * encoder)
{
  SEncParamExt p;
  SSpatialLayerConfig *layer = &p.sSpatialLayers[0];

  (*encoder)->GetDefaultParams (encoder, &p);
  p.iUsageType = CAMERA_VIDEO_REAL_TIME;
  p.iPicWidth = layer->iVideoWidth = WIDTH;
  p.iPicHeight = layer->iVideoHeight = HEIGHT;
  p.fMaxFrameRate = layer->fFrameRate = RATE;
  p.iTargetBitrate = layer->iSpatialBitrate = BITRATE;
  p.iSpatialLayerNum = 1;
  p.iTemporalLayerNum = 3;
  p.uiIntraPeriod = 32;
  p.iMultipleThreadIdc = 1;
  p.bEnableFrameSkip = false;
  p.bPrefixNalAddingCtrl = true;
  return (*encoder)->InitializeExt (encoder, &p);
}

static void
draw (unsigned char *picture, int n)
{
  memset (picture + WIDTH * HEIGHT, 128, WIDTH * HEIGHT / 2);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      picture[y * WIDTH + x] = (unsigned char) (x * y / 16 + 3 * n + (x ^ y));
}

static int
write_picture (ISVCEncoder * encoder, unsigned char *data, int n, FILE * file)
{
  SSourcePicture picture;
  SFrameBSInfo info;

  memset (&picture, 0, sizeof picture);
  memset (&info, 0, sizeof info);
  draw (data, n);
  picture.iColorFormat = videoFormatI420;
  picture.iPicWidth = WIDTH;
  picture.iPicHeight = HEIGHT;
  picture.iStride[0] = WIDTH;
  picture.iStride[1] = picture.iStride[2] = WIDTH / 2;
  picture.pData[0] = data;
  picture.pData[1] = data + WIDTH * HEIGHT;
  picture.pData[2] = data + WIDTH * HEIGHT * 5 / 4;
  picture.uiTimeStamp = n * 1000 / RATE;
  if ((*encoder)->EncodeFrame (encoder, &picture, &info) != cmResultSuccess)
    return -1;
  for (int i = 0; i < info.iLayerNum; i++) {
    const SLayerBSInfo *layer = &info.sLayerInfo[i];
    size_t size = 0;

    for (int k = 0; k < layer->iNalCount; k++)
      size += (size_t) layer->pNalLengthInByte[k];
    if (fwrite (layer->pBsBuf, 1, size, file) != size)
      return -1;
  }
  return 0;
}

int
main (int argc, char **argv)
{
  unsigned char *data = malloc (WIDTH * HEIGHT * 3 / 2);
  ISVCEncoder *encoder = NULL;
  FILE *file = argc == 3 ? fopen (argv[1], "wb") : NULL;
  int ok = data && file && WelsCreateSVCEncoder (&encoder) == 0
      && open_encoder (encoder) == 0;

  for (int n = 0; ok && n < atoi (argv[2]); n++)
    ok = write_picture (encoder, data, n, file) == 0;
  if (encoder) {
    (*encoder)->Uninitialize (encoder);
    WelsDestroySVCEncoder (encoder);
  }
  if (file)
    ok = fclose (file) == 0 && ok;
  free (data);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
