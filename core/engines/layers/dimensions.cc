// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/dimensions.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/disjoint_sets.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNoDimension = 0xFFFFFFFF, kNoHop = 0xFFFFFFFF;
constexpr double kOnMostSwitches = 0.75;  // have links in a dimension, also where some are missing
constexpr double kMostInOne = 0.9;        // are in one
constexpr std::size_t kFewSwitches = 8;   // one of so many may have lost most of its links

class Squares {
 public:
  Squares(const SwitchGraph& graph, DisjointSets& sets)
      : graph_(graph), sets_(sets), near_(graph.num_switches(), kNoHop) {}

  // Joins what belongs to one dimension because of the links of s. False where these all do.
  bool join_at(SwitchId s) {
    const std::span<const Hop> hops = join_seen_at(s);
    bool several = false;
    for (std::size_t a = 0; a < hops.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        if (corners_[a * hops.size() + b] != 1) join(hops[a].channel, hops[b].channel);
      several = several || set_of(hops[a].channel) != set_of(hops[0].channel);
    }
    return several;
  }

  // The same where links may be missing: only what is seen, so that nothing is joined across dimensions. False where few
  // are the corner of one square, or all are in one dimension.
  bool join_some_at(SwitchId s) {
    const std::span<const Hop> hops = join_seen_at(s);
    bool several = false;
    cornered_.assign(hops.size(), 0);
    for (std::size_t a = 0; a < hops.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        if (corners_[a * hops.size() + b] == 1) cornered_[a] = cornered_[b] = 1;
      several = several || set_of(hops[a].channel) != set_of(hops[0].channel);
    }
    const auto corners = static_cast<std::size_t>(std::count(cornered_.begin(), cornered_.end(), 1));
    return several && 2 * corners >= hops.size();
  }

 private:
  std::span<const Hop> join_seen_at(SwitchId s) {
    const std::span<const Hop> hops = graph_.out(s);
    for (std::uint32_t a = 0; a < hops.size(); ++a) near_[index(hops[a].far)] = a;
    find_corners(s, hops);
    for (const Hop& hop : hops) near_[index(hop.far)] = kNoHop;
    return hops;
  }

  // Two hops from s over its hop `first`.
  struct Path {
    SwitchId to;
    std::uint32_t first;
    ChannelId second;
  };

  // For each pair of hops of how many squares they are the corner; joins opposite sides where it is one.
  void find_corners(SwitchId s, std::span<const Hop> hops) {
    paths_.clear();
    for (std::uint32_t a = 0; a < hops.size(); ++a)
      for (const Hop& hop : graph_.out(hops[a].far))
        if (hop.far != s && near_[index(hop.far)] == kNoHop) paths_.push_back({hop.far, a, hop.channel});
    const auto ends = [](const Path& path) { return std::tuple(path.to, path.first); };
    std::sort(paths_.begin(), paths_.end(), [&](const Path& a, const Path& b) { return ends(a) < ends(b); });
    // Parallel links make no further squares.
    paths_.erase(
        std::unique(paths_.begin(), paths_.end(), [&](const Path& a, const Path& b) { return ends(a) == ends(b); }),
        paths_.end());
    corners_.assign(hops.size() * hops.size(), 0);
    const auto for_each_square = [&](auto visit) {
      for (std::size_t i = 0; i < paths_.size(); ++i)
        for (std::size_t j = i; j-- > 0 && paths_[j].to == paths_[i].to;)
          if (hops[paths_[i].first].far != hops[paths_[j].first].far) visit(paths_[i], paths_[j]);
    };
    const auto corner = [&](const Path& a, const Path& b) -> std::uint32_t& {
      return corners_[a.first * hops.size() + b.first];
    };
    for_each_square([&](const Path& a, const Path& b) { ++corner(a, b); });
    // Two neighbors that are neighbors of one another make a triangle.
    for (std::uint32_t a = 0; a < hops.size(); ++a)
      for (const Hop& hop : graph_.out(hops[a].far))
        if (hop.far != s && near_[index(hop.far)] != kNoHop) join(hops[a].channel, hops[near_[index(hop.far)]].channel);
    for_each_square([&](const Path& a, const Path& b) {
      if (corner(a, b) != 1) return;
      join(hops[a.first].channel, b.second);
      join(hops[b.first].channel, a.second);
    });
  }

