// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/parallel.h"
#include "core/base/text.h"

namespace espalier {
namespace {

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

void raise(Bound& bound, std::uint64_t shares, const auto& why) {
  if (shares <= bound.shares) return;
  bound = {shares, why()};
}

// A number per switch: that of its pod, or kOutside above the level.
std::vector<std::uint32_t> find_pods(const FatTree& tree, std::size_t level, std::uint32_t outside) {
  const Fabric& fabric = tree.fabric();
  std::vector<std::uint32_t> pod(fabric.num_switches(), outside);
  std::uint32_t next = 0;
  std::vector<SwitchId> stack;
  for (const SwitchId first : fabric.switches()) {
    if (index(tree.level(first)) > level || pod[index(first)] != outside) continue;
    pod[index(first)] = next;
    for (stack.assign(1, first); !stack.empty();) {
      const SwitchId s = stack.back();
      stack.pop_back();
      for (const auto& groups : {tree.up_groups(s), tree.down_groups(s)})
        for (const PortGroup& g : groups)
          if (index(tree.level(g.remote)) <= level && pod[index(g.remote)] == outside) {
            pod[index(g.remote)] = next;
            stack.push_back(g.remote);
          }
    }
    ++next;
  }
  return pod;
}

// visit(far switch, number of links) for all links of s.
template <class Visit>
void visit_links(const FatTree& tree, SwitchId s, Visit visit) {
  for (const auto& groups : {tree.up_groups(s), tree.down_groups(s)})
    for (const PortGroup& g : groups) visit(g.remote, g.num_ports);
}

// Distinct hosts on the side of the flows that matters, pod by pod: a source or destination that recurs counts once.
class DistinctCount {
 public:
  DistinctCount(std::size_t num_hosts, std::size_t num_pods) : seen_(num_hosts), count_(num_pods) {}
  void add(std::uint32_t host, std::uint32_t pod) {
    // A host's flows leave from one pod; of a destination's, each pod counts it once.
    if (!seen_[host].insert_once(pod)) return;
    ++count_[pod];
  }
  [[nodiscard]] std::uint32_t at(std::size_t pod) const { return count_[pod]; }

