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
  std::vector<std::size_t> links(leaves * spines);
  std::iota(links.begin(), links.end(), std::size_t{0});
  for (const std::size_t link : RandomOrder(seed, "cables").front(links, failed))
    tree.cut(link / spines, link % spines);
  return tree;
}

bool all_pairs_joined(const LeafSpine& tree) {
  for (std::size_t a = 0; a < tree.num_leaves(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (tree.common_spines(a, b) == 0) return false;
  return true;
}

std::optional<std::uint32_t> hub_of(const LeafSpine& tree) {
  for (std::uint32_t a = 0; a < tree.num_leaves(); ++a) {
    std::size_t joined = 0;
    for (std::size_t b = 0; b < tree.num_leaves(); ++b) joined += tree.common_spines(a, b) > 0;
    if (joined == tree.num_leaves()) return a;
  }
  return std::nullopt;
}

std::string fault_of(const LeafSpine& tree, const std::vector<Slot>& slots, std::uint32_t phases,
                     const std::vector<Detour>& detours, std::uint32_t hub) {
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
      const auto take = [&](std::size_t from, std::size_t spine, std::size_t to) -> std::string {
        if (spine >= tree.num_spines || !tree.joined(from, spine) || !tree.joined(to, spine)) return "no such path";
        return up.emplace(from, spine).second && down.emplace(to, spine).second ? "" : "a link is shared";
      };
      std::string fault;
      if (slot.spine > tree.num_spines && slot.spine - tree.num_spines - 1 < detours.size()) {
        const Detour& detour = detours[slot.spine - tree.num_spines - 1];
        if (detour.from != a || detour.to != b) return where + "a detour of others";
        fault = take(a, detour.first_spine, hub) + take(hub, detour.second_spine, b);
      } else {
        fault = take(a, slot.spine, b);
      }
      if (!fault.empty()) return where + fault;
    }
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (met[a * n + b] == 0 &&
          (leaf_of[a] == leaf_of[b] || !detours.empty() || tree.common_spines(leaf_of[a], leaf_of[b]) > 0))
        return fmt::format("{} and {} never meet", a, b);
  return {};
}

}  // namespace espalier::test
