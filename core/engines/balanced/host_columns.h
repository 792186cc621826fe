// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The forwarding tables of hosts transposed, known as column-major order: per destination one column, in which every
// switch has a byte for the number of the channel that it takes. A column is contiguous, unlike in ForwardingTables,
// and holds all that a walk to that destination reads.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/large_array.h"
#include "core/engines/routing_problem.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/tree_channels.h"

namespace espalier {

class HostColumns {
 public:
  // Those of one offset of each host's LIDs. A host without such a LID gets an empty column.
  HostColumns(const RoutingProblem& problem, const TreeChannels& channels, const ForwardingTables& tables,
              unsigned offset = 0);

  [[nodiscard]] std::size_t num_hosts() const { return num_switches_ == 0 ? 0 : entries_.size() / num_switches_; }
  // Per switch the number of the channel (TreeChannels::at) by which it sends to the host; kNoHop: none, or the host is
  // its own. `host` is a position of NodeOrder::hosts.
  [[nodiscard]] std::span<const std::uint8_t> column(std::size_t host) const {
    return {entries_.data() + host * num_switches_, num_switches_};
  }
  [[nodiscard]] std::span<std::uint8_t> column(std::size_t host) {
    return {entries_.data() + host * num_switches_, num_switches_};
  }

  bool operator==(const HostColumns&) const = default;

  // Puts the columns into `tables` as those of offset 0. Where a switch takes another channel than before, the other
  // offsets of the LID range go on from there as in closed_form.h.
  void write(const RoutingProblem& problem, const TreeChannels& channels, ForwardingTables& tables) const;
  // As those of this offset, for hosts that have so many LIDs.
  void write_offset(const RoutingProblem& problem, const TreeChannels& channels, unsigned offset,
                    ForwardingTables& tables) const;

 private:
  // visit(host, switch, port) for the entries of all columns, in parallel by switch.
  template <class Visit>
  void for_each_entry(const RoutingProblem& problem, const TreeChannels& channels, Visit visit) const;

  std::size_t num_switches_;
  LargeVector<std::uint8_t> entries_;  // [host][switch]
};

}  // namespace espalier
