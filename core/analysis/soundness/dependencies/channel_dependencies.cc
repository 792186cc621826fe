// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/channel_dependencies.h"

#include <array>
#include <cstring>

#include "core/base/parallel.h"

namespace espalier {
namespace {

// Per switch: a bit for each port that leads to a switch.
IdVector<SwitchId, std::array<std::uint64_t, 4>> bits_of_switch_ports(const Fabric& fabric) {
  IdVector<SwitchId, std::array<std::uint64_t, 4>> bits(fabric.num_switches());
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s))
      if (fabric.peer(s, p).is_switch()) bits[s][index(p) / 64] |= std::uint64_t{1} << (index(p) % 64);
  return bits;
}

// A bit for each of 64 counts, eight at a time by the compiler's vectors.
std::uint64_t nonzero(const std::uint16_t* counts) {
  using Eight [[gnu::vector_size(16)]] = std::uint16_t;
  constexpr Eight kBit{1, 2, 4, 8, 16, 32, 64, 128};
  std::uint64_t all = 0;
  for (std::size_t first = 0; first < 64; first += 8) {
    Eight eight;
    std::memcpy(&eight, counts + first, sizeof(eight));
    eight = reinterpret_cast<Eight>(eight != 0) & kBit;
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), &eight, sizeof(eight));
    std::uint64_t bits = words[0] | words[1];
    bits |= bits >> 32;
    all |= ((bits | bits >> 16) & 0xFF) << first;
  }
  return all;
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

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables)
    : ChannelDependencies(fabric, tables, [](SwitchId, Lid) {}) {}

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables,
                                         const VisitEntry& visit) {
  lay_out(fabric, 1);
  const IdVector<SwitchId, PortBits> to_switches = bits_of_switch_ports(fabric);
  count_entry_pairs(fabric, tables, visit, [&](SwitchId s, PairCounts counts) {
    for (const PortNum p : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, p); peer.is_switch())
        set_successors(fabric.channel(s, p), counts.row(p), to_switches[peer.as_switch()]);
  });
}

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const EntryPairs& pairs) {
  lay_out(fabric, 1);
  const IdVector<SwitchId, PortBits> to_switches = bits_of_switch_ports(fabric);
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    for (const PortNum p : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, p); peer.is_switch())
        set_successors(fabric.channel(s, p), pairs.counts(s, p).data(), to_switches[peer.as_switch()]);
  });
}

void ChannelDependencies::set_successors(ChannelId c, const std::uint16_t* counts, const PortBits& to_switches) {
  for (std::size_t w = first_word_[index(c)], i = 0; w < first_word_[index(c) + 1]; ++w, ++i)
    words_[w] = nonzero(counts + 64 * i) & to_switches[i];
}

std::uint64_t ChannelDependencies::num_dependencies() const {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

}  // namespace espalier
