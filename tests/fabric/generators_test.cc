// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All generators of the table. Sizes are those of the papers' formulas, worked out in the comments.
#include "core/fabric/generators/generators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/fabric/fabric_builder.h"
#include "core/fabric/fingerprint.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Result<Fabric> made(std::string_view kind, std::string_view spec) {
  return test::generator(kind).parse(spec).and_then(generate);
}

std::string error_of(std::string_view kind, std::string_view spec) {
  const Result<Fabric> fabric = made(kind, spec);
  return fabric ? "no error" : fabric.error().text();
}

// Cabled ports -> number of switches with so many.
std::map<unsigned, unsigned> degrees(const Fabric& fabric) {
  std::map<unsigned, unsigned> count;
  for (const SwitchId s : fabric.switches()) {
    unsigned cabled = 0;
    for (const PortNum p : fabric.ports(s)) cabled += fabric.peer(s, p).kind != Peer::Kind::kNone;
    ++count[cabled];
  }
  return count;
}

// Switches per number of switch-to-switch links on the shortest path from `from`.
std::map<unsigned, unsigned> distances(const Fabric& fabric, SwitchId from) {
  std::map<unsigned, unsigned> count;
  std::set<SwitchId> seen{from};
  std::vector<SwitchId> layer{from};
  for (unsigned distance = 0; !layer.empty(); ++distance) {
    std::vector<SwitchId> next;
    for (const SwitchId s : layer) {
      if (fabric.at(s).description.starts_with("leaf")) ++count[distance];
      for (const PortNum p : fabric.ports(s)) {
        const Peer& peer = fabric.peer(s, p);
        if (peer.is_switch() && seen.insert(peer.as_switch()).second) next.push_back(peer.as_switch());
      }
    }
    layer = std::move(next);
  }
  return count;
}

// Number of links from `s` to each switch that it is cabled to.
std::map<SwitchId, unsigned> neighbors(const Fabric& fabric, SwitchId s) {
  std::map<SwitchId, unsigned> count;
  for (const PortNum p : fabric.ports(s))
    if (const Peer& peer = fabric.peer(s, p); peer.is_switch()) ++count[peer.as_switch()];
  return count;
}

struct Published {
  std::string_view kind, spec;
  std::size_t hosts, switches, links;    // links: between switches
  std::map<unsigned, unsigned> degrees;  // cabled ports -> switches

  friend void PrintTo(const Published& published, std::ostream* out) {
    *out << published.kind << ' ' << published.spec;
  }
};

class PublishedTopology : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedTopology, has_the_published_counts_and_degrees) {
  const Published& published = GetParam();
  const Result<Fabric> fabric = made(published.kind, published.spec);
  ASSERT_TRUE(fabric) << fabric.error().text();
  EXPECT_EQ(fabric->num_endports(), published.hosts);
  EXPECT_EQ(fabric->num_switches(), published.switches);
  EXPECT_EQ(fabric->num_switch_links(), published.links);
  EXPECT_EQ(degrees(*fabric), published.degrees);
}

