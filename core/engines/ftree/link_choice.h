// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include "core/tree/fat_tree.h"

namespace espalier {

// A group of parallel links, and the one of them that is to be taken.
struct LinkChoice {
  const PortGroup* group = nullptr;
  PortNum port = kNoPort;
};

}  // namespace espalier
