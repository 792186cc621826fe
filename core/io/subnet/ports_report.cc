// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/ports_report.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/try.h"
#include "core/io/scanner.h"
#include "core/io/subnet/link_list.h"

namespace espalier {
namespace {

using io::LinkEnd;
using io::NodeKind;

std::string_view next_word(io::Scanner& line) {
  line.skip_blanks();
  return line.eat_word();
}

std::optional<NodeKind> kind_of(std::string_view word) {
  if (word == "SW") return NodeKind::kSwitch;
  if (word == "CA") return NodeKind::kChannelAdapter;
  if (word == "RT") return NodeKind::kRouter;
  return std::nullopt;
}

template <class Int>
std::optional<Int> number_of(std::string_view word) {
  io::Scanner digits(word);
  const std::optional<Int> value = digits.eat_number<Int>();
  return digits.done() ? value : std::nullopt;
}

// "CA    23  1 0x0002c90300000001"
Result<LinkEnd> parse_reported_end(io::Scanner& line) {
  LinkEnd end;
  const std::string_view kind_word = next_word(line);
  const std::optional<NodeKind> kind = kind_of(kind_word);
  if (!kind) return fail(fmt::format("expected SW, CA or RT, not \"{}\"", kind_word));
  end.kind = *kind;
  const auto lid = number_of<std::uint32_t>(next_word(line));
  if (!lid) return fail(fmt::format("expected a LID behind {}", kind_word));
  end.set_lid(*lid);
  const auto port = number_of<std::uint32_t>(next_word(line));
  if (!port || *port == 0 || *port > 254) return fail("expected a port number, 1 to 254, after the LID");
  end.port = id_at<PortNum>(*port);
  const std::string_view guid_word = next_word(line);
  const auto guid = guid_word.substr(0, 2) == "0x" ? io::parse_hex(guid_word) : std::nullopt;
  if (!guid || *guid == 0) return fail("expected the port's GUID, 0x and hexadecimal digits, after its number");
  end.port_guid = Guid{*guid};
  end.node = end.kind != NodeKind::kSwitch && *guid > *port ? Guid{*guid - *port} : Guid{*guid};
  return end;
}

// "4x QDR"; "??" where ibnetdiscover does not know.
LinkRate parse_reported_rate(io::Scanner& line) {
  const std::string_view width = next_word(line);
  const std::string_view speed = next_word(line);
  return LinkRate::parse(fmt::format("{}{}", width, speed)).value_or(LinkRate{});
}

// "( 'node1 HCA-1' - 'leaf 1' )". A name may hold quotes, but hardly ever what stands between the two.
Status parse_names(std::string_view text, LinkEnd& own, LinkEnd& peer) {
  constexpr std::string_view kOpen = "( '";
  constexpr std::string_view kBetween = "' - '";
  constexpr std::string_view kClose = "' )";
  const std::size_t between = text.find(kBetween);
  if (text.substr(0, kOpen.size()) != kOpen || between == std::string_view::npos || between < kOpen.size() ||
      text.size() < between + kBetween.size() + kClose.size() || text.substr(text.size() - kClose.size()) != kClose)
    return fail("expected \"( 'NAME' - 'NAME' )\" at the end", "the file is incomplete; create it again");
  own.name = text.substr(kOpen.size(), between - kOpen.size());
  peer.name = text.substr(between + kBetween.size());
  peer.name.remove_suffix(kClose.size());
  return {};
}

Status read_line(std::string_view text, int number, io::LinkList& links) {
  io::Scanner line(text);
  ESPALIER_TRY(LinkEnd own, parse_reported_end(line));
  const LinkRate rate = parse_reported_rate(line);
  line.skip_blanks();
  if (!line.eat("- ")) {
    if (!line.eat("'")) return fail("expected \"-\" and the other end, or the name of the node in quotes");
    own.name = line.rest().substr(0, line.rest().rfind('\''));
    if (own.kind == NodeKind::kSwitch || own.lid != kNoLid) links.add(own, number);
    return {};
  }
  ESPALIER_TRY(LinkEnd peer, parse_reported_end(line));
  line.skip_blanks();
  if (Status ok = parse_names(line.rest(), own, peer); !ok) return ok;
  links.add(own, peer, rate, number);
  return {};
}

}  // namespace

bool is_ports_report_line(std::string_view text) {
  io::Scanner line(text);
  return kind_of(next_word(line)).has_value() && number_of<std::uint32_t>(next_word(line)).has_value();
}

Result<ParsedNet> read_ports_report(std::string_view text, const std::string& file_name) {
  io::LinkList links(file_name, io::Ends::kBoth);
  io::Lines lines(text);
  bool any = false;
  while (const auto line = lines.next()) {
    if (!is_ports_report_line(*line)) continue;
    any = true;
    if (const Status ok = read_line(*line, lines.number(), links); !ok)
      return fail_at(file_name, lines.number(), ok.error().message, ok.error().advice);
  }
  if (!any) return fail_at(file_name, 0, "it contains no port", "give the output of ibnetdiscover -p");
  return std::move(links).finish();
}

}  // namespace espalier
