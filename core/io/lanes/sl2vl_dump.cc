// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lanes/sl2vl_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/io/scanner.h"

namespace espalier {
namespace {

// Where the lines of a table belong.
struct Block {
  enum class Of : std::uint8_t { kNobody, kSwitch, kSkipped } of = Of::kNobody;
  SwitchId at = kNoSwitch;
};

Result<Block> read_head(io::Scanner scan, const Fabric& fabric) {
  if (scan.eat("Channel Adapter ") || scan.eat("CA ") || scan.eat("Router ")) return Block{Block::Of::kSkipped};
  if (!scan.eat("Switch ")) return fail("neither the head of a switch nor a line of its table");
  const auto guid = io::parse_hex(scan.eat_word(","));
  if (!guid) return fail("a switch must be given by its GUID");
  const SwitchId s = fabric.find_switch(Guid{*guid});
  return Block{s == kNoSwitch ? Block::Of::kSkipped : Block::Of::kSwitch, s};
}

Status read_row(io::Scanner scan, const Fabric& fabric, SwitchId s, LaneTables& tables) {
  const auto in = scan.eat_number<unsigned>();
  scan.skip_blanks();
  const auto out = scan.eat_number<unsigned>();
  scan.skip_blanks();
  if (!in || !out || !scan.eat(":")) return fail("a line of a table is IN OUT : and 16 lanes");
  const unsigned last = fabric.at(s).num_ports;
  if (*in > last || *out > last)
    return fail(fmt::format("switch {} has no port {}", fabric.label(s), *in > last ? *in : *out),
                "the dump is of another fabric");
  VlsBySl vls{};
  for (std::uint8_t& vl : vls) {
    scan.skip_blanks();
    const auto lane = scan.eat_number<unsigned>();
    if (!lane || *lane > kDiscardVl) return fail(fmt::format("16 lanes from 0 to {} are expected", kDiscardVl));
    vl = static_cast<std::uint8_t>(*lane);
  }
  scan.skip_blanks();
  if (!scan.done()) return fail("more than 16 lanes");
  tables.set(s, id_at<PortNum>(*in), id_at<PortNum>(*out), vls);
  return {};
}

bool is_cabled(const Fabric& fabric, SwitchId s) {
  for (const PortNum p : fabric.ports(s))
    if (fabric.peer(s, p).kind != Peer::Kind::kNone) return true;
  return false;
}

}  // namespace

Result<LaneTables> read_sl2vl_dump(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  LaneTables tables(fabric);
  io::Lines lines(text);
  Block block;
  IdVector<SwitchId, std::uint8_t> told_of(fabric.num_switches(), 0);
  while (const auto line = lines.next()) {
    io::Scanner scan(*line);
    scan.skip_blanks();
    if (scan.done() || scan.at('#')) continue;
    Status ok;
    if (io::is_digit(scan.rest().front())) {
      if (block.of == Block::Of::kNobody) ok = fail("a table before its switch");
      if (block.of == Block::Of::kSwitch) ok = read_row(scan, fabric, block.at, tables);
    } else if (Result<Block> head = read_head(scan, fabric); head) {
      block = *head;
      if (block.of == Block::Of::kSwitch) told_of[block.at] = 1;
    } else {
      ok = tl::unexpected(head.error());
    }
    if (!ok) return fail_at(file_name, lines.number(), ok.error().message, ok.error().advice);
  }
  const int end = std::max(lines.number(), 1);
  if (std::all_of(told_of.begin(), told_of.end(), [](std::uint8_t told) { return told == 0; }))
    return fail_at(file_name, end, "no table of a switch of this fabric",
                   "OpenSM writes opensm-sl2vl.dump with qos TRUE");
  // Lanes that nobody has said prove nothing.
  for (const SwitchId s : fabric.switches())
    if (told_of[s] == 0 && is_cabled(fabric, s))
      return fail_at(file_name, end, fmt::format("no table of switch {}", fabric.label(s)),
                     "the dump is cut off, or of another state of the fabric");
  return tables;
}

}  // namespace espalier
