// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What `balanced` does about LID offsets 1, 2, ... of hosts, once it has the routes of offset 0: a start, then the repair of
// all offsets together (shift_repair.h). The starts are
// * shares (offset_round_robin.h),
// * the rotation of modulo/closed_form.h,
// * the other hosts of a switch: offset k of its i-th host has the routes of the (i + k)-th. Under a shift each offset then
//   loads channels about as offset 0 does.
//
// Which is best is known only in the end. Where the search moved offset 0 away from the shares, these are a poor start (tartu,
// LMC 1, all offsets evenly: 8.5 flows, from the rotation 4.5). On large trees that taper they are a good one, and on those
// that do not the other hosts are (3 456 hosts without 35 links, LMC 2: the mean over shifts begins at 2.0 flows in place
// of 2.6, and within the same time comes to 1.7 in place of 2.0). So small fabrics try all, and large ones go by a sample
// of the shifts.
//
// They have a budget of their own, as much as offset 0, so that its routes are what they are without an LMC.
#pragma once

#include <span>
#include <vector>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/ingress.h"
#include "core/engines/balanced/pieces.h"
#include "core/engines/balanced/shift_repair.h"
#include "core/engines/balanced/step_costs.h"
#include "core/engines/work_budget.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

class OtherOffsets {
 public:
  // REQUIRES: the parts of the task and the sources outlive this.
  OtherOffsets(const SearchTask& task, std::span<const HostRun> sources);

  // Hosts have several LIDs, and the objective is about all of them.
  [[nodiscard]] bool are_wanted() const;
  [[nodiscard]] bool are_found() const { return !columns_.empty(); }
  // LIDs per host, where it has most.
  [[nodiscard]] std::size_t size() const { return size_; }

  // For their entries in tables of which only those of offset 0 are looked at: at most one `share`-th of what there is.
  [[nodiscard]] bool pay_for_entries(std::uint32_t share);
  // For routes by shares, with so many ingress channels per destination. Without that there are none.
  void pay_for_shares(std::size_t ingress_channels);

  // After a repair of offset 0, of which the columns are the result: by shares, if they are paid.
  void find_after(ShiftRepair& repair, std::size_t sampled_shifts, const HostColumns& first,
                  const std::vector<Ingress>& ingress);
  // Without one: from the best start, if shares are paid. `start`: where the columns were found from.
  void find(const HostColumns& first, const std::vector<Ingress>& ingress, const ForwardingTables& start,
            std::size_t sampled_shifts);
  // From the rotation of `start`, each offset within pieces of its own. False: there are none, or no time.
  bool find_rotated(const HostColumns& first, const ForwardingTables& start, std::span<const Pieces> pieces);
  // Where offset 0 needed no search: from the rotation or the other hosts, unless the rotation has no more than `bound` under
  // so many sampled shifts, in units of ShiftLoads for shares of flows.
  bool find_above(std::uint32_t bound, std::size_t sampled_shifts, const HostColumns& first,
                  const ForwardingTables& start);

  // Into these tables, if they were found.
  void write(ForwardingTables& tables) const;

 private:
  using Columns = std::vector<HostColumns>;  // of all offsets
  [[nodiscard]] Columns by_shares(const HostColumns& first, const std::vector<Ingress>& ingress) const;
  // Hosts of switches with fewer than there are offsets keep those of `start`.
  [[nodiscard]] Columns by_other_hosts(const Columns& start) const;
  [[nodiscard]] bool pay_for_other_hosts();
  // Puts back those of `start` for hosts whose offsets meet less there.
  void keep_apart(const Columns& start, Columns& columns) const;
  // The other hosts instead of `start`, if these are much better.
  [[nodiscard]] Columns better_start(Columns start, std::size_t sampled_shifts);
  // False: no time.
  bool repair_from(Columns columns, std::span<const Pieces> pieces);
  [[nodiscard]] std::size_t count_meetings(const Columns& columns, const HostRun& source, std::size_t host) const;
  template <class Visit>
  void visit_path(const HostColumns& columns, const HostRun& source, std::size_t host, Visit visit) const;
  [[nodiscard]] Columns rotated(const HostColumns& first, ForwardingTables tables) const;

  SearchTask task_;
  std::span<const HostRun> sources_;
  std::uint64_t lids_ = 0;  // of all hosts but the first of each
  WorkBudget budget_;
  std::size_t size_;
  bool has_shares_ = false;
  Columns columns_;
};

}  // namespace espalier
