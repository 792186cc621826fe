#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The configuration that OpenSM's torus-2QoS needs (torus-2QoS.conf(5)) for a torus of `espalier generate torus "X,Y,Z,P"`,
# with switch 0 as the seed. To standard output.
#
#   scripts/torus_2qos_conf.sh X Y Z      each at least 3
set -euo pipefail
(($# == 3)) || { sed -n '3,${/^#/!q;s/^# \{0,1\}//;p}' "$0" >&2 && exit 2; }

first=$((0x0002c90001000000)) # switch i has this GUID plus i; the last coordinate varies fastest
echo "torus $1 $2 $3"
stride=1
for dimension in z:"$3" y:"$2" x:"$1"; do
  size=${dimension#*:}
  printf '%sp_link 0x%016x 0x%016x\n' "${dimension%:*}" $first $((first + stride))
  printf '%sm_link 0x%016x 0x%016x\n' "${dimension%:*}" $first $((first + (size - 1) * stride))
  stride=$((stride * size))
done
