// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets for hosts that are gone: whoever still sends to them has them dropped, or delivered to somebody who drops them, but
// never forwarded in circles, wherever cables have been plugged in meanwhile.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/routes/walk.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/faults.h"
#include "core/fabric/random_order.h"
#include "core/repair/repairable_reference.h"
#include "tests/repair/routed.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::complaint;
using test::reference_by;
using test::reference_on_lanes;

// A fabric that somebody works on, at random.
class Workshop {
 public:
  Workshop(const Fabric& fabric, std::uint64_t seed) : fabric_(fabric), random_(seed, "workshop") {
    for (const SwitchId s : fabric.switches())
      for (const PortNum p : fabric.ports(s)) {
        const Peer& peer = fabric.peer(s, p);
        if (peer.kind == Peer::Kind::kNone) free_.emplace_back(s, p);
        if (peer.is_endport()) hosts_.push_back({peer.as_endport(), {s, p}, false});
        if (peer.is_switch() && std::pair(index(s), index(p)) < std::pair(std::size_t{peer.id}, index(peer.port)))
          cables_.push_back({{s, p}, {peer.as_switch(), peer.port}});
      }
  }

  void remove_host() {
    if (!hosts_.empty()) free_.push_back(take(hosts_).at);
  }
  // By another one, which gets its LIDs.
  void replace_host() {
    if (!hosts_.empty()) hosts_[random_.below(hosts_.size())].is_new = true;
  }
  void remove_cable() {
    if (!cables_.empty()) give_back(take(cables_));
  }
  // One end of a cable goes to another port.
  void replug() {
    if (cables_.empty() || free_.empty()) return;
    const Cable cable = take(cables_);
    const Socket end = take(free_);
    const auto& [kept, left] = random_.below(2) == 0 ? std::pair(cable.a, cable.b) : std::pair(cable.b, cable.a);
    free_.push_back(left);
    if (kept.first == end.first)
      free_.insert(free_.end(), {kept, end});
    else
      cables_.push_back({kept, end});
  }
  // Two cables exchange their far ends.
  void exchange() {
    if (cables_.size() < 2) return;
    Cable one = take(cables_), other = take(cables_);
    std::swap(one.b, other.b);
    for (const Cable& cable : {one, other})
      cable.a.first == cable.b.first ? give_back(cable) : cables_.push_back(cable);
  }
  // A switch with all its cables takes the place of another, port by port.
  void exchange_switches() {
    const SwitchId a = any_switch(), b = any_switch();
    const auto moved = [&](Socket& end) {
      const SwitchId to = end.first == a ? b : end.first == b ? a : end.first;
      if (index(end.second) <= fabric_.at(to).num_ports) end.first = to;
    };
    if (fabric_.at(a).num_ports != fabric_.at(b).num_ports) return;
    for (Cable& cable : cables_) moved(cable.a), moved(cable.b);
    for (Host& host : hosts_) moved(host.at);
    for (Socket& end : free_) moved(end);
  }
  // All cables of a switch go to other ports.
  void move_switch() {
    const SwitchId s = any_switch();
    for (std::size_t i = 0; i < cables_.size(); ++i)
      for (Socket* const far : {&cables_[i].a, &cables_[i].b}) {
        const Socket near = far == &cables_[i].a ? cables_[i].b : cables_[i].a;
        if (near.first != s || free_.empty()) continue;
        Socket& other = free_[random_.below(free_.size())];
        if (other.first != s) std::swap(*far, other);
      }
  }
  // A host that goes to a free port elsewhere.
  void move_host() {
    if (hosts_.empty() || free_.empty()) return;
    std::swap(hosts_[random_.below(hosts_.size())].at, free_[random_.below(free_.size())]);
  }

