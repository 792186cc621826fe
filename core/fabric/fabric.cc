// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace espalier {

SwitchId Fabric::find_switch(Guid guid) const {
  const auto it = std::lower_bound(switches_.begin(), switches_.end(), guid,
                                   [](const Switch& s, Guid wanted) { return s.guid < wanted; });
  if (it == switches_.end() || it->guid != guid) return kNoSwitch;
  return id_at<SwitchId>(static_cast<std::size_t>(it - switches_.begin()));
}

EndportId Fabric::find_endport(Guid port_guid) const {
  const auto it =
      std::find_if(endports_.begin(), endports_.end(), [&](const Endport& e) { return e.port_guid == port_guid; });
  return it == endports_.end() ? kNoEndport : id_at<EndportId>(static_cast<std::size_t>(it - endports_.begin()));
}

SwitchId Fabric::destination_switch(Lid lid) const {
  const LidOwner& who = owner(lid);
  switch (who.kind) {
    case LidOwner::Kind::kNone:
      return kNoSwitch;
    case LidOwner::Kind::kSwitch:
      return SwitchId{who.id};
    case LidOwner::Kind::kEndport:
      return endports_[EndportId{who.id}].leaf;
  }
  return kNoSwitch;
}

bool have_same_endports(const Fabric& a, const Fabric& b) {
  if (a.num_switches() != b.num_switches() || a.num_endports() != b.num_endports()) return false;
  for (const SwitchId s : a.switches())
    if (a.at(s).guid != b.at(s).guid) return false;
  for (const EndportId e : a.endports())
    if (!(a.at(e) == b.at(e))) return false;
  return true;
}

std::uint8_t most_lmc(const Fabric& fabric, std::span<const EndportId> endports) {
  std::uint8_t most = 0;
  for (const EndportId e : endports) most = std::max(most, fabric.at(e).lmc);
  return most;
}

std::uint8_t most_lmc(const Fabric& fabric) {
  std::uint8_t most = 0;
  for (const EndportId e : fabric.endports()) most = std::max(most, fabric.at(e).lmc);
  return most;
}

std::string Fabric::label(SwitchId s) const {
  return fmt::format("0x{:016x} ({})", index(at(s).guid), printable(at(s).description));
}

std::string Fabric::label(EndportId e) const {
  return fmt::format("0x{:016x} ({})", index(at(e).port_guid), printable(at(e).description));
}

}  // namespace espalier
