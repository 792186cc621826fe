// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/offset_round_robin.h"

#include <algorithm>
#include <bitset>
#include <limits>

#include "core/engines/balanced/in_tree.h"

namespace espalier {
namespace {

constexpr float kConflict = 1e6F;  // more of a deficit than anybody ever has

class OffsetRoundRobin {
 public:
  OffsetRoundRobin(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources,
                   std::span<HostColumns> all)
      : tree_(problem.tree),
        channels_(channels),
        order_(problem.order),
        sources_(sources),
        all_(all),
        in_tree_(problem, channels),
        deficit_(channels.size()),
        used_(problem.fabric.num_switches()),
        served_(problem.fabric.num_switches(), 0),
        channels_from_(problem.fabric.num_switches()),
        last_use_(problem.fabric.num_switches(), 0) {}

  void assign(const Ingress& in) {
    in_tree_.set_destination(in.destination.at);
    for (std::uint32_t host = in.destination.first; host < in.destination.last; ++host) {
      const Endport& to = tree_.fabric().at(order_.hosts[host]);
      if (to.lmc == 0 || to.lid == kNoLid) continue;
      const unsigned offsets = 1U << to.lmc;
      const auto column = all_[0].column(host);
      columns_.assign(offsets - 1, std::vector<std::uint8_t>(column.begin(), column.end()));
      for (const SwitchId s : used_.ids()) {
        used_[s].reset();
        if (column[index(s)] != kNoHop) used_[s].set(column[index(s)]);
      }
      for (unsigned k = 1; k < offsets; ++k) rotate_down_channels(in, k, columns_[k - 1]);
      for (const Ingress::Pod& pod : in.pods) assign(in, pod, column, offsets);
      for (unsigned k = 1; k < offsets; ++k)
        std::copy(columns_[k - 1].begin(), columns_[k - 1].end(), all_[k].column(host).begin());
    }
  }

 private:
  static std::size_t last_of_one(const Ingress& in, std::size_t first) {
    std::size_t last = first;
    while (last < in.down.size() && in.down[last].from == in.down[first].from) ++last;
    return last;
  }

  void rotate_down_channels(const Ingress& in, unsigned k, std::vector<std::uint8_t>& column) const {
    for (std::size_t first = 0, last = 0; first < in.down.size(); first = last) {
      last = last_of_one(in, first);
      const SwitchId s = in.down[first].from;
      std::size_t now = first;
      while (now + 1 < last && channels_.number(s, in.down[now].channel) != column[index(s)]) ++now;
      column[index(s)] = channels_.number(s, in.down[first + (now - first + k) % (last - first)].channel);
    }
  }

  // All offsets from one pod to one host.
  void assign(const Ingress& in, const Ingress::Pod& pod, std::span<const std::uint8_t> column, unsigned offsets) {
    const auto channels = in.channels_of(pod);
    for (const IngressChannel& e : channels) deficit_[e.channel] += e.share * static_cast<float>(offsets);
    ++use_;
    pay_for(in, pod, column);
    for (unsigned k = 1; k < offsets; ++k) {
      ++served_stamp_;
      taken_.clear();
      // Leaves that cannot but share a channel with another offset come last.
      const std::uint32_t left = all_are_taken(channels) ? pod.hosts : serve_all(channels, pod, pod.hosts, k, false);
      if (left > 0) (void)serve_all(channels, pod, left, k, true);
      for (const IngressChannel* e : taken_) mark(*e);
    }
  }

  // Unless they may share, leaves avoid the channels of offsets before k. Returns hosts that are left.
  std::uint32_t serve_all(std::span<const IngressChannel> channels, const Ingress::Pod& pod, std::uint32_t left,
                          unsigned k, bool may_share) {
    tried_.assign(channels.size(), 0);
    while (left > 0) {
      const std::size_t best = choose(channels);
      if (best == channels.size()) break;
      tried_[best] = 1;
      const std::uint32_t hosts = std::min(left, serve(channels[best], k, may_share));
      deficit_[channels[best].channel] -= static_cast<float>(hosts) / static_cast<float>(pod.hosts);
      left -= hosts;
      if (hosts > 0) taken_.push_back(&channels[best]);
    }
    return left;
  }

