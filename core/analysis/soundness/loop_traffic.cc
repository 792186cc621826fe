// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/loop_traffic.h"

#include <utility>

#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/base/check.h"
#include "core/base/parallel.h"
#include "core/base/sort_unique.h"

namespace espalier {
namespace {

std::vector<SwitchId> leaves_of(const Fabric& fabric, const std::vector<EndportId>& hosts) {
  std::vector<SwitchId> leaves;
  for (const EndportId host : hosts)
    if (fabric.at(host).leaf != kNoSwitch) leaves.push_back(fabric.at(host).leaf);
  sort_unique(leaves);
  return leaves;
}

// Whether a packet from `from` to `lid` comes to `via`.
bool passes(const Fabric& fabric, const ForwardingTables& tables, SwitchId from, Lid lid, SwitchId via) {
  for (std::size_t steps = 0; steps <= fabric.num_switches(); ++steps) {
    if (from == via) return true;
    const Step next = step(fabric, tables, from, lid);
    if (next.kind != Step::Kind::kForward) return false;
    from = next.next;
  }
  return false;
}

class ExampleSearch {
 public:
  ExampleSearch(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts)
      : fabric_(fabric), tables_(tables), hosts_(hosts), is_host_(fabric.num_endports(), 0) {
    for (const EndportId host : hosts) is_host_[host] = 1;
  }

  // The first LID of this sort that hosts send over both channels.
  [[nodiscard]] ExamplePacket from_hosts(const std::vector<Lid>& lids, SwitchId via, bool to_hosts) const {
    for (const Lid lid : lids) {
      if (is_hosts(lid) != to_hosts) continue;
      SwitchId tried = kNoSwitch;  // hosts of a leaf mostly follow one another
      for (const EndportId host : hosts_) {
        const SwitchId leaf = fabric_.at(host).leaf;
        if (leaf == kNoSwitch || leaf == tried) continue;
        tried = leaf;
        if (passes(fabric_, tables_, leaf, lid, via))
          return {to_hosts ? ExamplePacket::Kind::kHostToHost : ExamplePacket::Kind::kHostToOther, host, leaf, lid};
      }
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_hosts(Lid lid) const {
    const LidOwner& owner = fabric_.owner(lid);
    return owner.kind == LidOwner::Kind::kEndport && is_host_[EndportId{owner.id}] != 0;
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  const std::vector<EndportId>& hosts_;
  IdVector<EndportId, std::uint8_t> is_host_;
};

}  // namespace

ForwardingTables only_host_traffic(const Fabric& fabric, const ForwardingTables& tables,
                                   const std::vector<EndportId>& hosts) {
  return host_traffic(fabric, tables, hosts).tables;
}

HostTraffic host_traffic(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts) {
  check(tables.num_switches() == fabric.num_switches(), "host_traffic: tables of another fabric");
  HostTraffic traffic{ForwardingTables(fabric.num_switches(), fabric.top_lid()), {}};
  const std::size_t width = traffic.tables.width();
  traffic.met.resize(fabric.num_switches() * width);
  const std::vector<SwitchId> leaves = leaves_of(fabric, hosts);
  // A task writes the columns of one host's LIDs, so tasks share nothing.
  parallel_for(hosts.size(), [&](std::size_t i) {
    for (const Lid lid : lids_of(fabric.at(hosts[i])))
      for (SwitchId at : leaves)
        while (std::exchange(traffic.met[index(at) * width + index(lid)], std::uint8_t{1}) == 0) {
          const Step next = step(fabric, tables, at, lid);
          traffic.tables.set(at, lid, next.port);
          if (next.kind != Step::Kind::kForward) break;
          at = next.next;
        }
  });
  return traffic;
}

ExamplePacket example_packet(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts,
                             ChannelId first, ChannelId second) {
  const SwitchId via = fabric.source(first);
  const SwitchId next = fabric.source(second);
  if (!fabric.peer(first).is_switch() || fabric.peer(first).as_switch() != next) return {};
  std::vector<Lid> lids;
  for (const LidRange& range : owned_lids(fabric, tables.width()))
    for (std::size_t lid = range.first; lid < range.end; ++lid)
      if (tables.at(via, id_at<Lid>(lid)) == fabric.port(first) &&
          tables.at(next, id_at<Lid>(lid)) == fabric.port(second))
        lids.push_back(id_at<Lid>(lid));
  if (lids.empty()) return {};
  const ExampleSearch search(fabric, tables, hosts);
  for (const bool to_hosts : {true, false}) {
    const ExamplePacket packet = search.from_hosts(lids, via, to_hosts);
    if (packet.kind != ExamplePacket::Kind::kNone) return packet;
  }
  return {ExamplePacket::Kind::kSwitch, kNoEndport, via, lids.front()};
}

}  // namespace espalier
