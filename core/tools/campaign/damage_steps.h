// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What `compare --damage` says: how much of which kind to remove, step by step.
//
//   links:0,86,2.5%                       a list: counts, or percent of what the whole fabric has
//   links:0..30%/7                        seven steps, evenly apart: 0, 5, 10, ... 30 percent
//   switches:0..256/7log                  seven steps, 1 + count evenly apart on a logarithmic scale
//   links:0..30%/7,switches:0,1,2         several kinds, one after the other; no damage at all is one step of both
//
// Kinds: links between switches, switches without hosts, spines (of these, the farthest from hosts), endports. The
// logarithmic scale is that of Gliksberg 2022, 4.2.4, where counts are drawn as 2^x - 1 with a uniform x.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/faults.h"

namespace espalier::tools {

struct DamageStep {
  std::string kind = "none";  // "none", or a word of --damage
  std::size_t amount = 0;     // how many are removed; 0 only for "none"
  std::size_t of = 0;         // how many there are

  bool operator==(const DamageStep&) const = default;
  // The order for degrade(). With one seed, a step contains all smaller ones of its kind.
  [[nodiscard]] Damage damage(std::uint64_t seed) const;
};

// "1 link", "3 switches": `kind` is a word of --damage.
[[nodiscard]] std::string in_words(const std::string& kind, std::size_t amount);

// Each amount once, ascending, kinds as they first stand in the text; "none" comes first where any kind has 0. An empty
// text is "none". `most` is what there is (most_damage()).
// Errors: anything that is not as above, more than there is, fewer than 2 or more than 1000 steps.
[[nodiscard]] Result<std::vector<DamageStep>> parse_damage(std::string_view text, const Damage& most);

}  // namespace espalier::tools
