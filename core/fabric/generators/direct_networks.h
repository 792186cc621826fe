// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Generates direct networks: hosts on every switch, and switches cabled to each other as some graph says.
//
//   jellyfish   random regular graph (Singla et al., "Jellyfish: networking data centers randomly", NSDI 2012)
//   gdbg        generalized de Bruijn graph (Imase and Itoh 1981; Faizian 2018, 3.2): node i has arcs to i r + c mod N
//   kautz       Kautz graph K(d, D) in the numbering of Imase and Itoh 1983: node i has arcs to -(i d + c) mod N
//   slimfly     Slim Fly (Besta and Hoefler, SC 2014): graphs of McKay, Miller and Siran, of diameter 2
//   torus       any number of dimensions
//   hyperx      HyperX (Ahn et al., SC 2009): each dimension is a complete graph
//
// De Bruijn and Kautz graphs are directed, and a link is not: each of their arcs becomes one link, so a switch has
// 2 r ports for them, and a loop becomes none. core/graphs has the directed ones.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/generators/number_lists.h"

namespace espalier {

using Arc = std::pair<std::uint32_t, std::uint32_t>;  // from, to

struct DirectNetworkSpec {
  enum class Kind : std::uint8_t { kJellyfish, kDeBruijn, kKautz, kSlimFly, kTorus, kHyperX };
  Kind kind = Kind::kJellyfish;
  NumberLists numbers;     // as the table of generators.cc explains them
  std::uint64_t seed = 0;  // jellyfish: which graph

  // The word of the table: "torus".
  [[nodiscard]] std::string_view word() const;
};

// Errors: numbers of another shape or out of range for this kind.
[[nodiscard]] Result<DirectNetworkSpec> direct_network(DirectNetworkSpec::Kind kind, const NumberLists& numbers);

// What a spec describes before it is cabled.
struct DirectNetwork {
  std::uint32_t switches = 0;
  std::uint32_t hosts = 0;  // of each switch
  bool directed = false;    // whether `arcs` mean one direction; else each stands for both
  std::vector<Arc> arcs;    // of de Bruijn and Kautz graphs with their loops; in no other graph are any
};

// Errors: graphs that do not exist, such as a Slim Fly of a q that is no odd prime.
[[nodiscard]] Result<DirectNetwork> make_direct_network(const DirectNetworkSpec& spec);

// All LIDs assigned (LMC 0); switch i is "leaf i", hosts on its first ports. Errors: as above; too many ports or LIDs.
[[nodiscard]] Result<Fabric> generate_direct_network(const DirectNetworkSpec& spec);

}  // namespace espalier
