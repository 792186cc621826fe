// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/lanes/escape_tree.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/fabric/connectivity/connected_components.h"

namespace espalier {
namespace {

// Vertices that searches for trees may come to; one of 256 switches with eight links each takes 10 000 to 90 000.
constexpr std::uint64_t kMostVisitedForTrees = std::uint64_t{1} << 22;
// What is made way for: links, one after the other; and switches that the tree has not reached, as a share of all.
constexpr std::size_t kMostWays = 8;
constexpr std::size_t kMostMissing = 4;

}  // namespace

EscapeTree::EscapeTree(LaneRouting& routing, SwitchId root, std::uint8_t sl)
    : routing_(routing),
      fabric_(routing.fabric()),
      sl_(sl),
      lanes_(fabric_.num_channels(), 0),
      component_(connected_components(fabric_)),
      is_member_(fabric_.num_switches(), 0) {
  std::vector<std::uint8_t> is_begun(fabric_.num_switches(), 0);  // per component
  for (const SwitchId s : fabric_.switches()) {
    if (std::exchange(is_begun[component_[s]], std::uint8_t{1}) != 0) continue;
    plant(component_[s] == component_[root] ? root : s);
    grow();
  }
}

void EscapeTree::plant(SwitchId s) {
  is_member_[index(s)] = 1;
  members_.push_back(s);
}

void EscapeTree::grow() {
  for (std::size_t before = 0; before < members_.size();) {
    before = members_.size();
    for (std::size_t i = 0; i < members_.size(); ++i)
      for_each_way_out(members_[i], [&](const Link& link) { static_cast<void>(join(link)); });
  }
}

bool EscapeTree::join(const Link& link) {
  const std::size_t mark = routing_.num_added();
  changed_.clear();
  if (!allow_turns(link)) {
    routing_.take_back(mark);
    for (; !changed_.empty(); changed_.pop_back()) lanes_[index(changed_.back().first)] = changed_.back().second;
    return false;
  }
  links_.push_back(link);
  if (const SwitchId end = fabric_.peer(link.from, link.port).as_switch(); is_member_[index(end)] == 0) plant(end);
  return true;
}

// Those between this link and the tree's others at the switch where it begins.
bool EscapeTree::allow_turns(const Link& link) {
  const Peer& end = fabric_.peer(link.from, link.port);
  const ChannelId out = fabric_.channel(link.from, link.port);
  const ChannelId back = fabric_.channel(end.as_switch(), end.port);
  if (!enter_from_hosts(out) || !enter_from_hosts(back)) return false;
  for (const PortNum port : fabric_.ports(link.from)) {
    const ChannelId other = fabric_.channel(link.from, port);
    if (port == link.port || !is_on_tree(other)) continue;
    const Peer& before = fabric_.peer(link.from, port);
    if (!turn(fabric_.channel(before.as_switch(), before.port), out) || !turn(back, other)) return false;
  }
  return true;
}

// What is sent where the channel begins.
bool EscapeTree::enter_from_hosts(ChannelId channel) {
  const SwitchId s = fabric_.source(channel);
  const LanesNow& lanes = routing_.lanes();
  const auto& sources = lanes.sources(s);
  return std::all_of(sources.begin(), sources.end(), [&](const LaneSource& source) {
    return enter(channel, lanes.vl(s, source.in, fabric_.port(channel), sl_));
  });
}

// From all lanes of a channel into the next one.
bool EscapeTree::turn(ChannelId from, ChannelId to) {
  const Peer& at = fabric_.peer(from);
  const std::uint8_t next_vl = routing_.lanes().vl(at.as_switch(), at.port, fabric_.port(to), sl_);
  if (!enter(to, next_vl)) return false;
  for (std::uint8_t vl = 0; vl < routing_.num_vls(); ++vl)
    if ((lanes_[index(from)] >> vl & 1U) != 0 && !allow(from, vl, to, next_vl)) return false;
  return true;
}

// Allows what is on this lane of a channel to go on by all links of the tree.
bool EscapeTree::enter(ChannelId channel, std::uint8_t vl) {
  if (vl >= routing_.num_vls()) return false;
  std::uint16_t& lanes = lanes_[index(channel)];
  if ((lanes >> vl & 1U) != 0) return true;
  changed_.emplace_back(channel, lanes);
  lanes = static_cast<std::uint16_t>(lanes | 1U << vl);
  const Peer& at = fabric_.peer(channel);
  for (const PortNum port : fabric_.ports(at.as_switch())) {
    const ChannelId next = fabric_.channel(at.as_switch(), port);
    if (port == at.port || !is_on_tree(next)) continue;
    if (!allow(channel, vl, next, routing_.lanes().vl(at.as_switch(), at.port, port, sl_))) return false;
  }
  return true;
}

bool EscapeTree::allow(ChannelId from, std::uint8_t vl, ChannelId to, std::uint8_t next_vl) {
  return next_vl < routing_.num_vls() && routing_.num_visited_by_steps() <= kMostVisitedForTrees &&
         routing_.admit_step(from, vl, to, next_vl);
}

std::vector<PortNum> EscapeTree::toward(SwitchId t) const {
  std::vector<PortNum> ports(fabric_.num_switches(), kNoPort);
  // Toward the root, whose links come first; then the way from there to t the other way round.
  for (const Link& link : links_) {
    const Peer& end = fabric_.peer(link.from, link.port);
    if (component_[link.from] == component_[t]) ports[end.id] = end.port;
  }
  PortNum turned = kNoPort;
  for (SwitchId at = t;;) {
    const PortNum up = std::exchange(ports[index(at)], turned);
    if (up == kNoPort) return ports;
    const Peer& above = fabric_.peer(at, up);
    turned = above.port;
    at = above.as_switch();
  }
}

// Whether something is sent on the tree's level at s, or behind it; where SL2VL tables tell ports apart, on any.
bool EscapeTree::is_used(SwitchId s, Lid lid) const {
  const LanesNow& lanes = routing_.lanes();
  std::vector<SwitchId> behind;
  routing_.collect_behind(s, lid, behind);
  return std::any_of(behind.begin(), behind.end(), [&](SwitchId from) {
    const auto& sources = lanes.sources(from);
    return std::any_of(sources.begin(), sources.end(), [&](const LaneSource& source) {
      return lanes.tells_ports_apart() || lanes.sl(source, lid) == sl_;
    });
  });
}

// Entries of routes that turn at the far end of this link, from it or into it. Where none does, its turns close no cycle.
std::vector<EscapeTree::Entry> EscapeTree::in_the_way(const Link& link) const {
  std::vector<Entry> found;
  const Peer& end = fabric_.peer(link.from, link.port);
  const SwitchId x = end.as_switch();
  for (std::size_t i = 1; i <= index(fabric_.top_lid()); ++i) {
    const Lid lid = id_at<Lid>(i);
    const SwitchId t = fabric_.destination_switch(lid);
    if (t == kNoSwitch || t == x || !routing_.alike().is_first(lid)) continue;
    if (routing_.entry(link.from, lid) == link.port && is_used(link.from, lid)) found.push_back({link.from, lid});
    if (routing_.entry(x, lid) != end.port) continue;
    for (const PortNum p : fabric_.ports(x)) {
      const Peer& before = fabric_.peer(x, p);
      if (!before.is_switch() || before.as_switch() == t) continue;
      if (routing_.entry(before.as_switch(), lid) == before.port && is_used(before.as_switch(), lid))
        found.push_back({before.as_switch(), lid});
    }
  }
  return found;
}

bool EscapeTree::make_way() {
  if (is_member_.size() - members_.size() > is_member_.size() / kMostMissing) return false;
  for (std::size_t ways = 0; !is_whole(); ++ways) {
    if (ways == kMostWays) return false;
    std::optional<Link> best;
    std::vector<Entry> least;
    for (const SwitchId s : members_)
      for_each_way_out(s, [&](const Link& link) {
        std::vector<Entry> entries = in_the_way(link);
        if (best && entries.size() >= least.size()) return;
        best = link;
        least = std::move(entries);
      });
    if (!best) return false;
    for (const Entry& entry : least) routing_.set_all_alike(entry.at, entry.lid, kNoPort);
    routing_.forget_lost_routes();
    if (!rejoin() || !join(*best)) return false;
    grow();
  }
  return true;
}

// Allows again what has been forgotten.
bool EscapeTree::rejoin() {
  std::fill(lanes_.begin(), lanes_.end(), std::uint16_t{0});
  const std::vector<Link> links = std::exchange(links_, {});
  return std::all_of(links.begin(), links.end(), [this](const Link& link) { return join(link); });
}

}  // namespace espalier
