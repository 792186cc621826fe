// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which cables break the pattern that the other cables follow, and where they should go.
//
// Cabling is checked against a plan where there is one (ibdm's topology matching). Without a plan the fabric is its
// own: the switches of a level fall into clusters with nearly the same upper neighbors (in a PGFT the leaves of a pod,
// and the middle switches of a plane), and what most of a cluster do is taken to be meant. A switch that has a link too
// many to one upper neighbor and one too few to another has a cable in the wrong place; port-number habits of the
// cluster ("port 20 goes to spine 2") say which of parallel cables it is. This is a majority vote, so it says nothing
// about clusters of fewer than four switches, or where fewer than three quarters agree (half, where the other clusters
// of the level all do the same). Cables that are swapped at one switch join the right switches; swapped_ports.h finds
// those.
//
// Example: leaves L0 .. L3 with one link to each of spines S0, S1. After two cables are swapped, L0 has two links to S0
// and none to S1, L1 the reverse: {wrong link, L0/20, expected S1/1} and {wrong link, L1/19, expected S0/2}.
//
// Cost: O(#links + u^2 k) with u different sets of upper neighbors of k each; u is small where there is a pattern.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

struct SwitchPort {
  SwitchId at = kNoSwitch;
  PortNum port = kNoPort;  // kNoPort: which one is not known
  bool operator==(const SwitchPort&) const = default;
};

struct CablingFinding {
  enum class Kind : std::uint8_t {
    kWrongLink,       // `at` is cabled, to another switch than `expected`
    kMissingLink,     // there should be one more link between `at` and `expected`
    kUnexpectedLink,  // the link at `at` is one more than the pattern has; nothing is missing in its place
  };
  Kind kind = Kind::kWrongLink;
  SwitchPort at;                       // the lower end
  std::optional<SwitchPort> found;     // where the cable at `at` goes; kWrongLink and kUnexpectedLink
  std::optional<SwitchPort> expected;  // where it should go; kWrongLink and kMissingLink
};

// "wrong link" and so on: stable words, for scripts.
[[nodiscard]] std::string_view name(CablingFinding::Kind kind);

// In the order of (at.at, at.port).
[[nodiscard]] std::vector<CablingFinding> find_pattern_breaks(const FatTree& tree);

}  // namespace espalier
