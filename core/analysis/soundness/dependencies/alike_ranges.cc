// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/alike_ranges.h"

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "core/base/byte_block.h"
#include "core/base/flat_lists.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kFirst = 16;           // switches after which most have to be alike
constexpr std::size_t kSwitchesAtOnce = 32;  // by one thread

class AlikeSearch {
 public:
  AlikeSearch(const Fabric& fabric, const ForwardingTables& tables, const std::vector<LidRange>& lids)
      : fabric_(fabric), tables_(tables), lids_(lids), differs_(tables.width(), 1) {
    for_each_pair([&](std::size_t lid, SwitchId) { differs_[lid] = 0; });
    own_ = FlatLists<std::size_t>(fabric.num_switches(), [&](const auto& add) {
      for_each_pair([&](std::size_t lid, SwitchId t) { add(index(t), lid); });
    });
  }

  // False: hardly any are alike.
  [[nodiscard]] bool run() {
    const std::size_t num_switches = fabric_.num_switches();
    // Evenly spread: those of one level may send alike by chance.
    const std::size_t step = std::max<std::size_t>(1, num_switches / kFirst);
    for (std::size_t s = 0; s < num_switches; s += step) compare(id_at<SwitchId>(s), differs_);
    if (num_alike() * 2 <= own_.num_items()) return false;
    std::mutex mutex;
    parallel_blocks(num_switches, kSwitchesAtOnce, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint8_t> differs(differs_.size(), 0);
      for (std::size_t s = begin; s < end; ++s) compare(id_at<SwitchId>(s), differs);
      const std::lock_guard lock(mutex);
      for (std::size_t lid = 0; lid < differs.size(); ++lid) differs_[lid] |= differs[lid];
    });
    return num_alike() * 2 > own_.num_items();
  }

  [[nodiscard]] std::vector<LidRange> ranges() const {
    std::vector<LidRange> found;
    for (const LidRange& range : lids_)
      for (std::size_t lid = range.first; lid < range.end; ++lid)
        if (lid > range.first && differs_[lid] == 0)
          ++found.back().end;
        else
          found.push_back({lid, lid + 1});
    return found;
  }

 private:
  // LIDs of a range, but its first, with the switch of the one before.
  template <class Visit>
  void for_each_pair(Visit&& visit) const {
    for (const LidRange& range : lids_) {
      SwitchId before = kNoSwitch;
      for (std::size_t lid = range.first; lid < range.end; ++lid) {
        const SwitchId t = fabric_.destination_switch(id_at<Lid>(lid));
        if (t != kNoSwitch && t == before) visit(lid, t);
        before = t;
      }
    }
  }

  // Adds where the row differs from one LID to the next. What leads to no switch is alike where it is delivered.
  void compare(SwitchId s, std::vector<std::uint8_t>& differs) const {
    const std::span<const std::size_t> own = own_.at(index(s));
    const PortNum* const row = tables_.row(s).data();
    const auto to_switch = [&](PortNum port) {
      return index(port) <= fabric_.at(s).num_ports && fabric_.peer(s, port).is_switch() ? port : kNoPort;
    };
    std::vector<std::uint8_t> kept;
    for (const std::size_t lid : own)
      kept.push_back(to_switch(row[lid]) == to_switch(row[lid - 1]) ? differs[lid] : std::uint8_t{1});
    const std::size_t width = differs.size();
    std::size_t lid = 1;
    for (; lid + ByteBlock::kSize <= width; lid += ByteBlock::kSize)
      (ByteBlock::load(differs.data() + lid) | (ByteBlock::load(row + lid) ^ ByteBlock::load(row + lid - 1)))
          .store(differs.data() + lid);
    for (; lid < width; ++lid) differs[lid] |= row[lid] != row[lid - 1] ? 1U : 0U;
    for (std::size_t i = 0; i < own.size(); ++i) differs[own[i]] = kept[i];
  }

  [[nodiscard]] std::size_t num_alike() const {
    return static_cast<std::size_t>(std::count(differs_.begin(), differs_.end(), std::uint8_t{0}));
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  const std::vector<LidRange>& lids_;
  std::vector<std::uint8_t> differs_;  // per LID: not 0 where some switch sends otherwise than to the one before
  FlatLists<std::size_t> own_;         // per switch: the second ones of its pairs
};

}  // namespace

std::vector<LidRange> alike_ranges(const Fabric& fabric, const ForwardingTables& tables,
                                   const std::vector<LidRange>& lids) {
  AlikeSearch search(fabric, tables, lids);
  return search.run() ? search.ranges() : std::vector<LidRange>();
}

}  // namespace espalier
