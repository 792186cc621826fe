// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What this machine's OpenSM would do with the plugin: the facts that `espalier doctor` judges.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/lanes/vl_arbitration.h"
#include "core/io/lanes/vl_code.h"

namespace espalier::tools {

// The lines of opensm.conf that concern the plugin; "(null)" and missing lines are empty.
struct OpenSmConf {
  std::vector<std::string> plugins;  // event_plugin_name
  std::string options;               // event_plugin_options
  std::vector<std::string> engines;
  bool qos = false;
  bool has_lmc = false;                                        // hosts have several LIDs
  unsigned max_op_vls = 0;                                     // a code, as in PortInfo:OperationalVLs; 0: no limit
  VlArbitration vl_arbitration;                                // of the ports between switches
  std::map<std::string, std::string, std::less<>> guid_lists;  // option -> file, of those that guid_lists.h knows
};

// The data lanes that these lines leave to links, 1 to 15.
struct LanesLeft {
  unsigned lanes = kMostVls;
  std::string by;      // what leaves so few; empty: nothing does
  std::string advice;  // how it would leave more
};
[[nodiscard]] LanesLeft lanes_left_by(const OpenSmConf& conf);

[[nodiscard]] OpenSmConf parse_opensm_conf(std::string_view text);

// "OpenSM 3.3.23", as the program says. Nullopt: there is no such program.
[[nodiscard]] std::optional<std::string> version_of_opensm();

// libespalier.so as the loader finds it, which is how OpenSM looks for it.
struct InstalledPlugin {
  std::string path;
  std::string opensm_version;  // that it was built for
};
// Errors: the loader's own words.
[[nodiscard]] Result<InstalledPlugin> find_plugin();

// What the installed plugin says about a file of options; empty: it is fine. REQUIRES: find_plugin() found it.
[[nodiscard]] std::string config_error(const std::string& path);
// What it says of such a file for an engine with lanes; likewise.
[[nodiscard]] std::string engine_error(const std::string& path, const std::string& engine);

}  // namespace espalier::tools
