// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which ports OpenSM still has. A port's p_remote_physp can outlive the port at the other end: OpenSM 3.3.23 was seen
// to crash on such a pointer of its own (req_determine_mkey, after an odd sequence of links). We follow none before
// asking.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/large_array.h"
#include "plugin/opensm.h"
#include "plugin/subnet/map_items.h"

namespace espalier {

class LivePorts {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  LivePorts() = default;
  // In less time with those of the sweep before, whose nodes mostly are the same.
  // REQUIRES: OpenSM's lock is held, now and as long as the answers are used.
  explicit LivePorts(const osm_subn_t& subnet, const LivePorts* before = nullptr) {
    constexpr std::size_t kAhead = 16;
    const auto nodes = items_of<const osm_node_t>(subnet.node_guid_tbl);
    as_found_.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i + kAhead < nodes.size()) __builtin_prefetch(&nodes[i + kAhead]->physp_tbl_size);
      as_found_.push_back({nodes[i]->physp_table, nodes[i]->physp_tbl_size, size_});
      size_ += nodes[i]->physp_tbl_size;
    }
    const bool is_known = before != nullptr && before->as_found_ == as_found_;
    tables_ = is_known ? before->tables_ : as_found_;
    if (!is_known)
      std::sort(tables_.begin(), tables_.end(), [](const Table& a, const Table& b) { return a.begin < b.begin; });
  }

  // A number below size() for each port of a node that is there, kNone for what is none.
  [[nodiscard]] std::uint32_t number(const osm_physp_t* port) const {
    const auto after = std::upper_bound(tables_.begin(), tables_.end(), port,
                                        [](const osm_physp_t* p, const Table& table) { return p < table.begin; });
    if (port == nullptr || after == tables_.begin()) return kNone;
    const Table& table = *(after - 1);
    return port < table.begin + table.size ? table.first + static_cast<std::uint32_t>(port - table.begin) : kNone;
  }
  [[nodiscard]] bool has(const osm_physp_t* port) const { return number(port) != kNone; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Whether the same nodes have the same numbers at the same places.
  bool operator==(const LivePorts& other) const { return as_found_ == other.as_found_; }

 private:
  struct Table {  // ports of a node
    const osm_physp_t* begin;
    std::uint32_t size;
    std::uint32_t first;  // number of its port 0
    bool operator==(const Table&) const = default;
  };
  LargeVector<Table> as_found_;
  LargeVector<Table> tables_;  // by address
  std::uint32_t size_ = 0;
};

}  // namespace espalier
