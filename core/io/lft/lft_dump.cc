// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/lft_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/io/lft/lft_compact.h"
#include "core/io/lft/lft_lines.h"
#include "core/io/lft/lid_remark.h"
#include "core/io/lft/opensm_order.h"
#include "core/io/node_description.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

// ---- writing ----

class LftWriter {
 public:
  LftWriter(const Fabric& fabric, const ForwardingTables& tables) : fabric_(fabric), tables_(tables) {
    check(tables.num_switches() == fabric.num_switches(), "write_lfts: the tables belong to another fabric");
    remarks_.reserve(tables.width());
    for (std::size_t lid = 0; lid < tables.width(); ++lid)
      remarks_.push_back("# " + io::lid_remark(fabric, id_at<Lid>(lid)) + '\n');
  }

  void append(fmt::memory_buffer& out, SwitchId id) const {
    const Switch& s = fabric_.at(id);
    const std::size_t max_lid = tables_.width() - 1;
    fmt::format_to(std::back_inserter(out), "Unicast lids [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n", max_lid,
                   index(s.lid), index(s.guid), io::opensm_description(s.description));
    for (std::size_t lid = 0; lid < tables_.width(); ++lid) {
      const std::size_t port = index(tables_.at(id, id_at<Lid>(lid)));
      if (port > s.num_ports) continue;
      std::array<char, 11> start{'0', 'x', 0, 0, 0, 0, ' ', 0, 0, 0, ' '};
      for (std::size_t i = 0; i < 4; ++i) start[2 + i] = "0123456789abcdef"[lid >> (12 - 4 * i) & 0xF];
      start[7] = static_cast<char>('0' + port / 100);
      start[8] = static_cast<char>('0' + port / 10 % 10);
      start[9] = static_cast<char>('0' + port % 10);
      out.append(start.data(), start.data() + start.size());
      out.append(remarks_[lid].data(), remarks_[lid].data() + remarks_[lid].size());
    }
    fmt::format_to(std::back_inserter(out), "{} lids dumped\n", max_lid);
  }

 private:
  const Fabric& fabric_;
  const ForwardingTables& tables_;
  std::vector<std::string> remarks_;  // per LID: what stands behind the port, the same in each section
};

// ---- reading ----

class LftReader {
 public:
  LftReader(std::string_view text, const std::string& file_name, const Fabric& fabric)
      : text_(text),
        lines_(text),
        file_name_(file_name),
        fabric_(fabric),
        tables_(fabric.num_switches(), fabric.top_lid()),
        known_owner_(index(fabric.top_lid()) + 1, kNoGuid),
        seen_(fabric.num_switches(), false) {}

  Result<ForwardingTables> read() {
    const auto take_line = [this](const io::LftLine& line) { return take(line); };
    if (io::is_compact_lfts(text_)) {
      if (const Status ok = io::read_compact_lfts(text_, take_line); !ok) return located(ok.error());
    } else if (const Status ok = read_lines(); !ok) {
      return located(ok.error());
    }
    if (!seen_.empty() && std::find(seen_.begin(), seen_.end(), true) == seen_.end())
      return fail_at(file_name_, 0, "it contains no forwarding table", "give opensm-lfts.dump or opensm.fdbs");
    return std::move(tables_);
  }

 private:
  tl::unexpected<Error> located(Error error) const {
    error.file = file_name_;
    error.line = lines_.number();
    return tl::unexpected(std::move(error));
  }

  Status read_lines() {
    for (;;) {
      ESPALIER_TRY(const std::optional<io::LftLine> line, lines_.next());
      if (!line) return {};
      ESPALIER_TRY_STATUS(take(*line));
    }
  }

  Status take(const io::LftLine& line) {
    switch (line.kind) {
      case io::LftLine::Kind::kTable:
        return begin_table(line.guid);
      case io::LftLine::Kind::kEntry:
        return set_entry(line);
      case io::LftLine::Kind::kEnd:
        switch_ = kNoSwitch;
        return {};
    }
    return {};
  }

