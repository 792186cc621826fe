// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a file of records says: one JSON object in a line (see record_file.h).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace espalier::tools {

struct RecordText {
  std::vector<nlohmann::ordered_json> records;
  std::size_t whole = 0;  // length of the lines that are complete; behind it stands a record that was cut, or nothing
};

// Errors: a complete line that is no record of a campaign; an end that is no beginning of one, so that cutting it off
// would destroy what somebody else wrote.
[[nodiscard]] Result<RecordText> read_records(std::string_view text, const std::string& file);

// The part of a record that says which run it is about, in one string: equal for a run and for its record.
[[nodiscard]] std::string name_of_record(const nlohmann::ordered_json& record);

}  // namespace espalier::tools
