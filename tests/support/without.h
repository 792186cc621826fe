// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A fabric with one thing less, for tests that lose each in turn.
#pragma once

#include "core/base/check.h"
#include "core/fabric/faults.h"

namespace espalier {

// REQUIRES: the port has a link (to a switch or an end port).
[[nodiscard]] inline Fabric without_link(const Fabric& fabric, SwitchId s, PortNum port) {
  check(index(s) < fabric.num_switches() && index(port) <= fabric.at(s).num_ports, "without_link: no such port");
  return without(fabric, {.switches = {}, .endports = {}, .links = {fabric.channel(s, port)}});
}
// REQUIRES: the switch or end port is in the fabric.
[[nodiscard]] inline Fabric without_switch(const Fabric& fabric, SwitchId s) {
  return without(fabric, {.switches = {s}, .endports = {}, .links = {}});
}
[[nodiscard]] inline Fabric without_endport(const Fabric& fabric, EndportId e) {
  return without(fabric, {.switches = {}, .endports = {e}, .links = {}});
}

}  // namespace espalier