  void work(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) switch (random_.below(10)) {
        case 0:
        case 1:
        case 2:
          remove_host();
          break;
        case 3:
          remove_cable();
          break;
        case 4:
        case 5:
          replug();
          break;
        case 6:
          exchange();
          break;
        case 7:
          random_.below(2) == 0 ? move_switch() : exchange_switches();
          break;
        case 8:
          replace_host();
          break;
        default:
          move_host();
          break;
      }
  }

  [[nodiscard]] Fabric fabric() const {
    FabricBuilder builder;
    for (const SwitchId s : fabric_.switches()) builder.add_switch(fabric_.at(s));
    const auto handle = [](SwitchId s) { return id_at<FabricBuilder::SwitchHandle>(index(s)); };
    for (const Host& host : hosts_) {
      Endport e = fabric_.at(host.endport);
      if (host.is_new) e.node_guid = e.port_guid = id_at<Guid>(kNewGuids + index(host.endport));
      builder.connect(handle(host.at.first), host.at.second, builder.add_endport(std::move(e)));
    }
    for (const Cable& c : cables_) builder.connect(handle(c.a.first), c.a.second, handle(c.b.first), c.b.second);
    return std::move(builder).build().value();
  }

 private:
  static constexpr std::uint64_t kNewGuids = std::uint64_t{1} << 40;

  using Socket = std::pair<SwitchId, PortNum>;
  struct Host {
    EndportId endport;
    Socket at;
    bool is_new;
  };
  struct Cable {
    Socket a, b;
  };

  template <class T>
  T take(std::vector<T>& from) {
    std::swap(from[random_.below(from.size())], from.back());
    const T taken = from.back();
    from.pop_back();
    return taken;
  }
  void give_back(const Cable& cable) { free_.insert(free_.end(), {cable.a, cable.b}); }
  SwitchId any_switch() { return id_at<SwitchId>(random_.below(fabric_.num_switches())); }

  const Fabric& fabric_;
  RandomOrder random_;
  std::vector<Host> hosts_;
  std::vector<Cable> cables_;
  std::vector<Socket> free_;
};

Fabric worked_on(const Fabric& fabric, std::uint64_t seed, std::size_t steps) {
  Workshop workshop(fabric, seed);
  workshop.work(steps);
  return workshop.fabric();
}

// Of all repairs of a test.
struct Tally {
  std::size_t repairs = 0, failures = 0;
  std::size_t strays = 0;  // packets for LIDs that nobody has
};

// A LID whose packets go in circles; empty: none.
std::string circle(const Fabric& now, const ForwardingTables& tables, Tally& tally) {
  for (std::size_t i = 1; i <= index(now.top_lid()); ++i)
    for (const SwitchId s : now.switches()) {
      const Lid lid = id_at<Lid>(i);
      if (tables.at(s, lid) == kNoPort) continue;
      if (walk(now, tables, s, lid).outcome == Step::Kind::kForward)
        return "LID " + std::to_string(i) + (now.is_in_use(lid) ? "" : ", of nobody,") + " from " + now.label(s);
      tally.strays += now.is_in_use(lid) ? 0 : 1;
    }
  return "";
}

void judge(const RepairableReference& reference, const Fabric& now, const std::string& what, Tally& tally) {
  ++tally.repairs;
  const auto repaired = reference.patch(now, {});
  if (!repaired) {
    ++tally.failures;
    return;
  }
  const ForwardingTables tables = repaired->tables.whole();
  EXPECT_EQ(circle(now, tables, tally), "") << what;
  EXPECT_EQ(complaint(verify(now, tables, repaired->lanes)), "") << what;
}

constexpr std::uint64_t kFirst = 1001;  // seeds
constexpr std::size_t kDraws = 150;

std::string named(std::string_view kind, std::string_view spec, const std::string& engine, std::uint64_t seed) {
  return std::string(kind) + " " + std::string(spec) + " " + engine + ", seed " + std::to_string(seed);
}

constexpr std::array kTrees{"2;4,4;1,3;1,1", "3;3,3,4;1,3,2;1,1,1", "2;3,5;1,2;1,2"};

