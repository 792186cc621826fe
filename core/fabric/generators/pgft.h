// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Generates regular fat trees: PGFT(h; m1..mh; w1..wh; p1..ph), the Parallel Ports Generalized Fat Tree of
// E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", CCIT
// report 776, Technion 2010; also Gliksberg 2022, section 1.3. Level 0 are the processing nodes, level 1 the leaves,
// level h the top switches. m_l = children of a level-l switch, w_l = parents that a level-(l-1) node has at level l,
// p_l = parallel links between the two. Hence
//
//   processing nodes      m1 m2 ... mh
//   switches of level l   w1 ... wl  *  m(l+1) ... mh      (width of a pod  *  number of pods)
//   ports of a level l    ml pl down  +  w(l+1) p(l+1) up
//
//   PGFT(2;2,2;1,2;1,1)       L2 0.0   L2 0.1       A pod at level l is a maximal set of switches with the same
//                             |    \  /    |        processing nodes below. Here each leaf is a pod of its own and
//                             |     \/     |        the two top switches are one pod.
//                             |     /\     |
//                           leaf 0      leaf 1
//                           /    \      /    \       .
//                         h 0   h 1   h 2   h 3
//
// w1 > 1 or p1 > 1 gives hosts with several ports: one channel adapter with w1 p1 end ports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/generators/number_lists.h"

namespace espalier {

inline constexpr unsigned kMaxPgftLevels = 16;

struct PgftSpec {
  unsigned h = 0;           // levels of switches, 1 .. 16
  std::vector<unsigned> m;  // m[l-1] is m_l: h numbers >= 1, and so for w and p
  std::vector<unsigned> w;
  std::vector<unsigned> p;

  // "3;24,12,30;1,24,3;1,1,1". Blanks between the parts are allowed.
  // Errors: text of another form; numbers that are 0 or above 65535; lists that are not h long.
  [[nodiscard]] static Result<PgftSpec> parse(std::string_view text);
  // {{h}, m, w, p}. Errors: lists of another form; the message says what is wrong with them.
  [[nodiscard]] static Result<PgftSpec> from(const NumberLists& lists);
  // The reverse of parse().
  [[nodiscard]] std::string text() const;

  // Processing nodes. Saturates at 2^32.
  [[nodiscard]] std::uint64_t num_hosts() const;
  // Switches of level 1 .. h. Saturates at 2^32.
  [[nodiscard]] std::uint64_t num_switches(unsigned level) const;

  bool operator==(const PgftSpec&) const = default;
};

// The fabric with all LIDs assigned (LMC 0). GUIDs and descriptions are those of made_up_nodes.h, switches of a level
// counted pod by pod. On a switch the down ports come first, each side ordered by peer.
// Errors: a malformed spec, more than 254 ports on a node, more nodes than there are LIDs.
[[nodiscard]] Result<Fabric> generate_pgft(const PgftSpec& spec);

// The Quasi Fat Tree of E. Zahavi, I. Keslassy, A. Kolodny, "Quasi fat trees for HPC clouds and their fault-resilient
// closed-form routing", HOTI 2014; Gliksberg 2022, section 1.3.4. Nodes and ports are those of PGFT(h;m;w;p), but
// p_l > 1 links pods instead of doubling links: p_l neighboring pods of level l share their children, each child
// having one link, not p_l, to each parent of its own pod, and one to each of the other p_l - 1 pods.
//
//   PGFT(2 pods of 2 leaves, p2 = 2)        QFT, p2 = 2
//     A     B     C     D                     A     B     C     D         A, B one pod of level 2; C, D the other
//     ||\ //||   ||\ //||                   every leaf to every one of A, B, C, D
//     0     1     2     3                     0     1     2     3
//
// Twice as many hosts are thus 4 links apart instead of 6, and a top switch has p_l paths down to each leaf.
// Errors: as above; p > 1 at more than one level; p_l that does not divide the m_(l+1) sibling pods (hence p_h = 1).
[[nodiscard]] Result<Fabric> generate_qft(const PgftSpec& spec);

}  // namespace espalier
