// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Verification of a change: tables that differ from others, which are known to be sound, in some rows, on a fabric that
// has lost some links, end ports or switches. The report is that of verify() to the last number; only what depends on the
// change is looked at.
//
// An entry that is as it was is right as it was, unless it leads to what its switch has lost. The dependencies of a switch
// change where its own entry or that of the switch behind changes for some LID, and EntryPairs knows how many other LIDs
// still make them. And the dependency graph was without a cycle, so its channels have an order; as long as each new
// dependency agrees with that order, there is none now. If one does not, the search for a cycle begins anew; if any
// entry is wrong, so does everything, for the words of the report.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/dependencies/entry_pairs.h"
#include "core/analysis/soundness/verify.h"
#include "core/fabric/table_rows.h"

namespace espalier {

class SoundTables {
 public:
  // Nothing where verify() would find a violation. REQUIRES: both outlive this.
  [[nodiscard]] static std::optional<SoundTables> prove(const Fabric& fabric, const ForwardingTables& tables);

  // verify(now, tables) by what has changed alone. Nothing where an entry is wrong, and where `now` has switches, LIDs, or
  // links that the fabric has not. Rows that lie where those of the sound tables lie are not read: memory is
  // equal to itself.
  [[nodiscard]] std::optional<VerifyReport> verify_losses(const Fabric& now, const TableRows& tables) const;

 private:
  friend class ChangeCheck;
  SoundTables(const Fabric& fabric, const ForwardingTables& tables, EntryPairs pairs);
  // False: there is a cycle.
  bool find_order();

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  EntryPairs pairs_;
  ChannelDependencies graph_;
  std::uint64_t num_dependencies_ = 0;
  std::vector<std::uint32_t> order_;  // per channel: dependencies go to higher numbers
};

}  // namespace espalier
