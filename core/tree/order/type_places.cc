// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/type_places.h"

#include <algorithm>

#include "core/base/check.h"

namespace espalier {

TypePlaces::TypePlaces(const Fabric& fabric, const NodeOrder& order, const NodeTypes& types) {
  const bool all_alike = types.of_endport.empty();
  check(all_alike || types.of_endport.size() == fabric.num_endports(), "TypePlaces: one type per end port");
  num_types = all_alike ? 1 : types.types.size();

  // Per leaf and type: the hosts, in topological order.
  std::vector<std::vector<std::vector<EndportId>>> hosts;
  for (const EndportId e : order.hosts) {
    if (leaves.empty() || fabric.at(e).leaf != leaves.back().id) {
      leaves.push_back({fabric.at(e).leaf, 0, {}});
      hosts.emplace_back(num_types);
    }
    hosts.back()[all_alike ? 0 : index(types.of_endport[e])].push_back(e);
  }

  std::vector<std::size_t> room;  // per leaf: hosts that are missing there, compared with the fullest leaf
  for (const auto& of_leaf : hosts) {
    room.push_back(0);
    for (const auto& of_type : of_leaf) room.back() += of_type.size();
  }
  const std::size_t most = room.empty() ? 0 : *std::max_element(room.begin(), room.end());
  for (std::size_t& r : room) r = most - r;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    leaves[leaf].first_id = static_cast<std::uint32_t>(leaf * most);

  for (std::uint32_t type = 0; type < num_types; ++type) {
    std::size_t fullest = 0;
    std::size_t total = 0;
    for (const auto& of_leaf : hosts) {
      fullest = std::max(fullest, of_leaf[type].size());
      total += of_leaf[type].size();
    }
    const std::uint32_t weight = all_alike ? 1 : types.types[id_at<NodeTypeId>(type)].weight;
    const bool is_regular = total * 4 >= leaves.size() * fullest * 3;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      std::vector<Place>& places = leaves[leaf].places;
      for (const EndportId e : hosts[leaf][type]) places.push_back({e, type, weight});
      const std::size_t empty = is_regular ? std::min(fullest - hosts[leaf][type].size(), room[leaf]) : 0;
      places.insert(places.end(), empty, {kNoEndport, type, weight});
      room[leaf] -= empty;
    }
  }
}

}  // namespace espalier
