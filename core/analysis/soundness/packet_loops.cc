// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/packet_loops.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/analysis/routes/walk.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

// Adds the loops of `lid`. `walk_of` holds 0, or the number of the walk that first came to the switch.
void add_loops_of(const Fabric& fabric, const ForwardingTables& tables, Lid lid, std::vector<std::uint32_t>& walk_of,
                  PacketLoops& loops) {
  std::fill(walk_of.begin(), walk_of.end(), 0U);
  const auto next_of = [&](SwitchId s) { return step(fabric, tables, s, lid).next; };
  for (const SwitchId start : fabric.switches()) {
    const std::uint32_t walk = static_cast<std::uint32_t>(index(start)) + 1;
    SwitchId s = start;
    while (s != kNoSwitch && walk_of[index(s)] == 0) {
      walk_of[index(s)] = walk;
      s = next_of(s);
    }
    if (s == kNoSwitch || walk_of[index(s)] != walk) continue;
    SwitchId on_loop = s;
    do {
      ++loops.num_entries;
      if (std::tuple(on_loop, lid) < std::tuple(loops.at, loops.lid)) {
        loops.at = on_loop;
        loops.lid = lid;
      }
      on_loop = next_of(on_loop);
    } while (on_loop != s);
  }
}

PacketLoops join_loops(const PacketLoops& a, const PacketLoops& b) {
  PacketLoops both = std::tuple(a.at, a.lid) < std::tuple(b.at, b.lid) ? a : b;
  both.num_entries = a.num_entries + b.num_entries;
  return both;
}

}  // namespace

PacketLoops find_packet_loops(const Fabric& fabric, const ForwardingTables& tables) {
  const std::size_t end = std::min(index(fabric.top_lid()) + 1, tables.width());
  return parallel_reduce(
      end, 64, PacketLoops{},
      [&](std::size_t first, std::size_t last, PacketLoops loops) {
        std::vector<std::uint32_t> walk_of(fabric.num_switches());
        for (std::size_t lid = first; lid < last; ++lid)
          if (fabric.is_in_use(id_at<Lid>(lid))) add_loops_of(fabric, tables, id_at<Lid>(lid), walk_of, loops);
        return loops;
      },
      join_loops);
}

}  // namespace espalier
