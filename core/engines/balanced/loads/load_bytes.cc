// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/load_bytes.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "core/base/parallel.h"

namespace espalier {
namespace {

// 0 in the bytes before `first`, 255 from there on.
ByteBlock from(std::size_t first) {
  static constexpr auto kSteps = [] {
    std::array<std::uint8_t, 2 * ByteBlock::kSize> steps{};
    std::fill(steps.begin() + ByteBlock::kSize, steps.end(), std::uint8_t{255});
    return steps;
  }();
  return ByteBlock::load(kSteps.data() + ByteBlock::kSize - first);
}

// Columns do not fit into the cache together; a block of loads does. This makes counting 2.5 times as fast.
void fetch_ahead(const HostColumns& columns, std::size_t host) {
  if (host >= columns.num_hosts()) return;
  const auto column = columns.column(host);
  for (std::size_t i = 0; i < column.size(); i += ByteBlock::kSize) __builtin_prefetch(column.data() + i);
}

}  // namespace

LoadBytes::LoadBytes(const TreeChannels& channels, const FlowWeights& weights, const Phases& phases)
    : channels_(channels),
      weights_(weights),
      phases_(phases),
      num_blocks_((phases.size() + kPhasesOfBlock - 1) / kPhasesOfBlock),
      loads_(size(channels, phases.size())),
      most_(num_blocks_ * kPhasesOfBlock),
      levels_(most_.size()),
      num_levels_(most_.size()) {}

LoadBytes::Window LoadBytes::window(std::size_t begin, std::size_t end) {
  const std::size_t block = begin / kPhasesOfBlock;
  return {block, from(begin - block * kPhasesOfBlock) & (from(end - block * kPhasesOfBlock) ^ ByteBlock(255))};
}

bool LoadBytes::count(const HostColumns& columns, Before before) {
  const auto& weights = weights_.of.raw();
  const std::uint32_t heaviest = *std::max_element(weights.begin(), weights.end());
  if (heaviest > 255 - kLeast) return false;
  highest_ = static_cast<std::uint8_t>(255 - std::max<std::uint32_t>(heaviest, kLevels));
  std::atomic<bool> fits = true;
  parallel_for(num_blocks_, [&](std::size_t block) {
    SenderRuns runs(phases_);
    if (before == Before::kNothing)
      std::fill_n(line(block, TreeChannelId{}), channels_.size() * kPhasesOfBlock, std::uint8_t{0});
    if (!count_block(columns, runs, block)) fits = false;
    find_most(block);
  });
  return fits;
}

// No load goes from highest_ or less to 256 at once: one that is too high is seen before it starts anew at 0.
bool LoadBytes::count_block(const HostColumns& columns, SenderRuns& runs, std::size_t block) {
  const std::size_t first = block * kPhasesOfBlock;
  const std::size_t last = std::min(first + kPhasesOfBlock, phases_.size());
  ByteBlock seen;
  struct Flows {
    SwitchId at = kNoSwitch;
    Window phases;
  };
  std::vector<Flows> flows;  // to one host
  for (const HostRun& to : phases_.sources())
    for (std::uint32_t host = to.first; host < to.last; ++host) {
      const std::uint8_t* const column = columns.column(host).data();
      fetch_ahead(columns, host + 2);
      flows.clear();
      for (const PhaseRun& run : runs.by_phase(host, first, last))
        flows.push_back({phases_.sources()[run.source].at, window(run.begin, run.end)});
      // Hop by hop, and flows that have met go on as one.
      while (!flows.empty()) {
        std::size_t kept = 0;
        for (const Flows& now : flows) {
          if (now.at == to.at || column[index(now.at)] == kNoHop) continue;
          const TreeChannelId c = channels_.at(now.at, column[index(now.at)]);
          std::uint8_t* const at = line(block, c);
          const ByteBlock loads = ByteBlock::load(at) + weight_in(now.phases, c);
          loads.store(at);
          seen = max(seen, loads);
          const SwitchId next = channels_.remote(c);
          const auto met = std::find_if(flows.begin(), flows.begin() + static_cast<std::ptrdiff_t>(kept),
                                        [&](const Flows& other) { return other.at == next; });
          if (met < flows.begin() + static_cast<std::ptrdiff_t>(kept))
            met->phases.mask = met->phases.mask | now.phases.mask;
          else
            flows[kept++] = {next, now.phases};
        }
        flows.resize(kept);
      }
    }
  return !less(ByteBlock(highest_), seen).any();
}

void LoadBytes::find_most(std::size_t block) {
  const std::size_t first = block * kPhasesOfBlock;
  const std::uint8_t* const loads = line(block, TreeChannelId{});
  ByteBlock most;
  for (std::size_t c = 0; c < channels_.size(); ++c) most = max(most, ByteBlock::load(loads + c * kPhasesOfBlock));
  most.store(most_.data() + first);
  std::fill_n(levels_.begin() + first, kPhasesOfBlock, std::array<std::uint32_t, kLevels>{});
  std::fill_n(num_levels_.begin() + first, kPhasesOfBlock, std::uint8_t{kLevels});
  // Counts of up to 255 channels fit into bytes.
  for (std::size_t begin = 0, end = 0; begin < channels_.size(); begin = end) {
    end = std::min(begin + 255, channels_.size());
    std::array<ByteBlock, kLevels> counts{ByteBlock(), ByteBlock(), ByteBlock(), ByteBlock()};
    for (std::size_t c = begin; c < end; ++c) {
      ByteBlock level = ByteBlock::load(loads + c * kPhasesOfBlock);
      for (ByteBlock& count : counts) {
        count = count + (equal(level, most) & ByteBlock(1));
        level = level + ByteBlock(1);
      }
    }
    for (std::size_t k = 0; k < kLevels; ++k) {
      std::uint8_t bytes[kPhasesOfBlock];
      counts[k].store(bytes);
      for (std::size_t i = 0; i < kPhasesOfBlock; ++i) levels_[first + i][k] += bytes[i];
    }
  }
}

void LoadBytes::find_most_of(std::size_t phase) {
  const std::uint8_t* const loads = line(phase / kPhasesOfBlock, TreeChannelId{}) + phase % kPhasesOfBlock;
  std::array<std::uint32_t, 256> channels{};  // per load
  for (std::size_t c = 0; c < channels_.size(); ++c) ++channels[loads[c * kPhasesOfBlock]];
  std::size_t most = channels.size() - 1;
  while (most > 0 && channels[most] == 0) --most;
  most_[phase] = static_cast<std::uint8_t>(most);
  for (std::size_t k = 0; k < kLevels; ++k) levels_[phase][k] = k <= most ? channels[most - k] : 0;
  num_levels_[phase] = kLevels;
}

// To the next load that a channel has.
void LoadBytes::lower_most(std::size_t phase) {
  auto& levels = levels_[phase];
  while (levels[0] == 0 && num_levels_[phase] > 1) {
    std::rotate(levels.begin(), levels.begin() + 1, levels.end());
    --num_levels_[phase];
    --most_[phase];
  }
  if (levels[0] == 0) find_most_of(phase);
}

void LoadBytes::find_fullest(const Window& window, std::vector<Fullest>& found) const {
  found.clear();
  for (std::size_t c = 0; c < channels_.size(); ++c)
    visit_fullest(window, id_at<TreeChannelId>(c), false, [&](std::size_t phase) {
      found.push_back({static_cast<std::uint32_t>(phase), id_at<TreeChannelId>(c)});
    });
  std::stable_sort(found.begin(), found.end(), [](const Fullest& a, const Fullest& b) { return a.phase < b.phase; });
}

bool LoadBytes::has_room(const Window& window, TreeChannelId c) const {
  const ByteBlock loads = ByteBlock::load(line(window.block, c)) + weight_in(window, c);
  const ByteBlock most = ByteBlock::load(most_.data() + window.block * kPhasesOfBlock);
  return !(less(most, loads) & window.mask).any();
}

void LoadBytes::change(const Window& window, TreeChannelId c, const ByteBlock& after) {
  std::uint8_t* const at = line(window.block, c);
  const ByteBlock before = ByteBlock::load(at);
  after.store(at);
  const std::size_t first = window.block * kPhasesOfBlock;
  const ByteBlock near =
      less(ByteBlock::load(most_.data() + first), max(before, after) + ByteBlock(kLevels)) & window.mask;
  if (!near.any()) return;
  std::uint8_t loads_before[kPhasesOfBlock];
  before.store(loads_before);
  near.for_each_set([&](std::size_t i) {
    auto& levels = levels_[first + i];
    const std::size_t below_before = most_[first + i] - loads_before[i];
    const std::size_t below_after = most_[first + i] - at[i];
    if (below_before < num_levels_[first + i]) --levels[below_before];
    if (below_after < num_levels_[first + i]) ++levels[below_after];
    if (levels[0] == 0) lower_most(first + i);
  });
}

void LoadBytes::remove(const Window& window, TreeChannelId c) {
  // Byte by byte a - w = ~(~a + w).
  const ByteBlock loads = ByteBlock::load(line(window.block, c));
  change(window, c, ((loads ^ ByteBlock(255)) + weight_in(window, c)) ^ ByteBlock(255));
}

void LoadBytes::add(const Window& window, TreeChannelId c) {
  change(window, c, ByteBlock::load(line(window.block, c)) + weight_in(window, c));
}

}  // namespace espalier
