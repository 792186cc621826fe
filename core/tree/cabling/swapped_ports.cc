// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/swapped_ports.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace espalier {
namespace {

constexpr std::size_t kFewestMembers = 4;
constexpr double kAgreement = 0.75;   // of a cluster, for a habit
constexpr double kOrderliness = 0.9;  // of the ports of a cluster, that follow their habits

enum class Direction : std::uint8_t { kUp, kDown };

using Neighbors = std::map<PortNum, SwitchId>;  // by own port
using Habits = std::map<PortNum, SwitchId>;

Neighbors neighbors(const FatTree& tree, SwitchId s, Direction direction) {
  const Fabric& fabric = tree.fabric();
  Neighbors found;
  for (const PortNum p : fabric.ports(s)) {
    const Peer& peer = fabric.peer(s, p);
    if (!peer.is_switch() || tree.level(peer.as_switch()) == tree.level(s)) continue;
    const bool is_up = tree.level(peer.as_switch()) > tree.level(s);
    if (is_up == (direction == Direction::kUp)) found[p] = peer.as_switch();
  }
  return found;
}

// Switches of one level with the same neighbors, whatever the ports.
std::vector<std::vector<SwitchId>> clusters(const FatTree& tree, const IdVector<SwitchId, Neighbors>& of) {
  std::map<std::tuple<Level, std::vector<SwitchId>>, std::vector<SwitchId>> alike;
  for (const SwitchId s : tree.fabric().switches()) {
    std::vector<SwitchId> sorted;
    for (const auto& [port, neighbor] : of[s]) sorted.push_back(neighbor);
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty()) alike[{tree.level(s), std::move(sorted)}].push_back(s);
  }
  std::vector<std::vector<SwitchId>> result;
  for (auto& [key, members] : alike)
    if (members.size() >= kFewestMembers) result.push_back(std::move(members));
  return result;
}

// Empty where the cluster is not orderly.
Habits habits_of(const std::vector<SwitchId>& members, const IdVector<SwitchId, Neighbors>& of) {
  std::map<PortNum, std::map<SwitchId, std::size_t>> votes;
  std::size_t ports = 0;
  for (const SwitchId s : members)
    for (const auto& [port, neighbor] : of[s]) {
      ++votes[port][neighbor];
      ++ports;
    }
  Habits habits;
  std::size_t follow = 0;
  for (const auto& [port, counts] : votes)
    for (const auto& [neighbor, count] : counts)
      if (static_cast<double>(count) >= kAgreement * static_cast<double>(members.size())) {
        habits[port] = neighbor;
        follow += count;
      }
  const bool orderly = static_cast<double>(follow) >= kOrderliness * static_cast<double>(ports);
  return orderly ? habits : Habits{};
}

// The cable that is at port `is` of s belongs at its port `meant`. `at` of a finding is the lower end.
CablingFinding misplaced(const Fabric& fabric, SwitchId s, PortNum is, PortNum meant, Direction direction) {
  const auto far = [&](PortNum port) {
    const Peer& peer = fabric.peer(s, port);
    return SwitchPort{peer.as_switch(), peer.port};
  };
  if (direction == Direction::kUp) return {CablingFinding::Kind::kWrongLink, SwitchPort{s, meant}, far(meant), far(is)};
  return {CablingFinding::Kind::kWrongLink, far(is), SwitchPort{s, is}, SwitchPort{s, meant}};
}

void add_swaps(const Fabric& fabric, SwitchId s, const Neighbors& neighbors, const Habits& habits, Direction direction,
               std::vector<CablingFinding>& found) {
  std::multimap<SwitchId, PortNum> cable_of;  // where the cables that break a habit go
  for (const auto& [port, neighbor] : neighbors)
    if (const auto habit = habits.find(port); habit != habits.end() && habit->second != neighbor)
      cable_of.emplace(neighbor, port);
  const std::multimap<SwitchId, PortNum> broken = cable_of;
  for (const auto& [neighbor, port] : broken) {
    const auto cable = cable_of.find(habits.at(port));
    if (cable == cable_of.end()) continue;
    found.push_back(misplaced(fabric, s, cable->second, port, direction));
    cable_of.erase(cable);
  }
}

}  // namespace

std::vector<CablingFinding> find_swapped_ports(const FatTree& tree) {
  std::vector<CablingFinding> found;
  for (const Direction direction : {Direction::kUp, Direction::kDown}) {
    IdVector<SwitchId, Neighbors> of(tree.fabric().num_switches());
    for (const SwitchId s : tree.fabric().switches()) of[s] = neighbors(tree, s, direction);
    for (const std::vector<SwitchId>& members : clusters(tree, of)) {
      const Habits habits = habits_of(members, of);
      for (const SwitchId s : members) add_swaps(tree.fabric(), s, of[s], habits, direction, found);
    }
  }
  return found;
}

}  // namespace espalier
