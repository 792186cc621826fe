// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/lanes/lane_routing.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/parallel.h"
#include "core/fabric/endport_role.h"
#include "core/repair/reference/surviving_rows.h"

namespace espalier {
LaneRouting::LaneRouting(const PreparedLanes& prepared, const Survivors& alive, const Fabric& now)
    : LaneRouting(prepared, alive, now, surviving_tables(prepared.reference(), alive, now)) {}

LaneRouting::LaneRouting(const PreparedLanes& prepared, const Survivors& alive, const Fabric& now,
                         ForwardingTables tables)
    : prepared_(prepared),
      alive_(alive),
      now_(now),
      alike_(prepared.first_alike(), prepared.fabric(), alive, now),
      lanes_(prepared.lanes(), alike_, alive, now),
      tables_(std::move(tables)),
      order_(prepared.dependencies()),
      num_vls_(prepared.lanes().num_vls()),
      vertices_(prepared.fabric(), now, alive.before, num_vls_),
      tails_(now.num_switches()),
      hosts_(count_hosts(now)) {
  order_.grow(vertices_.num_new());
  refused_.resize(prepared.fabric().num_channels() * num_vls_ + vertices_.num_new());
  drop_lost_entries();
  place_loads();
}

ForwardingTables LaneRouting::give_back() {
  for (; !changes_.empty(); changes_.pop_back())
    tables_.set(changes_.back().at, changes_.back().lid, changes_.back().was);
  return std::move(tables_);
}

void LaneRouting::hold_column(Lid lid) {
  column_.resize(now_.num_switches());
  for (const SwitchId s : now_.switches()) column_[index(s)] = tables_.at(s, lid);
  held_ = lid;
}

void LaneRouting::forget_lost_routes() {
  const ChannelDependencies graph(now_, tables_, LanesNow(lanes_).take());
  auto left = in_order(graph, num_vls_);
  check(left.has_value(), "LaneRouting: routes of a sound reference close a cycle");
  num_steps_ += kStepsPerVisit * order_.num_visited();
  order_ = *std::move(left);
  vertices_ = VirtualChannelNumbers(now_, num_vls_);
  added_.clear();
  num_visited_by_steps_ = 0;
  refused_.assign(now_.num_channels() * num_vls_, {});
}

void LaneRouting::drop_lost_entries() {
  const Fabric& before = prepared_.fabric();
  const std::size_t num_lids = index(now_.top_lid()) + 1;
  parallel_for(now_.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    const SwitchId was = alive_.before[s];
    if (was == kNoSwitch) return;
    // What a port led to: gone, or something else is there. Packets for who is gone may come back from that.
    std::array<std::uint8_t, 256> is_lost{}, leads_astray{};
    bool is_whole = true;
    for (std::size_t p = 0; p <= now_.at(s).num_ports; ++p) {
      const PortNum port = id_at<PortNum>(p);
      const Peer& old_peer = before.peer(was, port);
      if (old_peer.kind == Peer::Kind::kNone || alive_.channel[before.channel(was, port)] != 0) continue;
      is_lost[p] = old_peer.is_switch() ? 1 : 0;
      leads_astray[p] = now_.peer(s, port).is_switch() ? 1 : 0;
      is_whole = is_whole && is_lost[p] == 0 && leads_astray[p] == 0;
    }
    if (is_whole) return;
    const auto row = tables_.row(s);
    for (std::size_t lid = 1; lid < num_lids; ++lid)
      if (leads_astray[index(row[lid])] != 0 || (is_lost[index(row[lid])] != 0 && now_.is_in_use(id_at<Lid>(lid))))
        row[lid] = kNoPort;
  });
}

void LaneRouting::place_loads() {
  const Fabric& before = prepared_.fabric();
  double sum = 0, fullest = 0;
  std::size_t count = 0, left = 0;
  for (const ChannelId c : IdRange<ChannelId>(before.num_channels())) {
    const double load = prepared_.loads()[index(c)];
    if (load == 0) continue;
    sum += load;
    fullest = std::max(fullest, load);
    ++count;
    left += alive_.channel[c] != 0 ? 1 : 0;
  }
  unit_ = sum > 0 ? static_cast<double>(count) / sum : 1;
  expected_fullest_ = left > 0 ? fullest * unit_ * static_cast<double>(count) / static_cast<double>(left) : 0;
  load_.assign(now_.num_channels(), 0);
  for (const SwitchId s : now_.switches()) {
    const SwitchId was = alive_.before[s];
    if (was == kNoSwitch) continue;
    for (const PortNum p : now_.ports(s)) {
      const ChannelId channel = before.channel(was, p);
      // A port whose cable leads elsewhere now carries nothing yet.
      if (alive_.channel[channel] != 0) load_[index(now_.channel(s, p))] = prepared_.loads()[index(channel)] * unit_;
    }
  }
}

double LaneRouting::price(ChannelId c, double flows) const {
  // Loads to the eighth power: the fullest channels count, and a long path over empty ones is not free.
  const auto cost = [](double load) {
    const double square = load * load;
    return square * square * square * square;
  };
  const double now = std::max(0.0, load(c));
  return cost(now + std::max(1.0, flows) * unit_) - cost(now);
}

