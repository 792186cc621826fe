// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The records of a campaign: one JSON object in a line, only ever appended, so that a campaign that was stopped goes on
// where it was, and several processes fill one folder.
//
// A line that was half written when its writer died has no end; the next writer cuts it off, if it is the beginning of
// a record: a file that holds anything else is refused and stays as it is. A writer holds a lock on its file, so that
// two never share one.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/io/descriptor.h"

namespace espalier::tools {

class RecordFile {
 public:
  // What a record is about; two runs of one name are the same.
  using Name = std::function<std::string(const nlohmann::ordered_json& record)>;

  enum class Access : std::uint8_t { kRead, kAppend };  // kRead makes no file and takes no lock

  // `path`: a file, made if it is not there; or an existing folder, of which all *.jsonl count as done and
  // `own_name` is written. Throws Refused: no access, another writer, something in it that is no record.
  RecordFile(const std::string& path, const std::string& own_name, Access access, const Name& name);

  [[nodiscard]] bool has(const std::string& name) const { return names_.contains(name); }
  // On the disk when it returns. REQUIRES: kAppend. Throws Refused when it cannot be written.
  void append(const nlohmann::ordered_json& record);
  // The file that is written.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void open();
  void read_and_repair();
  // Adds the records of `text`; returns the length of its whole lines.
  std::size_t read(const std::string& text, const std::string& file);

  std::string path_;
  Name name_;
  std::set<std::string> names_;
  Descriptor file_;
};

}  // namespace espalier::tools
