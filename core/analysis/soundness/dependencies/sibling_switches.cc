// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/sibling_switches.h"

#include <algorithm>
#include <array>
#include <boost/container/static_vector.hpp>
#include <utility>

#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kMostCandidates = 3;
constexpr std::size_t kSamples = 6;        // runs of entries that are compared
constexpr std::size_t kSampleLength = 48;  // entries in a run
constexpr std::size_t kEnough = kSamples * kSampleLength * 3 / 4;

class SiblingSearch {
 public:
  using Candidates = boost::container::static_vector<SwitchId, kMostCandidates>;

  SiblingSearch(const Fabric& fabric, const ForwardingTables& tables, const std::vector<LidRange>& lids)
      : fabric_(fabric), tables_(tables), lowest_(fabric.num_channels(), kNoSwitch) {
    for (const LidRange& range : lids) num_lids_ += range.end - range.first;
    for (std::size_t i = 0; num_lids_ >= kSamples * kSampleLength && i < kSamples; ++i)
      runs_.push_back(run_at(lids, i * (num_lids_ / kSamples)));
    parallel_for(fabric.num_switches(), [&](std::size_t u) { find_lowest(id_at<SwitchId>(u)); });
  }

  // Lower switches that share ports and neighbors with s, most first.
  [[nodiscard]] Candidates candidates(SwitchId s) const {
    boost::container::static_vector<std::pair<std::size_t, SwitchId>, 255> found;  // shared ports
    for (const PortNum p : fabric_.ports(s)) {
      const Peer& peer = fabric_.peer(s, p);
      if (!peer.is_switch()) continue;
      const SwitchId candidate = lowest_[index(fabric_.channel(peer.as_switch(), peer.port))];
      if (candidate >= s) continue;
      const auto known = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.second == candidate; });
      known == found.end() ? found.emplace_back(1, candidate) : (++known->first, *known);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    Candidates most;
    for (const auto& [shared, candidate] : found)
      if (most.size() < kMostCandidates) most.push_back(candidate);
    return most;
  }

  // Of the sampled entries, those that are the same and lead to the same switch.
  [[nodiscard]] std::size_t likeness(SwitchId a, SwitchId b) const {
    std::array<std::uint8_t, 256> same{};
    for (const PortNum p : fabric_.ports(a)) same[index(p)] = leads_to_the_same(fabric_, a, b, p) ? 1 : 0;
    const PortNum* const one = tables_.row(a).data();
    const PortNum* const other = tables_.row(b).data();
    std::size_t alike = 0;
    for (const std::size_t run : runs_)
      for (std::size_t lid = run; lid < run + kSampleLength; ++lid)
        alike += one[lid] == other[lid] ? same[index(one[lid])] : 0U;
    return alike;
  }

 private:
  // The first LID of a run that holds the n-th owned LID; runs do not leave the tables.
  [[nodiscard]] std::size_t run_at(const std::vector<LidRange>& lids, std::size_t n) const {
    for (const LidRange& range : lids) {
      const std::size_t size = range.end - range.first;
      if (n < size) return std::min(range.first + n, tables_.width() - kSampleLength);
      n -= size;
    }
    return 0;
  }

  // Who is the lowest to have u behind the same port as the switch behind each port of u.
  void find_lowest(SwitchId u) {
    std::array<SwitchId, 256> lowest;
    lowest.fill(kNoSwitch);
    const auto for_each_neighbor = [&](auto&& visit) {
      for (const PortNum q : fabric_.ports(u))
        if (const Peer& peer = fabric_.peer(u, q); peer.is_switch())
          visit(peer.as_switch(), lowest[index(peer.port)], lowest_[index(fabric_.channel(u, q))]);
    };
    for_each_neighbor([](SwitchId s, SwitchId& of_port, SwitchId&) { of_port = std::min(of_port, s); });
    for_each_neighbor([](SwitchId, SwitchId of_port, SwitchId& of_channel) { of_channel = of_port; });
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  std::size_t num_lids_ = 0;
  std::vector<std::size_t> runs_;
  LargeVector<SwitchId> lowest_;  // per channel
};

}  // namespace

IdVector<SwitchId, SwitchId> find_siblings(const Fabric& fabric, const ForwardingTables& tables,
                                           const std::vector<LidRange>& lids) {
  const SiblingSearch search(fabric, tables, lids);
  IdVector<SwitchId, SwitchId> sibling(fabric.num_switches());
  IdVector<SwitchId, std::size_t> likeness(fabric.num_switches(), 0);
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    sibling[s] = s;
    for (const SwitchId candidate : search.candidates(s)) {
      if (likeness[s] == kSamples * kSampleLength) break;  // none is more alike
      const std::size_t alike = search.likeness(s, candidate);
      if (alike < kEnough || alike <= likeness[s]) continue;
      sibling[s] = candidate;
      likeness[s] = alike;
    }
  });
  // Families of families: whoever stands for the sibling stands for s too, if it is like it; else s stands for itself.
  for (const SwitchId s : fabric.switches()) {
    const SwitchId first = sibling[sibling[s]];
    if (first != sibling[s]) sibling[s] = search.likeness(s, first) >= kEnough ? first : s;
  }
  return sibling;
}

}  // namespace espalier
