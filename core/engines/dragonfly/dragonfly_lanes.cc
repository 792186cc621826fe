// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/dragonfly_lanes.h"

#include <algorithm>
#include <array>
#include <map>

namespace espalier {
namespace {

using Use = SlPlan::Use;
constexpr std::array kClasses{PortClass::kTerminal, PortClass::kLocal, PortClass::kGlobal};

bool has(const Codewords& words, std::size_t group, std::uint8_t sl) {
  return group < words.of_group.size() && (words.of_group[group] >> sl & 1U) != 0;
}

}  // namespace

LaneTurn turn_at(const Dragonfly& dragonfly, SwitchId s, PortClass in, PortClass out) {
  const bool has_leaves = dragonfly.kind() == Dragonfly::Kind::kLeavesAndSpines;
  return {dragonfly.group(s), in, out, has_leaves && dragonfly.is_leaf(s)};
}

std::uint8_t SlPlan::vl(const LaneTurn& turn, std::uint8_t sl) const {
  const auto& [group, in, out, at_leaf] = turn;
  if (out == PortClass::kTerminal) return 0;
  const bool first = in == PortClass::kTerminal;
  const bool leaves = in == PortClass::kLocal && out == PortClass::kGlobal;
  const bool up_again = at_leaf && in == PortClass::kLocal && out == PortClass::kLocal;
  switch (sls[sl].use) {
    case Use::kUnused:  // nobody is told to use it, but nothing is lost
    case Use::kShortest:
      return first || leaves ? 0 : 1;
    case Use::kCodeword:
      if (has(codewords, group, sl)) return 1;
      return first || leaves || up_again ? 0 : 2;
    case Use::kEarlyLate: {
      const bool turns_late = (late.of_group[group] >> sls[sl].element & 1U) != 0;
      const bool is_late = in == PortClass::kGlobal || (!first && turns_late);
      return static_cast<std::uint8_t>(sls[sl].vl + (is_late ? 1 : 0));
    }
    case Use::kLayer:
      return sls[sl].vl;
  }
  return kDiscardVl;
}

unsigned SlPlan::vls_of(std::uint8_t sl) const {
  switch (sls[sl].use) {
    case Use::kUnused:
      return 0;
    case Use::kShortest:
      return 2;
    case Use::kEarlyLate:
      return sls[sl].vl + 2U;
    case Use::kCodeword:
      return 3;
    case Use::kLayer:
      return sls[sl].vl + 1U;
  }
  return 0;
}

SlPlan shortest_plan() {
  SlPlan plan;
  plan.sls[0].use = Use::kShortest;
  return plan;
}

SlPlan nonminimal_plan(std::size_t num_groups) {
  SlPlan plan = shortest_plan();
  plan.codewords = make_codewords(num_groups);
  for (std::size_t sl = 1; sl < plan.codewords.num_sls; ++sl) plan.sls[sl].use = Use::kCodeword;
  return plan;
}

void add_spare_sls(SlPlan& plan, std::size_t num_groups, unsigned max_vls) {
  const auto first_free = [&] {
    return static_cast<std::size_t>(
        std::find_if(plan.sls.begin(), plan.sls.end(), [](const SlPlan::Sl& sl) { return sl.use == Use::kUnused; }) -
        plan.sls.begin());
  };
  const unsigned used = plan.vls_of(static_cast<std::uint8_t>(first_free() - 1));
  plan.late = make_antichain(num_groups);
  // Layers take what nothing else takes: each lane that is left keeps an SL for one.
  const auto add_early_late = [&](unsigned vl) {
    const unsigned layers = max_vls > used ? std::min(max_vls - used, 4U) : 0;
    if (vl + 2 > max_vls || first_free() + plan.late.num_elements + layers > kNumSls) return;
    for (unsigned e = 0; e < plan.late.num_elements; ++e)
      plan.sls[first_free()] = {Use::kEarlyLate, static_cast<std::uint8_t>(vl), static_cast<std::uint8_t>(e)};
  };
  add_early_late(0);
  add_early_late(used);
  for (unsigned vl = used; vl < max_vls && first_free() < kNumSls; ++vl)
    plan.sls[first_free()] = {Use::kLayer, static_cast<std::uint8_t>(vl), 0};
}

LaneMaps make_lane_maps(const Dragonfly& dragonfly, const SlPlan& plan) {
  const Fabric& fabric = dragonfly.fabric();
  LaneMaps maps(fabric);
  using Entries = std::array<VlsBySl, kNumPortClasses * kNumPortClasses>;
  std::map<Entries, std::size_t> known;
  for (const SwitchId s : fabric.switches()) {
    Entries entries{};
    for (const PortClass in : kClasses)
      for (const PortClass out : kClasses)
        for (std::uint8_t sl = 0; sl < kNumSls; ++sl)
          entries[static_cast<std::size_t>(in) * kNumPortClasses + static_cast<std::size_t>(out)][sl] =
              plan.vl(turn_at(dragonfly, s, in, out), sl);
    const auto [at, is_new] = known.try_emplace(entries, maps.num_maps());
    if (is_new) {
      const std::size_t map = maps.add_map(kNumPortClasses);
      for (std::size_t i = 0; i < entries.size(); ++i)
        maps.entry(map, i / kNumPortClasses, i % kNumPortClasses) = entries[i];
    }
    maps.use_map(s, at->second);
    for (std::size_t p = 0; p <= fabric.at(s).num_ports; ++p)
      maps.set_port_class(s, id_at<PortNum>(p), static_cast<std::uint8_t>(dragonfly.port_class(s, id_at<PortNum>(p))));
  }
  return maps;
}

bool ascends(const Dragonfly& dragonfly, const LaneHop& before, const LaneHop& after) {
  if (before.vl != after.vl) return before.vl < after.vl;
  if (before.port_class != after.port_class) return before.port_class == PortClass::kLocal;
  if (before.port_class == PortClass::kGlobal) return false;
  return dragonfly.local_turn_allowed(before.from, before.to, after.to);
}

}  // namespace espalier
