// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/channel_dependencies.h"

#include <algorithm>
#include <array>

#include "core/base/parallel.h"

namespace espalier {

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

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables)
    : ChannelDependencies(fabric, EntryPairs(fabric, tables, [](SwitchId, Lid) {})) {}

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const EntryPairs& pairs) {
  lay_out(fabric, 1);
  using Ports = std::array<std::uint64_t, 4>;  // a bit for each that leads to a switch
  IdVector<SwitchId, Ports> to_switches(fabric.num_switches());
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s))
      if (fabric.peer(s, p).is_switch()) to_switches[s][index(p) / 64] |= std::uint64_t{1} << (index(p) % 64);
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch()) continue;
      const SwitchId behind = peer.as_switch();
      const auto counts = pairs.counts(s, p);
      std::uint64_t* const words = words_.data() + first_word_[index(fabric.channel(s, p))];
      const std::size_t num_counts = fabric.at(behind).num_ports + std::size_t{1};
      for (std::size_t first = 0; first < num_counts; first += 64) {
        std::uint64_t bits = 0;
        for (std::size_t q = first; q < std::min(first + 64, num_counts); ++q)
          bits |= std::uint64_t{counts[q] != 0} << (q - first);
        words[first / 64] = bits & to_switches[behind][first / 64];
      }
    }
  });
}

std::uint64_t ChannelDependencies::num_dependencies() const {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

}  // namespace espalier
