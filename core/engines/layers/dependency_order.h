// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// An order of channels that is kept while dependencies between them are added, so that none closes a cycle: Pearce and
// Kelly's dynamic topological sort, as in detours/channel_order.h, on lists of what was added. That one can also take
// back, and starts from a tree; this one is for many dependencies, each tried once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace espalier {

class DependencyOrder {
 public:
  // A dependency: from one channel to the next, as positions in `number`.
  struct Step {
    std::uint32_t from;
    std::uint32_t to;
  };

  // `number` says which order channels have at the start; all distinct, below number.size().
  // REQUIRES: `steps` outlive it.
  DependencyOrder(const std::vector<Step>& steps, std::vector<std::uint32_t> number);

  // Adds steps[step]. False, and nothing changed, when that would close a cycle. REQUIRES: it is not there yet.
  [[nodiscard]] bool insert(std::uint32_t step);

 private:
  [[nodiscard]] bool collect(std::uint32_t from, std::uint32_t to);
  void renumber();

  // Steps that begin, or end, at a channel: the latest one, and from each the one before; kNoStep ends the list.
  struct Lists {
    std::vector<std::uint32_t> head;  // per channel
    std::vector<std::uint32_t> rest;  // per step
  };

  const std::vector<Step>* steps_;
  Lists out_, in_;
  std::vector<std::uint32_t> number_;      // per channel
  std::vector<std::uint32_t> channel_at_;  // per number
  std::vector<std::uint8_t> seen_;         // per channel: by which search; all 0 between calls
  std::vector<std::uint32_t> after_, before_, pool_;
};

}  // namespace espalier
