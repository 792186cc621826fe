// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// In which service levels a group may be the intermediate one.
//
// A switch tells the first global hop of a packet from its second neither by ports nor by lanes, but the SL may say it:
// let the group G have a set C(G) of SLs, its codeword. A packet from group S over group I to group D uses an SL that
// is in C(I), but neither in C(S) nor in C(D): then each group knows its part. For each S, I, D there has to be one: a
// 2-cover-free family (Kautz and Singleton 1964, superimposed codes). Triples that meet pairwise in at most one element
// are one, since two of them cover at most two elements of a third. The most triples of S elements (maximal packings,
// Schoenheim 1966): 12 of 9, 17 of 11, 26 of 13, 35 of 15. So 15 SLs, with SL 0 for what has no intermediate group, serve
// 35 groups; beyond, every group is drawn into a third of the SLs, which serves 9 of 10 paths (1 - (23/27)^15 = 0.91),
// and what finds no SL goes the minimal path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier {

struct Codewords {
  std::vector<std::uint16_t> of_group;  // bit s: SL s is in C(G); bit 0 never
  unsigned num_sls = 1;                 // SLs 1 .. num_sls - 1 are used

  // Bits of the SLs for packets from group `source` over `middle` to `destination`; source may be the middle.
  [[nodiscard]] std::uint16_t sls(std::size_t source, std::size_t middle, std::size_t destination) const {
    const std::uint16_t own = source == middle ? std::uint16_t{0} : of_group[source];
    return static_cast<std::uint16_t>(of_group[middle] & ~own & ~of_group[destination]);
  }
  // Bits of the SLs in which neither of two groups is intermediate; the groups may be one.
  [[nodiscard]] std::uint16_t free_sls(std::size_t a, std::size_t b) const {
    const unsigned all = (1U << num_sls) - 2;
    return static_cast<std::uint16_t>(all & ~of_group[a] & ~of_group[b]);
  }
};

// Complete (sls() is never empty for different groups) up to 35 groups. The same at each call.
[[nodiscard]] Codewords make_codewords(std::size_t num_groups);

// Sets of elements 0 .. num_elements - 1, none of which contains another: for any two groups there is an element that
// is in the one's set and not in the other's.
struct Antichain {
  std::vector<std::uint16_t> of_group;  // bit e: element e
  unsigned num_elements = 1;
};

// With the fewest elements that give each group a set of its own (Sperner 1928: the sets of half of them); at most 10,
// with which 252 groups have one, and further groups share.
[[nodiscard]] Antichain make_antichain(std::size_t num_groups);

}  // namespace espalier