  void join(ChannelId a, ChannelId b) { sets_.join(index(a), index(b)); }
  [[nodiscard]] std::size_t set_of(ChannelId c) const { return sets_.representative(index(c)); }

  const SwitchGraph& graph_;
  DisjointSets& sets_;
  std::vector<std::uint32_t> near_;  // per switch: which hop of s leads there, one of them
  std::vector<Path> paths_;
  std::vector<std::uint32_t> corners_;
  std::vector<std::uint8_t> cornered_;  // per hop of s: whether it is part of such a corner
};

// The two channels of each link.
void join_directions(const SwitchGraph& graph, DisjointSets& sets) {
  const Fabric& fabric = graph.fabric();
  for (const SwitchId s : fabric.switches())
    for (const Hop& hop : graph.out(s))
      sets.join(index(hop.channel), index(fabric.channel(hop.far, fabric.peer(hop.channel).port)));
}

}  // namespace

Dimensions::Dimensions(const SwitchGraph& graph) : of_(graph.fabric().num_channels()) {
  const Fabric& fabric = graph.fabric();
  DisjointSets sets(fabric.num_channels());
  join_directions(graph, sets);
  Squares squares(graph, sets);
  for (const SwitchId s : fabric.switches())
    if (!squares.join_at(s)) return;
  // Each switch of a product has links in all dimensions.
  const std::vector<std::uint32_t> numbers = sets.numbers();
  std::vector<std::uint32_t> dimension(numbers.size(), kNoDimension);  // per set
  std::uint32_t count = 0;
  for (const SwitchId s : fabric.switches()) {
    std::vector<std::uint8_t> here(count);
    for (const Hop& hop : graph.out(s)) {
      std::uint32_t& d = dimension[numbers[index(hop.channel)]];
      if (d == kNoDimension && s == SwitchId{}) {
        d = count++;
        here.push_back(0);
      }
      if (d == kNoDimension) return;
      here[d] = 1;
    }
    if (std::count(here.begin(), here.end(), 1) != static_cast<std::ptrdiff_t>(count)) return;
  }
  count_ = std::max(1U, count);
  for (const SwitchId s : fabric.switches())
    for (const Hop& hop : graph.out(s)) of_[index(hop.channel)] = dimension[numbers[index(hop.channel)]];
}

Dimensions Dimensions::of_damaged(const SwitchGraph& graph) {
  const Fabric& fabric = graph.fabric();
  Dimensions dimensions;
  DisjointSets sets(fabric.num_channels());
  join_directions(graph, sets);
  Squares squares(graph, sets);
  std::size_t others = 0;
  for (const SwitchId s : fabric.switches())
    if (!squares.join_some_at(s) && ++others > 1 + index(s) / kFewSwitches) return dimensions;
  const std::vector<std::uint32_t> numbers = sets.numbers();
  std::vector<std::size_t> switches(numbers.size()), channels(numbers.size());  // per set
  std::vector<SwitchId> last(numbers.size(), kNoSwitch);
  for (const SwitchId s : fabric.switches())
    for (const Hop& hop : graph.out(s)) {
      const std::uint32_t set = numbers[index(hop.channel)];
      ++channels[set];
      if (std::exchange(last[set], s) != s) ++switches[set];
    }
  std::vector<std::uint32_t> dimension(numbers.size(), kNoDimension);
  std::uint32_t count = 0;
  std::size_t in_one = 0;
  for (std::size_t set = 0; set < numbers.size(); ++set) {
    if (static_cast<double>(switches[set]) < kOnMostSwitches * static_cast<double>(graph.num_switches())) continue;
    dimension[set] = count++;
    in_one += channels[set];
  }
  if (count < 2 || static_cast<double>(in_one) < kMostInOne * static_cast<double>(graph.num_channels()))
    return dimensions;
  dimensions.count_ = count;
  dimensions.of_.resize(fabric.num_channels());
  for (const SwitchId s : fabric.switches())
    for (const Hop& hop : graph.out(s))
      dimensions.of_[index(hop.channel)] = std::min(count, dimension[numbers[index(hop.channel)]]);
  return dimensions;
}

void Dimensions::sort(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (std::uint32_t& d : of_) d = d < place.size() ? place[d] : d;
}

}  // namespace espalier
