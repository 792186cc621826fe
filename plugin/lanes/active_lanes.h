// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lanes of the tables that are in use, and what OpenSM asks about them: the SL of a path, and SL2VL tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"
#include "plugin/inputs/opensm_options.h"

namespace espalier {

class ActiveLanes {
 public:
  // Keeps no reference to `fabric`.
  ActiveLanes(const Fabric& fabric, std::shared_ptr<const Lanes> lanes);

  [[nodiscard]] std::uint8_t sl(std::uint16_t from, std::uint16_t to) const;
  // By SL, for packets through a switch; nothing for a switch or port that the tables do not know.
  [[nodiscard]] std::optional<VlsBySl> vls(Guid node, std::uint8_t in, std::uint8_t out) const;
  [[nodiscard]] const Lanes& lanes() const { return *lanes_; }

 private:
  std::shared_ptr<const Lanes> lanes_;
  std::vector<Guid> guids_;              // of the switches, ascending: positions are ids
  std::vector<std::uint8_t> num_ports_;  // likewise
};

// Whether the paths between switches are left to an engine with lanes.
[[nodiscard]] Status check_switch_sl(std::string_view engine, const std::optional<unsigned>& switch_sl);

// Whether OpenSM will set SL2VL tables at all, and asks for nothing else. Errors: what the administrator has to write.
[[nodiscard]] Status check_lanes_possible(const OpensmOptions& opensm, std::string_view engine,
                                          const std::optional<unsigned>& switch_sl);

}  // namespace espalier
