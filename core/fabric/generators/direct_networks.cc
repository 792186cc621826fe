// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/direct_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/made_up_nodes.h"
#include "core/fabric/generators/regular_graphs.h"

namespace espalier {
namespace {

using Kind = DirectNetworkSpec::Kind;
using Numbers = std::vector<unsigned>;

// One list of `least` to `most` numbers.
Status check_one_list(const NumberLists& lists, std::size_t least, std::size_t most) {
  if (lists.size() == 1 && least <= lists[0].size() && lists[0].size() <= most) return {};
  return fail(least == most ? fmt::format("it needs {} numbers between ','", least)
                            : fmt::format("it needs {} or {} numbers between ','", least, most));
}

// A grid is read as {sizes; widths; {hosts}}.
Result<NumberLists> grid(const NumberLists& lists) {
  NumberLists read = lists;
  if (read.size() == 1 && read[0].size() >= 2) {  // "x,y,z,p"
    read.push_back({read[0].back()});
    read[0].pop_back();
  }
  if (read.size() == 2) read.insert(read.begin() + 1, Numbers(read[0].size(), 1));
  if (read.size() != 3 || read[1].size() != read[0].size() || read[2].size() != 1)
    return fail("it needs a size for each dimension, and the hosts of a switch");
  return read;
}

Result<DirectNetwork> with_arcs(DirectNetwork network, Result<std::vector<Arc>> arcs) {
  return std::move(arcs).map([&](std::vector<Arc>&& list) {
    network.arcs = std::move(list);
    return std::move(network);
  });
}

// Before a graph takes memory.
Status check_size(std::uint64_t switches) {
  if (switches > index(kMaxUnicastLid)) return fail(fmt::format("at least {} switches need too many LIDs", switches));
  return {};
}

// Roughly how many arcs or cables a spec asks for; 0 where sizes bound them.
double count_links(const DirectNetworkSpec& spec) {
  const Numbers& first = spec.numbers[0];
  double of_switch = 0;
  switch (spec.kind) {
    case Kind::kJellyfish:
      return 0.5 * first[0] * first[1];
    case Kind::kDeBruijn:
      return static_cast<double>(first[0]) * first[1];
    case Kind::kKautz:
      return (first[0] + 1.0) * std::pow(first[0], first[1]);
    case Kind::kHyperX:
      for (std::size_t d = 0; d < first.size(); ++d) of_switch += (first[d] - 1.0) * spec.numbers[1][d];
      return 0.5 * of_switch * static_cast<double>(count_product(first));
    case Kind::kSlimFly:
    case Kind::kTorus:
      break;
  }
  return 0;
}

}  // namespace

std::string_view DirectNetworkSpec::word() const {
  constexpr std::string_view kWords[] = {"jellyfish", "gdbg", "kautz", "slimfly", "torus", "hyperx"};
  return kWords[static_cast<std::size_t>(kind)];
}

Result<DirectNetworkSpec> direct_network(Kind kind, const NumberLists& numbers) {
  DirectNetworkSpec spec{kind, numbers};
  Status ok;
  switch (kind) {
    case Kind::kJellyfish:
      ok = check_one_list(numbers, 3, 3);
      break;
    case Kind::kSlimFly:
      ok = check_one_list(numbers, 2, 2);
      break;
    case Kind::kDeBruijn:
    case Kind::kKautz:
      ok = check_one_list(numbers, 2, 3);
      if (ok && numbers[0].size() == 2) spec.numbers[0].push_back(1);
      break;
    case Kind::kTorus:
      if (numbers.size() != 1) ok = fail("it needs numbers between ','");
      [[fallthrough]];
    case Kind::kHyperX:
      if (ok) ok = grid(numbers).map([&](NumberLists&& read) { spec.numbers = std::move(read); });
      if (ok) ok = check_size(count_product(spec.numbers[0]));
      break;
  }
  if (!ok) return tl::unexpected(ok.error());
  return spec;
}

Result<DirectNetwork> make_direct_network(const DirectNetworkSpec& spec) {
  constexpr double kMostLinks = 30'000'000;
  if (count_links(spec) > kMostLinks)
    return fail(fmt::format("{}: more than {:.0f} links between switches", spec.word(), kMostLinks));
  const Numbers& first = spec.numbers[0];
  const auto nodes = [&](std::uint32_t n) { return DirectNetwork{n, spec.numbers.back().back(), false, {}}; };
  const auto on_grid = [&](std::vector<Arc> edges) {
    return with_arcs(nodes(static_cast<std::uint32_t>(count_product(first))), std::move(edges));
  };
  const auto directed = [&](Result<std::vector<Arc>> arcs) {
    return std::move(arcs).map([&](std::vector<Arc>&& list) {
      return DirectNetwork{list.empty() ? 0 : list.back().first + 1, first.back(), true, std::move(list)};
    });
  };
  switch (spec.kind) {
    case Kind::kJellyfish:
      return with_arcs(nodes(first[0]), random_regular_graph(first[0], first[1], spec.seed));
    case Kind::kDeBruijn:
      return directed(de_bruijn_graph(first[0], first[1]));
    case Kind::kKautz:
      return directed(kautz_graph(first[0], first[1]));
    case Kind::kSlimFly:
      return with_arcs(nodes(2 * first[0] * first[0]), slim_fly_graph(first[0]));
    case Kind::kTorus:
      return on_grid(torus_graph(first));
    case Kind::kHyperX:
      return on_grid(hyperx_graph(first, spec.numbers[1]));
  }
  return fail("unknown kind of network");
}

Result<Fabric> generate_direct_network(const DirectNetworkSpec& spec) {
  const std::string title(spec.word());
  ESPALIER_TRY(const DirectNetwork network, make_direct_network(spec));
  std::vector<std::uint64_t> ports(network.switches, network.hosts);
  for (const auto& [a, b] : network.arcs)
    if (a != b) ++ports[a], ++ports[b];
  ESPALIER_TRY_STATUS(check_lids(title, std::uint64_t{network.switches} * (1 + std::uint64_t{network.hosts})));
  ESPALIER_TRY_STATUS(check_ports(title, "a switch", *std::max_element(ports.begin(), ports.end())));

  using SwitchHandle = FabricBuilder::SwitchHandle;
  FabricBuilder builder;
  const auto most = static_cast<unsigned>(*std::max_element(ports.begin(), ports.end()));
  for (std::uint32_t i = 0; i < network.switches; ++i) {
    builder.add_switch(made_up_switch(1, i, made_up_name(1, i, 1), most));
    for (unsigned port = 1; port <= network.hosts; ++port)
      builder.connect(id_at<SwitchHandle>(i), id_at<PortNum>(port),
                      builder.add_endport(made_up_host(builder.num_endports(), 1, 1)), kMadeUpRate);
  }
  std::vector<unsigned> next(network.switches, network.hosts + 1);
  for (const auto& [a, b] : network.arcs)
    if (a != b) {
      const PortNum from = id_at<PortNum>(next[a]++), to = id_at<PortNum>(next[b]++);
      builder.connect(id_at<SwitchHandle>(a), from, id_at<SwitchHandle>(b), to, kMadeUpRate);
    }
  ESPALIER_TRY_STATUS(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return std::move(builder).build();
}

}  // namespace espalier
