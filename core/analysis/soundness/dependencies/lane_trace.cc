// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/lane_trace.h"

#include "core/base/topological_order.h"

namespace espalier {

LaneTrace::LaneTrace(const Fabric& fabric, const Lanes& lanes, const std::vector<EndportId>* endports)
    : fabric_(fabric),
      lanes_(lanes),
      leads_to_(fabric.num_channels(), kNoSwitch),
      arrives_by_(fabric.num_channels(), kNoPort),
      first_source_(fabric.num_switches() + 1, 0) {
  for (std::size_t c = 0; c < leads_to_.size(); ++c)
    if (const Peer& peer = fabric.peer(id_at<ChannelId>(c)); peer.is_switch()) {
      leads_to_[c] = peer.as_switch();
      arrives_by_[c] = peer.port;
    }
  std::size_t num_bits = 0;
  const std::uint32_t used = lanes.levels().used();
  for (std::size_t sl = 0; sl < kNumSls; ++sl) {
    if ((used >> sl & 1U) == 0) continue;
    first_bit_[sl] = static_cast<std::uint16_t>(num_bits);
    for (std::size_t vl = 0; vl < lanes.num_vls(); ++vl, ++num_bits) {
      sl_of_bit_[num_bits] = static_cast<std::uint8_t>(sl);
      vl_of_bit_[num_bits] = static_cast<std::uint8_t>(vl);
    }
  }
  num_words_ = (num_bits + 63) / 64;

  const auto at = lane_sources(fabric, lanes.levels(), lanes.maps(), endports);
  for (const SwitchId s : fabric.switches()) {
    sources_.insert(sources_.end(), at[s].begin(), at[s].end());
    first_source_[index(s) + 1] = sources_.size();
  }
}

void LaneTrace::read_column(const ForwardingTables& tables, Lid lid, std::vector<PortNum>& ports) const {
  ports.assign(fabric_.num_switches(), kNoPort);
  if (index(lid) >= tables.width()) return;
  for (const SwitchId s : fabric_.switches()) {
    const PortNum port = tables.at(s, lid);
    if (index(port) <= fabric_.at(s).num_ports && leads_to_[index(fabric_.channel(s, port))] != kNoSwitch)
      ports[index(s)] = port;
  }
}

void LaneTrace::sort_by_distance(Scratch& scratch) const {
  scratch.packets.assign(fabric_.num_switches(), {});
  const auto for_each_next = [&](SwitchId s, auto&& visit) {
    const PortNum port = scratch.ports[index(s)];
    if (port == kNoPort) return;
    if (const SwitchId next = leads_to_[index(fabric_.channel(s, port))]; next != kNoSwitch) visit(next);
  };
  sort_topologically(fabric_.num_switches(), for_each_next, scratch.behind, scratch.order);
}

}  // namespace espalier
