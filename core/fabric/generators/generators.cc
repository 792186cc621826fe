// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/generators/made_up_nodes.h"

namespace espalier {
namespace {

using Numbers = std::vector<unsigned>;

// {1, value, value, ..}, h numbers.
Numbers one_then(unsigned value, unsigned h) {
  Numbers numbers(h, value);
  numbers[0] = 1;
  return numbers;
}

Status check_levels(unsigned h) {
  if (h > kMaxPgftLevels) return fail(fmt::format("it must have 1 to {} levels, not {}", kMaxPgftLevels, h));
  return {};
}

// REQUIRES: as many lists as `sizes`. Errors: a list that has another size than told.
Status check_shape(const NumberLists& lists, std::initializer_list<std::size_t> sizes) {
  if (lists.size() != sizes.size())
    return fail(fmt::format("it needs {} parts between ';', not {}", sizes.size(), lists.size()));
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (const std::size_t wanted = sizes.begin()[i]; lists[i].size() != wanted)
      return fail(fmt::format("part {} needs {}, not {}", i + 1, counted(wanted, "number"), lists[i].size()));
  return {};
}

// ---- from lists to specs, in the order of the table ----

Result<TopologySpec> read_pgft(const NumberLists& lists) { return PgftSpec::from(lists); }

Result<TopologySpec> read_xgft(const NumberLists& lists) {
  if (lists.size() != 3) return fail(fmt::format("it needs 3 parts between ';', not {}", lists.size()));
  NumberLists with_p = lists;
  with_p.emplace_back(lists[1].size(), 1U);
  return PgftSpec::from(with_p);
}

Result<TopologySpec> read_gft(const NumberLists& lists) {
  ESPALIER_TRY_STATUS(check_shape(lists, {1, 1, 1}));
  ESPALIER_TRY_STATUS(check_levels(lists[0][0]));
  const unsigned h = lists[0][0], m = lists[1][0], w = lists[2][0];
  return PgftSpec{h, Numbers(h, m), one_then(w, h), Numbers(h, 1)};
}

Result<TopologySpec> read_kary(const NumberLists& lists) {
  ESPALIER_TRY_STATUS(check_shape(lists, {2}));
  ESPALIER_TRY_STATUS(check_levels(lists[0][1]));
  const unsigned k = lists[0][0], n = lists[0][1];
  return PgftSpec{n, Numbers(n, k), one_then(k, n), Numbers(n, 1)};
}

Result<TopologySpec> read_mport(const NumberLists& lists) {
  ESPALIER_TRY_STATUS(check_shape(lists, {2}));
  ESPALIER_TRY_STATUS(check_levels(lists[0][1]));
  if (lists[0][0] % 2 != 0) return fail(fmt::format("m must be even, not {}", lists[0][0]));
  const unsigned k = lists[0][0] / 2, n = lists[0][1];
  PgftSpec spec{n, Numbers(n, k), one_then(k, n), Numbers(n, 1)};
  spec.m.back() = 2 * k;
  return spec;
}

// Saturates far above what a switch can have.
Result<TopologySpec> read_leiserson(const NumberLists& lists) {
  ESPALIER_TRY_STATUS(check_shape(lists, {2}));
  ESPALIER_TRY_STATUS(check_levels(lists[0][1]));
  const unsigned k = lists[0][0], n = lists[0][1];
  PgftSpec spec{n, Numbers(n, k), Numbers(n, 1), {1}};
  while (spec.p.size() < n) spec.p.push_back(std::min(spec.p.back() * k, kMaxSwitchPorts + 1));
  return spec;
}

Result<TopologySpec> read_rlft(const NumberLists& lists) {
  const unsigned h = lists[0][0];
  ESPALIER_TRY_STATUS(lists.size() == 2 ? check_shape(lists, {1, 1}) : check_shape(lists, {1, 1, h}));
  ESPALIER_TRY_STATUS(check_levels(h));
  const unsigned k = lists[1][0];
  PgftSpec spec{h, {}, {}, lists.size() == 2 ? Numbers(h, 1) : lists[2]};
  if (spec.p[0] != 1) return fail("p1 must be 1: a host has one port");
  for (const unsigned p : spec.p) {
    if (k % p != 0) return fail(fmt::format("{} cannot be divided into parallel cables by {}", counted(k, "port"), p));
    spec.m.push_back(k / p);
    spec.w.push_back(k / p);
  }
  spec.m.back() *= 2;
  spec.w[0] = 1;
  return spec;
}

Result<TopologySpec> read_qft(const NumberLists& lists) {
  return PgftSpec::from(lists).map([](PgftSpec&& tree) -> TopologySpec { return QftSpec{std::move(tree)}; });
}

template <DirectNetworkSpec::Kind kind>
Result<TopologySpec> read_direct_network(const NumberLists& lists) {
  return direct_network(kind, lists).map([](DirectNetworkSpec&& spec) -> TopologySpec { return std::move(spec); });
}

const std::array<Generator, 17> kGenerators{{
    {"pgft", "a PGFT", "Parallel Ports Generalized Fat Tree (Zahavi 2010)", "h;m1,..,mh;w1,..,wh;p1,..,ph",
     "h levels of switches; children of a switch, parents of a node below, and parallel cables between the two, level "
     "by level from the leaves up",
     "3;24,12,30;1,24,3;1,1,1", "8640 hosts on 1152 switches", read_pgft},
    {"xgft", "an XGFT", "Extended Generalized Fat Tree (Ohring 1995)", "h;m1,..,mh;w1,..,wh",
     "h levels of switches; children of a switch and parents of a node below, level by level from the leaves up",
     "3;4,4,6;1,2,2", "96 hosts on 40 switches, twice oversubscribed at each level", read_xgft},
    {"gft", "a GFT", "Generalized Fat Tree (Ohring 1995), with hosts of one port", "h;m;w",
     "h levels of switches, each with m children and w parents", "3;4;2", "64 hosts on 28 switches", read_gft},
    {"kary", "a k-ary n-tree", "k-ary n-tree (Petrini and Vanneschi 1997)", "k,n",
     "n levels of switches with k children and k parents, at the top without parents", "18,3",
     "5832 hosts on 972 switches", read_kary},
    {"mport", "an m-port n-tree", "m-port n-tree (Lin, Chung and Huang 2004)", "m,n",
     "n levels of switches with m ports, all in use", "36,3", "11664 hosts on 1620 switches", read_mport},
    {"rlft", "an RLFT", "Real-Life Fat Tree (Zahavi 2010)", "h;k;p1,..,ph",
     "h levels of switches with 2k ports, all in use, as much bandwidth up as down; parallel cables level by level, "
     "where \";p1,..,ph\" may be left out for single ones",
     "2;18;1,2", "324 hosts on 27 switches with 36 ports, cables in pairs", read_rlft},
    {"leiserson", "a Leiserson fat tree", "the fat tree of the CM-5 (Leiserson 1985), with switches that are crossbars",
     "k,n", "n levels of switches with k children, and as many cables upward as hosts below", "2,3",
     "8 hosts on 7 switches, figure 1.4 of Gliksberg's thesis", read_leiserson},
    {"qft", "a QFT", "Quasi Fat Tree (Zahavi, Keslassy and Kolodny 2014)", "h;m1,..,mh;w1,..,wh;p1,..,ph",
     "the nodes and ports of that PGFT; at the one level with p above 1, p neighboring pods share their children "
     "instead of having p cables to each of their own",
     "3;4,2,4;1,2,2;1,2,1", "32 hosts on 20 switches, figure 2.2 of Gliksberg's thesis", read_qft},
    {"dragonfly", "a dragonfly", "Dragonfly (Kim 2008), and with a grid Cray's Cascade (Faanes 2012)",
     "p,a,h,g[;R,C,r,c]",
     "p hosts on each router, a routers in a group, all cabled to each other, h global cables at each router, g "
     "groups, at most a h + 1; or a group as a grid of R rows and C columns, with r cables between two routers of a "
     "row and c between two of a column",
     "4,8,4,33", "1056 hosts on 264 switches with 15 ports, one cable between any two groups",
     [](const NumberLists& lists) -> Result<TopologySpec> { return DragonflySpec::from(lists); }},
    {"megafly", "a MegaFly", "MegaFly or Dragonfly+ (Flajslik 2018, Shpiner 2017)", "G;n,l,s;g",
     "G groups; n hosts on each leaf, l leaves and s spines in a group, all cabled to each other; g cables from each "
     "spine to other groups",
     "17;4,4,4;4", "272 hosts on 136 switches with 8 ports, one cable between any two groups",
     [](const NumberLists& lists) -> Result<TopologySpec> { return MegaFlySpec::from(lists); }},
    {"directors", "a tree with directors", "leaves below director switches (Gliksberg 2022, 5.2.2; Bogdanski 2012)",
     "L,n,u;D,R[,S][;h,C]",
     "L leaves with n hosts and u uplinks, each to another line card; D directors made of chips with R ports in S "
     "stages "
     "(2 or 3); h cables between neighboring leaves, and C cores that the directors are split into, leaf i below core "
     "i mod C",
     "39,27,9;1,36", "1053 hosts on 39 leaves below one 648-port director",
     [](const NumberLists& lists) -> Result<TopologySpec> { return DirectorsSpec::from(lists); }},
    {"jellyfish", "a Jellyfish", "random regular graph (Singla et al. 2012); --seed says which", "N,r,p",
     "N switches with p hosts and r cables to other switches each", "50,7,4", "200 hosts on 50 switches",
     read_direct_network<DirectNetworkSpec::Kind::kJellyfish>},
    {"gdbg", "a GDBG", "generalized de Bruijn graph (Imase and Itoh 1981), each arc one cable", "N,r[,p]",
     "N switches with r arcs out and r in; p hosts on each, 1 if left out", "50,4,4", "200 hosts on 50 switches",
     read_direct_network<DirectNetworkSpec::Kind::kDeBruijn>},
    {"kautz", "a Kautz graph", "Kautz graph (Kautz 1968), each arc one cable", "d,D[,p]",
     "d arcs out and in of each switch, diameter D of the directed graph; p hosts on each switch, 1 if left out",
     "4,2,4", "80 hosts on 20 switches", read_direct_network<DirectNetworkSpec::Kind::kKautz>},
    {"slimfly", "a Slim Fly", "Slim Fly of McKay-Miller-Siran graphs (Besta and Hoefler 2014)", "q,p",
     "2 q^2 switches for an odd prime q, p hosts on each", "5,4", "200 hosts on 50 switches",
     read_direct_network<DirectNetworkSpec::Kind::kSlimFly>},
    {"torus", "a torus", "torus of any number of dimensions", "x,y,z,p",
     "a size for each dimension, then the hosts of a switch", "4,4,2,1", "32 hosts on 32 switches",
     read_direct_network<DirectNetworkSpec::Kind::kTorus>},
    {"hyperx", "a HyperX", "HyperX (Ahn et al. 2009)", "s1,..,sL[;k1,..,kL];p",
     "a size for each dimension, parallel cables in it, then the hosts of a switch; or all sizes and p in one list",
     "4,4;2,1;2", "32 hosts on 16 switches", read_direct_network<DirectNetworkSpec::Kind::kHyperX>},
}};

struct Generate {
  Result<Fabric> operator()(const PgftSpec& spec) const { return generate_pgft(spec); }
  Result<Fabric> operator()(const QftSpec& spec) const { return generate_qft(spec.tree); }
  Result<Fabric> operator()(const DragonflySpec& spec) const { return generate_dragonfly(spec); }
  Result<Fabric> operator()(const MegaFlySpec& spec) const { return generate_megafly(spec); }
  Result<Fabric> operator()(const DirectorsSpec& spec) const { return generate_directors(spec); }
  Result<Fabric> operator()(const DirectNetworkSpec& spec) const { return generate_direct_network(spec); }
};

}  // namespace

Result<Fabric> generate(const TopologySpec& spec) { return std::visit(Generate{}, spec); }

Result<TopologySpec> Generator::parse(std::string_view spec) const {
  Result<TopologySpec> parsed = parse_number_lists(spec).and_then(read);
  if (!parsed)
    return fail(fmt::format("\"{}\" is not {}: {}", spec, title, parsed.error().message),
                fmt::format("write \"{}\", for example \"{}\"", form, example));
  return parsed;
}

std::span<const Generator> generators() { return kGenerators; }

}  // namespace espalier
