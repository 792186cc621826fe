// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From loads of links to an all-to-all exchange of servers: who sends to whom, when and over which spine.
//
// Three equitable colorings (equitable_coloring.h) in a row. Let g be the grain: a server d gets its flows from the k
// servers of a leaf in k/g pieces, each of which lasts g phases, a *block*, and keeps one spine.
//   1. Pieces (A, s, B) -> blocks. Links (A, s) and (s, B) are inner sets, leaves are outer sets, so in each block a
//      link carries one piece and a leaf of k servers sends and receives at most k.
//   2. For each leaf B: pieces -> servers d of B. A block is a vertex, so d receives one piece per block.
//   3. For each leaf A: pieces -> groups of g servers of A. Each (A, d) has one piece for each group.
// Within a block the g sources of a group take turns: in phase t the j-th piece is sent by source (j + t) mod g, or
// rests where the leaf has less than g servers and that is none. So each pair meets exactly once, nobody sends or
// receives twice in a phase, and no link carries two flows.
//
// What g buys. A pair (A, d) needs at most k/g spines: with g = k one, so plain LIDs (LMC 0) carry the exchange; with
// g = 1 the number of phases needs no rounding. Published block schedules have g = k.
//
//     two leaves of 2 servers, one spine, g = 2:   block 0: a0,a1 -> b0; b0,b1 -> a0     phase 0: a0->b0  b0->a0
//                                                                                        phase 1: a1->b0  b1->a0  ...
#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule/leaf_spine/leaf_spine.h"
#include "core/schedule/leaf_spine/spine_assignment.h"

namespace espalier {

// What a server does in a phase.
struct Slot {
  static constexpr std::uint32_t kIdle = 0xFFFFFFFF;
  std::uint32_t destination = kIdle;  // a server; servers are numbered leaf by leaf
  std::uint32_t spine = 0;            // LeafSpine::num_spines within a leaf
  bool operator==(const Slot&) const = default;
};

// Pieces of leaf `from` to leaf `to` over one path. Paths below num_spines are spines, num_spines is the leaf itself, and
// those above are the caller's: each takes one piece per block of each leaf, like a link.
struct LeafPieces {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t path = 0;
  std::uint32_t count = 0;
};

// Blocks that follow one another, and what has to happen in them. REQUIRES: a link has at most `blocks` pieces, a leaf
// receives at most `blocks` times its servers, and sends at most that, or `blocks` times the grain if it has less
// servers.
struct Part {
  std::vector<LeafPieces> pieces;
  std::uint32_t blocks = 0;
};

// Everything as one part. The leaves' own pieces included.
[[nodiscard]] Part whole_exchange(const LeafSpine& tree, const SpineLoads& loads, std::uint32_t grain,
                                  std::uint32_t blocks);

// The same without the leaves' own pieces.
[[nodiscard]] Part exchange_between_leaves(const LeafSpine& tree, const SpineLoads& loads, std::uint32_t blocks);

// The grains that fit: 1, the common divisors of all leaves' servers, and the most servers of a leaf. Descending.
[[nodiscard]] std::vector<std::uint32_t> possible_grains(const LeafSpine& tree);

// Pieces per pair of leaves, [from * leaves + to], for assign_spines(); the rounds are then phases / grain.
[[nodiscard]] std::vector<std::uint32_t> piece_demand(const LeafSpine& tree, std::uint32_t grain);

// The same, with nothing for pairs of leaves without a common spine.
[[nodiscard]] std::vector<std::uint32_t> routable_demand(const LeafSpine& tree, std::uint32_t grain);

// The least number of blocks that the servers themselves need.
[[nodiscard]] std::uint32_t least_blocks(const LeafSpine& tree, std::uint32_t grain);

// [server * (blocks * grain) + phase]. Each server meets itself, too.
// REQUIRES: grain is possible; the parts hold the leaves' own pieces or none of them and, of each pair of leaves, all
// or nothing of piece_demand(); `num_paths` is above every path; there are least_blocks() or more.
[[nodiscard]] std::vector<Slot> exchange_servers(const LeafSpine& tree, const std::vector<Part>& parts,
                                                 std::uint32_t grain, std::uint32_t num_paths);

}  // namespace espalier
