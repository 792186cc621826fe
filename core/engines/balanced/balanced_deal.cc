// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_deal.h"

#include <algorithm>
#include <limits>

namespace espalier {
namespace {

// In credit:
constexpr float kLoyalty = 0.5F;  // to the closed form's home
constexpr float kHome = 4;        // to home
constexpr float kCompany = 2;     // to where others of the same destination come in
constexpr float kLeast = std::numeric_limits<float>::lowest();
constexpr std::uint32_t kNobody = 0xFFFFFFFF;

class Dealer {
 public:
  Dealer(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, std::span<const Source> sources)
      : tree_(tree),
        cables_(cables),
        sources_(sources),
        approach_(tree, costs, cables),
        credit_(cables.size()),
        served_(tree.fabric().num_switches(), kNobody),
        welcome_(tree.fabric().num_switches()),
        arrived_(tree.fabric().num_switches()),
        way_of_(tree.fabric().num_switches()),
        way_credit_(tree.fabric().num_switches()) {}

  void deal(const Inbound& in, HostColumns& columns) {
    if (in.pods.empty()) return;
    approach_.set_destination(in.at.at);
    set_way_shares(in);
    const Inbound::Pod& largest = *std::max_element(in.pods.begin(), in.pods.end(),
                                                    [](const auto& a, const auto& b) { return a.hosts < b.hosts; });
    for (std::uint32_t host = in.at.first; host < in.at.last; ++host) {
      settle(in, usual_home(in, largest, columns.column(host)), host, columns.column(host));
      for (const Inbound::Pod& pod : in.pods) deal(in, pod, host, columns.column(host));
    }
  }

 private:
  // Credit that an ancestor adds to its entrances, for the last host that had it.
  struct Welcome {
    std::uint32_t host = kNobody;
    float credit = 0;
  };
  [[nodiscard]] std::uint8_t number_of(SwitchId s, CableId c) const {
    return static_cast<std::uint8_t>(index(c) - index(cables_.first(s)));
  }

  // The share of all flows to t that each way down has to carry.
  void set_way_shares(const Inbound& in) {
    for (const Inbound::WayDown& way : in.down) arrived_[way.from] = 0;
    float sum = 0;
    highest_ = 0;
    for (const Inbound::Pod& pod : in.pods)
      for (const Entrance& e : in.entrances_of(pod)) {
        const float flows = e.share * static_cast<float>(pod.hosts);
        sum += flows;
        arrived_[e.to] += flows;
        if (e.to != in.at.at) highest_ = std::max(highest_, approach_.cost(e.to));
      }
    way_share_.clear();
    for (const Inbound::WayDown& way : in.down) {
      const float flows = way.share * arrived_[way.from];
      if (way.to != in.at.at) arrived_[way.to] += flows;
      way_share_.push_back(flows / sum);
    }
  }

  // Where the first source of the pod comes to an ancestor of t in the closed form.
  [[nodiscard]] SwitchId usual_home(const Inbound& in, const Inbound::Pod& pod,
                                    std::span<const std::uint8_t> column) const {
    SwitchId s = sources_[in.sources[pod.first_source]].at;
    const Hops end = approach_.cost(in.entrances[pod.first_entrance].to);
    for (Hops hops = approach_.cost(s); hops > end && column[index(s)] != kNoCable; --hops)
      s = cables_.far(cables_.at(s, column[index(s)]));
    return s;
  }

