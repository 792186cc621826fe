// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/disjoint_paths.h"

#include <algorithm>
#include <bit>

#include "core/analysis/routes/host_routes.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kMostExact = 12;

// The paths of one pair.
class Bundle {
 public:
  explicit Bundle(const Fabric& fabric, const HostRoutes& routes) : fabric_(fabric), routes_(routes) {}

  void walk(SwitchId from, std::size_t to) {
    paths_.clear();
    for (const OffsetShare share : routes_.offset_shares(0, to)) {
      Path path;
      const bool arrives = routes_.follow(from, to, share.offset, [&](ChannelId c) {
        path.channels.push_back(c);
        if (const SwitchId s = fabric_.peer(c).as_switch(); s != routes_.leaf(to)) path.switches.push_back(s);
      });
      if (!arrives) continue;
      std::sort(path.switches.begin(), path.switches.end());
      std::sort(path.channels.begin(), path.channels.end());
      // Hosts with fewer LIDs than others have their paths several times over.
      if (std::none_of(paths_.begin(), paths_.end(), [&](const Path& p) { return p.channels == path.channels; }))
        paths_.push_back(std::move(path));
    }
  }

  // The most paths of which no two share a switch; two paths without any switch in between, from leaf to leaf, do not.
  [[nodiscard]] std::size_t num_disjoint() const {
    std::vector<std::uint32_t> conflicts(paths_.size());
    for (std::size_t a = 0; a < paths_.size(); ++a)
      for (std::size_t b = 0; b < paths_.size(); ++b)
        if (a != b && a < 32 && b < 32 && share(paths_[a].switches, paths_[b].switches)) conflicts[a] |= 1U << b;
    if (paths_.size() > kMostExact) return greedy(conflicts);
    std::size_t most = 0;
    for (std::uint32_t chosen = 0; chosen < (1U << paths_.size()); ++chosen) {
      const auto count = static_cast<std::size_t>(std::popcount(chosen));
      if (count <= most) continue;
      bool is_free = true;
      for (std::size_t a = 0; a < paths_.size() && is_free; ++a)
        is_free = (chosen >> a & 1) == 0 || (conflicts[a] & chosen) == 0;
      if (is_free) most = count;
    }
    return most;
  }
  // Whether no link, or no switch, is on all paths.
  [[nodiscard]] bool survives_any_link() const {
    return common([](const Path& p) { return p.channels; }) == 0;
  }
  [[nodiscard]] bool survives_any_switch() const {
    return common([](const Path& p) { return p.switches; }) == 0;
  }
  [[nodiscard]] bool arrives() const { return !paths_.empty(); }

 private:
  struct Path {
    std::vector<ChannelId> channels;
    std::vector<SwitchId> switches;
  };
  static bool share(const std::vector<SwitchId>& a, const std::vector<SwitchId>& b) {
    return std::any_of(a.begin(), a.end(), [&](SwitchId s) { return std::binary_search(b.begin(), b.end(), s); });
  }
  [[nodiscard]] std::size_t greedy(const std::vector<std::uint32_t>& conflicts) const {
    std::vector<std::size_t> chosen;
    for (std::size_t a = 0; a < conflicts.size(); ++a)
      if (std::none_of(chosen.begin(), chosen.end(),
                       [&](std::size_t b) { return share(paths_[a].switches, paths_[b].switches); }))
        chosen.push_back(a);
    return chosen.size();
  }
  template <class Parts>
  [[nodiscard]] std::size_t common(const Parts& parts) const {
    auto left = parts(paths_.front());
    for (const Path& path : paths_) {
      const auto own = parts(path);
      std::erase_if(left, [&](auto x) { return !std::binary_search(own.begin(), own.end(), x); });
    }
    return left.size();
  }

  const Fabric& fabric_;
  const HostRoutes& routes_;
  std::vector<Path> paths_;
};

DisjointPaths join_paths(DisjointPaths a, const DisjointPaths& b) {
  a.num_pairs += b.num_pairs;
  a.survive_link += b.survive_link;
  a.survive_switch += b.survive_switch;
  a.pairs_with.resize(std::max(a.pairs_with.size(), b.pairs_with.size()));
  for (std::size_t i = 0; i < b.pairs_with.size(); ++i) a.pairs_with[i] += b.pairs_with[i];
  return a;
}

}  // namespace

double DisjointPaths::mean() const {
  double sum = 0;
  for (std::size_t n = 0; n < pairs_with.size(); ++n) sum += static_cast<double>(n * pairs_with[n]);
  return num_pairs == 0 ? 0 : sum / static_cast<double>(num_pairs);
}

DisjointPaths disjoint_paths(const Fabric& fabric, const ForwardingTables& tables,
                             const std::vector<EndportId>& hosts) {
  const HostRoutes routes(fabric, tables, hosts, {.kind = LidUse::Kind::kEvenly});
  std::vector<std::uint64_t> hosts_on(fabric.num_switches());
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank)
    if (routes.leaf(rank) != kNoSwitch) ++hosts_on[index(routes.leaf(rank))];
  return parallel_reduce(
      routes.num_hosts(), 8, DisjointPaths{},
      [&](std::size_t first, std::size_t last, DisjointPaths result) {
        Bundle bundle(fabric, routes);
        for (std::size_t to = first; to < last; ++to)
          for (const SwitchId from : fabric.switches()) {
            const std::uint64_t pairs = hosts_on[index(from)];
            if (pairs == 0 || from == routes.leaf(to) || routes.leaf(to) == kNoSwitch) continue;
            bundle.walk(from, to);
            const std::size_t disjoint = bundle.num_disjoint();
            result.num_pairs += pairs;
            if (result.pairs_with.size() <= disjoint) result.pairs_with.resize(disjoint + 1);
            result.pairs_with[disjoint] += pairs;
            if (!bundle.arrives()) continue;
            if (bundle.survives_any_link()) result.survive_link += pairs;
            if (bundle.survives_any_switch()) result.survive_switch += pairs;
          }
        return result;
      },
      join_paths);
}

}  // namespace espalier
