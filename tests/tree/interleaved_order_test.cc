// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/interleaved_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using testing::Each;

// A tree whose hosts on the given ports of each leaf are of type 1 ("io").
struct Typed {
  Typed(Fabric f, const std::set<unsigned>& io_ports, std::uint32_t io_weight = 1)
      : fabric(std::move(f)), tree(*rank(fabric)), order(topological_order(tree, UpDownCosts(tree))) {
    types.types.push_back({"compute", 1});
    types.types.push_back({"io", io_weight});
    types.of_endport = IdVector<EndportId, NodeTypeId>(fabric.num_endports());
    for (const EndportId e : fabric.endports())
      if (io_ports.contains(static_cast<unsigned>(fabric.at(e).leaf_port))) types.of_endport[e] = NodeTypeId{1};
    top = interleaved_orders(tree, order, types).back().ids;
  }
  Typed(std::string_view pgft, const std::set<unsigned>& io_ports, std::uint32_t io_weight = 1)
      : Typed(test::pgft(pgft), io_ports, io_weight) {}
  Typed(const Typed&) = delete;
  Typed& operator=(const Typed&) = delete;

  // Per slot: hosts [first, last) of the topological order in it, of one type.
  [[nodiscard]] std::vector<unsigned> in_slots(std::size_t first, std::size_t last, std::uint32_t slots,
                                               std::size_t type) const {
    std::vector<unsigned> count(slots);
    for (std::size_t i = first; i < last; ++i)
      if (index(types.of_endport[order.hosts[i]]) == type) ++count[top.of_endport[order.hosts[i]] % slots];
    return count;
  }

  Fabric fabric;
  FatTree tree;
  NodeOrder order;
  NodeTypes types;
  NodeOrder top;
};

TEST(InterleavedOrder, GivesEachLeafOfTheCaseStudyATopSwitchOfItsOwn) {
  const Typed t("3;4,4,6;1,2,2;1,1,1", {4});
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(t.top.of_endport[t.order.hosts[i]] % 4, i / 4 % 4) << i;
}

TEST(InterleavedOrder, DealsEveryWindowOfASubtreesSizeEvenlyAndItsStorageNodesApart) {
  const Typed t("3;8,4,5;1,4,2;1,1,1", {8});  // 32 hosts per pod, 8 slots
  for (std::size_t first = 0; first + 32 <= 160; ++first) {
    auto all = t.in_slots(first, first + 32, 8, 0);
    const auto io = t.in_slots(first, first + 32, 8, 1);
    EXPECT_LE(*std::max_element(io.begin(), io.end()), 1U) << first;
    for (std::size_t slot = 0; slot < 8; ++slot) all[slot] += io[slot];
    EXPECT_THAT(all, Each(4U)) << first;
  }
}

TEST(InterleavedOrder, SpreadsATypeThatSitsOnOneLeafOverThePod) {
  const Fabric whole = test::pgft("3;8,4,3;1,4,2;1,1,1");
  Typed t(whole, {});
  for (std::size_t i = 0; i < 8; ++i) t.types.of_endport[t.order.hosts[i]] = NodeTypeId{1};
  t.top = interleaved_orders(t.tree, t.order, t.types).back().ids;
  EXPECT_THAT(t.in_slots(0, 32, 8, 1), Each(1U));
  EXPECT_THAT(t.in_slots(0, 32, 8, 0), Each(3U));
}

TEST(InterleavedOrder, PutsFewerOthersBesideAHeavyHost) {
  const Typed t("3;8,4,3;1,4,2;1,1,1", {8}, 3);  // per leaf: 7 hosts of weight 1, one of weight 3, two slots
  const auto io = t.in_slots(0, 32, 8, 1);
  const auto compute = t.in_slots(0, 32, 8, 0);
  for (std::size_t slot = 0; slot < 8; ++slot) EXPECT_EQ(compute[slot] + 3 * io[slot], 5U) << slot;
}

TEST(InterleavedOrder, IsTopologicalWhereASubtreeHasNoMoreHostsThanSlots) {
  const Typed t("3;4,4,3;1,4,4;1,1,1", {4});
  for (const SlottedOrder& order : interleaved_orders(t.tree, t.order, t.types)) {
    EXPECT_EQ(order.ids.of_endport, t.order.of_endport);
    EXPECT_EQ(order.width, order.slots);
  }
}

TEST(InterleavedOrder, KeepsDifferentIdsForHostsOfOneSubtree) {
  const Typed t("3;6,4,3;1,3,2;1,1,1", {2, 5});
  for (const SlottedOrder& order : interleaved_orders(t.tree, t.order, t.types)) {
    std::set<std::uint32_t> ids;
    for (std::size_t i = 0; i < 24; ++i) ids.insert(order.ids.of_endport[t.order.hosts[i]]);
    EXPECT_EQ(ids.size(), 24U);
  }
}

TEST(InterleavedOrder, MovesOnlyTheHostsBehindAMissingOneOnItsLeafAndType) {
  const Typed before("3;8,4,5;1,4,2;1,1,1", {8});
  const EndportId gone = before.order.hosts[10];  // the third host of leaf 1
  const Typed after(without_endport(before.fabric, gone), {8});
  std::map<Guid, std::uint32_t> ids;
  for (const EndportId e : before.order.hosts) ids[before.fabric.at(e).port_guid] = before.top.of_endport[e];
  std::size_t moved = 0;
  for (const EndportId e : after.order.hosts) {
    if (ids.at(after.fabric.at(e).port_guid) == after.top.of_endport[e]) continue;
    ++moved;
    EXPECT_EQ(after.fabric.at(e).description.substr(0, 5), "host ");
  }
  EXPECT_EQ(moved, 4U);
}

TEST(InterleavedOrder, TakesWhateverIsNoTree) {
  for (const char* drawing : {"R0:3 R1:3 R2:3 R0-R1 R1-R2 R2-R0", "L0:4", "A B A-B", "L0:9 L1:2 S; L0-S L1-S S:2"}) {
    const Typed t(test::draw(drawing), {1});
    EXPECT_EQ(interleaved_orders(t.tree, t.order, t.types).size(), t.tree.num_levels()) << drawing;
  }
}

}  // namespace
}  // namespace espalier
