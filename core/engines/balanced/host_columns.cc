// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/host_columns.h"

#include <algorithm>
#include <array>

#include "core/base/parallel.h"
#include "core/tree/next_hops.h"

namespace espalier {
namespace {

constexpr std::size_t kLine = 64;  // switches per block: the bytes of a cache line of a column

// The ports of offsets 0, 1, 2, ... of a LID range whose offset 0 leaves by `port`: the rotation of closed_form.h.
void rotate_offsets(const FatTree& tree, std::span<const PortGroup> closer, PortNum port, std::uint32_t divider,
                    std::span<PortNum> range) {
  std::size_t first_group = 0;
  std::size_t first_port = 0;
  for (std::size_t g = 0; g < closer.size(); ++g) {
    const auto ports = tree.ports(closer[g]);
    const auto found = std::find(ports.begin(), ports.end(), port);
    if (found == ports.end()) continue;
    first_group = g;
    first_port = static_cast<std::size_t>(found - ports.begin());
  }
  for (std::size_t k = 0; k < range.size(); ++k) {
    const std::size_t group = first_group + k / divider;
    const auto ports = tree.ports(closer[group % closer.size()]);
    range[k] = ports[(first_port + group / closer.size()) % ports.size()];
  }
}

}  // namespace

HostColumns::HostColumns(const RoutingProblem& problem, const TreeChannels& channels, const ForwardingTables& tables,
                         unsigned offset)
    : num_switches_(problem.fabric.num_switches()), entries_(problem.order.hosts.size() * num_switches_, kNoHop) {
  const Fabric& fabric = problem.fabric;
  const std::vector<EndportId>& hosts = problem.order.hosts;
  parallel_blocks((num_switches_ + kLine - 1) / kLine, 1, [&](std::size_t first, std::size_t last) {
    const std::size_t end = std::min(last * kLine, num_switches_);
    std::vector<std::array<std::uint8_t, 256>> number(end - first * kLine);  // of the channel, by port
    for (std::size_t s = first * kLine; s < end; ++s)
      for (std::size_t p = 0; p < 256; ++p)
        number[s - first * kLine][p] = channels.number(id_at<SwitchId>(s), id_at<PortNum>(p));
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      const Endport& to = fabric.at(hosts[host]);
      if (to.lid == kNoLid || offset >> to.lmc != 0) continue;
      const Lid lid = lid_at_offset(to.lid, offset);
      for (std::size_t s = first * kLine; s < end; ++s)
        entries_[host * num_switches_ + s] = number[s - first * kLine][index(tables.at(id_at<SwitchId>(s), lid))];
    }
  });
}

template <class Visit>
void HostColumns::for_each_entry(const RoutingProblem& problem, const TreeChannels& channels, Visit visit) const {
  parallel_blocks((num_switches_ + kLine - 1) / kLine, 1, [&](std::size_t first, std::size_t last) {
    const std::size_t end = std::min(last * kLine, num_switches_);
    for (std::size_t host = 0; host < num_hosts(); ++host) {
      const Endport& to = problem.fabric.at(problem.order.hosts[host]);
      for (std::size_t i = first * kLine; i < end; ++i)
        if (const std::uint8_t number = column(host)[i]; number != kNoHop)
          visit(to, id_at<SwitchId>(i), channels.port(channels.at(id_at<SwitchId>(i), number)));
    }
  });
}

void HostColumns::write(const RoutingProblem& problem, const TreeChannels& channels, ForwardingTables& tables) const {
  for_each_entry(problem, channels, [&](const Endport& to, SwitchId s, PortNum port) {
    if (tables.at(s, to.lid) == port) return;
    if (to.lmc == 0)
      tables.set(s, to.lid, port);
    else
      rotate_offsets(problem.tree, closer_groups(problem.tree, problem.costs, s, to.leaf), port, problem.divider[s],
                     tables.row(s).subspan(index(to.lid), lids_of(to).size()));
  });
}

void HostColumns::write_offset(const RoutingProblem& problem, const TreeChannels& channels, unsigned offset,
                               ForwardingTables& tables) const {
  for_each_entry(problem, channels, [&](const Endport& to, SwitchId s, PortNum port) {
    if (offset >> to.lmc == 0) tables.set(s, lid_at_offset(to.lid, offset), port);
  });
}

}  // namespace espalier
