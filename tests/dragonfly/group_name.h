// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <string>

#include "core/fabric/fabric.h"

namespace espalier::test {

// The group by the name that the generator gave: "group 3 router 2".
[[nodiscard]] inline std::string group_name(const Fabric& fabric, SwitchId s) {
  const std::string& name = fabric.at(s).description;
  return name.substr(0, name.find(" router"));
}

}  // namespace espalier::test
