// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net/net_blocks.h"

#include <fmt/format.h>

#include <array>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/scanner.h"

namespace espalier::io {
namespace {

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.substr(0, word.size()) == word && (line.size() == word.size() || is_blank(line[word.size()]));
}

class BlockReader {
 public:
  BlockReader(std::string_view text, const std::string& file_name) : lines_(text), file_name_(file_name) {}

  Result<NetBlocks> read() {
    while (const auto line = lines_.next())
      if (Status ok = read_line(*line); !ok) {
        Error error = ok.error();
        error.file = file_name_;
        if (error.line == 0) error.line = lines_.number();
        return tl::unexpected(std::move(error));
      }
    if (net_.blocks.empty())
      return fail_at(
          file_name_, 0, "it contains no Switch and no Ca",
          "give what ibnetdiscover prints (without -l), an ibsim net file, opensm-subnet.lst or an ibdm .topo");
    return std::move(net_);
  }

 private:
  Status read_line(std::string_view line) {
    if (!line.empty() && line[0] == '#') return {};  // a remark, even between the ports of a block
    if (is_port_line(line)) return read_port(line);
    in_block_ = false;
    if (line.empty()) return {};
    if (is_header(line)) return read_header(line);
    return read_other(line);
  }

  Status read_header(std::string_view line) {
    ESPALIER_TRY(HeaderLine header, parse_header(line));
    const Guid guid = pending_[static_cast<std::size_t>(header.kind)];
    pending_.fill(kNoGuid);
    net_.blocks.push_back({std::move(header), guid, lines_.number()});
    in_block_ = true;
    return {};
  }

  Status read_port(std::string_view line) {
    if (!in_block_) return fail("a port outside of a block", "put it directly under the line of its Switch or Ca");
    const HeaderLine& header = net_.blocks.back().header;
    ESPALIER_TRY(PortLine port, parse_port_line(line, header.kind));
    if (index(port.port) > header.num_ports)
      return fail(fmt::format("port {} of \"{}\", which has only {}", index(port.port), header.id,
                              counted(header.num_ports, "port")));
    net_.ports.push_back({static_cast<std::uint32_t>(net_.blocks.size() - 1), port, lines_.number()});
    return {};
  }

  // Whatever else stands between blocks is skipped, except for what changes the meaning of the file.
  Status read_other(std::string_view line) {
    read_guid_line(line, "switchguid", NodeKind::kSwitch);
    read_guid_line(line, "caguid", NodeKind::kChannelAdapter);
    read_guid_line(line, "hcaguids", NodeKind::kChannelAdapter);
    read_guid_line(line, "rtguid", NodeKind::kRouter);
    if (starts_with_word(line, "include")) return fail("ibsim's include is not supported", "join the files into one");
    if (line.substr(0, 7) == "module=")
      return fail("ibsim's module prefix is not supported", "write the ids with their prefix");
    if (line.substr(0, 2) == "@[")
      return fail("ibsim's port aliases are not supported", "name the peer by id and port");
    if (starts_with_word(line, "do"))
      net_.warnings.push_back({"ibsim's command \"do\" is skipped", file_name_, lines_.number(), {}});
    return {};
  }

  // "switchguid=0x8f10500108c9e(8f10500108c9e)". In parentheses stands the port 0's GUID, which is the switch's;
  // ibdiagnet2 has the system's in front.
  void read_guid_line(std::string_view text, std::string_view key, NodeKind kind) {
    Scanner line(text);
    if (!line.eat(key) || !line.eat("=")) return;
    std::optional<std::uint64_t> guid = parse_hex(line.eat_word("("));
    if (kind == NodeKind::kSwitch && line.eat("("))
      if (const auto inner = parse_hex(line.eat_word(")")); inner && *inner != 0) guid = inner;
    if (guid) pending_[static_cast<std::size_t>(kind)] = Guid{*guid};
  }

  Lines lines_;
  const std::string& file_name_;
  NetBlocks net_;
  bool in_block_ = false;
  std::array<Guid, 3> pending_{};  // per NodeKind, for the next block
};

}  // namespace

Result<NetBlocks> read_blocks(std::string_view text, const std::string& file_name) {
  return BlockReader(text, file_name).read();
}

}  // namespace espalier::io
