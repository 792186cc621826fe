// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What has been found out about the rest of paths to one LID, per switch and service level: many paths end alike.
//
// It is good until something changes on which it depends. Switches that are just being tried hang on another one with each
// try, so what is known of these is good for one try.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/fabric/ids.h"
#include "core/fabric/lanes.h"

namespace espalier {

class KnownTails {
 public:
  explicit KnownTails(std::size_t num_switches) : tails_(num_switches * kNumSls), batch_of_(num_switches, 0) {}

  void forget() { since_ = ++clock_; }
  // Others than these are no longer tried.
  void begin_batch() { batch_ = ++clock_; }
  void add_to_batch(SwitchId s) { batch_of_[index(s)] = batch_; }
  void begin_try() { try_ = ++clock_; }

  // Whether what leaves `s` on this lane may go on; nothing: not known.
  [[nodiscard]] std::optional<bool> at(SwitchId s, std::uint8_t sl, std::uint8_t vl) const {
    const Tail& tail = tails_[place(s, sl)];
    if (tail.when != now(s) || tail.vl != vl) return std::nullopt;
    return tail.is_good;
  }
  void set(SwitchId s, std::uint8_t sl, std::uint8_t vl, bool is_good) { tails_[place(s, sl)] = {now(s), vl, is_good}; }

 private:
  using Time = std::uint32_t;
  struct Tail {
    Time when = 0;
    std::uint8_t vl = 0;
    bool is_good = false;
  };
  [[nodiscard]] static std::size_t place(SwitchId s, std::uint8_t sl) { return index(s) * kNumSls + sl; }
  [[nodiscard]] Time now(SwitchId s) const { return batch_of_[index(s)] == batch_ ? try_ : since_; }

  std::vector<Tail> tails_;  // per switch and level
  std::vector<Time> batch_of_;
  Time clock_ = 1, since_ = 1, batch_ = 1, try_ = 1;
};

}  // namespace espalier
