// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/resend.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

constexpr unsigned kSendEverything = 2;  // osm_switch_t::need_update, as OpenSM sets it for a switch that is new

}  // namespace

std::string Resend::mark(osm_opensm& osm, const Fabric& fabric, unsigned every, ApplyReport& report) {
  const bool all = every != 0 && ++runs_ >= every;
  if (all) runs_ = 0;
  const std::vector<SwitchId> mixed_up = misdirected(fabric, Guid{cl_ntoh64(osm.subn.sm_port_guid)}, routes_);
  std::size_t unacknowledged = 0;
  std::size_t marked = 0;
  for (const SwitchId s : fabric.switches()) {
    const ApplyReport::OfSwitch& of = report.switches[s];
    unacknowledged += of.is_unacknowledged ? 1 : 0;
    if (!all && !of.is_unacknowledged && !std::binary_search(mixed_up.begin(), mixed_up.end(), s)) continue;
    if (of.sw->need_update == 0 && osm.subn.need_update == 0)
      report.changed_blocks += report.blocks_of_table - of.changed_blocks;
    of.sw->need_update = kSendEverything;
    ++marked;
  }
  if (marked == 0) return {};
  return fmt::format(
      "sending the complete tables again to {} of {}: {} may hold a block meant for another switch, because a cable "
      "was moved during the last upload; {} did not acknowledge every block{}",
      marked, counted(fabric.num_switches(), "switch", "switches"), mixed_up.size(), unacknowledged,
      all ? fmt::format("; all are due by full_upload_every {}", every) : "");
}

void Resend::remember_routes(const osm_opensm& osm) {
  routes_.clear();
  const cl_qmap_t& switches = osm.subn.sw_guid_tbl;
  for (const cl_map_item_t* i = cl_qmap_head(&switches); i != cl_qmap_end(&switches); i = cl_qmap_next(i)) {
    const auto& sw = *reinterpret_cast<const osm_switch_t*>(i);
    const osm_dr_path_t& route = sw.p_node->physp_table[0].dr_path;
    const std::uint8_t* const first = route.path + 1;  // path[0] is reserved
    routes_.push_back({Guid{cl_ntoh64(osm_node_get_node_guid(sw.p_node))}, {first, first + route.hop_count}});
  }
}

}  // namespace espalier
