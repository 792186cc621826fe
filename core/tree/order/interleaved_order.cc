// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/interleaved_order.h"

#include <algorithm>

#include "core/tree/components.h"
#include "core/tree/dividers.h"
#include "core/tree/order/type_places.h"

namespace espalier {
namespace {

// The leaves of one pod, as indices into TypePlaces::leaves.
using Pod = std::vector<std::size_t>;

// Of the pods that the switches below a level form.
std::vector<Pod> leaves_by_pod(const FatTree& tree, const TypePlaces& places, std::size_t level) {
  const auto pod_of = components(tree, [&](SwitchId s) { return index(tree.level(s)) < level; });
  std::vector<std::size_t> number(pod_of.size(), ~std::size_t{0});
  std::vector<Pod> all;
  for (std::size_t leaf = 0; leaf < places.leaves.size(); ++leaf) {
    std::size_t& pod = number[pod_of[places.leaves[leaf].id]];
    if (pod == ~std::size_t{0}) {
      pod = all.size();
      all.emplace_back();
    }
    all[pod].push_back(leaf);
  }
  return all;
}

// All places of a pod, the types evenly mixed: place i of n of its type stands at (2i + 1) / 2n.
std::vector<TypePlaces::Place> mix_types(const TypePlaces& places, const Pod& pod) {
  std::vector<std::vector<TypePlaces::Place>> of_type(places.num_types);
  for (const std::size_t leaf : pod)
    for (const TypePlaces::Place& place : places.leaves[leaf].places) of_type[place.type].push_back(place);
  struct Positioned {
    std::uint64_t above, below;  // of the fraction
    TypePlaces::Place place;
  };
  std::vector<Positioned> mixed;
  for (const auto& members : of_type)
    for (std::size_t i = 0; i < members.size(); ++i) mixed.push_back({2 * i + 1, members.size(), members[i]});
  std::stable_sort(mixed.begin(), mixed.end(),
                   [](const Positioned& a, const Positioned& b) { return a.above * b.below < b.above * a.below; });
  std::vector<TypePlaces::Place> result;
  for (const Positioned& p : mixed) result.push_back(p.place);
  return result;
}

// How the S slots of one level are shared out.
struct Slots {
  std::uint64_t pieces;  // G
  std::uint64_t width;   // S / G
  std::uint64_t below;   // slots of the level below
  [[nodiscard]] std::uint64_t count() const { return pieces * width; }
  // By how many slots the dealing in piece g is turned.
  [[nodiscard]] std::uint64_t turn(std::uint64_t g) const { return g * width / below; }
};

struct Dealt {
  EndportId host;
  std::uint64_t slot;
  std::uint64_t round;  // how many of this slot came before in this pod
};

std::vector<Dealt> deal(const TypePlaces& places, const Pod& pod, const Slots& slots) {
  const std::vector<TypePlaces::Place> mixed = mix_types(places, pod);
  std::uint64_t total = 0;
  for (const TypePlaces::Place& place : mixed) total += place.weight;

  std::vector<Dealt> dealt;
  std::vector<TypePlaces::Place> piece;
  std::vector<std::uint64_t> weight;
  std::vector<std::uint64_t> rounds;
  std::uint64_t before = 0;
  std::size_t next = 0;
  for (std::uint64_t g = 0; g < slots.pieces; ++g) {
    piece.clear();
    for (; next < mixed.size() && before * slots.pieces / total == g; ++next) {
      piece.push_back(mixed[next]);
      before += mixed[next].weight;
    }
    std::stable_sort(piece.begin(), piece.end(), [](const auto& a, const auto& b) {
      return a.weight != b.weight ? a.weight > b.weight
                                  : a.type < b.type;  // what is heavy first: the rest evens it out
    });
    weight.assign(slots.width, 0);
    rounds.assign(slots.width, 0);
    for (const TypePlaces::Place& place : piece) {
      const auto lightest = static_cast<std::uint64_t>(std::min_element(weight.begin(), weight.end()) - weight.begin());
      weight[lightest] += place.weight;
      const std::uint64_t round = rounds[lightest]++;
      if (place.host != kNoEndport)
        dealt.push_back({place.host, g * slots.width + (lightest + slots.turn(g)) % slots.width, round});
    }
  }
  return dealt;
}

std::uint64_t slots_of_level(const FatTree& tree, const IdVector<SwitchId, std::uint32_t>& divider, std::size_t level) {
  std::uint64_t slots = 1;
  for (const SwitchId s : tree.fabric().switches())
    if (index(tree.level(s)) == level) slots = std::max<std::uint64_t>(slots, divider[s]);
  return slots;
}

// The order for paths that turn at `level`, and per leaf how far the dealing is turned there.
NodeOrder deal_all(const TypePlaces& places, const std::vector<Pod>& all, const NodeOrder& order, const Slots& slots,
                   std::vector<std::uint64_t>& turns) {
  std::vector<std::vector<Dealt>> dealt;
  std::uint64_t rounds = 1;
  for (const Pod& pod : all) {
    dealt.push_back(deal(places, pod, slots));
    for (const Dealt& d : dealt.back()) rounds = std::max(rounds, d.round + 1);
    for (std::size_t i = 0; i < pod.size(); ++i) turns[pod[i]] = slots.turn(i * slots.pieces / pod.size());
  }
  NodeOrder result = order;
  const std::uint64_t most = (std::uint64_t{1} << 31) / slots.count();
  for (std::size_t number = 0; number < dealt.size(); ++number)
    for (const Dealt& d : dealt[number])
      result.of_endport[d.host] =
          static_cast<std::uint32_t>((number * rounds + d.round) % most * slots.count() + d.slot);
  return result;
}

// Topological ids, but on each leaf type by type, and turned as on the next level above that is dealt.
NodeOrder on_leaves(const TypePlaces& places, const NodeOrder& order, const std::vector<std::uint64_t>& turns) {
  NodeOrder result = order;
  for (std::size_t leaf = 0; leaf < places.leaves.size(); ++leaf)
    for (std::size_t p = 0; p < places.leaves[leaf].places.size(); ++p)
      if (const EndportId host = places.leaves[leaf].places[p].host; host != kNoEndport)
        result.of_endport[host] = places.leaves[leaf].first_id + static_cast<std::uint32_t>(p + turns[leaf]);
  return result;
}

}  // namespace

std::vector<SlottedOrder> interleaved_orders(const FatTree& tree, const NodeOrder& order, const NodeTypes& types) {
  const TypePlaces places(tree.fabric(), order, types);
  const auto divider = dividers(tree);
  std::vector<SlottedOrder> orders;
  for (std::size_t level = 0; level < tree.num_levels(); ++level) {
    const auto slots = static_cast<std::uint32_t>(slots_of_level(tree, divider, level));
    orders.push_back({order, slots, slots});
  }
  std::vector<std::uint64_t> turns(places.leaves.size(), 0);
  bool is_dealt_above = false;
  for (std::size_t level = tree.num_levels(); level-- > 1;) {
    const std::uint64_t count = orders[level].slots;
    const std::vector<Pod> all = leaves_by_pod(tree, places, level);
    std::size_t most_hosts = 0;
    std::size_t most_leaves = 0;
    for (const Pod& pod : all) {
      std::size_t hosts = 0;
      for (const std::size_t leaf : pod) hosts += places.leaves[leaf].places.size();
      most_hosts = std::max(most_hosts, hosts);
      most_leaves = std::max(most_leaves, pod.size());
    }
    if (most_hosts > count) {
      std::uint64_t pieces = std::min<std::uint64_t>(most_leaves, count);
      while (count % pieces != 0) --pieces;
      const Slots slots{pieces, count / pieces, orders[level - 1].slots};
      orders[level].ids = deal_all(places, all, order, slots, turns);
      orders[level].width = static_cast<std::uint32_t>(slots.width);
      is_dealt_above = true;
    } else if (is_dealt_above) {
      orders[level].ids = on_leaves(places, order, turns);
    }
  }
  return orders;
}

}  // namespace espalier
