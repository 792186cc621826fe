// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/lft_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/io/lft/lft_compact.h"
#include "core/io/lft/lft_lines.h"

namespace espalier {
namespace {

Status set_entry(LftRow& row, const io::LftLine& line) {
  const std::size_t lid = index(line.lid);
  if (row.ports.size() <= lid) row.ports.resize(lid + 1, kNoPort);
  if (row.ports[lid] != kNoPort) return fail(fmt::format("a second entry for LID 0x{:04x}", lid));
  row.ports[lid] = line.port;
  return {};
}

Result<std::vector<LftRow>> sorted(std::vector<LftRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const LftRow& a, const LftRow& b) { return a.guid < b.guid; });
  const auto same_guid = [](const LftRow& a, const LftRow& b) { return a.guid == b.guid; };
  const auto twin = std::adjacent_find(rows.begin(), rows.end(), same_guid);
  if (twin != rows.end()) return fail(fmt::format("there are two tables of switch 0x{:016x}", index(twin->guid)));
  if (rows.empty()) return fail("it contains no forwarding table", "give opensm-lfts.dump or opensm.fdbs");
  return rows;
}

}  // namespace

Result<std::vector<LftRow>> read_lft_text(std::string_view text, std::string file_name) {
  std::vector<LftRow> rows;
  const auto located = [&](Error error, int line) {
    error.file = std::move(file_name);
    error.line = line;
    return tl::unexpected(std::move(error));
  };
  const auto take = [&](const io::LftLine& line) -> Status {
    if (line.kind == io::LftLine::Kind::kTable) rows.push_back({line.guid, std::string(line.description), {}});
    return line.kind == io::LftLine::Kind::kEntry ? set_entry(rows.back(), line) : Status{};
  };
  if (io::is_compact_lfts(text)) {
    if (const Status ok = io::read_compact_lfts(text, take); !ok) return located(ok.error(), 0);
    text = {};
  }
  io::LftLines lines(text);
  for (;;) {
    const Result<std::optional<io::LftLine>> line = lines.next();
    if (!line) return located(line.error(), lines.number());
    if (!*line) break;
    if (const Status ok = take(**line); !ok) return located(ok.error(), lines.number());
  }
  Result<std::vector<LftRow>> result = sorted(std::move(rows));
  if (!result) return located(result.error(), 0);
  return result;
}

}  // namespace espalier
