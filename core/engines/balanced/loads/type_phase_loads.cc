// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/type_phase_loads.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

IdVector<NodeTypeId, std::vector<std::uint32_t>> hosts_by_type(const NodeOrder& order, const NodeTypes& types) {
  IdVector<EndportId, std::uint32_t> number(order.of_endport.size());
  for (std::uint32_t i = 0; i < order.hosts.size(); ++i) number[order.hosts[i]] = i;
  IdVector<NodeTypeId, std::vector<std::uint32_t>> hosts(types.types.size());
  for (const EndportId e : order.jobs) hosts[types.of_endport[e]].push_back(number[e]);
  return hosts;
}

// visit(senders, receivers)
template <class Visit>
void for_each_pair(const NodeOrder& order, const NodeTypes& types, Visit visit) {
  const IdVector<NodeTypeId, std::uint8_t> is_small = small_types(types, order.hosts);
  const auto hosts = hosts_by_type(order, types);
  for (const NodeTypeId from : hosts.ids())
    for (const NodeTypeId to : hosts.ids())
      if (is_small[from] != 0 && is_small[to] == 0 && !hosts[from].empty()) visit(hosts[from], hosts[to]);
}

}  // namespace

TypePhaseLoads::Size TypePhaseLoads::size(const TreeChannels& channels, const NodeOrder& order, const NodeTypes& types,
                                          Hops longest_path) {
  Size size;
  for_each_pair(order, types, [&](const auto& senders, const auto& receivers) {
    size.hops += std::uint64_t{longest_path} * senders.size() * receivers.size();
    size.bytes += senders.size() * channels.size() * sizeof(loads_[0]);
  });
  return size;
}

TypePhaseLoads::TypePhaseLoads(const TreeChannels& channels, const Phases& phases, const NodeOrder& order,
                               const NodeTypes& types, const HostColumns& columns)
    : channels_(channels), phases_(phases) {
  std::size_t num_phases = 0;
  for_each_pair(order, types, [&](const auto& senders, const auto& receivers) {
    Pair& pair =
        pairs_.emplace_back(Pair{senders, receivers, std::vector<std::uint32_t>(order.hosts.size(), kNowhere),
                                 std::vector<std::vector<std::uint32_t>>(phases.sources().size()), num_phases});
    for (std::size_t g = 0; g < senders.size(); ++g)
      for (const std::uint32_t host : pair.members(g)) pair.group[host] = static_cast<std::uint32_t>(g);
    for (std::uint32_t j = 0; j < senders.size(); ++j) pair.on_source[phases.source_of(senders[j])].push_back(j);
    num_phases += senders.size();
  });
  loads_.resize(num_phases * channels.size());
  limit_.resize(num_phases);
  for (const Pair& pair : pairs_)
    parallel_for(pair.senders.size(), [&](std::size_t k) { count(pair, static_cast<std::uint32_t>(k), columns); });
}

void TypePhaseLoads::count(const Pair& pair, std::uint32_t phase, const HostColumns& columns) {
  const std::span<std::uint16_t> loads =
      std::span(loads_).subspan((pair.first_phase + phase) * channels_.size(), channels_.size());
  IdVector<TreeChannelId, std::uint32_t> last(channels_.size(), kNowhere);
  for (std::uint32_t group = 0; group < pair.senders.size(); ++group) {
    const std::uint32_t source = phases_.source_of(pair.senders[(group + phase) % pair.senders.size()]);
    for (const std::uint32_t host : pair.members(group))
      visit_path(columns, source, host, [&](TreeChannelId c) {
        if (last[c] != group) ++loads[index(c)];
        last[c] = group;
        return false;
      });
  }
  limit_[pair.first_phase + phase] =
      std::max(kBalanced.senders_in_a_phase, *std::max_element(loads.begin(), loads.end()));
}

template <class Visit>
bool TypePhaseLoads::visit_path(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
                                Visit visit) const {
  const auto column = columns.column(host);
  for (SwitchId s = phases_.sources()[source].at; column[index(s)] != kNoHop;) {
    const TreeChannelId c = channels_.at(s, column[index(s)]);
    if (visit(c)) return true;
    s = channels_.remote(c);
  }
  return false;
}

template <class Visit>
bool TypePhaseLoads::visit_alone(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
                                 std::span<const TreeChannelId> path, Visit visit) const {
  for (const Pair& pair : pairs_) {
    const std::uint32_t group = pair.group[host];
    if (group == kNowhere || pair.on_source[source].empty()) continue;
    for (const TreeChannelId c : path) {
      const bool has_others = std::ranges::any_of(pair.members(group), [&](std::uint32_t other) {
        return other != host && visit_path(columns, source, other, [&](TreeChannelId d) { return c == d; });
      });
      if (has_others) continue;
      for (const std::uint32_t sender : pair.on_source[source])
        if (!visit(pair.phase(sender, group), c)) return false;
    }
  }
  return true;
}

bool TypePhaseLoads::has_room(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
                              std::span<const TreeChannelId> path) const {
  return visit_alone(columns, source, host, path,
                     [&](std::size_t phase, TreeChannelId c) { return load(phase, c) < limit_[phase]; });
}

void TypePhaseLoads::add(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
                         std::span<const TreeChannelId> path) {
  visit_alone(columns, source, host, path, [&](std::size_t phase, TreeChannelId c) {
    ++loads_[phase * channels_.size() + index(c)];
    return true;
  });
}

void TypePhaseLoads::remove(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
                            std::span<const TreeChannelId> path) {
  visit_alone(columns, source, host, path, [&](std::size_t phase, TreeChannelId c) {
    --loads_[phase * channels_.size() + index(c)];
    return true;
  });
}

}  // namespace espalier
