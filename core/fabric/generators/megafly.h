// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Generates MegaFly networks, which Mellanox calls Dragonfly+: M. Flajslik, E. Borch, M. Parker, "Megafly: a topology
// for exascale systems", ISC 2018; A. Shpiner et al., "Dragonfly+: low cost topology for scaling datacenters", HiPINEB
// 2017; Gliksberg 2022, section 1.3.4. Groups are two-level fat trees without a level above: the spines of different
// groups are cabled to each other, which a fat tree calls a same-level link.
//
//          .----------------------.            "3;1,2,2;1": three groups of two leaves and two spines; a spine has
//         S0    S1-----S0    S1----S0    S1    one global port, so a group has two, one for each other group
//          | \/ |      | \/ |      | \/ |      (S1 of the last and S0 of the first are cabled, too)
//          | /\ |      | /\ |      | /\ |
//         L0    L1     L0    L1    L0    L1
//
// A group of l leaves and s spines has l s links inside and s g global ports. With G groups each pair of them has
// c = floor(s g / (G - 1)) links, c >= 1; the s g - c (G - 1) ports that remain in a group have no link.
#pragma once

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/generators/number_lists.h"

namespace espalier {

struct MegaFlySpec {
  unsigned groups = 0;
  unsigned hosts = 0;    // of a leaf
  unsigned leaves = 0;   // of a group
  unsigned spines = 0;   // of a group
  unsigned globals = 0;  // ports of a spine to other groups

  // {{groups}, {hosts, leaves, spines}, {globals}}: "5;2,2,2;2". Errors: lists of another form.
  [[nodiscard]] static Result<MegaFlySpec> from(const NumberLists& lists);
  [[nodiscard]] std::string text() const;
};

// All LIDs assigned (LMC 0); names and GUIDs of made_up_nodes.h, where a group is a pod and its spines are level 2.
// Errors: pairs of groups without a link; more ports than a switch can have, more nodes than there are LIDs.
[[nodiscard]] Result<Fabric> generate_megafly(const MegaFlySpec& spec);

}  // namespace espalier
