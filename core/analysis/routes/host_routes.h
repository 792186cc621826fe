// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The routes between an ordered list of hosts, in the shape in which millions of them can be followed.
//
// Congestion metrics walk (hosts x patterns) routes of a few steps, and each step is a look-up at a random place. So
// what the walk needs is copied once: per switch one row of entries in host order (a byte each; neighbors in the order
// are neighbors in memory), and per channel the switch it leads to. Entries that lead nowhere are replaced by kNoPort
// here, so that the walk needs no bounds checks.
//
// With LMC k a host has 2^k LIDs, so 2^k routes lead to it, one for each offset. LidUse says which of them traffic
// takes. A flow that is split over several is counted in shares: with `evenly` and at most 4 LIDs each route carries
// one of its 4 shares. A host with fewer LIDs than others has each of its routes several times over, so shares are
// equal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/routes/shares.h"
#include "core/fabric/capacities.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/table_rows.h"

namespace espalier {

// The offset of the destination's LIDs that each flow uses: what a schedule of LIDs is to the analysis.
class OffsetTable {
 public:
  // All 0. Memory: num_hosts squared bytes.
  explicit OffsetTable(std::size_t num_hosts) : num_hosts_(num_hosts), offset_(num_hosts * num_hosts) {}

  [[nodiscard]] std::size_t num_hosts() const { return num_hosts_; }
  // Ranks.
  [[nodiscard]] std::uint8_t at(std::size_t source, std::size_t to) const { return offset_[source * num_hosts_ + to]; }
  void set(std::size_t source, std::size_t to, std::uint8_t offset) { offset_[source * num_hosts_ + to] = offset; }

 private:
  std::size_t num_hosts_;
  std::vector<std::uint8_t> offset_;
};

// Which of the destination's LIDs traffic is sent to. Offsets count modulo the destination's number of LIDs.
struct LidUse {
  enum class Kind : std::uint8_t {
    kOffset,   // all flows to base LID + offset
    kEvenly,   // each flow in equal shares to all LIDs of its destination
    kTable,    // each flow to the offset that the table names
    kChoices,  // each flow to the offsets that its pair of hosts has, by their weights
  };
  Kind kind = Kind::kOffset;
  std::uint8_t offset = 0;                              // kOffset
  std::optional<OffsetTable> table = {};                // kTable: of as many hosts
  std::shared_ptr<const LidChoices> choices = nullptr;  // kChoices: of the end ports of the fabric
};

class HostRoutes {
 public:
  // Ranks are positions in `hosts`. A host without LID or switch is never reached, and reaches none. Copies what it
  // needs. Memory: switches x hosts bytes, times the largest number of LIDs of a host unless use.kind is kOffset.
  // REQUIRES: tables.num_switches() == fabric.num_switches().
  HostRoutes(const Fabric& fabric, const TableRows& tables, const std::vector<EndportId>& hosts, LidUse use = {});
  HostRoutes(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts, LidUse use = {})
      : HostRoutes(fabric, TableRows(tables), hosts, std::move(use)) {}

  [[nodiscard]] std::size_t num_hosts() const { return leaf_.size(); }
  [[nodiscard]] std::size_t num_switches() const { return first_channel_.size(); }
  [[nodiscard]] std::size_t num_channels() const { return leads_to_.size(); }
  // What the links carry, for metrics per capacity.
  [[nodiscard]] const Capacities& capacities() const { return capacities_; }
  // kNoSwitch when it hangs on none.
  [[nodiscard]] SwitchId leaf(std::size_t rank) const { return leaf_[rank]; }
  // How many equal shares a flow is split into: 1 unless use.kind is kEvenly or kChoices.
  [[nodiscard]] std::uint32_t shares_per_flow() const { return shares_per_flow_; }
  // Whether hosts of one leaf take the same paths to a destination.
  [[nodiscard]] bool same_from_leaf() const {
    return use_.kind == LidUse::Kind::kChoices ? use_.choices->same_from_all() : use_.kind != LidUse::Kind::kTable;
  }

  // What part of a flow goes to each LID of a host, by LID offset.
  [[nodiscard]] std::span<const OffsetShare> offset_shares(std::size_t source_rank, std::size_t to_rank) const {
    if (use_.kind == LidUse::Kind::kChoices)
      return shares_of_list_[use_.choices->list_of(hosts_[source_rank], hosts_[to_rank])];
    if (use_.kind != LidUse::Kind::kTable) return all_;
    return {all_.data() + use_.table->at(source_rank, to_rank) % num_offsets_, 1};
  }

  // visit(ChannelId) for each switch-to-switch channel from switch `from` to the host, in order; `offset` as in offset_shares().
  // Returns whether the host is reached. A path to nowhere is visited up to its end, a loop for num_switches() steps;
  // the same each time.
  template <class Visit>
  bool follow(SwitchId from, std::size_t to_rank, std::uint32_t offset, Visit&& visit) const {
    const SwitchId goal = leaf_[to_rank];
    const std::size_t column = offset * num_hosts() + to_rank;
    for (std::size_t steps = 0; from != goal; ++steps) {
      if (from == kNoSwitch || steps == num_switches()) return false;
      const PortNum port = entries_[index(from) * num_offsets_ * num_hosts() + column];
      if (port == kNoPort) return false;
      const std::size_t channel = first_channel_[index(from)] + index(port);
      visit(id_at<ChannelId>(channel));
      from = leads_to_[channel];
    }
    return delivered_[column] != 0;
  }

  // The same by the first offset: the one that unsplit traffic takes.
  template <class Visit>
  bool follow(SwitchId from, std::size_t to_rank, Visit&& visit) const {
    return follow(from, to_rank, 0, std::forward<Visit>(visit));
  }

 private:
  LidUse use_;
  Capacities capacities_;
  std::uint32_t num_offsets_ = 1;
  std::uint32_t shares_per_flow_ = 1;
  std::vector<OffsetShare> all_;                          // one share on each
  std::vector<EndportId> hosts_;                          // kChoices: per rank
  std::vector<std::vector<OffsetShare>> shares_of_list_;  // kChoices: per list of choices
  std::vector<SwitchId> leaf_;                            // per rank
  std::vector<std::uint8_t> delivered_;                   // [offset][rank]: its leaf hands over to it
  std::vector<std::uint32_t> first_channel_;              // per switch
  std::vector<SwitchId> leads_to_;                        // per channel
  LargeVector<PortNum> entries_;  // [switch][offset][rank]: a port to another switch, or kNoPort
};

}  // namespace espalier
