// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/cabling_pattern.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/tree/cabling/swapped_ports.h"

namespace espalier {
namespace {

using FindingKind = CablingFinding::Kind;
using Uplinks = std::map<SwitchId, std::uint32_t>;  // links by upper neighbor

constexpr std::size_t kFewestVoters = 4;
constexpr double kVoteAgreement = 0.75;  // of a cluster, for a vote to count
constexpr double kUsual = 0.9;           // of a level's clear votes, for a count to be that of the level
constexpr double kAlike = 0.5;           // common links, of the larger set, for two sets to be of one cluster

std::uint32_t total(const Uplinks& up) {
  return std::accumulate(up.begin(), up.end(), 0U,
                         [](std::uint32_t sum, const auto& item) { return sum + item.second; });
}

std::uint32_t common(const Uplinks& a, const Uplinks& b) {
  std::uint32_t sum = 0;
  for (const auto& [remote, count] : a)
    if (const auto it = b.find(remote); it != b.end()) sum += std::min(count, it->second);
  return sum;
}

bool alike(const Uplinks& a, const Uplinks& b) { return common(a, b) >= kAlike * std::max(total(a), total(b)); }

// The switches of one level with upper neighbors, by their sets of them; sets that are alike are one cluster. The most
// frequent set of a cluster decides who joins it, so that no chain of small differences joins two pods.
std::vector<std::vector<SwitchId>> clusters(const FatTree& tree, Level level, const IdVector<SwitchId, Uplinks>& up) {
  std::map<Uplinks, std::vector<SwitchId>> by_set;
  for (const SwitchId s : tree.fabric().switches())
    if (tree.level(s) == level && !up[s].empty()) by_set[up[s]].push_back(s);
  std::vector<std::pair<const Uplinks*, std::vector<SwitchId>>> sets;
  for (auto& [set, members] : by_set) sets.emplace_back(&set, std::move(members));
  std::stable_sort(sets.begin(), sets.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::vector<std::pair<const Uplinks*, std::vector<SwitchId>>> found;
  for (auto& next : sets) {
    const Uplinks& set = *next.first;
    const auto best = std::max_element(found.begin(), found.end(), [&set](const auto& a, const auto& b) {
      return common(*a.first, set) < common(*b.first, set);
    });
    if (best != found.end() && alike(*best->first, set))
      best->second.insert(best->second.end(), next.second.begin(), next.second.end());
    else
      found.push_back(std::move(next));
  }
  std::vector<std::vector<SwitchId>> result;
  for (auto& [set, members] : found)
    if (members.size() >= kFewestVoters) result.push_back(std::move(members));
  return result;
}

// What most of a cluster do; only votes that are clear.
struct Pattern {
  Uplinks links;                      // to each upper neighbor; 0 is a vote as well
  std::map<PortNum, SwitchId> habit;  // where this port goes
};

// The value that at least kVoteAgreement of `members` have.
template <class Value>
std::optional<Value> vote(const std::map<Value, std::size_t>& counts, std::size_t members) {
  for (const auto& [value, count] : counts)
    if (static_cast<double>(count) >= kVoteAgreement * static_cast<double>(members)) return value;
  return std::nullopt;
}

// Also those that no route takes because they look wrong.
template <class Visit>
void for_each_uplink(const FatTree& tree, SwitchId s, Visit visit) {
  const Fabric& fabric = tree.fabric();
  for (const PortNum p : fabric.ports(s))
    if (const Peer& peer = fabric.peer(s, p); peer.is_switch() && tree.level(peer.as_switch()) > tree.level(s))
      visit(p, peer.as_switch());
}

// How many of the members have how many links to `remote`.
std::map<std::uint32_t, std::size_t> counts_to(SwitchId remote, const std::vector<SwitchId>& members,
                                               const IdVector<SwitchId, Uplinks>& up) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const SwitchId s : members) {
    const auto it = up[s].find(remote);
    ++counts[it == up[s].end() ? 0 : it->second];
  }
  return counts;
}

// The number of links that nearly all clusters of a level have to each of their upper neighbors, where there is one.
std::optional<std::uint32_t> usual_count(const std::vector<std::vector<SwitchId>>& clusters_of_level,
                                         const IdVector<SwitchId, Uplinks>& up) {
  std::map<std::uint32_t, std::size_t> votes;
  std::size_t num_votes = 0;
  for (const std::vector<SwitchId>& members : clusters_of_level) {
    std::set<SwitchId> remotes;
    for (const SwitchId s : members)
      for (const auto& [remote, count] : up[s]) remotes.insert(remote);
    for (const SwitchId remote : remotes)
      if (const auto links = vote(counts_to(remote, members, up), members.size()); links && *links > 0) {
        ++votes[*links];
        ++num_votes;
      }
  }
  for (const auto& [links, count] : votes)
    if (static_cast<double>(count) >= kUsual * static_cast<double>(num_votes)) return links;
  return std::nullopt;
}

// In a small cluster two miswired members leave no clear vote. Half of it is enough for what the whole level does.
bool half_agree(const std::map<std::uint32_t, std::size_t>& counts, std::uint32_t links, std::size_t members) {
  const auto it = counts.find(links);
  return it != counts.end() && 2 * it->second >= members &&
         std::all_of(counts.begin(), counts.end(),
                     [&](const auto& other) { return other.first == links || other.second < it->second; });
}

Pattern pattern_of(const FatTree& tree, const std::vector<SwitchId>& members, const IdVector<SwitchId, Uplinks>& up,
                   std::optional<std::uint32_t> usual) {
  std::set<SwitchId> remotes;
  std::map<PortNum, std::map<SwitchId, std::size_t>> port_votes;
  for (const SwitchId s : members)
    for_each_uplink(tree, s, [&](PortNum port, SwitchId remote) {
      remotes.insert(remote);
      ++port_votes[port][remote];
    });
  Pattern pattern;
  for (const SwitchId remote : remotes) {
    const std::map<std::uint32_t, std::size_t> counts = counts_to(remote, members, up);
    if (const auto links = vote(counts, members.size()))
      pattern.links[remote] = *links;
    else if (usual && half_agree(counts, *usual, members.size()))
      pattern.links[remote] = *usual;
  }
  for (const auto& [port, votes] : port_votes)
    if (const auto remote = vote(votes, members.size())) pattern.habit[port] = *remote;
  return pattern;
}

// A cable that the pattern does not have, or a place in which it misses one.
struct Breaks {
  std::vector<std::pair<SwitchPort, SwitchPort>> extra;  // lower end, upper end
  std::vector<std::pair<SwitchPort, SwitchId>> missing;  // lower end with the port of habit, upper switch
};

// Of the cables to one neighbor, those whose port usually goes elsewhere come first; then higher ports.
std::vector<PortNum> least_habitual(const Pattern& pattern, SwitchId remote, std::vector<PortNum> ports) {
  const auto rank = [&](PortNum port) {
    const auto it = pattern.habit.find(port);
    return it == pattern.habit.end() ? 1 : it->second == remote ? 2 : 0;
  };
  std::sort(ports.begin(), ports.end(),
            [&](PortNum a, PortNum b) { return std::tuple(rank(a), b) < std::tuple(rank(b), a); });
  return ports;
}

void add_extra(const FatTree& tree, const Pattern& pattern, SwitchId s, Breaks& breaks) {
  std::map<SwitchId, std::vector<PortNum>> ports;
  for_each_uplink(tree, s, [&](PortNum port, SwitchId remote) { ports[remote].push_back(port); });
  for (const auto& [remote, all] : ports) {
    const auto meant = pattern.links.find(remote);
    if (meant == pattern.links.end() || all.size() <= meant->second) continue;
    const std::vector<PortNum> order = least_habitual(pattern, remote, all);
    for (std::size_t i = 0; i < all.size() - meant->second; ++i)
      breaks.extra.emplace_back(SwitchPort{s, order[i]}, SwitchPort{remote, tree.fabric().peer(s, order[i]).port});
  }
}

void add_missing(const FatTree& tree, const Pattern& pattern, SwitchId s, const Uplinks& up, Breaks& breaks) {
  for (const auto& [remote, meant] : pattern.links) {
    const auto it = up.find(remote);
    std::uint32_t short_of = meant - std::min(meant, it == up.end() ? 0 : it->second);
    if (short_of == 0) continue;
    for (const auto& [port, habit] : pattern.habit) {
      if (habit != remote || short_of == 0 || index(port) > tree.fabric().at(s).num_ports) continue;
      const Peer& peer = tree.fabric().peer(s, port);
      if (peer.is_switch() && peer.as_switch() == remote) continue;
      breaks.missing.emplace_back(SwitchPort{s, port}, remote);
      --short_of;
    }
    for (; short_of > 0; --short_of) breaks.missing.emplace_back(SwitchPort{s, kNoPort}, remote);
  }
}

// Pairs each extra cable of a switch with a place in which it is missing: the one whose habitual port it occupies,
// else the next. What is left over stays alone.
std::vector<CablingFinding> findings_of(Breaks breaks) {
  std::vector<CablingFinding> found;
  for (const auto& [at, goes_to] : breaks.extra) {
    auto place = std::find_if(breaks.missing.begin(), breaks.missing.end(),
                              [at = at](const auto& missing) { return missing.first == at; });
    if (place == breaks.missing.end())
      place = std::find_if(breaks.missing.begin(), breaks.missing.end(),
                           [at = at](const auto& missing) { return missing.first.at == at.at; });
    if (place == breaks.missing.end()) {
      found.push_back({FindingKind::kUnexpectedLink, at, goes_to, std::nullopt});
      continue;
    }
    found.push_back({FindingKind::kWrongLink, at, goes_to, SwitchPort{place->second, kNoPort}});
    breaks.missing.erase(place);
  }
  for (const auto& [at, remote] : breaks.missing)
    found.push_back({FindingKind::kMissingLink, at, std::nullopt, SwitchPort{remote, kNoPort}});
  return found;
}

// The ports of a switch that a cable can be moved to: those that cables in the wrong place leave, then those without a
// cable. In reverse, so that the next one is the last.
std::vector<PortNum> vacant_ports(const Fabric& fabric, SwitchId s, const std::vector<CablingFinding>& findings) {
  std::set<PortNum> left;
  for (const CablingFinding& finding : findings)
    if (finding.found && finding.found->at == s) left.insert(finding.found->port);
  std::vector<PortNum> ports(left.begin(), left.end());
  for (const PortNum port : fabric.ports(s))
    if (fabric.peer(s, port).kind == Peer::Kind::kNone) ports.push_back(port);
  std::reverse(ports.begin(), ports.end());
  return ports;
}

// The port at the upper end, to each finding another one; none where no port of the switch is left.
void name_upper_ports(const Fabric& fabric, std::vector<CablingFinding>& findings) {
  std::map<SwitchId, std::vector<PortNum>> vacant;
  for (const CablingFinding& finding : findings)
    if (finding.expected) vacant.try_emplace(finding.expected->at);
  for (auto& [s, ports] : vacant) ports = vacant_ports(fabric, s, findings);
  for (CablingFinding& finding : findings) {
    if (!finding.expected) continue;
    std::vector<PortNum>& ports = vacant[finding.expected->at];
    if (ports.empty()) continue;
    finding.expected->port = ports.back();
    ports.pop_back();
  }
}

}  // namespace

