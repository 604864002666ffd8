# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Bare roots of Debian 12 below $folder, which debootstrap makes. Source it after
# tests/setup.sh, with root's rights. DEBIAN_MIRROR says from where, if not from where
# debootstrap takes them by itself.

[ "$(id -u)" -eq 0 ] || die "Making and entering roots needs root."
mkdir -p "$folder"
folder=$(realpath "$folder")

# root NAME: a new one, with nothing but apt in it.
root() {
  if [ ! -d "$folder/base" ]; then
    command -v debootstrap >/dev/null || die "Install debootstrap."
    debootstrap --variant=minbase bookworm "$folder/base.new" \
      ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
    # As containers are.
    echo 127.0.0.1 localhost >"$folder/base.new/etc/hosts"
    echo force-unsafe-io >"$folder/base.new/etc/dpkg/dpkg.cfg.d/container"
    mv "$folder/base.new" "$folder/base"
  fi
  rm -rf "${folder:?}/$1"
  cp -a "$folder/base" "$folder/$1"
}

# inside NAME COMMAND…: in that root, in namespaces that end with the command, so
# that no mount and no process stays. All roots share what apt has downloaded.
# ROOT_DISPLAY, where it is set, is the display of what runs there.
inside() {
  mkdir -p "$folder/archives"
  unshare --mount --pid --fork --kill-child sh -ec '
    root=$1
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount --bind "$2" "$root/var/cache/apt/archives"
    shift 2
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-}" DISPLAY="${ROOT_DISPLAY-}" \
      "$@" || exit $?
  ' sh "$folder/$1" "$folder/archives" "${@:2}"
}