std::vector<Published> published_topologies() {
  return {
      // Gliksberg, definition 25: hosts m1 m2 m3, switches of level l: w1..wl m(l+1)..mh.
      {"xgft", "3;4,4,6;1,2,2", 4 * 4 * 6, 24 + 12 + 4, 24 * 2 + 12 * 2, {{6, 40}}},
      // Definition 24 with hosts of one port: m^h hosts, w^(l-1) m^(h-l) switches of level l = 1..h.
      {"gft", "3;4;2", 64, 16 + 8 + 4, 16 * 2 + 8 * 2, {{6, 24}, {4, 4}}},
      // Petrini: k^n hosts, n k^(n-1) switches with 2k ports (k at the top), (n-1) k^n links. Figure 1.5 is "2,3".
      {"kary", "2,3", 8, 3 * 4, 2 * 8, {{4, 8}, {2, 4}}},
      {"kary", "18,3", 5832, 3 * 324, 2 * 5832, {{36, 648}, {18, 324}}},
      // Lin: 2 (m/2)^n hosts, (2n-1) (m/2)^(n-1) switches, all ports in use.
      {"mport", "4,3", 16, 5 * 4, 2 * 16, {{4, 20}}},
      {"mport", "36,2", 648, 3 * 18, 648, {{36, 54}}},
      {"mport", "36,3", 11664, 5 * 324, 2 * 11664, {{36, 1620}}},
      {"mport", "36,1", 36, 1, 0, {{36, 1}}},
      // Zahavi: as many hosts as the m-port n-tree, divided by the p; figure 1.6 (b) has 8-port switches and p = 1, 2.
      {"rlft", "2;4;1,2", 16, 4 + 2, 16, {{8, 6}}},
      {"rlft", "3;18", 11664, 1620, 2 * 11664, {{36, 1620}}},
      {"rlft", "2;18;1,2", 324, 18 + 9, 324, {{36, 27}}},
      // Gliksberg, figure 1.4: k^n hosts, k^n links between any two levels, one top.
      {"leiserson", "2,3", 8, 4 + 2 + 1, 2 * 8, {{4, 4}, {8, 3}}},
      {"leiserson", "3,3", 27, 9 + 3 + 1, 2 * 27, {{6, 9}, {18, 3}, {27, 1}}},
      // Figure 2.2: 32 hosts, 20 switches, 80 links with those of the hosts, top switches half used.
      {"pgft", "3;4,2,4;1,2,2;1,2,1", 32, 20, 80 - 32, {{8, 8}, {6, 8}, {4, 4}}},
      {"qft", "3;4,2,4;1,2,2;1,2,1", 32, 20, 80 - 32, {{8, 8}, {6, 8}, {4, 4}}},
      // Shpiner: radix k balanced, k/2 of everything, (k/2)^2 + 1 groups, one link between any two.
      {"megafly", "5;2,2,2;2", 20, 20, 5 * 4 + 5 * 4 / 2, {{4, 20}}},
      {"megafly", "17;4,4,4;4", 272, 136, 17 * 16 + 17 * 16 / 2, {{8, 136}}},
      // 5 ports for 3 other groups: one link each, 2 ports remain; 6 ports would make it two each.
      {"megafly", "4;1,2,5;1", 8, 28, 4 * 10 + 4 * 3 / 2, {{6, 8}, {3, 4 * 3}, {2, 4 * 2}}},
      {"megafly", "4;1,2,3;2", 8, 20, 4 * 6 + 2 * 4 * 3 / 2, {{4, 20}}},
      {"megafly", "1;4,3,2;9", 12, 5, 6, {{6, 3}, {3, 2}}},
      // Three blocks of 13 leaves, nine line cards each: 27 cards with 13 + 18 links, 18 spines with 27.
      {"directors", "39,27,9;1,36", 1053, 39 + 27 + 18, 39 * 9 + 27 * 18, {{36, 39}, {31, 27}, {27, 18}}},
      // The same on three directors: nine cards each.
      {"directors", "39,27,9;3,36", 1053, 39 + 27 + 54, 39 * 9 + 27 * 18, {{36, 39}, {31, 27}, {9, 54}}},
      // A full 648-port director below which 72 leaves use all ports.
      {"directors", "72,27,9;1,36", 1944, 72 + 36 + 18, 648 + 648, {{36, 126}}},
      // Bogdanski, Tables III and IV: 648 ports and 3 456 ports.
      {"mport", "24,3", 3456, 720, 2 * 3456, {{24, 720}}},
      // A 648-port director with rack switches, cabled in pairs.
      {"directors", "54,12,12;1,36;12,1", 648, 54 + 54, 648 + 648 + 27 * 12, {{36, 108}}},
      // Like JuRoPA: eight of them, in two cores, joined by pairs of leaves.
      {"directors", "432,12,12;8,36;12,2", 5184, 864, 5184 + 8 * 648 + 216 * 12, {{36, 864}}},
      // Like Ranger: 16 of the 24 pods of two 3 456-port directors, 12 line cards and 12 middles each.
      // Direct networks: 2 q^2 switches with (3 q -+ 1) / 2 neighbors; d^D + d^(D-1); a grid of 2 has one link.
      {"slimfly", "5,4", 200, 50, 175, {{11, 50}}},
      {"slimfly", "7,6", 588, 98, 98 * 11 / 2, {{17, 98}}},
      {"kautz", "3,3,2", 72, 36, 108, {{8, 36}}},
      {"gdbg", "6,2", 6, 6, 10, {{5, 4}, {3, 2}}},
      {"jellyfish", "50,7,4", 200, 50, 175, {{11, 50}}},
      {"torus", "8,8,4,2", 512, 256, 768, {{8, 256}}},
      {"torus", "4,2,1", 8, 8, 12, {{4, 8}}},
      {"hyperx", "4,4,2", 32, 16, 48, {{8, 16}}},
      {"hyperx", "4,3;2,1;2", 24, 12, 12 * 8 / 2, {{10, 12}}},
      {"directors", "384,12,12;2,24,3", 4608, 1440, 4608 + 2 * 2 * 192 * 12, {{24, 3 * 384}, {16, 288}}},
  };
}

