// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Generates fat trees whose upper two levels come packaged as director switches: Gliksberg 2022, section 5.2.2, and so
// JuRoPA (Bogdanski's and Gliksberg's reference [6]). A director of chips with R ports is a two-level tree of its own,
// R/2 spines and up to R line cards with R/2 ports outside: 648 ports for R = 36. It was bought for its price per port,
// and the leaves are cabled to it as best fits the line cards:
//
//   leaves are dealt in blocks of up to R/2; a block takes `uplinks` line cards of its own, as many in each director,
//   and each of its leaves has one cable to each of them.
//
//        spine   spine   spine         all spines of the director, R/2
//        |||     |||     |||
//       card 0  card 1  card 2 ...     two cards of its own for each block: complete bipartite below ...
//        | \  / |        |
//      leaf 0  leaf 1   leaf 2 ...     ... and two paths from each spine down to each leaf, which no PGFT has
//
// Where the numbers divide, this is a QFT: directors("18,27,9;1,36") is QFT(3;27,2,9;1,1,18;1,9,1) with free ports.
// Only line cards that are in use are there. For missing cables and hosts see faults.h and modifiers.h.
#pragma once

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/number_lists.h"

namespace espalier {

struct DirectorsSpec {
  unsigned leaves = 0;
  unsigned hosts = 0;    // of a leaf
  unsigned uplinks = 0;  // of a leaf, to as many line cards
  unsigned directors = 0;
  unsigned radix = 0;  // ports of the chips in a director, even

  // {{leaves, hosts, uplinks}, {directors, radix}}: "39,27,9;1,36". Errors: lists of another form.
  [[nodiscard]] static Result<DirectorsSpec> from(const NumberLists& lists);
  [[nodiscard]] std::string text() const;
};

// All LIDs assigned (LMC 0); GUIDs of made_up_nodes.h with line cards on level 2 and spines on level 3. Descriptions:
// "leaf 12", "director 1 card 3", "director 1 spine 17", "host 124".
// Errors: an odd radix; uplinks that the directors do not divide; more line cards than a director has; more ports than
// a switch can have, more nodes than there are LIDs.
[[nodiscard]] Result<Fabric> generate_directors(const DirectorsSpec& spec);

}  // namespace espalier
