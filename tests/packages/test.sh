#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Tests the packages in bare roots of Debian 12, which debootstrap makes below
# FOLDER (3 GB). By hand: it needs root, a mirror, and half an hour.
#
#   tests/packages/test.sh FOLDER [STEP…]
#
#   image     the instructions of Containerfile, each in a root of its stage; its
#             packages are those of the other steps
#   install   that it takes less than a minute from the packages to the guide's
#             first pipeline, where those that they depend on have been downloaded
#   check     autopkgtest, in the same root
#   remove    an older version, the upgrade, and that removal leaves nothing
set -euo pipefail
. "$(dirname "$0")/../setup.sh"
[ $# -ge 1 ] || die "usage: tests/packages/test.sh FOLDER [STEP…]"
folder=$1
shift
. "$(dirname "$0")/roots.sh"

step_image() {
  local word rest from to source stage=
  while read -r word rest; do
    case $word in
      "" | "#"*) ;;
      FROM)
        [[ $rest == debian:12* ]] || die "no root for $rest"
        stage=image
        [[ $rest != *" AS "* ]] || stage=stage-${rest##* }
        say "Stage $stage"
        root "$stage"
        ;;
      COPY)
        from=$top
        if [[ $rest == --from=* ]]; then
          from=${rest%% *}
          from=$folder/stage-${from#--from=}
          rest=${rest#* }
        fi
        to=$folder/$stage${rest#* }
        mkdir -p "$to"
        for source in "$from"/${rest% *}; do # patterns are for the shell
          if [ -d "$source" ]; then
            tar -C "$source" -c --exclude='./build*' . | tar -C "$to" -x
          else
            cp "$source" "$to"
          fi
        done
        ;;
      RUN) inside "$stage" sh -c "$rest" ;;
      ENTRYPOINT) inside image "$(tr -d '[]"' <<<"$rest")" --version ;;
      *) die "Containerfile: $word is not known here" ;;
    esac
  done <"$top/Containerfile"
}

# into NAME: the packages, in its /packages.
into() {
  ls "$folder"/stage-build/packages/*.deb >/dev/null || die "Run the step image first."
  mkdir "$folder/$1/packages"
  cp "$folder"/stage-build/packages/* "$folder/$1/packages"
}

step_install() {
  root bare
  into bare
  # The tests of the source package, where its own runner would run them.
  mkdir "$folder/bare/src"
  git -C "$top" archive HEAD | tar -C "$folder/bare/src" -x
  inside bare sh -ec '
    apt-get -q update
    apt-get -qq -y install --download-only /packages/*.deb
    '
  local begun=$SECONDS taken
  inside bare sh -ec '
    apt-get -qq -y install /packages/*.deb
    cd /src && AUTOPKGTEST_TMP=$(mktemp -d) sh -e debian/tests/live'
  taken=$((SECONDS - begun))
  # The pictures last 5 s, however soon the first one comes.
  say "From the packages to the guide's first pipeline: $((taken - 5)) s, and 5 s of pictures"
  [ $((taken - 5)) -lt 60 ] || die "A minute was promised, on a machine with nothing else to do."
}

step_check() {
  inside bare sh -ec '
    apt-get -q update
    apt-get -qq -y install --no-install-recommends autopkgtest
    # 2: all passed but those that were skipped
    autopkgtest /packages/*.deb /packages/*.dsc -- null || [ $? -eq 2 ]'
}

step_remove() {
  root remove
  into remove
  inside remove bash -euo pipefail -c '
    files() {
      find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /packages \
        -o -path /root/.cache -o -path /var/cache -o -path /var/log \
        -o -path /var/lib/apt -o -path "/var/lib/dpkg/*-old" \) -prune -o -print |
        sort
    }
    apt-get -q update
    ours=$(for deb in /packages/*.deb; do dpkg-deb -f "$deb" Package; done)
    version=$(dpkg-deb -f "$(ls /packages/*.deb | head -n 1)" Version)
    others=$(apt-get -s install /packages/*.deb |
      awk "/^Inst/ { print \$2 }" | grep -vxF "$ours")
    apt-get -qq -y install $others
    files >/tmp/before

    mkdir /tmp/older
    for deb in /packages/*.deb; do
      dpkg-deb -R "$deb" /tmp/older/tree
      sed -i "s/\b${version//./\\.}\b/$version~older/g" /tmp/older/tree/DEBIAN/control
      dpkg-deb -b /tmp/older/tree "/tmp/older/${deb##*/}" >/dev/null
      rm -r /tmp/older/tree
    done
    apt-get -qq -y install /tmp/older/*.deb
    gst-inspect-1.0 pspsink >/dev/null
    apt-get -qq -y install /packages/*.deb
    gst-inspect-1.0 pspsink >/dev/null
    dpkg-query -W $ours
    for package in $ours; do
      [ "$(dpkg-query -W -f "\${Version}" "$package")" = "$version" ]
    done

    apt-get -qq -y purge $ours
    files >/tmp/after
    diff /tmp/before /tmp/after
    ! gst-inspect-1.0 pspsink >/dev/null 2>&1 || exit 1'
  say "Removal leaves nothing."
}

for step in "${@:-image install check remove}"; do
  for step in $step; do
    [[ $(type -t "step_$step") == function ]] || die "there is no step $step"
    say "Step $step"
    "step_$step"
  done
done
