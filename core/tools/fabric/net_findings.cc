// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/fabric/net_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/fabric_reader.h"
#include "core/io/net/net_nodes.h"
#include "core/tools/inputs/node_names.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kMaxErrors = 100;  // each costs one more reading of the file

// Takes line `number` (from 1) out, so that the others keep their numbers; with a header, also the ports below it.
void leave_out(std::string& text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number; ++line) begin = text.find('\n', begin) + 1;
  const bool whole_block = io::is_header(std::string_view(text).substr(begin));
  for (bool first = true; begin < text.size(); first = false) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const bool of_block = io::is_port_line(line) || line.starts_with('#');
    if (!first && !(whole_block && of_block)) return;
    // A blank line ends the block before it; a remark leaves the ports below it in their block.
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
              whole_block ? ' ' : '#');
    begin = end + 1;
  }
}

// Reads `text` with everything left out that the reader refuses, which is added to `findings`.
Result<ParsedNet> read_the_sound_part(std::string& text, const std::string& file_name, std::vector<Error>& findings) {
  for (;;) {
    Result<ParsedNet> net = read_fabric(text, file_name);
    if (net || net.error().line == 0) return net;
    const int line = net.error().line;
    if (std::count(text.begin(), text.end(), '\n') + 1 < line) return net;
    findings.push_back(std::move(net.error()));
    if (findings.size() >= kMaxErrors)
      return fail_at(file_name, line, fmt::format("{} lines are wrong up to here", findings.size()),
                     "correct these first, beginning with " + findings.front().text());
    leave_out(text, line);
  }
}

// What a net file says about cables that a builder does not keep.
Status look_at_blocks(const std::string& text, const std::string& file_name, const FabricBuilder& builder_of_net,
                      std::vector<Error>& findings) {
  ESPALIER_TRY(io::NetBlocks blocks, io::read_blocks(text, file_name));
  ESPALIER_TRY(const io::NetNodes found, io::find_nodes(std::move(blocks), file_name));
  const io::NetNodes& nodes = found;

  for (std::size_t i = 0; i < nodes.net.ports.size(); ++i) {
    const io::PortEntry& entry = nodes.net.ports[i];
    const auto back = nodes.entry_of.find(nodes.peers[i]);
    if (!nodes.has_peer(i) || back == nodes.entry_of.end() || back->second <= i) continue;
    const io::PortEntry& other = nodes.net.ports[back->second];
    const LinkRate a = entry.port.rate, b = other.port.rate;
    if (nodes.has_peer(back->second) && a != LinkRate{} && b != LinkRate{} && a != b)
      findings.push_back({fmt::format("{} runs at {}, but according to line {} its other end {} runs at {}",
                                      nodes.name({entry.block, entry.port.port}), a.text(), other.line,
                                      nodes.name(nodes.peers[i]), b.text()),
                          file_name,
                          entry.line,
                          {}});
  }

  std::set<Guid> cabled;
  FabricBuilder builder = builder_of_net;
  for (std::size_t e = 0; e < builder.num_endports(); ++e)
    cabled.insert(builder.at(id_at<FabricBuilder::EndportHandle>(e)).node_guid);
  for (std::uint32_t b = 0; b < nodes.net.blocks.size(); ++b)
    if (!nodes.is_switch(b) && !cabled.contains(nodes.guids[b]))
      findings.push_back(
          {fmt::format("\"{}\" has no cable", nodes.net.blocks[b].header.id), file_name, nodes.net.blocks[b].line, {}});
  return {};
}

// Numbers everybody anew when the LIDs of the file cannot stand.
Status look_at_lids(FabricBuilder& builder, const std::string& file_name, std::vector<Error>& findings) {
  std::map<std::size_t, std::string> owners;  // LID -> first to have it
  std::vector<std::string> without;
  bool overlap = false;
  const auto claim = [&](Lid lid, unsigned lmc, const std::string& who) {
    if (lid == kNoLid) return without.push_back(who);
    for (std::size_t i = index(lid); i < index(lid) + (std::size_t{1} << lmc); ++i) {
      const auto at = owners.emplace(i, who);
      if (at.second) continue;
      overlap = true;
      findings.push_back({fmt::format("LID {} belongs to both {} and {}", i, at.first->second, who), file_name, 0, {}});
      return;
    }
  };
  for (std::size_t i = 0; i < builder.num_switches(); ++i) {
    const Switch& s = builder.at(id_at<FabricBuilder::SwitchHandle>(i));
    claim(s.lid, s.lmc, fmt::format("0x{:016x} ({})", index(s.guid), s.description));
  }
  for (std::size_t i = 0; i < builder.num_endports(); ++i) {
    const Endport& e = builder.at(id_at<FabricBuilder::EndportHandle>(i));
    claim(e.lid, e.lmc, fmt::format("0x{:016x} ({})", index(e.port_guid), e.description));
  }
  if (!without.empty() && !owners.empty())
    findings.push_back({fmt::format("{} have a LID and {} have none, for example {}; all LIDs will be reassigned",
                                    counted(builder.num_switches() + builder.num_endports() - without.size(), "node"),
                                    without.size(), without.front()),
                        file_name,
                        0,
                        {}});
  if (!overlap && without.empty()) return {};
  return builder.assign_lids(0, FabricBuilder::Numbering::kRenumber);
}

}  // namespace

Result<NetFindings> find_in_text(std::string text, const std::string& file_name) {
  std::vector<Error> findings;
  const FabricFormat format = fabric_format(text);
  ESPALIER_TRY(ParsedNet net, read_the_sound_part(text, file_name, findings));
  name_nodes(net.builder);
  findings.insert(findings.end(), net.warnings.begin(), net.warnings.end());
  if (format == FabricFormat::kNet) ESPALIER_TRY_STATUS(look_at_blocks(text, file_name, net.builder, findings));
  ESPALIER_TRY_STATUS(look_at_lids(net.builder, file_name, findings));
  std::stable_sort(findings.begin(), findings.end(), [](const Error& a, const Error& b) { return a.line < b.line; });
  return NetFindings{std::move(findings), std::move(net.builder)};
}

}  // namespace espalier::tools
