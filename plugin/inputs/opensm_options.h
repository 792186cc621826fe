// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A copy of the options of opensm.conf that a thread of ours needs. OpenSM frees their texts when it rereads the file
// after a SIGHUP, in the thread that sweeps and without its lock: only callbacks and events in that thread may copy them.
#pragma once

#include <cstdint>
#include <string>

#include "core/fabric/ids.h"

struct osm_opensm;

namespace espalier {

struct OpensmOptions {
  std::string event_plugin_options;  // here and below: empty where it is not set
  std::string root_guid_file;
  std::string cn_guid_file;
  std::string io_guid_file;
  bool qos = false;
  Guid sm_port = {};  // OpenSM's own
  std::uint8_t max_op_vls = 0;
  std::string vlarb_low, vlarb_high;  // of links between switches

  bool operator==(const OpensmOptions&) const = default;
};

[[nodiscard]] OpensmOptions opensm_options(const osm_opensm& osm);

}  // namespace espalier
