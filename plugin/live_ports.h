// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which ports OpenSM still has. A port's p_remote_physp can outlive the port at the other end: OpenSM 3.3.23 was seen
// to crash on such a pointer of its own (req_determine_mkey, after an odd sequence of links). We follow none before
// asking.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "plugin/opensm.h"

namespace espalier {

class LivePorts {
 public:
  // REQUIRES: OpenSM's lock is held, now and as long as the answers are used.
  explicit LivePorts(const osm_subn_t& subnet) {
    const cl_qmap_t& nodes = subnet.node_guid_tbl;
    tables_.reserve(cl_qmap_count(&nodes));
    for (const cl_map_item_t* i = cl_qmap_head(&nodes); i != cl_qmap_end(&nodes); i = cl_qmap_next(i)) {
      const auto& node = *reinterpret_cast<const osm_node_t*>(i);
      tables_.emplace_back(node.physp_table, node.physp_table + node.physp_tbl_size);
    }
    std::sort(tables_.begin(), tables_.end());
  }

  // Whether this is a port of a node that is there.
  [[nodiscard]] bool has(const osm_physp_t* port) const {
    const auto after = std::upper_bound(tables_.begin(), tables_.end(), port,
                                        [](const osm_physp_t* p, const auto& table) { return p < table.first; });
    return port != nullptr && after != tables_.begin() && port < std::prev(after)->second;
  }

 private:
  std::vector<std::pair<const osm_physp_t*, const osm_physp_t*>> tables_;  // begin and end of each node's ports
};

}  // namespace espalier
