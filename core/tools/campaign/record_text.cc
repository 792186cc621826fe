// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/record_text.h"

#include <algorithm>
#include <array>

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

// The texts that each record has, whatever else.
constexpr std::array<const char*, 3> kFields{"fabric", "engine", "outcome"};
// How each begins, for records are written with this field first.
constexpr std::string_view kBeginning = "{\"fabric\":\"";

bool is_record(const Json& value) {
  return value.is_object() && std::all_of(kFields.begin(), kFields.end(), [&](const char* field) {
           return value.contains(field) && value.at(field).is_string();
         });
}

// Whether a record could go on where `end` stops.
bool begins_a_record(std::string_view end) {
  return end.substr(0, kBeginning.size()) == kBeginning.substr(0, end.size());
}

}  // namespace

Result<RecordText> read_records(std::string_view text, const std::string& file) {
  constexpr const char* kAdvice = "use another file, one that espalier compare wrote";
  RecordText read;
  int number = 0;
  for (std::size_t end = 0; (end = text.find('\n', read.whole)) != std::string_view::npos; read.whole = end + 1) {
    ++number;
    Json record = Json::parse(text.substr(read.whole, end - read.whole), nullptr, false);
    if (!is_record(record)) return fail_at(file, number, "this is not a record of a campaign", kAdvice);
    read.records.push_back(std::move(record));
  }
  if (!begins_a_record(text.substr(read.whole)))
    return fail_at(file, number + 1, "this is neither a record of a campaign nor the beginning of one", kAdvice);
  return read;
}

}  // namespace espalier::tools
