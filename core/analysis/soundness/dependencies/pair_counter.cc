// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/pair_counter.h"

#include "core/analysis/soundness/dependencies/sibling_switches.h"
#include "core/base/byte_block.h"

namespace espalier {
namespace {

constexpr std::size_t kEntriesAtOnce = ByteBlock::kSize;  // entries that are compared at once

// How far ahead rows are fetched: processors do not foresee the rows of 24 ports at once.
constexpr std::size_t kAhead = 4 * kEntriesAtOnce;

// Where the rows are apart, or a row that was masked has no port: not 0.
ByteBlock differing(const PortNum* row, const PortNum* masked) {
  const ByteBlock other = ByteBlock::load(masked);
  return (ByteBlock::load(row) ^ other) | equal(other, ByteBlock(0));
}

}  // namespace

void PairCounter::count(SwitchId s, PairCounts own) {
  enter(s, own);
  for (const LidRange& range : lids_)
    for (std::size_t first = range.first; first < range.end; first += kEntriesAtOnce) {
      for (const PortNum p : fabric_.ports(s))
        if (behind_[index(p)] != nullptr)
          __builtin_prefetch(behind_[index(p)] + std::min(first + kAhead, range.end - 1));
      for (std::size_t lid = first; lid < std::min(first + kEntriesAtOnce, range.end); ++lid) add(lid);
    }
}

void PairCounter::count_alike(SwitchId s, PairCounts own) {
  enter(s, own);
  for (const LidRange& range : lids_) add_all(range);
}

void PairCounter::count_from(SwitchId s, PairCounts own, SwitchId sibling, const std::uint16_t* theirs) {
  enter(s, own);
  mask(s, sibling);
  for (const PortNum p : fabric_.ports(s))
    if (const std::size_t first = index(p) * own.width; shared_[index(p)] != 0)
      std::copy_n(theirs + first, own.width, own.counts + first);
  for (const LidRange& range : lids_) {
    std::size_t lid = range.first;
    for (; lid + kEntriesAtOnce <= range.end; lid += kEntriesAtOnce) {
      __builtin_prefetch(row_ + std::min(lid + 4 * kAhead, range.end));
      const ByteBlock wrong = differing(row_ + lid, masked_.data() + lid);
      if (!wrong.any()) continue;
      std::array<std::uint64_t, kEntriesAtOnce / 8> words;
      wrong.store(words.data());
      for (std::size_t w = 0; w < words.size(); ++w)
        if (words[w] != 0)
          for (std::size_t i = lid + w * 8; i < lid + w * 8 + 8; ++i) correct(i);
    }
    for (; lid < range.end; ++lid) correct(lid);
  }
}

void PairCounter::enter(SwitchId s, PairCounts own) {
  s_ = s;
  row_ = tables_.row(s).data();
  own_ = own;
  behind_.fill(nullptr);
  for (const PortNum p : fabric_.ports(s)) {
    const Peer& peer = fabric_.peer(s, p);
    if (peer.is_switch()) behind_[index(p)] = tables_.row(peer.as_switch()).data();
  }
}

// The sibling's row without the entries that lead elsewhere than they would from s.
void PairCounter::mask(SwitchId s, SwitchId sibling) {
  std::array<std::uint8_t, 256> shared{};
  for (const PortNum p : fabric_.ports(s)) shared[index(p)] = leads_to_the_same(fabric_, s, sibling, p) ? 1 : 0;
  if (sibling == masked_of_ && shared == shared_) return;
  masked_of_ = sibling;
  shared_ = shared;
  std::array<PortNum, 256> port{};
  for (std::size_t p = 0; p < port.size(); ++p) port[p] = shared[p] != 0 ? id_at<PortNum>(p) : kManagementPort;
  const auto row = tables_.row(sibling);
  masked_.resize(row.size());
  for (std::size_t lid = 0; lid < row.size(); ++lid) masked_[lid] = port[index(row[lid])];
}

void PairCounter::correct(std::size_t lid) {
  const PortNum theirs = masked_[lid];
  if (theirs == row_[lid] && theirs != kManagementPort) return;
  if (theirs != kManagementPort) --own_.at(theirs, behind_[index(theirs)][lid]);
  add(lid);
}

void PairCounter::add(std::size_t lid) {
  const PortNum* const behind = behind_[index(row_[lid])];
  if (behind == nullptr)  // rare: delivered here
    visit_(s_, id_at<Lid>(lid));
  else
    ++own_.at(row_[lid], behind[lid]);
}

void PairCounter::add_all(const LidRange& alike) {
  const PortNum port = row_[alike.first];
  const PortNum* const behind = behind_[index(port)];
  const SwitchId t = fabric_.destination_switch(id_at<Lid>(alike.first));
  // Where they are delivered each has an entry of its own.
  if (behind == nullptr || t == s_ || fabric_.peer(s_, port).as_switch() == t)
    for (std::size_t lid = alike.first; lid < alike.end; ++lid) add(lid);
  else
    own_.at(port, behind[alike.first]) += static_cast<std::uint16_t>(alike.end - alike.first);
}

}  // namespace espalier
