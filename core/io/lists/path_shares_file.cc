// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/path_shares_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>

#include "core/base/number.h"
#include "core/base/try.h"
#include "core/fabric/endport_index.h"
#include "core/io/lists/guid_file.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

bool cabled(const Fabric& fabric, SwitchId from, SwitchId to) {
  for (const PortNum p : fabric.ports(from))
    if (const Peer& peer = fabric.peer(from, p); peer.is_switch() && peer.as_switch() == to) return true;
  return false;
}

class Reader {
 public:
  explicit Reader(const Fabric& fabric) : fabric_(fabric), endports_(fabric) {}

  [[nodiscard]] Result<PathShare> read(Guid source, std::string_view rest) const {
    const std::vector<std::string_view> words = io::words_of(io::without_comment(rest));
    if (words.size() < 2) return fail("a path needs a source, a destination and a weight");
    PathShare share;
    ESPALIER_TRY(share.from, endport(source));
    const std::optional<std::uint64_t> to = io::parse_hex(words[0]);
    if (!to) return fail(fmt::format("\"{}\" is not a GUID", words[0]), "write 0x and up to 16 hexadecimal digits");
    ESPALIER_TRY(share.to, endport(Guid{*to}));
    const std::optional<double> weight = parse_number<double>(words[1]);
    if (!weight || !(*weight > 0) || !std::isfinite(*weight)) return fail(fmt::format("{} is not a weight", words[1]));
    share.weight = *weight;
    SwitchId at = fabric_.at(share.from).leaf;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const SwitchId next = fabric_.find_switch(Guid{io::parse_hex(words[i]).value_or(0)});
      if (next == kNoSwitch) return fail(fmt::format("the fabric has no switch {}", words[i]));
      if (!cabled(fabric_, at, next)) return fail(fmt::format("no link leads to {} from before", words[i]));
      share.switches.push_back(next);
      at = next;
    }
    if (at != fabric_.at(share.to).leaf) return fail("the path does not end at the destination's switch");
    return share;
  }

 private:
  [[nodiscard]] Result<EndportId> endport(Guid guid) const {
    const EndportId found = endports_.find(guid);
    if (found == kNoEndport || fabric_.at(found).leaf == kNoSwitch)
      return fail(fmt::format("the fabric has no end port 0x{:016x} on a switch", index(guid)));
    return found;
  }

  const Fabric& fabric_;
  EndportIndex endports_;
};

}  // namespace

std::string write_path_shares(const Fabric& fabric, const std::vector<PathShare>& shares) {
  std::string text = "# source destination weight switches after the source's\n";
  for (const PathShare& share : shares) {
    fmt::format_to(std::back_inserter(text), "0x{:016x} 0x{:016x} {:.6g}", index(fabric.at(share.from).port_guid),
                   index(fabric.at(share.to).port_guid), share.weight);
    for (const SwitchId s : share.switches)
      fmt::format_to(std::back_inserter(text), " 0x{:016x}", index(fabric.at(s).guid));
    text += '\n';
  }
  return text;
}

Result<std::vector<PathShare>> read_path_shares(std::string_view text, const std::string& file_name,
                                                const Fabric& fabric) {
  ESPALIER_TRY(const auto lines, read_guid_lines(text, file_name));
  const Reader reader(fabric);
  std::vector<PathShare> shares;
  for (const GuidLine& line : lines) {
    Result<PathShare> share = reader.read(line.guid, line.rest);
    if (!share) return fail_at(file_name, line.line, share.error().message, share.error().advice);
    shares.push_back(*std::move(share));
  }
  return shares;
}

}  // namespace espalier
