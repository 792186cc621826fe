// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_offsets.h"

#include <algorithm>
#include <limits>

namespace espalier {
namespace {

constexpr float kConflict = 1e6F;  // in credit: more than anybody ever has

class OffsetDealer {
 public:
  OffsetDealer(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, const NodeOrder& order,
               std::span<const Source> sources, ForwardingTables& tables)
      : tree_(tree),
        cables_(cables),
        order_(order),
        sources_(sources),
        tables_(tables),
        approach_(tree, costs, cables),
        credit_(cables.size()),
        served_(tree.fabric().num_switches(), 0),
        entrance_of_(tree.fabric().num_switches()),
        last_use_(tree.fabric().num_switches(), 0) {}

  void deal(const Inbound& in, const HostColumns& columns) {
    approach_.set_destination(in.at.at);
    for (std::uint32_t host = in.at.first; host < in.at.last; ++host) {
      const Endport& to = tree_.fabric().at(order_.hosts[host]);
      if (to.lmc == 0 || to.lid == kNoLid) continue;
      const unsigned offsets = 1U << to.lmc;
      const auto column = columns.column(host);
      columns_.assign(offsets - 1, std::vector<std::uint8_t>(column.begin(), column.end()));
      for (unsigned k = 1; k < offsets; ++k) turn_ways_down(in, k, columns_[k - 1]);
      for (const Inbound::Pod& pod : in.pods) deal(in, pod, column, offsets);
      for (unsigned k = 1; k < offsets; ++k) write(columns_[k - 1], id_at<Lid>(index(to.lid) + k));
    }
  }

 private:
  [[nodiscard]] std::uint8_t number_of(SwitchId s, CableId c) const {
    return static_cast<std::uint8_t>(index(c) - index(cables_.first(s)));
  }

  static std::size_t ways_of_one(const Inbound& in, std::size_t first) {
    std::size_t last = first;
    while (last < in.down.size() && in.down[last].from == in.down[first].from) ++last;
    return last;
  }

  void turn_ways_down(const Inbound& in, unsigned k, std::vector<std::uint8_t>& column) const {
    for (std::size_t first = 0, last = 0; first < in.down.size(); first = last) {
      last = ways_of_one(in, first);
      const SwitchId s = in.down[first].from;
      std::size_t now = first;
      while (now + 1 < last && number_of(s, in.down[now].cable) != column[index(s)]) ++now;
      column[index(s)] = number_of(s, in.down[first + (now - first + k) % (last - first)].cable);
    }
  }

  // All offsets from one pod to one host.
  void deal(const Inbound& in, const Inbound::Pod& pod, std::span<const std::uint8_t> column, unsigned offsets) {
    const auto entrances = in.entrances_of(pod);
    for (const Entrance& e : entrances) credit_[e.cable] += e.share * static_cast<float>(offsets);
    ++use_;
    pay_for(in, pod, column);
    for (unsigned k = 1; k < offsets; ++k) {
      ++served_stamp_;
      taken_.clear();
      // Leaves that cannot but share a cable with another offset come last.
      const std::uint32_t left = serve_all(pod, entrances, pod.hosts, k, column);
      if (left > 0) (void)serve_all(pod, entrances, left, k, {});
      for (const Entrance* e : taken_) mark(*e);
    }
  }

  // `taken`: the column of offset 0, if leaves shall avoid the cables of offsets before k; returns hosts that are left.
  std::uint32_t serve_all(const Inbound::Pod& pod, std::span<const Entrance> entrances, std::uint32_t left, unsigned k,
                          std::span<const std::uint8_t> taken) {
    tried_.assign(entrances.size(), 0);
    while (left > 0) {
      const std::size_t best = choose(entrances);
      if (best == entrances.size()) break;
      tried_[best] = 1;
      const std::uint32_t hosts = std::min(left, serve(entrances[best], k, taken));
      credit_[entrances[best].cable] -= static_cast<float>(hosts) / static_cast<float>(pod.hosts);
      left -= hosts;
      if (hosts > 0) taken_.push_back(&entrances[best]);
    }
    return left;
  }