void LaneRouting::leave_old_path(SwitchId s, Lid lid, double flows) {
  const Fabric& before = prepared_.fabric();
  const ForwardingTables& tables = prepared_.reference().tables;
  const Lid was = lanes_.before(lid);
  if (alive_.before[s] == kNoSwitch || was == kNoLid) return;
  const SwitchId t = before.destination_switch(was);
  if (t == kNoSwitch) return;
  for (SwitchId at = alive_.before[s]; at != t;) {
    const PortNum port = tables.at(at, was);
    if (port == kNoPort) return;
    if (alive_.channel[before.channel(at, port)] != 0) add_load(now_.channel(alive_.now[at], port), -flows);
    at = before.peer(at, port).as_switch();
  }
}

void LaneRouting::collect_behind(SwitchId s, Lid lid, std::vector<SwitchId>& behind) const {
  behind.assign(1, s);
  for (std::size_t i = 0; i < behind.size(); ++i)
    for (const PortNum p : now_.ports(behind[i])) {
      const Peer& peer = now_.peer(behind[i], p);
      if (peer.is_switch() && entry(peer.as_switch(), lid) == peer.port) behind.push_back(peer.as_switch());
    }
}

bool LaneRouting::add(Vertex from, Vertex to, Adds adds) {
  if (adds == Adds::kWhatAgrees && !order_.ascends(from, to)) return false;
  if (order_.has(from, to)) return true;
  if (is_refused(from, to)) return false;
  if (!may_search() && !order_.ascends(from, to)) return false;
  if (order_.add(from, to)) {
    added_.emplace_back(from, to);
    return true;
  }
  refused_[from].push_back(to);
  return false;
}

bool LaneRouting::is_refused(Vertex from, Vertex to) const {
  const std::vector<Vertex>& refused = refused_[from];
  return std::find(refused.begin(), refused.end(), to) != refused.end();
}

bool LaneRouting::admit(SwitchId s, SwitchId t, Lid lid, PortNum in, std::uint8_t sl, Adds adds) {
  std::optional<Vertex> last;
  while (s != t) {
    ++num_steps_;
    const PortNum port = entry(s, lid);
    const std::uint8_t vl = lanes_.vl(s, in, port, sl);
    if (vl >= num_vls_) return false;
    const Vertex v = vertices_.of(s, port, vl);
    if (last && !add(*last, v, adds)) return false;
    last = v;
    const Peer& peer = now_.peer(s, port);
    in = peer.port;
    s = peer.as_switch();
  }
  return true;
}

bool LaneRouting::admit(SwitchId s, SwitchId t, Lid lid, std::uint8_t sl, Adds adds) {
  for (const LaneSource& source : lanes_.sources(s))
    if (!admit(s, t, lid, source.in, sl, adds)) return false;
  return true;
}

bool LaneRouting::admit_as_is(SwitchId s, SwitchId t, Lid lid, Adds adds) {
  for (const LaneSource& source : lanes_.sources(s))
    if (!admit(s, t, lid, source.in, lanes_.sl(source, lid), adds)) return false;
  return true;
}

bool LaneRouting::agrees(SwitchId s, SwitchId t, Lid lid, PortNum in, std::uint8_t sl) {
  trail_.clear();
  std::optional<Vertex> last;
  bool is_good = true;
  while (s != t) {
    ++num_steps_;
    const PortNum port = entry(s, lid);
    const std::uint8_t vl = lanes_.vl(s, in, port, sl);
    is_good = vl < num_vls_;
    if (!is_good) break;
    const Vertex v = vertices_.of(s, port, vl);
    is_good = !last || (order_.ascends(*last, v) && (!is_refused(*last, v) || order_.has(*last, v)));
    if (!is_good) break;
    if (const std::optional<bool> known = tails_.at(s, sl, vl)) {
      is_good = *known;
      break;
    }
    trail_.push_back({s, vl});
    last = v;
    const Peer& peer = now_.peer(s, port);
    in = peer.port;
    s = peer.as_switch();
  }
  for (const TailHere& tail : trail_) tails_.set(tail.at, sl, tail.vl, is_good);
  return is_good;
}

bool LaneRouting::agrees(SwitchId s, SwitchId t, Lid lid, std::uint8_t sl) {
  const auto& sources = lanes_.sources(s);
  return std::all_of(sources.begin(), sources.end(),
                     [&](const LaneSource& source) { return agrees(s, t, lid, source.in, sl); });
}

bool LaneRouting::agrees_as_is(SwitchId s, SwitchId t, Lid lid) {
  const auto& sources = lanes_.sources(s);
  return std::all_of(sources.begin(), sources.end(),
                     [&](const LaneSource& source) { return agrees(s, t, lid, source.in, lanes_.sl(source, lid)); });
}

void LaneRouting::begin_batch(const std::vector<SwitchId>& switches) {
  if (std::exchange(tails_known_at_, order_.num_visited()) != order_.num_visited()) tails_.forget();
  tails_.begin_batch();
  for (const SwitchId s : switches) tails_.add_to_batch(s);
}

bool LaneRouting::admit_step(ChannelId channel, std::uint8_t vl, ChannelId next, std::uint8_t next_vl) {
  const auto vertex = [this](ChannelId c, std::uint8_t lane) {
    return vertices_.of(now_.source(c), now_.port(c), lane);
  };
  const Vertex from = vertex(channel, vl);
  const Vertex to = vertex(next, next_vl);
  if (order_.has(from, to)) return true;
  const std::uint64_t before = order_.num_visited();
  const bool fits = order_.add(from, to);
  num_visited_by_steps_ += order_.num_visited() - before;
  if (fits) added_.emplace_back(from, to);
  return fits;
}

void LaneRouting::take_back(std::size_t to) {
  for (; added_.size() > to; added_.pop_back()) order_.remove(added_.back().first, added_.back().second);
}

}  // namespace espalier
