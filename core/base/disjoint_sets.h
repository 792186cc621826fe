// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Union-find over dense elements, known as a disjoint-set forest (Galler and Fischer 1964): Boost's, with one rule
// more, on which results may depend: whose representative stands for a joined set is the caller's choice, not the
// ranks'.
#pragma once

#include <boost/pending/disjoint_sets.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace espalier {

class DisjointSets {
 public:
  // Each of 0 .. count-1 in a set of its own.
  explicit DisjointSets(std::size_t count) : parent_(count), sets_(NoRank{}, parent_.data()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  DisjointSets(const DisjointSets&) = delete;
  DisjointSets& operator=(const DisjointSets&) = delete;

  // Joins the sets of both; the representative of `b` stands for all.
  void join(std::size_t a, std::size_t b) { sets_.union_set(a, b); }
  [[nodiscard]] std::size_t representative(std::size_t a) { return sets_.find_set(a); }

  // Per element the number of its set; sets are counted from 0 in the order of their lowest elements.
  [[nodiscard]] std::vector<std::uint32_t> numbers() {
    constexpr std::uint32_t kNone = 0xFFFFFFFF;
    std::vector<std::uint32_t> of_representative(parent_.size(), kNone);
    std::vector<std::uint32_t> number(parent_.size());
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      std::uint32_t& own = of_representative[representative(i)];
      if (own == kNone) own = next++;
      number[i] = own;
    }
    return number;
  }

 private:
  // All ranks are equal and stay so: Boost then hangs the first set below the second.
  struct NoRank {
    using key_type = std::size_t;
    using value_type = int;
    using reference = int;
    using category = boost::read_write_property_map_tag;
    friend int get(NoRank, std::size_t) { return 0; }
    friend void put(NoRank, std::size_t, int) {}
  };

  std::vector<std::size_t> parent_;
  boost::disjoint_sets<NoRank, std::size_t*> sets_;
};

}  // namespace espalier
