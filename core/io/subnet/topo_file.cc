// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/topo_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/io/net/net_guids.h"
#include "core/io/scanner.h"
#include "core/io/subnet/link_list.h"

namespace espalier {
namespace {

using io::LinkEnd;
using io::NodeKind;

struct SystemType {
  std::string_view name;
  NodeKind kind;
  std::uint8_t num_ports;  // 0: as many as are spoken of
};

constexpr NodeKind kSw = NodeKind::kSwitch;
constexpr NodeKind kCa = NodeKind::kChannelAdapter;
constexpr std::array<SystemType, 39> kTypes{{{"SW", kSw, 0},
                                             {"CA", kCa, 0},
                                             {"HCA", kCa, 0},
                                             {"Buffalo", kSw, 8},
                                             {"MTS800", kSw, 8},
                                             {"Reindeer", kSw, 24},
                                             {"MTS2400", kSw, 24},
                                             {"MTS2400-24", kSw, 24},
                                             {"MTS2400-12T4", kSw, 24},
                                             {"Reindeer-12x12x", kSw, 24},
                                             {"MTS3600", kSw, 36},
                                             {"Shark", kSw, 36},
                                             {"IS4", kSw, 36},
                                             {"F464M", kSw, 36},
                                             {"Cheetah", kCa, 1},
                                             {"MHGS18-XT", kCa, 1},
                                             {"MT25204", kCa, 1},
                                             {"Cougar", kCa, 2},
                                             {"MT23108", kCa, 2},
                                             {"MTPB23108", kCa, 2},
                                             {"MHX-CE128-T", kCa, 2},
                                             {"MHX-CE256-T", kCa, 2},
                                             {"MHX-CE512-T", kCa, 2},
                                             {"MHXL-CF128-T", kCa, 2},
                                             {"MHXL-CF256-T", kCa, 2},
                                             {"MHXL-CF512-T", kCa, 2},
                                             {"Eagle", kCa, 2},
                                             {"MT25408", kCa, 2},
                                             {"MHEH28", kCa, 2},
                                             {"MHGH28", kCa, 2},
                                             {"Lion", kCa, 2},
                                             {"MT25208", kCa, 2},
                                             {"MTLP25208", kCa, 2},
                                             {"MHEL-CF128-T", kCa, 2},
                                             {"MHEL-CF256-T", kCa, 2},
                                             {"MHEL-CF512-T", kCa, 2},
                                             {"LionMini", kCa, 2},
                                             {"MHEA28-XT", kCa, 2},
                                             {"MT25218", kCa, 2}}};

struct SpeedWord {
  std::string_view word;
  std::string_view name;
};
constexpr std::array<SpeedWord, 8> kSpeeds{{{"2.5", "SDR"},
                                            {"5", "DDR"},
                                            {"10", "QDR"},
                                            {"14", "FDR"},
                                            {"25", "EDR"},
                                            {"50", "HDR"},
                                            {"100", "NDR"},
                                            {"200", "XDR"}}};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  io::Scanner line(text);
  for (line.skip_blanks(); !line.done(); line.skip_blanks()) words.push_back(line.eat_word());
  return words;
}

bool is_arrow(std::string_view word) { return word.size() >= 2 && word.front() == '-' && word.back() == '>'; }

// "->", "-4x->", "-10G->", "-12X-5G->". ibdm takes 4x and 2.5 G for what is not said; so do we once one of them is.
Result<LinkRate> parse_arrow(std::string_view word) {
  const auto no = [&] {
    return fail(fmt::format("\"{}\" is no arrow", word), "write ->, or width and speed as in -4x-10G->");
  };
  std::string_view rest = word.substr(1, word.size() - 2);  // "", "4x-", "10G-", "4x-10G-"
  if (rest.empty()) return LinkRate{};
  std::string_view width = "4";
  std::string_view speed = "SDR";
  while (!rest.empty()) {
    const std::size_t end = rest.find('-');
    if (end == std::string_view::npos || end < 2) return no();
    const std::string_view part = rest.substr(0, end - 1);
    const char unit = rest[end - 1];
    rest.remove_prefix(end + 1);
    if (unit == 'x' || unit == 'X') {
      width = part;
    } else if (const auto known =
                   std::find_if(kSpeeds.begin(), kSpeeds.end(), [&](const SpeedWord& s) { return s.word == part; });
               unit == 'G' && known != kSpeeds.end()) {
      speed = known->name;
    } else {
      return no();
    }
  }
  const auto rate = LinkRate::parse(fmt::format("{}x{}", width, speed));
  if (!rate) return no();
  return *rate;
}

Result<PortNum> parse_plug(std::string_view word) {
  io::Scanner plug(word);
  (void)plug.eat("U1/");
  (void)plug.eat("P");
  const auto port = plug.eat_number<std::uint32_t>();
  if (!port || *port == 0 || *port > 254 || !plug.done())
    return fail(fmt::format("\"{}\" is no plug of a system of one chip (P1 to P254)", word),
                "describe the chips of a chassis as systems of their own");
  return id_at<PortNum>(*port);
}

struct System {
  const SystemType* type = nullptr;
  int line = 0;
};

struct Cable {
  std::string_view own, peer;
  PortNum own_port, peer_port;
  LinkRate rate;
  int line = 0;
};

class TopoReader {
 public:
  TopoReader(std::string_view text, const std::string& file_name) : lines_(text), file_name_(file_name) {}

