// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/alternative_trace.h"

#include <algorithm>
#include <bit>

#include "core/base/topological_order.h"

namespace espalier {

AlternativeTrace::AlternativeTrace(const Fabric& fabric, const Lanes& lanes)
    : fabric_(fabric),
      lanes_(lanes),
      sources_(lane_sources(fabric, lanes.levels(), lanes.maps(), nullptr)),
      out_(fabric.num_switches()),
      in_(fabric.num_switches()),
      sls_(fabric.num_channels() * lanes.num_vls(), 0) {}

bool AlternativeTrace::sort_by_distance(const std::vector<PortSet>& column) {
  for (const SwitchId s : fabric_.switches()) {
    out_[s].clear();
    in_[s].clear();
  }
  for (const SwitchId s : fabric_.switches()) {
    const PortSet& ports = column[index(s)];
    if (ports.none()) continue;
    for (const PortNum p : fabric_.ports(s)) {
      if (!ports[index(p)]) continue;
      const Peer& peer = fabric_.peer(s, p);
      if (!peer.is_switch()) continue;
      const ChannelId channel = fabric_.channel(s, p);
      out_[s].push_back({p, channel, peer.as_switch()});
      in_[peer.as_switch()].emplace_back(channel, peer.port);
    }
  }
  std::vector<std::uint32_t> behind;
  const auto for_each_next = [&](SwitchId s, auto&& visit) {
    for (const Out& out : out_[s]) visit(out.next);
  };
  sort_topologically(fabric_.num_switches(), for_each_next, behind, order_);
  return order_.size() == fabric_.num_switches();
}

void AlternativeTrace::discard(SwitchId s, PortNum in, std::uint8_t sl) {
  if (result_.discarded_at != kNoSwitch) return;
  result_.discarded_at = s;
  result_.discarded_in = in;
  result_.discarded_sl = sl;
}

void AlternativeTrace::send(SwitchId s, const Out& out, std::uint32_t destination_class) {
  const unsigned num_vls = lanes_.num_vls();
  std::uint16_t* const leaving = &sls_[index(out.channel) * num_vls];
  std::fill_n(leaving, num_vls, std::uint16_t{0});
  for (const LaneSource& source : sources_[s]) {
    const std::uint8_t sl = lanes_.levels().of_classes(source.source_class, destination_class);
    const std::uint8_t vl = lanes_.maps().vls(s, source.in, out.port)[sl];
    if (vl >= num_vls)
      discard(s, source.in, sl);
    else
      leaving[vl] = static_cast<std::uint16_t>(leaving[vl] | 1U << sl);
  }
  for (const auto& [channel, in] : in_[s]) {
    const VlsBySl& vls = lanes_.maps().vls(s, in, out.port);
    for (std::uint8_t vl = 0; vl < num_vls; ++vl) {
      std::uint32_t next_vls = 0;
      for (unsigned sls = sls_[index(channel) * num_vls + vl]; sls != 0; sls &= sls - 1) {
        const auto sl = static_cast<std::uint8_t>(std::countr_zero(sls));
        if (vls[sl] >= num_vls) {
          discard(s, in, sl);
          continue;
        }
        next_vls |= 1U << vls[sl];
        leaving[vls[sl]] = static_cast<std::uint16_t>(leaving[vls[sl]] | 1U << sl);
      }
      for (; next_vls != 0; next_vls &= next_vls - 1)
        result_.steps.push_back({channel, vl, out.channel, static_cast<std::uint8_t>(std::countr_zero(next_vls))});
    }
  }
}

const AlternativeTrace::Result& AlternativeTrace::trace(Lid lid, const std::vector<PortSet>& column) {
  result_.steps.clear();
  result_.discarded_at = kNoSwitch;
  result_.may_loop = !sort_by_distance(column);
  if (result_.may_loop) return result_;
  const std::uint32_t destination_class = lanes_.levels().destination_class(lid);
  for (const SwitchId s : order_)
    for (const Out& out : out_[s]) send(s, out, destination_class);
  return result_;
}

}  // namespace espalier
