// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/switch_graph.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/fabric/capacities.h"
#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

constexpr double kBackground = 1e-3;

// What comes from one switch becomes one flow; heaviest first.
void merge(std::vector<std::pair<SwitchId, double>>& known) {
  std::sort(known.begin(), known.end());
  std::size_t kept = 0;
  for (std::size_t j = 0; j < known.size(); ++j)
    if (kept > 0 && known[kept - 1].first == known[j].first)
      known[kept - 1].second += known[j].second;
    else
      known[kept++] = known[j];
  known.resize(kept);
  std::stable_sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
}

float fastest_of(std::span<const Hop> hops, const Capacities& capacities) {
  float fastest = 0;
  for (const Hop& hop : hops) fastest = std::max(fastest, capacities.of(hop.channel));
  return fastest;
}

}  // namespace

SwitchGraph::SwitchGraph(const Fabric& fabric, std::span<const KnownFlow> flows, std::span<const std::uint8_t> offsets)
    : fabric_(&fabric),
      first_{0},
      far_(fabric.num_channels(), kNoSwitch),
      weights_(fabric.num_channels(), 1.0F),
      hosts_(fabric.num_switches()) {
  for (const SwitchId s : fabric.switches()) {
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch() || peer.as_switch() == s) continue;
      out_.push_back({fabric.channel(s, p), peer.as_switch()});
      far_[index(out_.back().channel)] = peer.as_switch();
      in_.push_back({fabric.channel(peer.as_switch(), peer.port), peer.as_switch()});
    }
    first_.push_back(static_cast<std::uint32_t>(out_.size()));
  }
  const auto add = [&](const auto& owner, SwitchId at, PortNum last, double weight) {
    for (const Lid lid : lids_of(owner))
      lids_.push_back({lid, at, last, static_cast<std::uint8_t>(index(lid) - index(owner.lid)), weight});
  };
  for (const EndportId e : fabric.endports()) {
    const Endport& port = fabric.at(e);
    if (port.leaf == kNoSwitch) continue;
    hosts_[port.leaf] += is_host(port) ? 1 : 0;
    add(port, port.leaf, port.leaf_port, is_host(port) ? 1 : 0);
  }
  for (const SwitchId s : fabric.switches()) add(fabric.at(s), s, kManagementPort, 0);
  std::sort(lids_.begin(), lids_.end(), [](const RoutedLid& a, const RoutedLid& b) {
    return std::tuple(a.at, a.weight == 0, a.offset, a.lid) < std::tuple(b.at, b.weight == 0, b.offset, b.lid);
  });
  if (flows.empty()) return;
  add_flows(flows, offsets);
  weigh_channels();
}

bool SwitchGraph::has_offsets() const {
  return std::any_of(lids_.begin(), lids_.end(), [](const RoutedLid& lid) { return lid.offset > 0; });
}

void SwitchGraph::weigh_channels() {
  const Capacities capacities(*fabric_);
  if (capacities.all_are_one()) return;
  const float fastest = fastest_of(out_, capacities);
  for (const Hop& hop : out_) weights_[index(hop.channel)] = fastest / capacities.of(hop.channel);
}

double SwitchGraph::load_slow_links(double fullest) {
  const Capacities capacities(*fabric_);
  if (capacities.all_are_one() || out_.empty()) return fullest;
  const double fastest = fastest_of(out_, capacities);
  double sum = 0;
  for (const Hop& hop : out_) sum += capacities.of(hop.channel);
  // As much in all, shared by what channels carry.
  const double full = fullest * fastest * static_cast<double>(out_.size()) / sum;
  taken_.assign(fabric_->num_channels(), 0);
  for (const Hop& hop : out_) taken_[index(hop.channel)] = full * (1 - capacities.of(hop.channel) / fastest);
  return full;
}

SwitchGraph SwitchGraph::sharing_trees(std::uint32_t most) const {
  IdVector<SwitchId, std::uint64_t> of_hosts(num_switches());  // LIDs
  for (const RoutedLid& lid : lids_) of_hosts[lid.at] += lid.weight > 0 ? 1 : 0;
  SwitchGraph shared = *this;
  shared.lids_.clear();
  std::size_t first = 0;   // tree of the switch
  std::uint64_t seen = 0;  // of its hosts' LIDs
  for (const RoutedLid& lid : lids_) {
    if (shared.lids_.empty() || shared.lids_.back().at != lid.at) {
      first = shared.lids_.size();
      seen = 0;
    }
    const std::uint64_t trees = (of_hosts[lid.at] + most - 1) / most;
    shared.share_tree(first + (lid.weight > 0 ? seen++ * trees / of_hosts[lid.at] : 0), lid);
  }
  return shared;
}

SwitchGraph SwitchGraph::sharing_trees(std::span<const TableColumn> columns) const {
  IdVector<Lid, std::size_t> column_of(index(fabric_->top_lid()) + std::size_t{1});
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (const Lid lid : columns[c].lids) column_of[lid] = c;
  SwitchGraph shared = *this;
  shared.lids_.clear();
  std::vector<std::size_t> tree_of(columns.size(), lids_.size());
  for (const RoutedLid& lid : lids_) {
    std::size_t& tree = tree_of[column_of[lid.lid]];
    tree = std::min(tree, shared.lids_.size());
    shared.share_tree(tree, lid);
  }
  return shared;
}

// Of lids()[tree], or the next one.
void SwitchGraph::share_tree(std::size_t tree, const RoutedLid& lid) {
  if (tree == lids_.size()) {
    lids_.push_back(lid);
    return;
  }
  lids_[tree].weight += lid.weight;
  lids_[tree].sharing.emplace_back(lid.lid, lid.last_port);
}

void SwitchGraph::add_flows(std::span<const KnownFlow> flows, std::span<const std::uint8_t> offsets) {
  place_ = IdVector<Lid, std::uint32_t>(index(fabric_->top_lid()) + std::size_t{1});
  double lightest = std::numeric_limits<double>::infinity();
  for (const KnownFlow& flow : flows) lightest = std::min(lightest, flow.weight);
  for (std::uint32_t i = 0; i < lids_.size(); ++i) {
    place_[lids_[i].lid] = i;
    if (lids_[i].weight > 0) lids_[i].weight = lightest * kBackground / static_cast<double>(fabric_->num_endports());
  }
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const SwitchId from = fabric_->at(flows[f].source).leaf;
    const Endport& to = fabric_->at(flows[f].destination);
    if (from == kNoSwitch || to.leaf == kNoSwitch || from == to.leaf) continue;
    const Lid lid = lid_at_offset(to.lid, offsets.empty() ? 0U : offsets[f]);
    lids_[place_[lid]].known.emplace_back(from, flows[f].weight);
  }
  for (RoutedLid& lid : lids_) merge(lid.known);
}

}  // namespace espalier
