// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/sort_unique.h"
#include "core/base/try.h"
#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

using Groups = IdVector<SwitchId, std::uint32_t>;
constexpr double kNearlyComplete = 0.9;  // density that few random graphs have in groups
constexpr double kLeastDensity = 0.5;    // of local links in a group, and of cabled pairs of groups

// Two switches that are cabled, whatever the number of links.
struct Edge {
  SwitchId a;
  SwitchId b;
};

class Graph {
 public:
  explicit Graph(const Fabric& fabric) : neighbors_(fabric.num_switches()) {
    for (const SwitchId s : fabric.switches()) {
      std::vector<SwitchId>& list = neighbors_[s];
      for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p)
        if (const Peer& peer = fabric.peer(s, id_at<PortNum>(p)); peer.is_switch() && peer.as_switch() != s)
          list.push_back(peer.as_switch());
      sort_unique(list);
    }
    for (const SwitchId a : fabric.switches())
      for (const SwitchId b : neighbors_[a])
        if (a < b) edges_.push_back({a, b});
  }
  [[nodiscard]] std::size_t size() const { return neighbors_.size(); }
  [[nodiscard]] const std::vector<SwitchId>& neighbors(SwitchId s) const { return neighbors_[s]; }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  // Triangles that it is part of.
  [[nodiscard]] std::uint32_t triangles(const Edge& edge) const {
    const auto& [a, b] = edge;
    std::uint32_t count = 0;
    auto i = neighbors_[a].begin();
    auto j = neighbors_[b].begin();
    while (i != neighbors_[a].end() && j != neighbors_[b].end()) {
      count += *i == *j ? 1 : 0;
      if (*i < *j)
        ++i;
      else if (*j < *i)
        ++j;
      else
        ++i, ++j;
    }
    return count;
  }

 private:
  IdVector<SwitchId, std::vector<SwitchId>> neighbors_;
  std::vector<Edge> edges_;
};

// What the edges join for which local(position in edges()) holds.
template <class Local>
Groups joined_by(const Graph& graph, Local&& local) {
  Groups group(graph.size());
  std::iota(group.begin(), group.end(), 0U);
  const auto root = [&](SwitchId s) {
    std::uint32_t r = static_cast<std::uint32_t>(index(s));
    while (group[SwitchId{r}] != r) r = group[SwitchId{r}] = group[SwitchId{group[SwitchId{r}]}];
    return r;
  };
  for (std::size_t i = 0; i < graph.edges().size(); ++i)
    if (local(i)) {
      const std::uint32_t a = root(graph.edges()[i].a);
      const std::uint32_t b = root(graph.edges()[i].b);
      group[SwitchId{std::max(a, b)}] = std::min(a, b);
    }
  for (const SwitchId s : group.ids()) group[s] = root(s);
  return group;
}

double modularity(const Graph& graph, const Groups& group) {
  std::vector<double> within(group.size(), 0);
  std::vector<double> degrees(group.size(), 0);
  for (const Edge& edge : graph.edges()) {
    if (group[edge.a] == group[edge.b]) within[group[edge.a]] += 1;
    degrees[group[edge.a]] += 1;
    degrees[group[edge.b]] += 1;
  }
  const auto m = static_cast<double>(graph.edges().size());
  double sum = 0;
  for (std::size_t g = 0; g < within.size(); ++g)
    sum += within[g] / m - (degrees[g] / (2 * m)) * (degrees[g] / (2 * m));
  return sum;
}

// The best groups of a random graph of N nodes, each two linked with probability p, have a modularity of about
// 0.97 sqrt((1 - p) / (p N)) (Reichardt and Bornholdt 2006, Physica D 224): there are groups in every Jellyfish.
double modularity_by_chance(const Graph& graph) {
  const auto n = static_cast<double>(graph.size());
  const double p = 2 * static_cast<double>(graph.edges().size()) / (n * (n - 1));
  return 0.97 * std::sqrt((1 - p) / (p * n));
}

// Moves routers one by one to the group where modularity gains most, until none does: the first phase of the method of
// Louvain (Blondel et al. 2008). Then what is left of a group in pieces becomes several.
Groups improve(const Graph& graph, Groups group) {
  constexpr int kMostRounds = 20;
  const auto two_m = static_cast<double>(2 * graph.edges().size());
  const auto degree = [&](SwitchId s) { return static_cast<double>(graph.neighbors(s).size()); };
  std::vector<double> degrees(group.size(), 0);
  for (const SwitchId s : group.ids()) degrees[group[s]] += degree(s);
  std::vector<double> links(group.size(), 0);  // to each group
  std::vector<std::uint32_t> near;             // groups that have some
  bool moved = true;
  for (int round = 0; moved && round < kMostRounds; ++round) {
    moved = false;
    for (const SwitchId s : group.ids()) {
      near.clear();
      for (const SwitchId t : graph.neighbors(s))
        if (++links[group[t]] == 1) near.push_back(group[t]);
      std::sort(near.begin(), near.end());
      degrees[group[s]] -= degree(s);
      const auto gain = [&](std::uint32_t g, double to_it) { return to_it - degree(s) * degrees[g] / two_m; };
      std::uint32_t best = group[s];
      double best_gain = gain(best, links[best]);
      for (const std::uint32_t g : near)
        if (const double here = gain(g, std::exchange(links[g], 0)); here > best_gain + 1e-9) {
          best = g;
          best_gain = here;
        }
      moved |= best != group[s];
      group[s] = best;
      degrees[best] += degree(s);
    }
  }
  return joined_by(graph, [&](std::size_t i) { return group[graph.edges()[i].a] == group[graph.edges()[i].b]; });
}

