// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/deficit_round_robin.h"

#include <algorithm>
#include <limits>

#include "core/engines/balanced/in_tree.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

constexpr float kLeast = std::numeric_limits<float>::lowest();
constexpr std::uint32_t kNoneServed = 0xFFFFFFFF;

class DeficitRoundRobin {
 public:
  DeficitRoundRobin(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources)
      : tree_(problem.tree),
        channels_(channels),
        sources_(sources),
        in_tree_(problem, channels),
        deficit_(channels.size()),
        served_(problem.fabric.num_switches(), kNoneServed),
        affinity_(problem.fabric.num_switches()),
        arrived_(problem.fabric.num_switches()),
        path_(problem.fabric.num_switches()) {}

  void assign(const Ingress& in, HostColumns& columns) {
    if (in.pods.empty()) return;
    in_tree_.set_destination(in.destination.at);
    set_down_shares(in);
    const Ingress::Pod& largest = *std::max_element(in.pods.begin(), in.pods.end(),
                                                    [](const auto& a, const auto& b) { return a.hosts < b.hosts; });
    for (std::uint32_t host = in.destination.first; host < in.destination.last; ++host) {
      const std::span<std::uint8_t> column = columns.column(host);
      const SwitchId usual = usual_ancestor(in, largest, column);
      for (std::size_t k = 0; k < in.down.size(); ++k) deficit_[in.down[k].channel] += down_share_[k];
      choose_down_channels(in, column);
      prefer(preferred_ancestor(in, usual), host);
      for (const Ingress::Pod& pod : in.pods) assign(in, pod, host, column);
    }
  }

 private:
  // The lead that an ancestor gives to its ingress channels, for the last host that had it.
  struct Affinity {
    std::uint32_t host = kNoneServed;
    float lead = 0;
  };
  // The best path down from an ancestor of the destination.
  struct DownPath {
    const Ingress::DownChannel* first = nullptr;
    float deficit = 0;  // of all its channels
  };

  // The share of all flows to t that each channel down has to carry.
  void set_down_shares(const Ingress& in) {
    for (const Ingress::DownChannel& down : in.down) arrived_[down.from] = 0;
    float sum = 0;
    highest_ = 0;
    for (const Ingress::Pod& pod : in.pods)
      for (const IngressChannel& c : in.channels_of(pod)) {
        const float flows = c.share * static_cast<float>(pod.hosts);
        sum += flows;
        arrived_[c.to] += flows;
        if (c.to != in.destination.at) highest_ = std::max(highest_, in_tree_.cost(c.to));
      }
    down_share_.clear();
    for (const Ingress::DownChannel& down : in.down) {
      const float flows = down.share * arrived_[down.from];
      if (down.to != in.destination.at) arrived_[down.to] += flows;
      down_share_.push_back(flows / sum);
    }
  }

  // Where the first source of the pod comes to an ancestor of t in the closed form.
  [[nodiscard]] SwitchId usual_ancestor(const Ingress& in, const Ingress::Pod& pod,
                                        std::span<const std::uint8_t> column) const {
    SwitchId s = sources_[in.sources[pod.first_source]].at;
    const Hops end = in_tree_.cost(in.channels[pod.first_channel].to);
    for (Hops hops = in_tree_.cost(s); hops > end && column[index(s)] != kNoHop; --hops)
      s = channels_.remote(channels_.at(s, column[index(s)]));
    return s;
  }

  // At each ancestor of t the channel down whose path to t has the largest deficit.
  void choose_down_channels(const Ingress& in, std::span<std::uint8_t> column) {
    path_[in.destination.at] = {};
    for (std::size_t k = in.down.size(); k > 0;) {  // switch by switch, the lowest first
      const SwitchId s = in.down[k - 1].from;
      DownPath& path = path_[s];
      path = {nullptr, kLeast};
      for (; k > 0 && in.down[k - 1].from == s; --k) {
        const Ingress::DownChannel& down = in.down[k - 1];
        const float deficit = deficit_[down.channel] + path_[down.to].deficit;
        if (deficit >= path.deficit) path = {&down, deficit};
      }
      column[index(s)] = channels_.number(s, path.first->channel);
    }
  }

