// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lines of a forwarding table dump, whoever made it; what read_lfts() and read_lft_text() have in common.
//
//   OpenSM, opensm-lfts.dump             | Unicast lids [0-3] of switch Lid 1 guid 0x0000000000100000 ('leaf 0'):
//                                        | 0x0002 003 # Channel Adapter portguid 0x0000000000200001: 'node 0'
//                                        | 3 lids dumped
//   ibroute, dump_fts, dump_lfts         | Unicast lids [0x0-0x3] of switch Lid 1 guid 0x0000000000100000 (leaf 0):
//                                        |   Lid  Out   Destination
//                                        |        Port     Info
//                                        | 0x0002 003 : (Channel Adapter portguid 0x0000000000200001: 'node 0')
//                                        | 2 valid lids dumped
//   OpenSM, opensm.fdbs; ibdiagnet .fdbs | dump_ucast_routes: Switch 0x0000000000100000
//                                        | LID    : Port : Hops : Optimal
//                                        | 0x0001 : UNREACHABLE
//                                        | 0x0002 : 003  : 01   : yes
//
// Each line tells its dialect, so nobody has to choose one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/ids.h"
#include "core/io/scanner.h"

namespace espalier::io {

struct LftLine {
  enum class Kind : std::uint8_t { kTable, kEntry, kEnd };
  Kind kind = Kind::kEnd;
  Guid guid = kNoGuid;           // kTable: of the switch
  std::string_view description;  // kTable: of the switch, empty when the dialect has none
  Lid lid = kNoLid;              // kEntry
  PortNum port = kNoPort;        // kEntry: 0 to 254
  std::string_view remark;       // kEntry: what stands behind the port
};

class LftLines {
 public:
  explicit LftLines(std::string_view text) : lines_(text), complete_(text.empty() || text.back() == '\n') {}

  // The next line that matters; kEnd behind each table of every dialect, so kTable and kEnd alternate. Nothing at the
  // end of the text. LIDs without a route have no line, whatever the dialect. Errors carry no file.
  [[nodiscard]] Result<std::optional<LftLine>> next();
  // Of the line that next() gave last, counted from 1.
  [[nodiscard]] int number() const { return lines_.number(); }

 private:
  [[nodiscard]] Result<std::optional<LftLine>> read(std::string_view text);
  [[nodiscard]] Result<std::optional<LftLine>> read_table(std::string_view text);
  [[nodiscard]] Result<std::optional<LftLine>> read_entry(Scanner line);
  [[nodiscard]] Result<std::optional<LftLine>> read_fdbs_table(std::string_view guid);
  [[nodiscard]] Status read_fdbs_lid(std::uint32_t lid);
  [[nodiscard]] Status close_fdbs();
  [[nodiscard]] Result<std::optional<LftLine>> finish();

  enum class Table : std::uint8_t { kNone, kDump, kFdbs };

  Lines lines_;
  bool complete_;                            // the last line has its end
  Table table_ = Table::kNone;               // the one we are in
  std::optional<std::string_view> pending_;  // a line that comes behind the kEnd just given
  std::uint32_t fdbs_lid_ = 0;               // the last one of this table
  std::uint32_t fdbs_top_ = 0;               // the last one of the first table; 0: none yet
  bool even_fdbs_ = true;                    // all tables end at one LID, as OpenSM's do
};

}  // namespace espalier::io