Groups groups_of_routers(const Graph& graph) {
  std::vector<std::uint32_t> triangles;  // per edge
  for (const Edge& edge : graph.edges()) triangles.push_back(graph.triangles(edge));
  std::vector<std::uint32_t> thresholds = triangles;
  sort_unique(thresholds);
  Groups best(graph.size());
  std::iota(best.begin(), best.end(), 0U);
  double best_score = 0;
  for (const std::uint32_t t : thresholds) {
    if (t == 0) continue;
    Groups groups = improve(graph, joined_by(graph, [&](std::size_t i) { return triangles[i] >= t; }));
    if (const double score = modularity(graph, groups); score > best_score) {
      best_score = score;
      best = std::move(groups);
    }
  }
  return best;
}

struct Counts {
  std::size_t in_groups = 0;    // switches in groups of two or more
  std::size_t num_groups = 0;   // of two or more
  std::size_t local_pairs = 0;  // both ways, as the next
  std::size_t possible_pairs = 0;
  [[nodiscard]] double density() const {
    return static_cast<double>(local_pairs) / static_cast<double>(possible_pairs);
  }
};

Counts count(const Dragonfly& dragonfly, const Graph& graph) {
  Counts counts;
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g) {
    const std::size_t size = dragonfly.routers(g).size();
    if (size < 2) continue;
    ++counts.num_groups;
    counts.in_groups += size;
    for (const SwitchId s : dragonfly.routers(g)) {
      for (const SwitchId t : graph.neighbors(s)) counts.local_pairs += dragonfly.group(t) == g;
      for (const SwitchId t : dragonfly.routers(g))
        counts.possible_pairs +=
            t != s && (dragonfly.kind() == Dragonfly::Kind::kRouters || dragonfly.is_leaf(s) != dragonfly.is_leaf(t));
    }
  }
  return counts;
}

Status check_shape(const Dragonfly& dragonfly, const Graph& graph) {
  const std::size_t n = dragonfly.num_groups();
  const Counts counts = count(dragonfly, graph);
  const auto [in_groups, num_groups, local_pairs, possible_pairs] = counts;
  if (num_groups < 2) return fail("its switches do not form groups that are cabled both internally and to each other");
  if (2 * in_groups < graph.size())
    return fail(fmt::format("only {} of {} switches belong to groups", in_groups, graph.size()));
  // Groups of Cascade are grids: not all pairs are cabled, yet each two routers have common neighbors.
  if (counts.density() < kLeastDensity / 3)
    return fail(
        fmt::format("of {} pairs of switches in one group only {} are cabled", possible_pairs / 2, local_pairs / 2));
  std::size_t cabled = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      cabled += dragonfly.routers(a).size() > 1 && dragonfly.routers(b).size() > 1 && !dragonfly.exits(a, b).empty();
  if (static_cast<double>(cabled) < kLeastDensity * static_cast<double>(num_groups * (num_groups - 1)))
    return fail(fmt::format("of {} pairs of groups only {} are cabled", num_groups * (num_groups - 1) / 2, cabled / 2));
  return {};
}

Result<Dragonfly> checked(Dragonfly dragonfly, const Graph& graph) {
  if (Status ok = check_shape(dragonfly, graph); !ok)
    return fail(fmt::format("this is not a dragonfly: {}", ok.error().message));
  return dragonfly;
}

Result<Dragonfly> detect(const Fabric& fabric, const Graph& graph) {
  IdVector<SwitchId, std::uint8_t> has_hosts(fabric.num_switches(), 0);
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).leaf != kNoSwitch && is_host(fabric.at(e))) has_hosts[fabric.at(e).leaf] = 1;
  Result<Dragonfly> routers = checked(Dragonfly(fabric, groups_of_routers(graph), Dragonfly::Kind::kRouters), graph);
  if (routers) return routers;
  const auto leaf_to_spine = [&](std::size_t i) {
    return has_hosts[graph.edges()[i].a] != has_hosts[graph.edges()[i].b];
  };
  Result<Dragonfly> plus =
      checked(Dragonfly(fabric, joined_by(graph, leaf_to_spine), Dragonfly::Kind::kLeavesAndSpines), graph);
  return plus ? std::move(plus) : std::move(routers);
}

}  // namespace

Result<Dragonfly> detect_dragonfly(const Fabric& fabric) { return detect(fabric, Graph(fabric)); }

std::shared_ptr<const DetectedGroups> groups_of(const Fabric& fabric,
                                                const std::shared_ptr<const DetectedGroups>& known) {
  return known && known->fabric == &fabric ? known : std::make_shared<const DetectedGroups>(fabric);
}

Status check_is_no_chance(const Dragonfly& dragonfly) {
  const Graph graph(dragonfly.fabric());
  Groups group(graph.size());
  for (const SwitchId s : group.ids()) group[s] = dragonfly.group(s);
  if (count(dragonfly, graph).density() < kNearlyComplete && modularity(graph, group) < modularity_by_chance(graph))
    return fail("this may be a dragonfly, or a random graph: its links are within groups no more often than by chance");
  return {};
}

Result<Dragonfly> recognize_dragonfly(const Fabric& fabric) {
  ESPALIER_TRY(Dragonfly dragonfly, detect_dragonfly(fabric));
  ESPALIER_TRY_STATUS(check_is_no_chance(dragonfly));
  return dragonfly;
}

}  // namespace espalier
