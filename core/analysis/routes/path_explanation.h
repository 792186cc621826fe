// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Why a packet goes where it goes, hop by hop. Reasons come from the tree alone, so tables of any origin can be
// explained: at each switch there are ports on shortest up-down paths (costs.h), and the entry is one of them or not.
//
//   S0   S1        h0 -> h2 over S1:   L0  up: group 2 of 2 on shortest paths
//   | \ / |                            S1  down: the destination is below
//   | / \ |                            L1  delivered
//   L0   L1
//
// "Shortest" has the meaning of UpDownCosts: who can go down to the destination goes down.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/routes/walk.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// The parallel links from a switch to one neighbor on a shortest up-down path.
struct Choice {
  SwitchId remote = kNoSwitch;
  std::vector<PortNum> ports;
};

// Every choice of `s` on the way to `t`, in GUID order of the neighbors; empty when s = t or there is no such path.
[[nodiscard]] std::vector<Choice> shortest_choices(const FatTree& tree, const UpDownCosts& costs, SwitchId s,
                                                   SwitchId t);

struct ExplainedHop {
  enum class Reason : std::uint8_t {
    kDelivered,
    kDown,        // the destination is below, on a shortest path
    kUp,          // upward, on a shortest path
    kLongerDown,  // down where the destination is not below, or below but farther
    kLongerUp,    // up, though the destination is below or another neighbor is nearer
    kTurn,        // up, after having come down: what up-down paths never do
    kBroken,      // `ExplainedHop::step` says how it ends
  };
  SwitchId at = kNoSwitch;
  Step step;                   // the entry
  PortNum far_port = kNoPort;  // of a forward: the port over there
  Reason reason = Reason::kBroken;
  std::uint32_t group = 0;      // which of `choices` it took, from 1; 0: none of them
  std::uint32_t link = 0;       // which of the parallel links to step.next, from 1
  std::uint32_t num_links = 0;  // parallel links to step.next
  std::vector<Choice> choices;  // what shortest_choices() offers here

  [[nodiscard]] std::uint32_t num_ports() const;  // of all choices
};

// "up", "turn" and so on: stable words, for scripts.
[[nodiscard]] std::string_view name(ExplainedHop::Reason reason);

struct PathExplanation {
  std::vector<ExplainedHop> hops;  // switch by switch; the last one delivers, fails or closes the circle
  bool circles = false;            // the packet comes back to where it was
  Hops shortest = kUnreachable;    // switch-to-switch links of a shortest up-down path; kUnreachable: there is none

  [[nodiscard]] bool arrives() const { return !hops.empty() && hops.back().reason == ExplainedHop::Reason::kDelivered; }
  // Switch-to-switch links that the packet crosses.
  [[nodiscard]] std::size_t num_links() const;
};

// REQUIRES: lid <= fabric.top_lid() and has an owner at a switch.
[[nodiscard]] PathExplanation explain_path(const FatTree& tree, const UpDownCosts& costs,
                                           const ForwardingTables& tables, SwitchId from, Lid lid);

}  // namespace espalier
