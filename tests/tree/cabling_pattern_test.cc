// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/cabling_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/fabric/fabric_builder.h"
#include "core/fabric/switch_roles.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier::test {
namespace {

using Kind = CablingFinding::Kind;

struct Link {
  SwitchPort a;
  SwitchPort b;
};

std::vector<Link> switch_links(const Fabric& fabric) {
  std::vector<Link> links;
  for (const ChannelId c : all_links(fabric))
    if (const Peer& peer = fabric.peer(c); peer.is_switch())
      links.push_back({{fabric.source(c), fabric.port(c)}, {peer.as_switch(), peer.port}});
  return links;
}

// The same fabric with these cables between switches instead of its own.
Fabric recabled(const Fabric& fabric, const std::vector<Link>& links) {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> switches;
  for (const SwitchId s : fabric.switches()) switches.push_back(builder.add_switch(fabric.at(s)));
  for (const EndportId e : fabric.endports()) {
    const auto handle = builder.add_endport(fabric.at(e));
    builder.connect(switches[index(fabric.at(e).leaf)], fabric.at(e).leaf_port, handle);
  }
  for (const Link& link : links)
    builder.connect(switches[index(link.a.at)], link.a.port, switches[index(link.b.at)], link.b.port);
  return std::move(builder).build().value();
}

struct Swap {
  Fabric fabric;
  std::set<std::pair<SwitchId, PortNum>> wrong;  // lower ends of the two swapped cables
};

// Two cables of one level exchange their upper ends; at one switch as well, where the same switches stay joined. Nullopt:
// the draw changes nothing, or only the order of parallel links.
std::optional<Swap> swap_two(const Fabric& fabric, const FatTree& tree, std::mt19937& random) {
  std::vector<Link> links = switch_links(fabric);
  for (Link& link : links)
    if (tree.level(link.b.at) < tree.level(link.a.at)) std::swap(link.a, link.b);
  Link& one = links[random() % links.size()];
  Link& other = links[random() % links.size()];
  const bool is_same_pair = one.a.at == other.a.at && one.b.at == other.b.at;
  if (is_same_pair || tree.level(one.a.at) != tree.level(other.a.at)) return {};
  std::swap(one.b, other.b);
  const std::set<std::pair<SwitchId, PortNum>> wrong{{one.a.at, one.a.port}, {other.a.at, other.a.port}};
  return Swap{recabled(fabric, links), wrong};
}

std::vector<CablingFinding> findings(const Fabric& fabric) { return find_pattern_breaks(rank(fabric).value()); }

const std::vector<const char*> kTrees{"2;12,8;1,6;1,2", "2;18,36;1,18;1,1", "3;6,6,6;1,6,6;1,1,1",
                                      "3;8,6,10;1,8,3;1,1,1", "3;4,12,6;1,4,4;1,1,2"};

TEST(CablingPattern, FindsNothingInWholeTrees) {
  for (const char* spec : kTrees) EXPECT_TRUE(findings(pgft(spec)).empty()) << spec;
}

TEST(CablingPattern, SaysNothingAboutFabricsTooSmallForAPattern) {
  for (const auto& [name, fabric] : all_drawn_fabrics()) EXPECT_TRUE(findings(fabric).empty()) << name;
}

// A miswired pair of uplinks, drawn 200 times over five trees: both cables by switch and port, and where they belong.
TEST(CablingPattern, NamesSwappedCablesExactly) {
  std::mt19937 random(1001);
  int drawn = 0;
  int exact = 0;
  while (drawn < 200) {
    const Fabric fabric = pgft(kTrees[static_cast<std::size_t>(drawn) % kTrees.size()]);
    const std::optional<Swap> swap = swap_two(fabric, rank(fabric).value(), random);
    if (!swap) continue;
    ++drawn;
    std::set<std::pair<SwitchId, PortNum>> found;
    bool right_places = true;
    for (const CablingFinding& finding : findings(swap->fabric)) {
      found.emplace(finding.at.at, finding.at.port);
      const Peer& meant = fabric.peer(finding.at.at, finding.at.port);
      right_places = right_places && finding.kind == Kind::kWrongLink && finding.expected->at == meant.as_switch() &&
                     finding.expected->port == meant.port;
    }
    exact += found == swap->wrong && right_places;
  }
  RecordProperty("exact", exact);
  EXPECT_GE(exact, 190) << "of 200";
}

TEST(CablingPattern, NamesBothEndsOfAMissingLinkThoughNoParallelIsLeft) {
  const Fabric whole = pgft("2;18,36;1,18;1,1");
  const SwitchId leaf{7};
  const PortNum port{20};
  const Peer meant = whole.peer(leaf, port);
  const std::vector<CablingFinding> found = findings(without_link(whole, leaf, port));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::kMissingLink);
  EXPECT_EQ(found[0].at, (SwitchPort{leaf, port}));
  EXPECT_EQ(found[0].expected, (SwitchPort{meant.as_switch(), meant.port}));
}

// Two leaves lack their cable to one spine: each belongs at a port of its own.
TEST(CablingPattern, NamesEachFreePortOnce) {
  const Fabric whole = pgft("2;18,36;1,18;1,1");
  const PortNum port{20};
  const Fabric broken = without_link(without_link(whole, SwitchId{7}, port), SwitchId{9}, port);
  const std::vector<CablingFinding> found = findings(broken);
  ASSERT_EQ(found.size(), 2U);
  for (const CablingFinding& finding : found) {
    const Peer& meant = whole.peer(finding.at.at, port);
    EXPECT_EQ(finding.expected, (SwitchPort{meant.as_switch(), meant.port}));
  }
}

}  // namespace
}  // namespace espalier::test
