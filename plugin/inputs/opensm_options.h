// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The files that opensm.conf names, as a copy: OpenSM may reread its options between two sweeps, without a lock.
#pragma once

#include <string>

struct osm_opensm;

namespace espalier {

struct OpensmOptions {         // empty: none
  std::string plugin_options;  // event_plugin_options
  std::string roots;           // root_guid_file
  std::string compute;         // cn_guid_file
  std::string io;              // io_guid_file
  bool operator==(const OpensmOptions&) const = default;
};

// REQUIRES: called by the thread in which OpenSM sweeps.
[[nodiscard]] OpensmOptions opensm_options(const osm_opensm& osm);

}  // namespace espalier