  Status begin_table(Guid guid) {
    switch_ = fabric_.find_switch(guid);
    if (switch_ == kNoSwitch)
      return fail(fmt::format("switch 0x{:016x} is not in the fabric", index(guid)),
                  "the tables belong to another fabric");
    if (seen_[index(switch_)]) return fail(fmt::format("a second table of {}", fabric_.label(switch_)));
    seen_[index(switch_)] = true;
    num_ports_ = fabric_.at(switch_).num_ports;
    row_ = tables_.row(switch_);
    return {};
  }

  Status set_entry(const io::LftLine& line) {
    const std::size_t lid = index(line.lid);
    if (lid >= row_.size())
      return fail(fmt::format("LID 0x{:04x} is above 0x{:04x}, the highest in the fabric", lid, row_.size() - 1),
                  "the tables belong to another fabric, or the LIDs have changed");
    if (index(line.port) > num_ports_)
      return fail(
          fmt::format("port {} of {}, which has ports 0 to {}", index(line.port), fabric_.label(switch_), num_ports_),
          "the tables belong to another fabric");
    if (row_[lid] != kNoPort) return fail(fmt::format("a second entry for LID 0x{:04x}", lid));
    row_[lid] = line.port;
    return check_owner(line.lid, line.remark);
  }

  // LIDs may have moved since the dump was made; the port GUID behind each entry tells.
  Status check_owner(Lid lid, std::string_view remark) {
    constexpr std::string_view kPortGuid = "portguid 0x";
    const std::size_t at = remark.find(kPortGuid);
    if (at == std::string_view::npos) return {};
    const auto value = io::Scanner(remark.substr(at + kPortGuid.size())).eat_number<std::uint64_t>(16);
    if (!value) return fail("the entry's port GUID is not a 64-bit hexadecimal number");
    const Guid guid{*value};
    if (known_owner_[index(lid)] == guid) return {};
    if (!owns(fabric_.owner(lid), guid))
      return fail(fmt::format("LID 0x{:04x} belongs to 0x{:016x} here, but not in the fabric", index(lid), *value),
                  "use the fabric with the LIDs that it had when the tables were dumped");
    known_owner_[index(lid)] = guid;
    return {};
  }

  // An end port's GUID may be the one that ibsim gives it or the one that it has (PortGuids in net_reader.h).
  bool owns(LidOwner who, Guid guid) const {
    if (who.kind == LidOwner::Kind::kSwitch) return fabric_.at(SwitchId{who.id}).guid == guid;
    if (who.kind == LidOwner::Kind::kNone) return false;
    const Endport& e = fabric_.at(EndportId{who.id});
    return guid == e.port_guid || guid == e.node_guid || index(guid) == index(e.node_guid) + index(e.port);
  }

  std::string_view text_;
  io::LftLines lines_;
  const std::string& file_name_;
  const Fabric& fabric_;
  ForwardingTables tables_;
  std::vector<Guid> known_owner_;  // per LID: the GUID last found right, so that each is looked up once
  std::vector<bool> seen_;         // per switch: its table has begun
  SwitchId switch_ = kNoSwitch;    // whose table we are in
  std::size_t num_ports_ = 0;      // of switch_
  std::span<PortNum> row_;         // of switch_
};

}  // namespace

std::string write_lfts(const Fabric& fabric, const ForwardingTables& tables) {
  const LftWriter writer(fabric, tables);
  fmt::memory_buffer out;
  for (const SwitchId s : io::opensm_order(fabric)) writer.append(out, s);
  return fmt::to_string(out);
}

Status write_lfts(std::FILE* out, const Fabric& fabric, const ForwardingTables& tables) {
  const LftWriter writer(fabric, tables);
  fmt::memory_buffer section;
  for (const SwitchId s : io::opensm_order(fabric)) {
    section.clear();
    writer.append(section, s);
    if (std::fwrite(section.data(), 1, section.size(), out) != section.size())
      return fail(fmt::format("cannot write the forwarding tables: {}", std::strerror(errno)));
  }
  return {};
}

Result<ForwardingTables> read_lfts(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  return LftReader(text, file_name, fabric).read();
}

}  // namespace espalier
