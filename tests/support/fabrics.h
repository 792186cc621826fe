// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Small fabrics, drawn by hand, one peculiarity each, and fabrics by a generator. L = leaf, M = middle, S or T = spine; a
// number in brackets is a count of hosts. The words of a drawing are those of drawing.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/generators/generators.h"

namespace espalier::test {

//      S0       S1
//     / | \   / | \      each leaf to both spines
//   L0    L1     L2
//  [2]   [2]    [2]
[[nodiscard]] Fabric two_level_tree();

//   T0  T1  T2  T3       T0, T1 above M0 and M2; T2, T3 above M1 and M3
//    |\/ \/ \/ \/|
//   M0  M1    M2  M3     M0, M1 above L0 and L1; M2, M3 above L2 and L3
//    | X |     | X |
//   L0  L1    L2  L3
//  [2] [2]   [2] [2]
[[nodiscard]] Fabric three_level_tree();

//     S0    S1
//     | \  / |
//     |  \/  |
//     |  /\  |
//    L0------L1          two leaves are cabled to each other
//   [2]      [2]
[[nodiscard]] Fabric leaf_to_leaf_link();

//    [1]
//     S0    S1           a service node on a spine
//     | \  / |
//    L0    L1
//   [2]    [2]
[[nodiscard]] Fabric host_on_spine();

//     S0*   S1*
//     | \  / |           * every switch carries an Aggregation Node on its last port
//    L0*   L1*
//   [2]    [2]
[[nodiscard]] Fabric aggregation_nodes();

//         T0
//       /  |  \          a spine above the spines, and leaf L2 directly below it:
//     S0   S1  \         the hosts of L2 are one level nearer to the top
//     | \ / |   \        .
//    L0   L1     L2
//   [2]   [2]    [2]
[[nodiscard]] Fabric hosts_at_two_depths();

//     S0         S1
//     ||\\     // |      two links everywhere, but one from L1 to S1
//     ||  \\ //   |
//     ||  // \\   |
//     L0         L1
//    [4]         [4]
[[nodiscard]] Fabric missing_parallel_link();

//      S0         S1
//     /  \       /  \    L0 and L2 meet nowhere above: every path between them goes
//   L0     L1---+    L2  up, down to L1, and up again
//  [2]    [2]       [2]
[[nodiscard]] Fabric pair_without_up_down_path();

//     S0        S1       two subnets' worth of equipment in one picture, no link between
//    /  \      /  \      .
//   L0   L1   L2   L3
//  [1]  [1]  [1]  [1]
[[nodiscard]] Fabric two_subnets();

//    L0                  the smallest fabric
//   [3]
[[nodiscard]] Fabric single_switch();

//      R0---R1
//     /       \          one host each; no tree at all
//   R4         R2
//     \--R3--/
[[nodiscard]] Fabric ring_of_five();

//     S0    S1
//     | \  / |
//    L0    L1            h2 has one port on each leaf
//   [1] \  / [1]
//        h2
[[nodiscard]] Fabric dual_port_adapter();

//     S0    S1
//     | \  / |
//    L0    L1---router   a router to another subnet hangs on L1
//   [2]    [2]
[[nodiscard]] Fabric with_router();

//     S0    S1
//     | \  / |
//    L0    L1   L2       L2 has hosts but no uplink, L1 no host, h4 no link
//   [2]         [2]
[[nodiscard]] Fabric loose_ends();

struct NamedFabric {
  std::string_view name;
  Fabric fabric;
};

// All of the above, in this order.
[[nodiscard]] std::vector<NamedFabric> all_drawn_fabrics();

// The generator of that name. Throws when there is none.
[[nodiscard]] const Generator& generator(std::string_view kind);

// What `espalier generate KIND SPEC` makes, with 2^lmc LIDs for each end port; `seed`: which of the random graphs. Throws
// when there is no such fabric.
[[nodiscard]] Fabric generated(std::string_view kind, std::string_view spec, std::uint8_t lmc = 0,
                               std::uint64_t seed = 0);
[[nodiscard]] Fabric pgft(std::string_view spec, std::uint8_t lmc = 0);

}  // namespace espalier::test
