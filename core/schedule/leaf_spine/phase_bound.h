// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many phases an all-to-all exchange needs at least, whatever the schedule, over routes that go up to one spine and
// down again.
//
// Three reasons, of which the largest counts. P servers in all, k(A) of them on leaf A with u(A) uplinks:
//   * a server has P parts to send, its own included: P phases (that is how the literature counts; the own part needs
//     no network, so one phase is for the symmetry of the schedule). A schedule that has no phase for that needs P - 1;
//   * k(A) (P - k(A)) flows leave a leaf by u(A) links, and as many arrive (thesis 5.1);
//   * where two leaves have few spines in common, these carry all of their flows. For a leaf A and a set W of its
//     spines, let Y(W) be the leaves that reach A only by spines in W:   k(A) sum over B in Y(W) of k(B) / |W|.
//     W = all spines of A gives the second reason; a single pair of leaves is W = what they have in common.
//
//     A has spines 1 2 3, B1 and B2 share only spine 1 with A: 2 k k flows over one link, W = {1}.
//
// Pairs of leaves without any common spine count in the second reason only: their flows take some other path.
#pragma once

#include <cstdint>

#include "core/schedule/leaf_spine/leaf_spine.h"

namespace espalier {

struct PhaseBound {
  std::uint32_t servers = 0;     // first reason
  std::uint32_t leaf = 0;        // second; the published bound takes the largest reduction for all leaves
  std::uint32_t few_spines = 0;  // third
  std::uint32_t reduction = 0;   // f of the thesis
  [[nodiscard]] std::uint32_t phases() const;
  // Of schedules that keep no phase for the servers' own parts.
  [[nodiscard]] std::uint32_t without_own_parts() const;
  // The one of the two that a schedule with so many phases does not undercut.
  [[nodiscard]] std::uint32_t for_schedule(std::uint32_t num_phases) const {
    return num_phases < phases() ? without_own_parts() : phases();
  }
};

// A leaf with servers and without uplink makes no bound: what it cannot send is not part of the exchange.
[[nodiscard]] PhaseBound phase_bound(const LeafSpine& tree);

}  // namespace espalier
