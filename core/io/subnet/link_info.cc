// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/link_info.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/io/scanner.h"
#include "core/io/subnet/link_list.h"
#include "core/io/subnet/speed_words.h"

namespace espalier {
namespace {

using io::LinkEnd;
using io::NodeKind;

constexpr std::string_view kArrow = "==(";
constexpr std::string_view kArrowEnd = ")==>";

// A line of a port in either dialect; `peer` where there is a link.
struct PortLine {
  LinkEnd own;
  std::optional<LinkEnd> peer;
  LinkRate rate;
  int line = 0;
};

std::optional<Guid> eat_guid(io::Scanner& line) {
  line.skip_blanks();
  if (line.rest().substr(0, 2) != "0x") return std::nullopt;
  const auto guid = io::parse_hex(line.eat_word());
  return guid ? std::optional(Guid{*guid}) : std::nullopt;
}

// "7    1[  ]": LID and port; the LID 0 is none.
Status eat_lid_and_port(io::Scanner& line, LinkEnd& end) {
  line.skip_blanks();
  const auto lid = line.eat_number<std::uint32_t>();
  line.skip_blanks();
  const auto port = line.eat_number<std::uint32_t>();
  if (!lid || !port || *port == 0 || *port > 254)
    return fail("expected a LID and a port number, 1 to 254, before \"[\"");
  if (!line.eat_until(']')) return fail("expected \"[ ]\" behind the port number");
  end.set_lid(*lid);
  end.port = id_at<PortNum>(*port);
  return {};
}

// "4X      25.78125 Gbps Active/  LinkUp"
LinkRate rate_of(std::string_view text) {
  io::Scanner words(text);
  words.skip_blanks();
  const std::string_view width = words.eat_word("X");
  words.skip_blanks();
  (void)words.eat("X");
  words.skip_blanks();
  return io::rate_of(width, io::speed_called(words.eat_word(), &io::SpeedWords::libibmad));
}

class LinkInfoReader {
 public:
  LinkInfoReader(std::string_view text, const std::string& file_name) : lines_(text), file_name_(file_name) {}

  Result<ParsedNet> read() {
    while (const auto line = lines_.next())
      if (const Status ok = read_line(*line); !ok)
        return fail_at(file_name_, lines_.number(), ok.error().message, ok.error().advice);
    if (ports_.empty()) return fail_at(file_name_, 0, "it contains no port", "give the output of iblinkinfo");
    return join();
  }

 private:
  // "Switch: 0x0002c90001000001 leaf 1:", "CA: host 2:"
  Status read_line(std::string_view text) {
    if (is_link_info_line(text)) return read_port(text);
    io::Scanner line(text);
    for (const auto& [word, kind] :
         {std::pair("Switch:", NodeKind::kSwitch), std::pair("CA:", NodeKind::kChannelAdapter),
          std::pair("Router:", NodeKind::kRouter)}) {
      if (!line.eat(word)) continue;
      node_ = {};
      node_.kind = kind;
      if (kind == NodeKind::kSwitch) node_.node = eat_guid(line).value_or(kNoGuid);
      line.skip_blanks();
      node_.name = line.rest().substr(0, line.rest().size() - (line.rest().ends_with(':') ? 1 : 0));
    }
    return {};
  }

  Status read_port(std::string_view text) {
    PortLine port{.own = node_, .peer = {}, .rate = {}, .line = lines_.number()};
    io::Scanner line(text);
    const auto guid = eat_guid(line);
    line.skip_blanks();
    const bool has_guids = line.eat("\"");  // -l
    if (has_guids) {
      const auto name = line.eat_until('"');
      if (!guid || !name) return fail("expected a GUID and a name in quotes");
      port.own = {};
      port.own.kind = NodeKind::kSwitch;  // until join() knows better
      port.own.name = name->substr(std::min(name->find_first_not_of(' '), name->size()));
      all_have_guids_ = true;
    }
    if (Status ok = eat_lid_and_port(line, port.own); !ok) return ok;
    if (guid) port.own.port_guid = *guid;
    line.skip_blanks();
    if (!line.eat(kArrow)) return fail("expected \"==(\" behind the port");
    const std::size_t end = line.rest().find(kArrowEnd);
    if (end == std::string_view::npos) return fail("expected \")==>\" behind the state of the link");
    const std::string_view state = line.rest().substr(0, end);
    io::Scanner behind(line.rest().substr(end + kArrowEnd.size()));
    port.rate = rate_of(state);
    if (state.find("LinkUp") != std::string_view::npos) {
      port.peer.emplace();
      port.peer->port_guid = eat_guid(behind).value_or(kNoGuid);
      if (Status ok = eat_lid_and_port(behind, *port.peer); !ok) return ok;
    }
    ports_.push_back(port);
    return {};
  }

  // With -l no line says what is a switch: who has the same GUID on two ports, or several lines, is one.
  void find_kinds() {
    std::map<Guid, std::size_t> lines_of;
    for (const PortLine& port : ports_) ++lines_of[port.own.port_guid];
    for (PortLine& port : ports_)
      if (port.own.node == kNoGuid && all_have_guids_)
        port.own.kind = lines_of.at(port.own.port_guid) > 1 ? NodeKind::kSwitch : NodeKind::kChannelAdapter;
  }

  void complete(LinkEnd& own) const {
    if (own.kind == NodeKind::kSwitch) {
      if (own.node == kNoGuid) own.node = own.port_guid;
      own.port_guid = own.node;
    } else {
      own.node = index(own.port_guid) > index(own.port) ? Guid{index(own.port_guid) - index(own.port)} : own.port_guid;
    }
  }

  Result<ParsedNet> join() {
    find_kinds();
    std::map<Lid, const LinkEnd*> by_lid;
    std::map<Guid, const LinkEnd*> by_guid;
    for (PortLine& port : ports_) {
      complete(port.own);
      if (port.own.node == kNoGuid)
        return fail_at(file_name_, port.line, "a port below no node", "give all of the output of iblinkinfo");
      if (port.own.lid != kNoLid) by_lid.emplace(port.own.lid, &port.own);
      by_guid.emplace(port.own.port_guid, &port.own);
    }
    io::LinkList links(file_name_, io::Ends::kBoth);
    for (const PortLine& port : ports_) {
      if (!port.peer) {
        if (port.own.kind == NodeKind::kSwitch) links.add(port.own, port.line);
        continue;
      }
      const LinkEnd* other = nullptr;
      if (const auto at = by_guid.find(port.peer->port_guid); at != by_guid.end()) other = at->second;
      if (const auto at = by_lid.find(port.peer->lid);
          other == nullptr && port.peer->lid != kNoLid && at != by_lid.end())
        other = at->second;
      if (other == nullptr)
        return fail_at(file_name_, port.line, "nobody has the LID or GUID of the other end",
                       "run iblinkinfo -l, without a filter, on a subnet that is up");
      LinkEnd peer = *other;
      peer.port = port.peer->port;
      links.add(port.own, peer, port.rate, port.line);
    }
    return std::move(links).finish();
  }

  io::Lines lines_;
  const std::string& file_name_;
  LinkEnd node_;  // of the block that we are in
  std::vector<PortLine> ports_;
  bool all_have_guids_ = false;
};

}  // namespace

bool is_link_info_line(std::string_view line) {
  const std::size_t arrow = line.find(kArrow);
  return arrow != std::string_view::npos && line.substr(0, arrow).find('[') != std::string_view::npos;
}

Result<ParsedNet> read_link_info(std::string_view text, const std::string& file_name) {
  return LinkInfoReader(text, file_name).read();
}

}  // namespace espalier
