// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/hops.h"

#include <utility>

#include "core/analysis/routes/host_routes.h"
#include "core/analysis/routes/walk.h"
#include "core/base/parallel.h"
#include "core/fabric/connectivity/breadth_first.h"

namespace espalier {
namespace {

// The ranks of the hosts on each switch.
std::vector<std::vector<std::size_t>> ranks_by_leaf(const HostRoutes& routes) {
  std::vector<std::vector<std::size_t>> ranks(routes.num_switches());
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank)
    if (routes.leaf(rank) != kNoSwitch) ranks[index(routes.leaf(rank))].push_back(rank);
  return ranks;
}

// Adds all pairs whose destination hangs on `goal`.
void add_pairs_to(const Fabric& fabric, const HostRoutes& routes, const std::vector<std::vector<std::size_t>>& ranks,
                  SwitchId goal, HopReport& report) {
  const auto shortest = distances(fabric, {goal});
  for (const std::size_t rank : ranks[index(goal)]) {
    for (const SwitchId leaf : fabric.switches()) {
      const std::uint64_t pairs = ranks[index(leaf)].size() - (leaf == goal ? 1U : 0U);
      if (pairs == 0) continue;
      std::uint32_t links = 0;
      if (!routes.follow(leaf, rank, [&](ChannelId) { ++links; })) continue;
      report.num_pairs += pairs;
      if (report.pairs_of_length.size() < links + 3U) report.pairs_of_length.resize(links + 3U);
      report.pairs_of_length[links + 2] += pairs;
      if (links > shortest[leaf]) report.num_detours += pairs;
    }
  }
}

HopReport join_reports(HopReport a, const HopReport& b) {
  a.num_pairs += b.num_pairs;
  a.num_detours += b.num_detours;
  if (a.pairs_of_length.size() < b.pairs_of_length.size()) a.pairs_of_length.resize(b.pairs_of_length.size());
  for (std::size_t i = 0; i < b.pairs_of_length.size(); ++i) a.pairs_of_length[i] += b.pairs_of_length[i];
  return a;
}

}  // namespace

std::uint32_t HopReport::diameter() const {
  for (std::size_t links = pairs_of_length.size(); links > 0; --links)
    if (pairs_of_length[links - 1] != 0) return static_cast<std::uint32_t>(links - 1);
  return 0;
}

double HopReport::mean() const {
  if (num_pairs == 0) return 0;
  std::uint64_t sum = 0;
  for (std::size_t links = 0; links < pairs_of_length.size(); ++links) sum += links * pairs_of_length[links];
  return static_cast<double>(sum) / static_cast<double>(num_pairs);
}

// Each switch's length is found once: a walk goes on to the first switch whose length is known, then writes the lengths
// on the way back.
void hops_to(const Fabric& fabric, const TableRows& tables, Lid lid, std::vector<std::uint32_t>& links) {
  constexpr std::uint32_t kUnknown = kNoHops - 1;
  constexpr std::uint32_t kOpen = kNoHops - 2;  // on the present walk
  links.assign(fabric.num_switches(), kUnknown);
  std::vector<SwitchId> path;
  for (const SwitchId start : fabric.switches()) {
    std::uint32_t length = kNoHops;  // of what comes after `path`, + 1
    for (SwitchId s = start; s != kNoSwitch;) {
      if (const std::uint32_t known = links[index(s)]; known != kUnknown) {
        length = known < kOpen ? known + 1 : kNoHops;
        break;
      }
      links[index(s)] = kOpen;
      path.push_back(s);
      const Step next = step(fabric, tables, s, lid);
      if (next.kind == Step::Kind::kDelivered) length = 0;
      s = next.next;
    }
    for (; !path.empty(); path.pop_back()) {
      links[index(path.back())] = length;
      if (length != kNoHops) ++length;
    }
  }
}

HopReport count_hops(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts) {
  const HostRoutes routes(fabric, tables, hosts);
  const std::vector<std::vector<std::size_t>> ranks = ranks_by_leaf(routes);
  HopReport report = parallel_reduce(
      fabric.num_switches(), 1, HopReport{},
      [&](std::size_t first, std::size_t last, HopReport part) {
        for (std::size_t goal = first; goal < last; ++goal)
          if (!ranks[goal].empty()) add_pairs_to(fabric, routes, ranks, id_at<SwitchId>(goal), part);
        return part;
      },
      [](HopReport a, const HopReport& b) { return join_reports(std::move(a), b); });
  report.unrouted = std::uint64_t{hosts.size()} * (hosts.empty() ? 0 : hosts.size() - 1) - report.num_pairs;
  return report;
}

}  // namespace espalier
