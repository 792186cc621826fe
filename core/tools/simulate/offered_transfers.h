// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Traffic as transfers between LIDs: what --patterns or --schedule ask for, phase by phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/simulation/transfer.h"
#include "core/tools/inputs/node_type_options.h"

namespace espalier::tools {

struct TransferOptions {
  std::string patterns;  // comma-separated; or
  std::string schedule;  // a file
  std::string order = "names";
  std::string lids = "0";
  NodeTypeOptions node_types;
  double bytes = 1e6;  // of a transfer of weight 1
  std::uint64_t seed = 1;
  bool with_switches = false;
};

struct OfferedTransfers {
  std::string name;
  std::vector<std::vector<Transfer>> phases;
};

// One for each pattern, two for node-type phases: the way there and the way back. Throws Refused for what is no pattern,
// a file that cannot be read, or a schedule of other servers than the fabric's.
[[nodiscard]] std::vector<OfferedTransfers> offered_transfers(const Fabric& fabric, const TransferOptions& options);

}  // namespace espalier::tools
