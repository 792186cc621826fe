// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/channel_dependencies.h"

#include <algorithm>
#include <array>

#include "core/analysis/soundness/lid_ranges.h"
#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kEntryValues = 256;  // what a table entry can hold, sense or nonsense

// seen[p * kEntryValues + q] = 1 for each LID with entry p at `s` and entry q behind p. Bytes, not bits: stores of a
// constant do not wait for each other, a read-modify-write of one word does; it all fits the first-level cache.
void mark_pairs(const Fabric& fabric, const ForwardingTables& tables, const std::vector<LidRange>& lids, SwitchId s,
                std::vector<std::uint8_t>& seen) {
  const std::size_t num_ports = fabric.at(s).num_ports;
  std::array<const PortNum*, kEntryValues> row_behind{};
  for (std::size_t p = 1; p <= num_ports; ++p) {
    const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
    if (peer.is_switch()) row_behind[p] = tables.row(peer.as_switch()).data();
  }
  seen.assign((num_ports + 1) * kEntryValues, 0);
  std::uint8_t* const marks = seen.data();
  const PortNum* const row = tables.row(s).data();
  for (const LidRange& range : lids) {
    for (std::size_t lid = range.first; lid < range.end; ++lid) {
      const std::size_t p = index(row[lid]);
      const PortNum* const behind = row_behind[p];
      if (behind == nullptr) continue;  // rare: delivered here
      marks[p * kEntryValues + index(behind[lid])] = 1;
    }
  }
}

}  // namespace

void ChannelDependencies::lay_out(const Fabric& fabric, unsigned num_vls) {
  num_vls_ = num_vls;
  const std::size_t num_channels = fabric.num_channels();
  first_word_.assign(num_channels + 1, 0);
  next_base_.assign(num_channels, 0);
  for (std::size_t c = 0; c < num_channels; ++c) {
    const Peer& peer = fabric.peer(id_at<ChannelId>(c));
    first_word_[c + 1] = first_word_[c];
    if (!peer.is_switch()) continue;
    const std::uint32_t bits = (fabric.at(peer.as_switch()).num_ports + 1U) * num_vls;
    first_word_[c + 1] += (bits + 63) / 64;
    next_base_[c] = static_cast<std::uint32_t>(fabric.channel(peer.as_switch(), kManagementPort));
  }
  words_.assign(std::size_t{first_word_.back()} * num_vls, 0);
}

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables) {
  check(tables.num_switches() == fabric.num_switches(), "tables of another fabric");
  lay_out(fabric, 1);
  const std::vector<LidRange> lids = owned_lids(fabric, tables.width());
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    std::vector<std::uint8_t> seen;
    mark_pairs(fabric, tables, lids, s, seen);
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
      const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
      if (!peer.is_switch()) continue;
      const SwitchId behind = peer.as_switch();
      std::uint64_t* const bits = words_.data() + first_word_[index(fabric.channel(s, id_at<PortNum>(p)))];
      for (std::size_t q = 1; q <= fabric.at(behind).num_ports; ++q)
        if (seen[p * kEntryValues + q] != 0 && fabric.peer(behind, id_at<PortNum>(q)).is_switch())
          bits[q / 64] |= std::uint64_t{1} << (q % 64);
    }
  });
}

std::uint64_t ChannelDependencies::num_dependencies() const {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

}  // namespace espalier
