// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/io/scanner.h"

namespace espalier {
namespace {

constexpr std::size_t kMaxPort = 254;

class Reader {
 public:
  Status read_line(std::string_view text) {
    io::Scanner line(text);
    line.skip_blanks();
    if (line.eat("0x")) return read_entry(line);
    if (line.done() || line.at('#')) return {};
    if (line.eat("Unicast lids")) return read_header(line.rest());
    constexpr std::string_view kEnd = "lids dumped";
    if (text.size() > kEnd.size() && text.substr(text.size() - kEnd.size()) == kEnd && io::is_digit(text.front())) {
      in_table_ = false;
      return {};
    }
    // The column titles of dump_lfts.
    if (line.rest().substr(0, 3) == "Lid" || line.rest().substr(0, 4) == "Port") return {};
    return fail("neither a switch nor an entry of a forwarding table", "give an opensm-lfts.dump");
  }

  [[nodiscard]] bool in_table() const { return in_table_; }

  Result<std::vector<LftRow>> finish() && {
    std::sort(rows_.begin(), rows_.end(), [](const LftRow& a, const LftRow& b) { return a.guid < b.guid; });
    const auto same_guid = [](const LftRow& a, const LftRow& b) { return a.guid == b.guid; };
    const auto twin = std::adjacent_find(rows_.begin(), rows_.end(), same_guid);
    if (twin != rows_.end()) return fail(fmt::format("there are two tables of switch 0x{:016x}", index(twin->guid)));
    if (rows_.empty()) return fail("there is no forwarding table in it", "give an opensm-lfts.dump");
    return std::move(rows_);
  }

 private:
  // " [0-17] of switch Lid 1 guid 0x0000000000100000 ('leaf 0'):"
  Status read_header(std::string_view text) {
    if (in_table_) return fail("a table begins within another", "the file is incomplete; dump it again");
    constexpr std::string_view kGuid = " guid 0x";
    const std::size_t at = text.find(kGuid);
    if (at == std::string_view::npos) return fail("a table without the GUID of its switch");
    io::Scanner behind(text.substr(at + kGuid.size()));
    const auto guid = behind.eat_number<std::uint64_t>(16);
    if (!guid) return fail("the GUID of the switch is no hexadecimal number of 64 bits");
    LftRow row;
    row.guid = Guid{*guid};
    const std::size_t open = behind.rest().find('(');
    const std::size_t close = behind.rest().rfind(')');
    if (open < close && close != std::string_view::npos) {
      std::string_view name = behind.rest().substr(open + 1, close - open - 1);
      if (name.size() >= 2 && name.front() == '\'' && name.back() == '\'') name = name.substr(1, name.size() - 2);
      row.description = name;
    }
    rows_.push_back(std::move(row));
    in_table_ = true;
    return {};
  }

  // "0001 032 # ...", behind the "0x".
  Status read_entry(io::Scanner& line) {
    if (!in_table_) return fail("an entry outside of a switch's table");
    const auto lid = line.eat_number<std::uint32_t>(16);
    if (!lid || *lid == 0 || *lid > index(kMaxUnicastLid))
      return fail(fmt::format("the entry's LID is no unicast LID (0x1 to 0x{:x})", index(kMaxUnicastLid)));
    line.skip_blanks();
    const auto port = line.eat_number<std::uint32_t>();
    if (!port || *port > kMaxPort || !(line.done() || io::is_blank(line.rest().front())))
      return fail(fmt::format("the entry has no port number (0 to {})", kMaxPort));
    std::vector<PortNum>& ports = rows_.back().ports;
    if (ports.size() <= *lid) ports.resize(*lid + 1, kNoPort);
    if (ports[*lid] != kNoPort) return fail(fmt::format("a second entry for LID 0x{:04x}", *lid));
    ports[*lid] = id_at<PortNum>(*port);
    return {};
  }

  std::vector<LftRow> rows_;
  bool in_table_ = false;
};

}  // namespace

Result<std::vector<LftRow>> read_lft_text(std::string_view text, std::string file_name) {
  Reader reader;
  io::Lines lines(text);
  const auto located = [&](Error error, int line) {
    error.file = file_name;
    error.line = line;
    return tl::unexpected(std::move(error));
  };
  while (const auto line = lines.next())
    if (Status ok = reader.read_line(*line); !ok) return located(ok.error(), lines.number());
  if (reader.in_table())
    return fail_at(file_name, lines.number(), "the text ends within a table", "the file is incomplete; dump it again");
  Result<std::vector<LftRow>> rows = std::move(reader).finish();
  if (!rows) return located(rows.error(), 0);
  return rows;
}

}  // namespace espalier