INSTANTIATE_TEST_SUITE_P(Generators, PublishedTopology, ::testing::ValuesIn(published_topologies()),
                         [](const auto& test) {
                           std::string name(test.param.kind);
                           for (const char c : test.param.spec) name += std::isdigit(c) ? c : '_';
                           return name;
                         });

TEST(Generators, all_make_their_examples_and_say_what_these_are) {
  for (const Generator& generator : generators()) {
    const Result<Fabric> fabric = made(generator.name, generator.example);
    ASSERT_TRUE(fabric) << generator.name << ": " << fabric.error().text();
    EXPECT_THAT(generator.gives, HasSubstr(std::to_string(fabric->num_endports()) + " hosts on ")) << generator.name;
  }
}

TEST(Generators, do_not_depend_on_the_order_in_which_nodes_are_found) {
  for (const Generator& generator : generators()) {
    const Fabric fabric = made(generator.name, generator.example).value();
    for (const SwitchId s : fabric.switches())
      if (index(s) > 0) {
        EXPECT_LT(fabric.at(id_at<SwitchId>(index(s) - 1)).guid, fabric.at(s).guid);
      }
    // Names are in the order of GUIDs: the n-th leaf and the n-th host are called so.
    const char* const third = generator.name == "dragonfly" ? "group 0 router 2" : "leaf 2";
    EXPECT_EQ(fabric.at(SwitchId{2}).description, third) << generator.name;
    EXPECT_EQ(fabric.at(EndportId{7}).description, "host 7") << generator.name;
    EXPECT_TRUE(test::identical(fabric, FabricBuilder(fabric).build().value()));
    EXPECT_TRUE(test::identical(fabric, made(generator.name, generator.example).value()));
  }
}

TEST(Generators, reduce_to_the_same_tree_what_is_the_same_tree) {
  const Fabric tree = made("pgft", "3;4,4,8;1,4,4;1,1,1").value();
  EXPECT_TRUE(test::identical(tree, made("xgft", "3;4,4,8;1,4,4").value()));
  EXPECT_TRUE(test::identical(tree, made("mport", "8,3").value()));
  EXPECT_TRUE(test::identical(tree, made("rlft", "3;4").value()));
  EXPECT_TRUE(test::identical(made("kary", "4,3").value(), made("gft", "3;4;4").value()));
  EXPECT_TRUE(test::identical(tree, made("qft", "3;4,4,8;1,4,4;1,1,1").value()));  // no pods are linked
}

