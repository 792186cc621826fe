// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_entrances.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

class Finder {
 public:
  Finder(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, std::span<const Source> sources)
      : tree_(tree),
        costs_(costs),
        cables_(cables),
        sources_(sources),
        approach_(tree, costs, cables),
        pod_(tree.fabric().num_switches()),
        seen_(tree.fabric().num_switches(), kNone) {}

  [[nodiscard]] Inbound find(const Source& at) {
    Inbound inbound;
    inbound.at = at;
    approach_.set_destination(at.at);
    find_pods(at.at);
    add_sources(inbound);
    add_entrances(inbound);
    set_shares(inbound);
    add_ways_down(inbound);
    return inbound;
  }

 private:
  [[nodiscard]] bool is_ancestor(SwitchId s, SwitchId t) const { return costs_.down_cost(s, t) != kUnreachable; }
  [[nodiscard]] SwitchId root(SwitchId s) {
    while (pod_[s] != s) s = pod_[s] = pod_[pod_[s]];
    return s;
  }

  // visit(cable, far end) for the cables up from s that are on shortest paths.
  template <class Visit>
  void visit_up(SwitchId s, Visit visit) const {
    std::size_t cable = index(cables_.first(s));
    for (const PortGroup& g : tree_.up_groups(s)) {
      if (approach_.cost(g.remote) < approach_.cost(s))
        for (std::size_t i = 0; i < g.num_ports; ++i) visit(id_at<CableId>(cable + i), g.remote);
      cable += g.num_ports;
    }
  }

  void find_pods(SwitchId t) {
    inside_.clear();
    for (const SwitchId s : tree_.ascending()) {
      pod_[s] = s;
      if (approach_.cost(s) != kUnreachable && !is_ancestor(s, t)) inside_.push_back(s);
    }
    for (const SwitchId s : inside_)
      visit_up(s, [&](CableId, SwitchId far) {
        if (!is_ancestor(far, t)) pod_[root(s)] = root(far);
      });
  }

