// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/trees/pod_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/disjoint_sets.h"
#include "core/base/sort_unique.h"
#include "core/base/try.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNoPod = ~std::uint32_t{0};

class Builder {
 public:
  Builder(const FatTree& tree, std::span<const EndportId> servers)
      : tree_(tree),
        fabric_(tree.fabric()),
        pods_(fabric_.num_switches()),
        planes_(fabric_.num_switches()),
        plane_of_(fabric_.num_switches(), kNoPod) {
    result_.below = place_servers(fabric_, servers);
  }

  Result<PodTree> run() {
    ESPALIER_TRY_STATUS(find_sets());
    number_planes();
    number_pods();
    ESPALIER_TRY_STATUS(place_middles());
    place_tops();
    return std::move(result_);
  }

 private:
  Status find_sets() {
    const std::vector<SwitchId>& leaves = result_.below.leaves;
    for (const SwitchId leaf : leaves)
      for (const PortGroup& g : tree_.up_groups(leaf)) {
        if (g.num_ports > 1) return fail(fmt::format("{} has parallel links upward", fabric_.label(leaf)));
        if (std::binary_search(leaves.begin(), leaves.end(), g.remote))
          return fail(
              fmt::format("servers are attached to {}, which is above other servers' switches", label(g.remote)));
        if (tree_.up_groups(g.remote).empty())
          return fail(fmt::format("{} is above leaves and has no link upward", label(g.remote)));
        pods_.join(index(g.remote), index(leaf));
        middles_.push_back(g.remote);
      }
    sort_unique(middles_);
    for (const SwitchId middle : middles_)
      for (const PortGroup& g : tree_.up_groups(middle)) {
        if (g.num_ports > 1) return fail(fmt::format("{} has parallel links upward", label(middle)));
        if (!tree_.up_groups(g.remote).empty()) return fail(fmt::format("{} is not a top switch", label(g.remote)));
        planes_.join(index(middle), index(g.remote));
      }
    return {};
  }

  // Planes in the order of their middle switches' ids.
  void number_planes() {
    for (const SwitchId middle : middles_) {
      std::uint32_t& plane = plane_of(middle);
      if (plane == kNoPod) plane = num_planes_++;
    }
  }

  void number_pods() {
    std::vector<std::uint32_t> number(fabric_.num_switches(), kNoPod);
    for (const SwitchId leaf : result_.below.leaves) {
      std::uint32_t& pod = number[pods_.representative(index(leaf))];
      if (pod == kNoPod) pod = result_.num_pods++;
      result_.pod_of_leaf.push_back(pod);
    }
  }

  Status place_middles() {
    HostTree& below = result_.below;
    below.uplinks.assign(num_planes_, {});
    below.shape.num_spines = num_planes_;
    below.shape.alive.assign(below.leaves.size() * num_planes_, 0);
    below.up_port.assign(below.leaves.size() * num_planes_, kNoPort);
    below.down_port = below.up_port;
    result_.middle.assign(result_.num_pods * num_planes_, kNoSwitch);
    for (std::size_t leaf = 0; leaf < below.leaves.size(); ++leaf)
      for (const PortGroup& g : tree_.up_groups(below.leaves[leaf])) {
        const std::uint32_t plane = plane_of(g.remote);
        SwitchId& middle = result_.middle[result_.pod_of_leaf[leaf] * num_planes_ + plane];
        if (middle != kNoSwitch && middle != g.remote)
          return fail(fmt::format("{} and {} are above the same leaves and below the same top switches", label(middle),
                                  label(g.remote)));
        middle = g.remote;
        const std::size_t link = leaf * num_planes_ + plane;
        const PortNum port = tree_.ports(g).front();
        below.shape.alive[link] = 1;
        below.up_port[link] = port;
        below.down_port[link] = fabric_.peer(below.leaves[leaf], port).port;
      }
    return {};
  }

  void place_tops() {
    std::vector<std::vector<SwitchId>> tops(num_planes_);
    for (const SwitchId middle : middles_)
      for (const PortGroup& g : tree_.up_groups(middle)) tops[plane_of(middle)].push_back(g.remote);
    for (std::vector<SwitchId>& of_plane : tops) {
      sort_unique(of_plane);
      result_.num_tops = std::max(result_.num_tops, of_plane.size());
    }
    result_.top.assign(num_planes_ * result_.num_tops, kNoSwitch);
    result_.above.assign(num_planes_, LeafSpine(std::vector<std::uint32_t>(result_.num_pods, 0), result_.num_tops));
    result_.up_port.assign(num_planes_ * result_.num_pods * result_.num_tops, kNoPort);
    result_.down_port = result_.up_port;
    for (std::size_t plane = 0; plane < num_planes_; ++plane) {
      std::copy(tops[plane].begin(), tops[plane].end(),
                result_.top.begin() + static_cast<std::ptrdiff_t>(plane * result_.num_tops));
      LeafSpine& above = result_.above[plane];
      std::fill(above.alive.begin(), above.alive.end(), std::uint8_t{0});
      for (std::size_t pod = 0; pod < result_.num_pods; ++pod) {
        const SwitchId middle = result_.middle[pod * num_planes_ + plane];
        if (middle == kNoSwitch) continue;
        for (const PortGroup& g : tree_.up_groups(middle)) {
          const auto number = static_cast<std::size_t>(
              std::lower_bound(tops[plane].begin(), tops[plane].end(), g.remote) - tops[plane].begin());
          const PortNum port = tree_.ports(g).front();
          above.alive[pod * result_.num_tops + number] = 1;
          result_.up_port[result_.link(plane, pod, number)] = port;
          result_.down_port[result_.link(plane, pod, number)] = fabric_.peer(middle, port).port;
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t& plane_of(SwitchId middle) { return plane_of_[planes_.representative(index(middle))]; }
  [[nodiscard]] std::string label(SwitchId s) const { return fabric_.label(s); }

  const FatTree& tree_;
  const Fabric& fabric_;
  DisjointSets pods_;
  DisjointSets planes_;
  std::vector<SwitchId> middles_;        // ascending
  std::vector<std::uint32_t> plane_of_;  // by the representative of its set
  std::uint32_t num_planes_ = 0;
  PodTree result_;
};

}  // namespace

Result<PodTree> three_level_tree(const FatTree& tree, std::span<const EndportId> servers) {
  return Builder(tree, servers).run();
}

std::uint32_t pod_bound(const PodTree& tree) {
  std::vector<std::uint64_t> servers(tree.num_pods, 0);
  for (std::size_t leaf = 0; leaf < tree.pod_of_leaf.size(); ++leaf)
    servers[tree.pod_of_leaf[leaf]] += tree.below.shape.servers[leaf];
  std::uint64_t bound = 0;
  for (std::size_t pod = 0; pod < tree.num_pods; ++pod) {
    std::uint64_t links = 0;
    for (const LeafSpine& above : tree.above) links += above.uplinks(pod);
    const std::uint64_t flows = servers[pod] * (tree.below.servers.size() - servers[pod]);
    if (links != 0) bound = std::max(bound, (flows + links - 1) / links);
  }
  return static_cast<std::uint32_t>(bound);
}

}  // namespace espalier
