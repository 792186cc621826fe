// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_cables.h"

#include <algorithm>
#include <array>

#include "core/base/parallel.h"
#include "core/engines/modulo/closed_form.h"
#include "core/tree/dividers.h"

namespace espalier {
namespace {

constexpr std::size_t kLine = 64;  // switches per block: the bytes of a cache line of a column

// The ports of offsets 1, 2, ... of a LID range whose offset 0 leaves by `port`.
void take_turns(const FatTree& tree, std::span<const PortGroup> closer, PortNum port, std::uint32_t divider,
                std::span<PortNum> range) {
  std::size_t at_group = 0;
  std::size_t at_port = 0;
  for (std::size_t g = 0; g < closer.size(); ++g) {
    const auto ports = tree.ports(closer[g]);
    const auto found = std::find(ports.begin(), ports.end(), port);
    if (found == ports.end()) continue;
    at_group = g;
    at_port = static_cast<std::size_t>(found - ports.begin());
  }
  for (std::size_t k = 0; k < range.size(); ++k) {
    const std::size_t turn = at_group + k / divider;
    const auto ports = tree.ports(closer[turn % closer.size()]);
    range[k] = ports[(at_port + turn / closer.size()) % ports.size()];
  }
}

}  // namespace

Cables::Cables(const FatTree& tree) {
  for (const SwitchId s : tree.fabric().switches()) {
    first_.push_back(static_cast<std::uint32_t>(far_.size()));
    const auto add = [&](std::span<const PortGroup> groups) {
      for (const PortGroup& g : groups)
        for (const PortNum port : tree.ports(g)) {
          far_.push_back(g.remote);
          port_.push_back(port);
        }
    };
    add(tree.up_groups(s));
    num_up_.push_back(static_cast<std::uint32_t>(far_.size()) - first_.back());
    add(tree.down_groups(s));
  }
  first_.push_back(static_cast<std::uint32_t>(far_.size()));
}

std::uint8_t Cables::number(SwitchId s, PortNum port) const {
  for (std::uint32_t c = first_[index(s)]; c < first_[index(s) + 1]; ++c)
    if (port_[id_at<CableId>(c)] == port) return static_cast<std::uint8_t>(c - first_[index(s)]);
  return kNoCable;
}

HostColumns::HostColumns(const FatTree& tree, const Cables& cables, const NodeOrder& order,
                         const ForwardingTables& tables)
    : num_switches_(tree.fabric().num_switches()), entries_(order.hosts.size() * num_switches_, kNoCable) {
  const Fabric& fabric = tree.fabric();
  parallel_blocks((num_switches_ + kLine - 1) / kLine, 1, [&](std::size_t first, std::size_t last) {
    const std::size_t end = std::min(last * kLine, num_switches_);
    std::vector<std::array<std::uint8_t, 256>> number(end - first * kLine);
    for (std::size_t s = first * kLine; s < end; ++s)
      for (std::size_t p = 0; p < 256; ++p)
        number[s - first * kLine][p] = cables.number(id_at<SwitchId>(s), id_at<PortNum>(p));
    for (std::size_t host = 0; host < order.hosts.size(); ++host) {
      const Lid lid = fabric.at(order.hosts[host]).lid;
      if (lid == kNoLid) continue;
      for (std::size_t s = first * kLine; s < end; ++s)
        entries_[host * num_switches_ + s] = number[s - first * kLine][index(tables.at(id_at<SwitchId>(s), lid))];
    }
  });
}

void HostColumns::write(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, const NodeOrder& order,
                        ForwardingTables& tables) const {
  const Fabric& fabric = tree.fabric();
  const auto divider = dividers(tree);
  parallel_blocks((num_switches_ + kLine - 1) / kLine, 1, [&](std::size_t first, std::size_t last) {
    const std::size_t end = std::min(last * kLine, num_switches_);
    for (std::size_t host = 0; host < order.hosts.size(); ++host) {
      const Endport& to = fabric.at(order.hosts[host]);
      for (std::size_t i = first * kLine; i < end; ++i) {
        const SwitchId s = id_at<SwitchId>(i);
        const std::uint8_t number = column(host)[i];
        if (number == kNoCable) continue;
        const PortNum port = cables.port(cables.at(s, number));
        if (tables.at(s, to.lid) == port) continue;
        if (to.lmc == 0)
          tables.set(s, to.lid, port);
        else
          take_turns(tree, closer_groups(tree, costs, s, to.leaf), port, divider[s],
                     tables.row(s).subspan(index(to.lid), std::size_t{1} << to.lmc));
      }
    }
  });
}

}  // namespace espalier
