// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/path_explanation.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/enum_names.h"

namespace espalier {
namespace {

struct Link {
  bool up = false;
  std::uint32_t number = 0;  // from 1
  std::uint32_t count = 0;
};

// Where `port` of `s` is in its port group. REQUIRES: the port leads to another switch.
Link find_link(const FatTree& tree, SwitchId s, PortNum port) {
  for (const bool up : {true, false})
    for (const PortGroup& group : up ? tree.up_groups(s) : tree.down_groups(s)) {
      const auto ports = tree.ports(group);
      const auto it = std::find(ports.begin(), ports.end(), port);
      if (it != ports.end()) return {up, static_cast<std::uint32_t>(it - ports.begin()) + 1, group.num_ports};
    }
  return {};  // a link from a switch to itself is in no group
}

ExplainedHop explain_hop(const FatTree& tree, const UpDownCosts& costs, const ForwardingTables& tables, SwitchId at,
                         Lid lid, bool came_down) {
  const Fabric& fabric = tree.fabric();
  ExplainedHop hop;
  hop.at = at;
  hop.step = step(fabric, tables, at, lid);
  hop.choices = shortest_choices(tree, costs, at, fabric.destination_switch(lid));
  if (hop.step.kind == Step::Kind::kDelivered) hop.reason = ExplainedHop::Reason::kDelivered;
  if (hop.step.kind != Step::Kind::kForward) return hop;

  hop.far_port = fabric.peer(at, hop.step.port).port;
  const Link link = find_link(tree, at, hop.step.port);
  hop.link = link.number;
  hop.num_links = link.count;
  for (std::size_t i = 0; i < hop.choices.size(); ++i)
    if (std::count(hop.choices[i].ports.begin(), hop.choices[i].ports.end(), hop.step.port) > 0)
      hop.group = static_cast<std::uint32_t>(i) + 1;
  if (link.up && came_down)
    hop.reason = ExplainedHop::Reason::kTurn;
  else if (hop.group > 0)
    hop.reason = link.up ? ExplainedHop::Reason::kUp : ExplainedHop::Reason::kDown;
  else
    hop.reason = link.up ? ExplainedHop::Reason::kLongerUp : ExplainedHop::Reason::kLongerDown;
  return hop;
}

}  // namespace

std::vector<Choice> shortest_choices(const FatTree& tree, const UpDownCosts& costs, SwitchId s, SwitchId t) {
  std::vector<Choice> choices;
  if (s == t) return choices;
  const bool below = costs.down_cost(s, t) != kUnreachable;
  const auto cost = [&](SwitchId from) { return below ? costs.down_cost(from, t) : costs.cost(from, t); };
  if (cost(s) == kUnreachable) return choices;
  for (const PortGroup& group : below ? tree.down_groups(s) : tree.up_groups(s)) {
    if (cost(group.remote) + 1 != cost(s)) continue;
    const auto ports = tree.ports(group);
    choices.push_back({group.remote, {ports.begin(), ports.end()}});
  }
  return choices;
}

std::uint32_t ExplainedHop::num_ports() const {
  std::size_t count = 0;
  for (const Choice& choice : choices) count += choice.ports.size();
  return static_cast<std::uint32_t>(count);
}

std::string_view name(ExplainedHop::Reason reason) {
  static constexpr EnumNames kNames(ExplainedHop::Reason::kBroken,
                                    {"delivered", "down", "up", "longer down", "longer up", "turn", "broken"});
  return kNames[reason];
}

std::size_t PathExplanation::num_links() const {
  return static_cast<std::size_t>(std::count_if(
      hops.begin(), hops.end(), [](const ExplainedHop& hop) { return hop.step.kind == Step::Kind::kForward; }));
}

PathExplanation explain_path(const FatTree& tree, const UpDownCosts& costs, const ForwardingTables& tables,
                             SwitchId from, Lid lid) {
  const Fabric& fabric = tree.fabric();
  const SwitchId goal = fabric.destination_switch(lid);
  check(goal != kNoSwitch, "explain_path: a LID that is nowhere");
  PathExplanation path;
  path.shortest = costs.cost(from, goal);
  IdVector<SwitchId, std::uint8_t> seen(fabric.num_switches(), 0);
  bool came_down = false;
  for (SwitchId at = from; seen[at] == 0;) {
    seen[at] = 1;
    path.hops.push_back(explain_hop(tree, costs, tables, at, lid, came_down));
    const ExplainedHop& hop = path.hops.back();
    if (hop.step.kind != Step::Kind::kForward) return path;
    came_down = !find_link(tree, at, hop.step.port).up;
    at = hop.step.next;
  }
  path.circles = true;
  return path;
}

}  // namespace espalier
