// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/ingress.h"

#include <algorithm>
#include <tuple>

#include "core/base/disjoint_sets.h"
#include "core/base/parallel.h"
#include "core/engines/balanced/in_tree.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::size_t kDestinationsAtOnce = 16;  // destinations that one thread takes at a time

class IngressFinder {
 public:
  IngressFinder(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources)
      : tree_(problem.tree),
        costs_(problem.costs),
        channels_(channels),
        sources_(sources),
        in_tree_(problem, channels),
        pod_(problem.fabric.num_switches()),
        counted_(problem.fabric.num_switches(), kNone) {}

  [[nodiscard]] Ingress find(const HostRun& destination) {
    Ingress ingress;
    ingress.destination = destination;
    in_tree_.set_destination(destination.at);
    find_pods(destination.at);
    const std::vector<SwitchId> pods = add_sources(ingress);
    add_channels(pods, ingress);
    set_shares(ingress);
    add_down_channels(ingress);
    return ingress;
  }

 private:
  [[nodiscard]] bool is_ancestor(SwitchId s, SwitchId t) const { return costs_.down_cost(s, t) != kUnreachable; }

  // visit(channel, its far end) for the channels up from s that are on shortest paths.
  template <class Visit>
  void visit_up(SwitchId s, Visit visit) const {
    std::size_t channel = index(channels_.first(s));
    for (const PortGroup& g : tree_.up_groups(s)) {
      if (in_tree_.cost(g.remote) < in_tree_.cost(s))
        for (std::size_t i = 0; i < g.num_ports; ++i) visit(id_at<TreeChannelId>(channel + i), g.remote);
      channel += g.num_ports;
    }
  }

  // Names each switch's pod by one of its switches.
  void find_pods(SwitchId t) {
    DisjointSets pods(pod_.size());
    inside_.clear();
    for (const SwitchId s : tree_.ascending())
      if (in_tree_.cost(s) != kUnreachable && !is_ancestor(s, t)) inside_.push_back(s);
    for (const SwitchId s : inside_)
      visit_up(s, [&](TreeChannelId, SwitchId far) {
        if (!is_ancestor(far, t)) pods.join(index(s), index(far));
      });
    for (const SwitchId s : tree_.ascending()) pod_[s] = id_at<SwitchId>(pods.representative(index(s)));
  }

  // Also the pods that have sources; returns their names.
  std::vector<SwitchId> add_sources(Ingress& ingress) const {
    const SwitchId t = ingress.destination.at;
    for (std::uint32_t a = 0; a < sources_.size(); ++a)
      if (in_tree_.cost(sources_[a].at) != kUnreachable && !is_ancestor(sources_[a].at, t))
        ingress.sources.push_back(a);
    const auto pod = [&](std::uint32_t a) { return pod_[sources_[a].at]; };
    std::stable_sort(ingress.sources.begin(), ingress.sources.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return pod(a) < pod(b); });
    std::vector<SwitchId> names;
    for (std::uint32_t i = 0; i < ingress.sources.size(); ++i) {
      const std::uint32_t a = ingress.sources[i];
      if (names.empty() || pod(a) != names.back()) {
        ingress.pods.push_back({0, 0, i, i, 0});
        names.push_back(pod(a));
      }
      ++ingress.pods.back().last_source;
      ingress.pods.back().hosts += sources_[a].size();
    }
    return names;
  }

  void add_channels(const std::vector<SwitchId>& pods, Ingress& ingress) const {
    const SwitchId t = ingress.destination.at;
    IdVector<SwitchId, std::uint32_t> number(pod_.size(), kNone);  // of the pod, by its name
    for (std::uint32_t p = 0; p < pods.size(); ++p) number[pods[p]] = p;
    for (const SwitchId s : inside_)
      visit_up(s, [&](TreeChannelId channel, SwitchId far) {
        if (is_ancestor(far, t) && number[pod_[s]] != kNone) ingress.channels.push_back({channel, s, far, 0});
      });
    const auto place = [&](const IngressChannel& c) {
      return std::tuple(number[pod_[c.from]], channels_.number(c.from, c.channel), c.from);
    };
    std::sort(ingress.channels.begin(), ingress.channels.end(),
              [&](const IngressChannel& a, const IngressChannel& b) { return place(a) < place(b); });
    std::uint32_t next = 0;
    for (std::uint32_t p = 0; p < ingress.pods.size(); ++p) {
      ingress.pods[p].first_channel = next;
      while (next < ingress.channels.size() && number[pod_[ingress.channels[next].from]] == p) ++next;
      ingress.pods[p].last_channel = next;
    }
  }

  void set_shares(Ingress& ingress) {
    for (const Ingress::Pod& pod : ingress.pods) {
      float sum = 0;
      for (IngressChannel& c : ingress.channels_of(pod)) {
        c.share = static_cast<float>(hosts_that_reach(c.from));
        sum += c.share;
      }
      for (IngressChannel& c : ingress.channels_of(pod)) c.share /= sum;
    }
  }

  std::size_t hosts_that_reach(SwitchId s) {
    const std::uint32_t stamp = stamp_++;
    std::size_t hosts = tree_.hosts(s).size();
    in_tree_.visit(
        s, [&](SwitchId below) { return counted_[below] != stamp; },
        [&](SwitchId below, std::uint8_t) {
          counted_[below] = stamp;
          hosts += tree_.hosts(below).size();
        });
    return hosts;
  }

  void add_down_channels(Ingress& ingress) const {
    const SwitchId t = ingress.destination.at;
    const auto ascending = tree_.ascending();
    for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
      const SwitchId s = *it;
      if (s == t || !is_ancestor(s, t)) continue;
      const std::size_t first = ingress.down.size();
      std::size_t channel = index(channels_.first(s)) + channels_.num_up(s);
      for (const PortGroup& g : tree_.down_groups(s)) {
        if (costs_.leads_closer(s, g.remote, t))
          for (std::size_t i = 0; i < g.num_ports; ++i)
            ingress.down.push_back({s, id_at<TreeChannelId>(channel + i), g.remote, 1});
        channel += g.num_ports;
      }
      for (std::size_t i = first; i < ingress.down.size(); ++i)
        ingress.down[i].share = 1 / static_cast<float>(ingress.down.size() - first);
    }
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const TreeChannels& channels_;
  std::span<const HostRun> sources_;
  InTree in_tree_;

  // For the destination at hand:
  IdVector<SwitchId, SwitchId> pod_;           // its name
  std::vector<SwitchId> inside_;               // all switches in pods, ascending
  IdVector<SwitchId, std::uint32_t> counted_;  // by which call of hosts_that_reach()
  std::uint32_t stamp_ = 0;
};

}  // namespace

std::vector<Ingress> find_ingress(const RoutingProblem& problem, const TreeChannels& channels,
                                  std::span<const HostRun> sources, std::span<const HostRun> destinations) {
  std::vector<Ingress> all(destinations.size());
  parallel_blocks(destinations.size(), kDestinationsAtOnce, [&](std::size_t first, std::size_t last) {
    IngressFinder finder(problem, channels, sources);
    for (std::size_t i = first; i < last; ++i) all[i] = finder.find(destinations[i]);
  });
  return all;
}

}  // namespace espalier
