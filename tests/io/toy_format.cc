// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/io/toy_format.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/number.h"
#include "core/io/scanner.h"
#include "core/io/subnet/link_list.h"

namespace espalier::test {
namespace {

// "0x1a[1]" and blanks behind it.
std::optional<io::LinkEnd> eat_end(io::Scanner& scan) {
  io::LinkEnd end;
  const auto name = scan.eat_until('[');
  const auto port = scan.eat_until(']');
  if (!name || !port) return std::nullopt;
  const auto guid = io::parse_hex(*name);
  const auto number = parse_number<std::uint8_t>(*port);
  if (!guid || !number) return std::nullopt;
  end.node = Guid{*guid};
  end.port = PortNum{*number};
  end.name = *name;
  scan.skip_blanks();
  return end;
}

}  // namespace

Result<ParsedNet> read_toy(std::string_view text, const std::string& file_name) {
  io::LinkList links(file_name, io::Ends::kAny);
  io::Lines lines(text);
  while (const auto line = lines.next()) {
    if (line->empty() || line->front() == '#') continue;
    io::Scanner scan(*line);
    const auto own = eat_end(scan);
    const auto peer = eat_end(scan);
    if (!own || !peer || !scan.done())
      return fail_at(file_name, lines.number(), "this is no link", "write GUID[PORT] GUID[PORT]");
    links.add(*own, *peer, {}, lines.number());
  }
  return std::move(links).finish();
}

std::string write_toy(const Fabric& fabric) {
  std::string text;
  for (const SwitchId s : fabric.switches())
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p)
      if (const Peer& peer = fabric.peer(s, id_at<PortNum>(p)); peer.is_switch() && s < peer.as_switch())
        text += fmt::format("{:#x}[{}] {:#x}[{}]\n", index(fabric.at(s).guid), p,
                            index(fabric.at(peer.as_switch()).guid), index(peer.port));
  return text;
}

}  // namespace espalier::test
