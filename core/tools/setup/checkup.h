// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One line of what `espalier doctor` says.
#pragma once

#include <string>

namespace espalier::tools {

struct Checkup {
  std::string what;  // an option of opensm.conf, or what else was looked at
  bool good = true;
  std::string answer;
};

}  // namespace espalier::tools
