// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/combinatorics/equitable_coloring.h"

#include <bit>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "core/schedule/combinatorics/bounded_flow.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNoColor = ~std::uint32_t{0};

// Pairs the edges of one side: within inner sets, then outer sets, then over all.
class Pairing {
 public:
  explicit Pairing(const LaminarSide& side)
      : side_(side), inner_(side.outer_of.size(), kNoColor), outer_(side.num_outer, kNoColor) {}

  // partner[i] of edge i, which lies in inner set sets[i]; kNoColor for at most one edge.
  void pair(const std::vector<std::uint32_t>& sets, std::vector<std::uint32_t>& partner) {
    partner.assign(sets.size(), kNoColor);
    for (std::uint32_t i = 0; i < sets.size(); ++i) meet(inner_[sets[i]], i, partner);
    std::uint32_t rest = kNoColor;
    for (const std::uint32_t set : sets) {
      const std::uint32_t alone = std::exchange(inner_[set], kNoColor);
      if (alone != kNoColor) meet(outer_[side_.outer_of[set]], alone, partner);
    }
    for (const std::uint32_t set : sets) {
      const std::uint32_t alone = std::exchange(outer_[side_.outer_of[set]], kNoColor);
      if (alone != kNoColor) meet(rest, alone, partner);
    }
  }

 private:
  static void meet(std::uint32_t& waiting, std::uint32_t i, std::vector<std::uint32_t>& partner) {
    if (waiting == kNoColor) {
      waiting = i;
      return;
    }
    partner[i] = waiting;
    partner[waiting] = i;
    waiting = kNoColor;
  }

  const LaminarSide& side_;
  std::vector<std::uint32_t> inner_;  // per set: the edge that waits for a partner; all kNoColor between calls
  std::vector<std::uint32_t> outer_;
};

class Coloring {
 public:
  Coloring(const LaminarSide& left, const LaminarSide& right, const ClassVisitor& visit)
      : left_(left), right_(right), left_pairs_(left), right_pairs_(right), visit_(visit) {}

  void divide(const std::vector<Bundle>& edges, std::uint32_t num_classes, std::size_t depth) {
    if (num_classes == 1) return visit_(next_class_++, edges);
    while (halves_.size() <= 2 * depth + 1) halves_.push_back(std::make_unique<std::vector<Bundle>>());
    std::vector<Bundle>& first = *halves_[2 * depth];
    std::vector<Bundle>& second = *halves_[2 * depth + 1];
    first.clear();
    second.clear();
    const std::uint32_t share = std::has_single_bit(num_classes) ? num_classes / 2 : std::bit_floor(num_classes);
    if (2 * share == num_classes)
      halve(edges, first, second);
    else
      take_share(edges, share, num_classes, first, second);
    divide(first, share, depth + 1);
    divide(second, num_classes - share, depth + 1);
  }

