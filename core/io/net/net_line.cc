// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net/net_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/try.h"
#include "core/io/scanner.h"

namespace espalier::io {
namespace {

struct Keyword {
  std::string_view word;
  NodeKind kind;
};
constexpr std::array<Keyword, 4> kKeywords{{{"Switch", NodeKind::kSwitch},
                                            {"Ca", NodeKind::kChannelAdapter},
                                            {"Hca", NodeKind::kChannelAdapter},
                                            {"Rt", NodeKind::kRouter}}};

const Keyword* keyword_of(std::string_view line) {
  const std::string_view word = Scanner(line).eat_word("\"");
  const auto it = std::find_if(kKeywords.begin(), kKeywords.end(), [&](const Keyword& k) { return k.word == word; });
  return it == kKeywords.end() ? nullptr : &*it;
}

// What the words of a remark say. A line of a CA can speak of two LIDs: its own and its peer's.
struct Remark {
  std::array<LidNote, 2> lids;
  std::size_t num_lids = 0;
  LinkRate rate;
};

// The next word as a number; nothing when it is not one.
std::optional<std::uint32_t> number_word(Scanner& words) {
  words.skip_blanks();
  Scanner word(words.rest());
  const std::optional<std::uint32_t> value = word.eat_number<std::uint32_t>();
  if (!value || !(word.done() || is_blank(word.rest().front()))) return std::nullopt;
  words = word;
  return value;
}

// LID 0 and 0xFFFF are what an unconfigured port has: no LID. A tool may print another number that is none.
Result<Remark> parse_remark(std::string_view text) {
  Remark remark;
  Scanner words(text);
  for (words.skip_blanks(); !words.done(); words.skip_blanks()) {
    const std::string_view word = words.eat_word();
    if (word == "lid") {
      const auto lid = number_word(words);
      if (!lid) continue;
      if (remark.num_lids == remark.lids.size()) continue;
      LidNote& note = remark.lids[remark.num_lids++];
      const bool good = *lid <= index(kMaxUnicastLid);
      note.lid = good ? id_at<Lid>(*lid) : kNoLid;
      note.odd = good || *lid == 0xFFFF ? 0 : *lid;
    } else if (word == "lmc") {
      const auto lmc = number_word(words);
      if (!lmc) continue;
      if (*lmc > kMaxLmc) return fail(fmt::format("LMC {} is above {}", *lmc, kMaxLmc));
      if (remark.num_lids > 0) remark.lids[remark.num_lids - 1].lmc = static_cast<std::uint8_t>(*lmc);
    } else if (const auto rate = LinkRate::parse(word)) {
      remark.rate = *rate;
    }
  }
  return remark;
}

// A remark around a quoted description, which may itself hold quotes: it goes from the first to the last.
struct Quoted {
  std::string_view before, inside, after;
  bool found = false;
};

Quoted split_quoted(std::string_view text) {
  const std::size_t first = text.find('"');
  if (first == std::string_view::npos) return {text, {}, {}, false};
  const std::size_t last = text.rfind('"');
  if (first == last) return {text.substr(0, first), text.substr(first + 1), {}, true};  // the closing one is missing
  return {text.substr(0, first), text.substr(first + 1, last - first - 1), text.substr(last + 1), true};
}

// A description without quotes ends where the words that ibnetdiscover adds begin.
Quoted split_unquoted(std::string_view text) {
  std::size_t end = text.size();
  for (const std::string_view word : {" enhanced port ", " base port ", " lid ", " lmc "})
    end = std::min(end, text.find(word));
  Scanner description(text.substr(0, end));
  description.skip_blanks();
  return {{}, trim_right(description.rest()), text.substr(end), true};
}

Result<PortNum> parse_port_number(std::optional<std::uint32_t> number) {
  if (!number || *number == 0 || *number > 254) return fail("a port number must be 1 to 254");
  return id_at<PortNum>(*number);
}

// "[12]", then "[ext 3]" and "(guid)" in any order, as far as they are there. A GUID that is not hexadecimal or too
// small to be one (ibdiagnet2 repeats the port number there) counts as none.
struct PortRef {
  PortNum port = kNoPort;
  Guid guid = kNoGuid;
};

Result<PortRef> parse_port_ref(Scanner& line) {
  PortRef ref;
  if (!line.eat("[")) return fail("expected a port number in brackets");
  ESPALIER_TRY(ref.port, parse_port_number(line.eat_number<std::uint32_t>()));
  if (!line.eat("]")) return fail("a port number has no closing bracket");
  for (;;) {
    if (line.eat("[ext ")) {
      if (!line.eat_until(']')) return fail("\"[ext\" has no closing bracket");
    } else if (line.eat("(") || line.eat(" (")) {  // with a blank: ibnetdiscover's peers that are no switches
      const auto guid = line.eat_until(')');
      if (!guid) return fail("a port GUID has no closing parenthesis");
      const auto value = parse_hex(*guid);
      if (value && *value > 0xFF) ref.guid = Guid{*value};
    } else {
      return ref;
    }
  }
}

Result<std::vector<UncabledPort>> parse_uncabled(std::string_view text) {
  constexpr std::string_view kWord = "uncabled [";
  std::vector<UncabledPort> ports;
  for (std::size_t at = text.find(kWord); at != std::string_view::npos;) {
    const std::size_t next = text.find(kWord, at + 1);
    Scanner scanner(text.substr(at, next == std::string_view::npos ? next : next - at));
    (void)scanner.eat("uncabled ");
    ESPALIER_TRY(const PortRef ref, parse_port_ref(scanner));
    ESPALIER_TRY(const Remark remark, parse_remark(scanner.rest()));
    ports.push_back({ref.port, ref.guid, remark.lids[0]});
    at = next;
  }
  return ports;
}

// Behind the peer stand ibsim's options such as "w=4", which say what is enabled, not what the rate is.
Status parse_options(Scanner& line) {
  for (line.skip_blanks(); !line.done() && !line.at('#'); line.skip_blanks()) {
    const std::string_view word = line.eat_word("#");
    if (word.find('=') == std::string_view::npos)
      return fail(fmt::format("unexpected \"{}\" after the peer", word), "put comments after a #");
  }
  return {};
}

}  // namespace

bool is_header(std::string_view line) { return keyword_of(line) != nullptr; }

bool is_port_line(std::string_view line) { return line.size() > 1 && line[0] == '[' && is_digit(line[1]); }

Result<HeaderLine> parse_header(std::string_view text) {
  const Keyword& keyword = *keyword_of(text);
  HeaderLine header;
  header.kind = keyword.kind;
  Scanner line(text.substr(keyword.word.size()));
  line.skip_blanks();
  const auto num_ports = line.eat_number<std::uint32_t>();
  if (!num_ports || *num_ports == 0 || *num_ports > 254)
    return fail(fmt::format("expected the number of ports, 1 to 254, after \"{}\"", keyword.word),
                "give the output of ibnetdiscover without -l");
  header.num_ports = static_cast<std::uint8_t>(*num_ports);
  line.skip_blanks();
  const auto id = line.eat("\"") ? line.eat_until('"') : std::nullopt;
  if (!id || id->empty()) return fail("expected the node's id in quotes after the number of ports");
  header.id = *id;

  if (!line.eat_until('#')) return header;
  line.skip_blanks();
  const Quoted parts = line.at('"') ? split_quoted(line.rest()) : split_unquoted(line.rest());
  header.description = parts.inside;
  if (parts.after.find("enhanced port 0") != std::string_view::npos) header.port0 = Port0Kind::kEnhanced;
  ESPALIER_TRY(const Remark remark, parse_remark(parts.after));
  if (header.kind == NodeKind::kSwitch) {
    header.lid = remark.lids[0];
    return header;
  }
  ESPALIER_TRY(std::vector<UncabledPort> uncabled, parse_uncabled(parts.after));
  header.uncabled = std::move(uncabled);
  return header;
}

Result<PortLine> parse_port_line(std::string_view text, NodeKind kind) {
  PortLine port;
  Scanner line(text);
  ESPALIER_TRY(const PortRef own, parse_port_ref(line));
  port.port = own.port;
  port.guid = own.guid;
  line.skip_blanks();
  if (!line.done() && !line.at('#')) {
    if (line.eat("\"")) {
      const auto id = line.eat_until('"');
      if (!id) return fail("the peer's id has no closing quote");
      port.peer_id = *id;
    } else {
      port.peer_id = line.eat_word("[#");
    }
    if (port.peer_id.empty()) return fail("expected the peer's id in quotes");
    line.skip_blanks();
    if (line.at('[')) {  // otherwise port 1, as in ibsim
      ESPALIER_TRY(const PortRef peer, parse_port_ref(line));
      port.peer_port = peer.port;
      port.peer_guid = peer.guid;
    }
    ESPALIER_TRY_STATUS(parse_options(line));
  }
  if (!line.eat("#")) return port;

  const Quoted parts = split_quoted(line.rest());
  port.peer_description = parts.inside;
  ESPALIER_TRY(const Remark before, parse_remark(parts.before));
  ESPALIER_TRY(const Remark after, parse_remark(parts.after));
  port.rate = parts.found && after.rate != LinkRate{} ? after.rate : before.rate;
  if (kind == NodeKind::kSwitch) {
    port.peer_lid = parts.found ? after.lids[0] : before.lids[0];
  } else {
    port.lid = before.lids[0];
    port.peer_lid = parts.found ? after.lids[0] : before.lids[1];
  }
  return port;
}

}  // namespace espalier::io
