// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/fat_tree.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/endport_role.h"

namespace espalier {

FatTree::FatTree(const Fabric& fabric, IdVector<SwitchId, Level> level,
                 const IdVector<SwitchId, std::uint32_t>& position, TreeContext context)
    : fabric_(&fabric), level_(std::move(level)), context_(std::move(context)) {
  const std::size_t n = fabric.num_switches();
  check(level_.size() == n && position.size() == n, "FatTree: one level and one position per switch");
  for (const Level l : level_) num_levels_ = std::max(num_levels_, index(l) + 1);

  for (const SwitchId s : fabric.switches()) ascending_.push_back(s);
  std::sort(ascending_.begin(), ascending_.end(), [&](SwitchId a, SwitchId b) { return position[a] < position[b]; });
  for (std::size_t i = 1; i < n; ++i)
    check(position[ascending_[i - 1]] != position[ascending_[i]], "FatTree: positions are distinct");

  build_groups(position);
  component_ = connected_components(fabric);
  for (const std::uint32_t component : component_) num_components_ = std::max(num_components_, component + 1);
  build_hosts();
}

void FatTree::build_groups(const IdVector<SwitchId, std::uint32_t>& position) {
  struct Link {
    bool down;
    SwitchId remote;
    PortNum remote_port;
    PortNum port;
  };
  std::vector<Link> links;
  groups_.reserve(2 * fabric_->num_switch_links());
  ports_.reserve(2 * fabric_->num_switch_links());
  first_up_ = IdVector<SwitchId, std::uint32_t>(fabric_->num_switches());
  first_down_ = first_up_;
  for (const SwitchId s : fabric_->switches()) {
    links.clear();
    for (const PortNum p : fabric_->ports(s)) {
      const Peer& peer = fabric_->peer(s, p);
      // A link from a switch to itself joins nothing.
      if (!peer.is_switch() || peer.as_switch() == s) continue;
      if (std::binary_search(context_.set_aside.begin(), context_.set_aside.end(), fabric_->channel(s, p))) continue;
      const SwitchId remote = peer.as_switch();
      links.push_back({position[remote] < position[s], remote, peer.port, p});
    }
    // Mostly ports are in the order of what is behind them, on each side.
    const auto begin_down =
        std::stable_partition(links.begin(), links.end(), [](const Link& link) { return !link.down; });
    const auto place = [](const Link& link) { return std::pair(link.remote, link.remote_port); };
    for (const auto& [begin, end] : {std::pair(links.begin(), begin_down), std::pair(begin_down, links.end())})
      if (!std::ranges::is_sorted(begin, end, {}, place)) std::ranges::sort(begin, end, {}, place);

    first_up_[s] = static_cast<std::uint32_t>(groups_.size());
    first_down_[s] = first_up_[s];
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (i == 0 || links[i].remote != links[i - 1].remote) {
        groups_.push_back({links[i].remote, static_cast<std::uint32_t>(ports_.size()), 0});
        if (!links[i].down) ++first_down_[s];
      }
      ports_.push_back(links[i].port);
      ++groups_.back().num_ports;
    }
  }
}

void FatTree::build_hosts() {
  hosts_.reserve(fabric_->num_endports());
  for (const EndportId e : fabric_->endports())
    if (is_host(fabric_->at(e))) hosts_.push_back(e);
  const auto place = [&](EndportId e) { return std::pair(fabric_->at(e).leaf, fabric_->at(e).leaf_port); };
  if (!std::ranges::is_sorted(hosts_, {}, place)) std::ranges::sort(hosts_, {}, place);
  first_host_.assign(fabric_->num_switches() + 1, 0);
  for (const EndportId e : hosts_) ++first_host_[index(fabric_->at(e).leaf) + 1];
  for (std::size_t i = 1; i < first_host_.size(); ++i) first_host_[i] += first_host_[i - 1];
}

}  // namespace espalier
