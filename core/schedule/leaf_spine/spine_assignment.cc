// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/spine_assignment.h"

#include <algorithm>
#include <tuple>

namespace espalier {
namespace {

constexpr std::uint32_t kNoSpine = ~std::uint32_t{0};

class Assigner {
 public:
  Assigner(const LeafSpine& tree, const std::vector<std::uint32_t>& demand, std::uint32_t rounds,
           const AssignmentLimits& limits)
      : tree_(tree),
        n_(tree.num_leaves()),
        m_(tree.num_spines),
        rounds_(rounds),
        demand_(demand),
        limits_(limits),
        priority_(n_ * n_, 0),
        used_(n_ * n_, 0),
        loads_(n_, m_),
        up_(n_ * m_, 0),
        down_(n_ * m_, 0),
        from_(2 * n_ * m_) {}

  void reset() {
    loads_ = SpineLoads(n_, m_);
    left_ = demand_;
    std::fill(used_.begin(), used_.end(), 0);
    for (std::size_t i = 0; i < n_ * m_; ++i) {
      up_[i] = room(limits_.taken_up, i);
      down_[i] = room(limits_.taken_down, i);
    }
    for (std::size_t a = 0; a < n_; ++a) left_[a * n_ + a] = 0;
  }

  std::optional<SpineLoads> run() {
    for (std::uint32_t attempt = 0; attempt < limits_.attempts; ++attempt) {
      reset();
      place_large_pieces(std::max(1U, rounds_ >> (attempt % 4)));
      bool good = true;
      for (std::size_t pair = 0; pair < n_ * n_; ++pair)
        while (left_[pair] != 0)
          if (!augment(pair / n_, pair % n_)) {
            ++priority_[pair];
            good = false;
            break;
          }
      if (good) return std::move(loads_);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t room(const std::vector<std::uint32_t>& taken, std::size_t link) const {
    if (tree_.alive[link] == 0) return 0;
    return taken.empty() ? rounds_ : rounds_ - std::min(rounds_, taken[link]);
  }

  // Flows of the pair (leaf, other) that have to leave a full link.
  struct Move {
    std::uint32_t a, b;      // the pair that moves
    std::uint32_t from, to;  // between these spines; from = kNoSpine: it is placed for the first time
    std::uint32_t cause;     // the state that asked for it
  };

  [[nodiscard]] bool allowed(std::size_t a, std::size_t s, std::size_t b) const {
    return tree_.joined(a, s) && tree_.joined(b, s) &&
           (used_[a * n_ + b] < limits_.spines_per_pair || loads_.at(a, s, b) != 0);
  }
  [[nodiscard]] std::uint32_t& up(std::size_t a, std::size_t s) { return up_[a * m_ + s]; }
  [[nodiscard]] std::uint32_t& down(std::size_t s, std::size_t b) { return down_[b * m_ + s]; }

  void place(std::size_t a, std::size_t s, std::size_t b, std::uint32_t amount) {
    used_[a * n_ + b] += loads_.at(a, s, b) == 0;
    loads_.at(a, s, b) += amount;
    up(a, s) -= amount;
    down(s, b) -= amount;
  }
  void remove(std::size_t a, std::size_t s, std::size_t b, std::uint32_t amount) {
    loads_.at(a, s, b) -= amount;
    used_[a * n_ + b] -= loads_.at(a, s, b) == 0;
    up(a, s) += amount;
    down(s, b) += amount;
  }

  // Rounds over all pairs; in each a pair gets one piece, on the spine with most room. Pairs with few common spines go
  // first: they have the least choice.
  void place_large_pieces(std::uint32_t largest_piece) {
    std::vector<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>> pairs;  // common spines, distance, leaf
    for (std::uint32_t a = 0; a < n_; ++a)
      for (std::uint32_t b = 0; b < n_; ++b)
        if (left_[a * n_ + b] != 0)
          pairs.emplace_back(-priority_[a * n_ + b], tree_.common_spines(a, b),
                             static_cast<std::uint32_t>((b + n_ - a) % n_), a);
    std::sort(pairs.begin(), pairs.end());
    for (bool placed = true; placed;) {
      placed = false;
      for (const auto& [priority, common, distance, a] : pairs) {
        const std::size_t b = (a + distance) % n_;
        std::uint32_t& rest = left_[a * n_ + b];
        if (rest == 0) continue;
        std::size_t best = 0;
        std::uint32_t most = 0;
        for (std::size_t i = 0; i < m_; ++i) {
          const std::size_t s = (i + a + b) % m_;
          const std::uint32_t room = allowed(a, s, b) ? std::min(up(a, s), down(s, b)) : 0;
          if (room > most) std::tie(best, most) = std::pair(s, room);
        }
        if (most == 0) continue;
        const std::uint32_t amount = std::min({rest, most, largest_piece});
        place(a, best, b, amount);
        rest -= amount;
        placed = true;
      }
    }
  }

  // States of the search: link upward (a, s) = a m + s, link downward (s, b) = n m + b m + s; each "needs room".
  // A move gets its own two links' room from what it frees and from the room that is there; if one is full, that
  // is the next state.
  bool augment(std::size_t a, std::size_t b) {
    std::fill(from_.begin(), from_.end(), Move{kNoSpine, 0, 0, 0, 0});
    queue_.clear();
    for (std::uint32_t s = 0; s < m_; ++s)
      if (reach({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), kNoSpine, s, kNoSpine})) return true;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::uint32_t state = queue_[head];
      const bool upward = state < n_ * m_;
      const auto leaf = static_cast<std::uint32_t>((upward ? state : state - n_ * m_) / m_);
      const auto s = static_cast<std::uint32_t>(state % m_);
      for (std::uint32_t other = 0; other < n_; ++other) {
        const std::uint32_t x = upward ? leaf : other;
        const std::uint32_t y = upward ? other : leaf;
        if (loads_.at(x, s, y) == 0) continue;
        for (std::uint32_t to = 0; to < m_; ++to)
          if (to != s && reach({x, y, s, to, state})) return true;
      }
    }
    return false;
  }

