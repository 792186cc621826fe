// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/lft_lines.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/try.h"

namespace espalier::io {
namespace {

using Found = std::optional<LftLine>;

constexpr std::uint32_t kMaxPort = 254;
constexpr const char* kIncomplete = "the file is incomplete; dump it again";

bool starts_with(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }
bool ends_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && text.substr(text.size() - word.size()) == word;
}

// "('leaf 0'):" of OpenSM, "(leaf 0):" of ibroute.
std::string_view description_in(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  std::string_view name = text.substr(open + 1, close - open - 1);
  if (name.size() >= 2 && name.front() == '\'' && name.back() == '\'') name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace

Result<Found> LftLines::next() {
  for (;;) {
    const std::optional<std::string_view> text = pending_ ? std::exchange(pending_, std::nullopt) : lines_.next();
    Result<Found> found = text ? read(*text) : finish();
    if (!found || *found || !text) return found;
  }
}

// Nothing: a line that has nothing to say.
Result<Found> LftLines::read(std::string_view text) {
  Scanner line(text);
  line.skip_blanks();
  if (line.eat("0x")) return read_entry(line);
  if (line.done() || line.at('#') || starts_with(line.rest(), "***")) return Found();  // *** of dump_lfts.sh
  if (line.eat("Unicast lids")) return read_table(line.rest());
  for (const std::string_view begin : {"dump_ucast_routes: Switch 0x", "osm_ucast_mgr_dump_ucast_routes: Switch 0x"}) {
    if (!starts_with(line.rest(), begin)) continue;
    if (table_ == Table::kFdbs) {
      pending_ = text;
      ESPALIER_TRY_STATUS(close_fdbs());
      return Found(LftLine{});
    }
    even_fdbs_ = even_fdbs_ && begin[0] == 'd';
    return read_fdbs_table(line.rest().substr(begin.size()));
  }
  if (ends_with(text, "lids dumped") && is_digit(line.rest().front())) {
    if (table_ != Table::kDump) return fail("a table ends here that never began", kIncomplete);
    table_ = Table::kNone;
    return Found(LftLine{});
  }
  for (const std::string_view title : {"Lid", "LID", "Port"})
    if (starts_with(line.rest(), title)) return Found();
  if (starts_with(line.rest(), "Multicast"))
    return fail("this is a dump of multicast tables", "give the unicast one, opensm-lfts.dump");
  return fail("neither a switch nor an entry of a forwarding table", "give opensm-lfts.dump or opensm.fdbs");
}

// " [0-17] of switch Lid 1 guid 0x0000000000100000 ('leaf 0'):"
Result<Found> LftLines::read_table(std::string_view text) {
  if (table_ == Table::kDump) return fail("a table begins within another", kIncomplete);
  if (table_ == Table::kFdbs) return fail("two dialects of tables in one file", "give one dump");
  constexpr std::string_view kGuid = " guid 0x";
  const std::size_t at = text.find(kGuid);
  if (at == std::string_view::npos) return fail("a table without the GUID of its switch");
  Scanner behind(text.substr(at + kGuid.size()));
  const auto guid = behind.eat_number<std::uint64_t>(16);
  if (!guid) return fail("the GUID of the switch is not a 64-bit hexadecimal number");
  table_ = Table::kDump;
  LftLine found;
  found.kind = LftLine::Kind::kTable;
  found.guid = Guid{*guid};
  found.description = description_in(behind.rest());
  return Found(found);
}

Result<Found> LftLines::read_fdbs_table(std::string_view guid) {
  if (table_ == Table::kDump) return fail("a table begins within another", kIncomplete);
  const auto value = parse_hex(guid);
  if (!value) return fail("the GUID of the switch is not a 64-bit hexadecimal number");
  table_ = Table::kFdbs;
  LftLine found;
  found.kind = LftLine::Kind::kTable;
  found.guid = Guid{*value};
  return Found(found);
}

// "0001 032 # ...", "0001 : 032  : 01   : yes" or "0001 : UNREACHABLE", behind the "0x".
Result<Found> LftLines::read_entry(Scanner line) {
  if (table_ == Table::kNone) return fail("an entry outside of a switch's table");
  const auto lid = line.eat_number<std::uint32_t>(16);
  line.skip_blanks();
  if (table_ == Table::kFdbs) {
    if (!line.eat(":")) return fail("expected \":\" after the LID", "give opensm.fdbs as OpenSM wrote it");
    ESPALIER_TRY_STATUS(read_fdbs_lid(lid.value_or(0)));
    line.skip_blanks();
    if (line.rest() == "UNREACHABLE") return Found();
  }
  const auto port = line.eat_number<std::uint32_t>();
  // What `ibroute -a` and `dump_fts -a` say of LIDs without a route: "0x0000 255 : (path #0 - illegal port)".
  if (port && ends_with(line.rest(), "illegal port)")) return Found();
  if (!lid || *lid == 0 || *lid > index(kMaxUnicastLid))
    return fail(fmt::format("the entry's LID is not a unicast LID (0x1 to 0x{:x})", index(kMaxUnicastLid)));
  if (!port || *port > kMaxPort || !(line.done() || is_blank(line.rest().front())))
    return fail(fmt::format("the entry has no port number (0 to {})", kMaxPort));
  if (table_ == Table::kFdbs && line.rest().find(':') == std::string_view::npos)
    return fail("the entry has no hop count", kIncomplete);
  LftLine found;
  found.kind = LftLine::Kind::kEntry;
  found.lid = id_at<Lid>(*lid);
  found.port = id_at<PortNum>(*port);
  if (table_ == Table::kDump) found.remark = line.rest();
  return Found(found);
}

// An fdbs file says nothing at the end of a table. But it has a line for each LID, and OpenSM lets all tables end at
// one LID: enough to see that something is missing.
Status LftLines::read_fdbs_lid(std::uint32_t lid) {
  if (lid <= fdbs_lid_) return fail(fmt::format("expected a LID above 0x{:04x} here", fdbs_lid_));
  if (even_fdbs_ && lid != fdbs_lid_ + 1)
    return fail(fmt::format("LID 0x{:04x} follows 0x{:04x}; the LIDs in between are missing", lid, fdbs_lid_),
                kIncomplete);
  fdbs_lid_ = lid;
  return {};
}

Status LftLines::close_fdbs() {
  table_ = Table::kNone;
  if (fdbs_top_ == 0) fdbs_top_ = fdbs_lid_;
  if (even_fdbs_ && fdbs_lid_ != fdbs_top_)
    return fail(fmt::format("this table ends at LID 0x{:04x}, but the first one at 0x{:04x}", fdbs_lid_, fdbs_top_),
                kIncomplete);
  fdbs_lid_ = 0;
  return {};
}

Result<Found> LftLines::finish() {
  if (table_ == Table::kNone) return Found();
  if (table_ == Table::kDump || !complete_) return fail("the text ends within a table", kIncomplete);
  ESPALIER_TRY_STATUS(close_fdbs());
  return Found(LftLine{});
}

}  // namespace espalier::io