  // Of the highest ancestors where flows arrive the one whose path has the largest deficit; kNoSwitch: there is none.
  [[nodiscard]] SwitchId preferred_ancestor(const Ingress& in, SwitchId usual) const {
    SwitchId preferred = kNoSwitch;
    float most = kLeast;
    for (std::size_t k = in.down.size(); k > 0; --k) {
      const SwitchId s = in.down[k - 1].from;
      if (in_tree_.cost(s) != highest_ || arrived_[s] == 0) continue;
      const float deficit = path_[s].deficit + (s == usual ? kBalanced.hysteresis : 0);
      if (deficit < most) continue;
      most = deficit;
      preferred = s;
    }
    return preferred;
  }

  // The path down from the preferred ancestor pays for the host, and pods have an affinity to all its switches.
  void prefer(SwitchId ancestor, std::uint32_t host) {
    if (ancestor == kNoSwitch) return;
    for (const Ingress::DownChannel* down = path_[ancestor].first; down != nullptr; down = path_[down->to].first) {
      deficit_[down->channel] -= 1;
      affinity_[down->from] = {host, kBalanced.preferred_affinity};
    }
  }

  // The routes of one pod to the host: through its ingress channel with the largest deficit, and those who do not reach
  // that one through the next.
  void assign(const Ingress& in, const Ingress::Pod& pod, std::uint32_t host, std::span<std::uint8_t> column) {
    const auto channels = in.channels_of(pod);
    for (const IngressChannel& c : channels) deficit_[c.channel] += c.share;
    tried_.assign(channels.size(), 0);
    for (std::uint32_t left = pod.hosts; left > 0;) {
      std::size_t best = channels.size();
      float most = kLeast;
      for (std::size_t i = 0; i < channels.size(); ++i) {
        const Affinity& affinity = affinity_[channels[i].to];
        const float deficit = deficit_[channels[i].channel] + (affinity.host == host ? affinity.lead : 0);
        if (tried_[i] != 0 || deficit <= most) continue;
        most = deficit;
        best = i;
      }
      if (best == channels.size()) break;
      tried_[best] = 1;
      if (Affinity& affinity = affinity_[channels[best].to]; affinity.host != host)
        affinity = {host, kBalanced.shared_affinity};
      const std::uint32_t hosts = std::min(left, serve(channels[best], host, column));
      deficit_[channels[best].channel] -= static_cast<float>(hosts) / static_cast<float>(pod.hosts);
      left -= hosts;
    }
  }

  // Sends all to this ingress channel that reach it and are not served yet; returns how many hosts.
  std::uint32_t serve(const IngressChannel& c, std::uint32_t host, std::span<std::uint8_t> column) {
    if (served_[c.from] == host) return 0;  // by another channel of the same switch
    std::size_t hosts = 0;
    const auto take = [&](SwitchId s, std::uint8_t number) {
      served_[s] = host;
      column[index(s)] = number;
      hosts += tree_.hosts(s).size();
    };
    take(c.from, channels_.number(c.from, c.channel));
    in_tree_.visit(
        c.from, [&](SwitchId s) { return served_[s] != host; }, take);
    return static_cast<std::uint32_t>(hosts);
  }

  const FatTree& tree_;
  const TreeChannels& channels_;
  std::span<const HostRun> sources_;
  InTree in_tree_;
  IdVector<TreeChannelId, float> deficit_;    // in hosts
  IdVector<SwitchId, std::uint32_t> served_;  // for which host last
  std::vector<std::uint8_t> tried_;           // per ingress channel of the pod at hand

  // For the destination switch at hand:
  IdVector<SwitchId, Affinity> affinity_;
  IdVector<SwitchId, float> arrived_;  // hosts whose flows come to an ancestor
  std::vector<float> down_share_;      // as Ingress::down
  Hops highest_ = 0;                   // cost of the highest ancestors where flows arrive
  IdVector<SwitchId, DownPath> path_;
};

}  // namespace

void assign_hosts(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources,
                  const std::vector<Ingress>& ingress, HostColumns& columns) {
  DeficitRoundRobin round_robin(problem, channels, sources);
  for (const Ingress& in : ingress) round_robin.assign(in, columns);
}

}  // namespace espalier
