// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/alternative_ports.h"

#include <algorithm>

#include "core/base/check.h"

namespace espalier {

AlternativePorts::AlternativePorts(std::size_t num_switches, Lid top_lid)
    : width_(index(top_lid) + 1), set_of_(num_switches * width_, 0), sets_(num_switches, {PortSet()}) {}

void AlternativePorts::set(SwitchId s, Lid lid, const PortSet& ports) {
  std::vector<PortSet>& sets = sets_[s];
  // From the end: what was set last is likely to be set again.
  const auto last = std::find(sets.rbegin(), sets.rend(), ports);
  std::size_t number = sets.size();
  if (last == sets.rend())
    sets.push_back(ports);
  else
    number = static_cast<std::size_t>(sets.rend() - last) - 1;
  check(number <= 0xFFFF, "AlternativePorts: too many sets of one switch");
  set_of_[index(s) * width_ + index(lid)] = static_cast<std::uint16_t>(number);
}

}  // namespace espalier
