// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/pgft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::pgft;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string parse_error(std::string_view text) {
  const Result<PgftSpec> spec = PgftSpec::parse(text);
  return spec ? "no error" : spec.error().text();
}

std::string generate_error(std::string_view text) {
  const Result<Fabric> fabric = generate_pgft(PgftSpec::parse(text).value());
  return fabric ? "no error" : fabric.error().text();
}

struct Published {
  std::string_view spec;
  std::size_t hosts;
  std::size_t switches;
  std::size_t links;  // between switches

  friend void PrintTo(const Published& published, std::ostream* out) { *out << published.spec; }
};

class PublishedNetwork : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedNetwork, has_the_published_size) {
  const Fabric fabric = pgft(GetParam().spec);
  EXPECT_EQ(fabric.num_endports(), GetParam().hosts);
  EXPECT_EQ(fabric.num_switches(), GetParam().switches);
  EXPECT_EQ(fabric.num_switch_links(), GetParam().links);
}

// Switches level by level, links level by level; the products of the head of pgft.h by hand.
INSTANTIATE_TEST_SUITE_P(
    Pgft, PublishedNetwork,
    ::testing::Values(Published{"2;18,36;1,18;1,1", 648, 36 + 18, 36 * 18},
                      Published{"3;12,12,24;1,12,12;1,1,1", 3456, 288 + 288 + 144, 288 * 12 + 288 * 12},
                      Published{"3;24,12,30;1,24,3;1,1,1", 8640, 360 + 720 + 72, 360 * 24 + 720 * 3},
                      Published{"3;18,18,36;1,18,18;1,1,1", 11664, 648 + 648 + 324, 648 * 18 + 648 * 18},
                      Published{"3;2,2,3;1,2,2;1,2,1", 12, 6 + 6 + 4, 6 * 4 + 6 * 2},  // Gliksberg, figure 4.1
                      Published{"2;4,4;1,2;1,2", 16, 4 + 2, 4 * 4},                    // Gliksberg, figure 1.6 (b)
                      Published{"1;36;1;1", 36, 1, 0}));

TEST(Pgft, fills_every_port_of_every_switch) {
  for (const char* spec : {"3;2,3,4;2,3,2;2,1,3", "3;2,2,3;1,2,2;1,2,1", "1;5;3;2"}) {
    const Fabric fabric = pgft(spec);
    for (const SwitchId s : fabric.switches())
      for (const PortNum p : fabric.ports(s)) EXPECT_NE(fabric.peer(s, p).kind, Peer::Kind::kNone) << spec;
    for (const EndportId e : fabric.endports()) EXPECT_NE(fabric.at(e).leaf, kNoSwitch) << spec;
  }
}

TEST(Pgft, puts_down_ports_before_up_ports_and_both_in_the_order_of_their_peers) {
  const Fabric fabric = pgft("3;2,2,3;1,2,2;1,2,1");
  const auto peers_of = [&](SwitchId s) {
    std::vector<std::string> names;
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      names.push_back(peer.is_switch() ? fabric.at(peer.as_switch()).description
                                       : fabric.at(peer.as_endport()).description);
    }
    return names;
  };
  // Six leaves, then L2 0.0 .. 2.1, then L3 0.0 .. 0.3.
  EXPECT_THAT(peers_of(SwitchId{0}),
              ::testing::ElementsAre("host 0", "host 1", "L2 0.0", "L2 0.0", "L2 0.1", "L2 0.1"));
  EXPECT_THAT(peers_of(SwitchId{6 + 3}),  // L2 1.1: second switch of the second pod
              ::testing::ElementsAre("leaf 2", "leaf 2", "leaf 3", "leaf 3", "L3 0.1", "L3 0.3"));
  EXPECT_THAT(peers_of(SwitchId{12 + 1}), ::testing::ElementsAre("L2 0.1", "L2 1.1", "L2 2.1"));
}

// Zahavi's definition, independently of the generator's arithmetic: two switches that are cabled differ by one level,
// and below each switch there are exactly m1 .. ml hosts.
TEST(Pgft, has_pods_of_the_defined_size_below_each_switch) {
  const PgftSpec spec = PgftSpec::parse("3;2,3,4;1,3,2;1,1,2").value();
  const Fabric fabric = generate_pgft(spec).value();
  std::vector<std::set<std::uint32_t>> hosts_below(fabric.num_switches());
  std::size_t next = 0, below = 1;
  for (unsigned level = 1; level <= spec.h; ++level) {
    below *= spec.m[level - 1];
    const unsigned down = spec.m[level - 1] * spec.p[level - 1];
    for (std::size_t i = 0; i < spec.num_switches(level); ++i, ++next) {
      const SwitchId s = id_at<SwitchId>(next);
      for (unsigned p = 1; p <= down; ++p) {
        const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
        if (peer.is_endport()) hosts_below[next].insert(peer.id);
        if (peer.is_switch()) hosts_below[next].merge(std::set<std::uint32_t>(hosts_below[peer.id]));
      }
      EXPECT_EQ(hosts_below[next].size(), below);
      EXPECT_EQ(*hosts_below[next].rbegin() - *hosts_below[next].begin() + 1, below)
          << "hosts of a pod are consecutive";
    }
  }
  EXPECT_EQ(next, fabric.num_switches());
}

