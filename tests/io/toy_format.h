// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The smallest format for fabrics, as "Add a format" in core/io/README.md describes one: a line for each link.
//
//   # remarks
//   0x1a[1] 0x2b[7]      port 1 of the switch with GUID 0x1a and port 7 of the one with GUID 0x2b
#pragma once

#include <string>
#include <string_view>

#include "core/io/net/net_reader.h"

namespace espalier::test {

// Errors, with file and line: a line of another form, and those of io::LinkList.
[[nodiscard]] Result<ParsedNet> read_toy(std::string_view text, const std::string& file_name);

// The links between switches; the format has no word for hosts.
[[nodiscard]] std::string write_toy(const Fabric& fabric);

}  // namespace espalier::test