  void add_sources(Inbound& inbound) {
    const SwitchId t = inbound.at.at;
    for (std::uint32_t a = 0; a < sources_.size(); ++a)
      if (approach_.cost(sources_[a].at) != kUnreachable && !is_ancestor(sources_[a].at, t))
        inbound.sources.push_back(a);
    const auto pod = [&](std::uint32_t a) { return root(sources_[a].at); };
    std::stable_sort(inbound.sources.begin(), inbound.sources.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return pod(a) < pod(b); });
    for (std::uint32_t i = 0; i < inbound.sources.size(); ++i) {
      const Source& source = sources_[inbound.sources[i]];
      if (i == 0 || pod(inbound.sources[i]) != pod(inbound.sources[i - 1])) {
        inbound.pods.push_back({0, 0, i, i, 0});
        number_.push_back(pod(inbound.sources[i]));
      }
      ++inbound.pods.back().last_source;
      inbound.pods.back().hosts += source.last - source.first;
    }
  }

  void add_entrances(Inbound& inbound) {
    const SwitchId t = inbound.at.at;
    IdVector<SwitchId, std::uint32_t>& number = number_of_;
    number = IdVector<SwitchId, std::uint32_t>(pod_.size(), kNone);
    for (std::uint32_t p = 0; p < number_.size(); ++p) number[number_[p]] = p;
    number_.clear();
    for (const SwitchId s : inside_)
      visit_up(s, [&](CableId cable, SwitchId far) {
        if (is_ancestor(far, t) && number[root(s)] != kNone) inbound.entrances.push_back({cable, s, far, 0});
      });
    const auto place = [&](const Entrance& e) {
      return std::tuple(number[root(e.from)], index(e.cable) - index(cables_.first(e.from)), e.from);
    };
    std::sort(inbound.entrances.begin(), inbound.entrances.end(),
              [&](const Entrance& a, const Entrance& b) { return place(a) < place(b); });
    std::uint32_t next = 0;
    for (std::uint32_t p = 0; p < inbound.pods.size(); ++p) {
      inbound.pods[p].first_entrance = next;
      while (next < inbound.entrances.size() && number[root(inbound.entrances[next].from)] == p) ++next;
      inbound.pods[p].last_entrance = next;
    }
  }

  void set_shares(Inbound& inbound) {
    for (const Inbound::Pod& pod : inbound.pods) {
      float sum = 0;
      for (std::uint32_t i = pod.first_entrance; i < pod.last_entrance; ++i) {
        Entrance& e = inbound.entrances[i];
        const std::uint32_t stamp = stamp_++;
        std::size_t hosts = tree_.hosts(e.from).size();
        approach_.visit(
            e.from, [&](SwitchId s) { return seen_[s] != stamp; },
            [&](SwitchId s, std::uint8_t) {
              seen_[s] = stamp;
              hosts += tree_.hosts(s).size();
            });
        e.share = static_cast<float>(hosts);
        sum += e.share;
      }
      for (std::uint32_t i = pod.first_entrance; i < pod.last_entrance; ++i) inbound.entrances[i].share /= sum;
    }
  }

  void add_ways_down(Inbound& inbound) const {
    const SwitchId t = inbound.at.at;
    const auto ascending = tree_.ascending();
    for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
      const SwitchId s = *it;
      if (s == t || !is_ancestor(s, t)) continue;
      const std::size_t first = inbound.down.size();
      std::size_t cable = index(cables_.first(s)) + cables_.num_up(s);
      for (const PortGroup& g : tree_.down_groups(s)) {
        if (costs_.leads_closer(s, g.remote, t))
          for (std::size_t i = 0; i < g.num_ports; ++i)
            inbound.down.push_back({s, id_at<CableId>(cable + i), g.remote, 1});
        cable += g.num_ports;
      }
      for (std::size_t i = first; i < inbound.down.size(); ++i)
        inbound.down[i].share = 1 / static_cast<float>(inbound.down.size() - first);
    }
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const Cables& cables_;
  std::span<const Source> sources_;
  Approach approach_;
  IdVector<SwitchId, SwitchId> pod_;  // a switch of the same pod
  std::vector<SwitchId> inside_;      // all in pods, ascending
  std::vector<SwitchId> number_;      // roots of the pods with hosts
  IdVector<SwitchId, std::uint32_t> number_of_;
  IdVector<SwitchId, std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

Approach::Approach(const FatTree& tree, const UpDownCosts& costs, const Cables& cables)
    : costs_(costs), cost_(tree.fabric().num_switches()) {
  const Fabric& fabric = tree.fabric();
  for (const SwitchId s : fabric.switches()) {
    first_.push_back(static_cast<std::uint32_t>(below_.size()));
    for (const PortGroup& g : tree.down_groups(s))
      for (const PortNum port : tree.ports(g))
        below_.push_back(
            {g.remote, cables.number(g.remote, fabric.peer(s, port).port), static_cast<std::uint8_t>(g.num_ports)});
  }
  first_.push_back(static_cast<std::uint32_t>(below_.size()));
  turn_.resize(below_.size());
}

void Approach::set_destination(SwitchId t) {
  for (std::size_t s = 0; s < cost_.size(); ++s) cost_[s] = costs_.cost(id_at<SwitchId>(s), t);
}

std::vector<Inbound> find_entrances(const FatTree& tree, const UpDownCosts& costs, const Cables& cables,
                                    std::span<const Source> sources, std::span<const Source> destinations) {
  std::vector<Inbound> all(destinations.size());
  parallel_blocks(destinations.size(), 16, [&](std::size_t first, std::size_t last) {
    Finder finder(tree, costs, cables, sources);
    for (std::size_t i = first; i < last; ++i) all[i] = finder.find(destinations[i]);
  });
  return all;
}

}  // namespace espalier
