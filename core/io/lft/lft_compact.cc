// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/lft_compact.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/number.h"
#include "core/io/lft/lid_remark.h"
#include "core/io/lft/opensm_order.h"
#include "core/io/node_description.h"

namespace espalier {
namespace {

constexpr std::string_view kMagic = "espalier tables ";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kMostLids = 0xC000;  // unicast LIDs end there

// Up to the line's end, which is eaten; nothing when there is none.
std::optional<std::string_view> eat_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// "54 703"
std::optional<std::pair<std::size_t, std::size_t>> two_numbers(std::string_view line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const auto first = parse_number<std::size_t>(line.substr(0, blank));
  const auto second = parse_number<std::size_t>(line.substr(std::min(blank + 1, line.size())));
  if (!first || !second) return std::nullopt;
  return std::pair{*first, *second};
}

}  // namespace

std::string write_compact_lfts(const Fabric& fabric, const ForwardingTables& tables) {
  check(tables.num_switches() == fabric.num_switches(), "write_compact_lfts: the tables belong to another fabric");
  std::string out = fmt::format("{}{}\n{} {}\n", kMagic, kVersion, fabric.num_switches(), tables.width());
  for (std::size_t lid = 0; lid < tables.width(); ++lid) out += io::lid_remark(fabric, id_at<Lid>(lid)) + '\n';
  for (const SwitchId s : io::opensm_order(fabric)) {
    out += fmt::format("0x{:016x} {}\n", index(fabric.at(s).guid), io::opensm_description(fabric.at(s).description));
    for (const PortNum port : tables.row(s))
      out += static_cast<char>(index(port) <= fabric.at(s).num_ports ? index(port) : index(kNoPort));
  }
  return out;
}

namespace io {

bool is_compact_lfts(std::string_view text) { return text.starts_with(kMagic); }

Status read_compact_lfts(std::string_view text, const std::function<Status(const LftLine&)>& take) {
  const auto cut_off = [] { return fail("the tables are cut off", "copy the file again"); };
  text.remove_prefix(kMagic.size());
  const auto version = eat_line(text);
  if (version != kVersion) return fail("written by a later version of espalier", "use the version that wrote it");
  const auto counts = eat_line(text);
  const auto numbers = counts ? two_numbers(*counts) : std::nullopt;
  if (!numbers || numbers->second > kMostLids) return fail("no numbers of switches and LIDs in the second line");
  const auto [num_switches, width] = *numbers;
  std::vector<std::string_view> remarks;
  for (std::size_t lid = 0; lid < width; ++lid) {
    const auto remark = eat_line(text);
    if (!remark) return cut_off();
    remarks.push_back(*remark);
  }
  for (std::size_t s = 0; s < num_switches; ++s) {
    const auto line = eat_line(text);
    if (!line || text.size() < width) return cut_off();
    const std::size_t blank = std::min(line->find(' '), line->size());
    const auto guid = line->starts_with("0x") ? parse_hex_digits(line->substr(2, blank - 2)) : std::nullopt;
    if (!guid) return fail("a switch without a GUID", "copy the file again");
    LftLine told;
    told.kind = LftLine::Kind::kTable;
    told.guid = Guid{*guid};
    told.description = line->substr(std::min(blank + 1, line->size()));
    if (Status ok = take(told); !ok) return ok;
    told.kind = LftLine::Kind::kEntry;
    for (std::size_t lid = 1; lid < width; ++lid) {
      told.port = id_at<PortNum>(static_cast<unsigned char>(text[lid]));
      if (told.port == kNoPort) continue;
      told.lid = id_at<Lid>(lid);
      told.remark = remarks[lid];
      if (Status ok = take(told); !ok) return ok;
    }
    text.remove_prefix(width);
    told.kind = LftLine::Kind::kEnd;
    if (Status ok = take(told); !ok) return ok;
  }
  return text.empty() ? Status{} : Status(fail("something follows the last table", "copy the file again"));
}

}  // namespace io
}  // namespace espalier
