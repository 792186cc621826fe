// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/upload_routes.h"

#include "core/base/sort_unique.h"

namespace espalier {
namespace {

// Where the subnet manager is plugged in: its own switch, or the one that its adapter hangs on.
struct Start {
  SwitchId at = kNoSwitch;
  std::uint8_t own_port = 0;  // of its adapter, the first hop; 0: it has none, being a switch
};

Start start_of(const Fabric& fabric, Guid sm_port) {
  if (const EndportId e = fabric.find_endport(sm_port); e != kNoEndport)
    return {fabric.at(e).leaf, static_cast<std::uint8_t>(fabric.at(e).port)};
  return {fabric.find_switch(sm_port)};  // a port 0 has the GUID of its switch
}

// Where a packet ends; kNoSwitch: at no switch.
SwitchId end_of(const Fabric& fabric, const Start& start, std::span<const std::uint8_t> ports) {
  if (start.own_port != 0) {
    if (ports.empty() || ports.front() != start.own_port) return kNoSwitch;
    ports = ports.subspan(1);
  }
  SwitchId at = start.at;
  for (const std::uint8_t port : ports) {
    if (at == kNoSwitch || port == 0 || port > fabric.at(at).num_ports) return kNoSwitch;
    const Peer& peer = fabric.peer(at, PortNum{port});
    at = peer.is_switch() ? peer.as_switch() : kNoSwitch;
  }
  return at;
}

}  // namespace

std::vector<SwitchId> misdirected(const Fabric& fabric, Guid sm_port, std::span<const UploadRoute> routes) {
  const Start start = start_of(fabric, sm_port);
  std::vector<SwitchId> found;
  for (const UploadRoute& route : routes) {
    const SwitchId meant = fabric.find_switch(route.to);
    const SwitchId end = end_of(fabric, start, route.ports);
    if (end == kNoSwitch || end == meant) continue;
    found.push_back(end);
    if (meant != kNoSwitch) found.push_back(meant);
  }
  sort_unique(found);
  return found;
}

}  // namespace espalier
