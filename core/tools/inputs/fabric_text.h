// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <string>

namespace espalier::tools {

// The text of a file with a fabric, for read_fabric(): a cache of ibnetdiscover becomes the text that ibnetdiscover makes
// of it, anything else stays what it is. "-" is standard input. Or Refused.
[[nodiscard]] std::string load_fabric_text(const std::string& path);

}  // namespace espalier::tools