  // Chooses all ways down to this host, the one with most credit first, and home: the highest ancestor whose whole way
  // has most credit. The way pays, and the switches on it are marked.
  void settle(const Inbound& in, SwitchId usual, std::uint32_t host, std::span<std::uint8_t> column) {
    for (std::size_t k = 0; k < in.down.size(); ++k) credit_[in.down[k].cable] += way_share_[k];
    way_of_[in.at.at] = nullptr;
    way_credit_[in.at.at] = 0;
    const Inbound::WayDown* home = nullptr;
    float most = kLeast;
    for (std::size_t k = in.down.size(); k > 0;) {  // switch by switch, the lowest first
      const SwitchId s = in.down[k - 1].from;
      way_credit_[s] = kLeast;
      for (; k > 0 && in.down[k - 1].from == s; --k) {
        const Inbound::WayDown& way = in.down[k - 1];
        const float credit = credit_[way.cable] + way_credit_[way.to];
        if (credit < way_credit_[s]) continue;
        way_credit_[s] = credit;
        way_of_[s] = &way;
      }
      column[index(s)] = number_of(s, way_of_[s]->cable);
      const float credit = way_credit_[s] + (s == usual ? kLoyalty : 0);
      if (approach_.cost(s) != highest_ || arrived_[s] == 0 || credit < most) continue;
      most = credit;
      home = way_of_[s];
    }
    for (; home != nullptr; home = way_of_[home->to]) {
      credit_[home->cable] -= 1;
      welcome_[home->from] = {host, kHome};
    }
  }

  void deal(const Inbound& in, const Inbound::Pod& pod, std::uint32_t host, std::span<std::uint8_t> column) {
    const auto entrances = in.entrances_of(pod);
    for (const Entrance& e : entrances) credit_[e.cable] += e.share;
    tried_.assign(entrances.size(), 0);
    for (std::uint32_t left = pod.hosts; left > 0;) {
      std::size_t best = entrances.size();
      float most = kLeast;
      for (std::size_t i = 0; i < entrances.size(); ++i) {
        const Welcome& welcome = welcome_[entrances[i].to];
        const float credit = credit_[entrances[i].cable] + (welcome.host == host ? welcome.credit : 0);
        if (tried_[i] != 0 || credit <= most) continue;
        most = credit;
        best = i;
      }
      if (best == entrances.size()) break;
      tried_[best] = 1;
      if (Welcome& welcome = welcome_[entrances[best].to]; welcome.host != host) welcome = {host, kCompany};
      const std::uint32_t hosts = std::min(left, serve(entrances[best], host, column));
      credit_[entrances[best].cable] -= static_cast<float>(hosts) / static_cast<float>(pod.hosts);
      left -= hosts;
    }
  }

  // Sends all to this entrance that reach it and are not served yet; returns how many hosts.
  std::uint32_t serve(const Entrance& e, std::uint32_t host, std::span<std::uint8_t> column) {
    if (served_[e.from] == host) return 0;  // by another cable of the same switch
    std::size_t hosts = 0;
    const auto take = [&](SwitchId s, std::uint8_t number) {
      served_[s] = host;
      column[index(s)] = number;
      hosts += tree_.hosts(s).size();
    };
    take(e.from, number_of(e.from, e.cable));
    approach_.visit(
        e.from, [&](SwitchId s) { return served_[s] != host; }, take);
    return static_cast<std::uint32_t>(hosts);
  }

  const FatTree& tree_;
  const Cables& cables_;
  std::span<const Source> sources_;
  Approach approach_;
  IdVector<CableId, float> credit_;
  IdVector<SwitchId, std::uint32_t> served_;  // for which host last
  std::vector<std::uint8_t> tried_;           // per entrance of the pod at hand

  // For the destination switch at hand:
  IdVector<SwitchId, Welcome> welcome_;
  IdVector<SwitchId, float> arrived_;  // hosts whose flows come to an ancestor
  std::vector<float> way_share_;       // as Inbound::down
  Hops highest_ = 0;                   // of ancestors where flows arrive
  IdVector<SwitchId, const Inbound::WayDown*> way_of_;
  IdVector<SwitchId, float> way_credit_;  // of the whole way
};

}  // namespace

void deal_out(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, std::span<const Source> sources,
              const std::vector<Inbound>& inbound, HostColumns& columns) {
  Dealer dealer(tree, costs, cables, sources);
  for (const Inbound& in : inbound) dealer.deal(in, columns);
}

}  // namespace espalier