  // For offset 0, by where the flows of each source come in.
  void pay_for(const Ingress& in, const Ingress::Pod& pod, std::span<const std::uint8_t> column) {
    for (const IngressChannel& e : in.channels_of(pod)) channels_from_[e.from].clear();
    for (const IngressChannel& e : in.channels_of(pod)) channels_from_[e.from].push_back(&e);
    for (std::uint32_t i = pod.first_source; i < pod.last_source; ++i) {
      const HostRun& source = sources_[in.sources[i]];
      for (SwitchId s = source.at; column[index(s)] != kNoHop;) {
        const TreeChannelId c = channels_.at(s, column[index(s)]);
        const auto& all = channels_from_[s];
        const auto e =
            std::find_if(all.begin(), all.end(), [&](const IngressChannel* other) { return other->channel == c; });
        if (e != all.end()) {
          deficit_[c] -= static_cast<float>(source.last - source.first) / static_cast<float>(pod.hosts);
          mark(**e);
          break;
        }
        s = channels_.remote(c);
      }
    }
    for (const IngressChannel& e : in.channels_of(pod)) channels_from_[e.from].clear();
  }

  // Neither end is to be used again by an offset of this host; ends that are hosts' own switches cannot be avoided.
  void mark(const IngressChannel& e) {
    if (in_tree_.cost(e.to) > 0) last_use_[e.to] = use_;
    if (tree_.hosts(e.from).empty()) last_use_[e.from] = use_;
  }

  [[nodiscard]] std::size_t choose(std::span<const IngressChannel> channels) const {
    std::size_t best = channels.size();
    float most = std::numeric_limits<float>::lowest();
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (tried_[i] != 0) continue;
      const IngressChannel& e = channels[i];
      const float deficit =
          deficit_[e.channel] - (last_use_[e.from] == use_ || last_use_[e.to] == use_ ? kConflict : 0);
      if (deficit <= most) continue;
      most = deficit;
      best = i;
    }
    return best;
  }

  // Whether leaf s sends another offset of the host by this channel.
  [[nodiscard]] bool is_taken(SwitchId s, std::uint8_t number) const {
    return tree_.down_groups(s).empty() && used_[s].test(number);
  }
  [[nodiscard]] bool all_are_taken(std::span<const IngressChannel> channels) const {
    return std::all_of(channels.begin(), channels.end(),
                       [&](const IngressChannel& e) { return is_taken(e.from, channels_.number(e.from, e.channel)); });
  }

  // As in deficit_round_robin.cc.
  std::uint32_t serve(const IngressChannel& e, unsigned k, bool may_share) {
    std::vector<std::uint8_t>& column = columns_[k - 1];
    const auto avoids = [&](SwitchId s, std::uint8_t number) { return !may_share && is_taken(s, number); };
    if (served_[e.from] == served_stamp_ || avoids(e.from, channels_.number(e.from, e.channel))) return 0;
    std::size_t hosts = 0;
    const auto take = [&](SwitchId s, std::uint8_t number) {
      if (avoids(s, number)) return;
      served_[s] = served_stamp_;
      column[index(s)] = number;
      used_[s].set(number);
      hosts += tree_.hosts(s).size();
    };
    take(e.from, channels_.number(e.from, e.channel));
    in_tree_.visit(
        e.from, [&](SwitchId s) { return served_[s] != served_stamp_; }, take);
    return static_cast<std::uint32_t>(hosts);
  }

  const FatTree& tree_;
  const TreeChannels& channels_;
  const NodeOrder& order_;
  std::span<const HostRun> sources_;
  std::span<HostColumns> all_;
  InTree in_tree_;
  IdVector<TreeChannelId, float> deficit_;          // to the flows of all offsets
  std::vector<std::vector<std::uint8_t>> columns_;  // of offsets 1, 2, ... of the host at hand
  IdVector<SwitchId, std::bitset<256>> used_;       // per leaf: channels by which it sends offsets of the host at hand
  IdVector<SwitchId, std::uint64_t> served_;
  std::uint64_t served_stamp_ = 0;
  std::vector<std::uint8_t> tried_;  // per ingress channel of the pod at hand
  std::vector<const IngressChannel*> taken_;
  IdVector<SwitchId, std::vector<const IngressChannel*>> channels_from_;
  IdVector<SwitchId, std::uint64_t> last_use_;  // by which pod and host it was last used
  std::uint64_t use_ = 0;
};

}  // namespace

void assign_offsets(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources,
                    const std::vector<Ingress>& ingress, std::span<HostColumns> columns) {
  OffsetRoundRobin round_robin(problem, channels, sources, columns);
  for (const Ingress& in : ingress) round_robin.assign(in);
}

}  // namespace espalier
