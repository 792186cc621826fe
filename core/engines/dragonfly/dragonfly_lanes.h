// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lanes of the dragonfly engines.
//
// On what lane a packet goes out depends on the class of the ports by which it comes in and leaves (H: hosts and the
// switch itself, L: local, G: global), on its SL, and on the group the switch is in:
//
//   SL                              HL HG LG   LL   GL GG   meant for
//   0                                  0        1     1     shortest paths (Kim 2008): l0 g0 l1
//   the group is in the codeword       1        1     1     the intermediate group: g0 l1 l1 g1
//   the group is not in it             0        2     2     first and last group: l0 g0 .. g1 l2 l2 (LL at leaves of
//                                                           a dragonfly+: 0, where a spine sends down and up again)
//   early or late groups (damage)   0 0 0/1   0/1     1     local detours before or after the global hop
//   one lane v                         v        v     v     what fits nowhere else: a layer of its own
//
// To a host it is always VL 0. With the first three, lanes rise along each path: l0 < g0 < l1 < g1 < l2, and two local
// hops on one lane make a turn that the rule of the group allows. So no credit loop (García 2013, 6.4 there for
// hop-wise lanes). ascends() is that argument for a single step of any path with any SLs; the engines use it where
// damage makes other paths.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dragonfly/codewords.h"
#include "core/dragonfly/dragonfly.h"
#include "core/fabric/lanes.h"

namespace espalier {

// A packet at a switch.
struct LaneTurn {
  std::size_t group = 0;
  PortClass in = PortClass::kTerminal;
  PortClass out = PortClass::kTerminal;
  bool at_leaf = false;  // of a dragonfly+
};

// What each SL is for: the list that lane_search.h tries, and LaneMaps hold.
struct SlPlan {
  enum class Use : std::uint8_t {
    kUnused,
    kShortest,
    kCodeword,   // of `codewords`
    kEarlyLate,  // groups with `element` in `late` turn late (LL, LG on lane vl + 1), the others early (on lane vl)
    kLayer,      // all on lane `vl`
  };
  struct Sl {
    Use use = Use::kUnused;
    std::uint8_t vl = 0;
    std::uint8_t element = 0;
  };
  std::vector<Sl> sls = std::vector<Sl>(kNumSls);
  Codewords codewords;
  Antichain late;

  [[nodiscard]] std::uint8_t vl(const LaneTurn& turn, std::uint8_t sl) const;
  // Lanes that SL `sl` may use: its highest, and one.
  [[nodiscard]] unsigned vls_of(std::uint8_t sl) const;
};

// SL 0 alone.
[[nodiscard]] SlPlan shortest_plan();
// SL 0, and the codewords of `num_groups` groups.
[[nodiscard]] SlPlan nonminimal_plan(std::size_t num_groups);
// Adds SLs for damage as far as SLs and lanes (`max_vls`) go.
void add_spare_sls(SlPlan& plan, std::size_t num_groups, unsigned max_vls);

// Of a packet that comes to `s` by a port of one class and leaves by one of another.
[[nodiscard]] LaneTurn turn_at(const Dragonfly& dragonfly, SwitchId s, PortClass in, PortClass out);

[[nodiscard]] LaneMaps make_lane_maps(const Dragonfly& dragonfly, const SlPlan& plan);

// A channel and its lane, with what ascends() has to know.
struct LaneHop {
  SwitchId from = kNoSwitch;
  SwitchId to = kNoSwitch;
  PortClass port_class = PortClass::kTerminal;  // local or global
  std::uint8_t vl = 0;
};

// Whether the step from one channel to the next leads upward in one order of all virtual channels: lane by lane, local
// channels of a lane before its global ones, local ones by the order behind Dragonfly::local_turn_allowed().
[[nodiscard]] bool ascends(const Dragonfly& dragonfly, const LaneHop& before, const LaneHop& after);

}  // namespace espalier
