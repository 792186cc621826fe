// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Fabrics as values, for tests and fuzzers.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/fabric/fabric.h"

namespace espalier {

// The first difference between two fabrics, in words; empty when they are equal in everything that can be asked.
inline std::string difference(const Fabric& a, const Fabric& b) {
  if (a.num_switches() != b.num_switches())
    return fmt::format("{} and {} switches", a.num_switches(), b.num_switches());
  if (a.num_endports() != b.num_endports())
    return fmt::format("{} and {} end ports", a.num_endports(), b.num_endports());
  for (const SwitchId id : a.switches()) {
    const Switch& x = a.at(id);
    const Switch& y = b.at(id);
    if (x.guid != y.guid || x.description != y.description || x.lid != y.lid || x.lmc != y.lmc ||
        x.num_ports != y.num_ports || x.port0 != y.port0)
      return fmt::format("switches {} and {}", a.label(id), b.label(id));
    for (std::size_t p = 0; p <= x.num_ports; ++p) {
      const PortNum port = id_at<PortNum>(p);
      if (a.peer(id, port) != b.peer(id, port)) return fmt::format("peers of port {} of {}", p, a.label(id));
      if (a.rate(id, port) != b.rate(id, port)) return fmt::format("rates of port {} of {}", p, a.label(id));
    }
  }
  for (const EndportId id : a.endports()) {
    const Endport& x = a.at(id);
    const Endport& y = b.at(id);
    if (x.node_guid != y.node_guid || x.port_guid != y.port_guid || x.description != y.description ||
        x.port != y.port || x.kind != y.kind || x.lid != y.lid || x.lmc != y.lmc || x.leaf != y.leaf ||
        x.leaf_port != y.leaf_port)
      return fmt::format("end ports {} and {}", a.label(id), b.label(id));
  }
  return {};
}

}  // namespace espalier
