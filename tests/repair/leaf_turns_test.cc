// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// References whose leaves lead packets for switches over another plane, though they have an up-down path.
#include <gtest/gtest.h>

#include "core/fabric/faults.h"
#include "core/repair/repair.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::complaint;
using test::reference_by;

// The same with such entries wherever the tables stay sound with them, and the orientation theirs.
Reference with_leaf_turns(Reference reference) {
  const Fabric& fabric = reference.fabric;
  const FatTree tree = tree_of(reference);
  const UpDownCosts costs(tree);
  for (const SwitchId leaf : fabric.switches())
    for (const SwitchId t : fabric.switches()) {
      if (!tree.down_groups(leaf).empty() || t == leaf || costs.cost(leaf, t) == kUnreachable) continue;
      const PortNum was = reference.tables.at(leaf, fabric.at(t).lid);
      for (const PortGroup& up : tree.up_groups(leaf)) {
        if (costs.cost(up.remote, t) != kUnreachable) continue;
        reference.tables.set(leaf, fabric.at(t).lid, tree.ports(up).front());
        const PreparedReference prepared(reference);
        if (prepared.is_sound() && prepared.is_oriented()) break;
        reference.tables.set(leaf, fabric.at(t).lid, was);
      }
    }
  return reference;
}

// The detours on which these entries rest are gone, so they have to go as well.
TEST(LeafTurns, OfTheReferenceGoWhereAllDetoursAreNew) {
  std::size_t anew = 0;
  // `part`: one link in so many is missing from the start.
  const auto look_at = [&](const char* spec, std::size_t part, std::uint64_t seed) {
    const Fabric full = test::pgft(spec);
    const Fabric whole = degrade(full, {.links = most_damage(full).links / part, .seed = seed}).value();
    const PreparedReference reference(with_leaf_turns(reference_by(whole, "dmodc")));
    for (const SwitchId s : whole.switches())
      for (std::size_t p = 1; p <= whole.at(s).num_ports; ++p) {
        const Peer& peer = whole.peer(s, id_at<PortNum>(p));
        if (!peer.is_switch() || peer.as_switch() < s) continue;
        const Fabric now = without_link(whole, s, id_at<PortNum>(p));
        const PatchedRepair repaired = patch(reference, now).value();
        anew += repaired.reach == RepairReach::kDetours ? 1 : 0;
        EXPECT_EQ(complaint(now, repaired.tables.whole()), "")
            << spec << " without port " << p << " of " << whole.label(s);
      }
  };
  look_at("3;2,3,3;1,3,2;1,1,1", 5, 1020);
  look_at("4;2,2,2,2;1,2,2,2;1,1,1,1", 5, 1009);
  look_at("3;3,3,4;1,3,2;1,1,1", 3, 1009);
  EXPECT_GT(anew, 0U);
}

}  // namespace
}  // namespace espalier