TEST(Qft, brings_twice_as_many_leaves_within_four_links) {
  // Gliksberg, section 2.3.3: hosts at 2, 4 and 6 links are 3, 4, 24 in the PGFT and 3, 12, 16 in the QFT; with 4 hosts
  // on a leaf these are 1, 1, 6 and 1, 3, 4 leaves.
  const Fabric pgft = made("pgft", "3;4,2,4;1,2,2;1,2,1").value();
  const Fabric qft = made("qft", "3;4,2,4;1,2,2;1,2,1").value();
  for (std::size_t leaf = 0; leaf < 8; ++leaf) {
    EXPECT_EQ(distances(pgft, id_at<SwitchId>(leaf)), (std::map<unsigned, unsigned>{{0, 1}, {2, 1}, {4, 6}}));
    EXPECT_EQ(distances(qft, id_at<SwitchId>(leaf)), (std::map<unsigned, unsigned>{{0, 1}, {2, 3}, {4, 4}}));
  }
}

TEST(Qft, gives_every_top_switch_p_paths_to_every_leaf) {
  const Fabric qft = made("qft", "3;3,2,6;1,2,3;1,3,1").value();
  for (const SwitchId s : qft.switches()) {
    if (!qft.at(s).description.starts_with("L3")) continue;
    std::map<SwitchId, unsigned> paths;
    for (const auto& [middle, up] : neighbors(qft, s))
      for (const auto& [below, down] : neighbors(qft, middle)) paths[below] += up * down;
    unsigned leaves = 0;
    for (const auto& [below, count] : paths) {
      if (!qft.at(below).description.starts_with("leaf")) continue;
      ++leaves;
      EXPECT_EQ(count, 3U);
    }
    EXPECT_EQ(leaves, 12U);
  }
}

TEST(Directors, are_a_qft_where_the_numbers_divide) {
  const Fabric directors = made("directors", "18,27,9;1,36").value();
  const Fabric qft = made("qft", "3;27,2,9;1,1,18;1,9,1").value();
  EXPECT_EQ(directors.num_switches(), qft.num_switches());
  for (const SwitchId s : directors.switches()) EXPECT_EQ(neighbors(directors, s), neighbors(qft, s));
}

TEST(Directors, deal_leaves_evenly_to_complete_bipartite_blocks) {
  const Fabric fabric = made("directors", "20,2,4;2,12").value();  // 6 ports outside: 4 blocks of 5, 2 x 8 cards
  EXPECT_EQ(fabric.num_switches(), 20U + 16 + 12);
  for (std::size_t leaf = 0; leaf < 20; ++leaf) {
    const auto own = neighbors(fabric, id_at<SwitchId>(leaf));
    EXPECT_EQ(own.size(), 4U);
    EXPECT_EQ(own, neighbors(fabric, id_at<SwitchId>(leaf / 5 * 5)));
  }
  EXPECT_EQ(fabric.at(SwitchId{20 + 8 + 3}).description, "director 1 card 3");
}

TEST(MegaFly, links_every_pair_of_groups_equally) {
  const unsigned groups = 7, spines = 4;  // 4 * 5 = 20 global ports: three to each of 6 others, 2 remain
  const Fabric fabric = made("megafly", "7;1,3,4;5").value();
  std::map<std::pair<unsigned, unsigned>, unsigned> links;
  for (const SwitchId s : fabric.switches()) {
    if (index(s) < 21) continue;
    for (const auto& [peer, count] : neighbors(fabric, s))
      if (index(peer) >= 21) links[{(index(s) - 21) / spines, (index(peer) - 21) / spines}] += count;
  }
  EXPECT_EQ(links.size(), groups * (groups - 1));
  for (const auto& [pair, count] : links) {
    EXPECT_NE(pair.first, pair.second);
    EXPECT_EQ(count, 3U);
  }
}