TEST(Pgft, gives_a_host_with_several_ports_one_adapter) {
  const Fabric fabric = pgft("2;3,2;2,2;2,1");
  ASSERT_EQ(fabric.num_endports(), 6U * 4U);
  EXPECT_EQ(fabric.at(EndportId{0}).node_guid, fabric.at(EndportId{3}).node_guid);
  EXPECT_NE(fabric.at(EndportId{3}).node_guid, fabric.at(EndportId{4}).node_guid);
  EXPECT_EQ(index(fabric.at(EndportId{7}).port_guid), index(fabric.at(EndportId{7}).node_guid) + 4);
  // Ports 1 and 2 go to the first leaf of the pod, 3 and 4 to the second.
  EXPECT_EQ(fabric.at(EndportId{1}).leaf, SwitchId{0});
  EXPECT_EQ(fabric.at(EndportId{2}).leaf, SwitchId{1});
}

TEST(Pgft, gives_unique_recognisable_names_and_guids) {
  const Fabric fabric = pgft("3;2,2,3;1,2,2;1,2,1");
  EXPECT_EQ(fabric.at(SwitchId{0}).guid, Guid{0x0002c90001000000});
  EXPECT_EQ(fabric.at(SwitchId{15}).guid, Guid{0x0002c90003000003});
  EXPECT_EQ(fabric.at(EndportId{11}).node_guid, Guid{0x0002c901000000b0});
  std::set<std::string> names;
  std::set<Guid> guids;
  for (const SwitchId s : fabric.switches()) names.insert(fabric.at(s).description), guids.insert(fabric.at(s).guid);
  for (const EndportId e : fabric.endports())
    names.insert(fabric.at(e).description), guids.insert(fabric.at(e).node_guid), guids.insert(fabric.at(e).port_guid);
  EXPECT_EQ(names.size(), 16U + 12U);
  EXPECT_EQ(guids.size(), 16U + 12U + 12U);
}

TEST(PgftSpec, survives_text_and_back) {
  const PgftSpec spec = PgftSpec::parse(" 3; 24, 12,30 ;1,24,3;1,1,1").value();
  EXPECT_EQ(spec.text(), "3;24,12,30;1,24,3;1,1,1");
  EXPECT_EQ(PgftSpec::parse(spec.text()).value(), spec);
  EXPECT_EQ(spec.num_hosts(), 8640U);
  EXPECT_EQ(spec.num_switches(1), 360U);
  EXPECT_EQ(spec.num_switches(3), 72U);
}

TEST(PgftSpec, says_what_is_wrong_and_what_is_expected) {
  for (const char* text : {"", "hello", "2;18,36;1,18", "2;18,36;1,18;1,1;1", "0;;;", "17;1;1;1", "2;18;1,18;1,1",
                           "2;18,36;1,18;1,0", "2;18,-3;1,18;1,1", "2;18,3x;1,18;1,1", "2;18,;1,18;1,1", "1;65536;1;1",
                           "1;99999999999999999999;1;1", "2.0;1,1;1,1;1,1"})
    EXPECT_THAT(parse_error(text), AllOf(HasSubstr("is not a PGFT"), HasSubstr("for example"))) << text;
  EXPECT_THAT(parse_error("2;18;1,18;1,1"), HasSubstr("m needs 2 numbers, not 1"));
  EXPECT_THAT(parse_error("2;18,36;1,18;1,0"), HasSubstr("\"0\" is not a number"));
}

TEST(Pgft, refuses_what_cannot_be_built) {
  EXPECT_EQ(generate_error("2;127,2;1,127;1,1"), "no error");
  EXPECT_THAT(generate_error("2;128,2;1,127;1,1"),
              AllOf(HasSubstr("level 1"), HasSubstr("255 ports"), HasSubstr("254")));
  EXPECT_THAT(generate_error("1;255;1;1"), HasSubstr("255 ports"));
  EXPECT_THAT(generate_error("1;2;16;16"), HasSubstr("a host would have 256 ports"));
  EXPECT_THAT(generate_error("3;36,36,36;1,36,36;1,1,1"), HasSubstr("49151"));
  EXPECT_THAT(generate_error("8;100,100,100,100,100,100,100,100;1,1,1,1,1,1,1,1;1,1,1,1,1,1,1,1"),
              HasSubstr("at least"));
}

TEST(Pgft, refuses_a_spec_that_was_filled_in_wrongly) {
  EXPECT_FALSE(generate_pgft(PgftSpec{}));
  EXPECT_FALSE(generate_pgft(PgftSpec{2, {18, 36}, {1}, {1, 1}}));
  EXPECT_FALSE(generate_pgft(PgftSpec{1, {0}, {1}, {1}}));
}

}  // namespace
}  // namespace espalier
