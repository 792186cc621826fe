// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All-to-all exchanges on leaves with unequal numbers of servers, over plain LIDs (LMC 0).
//
// With one LID a leaf takes one spine toward each server, so its flows to that server form one piece that lasts as
// many phases as the fullest leaf has servers, g. Two things make that cheap where leaves are not full:
//
//   Ghosts.  A leaf of k servers sends as if it had g: in phase t of a block its j-th piece is sent by source
//            (j + t) mod g, and rests when that is no server. Never more than k pieces send at a time, but g of them
//            share a block, so the leaf needs (P - k) / g blocks, not (P - k) / k.
//   Gaps.    While a piece rests its destination is idle. Flows within a leaf need no spine and no piece: they are put
//            into these gaps by a local search with ejection chains. Before it, servers of a leaf exchange what they do
//            in a block, so that every pair of them has phases in which both idle. What finds no gap follows at the end.
//
// So T = g x max(leaves - 1, ...) where the exchange that counts a leaf's own part as a piece has g x leaves, and one
// without ghosts g x (P / fewest servers of a leaf).
//
// Example: 326 servers scattered over FT(2;20,18), g = 20: 17 blocks of 20 phases and one phase more, 341, bound 326; without
// this 440.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule/exchanges/server_exchange.h"

namespace espalier {

struct UnevenExchange {
  std::uint32_t phases = 0;
  std::vector<Slot> slots;  // [server * phases + phase]
};

// The shortest that is found with at most `most_phases`; pairs of leaves without a common spine are left out. Nothing:
// none is found.
[[nodiscard]] std::optional<UnevenExchange> plan_uneven_exchange(const LeafSpine& tree, std::uint32_t most_phases);

}  // namespace espalier
