// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Faults one after another, on top of `balanced` as reference.
//
// Usage: fault_sequences grow SPEC DRAWS STEPS    a tree loses one link more at each step, drawn with seeds above 1 000
//        fault_sequences each NET ...             each link between switches of a fabric, and each top switch, in turn
// grow: blocks that change from step to step, in all; the worst of every 16th shift on the way and at the end. Exit
// status 1 when tables are not sound, or when the whole fabric does not get the reference back.
// each: of the flows between hosts whose route was whole, the share that moves all the same: the worst fault, and in the
// mean. Exit status 1 when it is more than 1 % for any fault.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/congestion/route_changes.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/table_delta.h"
#include "core/repair/repair.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/repair/fabric_file.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace {

using namespace espalier;

constexpr double kPercent = 100;
constexpr double kMostMoved = 0.01;

Reference balanced(const Fabric& fabric) {
  const FatTree tree = rank(fabric).value();
  return make_reference("balanced", tree, make_engine("balanced")->route(tree).value().tables);
}

std::vector<EndportId> hosts_of(const Fabric& fabric) {
  const FatTree tree = rank(fabric).value();
  return topological_order(tree, UpDownCosts(tree)).hosts;
}

double worst_shift(const Fabric& fabric, const ForwardingTables& tables) {
  return shift_risk(HostRoutes(fabric, tables, hosts_of(fabric)), 16).max();
}

bool grow(const std::string& spec, std::uint64_t draws, std::size_t steps) {
  const Fabric whole = test::pgft(spec);
  const PreparedReference reference(balanced(whole));
  bool good = true;
  for (std::uint64_t seed = 1001; seed < 1001 + draws; ++seed) {
    ForwardingTables before = reference.reference().tables;
    std::uint64_t blocks = 0, local = 0;
    double worst = 0;
    for (std::size_t links = 1; links <= steps; ++links) {
      const Fabric now = degrade(whole, {.links = links, .seed = seed}).value();
      const PatchedRepair repaired = patch(reference, now).value();
      ForwardingTables tables = repaired.tables.whole();
      blocks += difference(before, tables).num_blocks;
      local += repaired.reach == RepairReach::kLocal ? 1 : 0;
      before = std::move(tables);
      if (links % 10 != 0 && links != steps) continue;
      good = verify(now, before).ok() && good;
      worst = std::max(worst, worst_shift(now, before));
    }
    good = patch(reference, whole).value().tables.whole() == reference.reference().tables && good;
    fmt::print("{}, draw {}: {} links one after another: {} blocks, worst shift {}, {} repairs local{}\n", spec, seed,
               steps, blocks, worst, local, good ? "" : "  NOT GOOD");
    std::fflush(stdout);
  }
  return good;
}

struct Moved {
  std::size_t faults = 0;
  double worst = 0, sum = 0;
};

// How many of the flows with a whole route have moved.
void judge(const PreparedReference& reference, const std::vector<EndportId>& hosts, const Fabric& now, Moved& moved,
           bool& good) {
  const ForwardingTables tables = patch(reference, now).value().tables.whole();
  good = verify(now, tables).ok() && good;
  const std::vector<EndportId> hosts_now = hosts_of(now);
  const RouteChanges changes =
      compare_routes({reference.fabric(), reference.reference().tables, hosts}, {now, tables, hosts_now});
  const auto whole = static_cast<double>(changes.num_flows - changes.flows_forced - changes.flows_lost);
  const double share = whole == 0 ? 0 : static_cast<double>(changes.flows_unforced) / whole;
  ++moved.faults;
  moved.worst = std::max(moved.worst, share);
  moved.sum += share;
}

bool each(const std::string& path) {
  const Fabric whole = fabric_of_file(path);
  const PreparedReference reference(balanced(whole));
  const std::vector<EndportId> hosts = hosts_of(whole);
  const FatTree& tree = reference.tree();
  bool good = true;
  Moved links, tops;
  for (const SwitchId s : whole.switches()) {
    for (const PortNum p : whole.ports(s))
      if (const Peer& peer = whole.peer(s, p); peer.is_switch() && index(s) < peer.id)
        judge(reference, hosts, without_link(whole, s, p), links, good);
    if (tree.up_groups(s).empty() && tree.hosts(s).empty())
      judge(reference, hosts, without_switch(whole, s), tops, good);
  }
  const auto tell = [&](const char* what, const Moved& moved) {
    fmt::print("{}: each of {} {}: flows with a whole route that move: {:.3f} % at most, {:.3f} % in the mean\n", path,
               moved.faults, what, moved.worst * kPercent,
               moved.faults == 0 ? 0 : moved.sum / static_cast<double>(moved.faults) * kPercent);
    good = good && moved.worst <= kMostMoved;
  };
  tell("links", links);
  tell("top switches", tops);
  if (!good) fmt::print("{}: NOT GOOD\n", path);
  std::fflush(stdout);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == "grow")
    return grow(words[1], std::strtoul(words[2].c_str(), nullptr, 10), std::strtoul(words[3].c_str(), nullptr, 10)) ? 0
                                                                                                                    : 1;
  if (words.size() < 2 || words[0] != "each") return 2;
  bool good = true;
  for (std::size_t i = 1; i < words.size(); ++i) good = each(words[i]) && good;
  return good ? 0 : 1;
}
