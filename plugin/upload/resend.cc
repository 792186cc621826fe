// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/resend.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "plugin/live_switches.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

constexpr unsigned kSendEverything = 2;  // osm_switch_t::need_update, as OpenSM sets it for a switch that is new
constexpr std::size_t kBlock = IB_SMP_DATA_SIZE;

// OpenSM fills a block with zeros when it sends it, and with what it sent when the answer comes. (Where a switch has 64
// LIDs of its own, a block may be all zeros by right: it is then sent once more than it has to.)
bool has_unacknowledged_block(const osm_switch_t& sw) {
  if (sw.lft == nullptr) return false;
  for (std::size_t block = 0; (block + 1) * kBlock <= sw.lft_size && block * kBlock <= sw.max_lid_ho; ++block) {
    const std::uint8_t* const begin = sw.lft + block * kBlock;
    if (std::all_of(begin, begin + kBlock, [](std::uint8_t port) { return port == 0; })) return true;
  }
  return false;
}

}  // namespace

std::string Resend::mark(osm_opensm& osm, const Fabric& fabric, unsigned every) {
  const bool all = every != 0 && ++runs_ >= every;
  if (all) runs_ = 0;
  const std::vector<SwitchId> mixed_up = misdirected(fabric, Guid{cl_ntoh64(osm.subn.sm_port_guid)}, routes_);
  const IdVector<SwitchId, osm_switch_t*> switches = live_switches(osm, fabric);
  std::size_t unacknowledged = 0;
  std::size_t marked = 0;
  for (const SwitchId s : fabric.switches()) {
    osm_switch_t* const sw = switches[s];
    if (sw == nullptr) continue;
    const bool is_unacknowledged = has_unacknowledged_block(*sw);
    unacknowledged += is_unacknowledged ? 1 : 0;
    if (!all && !is_unacknowledged && !std::binary_search(mixed_up.begin(), mixed_up.end(), s)) continue;
    sw->need_update = kSendEverything;
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
