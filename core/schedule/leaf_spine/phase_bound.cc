// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/phase_bound.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace espalier {
namespace {

std::uint32_t ceil_divide(std::uint64_t n, std::uint64_t d) { return static_cast<std::uint32_t>((n + d - 1) / d); }

// Sets of spines as bits.
class SpineSets {
 public:
  explicit SpineSets(const LeafSpine& tree)
      : tree_(tree), words_((tree.num_spines + 63) / 64), bits_(tree.num_leaves() * words_, 0), union_(words_) {
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      for (std::size_t s = 0; s < tree.num_spines; ++s)
        if (tree.joined(leaf, s)) bits_[leaf * words_ + s / 64] |= std::uint64_t{1} << (s % 64);
  }

  // The bound by W = what leaf a has in common with b or with c.
  std::uint32_t bound(std::size_t a, std::size_t b, std::size_t c) {
    std::uint64_t size = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      union_[w] = at(a, w) & (at(b, w) | at(c, w));
      size += static_cast<std::uint64_t>(std::popcount(union_[w]));
    }
    if (size == 0 || size == tree_.uplinks(a)) return 0;  // that is the second reason
    std::uint64_t flows = 0;
    for (std::size_t y = 0; y < tree_.num_leaves(); ++y) {
      std::uint64_t outside = 0;
      std::uint64_t common = 0;
      for (std::size_t w = 0; w < words_; ++w) {
        outside |= at(a, w) & at(y, w) & ~union_[w];
        common |= at(a, w) & at(y, w);
      }
      if (y != a && outside == 0 && common != 0) flows += tree_.servers[y];
    }
    return ceil_divide(flows * tree_.servers[a], size);
  }

 private:
  [[nodiscard]] std::uint64_t at(std::size_t leaf, std::size_t word) const { return bits_[leaf * words_ + word]; }

  const LeafSpine& tree_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> union_;
};

}  // namespace

std::uint32_t PhaseBound::phases() const { return std::max({servers, leaf, few_spines}); }

std::uint32_t PhaseBound::without_own_parts() const {
  return std::max({servers - std::min(servers, 1U), leaf, few_spines});
}

PhaseBound phase_bound(const LeafSpine& tree) {
  PhaseBound bound;
  bound.servers = tree.num_servers();
  bound.reduction = tree.bandwidth_reduction();
  SpineSets sets(tree);
  for (std::size_t a = 0; a < tree.num_leaves(); ++a) {
    const std::uint64_t servers = tree.servers[a];
    if (const std::uint32_t up = tree.uplinks(a); servers != 0 && up != 0)
      bound.leaf = std::max(bound.leaf, ceil_divide(servers * (bound.servers - servers), up));
    for (std::size_t b = 0; b < tree.num_leaves(); ++b)
      for (std::size_t c = b; c < tree.num_leaves(); ++c)
        if (b != a && c != a) bound.few_spines = std::max(bound.few_spines, sets.bound(a, b, c));
  }
  return bound;
}

}  // namespace espalier
