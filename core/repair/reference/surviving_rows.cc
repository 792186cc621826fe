// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/surviving_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "core/base/parallel.h"

namespace espalier {

PatchedTables rows_left(const Reference& reference, const Survivors& alive, const std::vector<PortNum>& blank) {
  std::vector<const PortNum*> rows;
  for (const SwitchId before : alive.before)
    rows.push_back(before == kNoSwitch ? blank.data() : reference.tables.row(before).data());
  return PatchedTables(TableRows(rows, reference.tables.width()));
}

ForwardingTables renumbered(const TableRows& tables, const Survivors& alive, const Fabric& now) {
  ForwardingTables result = ForwardingTables::unwritten(tables.num_switches(), now.top_lid());
  parallel_for(now.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    const auto row = result.row(s);
    const std::size_t kept = alive.lids_are_the_same ? std::min(tables.width(), row.size()) : 0;
    tables.row(s).copy_to(row.data(), kept);
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(kept), row.end(), kNoPort);
    if (alive.lids_are_the_same) return;
    for (std::size_t lid = 1; lid < alive.lid_now.size(); ++lid)
      if (alive.lid_now[lid] != kNoLid) row[index(alive.lid_now[lid])] = tables.at(s, id_at<Lid>(lid));
  });
  return result;
}

ForwardingTables surviving_tables(const Reference& reference, const Survivors& alive, const Fabric& now) {
  const std::vector<PortNum> blank(reference.tables.width(), kNoPort);
  return renumbered(rows_left(reference, alive, blank).rows(), alive, now);
}

std::uint64_t count_changes(const Reference& reference, const Survivors& alive, const TableRows& tables) {
  const auto of_switch = [&](SwitchId s) {
    std::uint64_t count = 0;
    const auto was = reference.tables.row(alive.before[s]);
    const TableRow& is = tables.row(s);
    const auto count_among = [&](std::size_t first, std::size_t end) {
      for (std::size_t lid = first; lid < end; ++lid)
        if (alive.lid_now[lid] != kNoLid) count += is[index(alive.lid_now[lid])] != was[lid] ? 1 : 0;
    };
    const std::size_t end = alive.lid_now.size();
    const std::size_t both = alive.lids_are_the_same ? std::min({end, is.size(), was.size()}) : 0;
    // What has not moved is compared block by block.
    is.shrunk(both).for_each_block_apart(was.data(), [&](std::size_t first, const PortNum* entries, std::size_t size) {
      if (std::memcmp(entries, was.data() + first, size) != 0)
        count_among(std::max<std::size_t>(first, 1), first + size);
    });
    count_among(std::max<std::size_t>(both, 1), end);
    return count;
  };
  const auto of_some = [&](std::size_t first, std::size_t end, std::uint64_t count) {
    for (std::size_t i = first; i < end; ++i)
      if (alive.before[id_at<SwitchId>(i)] != kNoSwitch) count += of_switch(id_at<SwitchId>(i));
    return count;
  };
  return parallel_reduce(alive.before.size(), 16, std::uint64_t{0}, of_some, std::plus<>());
}

}  // namespace espalier