  // For offset 0, by where the flows of each source come in.
  void pay_for(const Inbound& in, const Inbound::Pod& pod, std::span<const std::uint8_t> column) {
    for (const Entrance& e : in.entrances_of(pod)) entrance_of_[e.from].clear();
    for (const Entrance& e : in.entrances_of(pod)) entrance_of_[e.from].push_back(&e);
    for (std::uint32_t i = pod.first_source; i < pod.last_source; ++i) {
      const Source& source = sources_[in.sources[i]];
      for (SwitchId s = source.at; column[index(s)] != kNoCable;) {
        const CableId c = cables_.at(s, column[index(s)]);
        const auto& all = entrance_of_[s];
        const auto e =
            std::find_if(all.begin(), all.end(), [&](const Entrance* entrance) { return entrance->cable == c; });
        if (e != all.end()) {
          credit_[c] -= static_cast<float>(source.last - source.first) / static_cast<float>(pod.hosts);
          mark(**e);
          break;
        }
        s = cables_.far(c);
      }
    }
    for (const Entrance& e : in.entrances_of(pod)) entrance_of_[e.from].clear();
  }

  // Neither end is to be used again by an offset of this host; ends that are hosts' own switches cannot be avoided.
  void mark(const Entrance& e) {
    if (approach_.cost(e.to) > 0) last_use_[e.to] = use_;
    if (tree_.hosts(e.from).empty()) last_use_[e.from] = use_;
  }

  [[nodiscard]] std::size_t choose(std::span<const Entrance> entrances) const {
    std::size_t best = entrances.size();
    float most = std::numeric_limits<float>::lowest();
    for (std::size_t i = 0; i < entrances.size(); ++i) {
      if (tried_[i] != 0) continue;
      const Entrance& e = entrances[i];
      const float credit = credit_[e.cable] - (last_use_[e.from] == use_ || last_use_[e.to] == use_ ? kConflict : 0);
      if (credit <= most) continue;
      most = credit;
      best = i;
    }
    return best;
  }

  // Whether leaf s sends another offset of the host by this cable.
  [[nodiscard]] bool is_taken(SwitchId s, std::uint8_t number, unsigned k, std::span<const std::uint8_t> column) const {
    if (column.empty() || !tree_.down_groups(s).empty()) return false;
    bool is_taken = column[index(s)] == number;
    for (unsigned other = 1; other < k; ++other) is_taken = is_taken || columns_[other - 1][index(s)] == number;
    return is_taken;
  }

  // As in balanced_deal.cc.
  std::uint32_t serve(const Entrance& e, unsigned k, std::span<const std::uint8_t> taken) {
    std::vector<std::uint8_t>& column = columns_[k - 1];
    if (served_[e.from] == served_stamp_ || is_taken(e.from, number_of(e.from, e.cable), k, taken)) return 0;
    std::size_t hosts = 0;
    const auto take = [&](SwitchId s, std::uint8_t number) {
      if (is_taken(s, number, k, taken)) return;
      served_[s] = served_stamp_;
      column[index(s)] = number;
      hosts += tree_.hosts(s).size();
    };
    take(e.from, number_of(e.from, e.cable));
    approach_.visit(
        e.from, [&](SwitchId s) { return served_[s] != served_stamp_; }, take);
    return static_cast<std::uint32_t>(hosts);
  }

  void write(const std::vector<std::uint8_t>& column, Lid lid) {
    for (const SwitchId s : tree_.fabric().switches())
      if (column[index(s)] != kNoCable) tables_.set(s, lid, cables_.port(cables_.at(s, column[index(s)])));
  }

  const FatTree& tree_;
  const Cables& cables_;
  const NodeOrder& order_;
  std::span<const Source> sources_;
  ForwardingTables& tables_;
  Approach approach_;
  IdVector<CableId, float> credit_;                 // to the flows of all offsets
  std::vector<std::vector<std::uint8_t>> columns_;  // of offsets 1, 2, ... of the host at hand
  IdVector<SwitchId, std::uint64_t> served_;
  std::uint64_t served_stamp_ = 0;
  std::vector<std::uint8_t> tried_;  // per entrance of the pod at hand
  std::vector<const Entrance*> taken_;
  IdVector<SwitchId, std::vector<const Entrance*>> entrance_of_;
  IdVector<SwitchId, std::uint64_t> last_use_;  // by which pod and host it was last used
  std::uint64_t use_ = 0;
};

}  // namespace

void deal_out_offsets(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, const NodeOrder& order,
                      std::span<const Source> sources, const std::vector<Inbound>& inbound, const HostColumns& columns,
                      ForwardingTables& tables) {
  OffsetDealer dealer(tree, costs, cables, order, sources, tables);
  for (const Inbound& in : inbound) dealer.deal(in, columns);
}

}  // namespace espalier
