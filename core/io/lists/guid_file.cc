// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/guid_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/try.h"
#include "core/io/scanner.h"

namespace espalier {

Result<std::vector<GuidLine>> read_guid_lines(std::string_view text, const std::string& file_name) {
  std::vector<GuidLine> guids;
  io::Lines lines(text);
  while (const auto next = lines.next()) {
    io::Scanner line(*next);
    line.skip_blanks();
    if (line.done() || line.at('#')) continue;
    const std::string_view word = line.eat_word("#");
    const bool prefixed = word.substr(0, 2) == "0x" || word.substr(0, 2) == "0X";
    const auto value = io::parse_hex(word);
    if (!prefixed || !value)
      return fail_at(file_name, lines.number(), fmt::format("\"{}\" is not a GUID", word),
                     "write 0x and up to 16 hexadecimal digits");
    if (*value == 0) return fail_at(file_name, lines.number(), "0 is not a valid GUID");
    line.skip_blanks();
    guids.push_back({Guid{*value}, line.at('#') ? std::string() : std::string(line.rest()), lines.number()});
  }
  return guids;
}

Result<std::vector<Guid>> read_guids(std::string_view text, const std::string& file_name) {
  ESPALIER_TRY(const std::vector<GuidLine> lines, read_guid_lines(text, file_name));
  std::vector<Guid> guids;
  guids.reserve(lines.size());
  std::transform(lines.begin(), lines.end(), std::back_inserter(guids), [](const GuidLine& l) { return l.guid; });
  return guids;
}

std::string write_guids(std::span<const Guid> guids) {
  std::string text;
  for (const Guid guid : guids) text += fmt::format("0x{:016x}\n", index(guid));
  return text;
}

}  // namespace espalier
