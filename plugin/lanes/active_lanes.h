// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lanes of the tables that are in use, and what OpenSM asks about them: the SL of a path, and SL2VL tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"

extern "C" {
struct osm_opensm;
}

namespace espalier {

class ActiveLanes {
 public:
  // Keeps no reference to `fabric`.
  ActiveLanes(const Fabric& fabric, Lanes lanes);

  [[nodiscard]] std::uint8_t sl(std::uint16_t from, std::uint16_t to) const;
  // By SL, for packets through a switch; nothing for a switch or port that the tables do not know.
  [[nodiscard]] std::optional<VlsBySl> vls(Guid node, std::uint8_t in, std::uint8_t out) const;
  [[nodiscard]] const Lanes& lanes() const { return lanes_; }

 private:
  Lanes lanes_;
  std::vector<Guid> guids_;              // of the switches, ascending: positions are ids
  std::vector<std::uint8_t> num_ports_;  // likewise
};

// The data lanes that each link between switches has: those that both its ports can have, and max_op_vls; 15 without
// any link.
[[nodiscard]] unsigned lanes_of_links(const osm_opensm& osm);

// The lanes that each link between switches has in operation, as its ports said at discovery; 15 without any link. OpenSM
// cuts the SL2VL tables of this sweep down to them.
[[nodiscard]] unsigned lanes_in_operation(const osm_opensm& osm);

// Whether OpenSM will set SL2VL tables at all, and asks for nothing else. Errors: what the administrator has to write.
[[nodiscard]] Status check_lanes_possible(const osm_opensm& osm, std::string_view engine,
                                          const std::optional<unsigned>& switch_sl);

}  // namespace espalier
