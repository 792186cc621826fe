// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What stands behind an entry of opensm-lfts.dump, behind "# ".
#pragma once

#include <string>

#include "core/fabric/fabric.h"

namespace espalier::io {

// "Switch portguid 0x0000000000100000: 'leaf 0'"; "unknown node and type" of a LID that nobody has.
[[nodiscard]] std::string lid_remark(const Fabric& fabric, Lid lid);

}  // namespace espalier::io