  Result<ParsedNet> read() {
    while (const auto line = lines_.next())
      if (const Status ok = read_line(*line); !ok)
        return fail_at(file_name_, lines_.number(), ok.error().message, ok.error().advice);
    if (systems_.empty()) return fail_at(file_name_, 0, "there is no system in it");
    return join();
  }

 private:
  Status read_line(std::string_view text) {
    if (text.find_first_not_of(" \t") == std::string_view::npos) {
      own_ = {};
      return {};
    }
    const std::vector<std::string_view> words = words_of(text);
    if (words.front().front() == '#') return {};
    if (words.size() == 5 && is_arrow(words[1])) return read_cable(words);
    if (words.size() > 2 && words[2].substr(0, 4) == "CFG:")
      return fail(fmt::format("system \"{}\" is configured from boards, so it is more than one chip", words[1]),
                  "describe its chips as systems of their own, of type SW");
    if (words.size() != 2 || is_arrow(words[1])) return fail("neither \"TYPE NAME\" nor \"PLUG -> TYPE NAME PLUG\"");
    own_ = words[1];
    return add_system(words[0], words[1]);
  }

  Status add_system(std::string_view type, std::string_view name) {
    const auto known = std::find_if(kTypes.begin(), kTypes.end(), [&](const SystemType& t) { return t.name == type; });
    if (known == kTypes.end() || type.empty())
      return fail(
          fmt::format("system type \"{}\" is not known to be a single chip; its wiring is in an .ibnl file", type),
          "describe its chips as systems of their own, of type SW or CA, or give an ibnetdiscover text");
    const auto at = systems_.emplace(name, System{&*known, lines_.number()});
    if (at.first->second.type != &*known)
      return fail(fmt::format("\"{}\" is a {} here, but a {} in line {}", name, type, at.first->second.type->name,
                              at.first->second.line));
    return {};
  }

  Status read_cable(const std::vector<std::string_view>& words) {
    if (own_.empty()) return fail("a cable outside of a system", "put it directly under \"TYPE NAME\"");
    const Result<PortNum> own_port = parse_plug(words[0]);
    if (!own_port) return tl::unexpected(own_port.error());
    const Result<LinkRate> rate = parse_arrow(words[1]);
    if (!rate) return tl::unexpected(rate.error());
    if (Status ok = add_system(words[2], words[3]); !ok) return ok;
    const Result<PortNum> peer_port = parse_plug(words[4]);
    if (!peer_port) return tl::unexpected(peer_port.error());
    cables_.push_back({own_, words[3], *own_port, *peer_port, *rate, lines_.number()});
    return {};
  }

  LinkEnd end(std::string_view name, PortNum port) const {
    const SystemType& type = *systems_.at(name).type;
    LinkEnd end;
    end.kind = type.kind;
    end.node = guids_.at(name);
    end.port_guid = Guid{index(end.node) + index(port)};
    end.port = port;
    end.num_ports = type.num_ports;
    end.name = name;
    return end;
  }

  // Switches without a cable have no port to speak of; they are left out, as an unplugged switch is when a subnet is
  // discovered.
  Result<ParsedNet> join() {
    std::vector<std::string> names;
    for (const auto& system : systems_) names.emplace_back(system.first);
    const std::vector<Guid> guids = io::assign_guids(names, {});
    std::size_t next = 0;
    for (const auto& system : systems_) guids_.emplace(system.first, guids[next++]);
    io::LinkList links(file_name_, io::Ends::kAny);
    for (const Cable& cable : cables_)
      links.add(end(cable.own, cable.own_port), end(cable.peer, cable.peer_port), cable.rate, cable.line);
    return std::move(links).finish();
  }

  io::Lines lines_;
  const std::string& file_name_;
  std::string_view own_;  // the system whose cables we read; empty: none
  std::map<std::string_view, System> systems_;
  std::map<std::string_view, Guid> guids_;
  std::vector<Cable> cables_;
};

}  // namespace

bool is_topo_line(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  return words.size() == 5 && is_arrow(words[1]);
}

Result<ParsedNet> read_topo(std::string_view text, const std::string& file_name) {
  return TopoReader(text, file_name).read();
}

}  // namespace espalier
