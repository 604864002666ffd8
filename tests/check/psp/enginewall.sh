#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# enginewall.sh LIBRARY: succeeds where its objects call no clock, no lock, no
# socket and no wait. The driver of an engine does all that for it, so that one
# engine can run for a sink or a thousand for a server, in real or virtual time.
set -u

forbidden='g_(rec_)?mutex_|g_cond_|g_rw_lock_|g_thread_|pthread_|sem_'
forbidden="$forbidden|g_get_(monotonic|real|current)_time\$|clock_|gettimeofday\$|time\$"
forbidden="$forbidden|gst_clock_|g_(u)?sleep|nanosleep"
forbidden="$forbidden|psp_udp_|psp_spin_|wait_|poll\$|ppoll\$|epoll_|select\$"
forbidden="$forbidden|(recv|send)(from|to|msg|mmsg)?\$|g_socket_|gst_psp_batch_send\$"

symbols=$(nm -u "$1") || exit 99 # an error, not a finding
found=$(printf '%s\n' "$symbols" | awk '$1 == "U" { print $2 }' | sort -u |
  grep -E "^($forbidden)")
[ -z "$found" ] && exit 0
echo "$1 calls what an engine must leave to its driver:"
printf '  %s\n' $found
exit 1
