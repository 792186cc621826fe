// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The traversal of Ftree and Ftree2 against one that takes each step as it is written: every switch is descended from,
// every list sorted anew from counters of single links.
#include "core/engines/ftree/coalescing_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/engines/ftree/ftree.h"
#include "core/engines/ftree/ftree2.h"
#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

enum class Least { kUsedLink, kUsedFarSwitch };

class StepByStep {
 public:
  StepByStep(const RoutingProblem& problem, Least least)
      : problem_(problem),
        least_(least),
        times_(problem.fabric.num_channels()),
        up_to_(problem.fabric.num_switches()),
        down_to_(problem.fabric.num_switches()) {}

  ForwardingTables route() {
    ForwardingTables tables(problem_.fabric.num_switches(), problem_.fabric.top_lid());
    for (const Destination& d : destinations_in_order(problem_)) {
      at_ = d.at;
      entry_ = IdVector<SwitchId, PortNum>(problem_.fabric.num_switches(), kNoPort);
      descend(d.at);
      ascend(d.at);
      entry_[d.at] = d.last_port;
      for (const SwitchId s : problem_.fabric.switches()) tables.set(s, d.lid, entry_[s]);
    }
    return tables;
  }

 private:
  struct Link {
    PortGroup group;
    PortNum port;
    ChannelId channel;
  };

  bool is_above(SwitchId s) const { return problem_.costs.down_cost(s, at_) != kUnreachable; }
  bool is_waiting(SwitchId s) const {
    return s != at_ && entry_[s] == kNoPort && problem_.costs.cost(s, at_) != kUnreachable &&
           !problem_.tree.hosts(s).empty();
  }
  std::size_t waiting() const {
    std::size_t count = 0;
    for (const SwitchId s : problem_.fabric.switches()) count += is_waiting(s) ? 1 : 0;
    return count;
  }

  Link least_used(SwitchId s, const PortGroup& g) const {
    Link best{g, kNoPort, {}};
    for (const PortNum port : problem_.tree.ports(g)) {
      const ChannelId channel = problem_.fabric.channel(s, port);
      if (best.port == kNoPort || times_[index(channel)] < times_[index(best.channel)]) best = {g, port, channel};
    }
    return best;
  }
  std::vector<Link> ordered(SwitchId s, std::span<const PortGroup> groups,
                            const IdVector<SwitchId, std::size_t>& leaves) const {
    std::vector<std::tuple<std::size_t, std::uint32_t, std::size_t, SwitchId, Link>> all;
    for (const PortGroup& g : groups) {
      const Link link = least_used(s, g);
      std::size_t place = 0;
      while (problem_.tree.ports(g)[place] != link.port) ++place;
      all.emplace_back(least_ == Least::kUsedFarSwitch ? leaves[g.remote] : 0, times_[index(link.channel)], place,
                       g.remote, link);
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a), std::get<3>(a)) <
             std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b), std::get<3>(b));
    });
    std::vector<Link> links;
    for (const auto& one : all) links.push_back(std::get<4>(one));
    return links;
  }

  void ascend(SwitchId s) {
    const std::vector<Link> links = ordered(s, problem_.tree.up_groups(s), up_to_);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const SwitchId a = links[i].group.remote;
      if (entry_[a] != kNoPort) continue;
      const std::size_t before = waiting();
      entry_[a] = problem_.fabric.peer(s, links[i].port).port;
      descend(a);
      ascend(a);
      const std::size_t served = before - waiting();
      if (before == 0) continue;
      up_to_[a] += served;
      if (least_ == Least::kUsedLink ? i == 0 : served > 0) ++times_[index(links[i].channel)];
    }
  }
  void descend(SwitchId a) {
    for (const Link& link : ordered(a, problem_.tree.down_groups(a), down_to_)) {
      const SwitchId b = link.group.remote;
      if (entry_[b] != kNoPort || is_above(b)) continue;
      const std::size_t before = waiting();
      entry_[b] = problem_.fabric.peer(a, link.port).port;
      descend(b);
      const std::size_t served = before - waiting();
      if (served == 0) continue;
      down_to_[b] += served;
      ++times_[index(link.channel)];
    }
  }

  const RoutingProblem& problem_;
  Least least_;
  std::vector<std::uint32_t> times_;                 // per channel: how often it was taken
  IdVector<SwitchId, std::size_t> up_to_, down_to_;  // leaves served through each far switch
  SwitchId at_ = kNoSwitch;
  IdVector<SwitchId, PortNum> entry_;
};

void expect_same(const Fabric& fabric, std::string_view what) {
  const Result<FatTree> tree = rank(fabric);
  ASSERT_TRUE(tree) << what;
  const RoutingProblem problem(*tree);
  EXPECT_EQ(ftree(problem), StepByStep(problem, Least::kUsedLink).route()) << what;
  EXPECT_EQ(ftree2(problem), StepByStep(problem, Least::kUsedFarSwitch).route()) << what;
}

TEST(CoalescingTree, IsTheTraversalStepByStepOnDrawnFabrics) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) expect_same(fabric, name);
}

TEST(CoalescingTree, IsTheTraversalStepByStepOnDamagedTrees) {
  for (const auto& [kind, spec] : {std::pair{"pgft", "3;3,3,6;1,3,3;1,1,1"}, std::pair{"pgft", "2;4,6;1,4;1,3"},
                                   std::pair{"pgft", "3;2,3,4;1,2,2;1,2,2"}, std::pair{"qft", "3;4,2,4;1,2,2;1,2,1"}}) {
    const Fabric whole = test::generated(kind, spec);
    expect_same(whole, spec);
    for (std::uint64_t seed = 1001; seed < 1006; ++seed)
      for (const std::size_t links : {1U, 3U, 9U})
        expect_same(degrade(whole, {.links = links, .seed = seed}).value(),
                    fmt::format("{} without {} links, seed {}", spec, links, seed));
  }
}

}  // namespace
}  // namespace espalier
