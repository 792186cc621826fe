// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/opensm_options.h"

#include "plugin/opensm.h"

namespace espalier {

OpensmOptions opensm_options(const osm_opensm& osm) {
  const osm_subn_opt_t& opt = osm.subn.opt;
  const auto text = [](const char* option) { return std::string(is_set(option) ? option : ""); };
  return {text(opt.event_plugin_options),
          text(opt.root_guid_file),
          text(opt.cn_guid_file),
          text(opt.io_guid_file),
          opt.qos != 0,
          Guid{cl_ntoh64(osm.subn.sm_port_guid)}};
}

}  // namespace espalier