TEST(Generators, say_what_a_spec_should_look_like) {
  const std::vector<std::pair<std::string_view, std::string_view>> wrong{{"pgft", "3;24"},
                                                                         {"xgft", "2;3,4;1,2;1,1"},
                                                                         {"xgft", "2;3;1,2"},
                                                                         {"gft", "3;4,2"},
                                                                         {"gft", "17;2;2"},
                                                                         {"kary", "18"},
                                                                         {"kary", "18;3"},
                                                                         {"kary", "2,17"},
                                                                         {"mport", "35,2"},
                                                                         {"mport", ""},
                                                                         {"leiserson", "2;3"},
                                                                         {"leiserson", "2,17"},
                                                                         {"rlft", "2"},
                                                                         {"rlft", "2;18;2,1"},
                                                                         {"rlft", "2;18;1"},
                                                                         {"rlft", "2;18;1,4"},
                                                                         {"rlft", "65535;2"},
                                                                         {"qft", "x"},
                                                                         {"megafly", "5;2,2,2"},
                                                                         {"megafly", "5;2,2;2"},
                                                                         {"directors", "1,2,3;4"},
                                                                         {"directors", "1,2,3;4,6,2,1"},
                                                                         {"directors", "1,2,3;4,6;1"},
                                                                         {"directors", "2,2,3;4,6;1,0"},
                                                                         {"directors", "0,2,3;4,6"}};
  for (const auto& [kind, spec] : wrong)
    EXPECT_THAT(error_of(kind, spec),
                AllOf(HasSubstr(std::string("is not ").append(test::generator(kind).title)), HasSubstr("for example")))
        << kind << " " << spec;
}

TEST(Generators, refuse_what_cannot_be_built) {
  EXPECT_THAT(error_of("kary", "200,2"), HasSubstr("a switch of level 1 would have 400 ports"));
  EXPECT_THAT(error_of("leiserson", "4,5"), HasSubstr("a switch of level 4 would have 511 ports"));
  EXPECT_THAT(error_of("mport", "48,4"), HasSubstr("49151"));
  EXPECT_THAT(error_of("qft", "3;4,2,4;1,2,2;1,1,2"),
              AllOf(HasSubstr("QFT("), HasSubstr("cannot be linked in groups of 2")));
  EXPECT_THAT(error_of("qft", "3;4,2,3;1,2,2;1,2,1"), HasSubstr("the 3 pods of level 2"));
  EXPECT_THAT(error_of("qft", "3;4,4,4;2,2,2;2,2,1"), HasSubstr("more than one level"));
  EXPECT_THAT(error_of("megafly", "6;2,2,2;2"), HasSubstr("4 global ports, too few for 5 other groups"));
  EXPECT_THAT(error_of("megafly", "2;2,254,2;1"), HasSubstr("a spine would have 255 ports"));
  EXPECT_THAT(error_of("megafly", "900;100,9,100;100"), HasSubstr("unicast LIDs"));
  EXPECT_THAT(error_of("megafly", "65535;65535,65535,65535;65535"), HasSubstr("ports"));
  EXPECT_THAT(error_of("directors", "9,9,9;1,35"), HasSubstr("half of them up"));
  EXPECT_THAT(error_of("directors", "9,9,9;2,36"), HasSubstr("spread evenly"));
  EXPECT_THAT(error_of("directors", "73,27,9;1,36"), HasSubstr("need 45 line cards of each director, which takes 36"));
  EXPECT_THAT(error_of("directors", "65534,27,1;1,4"), HasSubstr("line cards"));
  EXPECT_THAT(error_of("directors", "9,9,9;1,36,4"), HasSubstr("2 or 3 stages, not 4"));
  EXPECT_THAT(error_of("directors", "8,9,9;3,36;1,2"), HasSubstr("3 directors cannot be divided into 2 cores"));
  EXPECT_THAT(error_of("directors", "9,9,9;1,36;2,1"), HasSubstr("9 leaves cannot be cabled in pairs"));
  EXPECT_THAT(error_of("directors", "150,1,12;1,4,3"), HasSubstr("which takes 8"));
}

TEST(Generators, read_grids_with_and_without_widths) {
  const std::uint64_t written_out = fingerprint(made("hyperx", "3,4;1,1;2").value());
  EXPECT_EQ(fingerprint(made("hyperx", "3,4,2").value()), written_out);
  EXPECT_EQ(fingerprint(made("hyperx", "3,4;2").value()), written_out);
  for (const char* const spec : {"3", "3,4;1;2", "3,4;1,1,1;2", "3,4;1,1;2,2", "3,4;1,1;2;1"})
    EXPECT_FALSE(test::generator("hyperx").parse(spec)) << spec;
}

}  // namespace
}  // namespace espalier
