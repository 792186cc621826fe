// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// NodeDescription is 64 bytes that a node's owner may fill with anything; here they become safe to print on a line.
#pragma once

#include <string>
#include <string_view>

namespace espalier::io {

// At most 64 bytes; control characters become blanks, so that a description stays on its line. UTF-8 is kept.
[[nodiscard]] inline std::string clean_description(std::string_view description) {
  std::string clean(description.substr(0, 64));
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return clean;
}

// As OpenSM prints it (clean_nodedesc in complib/cl_nodenamemap.c): at most 63 bytes, whatever is not printable ASCII
// becomes a blank.
[[nodiscard]] inline std::string opensm_description(std::string_view description) {
  std::string clean(description.substr(0, 63));
  for (char& c : clean)
    if (c < 0x20 || c > 0x7E) c = ' ';
  return clean;
}

}  // namespace espalier::io
