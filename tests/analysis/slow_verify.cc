// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/analysis/slow_verify.h"

#include <functional>
#include <vector>

namespace espalier::test {
namespace {

using Kind = Violation::Kind;
constexpr std::size_t kNowhere = 0xFFFFFFFF;

struct Judge {
  const Fabric& fabric;
  const ForwardingTables& tables;

  std::size_t entry(std::size_t s, std::size_t lid) const {
    if (lid >= tables.width()) return 255;
    return index(tables.at(id_at<SwitchId>(s), id_at<Lid>(lid)));
  }
  Peer peer(std::size_t s, std::size_t port) const {
    if (port == 0 || port > fabric.at(id_at<SwitchId>(s)).num_ports) return {};
    return fabric.peer(id_at<SwitchId>(s), id_at<PortNum>(port));
  }
  bool owns(LidOwner::Kind kind, std::size_t id, std::size_t lid) const {
    const LidOwner& owner = fabric.owner(id_at<Lid>(lid));
    return owner.kind == kind && owner.id == id;
  }
  bool owned(std::size_t lid) const { return fabric.is_in_use(id_at<Lid>(lid)); }
  // The switch that the entry leads to, or kNowhere.
  std::size_t next(std::size_t s, std::size_t lid) const {
    const Peer p = peer(s, entry(s, lid));
    return p.is_switch() ? p.id : kNowhere;
  }
  bool delivers(std::size_t s, std::size_t lid) const {
    const std::size_t port = entry(s, lid);
    if (port == 0) return owns(LidOwner::Kind::kSwitch, s, lid);
    const Peer p = peer(s, port);
    return p.is_endport() && owns(LidOwner::Kind::kEndport, p.id, lid);
  }
  bool arrives(std::size_t s, std::size_t lid) const {
    for (std::size_t steps = 0; steps <= fabric.num_switches(); ++steps) {
      if (delivers(s, lid)) return true;
      s = next(s, lid);
      if (s == kNowhere) return false;
    }
    return false;
  }
  bool circles_back(std::size_t s, std::size_t lid) const {
    std::size_t at = s;
    for (std::size_t steps = 0; steps <= fabric.num_switches(); ++steps) {
      at = next(at, lid);
      if (at == kNowhere) return false;
      if (at == s) return true;
    }
    return false;
  }
  bool connected(std::size_t a, std::size_t b) const {
    std::set<std::size_t> reached{a};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const std::size_t s : std::set<std::size_t>(reached))
        for (std::size_t p = 1; p <= fabric.at(id_at<SwitchId>(s)).num_ports; ++p)
          if (peer(s, p).is_switch()) reached.insert(peer(s, p).id);
    }
    return reached.count(b) != 0;
  }
};

bool cyclic(const std::map<Place, std::set<Place>>& graph) {
  std::set<Place> open;
  std::set<Place> done;
  const std::function<bool(const Place&)> visit = [&](const Place& v) {
    if (done.count(v) != 0) return false;
    if (!open.insert(v).second) return true;
    if (const auto it = graph.find(v); it != graph.end())
      for (const Place& next : it->second)
        if (visit(next)) return true;
    open.erase(v);
    done.insert(v);
    return false;
  };
  for (const auto& edge : graph)
    if (visit(edge.first)) return true;
  return false;
}

}  // namespace

SlowReport slow_verify(const Fabric& fabric, const ForwardingTables& tables, const std::set<Place>* met) {
  const Judge judge{fabric, tables};
  SlowReport report;
  std::vector<std::vector<bool>> together(fabric.num_switches());
  for (std::size_t a = 0; a < fabric.num_switches(); ++a)
    for (std::size_t b = 0; b < fabric.num_switches(); ++b) together[a].push_back(judge.connected(a, b));

  for (std::size_t s = 0; s < fabric.num_switches(); ++s) {
    for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) {
      if (!judge.owned(lid) || (met != nullptr && met->count({s, lid}) == 0)) continue;
      const SwitchId goal = fabric.destination_switch(id_at<Lid>(lid));
      const bool reachable = goal != kNoSwitch && together[s][index(goal)];
      const auto add = [&](Kind kind) {
        report.first.insert({kind, {s, lid}});
        ++report.num_violations;
        if (!reachable) report.elsewhere_sound = false;
      };
      const std::size_t port = judge.entry(s, lid);
      const std::size_t next = judge.next(s, lid);
      if (port == 255 || lid >= fabric.at(id_at<SwitchId>(s)).lft_capacity) {
        if (reachable) add(Kind::kMissingEntry);
      } else if (next == kNowhere && !judge.delivers(s, lid)) {
        add(port == 0 || judge.peer(s, port).is_endport() ? Kind::kWrongDelivery : Kind::kBadPort);
      }
      if (judge.circles_back(s, lid)) add(Kind::kLoop);
      if (reachable && (!judge.arrives(s, lid) || lid >= fabric.at(id_at<SwitchId>(s)).lft_capacity))
        report.all_delivered = false;
      if (next != kNowhere && judge.next(next, lid) != kNowhere)
        report.dependencies[{s, port}].insert({next, judge.entry(next, lid)});
    }
  }
  report.has_cycle = cyclic(report.dependencies);
  return report;
}

std::set<Place> slow_met(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& endports) {
  const Judge judge{fabric, tables};
  std::set<Place> met;
  for (const EndportId from : endports)
    for (const EndportId to : endports)
      for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) {
        if (!judge.owns(LidOwner::Kind::kEndport, index(to), lid)) continue;
        std::size_t at = index(fabric.at(from).leaf);
        for (std::size_t steps = 0; at != kNowhere && steps <= fabric.num_switches(); ++steps) {
          met.insert({at, lid});
          at = judge.next(at, lid);
        }
      }
  return met;
}

}  // namespace espalier::test
