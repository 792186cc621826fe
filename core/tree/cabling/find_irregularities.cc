// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/find_irregularities.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

using IrregularityKind = Irregularity::Kind;
using LevelOf = IdVector<SwitchId, std::uint32_t>;

// The value that most members of a level have (the larger one wins a tie: a missing link is likelier than an extra).
class Usual {
 public:
  void count(std::uint32_t level, std::uint32_t value) {
    if (level >= seen_.size()) seen_.resize(level + 1);
    if (value >= seen_[level].size()) seen_[level].resize(value + 1);
    ++seen_[level][value];
  }
  // 0 where none was counted.
  [[nodiscard]] std::uint32_t of(std::uint32_t level) const {
    if (level >= seen_.size()) return 0;
    const auto most = std::max_element(seen_[level].rbegin(), seen_[level].rend());
    return most == seen_[level].rend() ? 0 : static_cast<std::uint32_t>(seen_[level].rend() - most) - 1;
  }

 private:
  std::vector<std::vector<std::uint32_t>> seen_;  // how often, by level and value
};

// What is cabled to one switch.
struct CableCounts {
  std::uint32_t hosts = 0;
  std::uint32_t up_links = 0;
  std::uint32_t down_links = 0;
  std::uint32_t fastest_up_mbps = 0;
  std::vector<std::pair<SwitchId, std::uint32_t>> up_links_to;  // by neighbor above
};

CableCounts count_cables(const Fabric& fabric, const LevelOf& level, SwitchId s) {
  CableCounts cables;
  std::vector<SwitchId> neighbors;
  for (const PortNum p : fabric.ports(s)) {
    const Peer& peer = fabric.peer(s, p);
    if (!peer.is_switch()) continue;
    if (level[peer.as_switch()] < level[s]) ++cables.down_links;
    if (level[peer.as_switch()] <= level[s]) continue;
    ++cables.up_links;
    neighbors.push_back(peer.as_switch());
    cables.fastest_up_mbps = std::max(cables.fastest_up_mbps, fabric.rate(s, p).mbps());
  }
  std::sort(neighbors.begin(), neighbors.end());
  for (const SwitchId neighbor : neighbors) {
    if (cables.up_links_to.empty() || cables.up_links_to.back().first != neighbor)
      cables.up_links_to.emplace_back(neighbor, 0);
    ++cables.up_links_to.back().second;
  }
  return cables;
}

void look_at_links(const Fabric& fabric, const LevelOf& level, SwitchId s, const CableCounts& cables,
                   std::vector<Irregularity>& out) {
  std::string here;  // in what is no tree every link is named
  for (const PortNum port : fabric.ports(s)) {
    const Peer& peer = fabric.peer(s, port);
    if (!peer.is_switch()) continue;
    const SwitchId other = peer.as_switch();
    const auto link = [&] {
      if (here.empty()) here = fabric.label(s);
      return fmt::format("port {} of {} to port {} of {}", index(port), here, index(peer.port), fabric.label(other));
    };
    if (level[other] == level[s] && s < other)
      out.push_back(
          {IrregularityKind::kSameLevelLink, s, fmt::format("{} joins two switches on level {}", link(), level[s])});
    if (level[other] > level[s] + 1)
      out.push_back({IrregularityKind::kLevelSkippingLink, s,
                     fmt::format("{} goes from level {} to level {}", link(), level[s], level[other])});
    if (const std::uint32_t mbps = fabric.rate(s, port).mbps();
        level[other] > level[s] && mbps > 0 && mbps < cables.fastest_up_mbps)
      out.push_back({IrregularityKind::kMixedSpeed, s,
                     fmt::format("{} runs at {}, but other uplinks of that switch are faster", link(),
                                 fabric.rate(s, port).text())});
  }
}

// Returns how many are missing; who misses no others needs no second line for the same cables.
std::uint32_t look_at_parallel_links(const Fabric& fabric, const LevelOf& level, SwitchId s, const CableCounts& cables,
                                     std::uint32_t usual, std::vector<Irregularity>& out) {
  std::uint32_t missing = 0;
  for (const auto& [remote, links] : cables.up_links_to) {
    if (links >= usual) continue;
    missing += usual - links;
    out.push_back({IrregularityKind::kMissingParallelLink, s,
                   fmt::format("{} has {} to {}, but switches on level {} usually have {}", fabric.label(s),
                               counted(links, "cable"), fabric.label(remote), level[s], usual)});
  }
  return missing;
}

