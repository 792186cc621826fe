// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/resend.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "plugin/opensm.h"
#include "plugin/subnet/map_items.h"

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
  const auto switches = items_of<const osm_switch_t>(osm.subn.sw_guid_tbl);
  constexpr std::size_t kAhead = 8;
  routes_.resize(switches.size());  // each keeps its memory
  for (std::size_t i = 0; i < switches.size(); ++i) {
    if (i + 2 * kAhead < switches.size()) __builtin_prefetch(&switches[i + 2 * kAhead]->p_node->physp_table);
    if (i + kAhead < switches.size()) __builtin_prefetch(&switches[i + kAhead]->p_node->physp_table[0].dr_path);
    const osm_node_t& node = *switches[i]->p_node;
    const osm_dr_path_t& route = node.physp_table[0].dr_path;
    const std::uint8_t* const first = route.path + 1;  // path[0] is reserved
    routes_[i].to = Guid{cl_ntoh64(osm_node_get_node_guid(&node))};
    routes_[i].ports.assign(first, first + route.hop_count);
  }
}

}  // namespace espalier
