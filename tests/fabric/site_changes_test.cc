// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/site_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/fabric/rules/host_name.h"
#include "core/fabric/switch_roles.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// Four leaves of six hosts below three spines, two links to each.
Fabric tree() { return test::pgft("2;6,4;1,3;1,2"); }

std::map<Guid, SwitchId> by_guid(const Fabric& fabric) {
  std::map<Guid, SwitchId> result;
  for (const SwitchId s : fabric.switches()) result[fabric.at(s).guid] = s;
  return result;
}

// Links between switches, from one end each.
std::vector<ChannelId> switch_links(const Fabric& fabric) {
  std::vector<ChannelId> links = all_links(fabric);
  std::erase_if(links, [&](ChannelId c) { return !fabric.peer(c).is_switch(); });
  return links;
}

LinkRate rate(const Fabric& fabric, ChannelId c) { return fabric.rate(fabric.source(c), fabric.port(c)); }

// Per link between switches: its ends and rate.
std::multiset<std::string> links(const Fabric& fabric) {
  std::multiset<std::string> result;
  for (const ChannelId c : switch_links(fabric)) {
    const auto [a, b] =
        std::minmax(fabric.at(fabric.source(c)).description, fabric.at(fabric.peer(c).as_switch()).description);
    result.insert(a + ' ' + b + ' ' + rate(fabric, c).text());
  }
  return result;
}

std::size_t count_of_rate(const Fabric& fabric, const LinkRate& wanted) {
  const std::vector<ChannelId> links = switch_links(fabric);
  return static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(), [&](ChannelId c) { return rate(fabric, c) == wanted; }));
}

std::size_t num_links(const Fabric& fabric, SwitchId s) {
  std::size_t count = 0;
  for (const PortNum p : fabric.ports(s)) count += fabric.peer(s, p).kind != Peer::Kind::kNone ? 1 : 0;
  return count;
}

LinkRate rate_of(const Fabric& fabric) { return rate(fabric, switch_links(fabric).front()); }

TEST(SiteChanges, OfNothingChangeNothing) {
  EXPECT_FALSE(SiteChanges{}.any());
  EXPECT_EQ(links(*change(tree(), {})), links(tree()));
}

TEST(SiteChanges, ShuffleTheGuidsOfSwitches) {
  const Fabric before = tree(), after = *change(before, {.guids = SiteChanges::Guids::kShuffled, .seed = 5});
  EXPECT_EQ(links(after), links(before));
  std::size_t moved = 0;
  std::set<Guid> was, is;
  for (const SwitchId s : before.switches()) {
    was.insert(before.at(s).guid);
    is.insert(after.at(s).guid);
    moved += before.at(s).description != after.at(by_guid(after).at(before.at(s).guid)).description ? 1 : 0;
  }
  EXPECT_EQ(is, was);
  EXPECT_GE(moved, 3U);
}

// Names in natural order, each as the number of the leaf that its host is on.
std::vector<std::size_t> leaves_by_name(const Fabric& fabric) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports()) hosts.push_back(e);
  std::sort(hosts.begin(), hosts.end(),
            [&](EndportId a, EndportId b) { return natural_less(fabric.at(a).description, fabric.at(b).description); });
  std::vector<std::size_t> leaves;
  for (const EndportId e : hosts) leaves.push_back(index(fabric.at(e).leaf));
  return leaves;
}

TEST(SiteChanges, DealNamesToTwoLeavesInTurn) {
  const Fabric before = test::pgft("2;3,5;1,3;1,1");
  EXPECT_THAT(leaves_by_name(before), testing::ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4));
  const Fabric after = *change(before, {.host_names = SiteChanges::HostNames::kAlternate});
  EXPECT_THAT(leaves_by_name(after), testing::ElementsAre(0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 4, 4, 4));
}

TEST(SiteChanges, DealNamesAtRandom) {
  const Fabric before = tree();
  const Fabric after = *change(before, {.host_names = SiteChanges::HostNames::kRandom, .seed = 7});
  EXPECT_EQ(links(after), links(before));
  std::vector<std::size_t> was = leaves_by_name(before), is = leaves_by_name(after);
  EXPECT_NE(is, was);
  EXPECT_NE(is, leaves_by_name(*change(before, {.host_names = SiteChanges::HostNames::kRandom, .seed = 8})));
  std::sort(is.begin(), is.end());
  EXPECT_EQ(is, was) << "each leaf has as many hosts as before";
}

TEST(SiteChanges, TakeTheHostsWithTheHighestPortsFromUnevenLeaves) {
  const Fabric before = tree();
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Fabric after = *change(before, {.leaves = SiteChanges::Leaves::kUneven, .seed = seed});
    EXPECT_EQ(links(after), links(before));
    std::map<SwitchId, std::set<std::size_t>> ports;
    for (const EndportId e : after.endports()) ports[after.at(e).leaf].insert(index(after.at(e).leaf_port));
    for (const auto& [leaf, used] : ports) {
      sizes.insert(used.size());
      EXPECT_EQ(*used.rbegin(), used.size()) << "the lowest ports";
    }
    if (ports.size() < 4) sizes.insert(0);
  }
  EXPECT_THAT(sizes, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(SiteChanges, ExchangeTheFarEndsOfTwoUplinks) {
  const Fabric before = tree();
  std::size_t different = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Fabric after = *change(before, {.swapped_uplinks = 1, .seed = seed});
    ASSERT_EQ(after.num_switch_links(), before.num_switch_links());
    EXPECT_EQ(after.num_endports(), before.num_endports());
    for (const SwitchId s : after.switches())
      EXPECT_EQ(num_links(after, s), num_links(before, by_guid(before).at(after.at(s).guid)));
    const auto was = links(before), is = links(after);
    std::vector<std::string> lost;
    std::set_difference(was.begin(), was.end(), is.begin(), is.end(), std::back_inserter(lost));
    EXPECT_LE(lost.size(), 2U);
    different += lost.empty() ? 0 : 1;
  }
  EXPECT_GE(different, 3U) << "some draw two links of the same leaf or spine";
}