  // Notes the move; carries out the whole path when it needs no further room. Returns whether it did.
  bool reach(const Move& move) {
    if (!allowed(move.a, move.to, move.b)) return false;
    const bool up_full = up(move.a, move.to) == 0;
    const bool down_full = down(move.to, move.b) == 0;
    if (up_full && down_full) return false;
    if (!up_full && !down_full) return carry_out(move);
    const auto state = static_cast<std::uint32_t>(up_full ? move.a * m_ + move.to : n_ * m_ + move.b * m_ + move.to);
    if (from_[state].a != kNoSpine) return false;
    from_[state] = move;
    queue_.push_back(state);
    return false;
  }

  // Returns whether the path holds: it may ask twice for the last room of a link.
  bool carry_out(const Move& move) {
    std::vector<Move> path{move};
    while (path.back().cause != kNoSpine) path.push_back(from_[path.back().cause]);
    std::uint32_t amount = left_[path.back().a * n_ + path.back().b];
    for (const Move& step : path)
      if (step.from != kNoSpine) amount = std::min(amount, loads_.at(step.a, step.from, step.b));
    amount = std::min({amount, up(move.a, move.to), down(move.to, move.b)});
    if (!fits(path, amount)) amount = 1;
    if (!fits(path, amount)) return false;
    apply(path, amount);
    return true;
  }

  [[nodiscard]] bool fits(const std::vector<Move>& path, std::uint32_t amount) {
    std::size_t done = 0;
    for (; done < path.size(); ++done) {
      const Move& step = path[done];
      if (up(step.a, step.to) < amount || down(step.to, step.b) < amount ||
          (step.from != kNoSpine && loads_.at(step.a, step.from, step.b) < amount))
        break;
      if (step.from != kNoSpine) remove(step.a, step.from, step.b, amount);
      place(step.a, step.to, step.b, amount);
      if (used_[step.a * n_ + step.b] > limits_.spines_per_pair) {
        ++done;
        break;
      }
    }
    const bool all = done == path.size() && used_[path.back().a * n_ + path.back().b] <= limits_.spines_per_pair;
    while (done-- > 0) {
      remove(path[done].a, path[done].to, path[done].b, amount);
      if (path[done].from != kNoSpine) place(path[done].a, path[done].from, path[done].b, amount);
    }
    return all;
  }

  void apply(const std::vector<Move>& path, std::uint32_t amount) {
    for (const Move& step : path) {
      if (step.from != kNoSpine) remove(step.a, step.from, step.b, amount);
      place(step.a, step.to, step.b, amount);
    }
    left_[path.back().a * n_ + path.back().b] -= amount;
  }

  const LeafSpine& tree_;
  std::size_t n_;
  std::size_t m_;
  std::uint32_t rounds_;
  const std::vector<std::uint32_t>& demand_;
  AssignmentLimits limits_;
  std::vector<int> priority_;        // per pair: how often it found no room
  std::vector<std::uint32_t> used_;  // per pair: spines in use
  std::vector<std::uint32_t> left_;  // demand without a spine
  SpineLoads loads_;
  std::vector<std::uint32_t> up_;    // room, [leaf * spines + spine]
  std::vector<std::uint32_t> down_;  // room, [leaf * spines + spine]
  std::vector<Move> from_;           // per state; a = kNoSpine: not reached
  std::vector<std::uint32_t> queue_;
};

}  // namespace

std::optional<SpineLoads> assign_spines(const LeafSpine& tree, const std::vector<std::uint32_t>& demand,
                                        std::uint32_t rounds, const AssignmentLimits& limits) {
  return Assigner(tree, demand, rounds, limits).run();
}

}  // namespace espalier
