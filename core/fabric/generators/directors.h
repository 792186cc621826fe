// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Generates fat trees whose upper two levels come packaged as director switches: Gliksberg 2022, section 5.2.2, and so
// JuRoPA (Bogdanski's and Gliksberg's reference [6]). A director of chips with R ports is a two-level tree of its own,
// R/2 spines and up to R line cards with R/2 ports outside: 648 ports for R = 36. It was bought for its price per port,
// and the leaves are cabled to it as best fits the line cards:
//
//   leaves are dealt in blocks of up to R/2; a block takes `uplinks` line cards of its own, as many in each director,
//   and each of its leaves has one link to each of them.
//
//        spine   spine   spine         all spines of the director, R/2
//        |||     |||     |||
//       card 0  card 1  card 2 ...     two cards of its own for each block: complete bipartite below ...
//        | \  / |        |
//      leaf 0  leaf 1   leaf 2 ...     ... and two paths from each spine down to each leaf, which no PGFT has
//
// Where the numbers divide, this is a QFT: directors("18,27,9;1,36") is QFT(3;27,2,9;1,1,18;1,9,1) with free ports.
// Only line cards that are in use are there. For missing links and hosts see faults.h and modifiers.h.
//
// Multi-core trees (Bogdanski 2012, section 3). Directors of three stages, 3 456 ports of 24-port chips, have pods of
// R/2 line cards and R/2 middles under (R/2)^2 spines. Leaves may be cabled to each other in pairs, and the directors
// be split into cores, of which leaf i sees only core i mod `cores`; a pair then joins two cores:
//
//   648 ports with rack switches in pairs         directors("54,12,12;1,36;12,1")     648 hosts,   108 switches
//   like JuRoPA: two cores of four directors      directors("432,12,12;8,36;12,2")    5 184 hosts, 864 switches
//   like Ranger: every leaf below both cores      directors("384,12,12;2,24,3")       4 608 hosts, 1 440 switches
#pragma once

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/generators/number_lists.h"

namespace espalier {

struct DirectorsSpec {
  unsigned leaves = 0;
  unsigned hosts = 0;    // of a leaf
  unsigned uplinks = 0;  // of a leaf, to as many line cards
  unsigned directors = 0;
  unsigned radix = 0;       // ports of the chips in a director, even
  unsigned stages = 2;      // of a director: 2 or 3
  unsigned horizontal = 0;  // links between leaves 2i and 2i + 1
  unsigned cores = 1;       // into which the directors are split

  // {{leaves, hosts, uplinks}, {directors, radix}}: "39,27,9;1,36". The second list may add `stages`, a third be
  // {horizontal, cores}. Errors: lists of another form.
  [[nodiscard]] static Result<DirectorsSpec> from(const NumberLists& lists);
  [[nodiscard]] std::string text() const;
};

// All LIDs assigned (LMC 0); GUIDs of made_up_nodes.h with line cards on level 2, then the stages above them.
// Descriptions: "leaf 12", "director 1 card 3", "director 1 middle 5", "director 1 spine 17", "host 124".
// Errors: an odd radix; directors of other than 2 or 3 stages; directors that the cores do not divide, uplinks that the
// directors of a core do not; a leaf without its pair; more line cards than a director has; more ports than a switch
// can have, more nodes than there are LIDs.
[[nodiscard]] Result<Fabric> generate_directors(const DirectorsSpec& spec);

}  // namespace espalier
