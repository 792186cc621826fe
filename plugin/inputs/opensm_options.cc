// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/opensm_options.h"

#include "plugin/opensm.h"

namespace espalier {

OpensmOptions opensm_options(const osm_opensm& osm) {
  const auto text = [](const char* option) { return std::string(is_set(option) ? option : ""); };
  const osm_subn_opt_t& options = osm.subn.opt;
  return {text(options.event_plugin_options), text(options.root_guid_file), text(options.cn_guid_file),
          text(options.io_guid_file)};
}

}  // namespace espalier
