// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What one routing run is to do: a value without any pointer of OpenSM's, so that a thread of ours may do it again
// later.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/engines/options.h"
#include "core/fabric/fabric.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// What tables depend on besides the fabric, as words.
struct TableOrigin {
  std::string engine;   // and the lists that decide about levels: tables of another one are no reference
  std::string options;  // with others, tables are a reference until new ones are there

  // As it stands in a Reference.
  [[nodiscard]] std::string text() const { return engine + " " + options; }
  bool operator==(const TableOrigin&) const = default;
};

struct RoutingTask {
  std::string engine;
  TableOrigin origin;
  std::shared_ptr<const Fabric> fabric;
  std::shared_ptr<const FatTree> tree;  // of *fabric
  EngineOptions options;                // of *fabric
  bool may_be_repaired = false;         // wants_repair()
  std::string start = {};               // the engine that makes the first tables in its place; empty: none does
  std::uint64_t fabric_print = 0;       // fingerprint(*fabric); 0: not yet known
};

}  // namespace espalier