void look_at_endports(const Fabric& fabric, std::vector<Irregularity>& out) {
  std::size_t aggregation_nodes = 0;
  for (const EndportId e : fabric.endports()) {
    if (is_aggregation_node(fabric.at(e))) ++aggregation_nodes;
    if (fabric.at(e).leaf == kNoSwitch)
      out.push_back({IrregularityKind::kUncabledEndport, kNoSwitch,
                     fmt::format("{} is not cabled to any switch and gets no route", fabric.label(e))});
  }
  if (aggregation_nodes > 0)
    out.push_back({IrregularityKind::kAggregationNode, kNoSwitch,
                   fmt::format("{} (a CA inside a switch) not counted as hosts",
                               counted(aggregation_nodes, "Aggregation Node"))});
}

// The largest part is what the others have no cable to.
void look_at_components(const Fabric& fabric, const LevelOf& component, std::vector<Irregularity>& out) {
  std::vector<SwitchId> lowest;
  std::vector<std::size_t> size;
  for (const SwitchId s : fabric.switches()) {
    if (component[s] == lowest.size()) {
      lowest.push_back(s);
      size.push_back(0);
    }
    ++size[component[s]];
  }
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(size) - size.begin());
  for (std::size_t i = 0; i < lowest.size(); ++i) {
    if (i == largest) continue;
    const std::string here = fabric.label(lowest[i]);
    out.push_back({IrregularityKind::kDisconnectedPart, lowest[i],
                   size[i] == 1 ? fmt::format("{} has no cable to the rest", here)
                                : fmt::format("{} and {} have no cable to the rest; they are routed among themselves",
                                              here, counted(size[i] - 1, "more switch", "more switches"))});
  }
}

// What the switches of a level usually have, in one connected component: two fabrics in one subnet need not be alike.
struct UsualCounts {
  Usual links;
  Usual parallel;
};

void look_at_switch(const Fabric& fabric, const LevelOf& level, SwitchId s, const CableCounts& cables,
                    const UsualCounts& usual, std::vector<Irregularity>& out) {
  look_at_links(fabric, level, s, cables, out);
  if (cables.hosts > 0 && cables.down_links > 0)
    out.push_back(
        {IrregularityKind::kHostAboveLeaf, s,
         fmt::format("{} on level {} has {} attached", fabric.label(s), level[s], counted(cables.hosts, "host"))});
  if (cables.hosts == 0 && cables.down_links == 0)
    out.push_back({IrregularityKind::kHostlessLeaf, s,
                   fmt::format("{} on level {} has neither hosts nor switches below it", fabric.label(s), level[s])});
  const std::uint32_t missing = look_at_parallel_links(fabric, level, s, cables, usual.parallel.of(level[s]), out);
  const bool is_top = cables.up_links == 0 && cables.down_links > 0;  // of a lower tree beside a higher one
  if (!is_top && cables.up_links + missing < usual.links.of(level[s]))
    out.push_back({IrregularityKind::kMissingUplinks, s,
                   fmt::format("{} on level {} has {}, but most switches on that level have {}", fabric.label(s),
                               level[s], counted(cables.up_links, "uplink"), usual.links.of(level[s]))});
}

}  // namespace

std::vector<Irregularity> find_irregularities(const Fabric& fabric, const LevelOf& level) {
  std::vector<Irregularity> found;
  const LevelOf component = connected_components(fabric);
  look_at_components(fabric, component, found);
  look_at_endports(fabric, found);

  const auto hosts = count_hosts(fabric);
  IdVector<SwitchId, CableCounts> cables(fabric.num_switches());
  const auto for_each_switch = [&](const auto& visit) {
    parallel_blocks(cables.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) visit(id_at<SwitchId>(i));
    });
  };
  for_each_switch([&](SwitchId s) {
    cables[s] = count_cables(fabric, level, s);
    cables[s].hosts = hosts[s];
  });
  std::vector<UsualCounts> usual;
  for (const SwitchId s : fabric.switches()) {
    if (component[s] >= usual.size()) usual.resize(component[s] + 1);
    UsualCounts& here = usual[component[s]];
    here.links.count(level[s], cables[s].up_links);
    for (const auto& [remote, links] : cables[s].up_links_to) here.parallel.count(level[s], links);
  }
  IdVector<SwitchId, std::vector<Irregularity>> of(fabric.num_switches());
  for_each_switch([&](SwitchId s) { look_at_switch(fabric, level, s, cables[s], usual[component[s]], of[s]); });
  for (std::vector<Irregularity>& of_switch : of)
    found.insert(found.end(), std::make_move_iterator(of_switch.begin()), std::make_move_iterator(of_switch.end()));
  std::stable_sort(found.begin(), found.end(),
                   [](const Irregularity& a, const Irregularity& b) { return a.kind < b.kind; });
  return found;
}

}  // namespace espalier