TEST(StrayPackets, do_not_go_in_circles_on_trees) {
  for (const char* const spec : kTrees)
    for (const char* const engine : {"dmodc", "balanced", "bfs-dmodc"})
      for (const auto lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
        Tally tally;
        const Fabric whole = test::pgft(spec, lmc);
        const auto reference = prepare(reference_by(whole, engine));
        for (std::uint64_t seed = kFirst; seed < kFirst + kDraws; ++seed)
          judge(*reference, worked_on(whole, seed, 2 + seed % 6), named("pgft", spec, engine, seed), tally);
        EXPECT_EQ(tally.failures, 0U);
        EXPECT_GT(tally.strays, tally.repairs);
      }
}

// References that have been made of what is there in part, or have grown by it, and have ghosts of their own.
TEST(StrayPackets, do_not_go_in_circles_where_equipment_is_new) {
  Tally tally;
  for (const char* const spec : kTrees) {
    const Fabric whole = test::pgft(spec);
    for (std::uint64_t seed = kFirst; seed < kFirst + kDraws; ++seed) {
      const std::string name = named("pgft", spec, "dmodc", seed);
      const auto part = prepare(reference_by(worked_on(whole, seed + kDraws, 1 + seed % 4), "dmodc"));
      const Fabric other = worked_on(whole, seed + 2 * kDraws, 1 + seed % 4);
      judge(*part, other, name + " of a part", tally);
      if (auto grown = part->extended(other))
        judge(*prepare(*std::move(grown)), worked_on(whole, seed, 1 + seed % 4), name + " grown", tally);
    }
  }
  EXPECT_LT(tally.failures * 20, tally.repairs);
  EXPECT_GT(tally.strays, tally.repairs);
}

TEST(StrayPackets, do_not_go_in_circles_on_lanes) {
  struct Case {
    const char *kind, *spec, *engine;
    unsigned vls;
  };
  for (const auto& [kind, spec, engine, vls] :
       {Case{"jellyfish", "16,5,2", "layers", 3}, Case{"torus", "4,4,2", "layers", 4},
        Case{"dragonfly", "2,4,2,9", "dragonfly", 4}}) {
    Tally tally;
    const Fabric whole = test::generated(kind, spec, 0, kFirst);
    const auto reference = prepare(reference_on_lanes(whole, engine, vls));
    for (std::uint64_t seed = kFirst; seed < kFirst + kDraws; ++seed)
      judge(*reference, worked_on(whole, seed, 2 + seed % 4), named(kind, spec, engine, seed), tally);
    EXPECT_EQ(tally.failures, 0U);
    EXPECT_GT(tally.strays, tally.repairs);
  }
}

// A host that is known still, but hangs nowhere, as long as its place has been taken.
TEST(StrayPackets, end_for_a_host_whose_place_a_cable_has_taken) {
  for (const bool is_on_lanes : {false, true}) {
    const Fabric whole = test::pgft("2;2,3;1,2;1,1");
    const Endport host = whole.at(EndportId{0});
    const auto reference = prepare(is_on_lanes ? reference_on_lanes(whole, "layers", 2) : reference_by(whole, "dmodc"));
    for (const SwitchId s : whole.switches())
      for (const PortNum p : whole.ports(s)) {
        if (!whole.peer(s, p).is_switch() || s == host.leaf) continue;
        FabricBuilder builder(
            without(whole, {.switches = {},
                            .endports = {},
                            .links = {whole.channel(host.leaf, host.leaf_port), whole.channel(s, p)}}));
        builder.connect(id_at<FabricBuilder::SwitchHandle>(index(host.leaf)), host.leaf_port,
                        id_at<FabricBuilder::SwitchHandle>(index(s)), p);
        Tally tally;
        judge(*reference, std::move(builder).build().value(), whole.label(s) + " port " + std::to_string(index(p)),
              tally);
        EXPECT_EQ(tally.failures, 0U);
      }
  }
}

}  // namespace
}  // namespace espalier
