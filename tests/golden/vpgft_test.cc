// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Gliksberg 2022, annex 3: a tree whose tops have several paths down to a leaf, a vPGFT, is a PGFT once every top is
// split into parts with one way each. Tables of the PGFT, joined again, route the vPGFT. Here they are computed as the
// annex says, with parts known from how the tree was made: by ftree, as the engine `vpgft` does, which finds the parts,
// and by dmodk, what the engine `pqft` gives without splitting anything.
#include <gtest/gtest.h>

#include <map>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/routes/walk.h"
#include "core/engines/engines.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/pgft.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

// A QFT of three levels whose p2 neighboring pods share their leaves, and the PGFT with the same links, in which each
// top is p2 switches: part q has the links to the pods i with i mod p2 = q. Ports keep their numbers.
class VirtualPgft {
 public:
  explicit VirtualPgft(const char* spec) : VirtualPgft(*PgftSpec::parse(spec)) {}

  [[nodiscard]] const Fabric& whole() const { return whole_; }
  [[nodiscard]] const Fabric& split() const { return split_; }

  // The tables of the parts as one. Where parts differ, the one that packets of hosts come through wins: the annex
  // leaves the choice open.
  [[nodiscard]] ForwardingTables joined(const ForwardingTables& parts) const {
    ForwardingTables tables(whole_.num_switches(), whole_.top_lid());
    for (const EndportId e : whole_.endports()) {
      const Lid lid = whole_.at(e).lid;
      const Lid in_split = split_.at(e).lid;
      for (const SwitchId s : split_.switches()) tables.set(owner_.at(split_.at(s).guid), lid, parts.at(s, in_split));
      for (const EndportId from : split_.endports())
        for (const ChannelId c : walk(split_, parts, split_.at(from).leaf, in_split).channels)
          tables.set(owner_.at(split_.at(split_.source(c)).guid), lid, split_.port(c));
    }
    return tables;
  }

 private:
  explicit VirtualPgft(const PgftSpec& spec) : whole_(*generate_qft(spec)), split_(split_tops(spec)) {}

  // Fills `owner_`.
  Fabric split_tops(const PgftSpec& spec) {
    const std::size_t num_leaves = spec.num_switches(1);
    const std::size_t first_top = num_leaves + spec.num_switches(2);
    const unsigned links = spec.p[1];
    FabricBuilder builder;
    for (const SwitchId s : whole_.switches())
      for (unsigned part = 0; part < (index(s) < first_top ? 1 : links); ++part) {
        Switch own = whole_.at(s);
        own.guid = Guid{index(own.guid) * 16 + part};
        owner_[own.guid] = s;
        builder.add_switch(own);
      }
    for (const EndportId e : whole_.endports()) {
      const Endport& host = whole_.at(e);
      builder.connect(id_at<FabricBuilder::SwitchHandle>(index(host.leaf)), host.leaf_port, builder.add_endport(host));
    }
    for (std::size_t i = 0; i < first_top; ++i)
      for (const PortNum p : whole_.ports(id_at<SwitchId>(i))) {
        const Peer& peer = whole_.peer(id_at<SwitchId>(i), p);
        if (!peer.is_switch() || peer.id < i) continue;
        const std::size_t pod = (i - num_leaves) / (spec.w[0] * spec.w[1]);
        const std::size_t above =
            peer.id < first_top ? peer.id : first_top + (peer.id - first_top) * links + pod % links;
        builder.connect(id_at<FabricBuilder::SwitchHandle>(i), p, id_at<FabricBuilder::SwitchHandle>(above), peer.port);
      }
    EXPECT_TRUE(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
    return std::move(builder).build().value();
  }

  std::map<Guid, SwitchId> owner_;  // of a switch of the split fabric, by GUID
  Fabric whole_;
  Fabric split_;
};

class AnnexThree : public testing::TestWithParam<const char*> {
 protected:
  // By the method of the annex: tables of the PGFT, joined.
  [[nodiscard]] ForwardingTables by_parts(std::string_view engine) const {
    const FatTree tree = *rank(tree_.split());
    return tree_.joined(make_engine(engine)->route(tree).value().tables);
  }
  [[nodiscard]] HostRoutes routes(const ForwardingTables& tables) const {
    const FatTree tree = *rank(tree_.whole());
    return HostRoutes(tree_.whole(), tables, topological_order(tree, UpDownCosts(tree)).hosts);
  }

  const VirtualPgft tree_{GetParam()};
};

TEST_P(AnnexThree, GivesHostsTheRoutesOfPqft) {
  const Fabric& fabric = tree_.whole();
  const FatTree tree = *rank(fabric);
  const ForwardingTables tables = make_engine("pqft")->route(tree)->tables;
  const ForwardingTables parts = by_parts("dmodk");
  for (const EndportId from : fabric.endports())
    for (const EndportId to : fabric.endports()) {
      const SwitchId leaf = fabric.at(from).leaf;
      const Walk walk_of_parts = walk(fabric, parts, leaf, fabric.at(to).lid);
      EXPECT_EQ(walk_of_parts.outcome, Step::Kind::kDelivered);
      EXPECT_EQ(walk_of_parts.channels, walk(fabric, tables, leaf, fabric.at(to).lid).channels);
    }
}

TEST_P(AnnexThree, BalancesShiftsAsWellAsTheEnginesThatKnowQuasiFatTrees) {
  const auto worst = [&](const ForwardingTables& tables) { return shift_risk(routes(tables)).max(); };
  const FatTree tree = *rank(tree_.whole());
  const auto worst_of = [&](std::string_view engine) { return worst(make_engine(engine)->route(tree)->tables); };
  EXPECT_EQ(worst(by_parts("dmodk")), worst_of("pqft"));
  EXPECT_EQ(worst(by_parts("ftree")), worst_of("vpgft"));
  EXPECT_LE(worst_of("vpgft"), worst_of("ftree"));
}

// The first is Figure 12: two tops with two paths to each leaf, whose PGFT is the 2-ary 3-tree.
INSTANTIATE_TEST_SUITE_P(QuasiFatTrees, AnnexThree,
                         testing::Values("3;2,1,4;1,1,2;1,2,1", "3;4,2,4;1,2,2;1,2,1", "3;3,2,6;1,2,3;1,3,1",
                                         "3;9,3,6;1,1,6;1,3,1"));

}  // namespace
}  // namespace espalier
