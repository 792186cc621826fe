// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The load of every channel under every counted phase, a byte each: what shift_loads.h counts, without prices, so that all
// shifts of 8 640 hosts fit into memory (187 MB) and are counted in a fraction of a second.
//
// Layout: blocks of 64 phases; in a block a cache line per channel. Flows of a leaf to one destination are mostly in
// neighboring phases, so a change concerns a line or two of each channel on the path, and one block, 1.4 MB for 8 640
// hosts, stays in the cache while it is worked on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/byte_block.h"
#include "core/base/large_array.h"
#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/loads/flow_weights.h"
#include "core/engines/balanced/loads/phases.h"

namespace espalier {

class LoadBytes {
 public:
  static constexpr std::size_t kPhasesOfBlock = ByteBlock::kSize;
  // Loads up to this are kept, and higher ones where no flow is heavy.
  static constexpr std::uint32_t kLeast = 127;

  // REQUIRES: the arguments outlive this; there is a phase.
  LoadBytes(const TreeChannels& channels, const FlowWeights& weights, const Phases& phases);

  // Bytes that it takes.
  [[nodiscard]] static std::size_t size(const TreeChannels& channels, std::size_t phases) {
    return (phases + kPhasesOfBlock - 1) / kPhasesOfBlock * kPhasesOfBlock * channels.size();
  }

  [[nodiscard]] const Phases& phases() const { return phases_; }

  // Counts all flows anew, on all threads. False: a load is too high; nothing here is of use then.
  [[nodiscard]] bool count_all(const HostColumns& columns) { return count(columns, Before::kNothing); }
  // The same flows once more, by other columns: their shares on the way to another LID of each host.
  [[nodiscard]] bool count_more(const HostColumns& columns) { return count(columns, Before::kLoads); }

  // The most on a channel under each phase, and how many channels have that.
  [[nodiscard]] std::span<const std::uint8_t> most() const { return most_; }
  [[nodiscard]] std::uint32_t num_fullest(std::size_t phase) const { return levels_[phase][0]; }

  [[nodiscard]] std::uint32_t load(std::size_t phase, TreeChannelId c) const {
    return line(phase / kPhasesOfBlock, c)[phase % kPhasesOfBlock];
  }

  // Some phases of one block: 255 in the bytes of those, 0 in others.
  struct Window {
    std::size_t block = 0;
    ByteBlock mask;
  };
  // Phases begin .. end-1. REQUIRES: they are of one block.
  [[nodiscard]] static Window window(std::size_t begin, std::size_t end);
  struct Fullest {
    std::uint32_t phase = 0;
    TreeChannelId channel{};
  };
  // The channels that have the most under one of these phases: by phase, then by channel.
  void find_fullest(const Window& window, std::vector<Fullest>& found) const;
  // Whether one flow more on c stays within the most of each of these phases.
  [[nodiscard]] bool has_room(const Window& window, TreeChannelId c) const;
  // visit(phase) for those in which c has the most, or would have with one flow more.
  template <class Visit>
  void visit_fullest(const Window& window, TreeChannelId c, bool with_one_more, Visit visit) const;
  // Takes a flow from the channel in each of these phases, or adds one. REQUIRES: has_room().
  void remove(const Window& window, TreeChannelId c);
  void add(const Window& window, TreeChannelId c);

 private:
  [[nodiscard]] const std::uint8_t* line(std::size_t block, TreeChannelId c) const {
    return loads_.data() + (block * channels_.size() + index(c)) * kPhasesOfBlock;
  }
  [[nodiscard]] std::uint8_t* line(std::size_t block, TreeChannelId c) {
    return loads_.data() + (block * channels_.size() + index(c)) * kPhasesOfBlock;
  }
  [[nodiscard]] ByteBlock weight_in(const Window& window, TreeChannelId c) const {
    return window.mask & ByteBlock(static_cast<std::uint8_t>(weights_.of[c]));
  }
  enum class Before : std::uint8_t { kNothing, kLoads };
  [[nodiscard]] bool count(const HostColumns& columns, Before before);
  [[nodiscard]] bool count_block(const HostColumns& columns, SenderRuns& runs, std::size_t block);
  void find_most(std::size_t block);
  void find_most_of(std::size_t phase);
  void lower_most(std::size_t phase);
  void change(const Window& window, TreeChannelId c, const ByteBlock& after);

  const TreeChannels& channels_;
  const FlowWeights& weights_;
  const Phases& phases_;
  std::size_t num_blocks_;
  std::uint8_t highest_ = kLeast;
  LargeArray<std::uint8_t> loads_;
  std::vector<std::uint8_t> most_;  // per phase, to the end of the last block
  // Per phase: how many channels have the most, one less, and so on, as far as these are known.
  static constexpr std::size_t kLevels = 4;
  std::vector<std::array<std::uint32_t, kLevels>> levels_;
  std::vector<std::uint8_t> num_levels_;
};

template <class Visit>
void LoadBytes::visit_fullest(const Window& window, TreeChannelId c, bool with_one_more, Visit visit) const {
  ByteBlock loads = ByteBlock::load(line(window.block, c));
  if (with_one_more) loads = loads + weight_in(window, c);
  const ByteBlock most = ByteBlock::load(most_.data() + window.block * kPhasesOfBlock);
  const ByteBlock hits = equal(loads, most) & window.mask;
  hits.for_each_set([&](std::size_t i) { visit(window.block * kPhasesOfBlock + i); });
}

}  // namespace espalier
