// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/opensm_options.h"

#include "plugin/opensm.h"

namespace espalier {
namespace {

const char* first_of(const char* first, const char* second, const char* otherwise) {
  return first != nullptr ? first : second != nullptr ? second : otherwise;
}

}  // namespace

OpensmOptions opensm_options(const osm_opensm& osm) {
  const osm_subn_opt_t& opt = osm.subn.opt;
  const auto text = [](const char* option) { return std::string(is_set(option) ? option : ""); };
  return {text(opt.event_plugin_options),
          text(opt.root_guid_file),
          text(opt.cn_guid_file),
          text(opt.io_guid_file),
          opt.qos != 0,
          Guid{cl_ntoh64(osm.subn.sm_port_guid)},
          opt.max_op_vls,
          first_of(opt.qos_swe_options.vlarb_low, opt.qos_options.vlarb_low, OSM_DEFAULT_QOS_VLARB_LOW),
          first_of(opt.qos_swe_options.vlarb_high, opt.qos_options.vlarb_high, OSM_DEFAULT_QOS_VLARB_HIGH)};
}

}  // namespace espalier
