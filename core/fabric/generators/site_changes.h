// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What sites do to a textbook fabric while they build and upgrade it: links in wrong places, leaves that are half
// empty, links of several speeds, GUIDs and names in no order. A companion of modifiers.h, which adds what is there on purpose.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier {

struct SiteChanges {
  enum class Leaves : std::uint8_t { kAsTheyAre, kUneven };
  enum class Guids : std::uint8_t { kAsTheyAre, kShuffled };
  enum class HostNames : std::uint8_t { kAsTheyAre, kAlternate, kRandom };

  Leaves leaves = Leaves::kAsTheyAre;  // uneven: each keeps a random number of its hosts, 0 to all
  Guids guids = Guids::kAsTheyAre;     // shuffled: switches exchange their GUIDs at random
  // Hosts exchange their descriptions. Alternate: in natural order they are dealt to the hosts of the first two leaves in
  // turn, then to those of the next two, and so on. Random: to hosts anywhere.
  HostNames host_names = HostNames::kAsTheyAre;
  std::size_t swapped_uplinks = 0;  // pairs of links between a leaf and another switch that exchange their far ends
  std::size_t stray_links = 0;      // new links between two switches that were not neighbors
  std::size_t fast_spines = 0;      // switches farthest from any host, all of whose links run at twice the speed
  std::size_t fast_leaves = 0;      // leaves of the next generation: all their links run at twice the speed
  std::size_t throttled_links = 0;  // links between switches that run at width 1x
  std::uint64_t seed = 0;

  [[nodiscard]] bool any() const {
    return leaves != Leaves::kAsTheyAre || guids != Guids::kAsTheyAre || host_names != HostNames::kAsTheyAre ||
           swapped_uplinks + stray_links + fast_spines + fast_leaves + throttled_links > 0;
  }
};

// Draws as in faults.h. Who stays keeps LIDs and ports; a stray link takes a new port behind the last of each end.
// Errors: more of a kind than there can be; links that are to be faster than XDR, or than nobody knows what.
[[nodiscard]] Result<Fabric> change(const Fabric& fabric, const SiteChanges& changes);

}  // namespace espalier
