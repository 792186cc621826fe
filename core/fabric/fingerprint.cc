// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/fingerprint.h"

#include "core/base/hash.h"

namespace espalier {

std::uint64_t fingerprint(const Fabric& fabric) {
  // A sum, so that no value waits for the one before.
  std::uint64_t print = 0, place = 0;
  const auto add = [&](std::uint64_t value) { print += mix(++place, value); };
  for (const SwitchId s : fabric.switches()) {
    const Switch& sw = fabric.at(s);
    add(index(sw.guid));
    add(index(sw.lid) << 16U | sw.lmc << 8U | sw.num_ports);
  }
  for (const EndportId e : fabric.endports()) {
    const Endport& endport = fabric.at(e);
    add(index(endport.port_guid));
    add(index(endport.lid) << 8U | endport.lmc);
  }
  for (const SwitchId s : fabric.switches())
    for (const PortNum port : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, port);
      const LinkRate rate = fabric.rate(s, port);
      add(static_cast<std::uint64_t>(rate.speed) << 56U | static_cast<std::uint64_t>(rate.width) << 48U |
          static_cast<std::uint64_t>(peer.id) << 16U | index(peer.port) << 8U | static_cast<std::uint64_t>(peer.kind));
    }
  return print;
}

}  // namespace espalier
