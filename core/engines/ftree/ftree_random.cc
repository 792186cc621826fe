// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/ftree/ftree_random.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/engines/ftree/coalescing_tree.h"
#include "core/engines/modulo/random_choice.h"

namespace espalier {
namespace {

class RandomOrderOfLinks {
 public:
  explicit RandomOrderOfLinks(const FatTree& tree) : tree_(tree) {}

  void start(std::uint64_t key) { key_ = key; }
  void up(SwitchId s, std::vector<LinkChoice>& out) { shuffled(s, tree_.up_groups(s), out); }
  void down(SwitchId a, std::vector<LinkChoice>& out) { shuffled(a, tree_.down_groups(a), out); }
  void went_up(const PortGroup&, std::size_t, std::size_t) {}
  void went_down(const PortGroup&, std::size_t) {}

 private:
  // A group stands where the first of its links would.
  void shuffled(SwitchId s, std::span<const PortGroup> groups, std::vector<LinkChoice>& out) {
    const std::uint64_t at_switch = mix(key_, static_cast<std::uint64_t>(tree_.fabric().at(s).guid));
    drawn_.clear();
    for (const PortGroup& g : groups) {
      Drawn first{~std::uint64_t{0}, {&g, tree_.ports(g)[0]}};
      for (const PortNum port : tree_.ports(g))
        if (const std::uint64_t draw = mix(at_switch, index(port)); draw <= first.draw) first = {draw, {&g, port}};
      drawn_.push_back(first);
    }
    std::sort(drawn_.begin(), drawn_.end(), [](const Drawn& a, const Drawn& b) { return a.draw < b.draw; });
    for (const Drawn& d : drawn_) out.push_back(d.choice);
  }

  struct Drawn {
    std::uint64_t draw;
    LinkChoice choice;
  };
  const FatTree& tree_;
  std::uint64_t key_ = 0;  // of the destination at hand
  std::vector<Drawn> drawn_;
};

}  // namespace

ForwardingTables ftree_random(const RoutingProblem& problem, std::uint64_t seed) {
  const std::vector<Destination> destinations = destinations_in_order(problem);
  ForwardingTables tables(problem.fabric.num_switches(), problem.fabric.top_lid());
  constexpr std::size_t kAtOnce = 512;  // a grower looks at all switches before it grows the first tree
  parallel_blocks(destinations.size(), kAtOnce, [&](std::size_t begin, std::size_t end) {
    RandomOrderOfLinks chooser(problem.tree);
    CoalescingTree grower(problem, chooser);
    for (std::size_t i = begin; i < end; ++i) {
      chooser.start(mix(seed, identity(problem.fabric, destinations[i].lid)));
      grower.grow(destinations[i], tables);
    }
  });
  return tables;
}

}  // namespace espalier