TEST(SiteChanges, ExchangeNoMoreUplinksThanThereAre) {
  for (const std::size_t many : {std::size_t{1000}, std::size_t{1} << 63U, (std::size_t{1} << 63U) + 1}) {
    const auto changed = change(tree(), {.swapped_uplinks = many, .seed = 1});
    ASSERT_FALSE(changed) << many;
    EXPECT_THAT(changed.error().message, testing::HasSubstr("cannot swap "));
  }
}

TEST(SiteChanges, AddLinksBetweenSwitchesThatWereNoNeighbors) {
  const Fabric before = tree(), after = *change(before, {.stray_links = 3, .seed = 1});
  EXPECT_EQ(after.num_switch_links(), before.num_switch_links() + 3);
  const auto was = links(before), is = links(after);
  std::vector<std::string> added;
  std::set_difference(is.begin(), is.end(), was.begin(), was.end(), std::back_inserter(added));
  ASSERT_EQ(added.size(), 3U);
  for (const std::string& link : added) EXPECT_EQ(was.count(link), 0U) << link;
  EXPECT_FALSE(change(before, {.stray_links = 10})) << "there are 9 such pairs";
  EXPECT_TRUE(change(before, {.stray_links = 9}));
}

TEST(SiteChanges, AddTheFirstLinkOfAll) {
  const Result<Fabric> linked = change(test::draw("A B;"), {.stray_links = 1});
  ASSERT_TRUE(linked);
  EXPECT_EQ(linked->num_switch_links(), 1U);
  EXPECT_FALSE(change(test::draw("A;"), {.stray_links = 1}));
}

TEST(SiteChanges, AddAsManyLinksAsThereIsRoomFor) {
  const Fabric before = test::pgft("2;18,36;1,18;1,1");  // 54 switches: 1431 pairs, 648 links
  EXPECT_EQ(change(before, {.stray_links = 1431 - 648}).value().num_switch_links(), 1431U);
}

TEST(SiteChanges, GiveNoSwitchMoreThan254Ports) {
  EXPECT_TRUE(change(test::draw("A:253 B:253;"), {.stray_links = 1}));
  EXPECT_FALSE(change(test::draw("A:254 B:253;"), {.stray_links = 1}));
}

TEST(SiteChanges, DoubleTheSpeedOfAllLinksOfASwitch) {
  const Fabric before = tree();
  const LinkRate usual = rate_of(before), fast{usual.width, static_cast<LinkSpeed>(static_cast<int>(usual.speed) + 1)};
  const Fabric spine = *change(before, {.fast_spines = 1, .seed = 3});
  EXPECT_EQ(count_of_rate(spine, fast), 8U);
  EXPECT_EQ(count_of_rate(spine, usual), 16U);
  const Fabric leaf = *change(before, {.fast_leaves = 1, .seed = 3});
  EXPECT_EQ(count_of_rate(leaf, fast), 6U);
  std::size_t fast_hosts = 0;
  for (const EndportId e : leaf.endports()) fast_hosts += leaf.rate(leaf.at(e).leaf, leaf.at(e).leaf_port) == fast;
  EXPECT_EQ(fast_hosts, 6U);
  EXPECT_FALSE(change(before, {.fast_spines = 4}));
}

TEST(SiteChanges, MakeNoLinkFasterThanXdr) {
  Fabric fabric = tree();
  for (LinkSpeed speed = rate_of(fabric).speed; speed != LinkSpeed::kXdr; speed = rate_of(fabric).speed)
    fabric = *change(fabric, {.fast_leaves = 4});
  EXPECT_THAT(change(fabric, {.fast_leaves = 1}).error().text(), ::testing::HasSubstr("no speed above XDR"));
  EXPECT_THAT(change(fabric, {.fast_spines = 1}).error().text(), ::testing::HasSubstr("no speed above XDR"));
}

TEST(SiteChanges, GiveALinkBetweenTwoFastSwitchesTheirSpeed) {
  const Fabric before = tree();
  const LinkRate usual = rate_of(before), fast{usual.width, static_cast<LinkSpeed>(static_cast<int>(usual.speed) + 1)};
  const Fabric both = *change(before, {.fast_spines = 1, .fast_leaves = 1, .seed = 3});
  EXPECT_EQ(count_of_rate(both, fast), 12U) << "8 of the spine, 6 of the leaf, 2 of both";
  EXPECT_EQ(count_of_rate(both, usual), 12U);
}

TEST(SiteChanges, ThrottleLinksToAQuarter) {
  const Fabric before = tree();
  const Fabric after = *change(before, {.throttled_links = 5, .seed = 3});
  EXPECT_EQ(count_of_rate(after, {1, rate_of(before).speed}), 5U);
  EXPECT_EQ(count_of_rate(after, rate_of(before)), 19U);
}

}  // namespace
}  // namespace espalier