std::string_view name(CablingFinding::Kind kind) {
  switch (kind) {
    case FindingKind::kWrongLink:
      return "wrong link";
    case FindingKind::kMissingLink:
      return "missing link";
    case FindingKind::kUnexpectedLink:
      return "unexpected link";
  }
  return "";
}

std::vector<CablingFinding> find_pattern_breaks(const FatTree& tree) {
  IdVector<SwitchId, Uplinks> up(tree.fabric().num_switches());
  for (const SwitchId s : tree.fabric().switches())
    for_each_uplink(tree, s, [&](PortNum, SwitchId remote) { ++up[s][remote]; });
  Breaks breaks;
  for (std::size_t level = 0; level < tree.num_levels(); ++level) {
    const std::vector<std::vector<SwitchId>> of_level = clusters(tree, id_at<Level>(level), up);
    const std::optional<std::uint32_t> usual = usual_count(of_level, up);
    for (const std::vector<SwitchId>& members : of_level) {
      const Pattern pattern = pattern_of(tree, members, up, usual);
      for (const SwitchId s : members) {
        add_extra(tree, pattern, s, breaks);
        add_missing(tree, pattern, s, up[s], breaks);
      }
    }
  }
  const auto by_place = [](const CablingFinding& a, const CablingFinding& b) {
    return std::tuple(a.at.at, a.at.port) < std::tuple(b.at.at, b.at.port);
  };
  std::vector<CablingFinding> findings = findings_of(std::move(breaks));
  std::sort(findings.begin(), findings.end(), by_place);
  name_upper_ports(tree.fabric(), findings);
  const std::vector<CablingFinding> swapped = find_swapped_ports(tree);
  findings.insert(findings.end(), swapped.begin(), swapped.end());
  std::sort(findings.begin(), findings.end(), by_place);
  return findings;
}

}  // namespace espalier
