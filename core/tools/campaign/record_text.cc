// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/record_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/io/export/json_text.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

// The texts that each record has, whatever else.
constexpr std::array<const char*, 3> kFields{"fabric", "engine", "outcome"};
// How each begins, for records are written with this field first.
constexpr std::string_view kBeginning = "{\"fabric\":\"";

// Which run a record is about.
constexpr std::array<const char*, 12> kIdentity{"fabric", "fingerprint", "damage",   "amount", "trial",      "seed",
                                                "engine", "via",         "patterns", "order",  "lid_offset", "types"};

bool is_record(const Json& value) {
  return value.is_object() && std::all_of(kFields.begin(), kFields.end(), [&](const char* field) {
           return value.contains(field) && value.at(field).is_string();
         });
}

// Older records have the trial under another word.
void rename_trial(Json& record) {
  if (!record.contains("throw") || record.contains("trial")) return;
  Json trial = record.at("throw");
  record.erase("throw");
  record["trial"] = std::move(trial);
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
    rename_trial(record);
    read.records.push_back(std::move(record));
  }
  if (!begins_a_record(text.substr(read.whole)))
    return fail_at(file, number + 1, "this is neither a record of a campaign nor the beginning of one", kAdvice);
  return read;
}

std::string name_of_record(const Json& record) {
  Json name = Json::array();
  for (const char* field : kIdentity) name.push_back(record.contains(field) ? record.at(field) : Json());
  return json_text(name);
}

}  // namespace espalier::tools
