// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/schedule/random_damage.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "core/fabric/random_order.h"

namespace espalier::test {

LeafSpine damaged_tree(std::size_t leaves, std::uint32_t servers, std::size_t spines, std::size_t failed,
                       std::uint64_t seed) {
  LeafSpine tree(std::vector<std::uint32_t>(leaves, servers), spines);
  std::vector<std::size_t> cables(leaves * spines);
  std::iota(cables.begin(), cables.end(), std::size_t{0});
  for (const std::size_t cable : RandomOrder(seed, "cables").front(cables, failed))
    tree.cut(cable / spines, cable % spines);
  return tree;
}

bool all_pairs_joined(const LeafSpine& tree) {
  for (std::size_t a = 0; a < tree.num_leaves(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (tree.common_spines(a, b) == 0) return false;
  return true;
}

std::string fault_of(const LeafSpine& tree, const std::vector<Slot>& slots, std::uint32_t phases) {
  std::vector<std::size_t> leaf_of;
  for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf) leaf_of.insert(leaf_of.end(), tree.servers[leaf], leaf);
  const std::size_t n = leaf_of.size();
  if (slots.size() != n * phases) return "there is not a slot per server and phase";
  std::vector<int> met(n * n, 0);
  for (std::uint32_t phase = 0; phase < phases; ++phase) {
    std::set<std::size_t> receivers;
    std::set<std::pair<std::size_t, std::size_t>> up;
    std::set<std::pair<std::size_t, std::size_t>> down;
    for (std::size_t s = 0; s < n; ++s) {
      const Slot& slot = slots[s * phases + phase];
      if (slot.destination == Slot::kIdle) continue;
      const auto where = fmt::format("phase {}, {} to {}: ", phase, s, slot.destination);
      if (++met[s * n + slot.destination] > 1) return where + "they met before";
      if (!receivers.insert(slot.destination).second) return where + "it receives twice";
      const std::size_t a = leaf_of[s];
      const std::size_t b = leaf_of[slot.destination];
      if (a == b) continue;
      if (slot.spine >= tree.num_spines || !tree.joined(a, slot.spine) || !tree.joined(b, slot.spine))
        return where + "no such way";
      if (!up.emplace(a, slot.spine).second || !down.emplace(b, slot.spine).second) return where + "a link is shared";
    }
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (met[a * n + b] == 0 && (leaf_of[a] == leaf_of[b] || tree.common_spines(leaf_of[a], leaf_of[b]) > 0))
        return fmt::format("{} and {} never meet", a, b);
  return {};
}

}  // namespace espalier::test