 private:
  struct Pods {
    std::vector<std::uint32_t> pods;
    bool insert_once(std::uint32_t pod) {
      if (std::find(pods.begin(), pods.end(), pod) != pods.end()) return false;
      pods.push_back(pod);
      return true;
    }
  };
  std::vector<Pods> seen_;
  std::vector<std::uint32_t> count_;
};

}  // namespace

CutBounds::CutBounds(const FatTree& tree, const std::vector<EndportId>& hosts, std::uint32_t shares_per_flow)
    : shares_per_flow_(shares_per_flow) {
  for (const EndportId e : hosts) {
    const SwitchId leaf = tree.fabric().at(e).leaf;
    part_.push_back(leaf == kNoSwitch ? kOutside : tree.component(leaf));
  }
  for (std::size_t level = 0; level + 1 < tree.num_levels(); ++level) add_level(tree, hosts, level);
}

void CutBounds::add_level(const FatTree& tree, const std::vector<EndportId>& hosts, std::size_t level) {
  const Fabric& fabric = tree.fabric();
  const std::vector<std::uint32_t> pod_of_switch = find_pods(tree, level, kOutside);
  Level now;
  for (const SwitchId s : fabric.switches()) {
    const std::uint32_t pod = pod_of_switch[index(s)];
    if (pod == kOutside) continue;
    if (pod == now.pods.size()) now.pods.push_back({fabric.label(s), 0, 0, 1});
    std::uint32_t up = 0;
    for (const PortGroup& g : tree.up_groups(s)) up += g.num_ports;
    if (!tree.hosts(s).empty()) now.pods[pod].width = std::max(now.pods[pod].width, up);
    visit_links(tree, s, [&](SwitchId far, std::uint32_t links) {
      if (pod_of_switch[index(far)] == kOutside) now.pods[pod].links += links;
    });
  }
  for (const EndportId e : hosts) {
    const SwitchId leaf = fabric.at(e).leaf;
    now.pod_of.push_back(leaf == kNoSwitch ? kOutside : pod_of_switch[index(leaf)]);
    if (now.pod_of.back() != kOutside) ++now.pods[now.pod_of.back()].hosts;
  }
  levels_.push_back(std::move(now));
  if (level + 2 == tree.num_levels()) add_uplinks(tree, pod_of_switch);
}

void CutBounds::add_uplinks(const FatTree& tree, const std::vector<std::uint32_t>& pod_of_switch) {
  const std::size_t n = levels_.back().pods.size();
  paths_.assign(n * n, 0);
  std::vector<std::uint32_t> further(n);  // links to switches from where one gets on without coming down
  std::vector<std::uint32_t> links(n);
  for (const SwitchId u : tree.fabric().switches()) {
    if (pod_of_switch[index(u)] != kOutside) continue;
    std::vector<std::uint32_t> pods;
    bool leads_on = false;
    visit_links(tree, u, [&](SwitchId far, std::uint32_t count) {
      const std::uint32_t pod = pod_of_switch[index(far)];
      leads_on = leads_on || pod == kOutside;
      if (pod == kOutside) return;
      if (links[pod] == 0) pods.push_back(pod);
      links[pod] += count;
    });
    for (const std::uint32_t a : pods)
      for (const std::uint32_t b : pods) paths_[a * n + b] += std::min(links[a], links[b]);
    for (const std::uint32_t a : pods) {
      if (leads_on) further[a] += links[a];
      links[a] = 0;
    }
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) paths_[a * n + b] += std::min(further[a], further[b]);
}

Bound CutBounds::permutation(std::span<const std::uint32_t> destination) const {
  check(destination.size() == part_.size(), "CutBounds: one destination per host");
  Bound bound;
  for (const Level& level : levels_) {
    const std::size_t n = level.pods.size();
    std::vector<std::uint32_t> out(n), in(n), between(&level == &levels_.back() ? n * n : 0);
    for (std::uint32_t i = 0; i < destination.size(); ++i) {
      const std::uint32_t from = level.pod_of[i];
      const std::uint32_t to = level.pod_of[destination[i]];
      if (from == to || part_[i] == kOutside || !connected(i, destination[i])) continue;
      if (from != kOutside) ++out[from];
      if (to != kOutside) ++in[to];
      if (!between.empty() && from != kOutside && to != kOutside) ++between[from * n + to];
    }
    for (std::size_t a = 0; a < n; ++a) {
      const auto cut = [&](std::uint32_t flows, const char* verb) {
        if (level.pods[a].links == 0) return;
        raise(bound, divide_up(shares(flows), level.pods[a].links), [&] {
          return fmt::format("{} flows {} the pod of {} over {}", flows, verb, level.pods[a].name,
                             counted(level.pods[a].links, "cable"));
        });
      };
      cut(out[a], "leave");
      cut(in[a], "enter");
    }
    for (std::size_t i = 0; i < between.size(); ++i)
      if (between[i] > 0 && paths_[i] > 0)
        raise(bound, divide_up(shares(between[i]), paths_[i]), [&] {
          return fmt::format("{} flows from the pod of {} to that of {} have {}", between[i], level.pods[i / n].name,
                             level.pods[i % n].name, counted(paths_[i], "channel"));
        });
  }
  return bound;
}

Bound CutBounds::phase(std::span<const Flow> flows) const {
  check(shares_per_flow_ == 1, "CutBounds: phases are of whole flows");
  Bound bound;
  for (const Level& level : levels_) {
    const std::size_t n = level.pods.size();
    DistinctCount sources_out(part_.size(), n), targets_out(part_.size(), n), sources_in(part_.size(), n),
        targets_in(part_.size(), n);
    for (const Flow& flow : flows) {
      const std::uint32_t from = level.pod_of[flow.source];
      const std::uint32_t to = level.pod_of[flow.destination];
      if (from == to || part_[flow.source] == kOutside || !connected(flow.source, flow.destination)) continue;
      if (from != kOutside) sources_out.add(flow.source, from), targets_out.add(flow.destination, from);
      if (to != kOutside) sources_in.add(flow.source, to), targets_in.add(flow.destination, to);
    }
    for (std::size_t a = 0; a < n; ++a) {
      const auto cut = [&](std::uint32_t hosts, const char* verb) {
        if (level.pods[a].links == 0) return;
        raise(bound, divide_up(hosts, level.pods[a].links), [&] {
          return fmt::format("flows of {} {} the pod of {} over {}", counted(hosts, "host"), verb, level.pods[a].name,
                             counted(level.pods[a].links, "cable"));
        });
      };
      cut(std::min(sources_out.at(a), targets_out.at(a)), "leave");
      cut(std::min(sources_in.at(a), targets_in.at(a)), "enter");
    }
  }
  return bound;
}

Bound CutBounds::all_to_all() const {
  Bound bound;
  for (const Level& level : levels_) {
    const std::size_t n = level.pods.size();
    std::vector<std::uint32_t> part_of(n);
    std::vector<std::uint64_t> in_part(part_.size() + 1);
    for (std::uint32_t i = 0; i < part_.size(); ++i) {
      if (part_[i] == kOutside) continue;
      if (part_[i] >= in_part.size()) in_part.resize(part_[i] + 1);
      ++in_part[part_[i]];
      if (level.pod_of[i] != kOutside) part_of[level.pod_of[i]] = part_[i];
    }
    for (std::size_t a = 0; a < n; ++a) {
      const Pod& pod = level.pods[a];
      if (pod.links == 0 || pod.hosts == 0) continue;
      const std::uint64_t flows = pod.hosts * (in_part[part_of[a]] - pod.hosts);
      raise(bound, divide_up(shares(flows), pod.links), [&] {
        return fmt::format("{} flows leave the pod of {} over {}", flows, pod.name, counted(pod.links, "cable"));
      });
      if (&level != &levels_.back()) continue;
      for (std::size_t b = 0; b < n; ++b)
        if (a != b && paths_[a * n + b] > 0) {
          const std::uint64_t between = std::uint64_t{pod.hosts} * level.pods[b].hosts;
          raise(bound, divide_up(shares(between), paths_[a * n + b]), [&] {
            return fmt::format("{} flows from the pod of {} to that of {} have {}", between, pod.name,
                               level.pods[b].name, counted(paths_[a * n + b], "channel"));
          });
        }
    }
  }
  return bound;
}

Bound CutBounds::random_permutations() const {
  check(shares_per_flow_ == 1, "CutBounds: random permutations are of whole flows");
  Bound bound;
  const auto n = static_cast<double>(part_.size());
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    const Level& level = levels_[number];
    const auto all_at_most = [&](std::uint32_t m) {
      double log_sum = 0;
      for (const Pod& pod : level.pods) {
        if (pod.hosts == 0 || pod.links == 0) continue;
        const double users = std::floor(pod.hosts * (1 - pod.hosts / n) * pod.width / pod.links);
        if (users <= m) continue;
        const boost::math::binomial_distribution<double> load(users, 1.0 / pod.width);
        log_sum += pod.links * std::log(boost::math::cdf(load, m));
      }
      return log_sum;
    };
    std::uint32_t m = 0;
    while (m < part_.size() && all_at_most(m) < -std::log(2.0)) ++m;
    raise(bound, m, [&] {
      return fmt::format("flows that leave the {} of level {} fall evenly on their links",
                         counted(level.pods.size(), "pod"), number);
    });
  }
  return bound;
}

ShiftBound shift_bound(const CutBounds& bounds, std::size_t num_hosts, const TrafficPattern& pattern) {
  const std::vector<std::uint32_t> distances = shift_distances(num_hosts, pattern.parameter);
  std::vector<std::uint64_t> least(distances.size());
  parallel_for(distances.size(), [&](std::size_t i) {
    least[i] = bounds.permutation(shift_permutation(num_hosts, distances[i])).shares;
  });
  ShiftBound result;
  if (least.empty()) return result;
  const auto worst = static_cast<std::size_t>(std::max_element(least.begin(), least.end()) - least.begin());
  result.worst = bounds.permutation(shift_permutation(num_hosts, distances[worst]));
  result.worst.why = fmt::format("shift by {}: {}", distances[worst], result.worst.why);
  result.mean = std::accumulate(least.begin(), least.end(), 0.0) / static_cast<double>(least.size());
  return result;
}

}  // namespace espalier
