// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one line grammar of OpenSM's root_guid_file, cn_guid_file, io_guid_file, guid_routing_order_file,
// ids_guid_file, hop_weights_file and node name map: `0xGUID [rest]`, `#` begins a remark, blank lines are free.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/ids.h"

namespace espalier {

struct GuidLine {
  Guid guid = kNoGuid;
  std::string rest;  // what stands behind the GUID, without blanks around it and not a remark
  int line = 0;      // counted from 1
};

// In the order of the file, doubles included. Errors, with file and line: a line that does not begin with 0x and 1 to
// 16 hexadecimal digits, or GUID 0. (OpenSM would also take decimal and octal numbers; nobody means them.)
[[nodiscard]] Result<std::vector<GuidLine>> read_guid_lines(std::string_view text, const std::string& file_name);

// The GUIDs alone, for files in which the rest has no meaning.
[[nodiscard]] Result<std::vector<Guid>> read_guids(std::string_view text, const std::string& file_name);

// One line for each.
[[nodiscard]] std::string write_guids(std::span<const Guid> guids);

}  // namespace espalier
