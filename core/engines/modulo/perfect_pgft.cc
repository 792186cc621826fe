// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/perfect_pgft.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace espalier {
namespace {

// What all switches of one level have in common.
struct Shape {
  std::size_t hosts = 0;
  std::size_t up_groups = 0;
  std::size_t up_links = 0;  // in each group
  std::size_t down_groups = 0;
  std::size_t down_links = 0;
};

class Checker {
 public:
  explicit Checker(const RoutingProblem& problem)
      : tree_(problem.tree), fabric_(problem.fabric), costs_(problem.costs) {}

  Status run() {
    if (tree_.num_components() != 1)
      return fail(fmt::format("the fabric consists of {}", counted(tree_.num_components(), "disconnected part")));
    std::vector<SwitchId> first(tree_.num_levels(), kNoSwitch);
    for (const SwitchId s : fabric_.switches())
      if (SwitchId& same = first[index(tree_.level(s))]; same == kNoSwitch) same = s;
    for (const SwitchId s : fabric_.switches())
      if (Status ok = check_shape(s, first[index(tree_.level(s))]); !ok) return ok;
    return check_pods(first);
  }

 private:
  [[nodiscard]] Shape shape(SwitchId s) const {
    const auto links = [](std::span<const PortGroup> groups) { return groups.empty() ? 0 : groups[0].num_ports; };
    return {tree_.hosts(s).size(), tree_.up_groups(s).size(), links(tree_.up_groups(s)), tree_.down_groups(s).size(),
            links(tree_.down_groups(s))};
  }

  Status check_shape(SwitchId s, SwitchId other) const {
    const Shape own = shape(s);
    const Shape wanted = shape(other);
    const auto same = [&](std::string_view what, std::size_t has, std::size_t should) -> Status {
      if (has == should) return {};
      return fail(fmt::format("{} has {} {}, but {} on the same level has {}", fabric_.label(s), has, what,
                              fabric_.label(other), should));
    };
    Status ok = same("hosts", own.hosts, wanted.hosts);
    if (own.hosts > 0 && index(tree_.level(s)) > 0)
      ok = fail(fmt::format("{} has {}, and other switches below it", fabric_.label(s), counted(own.hosts, "host")));
    if (ok) ok = same("switches above it", own.up_groups, wanted.up_groups);
    if (ok) ok = same("switches below it", own.down_groups, wanted.down_groups);
    const auto check_groups = [&](std::span<const PortGroup> groups, std::size_t links, int step) {
      for (const PortGroup& g : groups) {
        if (ok) ok = same(fmt::format("links to {}", fabric_.label(g.remote)), g.num_ports, links);
        if (ok && static_cast<int>(tree_.level(g.remote)) != static_cast<int>(tree_.level(s)) + step)
          ok = fail(fmt::format("{} is cabled to {}, which is not on the next level", fabric_.label(s),
                                fabric_.label(g.remote)));
      }
    };
    check_groups(tree_.up_groups(s), wanted.up_links, 1);
    check_groups(tree_.down_groups(s), wanted.down_links, -1);
    return ok;
  }

  // REQUIRES: the switches of each level are alike; `first` has one of each.
  Status check_pods(const std::vector<SwitchId>& first) const {
    std::size_t leaves_below = 1;  // the arities multiplied
    for (std::size_t level = 1; level < first.size(); ++level) {
      leaves_below *= tree_.down_groups(first[level]).size();
      IdVector<SwitchId, SwitchId> above(fabric_.num_switches(), kNoSwitch);  // per leaf, the pod's first switch
      for (const SwitchId s : fabric_.switches()) {
        if (index(tree_.level(s)) != level) continue;
        std::size_t reached = 0;
        SwitchId pod = kNoSwitch;
        for (const SwitchId leaf : fabric_.switches()) {
          if (index(tree_.level(leaf)) != 0 || costs_.down_cost(s, leaf) == kUnreachable) continue;
          if (above[leaf] == kNoSwitch) above[leaf] = s;
          if (reached++ == 0) pod = above[leaf];
          if (above[leaf] != pod)
            return fail(fmt::format("{} and {} share some leaves below them, but not all", fabric_.label(s),
                                    fabric_.label(above[leaf])));
        }
        if (reached != leaves_below)
          return fail(fmt::format("{} leads down to {} by several paths, instead of to {} by one path each",
                                  fabric_.label(s), counted(reached, "leaf", "leaves"), leaves_below));
        if (Status ok = check_children(s); !ok) return ok;
      }
    }
    return {};
  }

  Status check_children(SwitchId s) const {
    const auto children = tree_.down_groups(s);
    const auto wanted = tree_.up_groups(children[0].remote);
    for (const PortGroup& child : children) {
      const auto parents = tree_.up_groups(child.remote);
      if (!std::equal(parents.begin(), parents.end(), wanted.begin(), wanted.end(),
                      [](const PortGroup& a, const PortGroup& b) { return a.remote == b.remote; }))
        return fail(fmt::format("{} and {} share some switches above them, but not all", fabric_.label(child.remote),
                                fabric_.label(children[0].remote)));
    }
    return {};
  }

  const FatTree& tree_;
  const Fabric& fabric_;
  const UpDownCosts& costs_;
};

}  // namespace

Status check_perfect_pgft(const RoutingProblem& problem) { return Checker(problem).run(); }

}  // namespace espalier
