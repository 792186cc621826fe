// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/numbered_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace espalier {
namespace {

constexpr std::size_t kMostChanged = 10;  // one in so many

// visit(e, its place) for each host, in the order of places.
template <class Visit>
void for_each_host(const FatTree& tree, Visit&& visit) {
  const Fabric& fabric = tree.fabric();
  for (const SwitchId s : fabric.switches())
    for (const EndportId e : tree.hosts(s)) visit(e, HostPlace{fabric.at(s).guid, fabric.at(e).leaf_port});
}

// Moves on to the first element of an ascending range that is not before this place; whether it is that place's.
template <class Iterator>
bool seek(Iterator& it, Iterator end, const HostPlace& place) {
  while (it != end && it->place < place) ++it;
  return it != end && it->place == place;
}

}  // namespace

std::size_t NumberedNames::learn(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  LargeVector<Named> now;  // all hosts, by what they say
  now.reserve(fabric.num_endports());
  std::size_t changed = 0;
  auto known = names_.begin();
  for_each_host(tree, [&](EndportId e, const HostPlace& place) {
    changed += seek(known, names_.end(), place) && known->name != fabric.at(e).description ? 1 : 0;
    now.push_back({place, fabric.at(e).description});
  });
  if (names_.empty() || changed * kMostChanged > now.size()) {
    names_ = std::move(now);
    return changed;
  }
  LargeVector<Named> all;
  std::ranges::set_union(names_, now, std::back_inserter(all), {}, &Named::place, &Named::place);
  names_ = std::move(all);
  return 0;
}

EndportNames NumberedNames::names(const FatTree& tree) const {
  EndportNames names = descriptions(tree.fabric());
  auto known = names_.begin();
  for_each_host(tree, [&](EndportId e, const HostPlace& place) {
    if (seek(known, names_.end(), place)) names[e] = known->name;
  });
  return names;
}

}  // namespace espalier