 private:
  void halve(const std::vector<Bundle>& edges, std::vector<Bundle>& first, std::vector<Bundle>& second) {
    odd_.clear();
    left_sets_.clear();
    right_sets_.clear();
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      if (edges[e].count % 2 == 0) continue;
      odd_.push_back(e);
      left_sets_.push_back(edges[e].left);
      right_sets_.push_back(edges[e].right);
    }
    left_pairs_.pair(left_sets_, left_partner_);
    right_pairs_.pair(right_sets_, right_partner_);
    color_alternately();
    std::size_t next_odd = 0;
    for (const Bundle& edge : edges) {
      Bundle a = edge;
      Bundle b = edge;
      a.count = b.count = edge.count / 2;
      if (edge.count % 2 != 0) ++(side_[next_odd++] == 0 ? a : b).count;
      if (a.count != 0) first.push_back(a);
      if (b.count != 0) second.push_back(b);
    }
  }

  // side_[i] in {0, 1}: partners get different ones.
  void color_alternately() {
    side_.assign(odd_.size(), 2);
    for (std::uint32_t start = 0; start < odd_.size(); ++start) {
      if (side_[start] != 2) continue;
      side_[start] = 0;
      follow(left_partner_[start], right_partner_, left_partner_);
      follow(right_partner_[start], left_partner_, right_partner_);
    }
  }

  // Colors a path from its second edge on: 1, 0, 1, ... until it ends or comes back.
  void follow(std::uint32_t i, const std::vector<std::uint32_t>& then, const std::vector<std::uint32_t>& after) {
    for (std::uint8_t color = 1; i != kNoColor && side_[i] == 2; color ^= 1) {
      side_[i] = color;
      i = color == 1 ? then[i] : after[i];
    }
  }

  // `share` of `num_classes` parts of everything, each set rounded up or down. Arcs run from outer to inner sets on the
  // left, over the edges, from inner to outer sets on the right, and back through one node.
  void take_share(const std::vector<Bundle>& edges, std::uint32_t share, std::uint32_t num_classes,
                  std::vector<Bundle>& first, std::vector<Bundle>& second) {
    const auto li = static_cast<std::uint32_t>(left_.outer_of.size());
    const auto ri = static_cast<std::uint32_t>(right_.outer_of.size());
    const std::uint32_t lo = li + ri;
    const std::uint32_t ro = lo + left_.num_outer;
    const std::uint32_t hub = ro + right_.num_outer;
    BoundedFlow flow(hub + 1);
    std::vector<std::uint64_t> size(hub, 0);
    for (const Bundle& e : edges)
      for (const std::uint32_t set : {e.left, li + e.right, lo + left_.outer_of[e.left], ro + right_.outer_of[e.right]})
        size[set] += e.count;
    const auto floor_share = [&](std::uint64_t n) { return static_cast<std::int64_t>(n * share / num_classes); };
    const auto ceil_share = [&](std::uint64_t n) {
      return static_cast<std::int64_t>((n * share + num_classes - 1) / num_classes);
    };
    for (const Bundle& e : edges) flow.add_arc(e.left, li + e.right, floor_share(e.count), ceil_share(e.count));
    const auto add_set = [&](std::uint32_t from, std::uint32_t to, std::uint32_t set) {
      if (size[set] != 0) flow.add_arc(from, to, floor_share(size[set]), ceil_share(size[set]));
    };
    for (std::uint32_t s = 0; s < li; ++s) add_set(lo + left_.outer_of[s], s, s);
    for (std::uint32_t s = 0; s < ri; ++s) add_set(li + s, ro + right_.outer_of[s], li + s);
    for (std::uint32_t s = 0; s < left_.num_outer; ++s) add_set(hub, lo + s, lo + s);
    for (std::uint32_t s = 0; s < right_.num_outer; ++s) add_set(ro + s, hub, ro + s);
    check(flow.solve(), "a share of two laminar families always exists");
    for (std::size_t e = 0; e < edges.size(); ++e) {
      Bundle a = edges[e];
      Bundle b = edges[e];
      a.count = static_cast<std::uint32_t>(flow.flow(e));
      b.count -= a.count;
      if (a.count != 0) first.push_back(a);
      if (b.count != 0) second.push_back(b);
    }
  }

  const LaminarSide& left_;
  const LaminarSide& right_;
  Pairing left_pairs_;
  Pairing right_pairs_;
  const ClassVisitor& visit_;
  std::uint32_t next_class_ = 0;
  std::vector<std::unique_ptr<std::vector<Bundle>>> halves_;  // two per depth, kept for their memory
  std::vector<std::uint32_t> odd_;                            // the edges whose bundle has an odd one
  std::vector<std::uint32_t> left_sets_;
  std::vector<std::uint32_t> right_sets_;
  std::vector<std::uint32_t> left_partner_;
  std::vector<std::uint32_t> right_partner_;
  std::vector<std::uint8_t> side_;
};

}  // namespace

void color_equitably(const std::vector<Bundle>& edges, const LaminarSide& left, const LaminarSide& right,
                     std::uint32_t num_classes, const ClassVisitor& visit) {
  Coloring(left, right, visit).divide(edges, num_classes, 0);
}

}  // namespace espalier
