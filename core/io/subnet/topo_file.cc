// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/topo_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/disjoint_sets.h"
#include "core/base/split.h"
#include "core/base/try.h"
#include "core/io/net/net_guids.h"
#include "core/io/scanner.h"
#include "core/io/subnet/ibnl.h"
#include "core/io/subnet/link_list.h"
#include "core/io/subnet/speed_words.h"

namespace espalier {
namespace {

// More than there are LIDs. A definition of a few lines can have boards on boards by the billion.
constexpr std::size_t kMostBoards = 65'536;

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

bool is_arrow(std::string_view word) { return word.size() >= 2 && word.front() == '-' && word.back() == '>'; }

// "->", "-4x->", "-10G->", "-12X-5G->". ibdm takes 4x and 2.5 G for what is not said; so do we once one of them is.
Result<LinkRate> parse_arrow(std::string_view word) {
  const auto no = [&] {
    return fail(fmt::format("\"{}\" is not an arrow", word), "write ->, or give width and speed as in -4x-10G->");
  };
  std::string_view rest = word.substr(1, word.size() - 2);  // "", "4x-", "10G-", "4x-10G-"
  if (rest.empty()) return LinkRate{};
  std::string_view width = "4";
  LinkSpeed speed = LinkSpeed::kSdr;
  while (!rest.empty()) {
    const std::size_t end = rest.find('-');
    if (end == std::string_view::npos || end < 2) return no();
    const std::string_view part = rest.substr(0, end - 1);
    const char unit = rest[end - 1];
    rest.remove_prefix(end + 1);
    if (unit == 'x' || unit == 'X') {
      width = part;
    } else if (unit == 'G') {
      speed = io::speed_called(part, &io::SpeedWords::opensm);
    } else {
      return no();
    }
  }
  const LinkRate rate = io::rate_of(width, speed);
  if (rate == LinkRate{}) return no();
  return rate;
}

Result<PortNum> parse_plug(std::string_view word) {
  io::Scanner plug(word);
  (void)plug.eat("U1/");
  (void)plug.eat("P");
  const auto port = plug.eat_number<std::uint32_t>();
  if (!port || *port == 0 || *port > 254 || !plug.done())
    return fail(fmt::format("\"{}\" is not a plug of a single-chip system (P1 to P254)", word),
                "a chassis has the plugs of its .ibnl file");
  return id_at<PortNum>(*port);
}

struct System {
  std::string_view type;
  NodeKind kind = kSw;                                      // of a single chip
  std::uint8_t num_ports = 0;                               // likewise
  const io::SystemDefinition* definition = nullptr;         // of a chassis
  std::map<std::string, std::string, std::less<>> variant;  // CFG: which board is of which; "R" is taken out
  int line = 0;
};

// A wire between two points: plugs, connectors of boards, and ports of chips, each "PATH PORT".
struct Wire {
  std::string a, b;
  LinkRate rate;
  int line = 0;
};

struct Chip {
  NodeKind kind = kSw;
  std::uint8_t num_ports = 0;
};

struct ChipPort {
  std::map<std::string, Chip>::const_iterator chip;
  PortNum port{};
};

std::string point(std::string_view path, std::string_view port) { return fmt::format("{} {}", path, port); }

class TopoReader {
 public:
  TopoReader(std::string_view text, const std::string& file_name) : lines_(text), file_name_(file_name) {}

  Result<ParsedNet> read() {
    while (const auto line = lines_.next())
      if (const Status ok = read_line(*line); !ok)
        return fail_at(file_name_, lines_.number(), ok.error().message, ok.error().advice);
    if (systems_.empty()) return fail_at(file_name_, 0, "it contains no system");
    for (const auto& [name, system] : systems_)
      if (const Status ok = add_chips(name, system); !ok)
        return fail_at(file_name_, system.line, ok.error().message, ok.error().advice);
    for (const auto& [key, line] : plugs_of_chassis_)
      if (!connectors_.contains(key))
        return fail_at(file_name_, line, fmt::format("\"{}\" is not a plug of its chassis", key),
                       "its .ibnl file has their names");
    return join();
  }

 private:
  Status read_line(std::string_view text) {
    if (text.find_first_not_of(" \t") == std::string_view::npos) {
      own_ = {};
      return {};
    }
    const std::vector<std::string_view> words = io::words_of(text);
    if (words.front().front() == '#') return {};
    if (words.size() == 5 && is_arrow(words[1])) return read_link(words);
    const bool has_variant = words.size() > 2 && words[2].starts_with("CFG:");
    if ((words.size() != 2 && !has_variant) || is_arrow(words[1]))
      return fail("neither \"TYPE NAME\" nor \"PLUG -> TYPE NAME PLUG\"");
    own_ = words[1];
    if (Status ok = add_system(words[0], words[1]); !ok) return ok;
    if (has_variant && systems_.at(own_).definition == nullptr)
      return fail(fmt::format("\"{}\" is one chip and has no boards", own_), "leave out CFG:");
    return has_variant ? read_variant(text.substr(text.find("CFG:") + 4)) : Status{};
  }

  // "leaf1=R, spine1=12x"
  Status read_variant(std::string_view text) {
    for (const std::string_view word : io::words_of(text))
      for (const std::string_view one : split(word, ',')) {
        if (one.empty()) continue;
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos) return fail(fmt::format("\"{}\" is no BOARD=VARIANT", one));
        systems_.at(own_).variant.emplace(one.substr(0, equals), one.substr(equals + 1));
      }
    return {};
  }

  Status add_system(std::string_view type, std::string_view name) {
    const auto [at, is_new] = systems_.try_emplace(name);
    System& system = at->second;
    if (is_new) {
      system.type = type;
      system.line = lines_.number();
    }
    if (system.type != type)
      return fail(fmt::format("\"{}\" is a {} here, but a {} in line {}", name, type, system.type, system.line));
    if (!is_new) return {};
    const auto chip = std::find_if(kTypes.begin(), kTypes.end(), [&](const SystemType& t) { return t.name == type; });
    if (chip != kTypes.end()) {
      system.kind = chip->kind;
      system.num_ports = chip->num_ports;
      return {};
    }
    auto known = definitions_.find(type);
    if (known == definitions_.end()) {
      ESPALIER_TRY(io::SystemDefinition found, io::find_system_definition(type));
      known = definitions_.emplace(type, std::move(found)).first;
    }
    system.definition = &known->second;
    return {};
  }

  Status read_link(const std::vector<std::string_view>& words) {
    if (own_.empty()) return fail("a cable outside of a system", "put it directly under \"TYPE NAME\"");
    ESPALIER_TRY(const LinkRate rate, parse_arrow(words[1]));
    if (Status ok = add_system(words[2], words[3]); !ok) return ok;
    ESPALIER_TRY(const std::string own, plug(own_, words[0]));
    ESPALIER_TRY(const std::string peer, plug(words[3], words[4]));
    wires_.push_back({own, peer, rate, lines_.number()});
    return {};
  }

  // A plug of a chassis has a name of its own, that of a chip is a port.
  Result<std::string> plug(std::string_view name, std::string_view word) {
    const System& system = systems_.at(name);
    if (system.definition != nullptr) {
      std::string key = point(name, word);
      plugs_of_chassis_.emplace(key, lines_.number());
      return key;
    }
    ESPALIER_TRY(const PortNum port, parse_plug(word));
    return add_port(chips_.emplace(std::string(name), Chip{system.kind, system.num_ports}).first, port);
  }

  std::string add_port(std::map<std::string, Chip>::const_iterator chip, PortNum port) {
    std::string key = point(chip->first, fmt::format("{}", index(port)));
    ports_.emplace(key, ChipPort{chip, port});
    return key;
  }

  Status add_chips(std::string_view name, const System& system) {
    return system.definition == nullptr ? Status{}
                                        : expand(system, system.definition->top.front(), std::string(name), 0);
  }

  // All chips and wires of a board at `path`, and of the boards on it.
  Status expand(const System& system, const std::string& board_name, const std::string& path, int depth) {
    constexpr int kMostDepth = 8;  // no chassis has boards on boards on boards: this one is on itself
    const auto at = system.definition->boards.find(board_name);
    if (at == system.definition->boards.end() || depth > kMostDepth)
      return fail(fmt::format("the definition of {} has no board {}", system.type, board_name));
    if (++num_boards_ > kMostBoards) return fail(fmt::format("the systems have more than {} boards", kMostBoards));
    std::map<std::string, bool, std::less<>> is_chip;  // of what is there
    for (const io::BoardInst& inst : at->second.insts) {
      const std::string inst_path = fmt::format("{}/{}", path, inst.name);
      if (inst.board.empty()) {
        chips_.emplace(inst_path, Chip{inst.kind, inst.num_ports});
      } else {
        const auto variant = system.variant.find(inst.name);
        if (variant != system.variant.end() && variant->second == "R") continue;
        const std::string board = variant == system.variant.end() ? inst.board : inst.board + ":" + variant->second;
        if (Status ok = expand(system, board, inst_path, depth + 1); !ok) return ok;
      }
      is_chip.emplace(inst.name, inst.board.empty());
    }
    for (const io::BoardWire& wire : at->second.wires) {
      ESPALIER_TRY(const LinkRate rate, parse_arrow(wire.arrow));
      const auto from = board_point(path, wire.from, is_chip);
      const auto to = board_point(path, wire.to, is_chip);
      // Also those of boards that are out or of another variant: their plugs lead nowhere, which is no mistake.
      if (wire.to.inst.empty()) connectors_.insert(point(path, wire.to.port));
      // A definition may tell of a wire at both of its ends.
      if (from && to && told_.insert(std::minmax(*from, *to)).second) wires_.push_back({*from, *to, rate, system.line});
    }
    return {};
  }

  // Nothing: a board that is taken out.
  std::optional<std::string> board_point(const std::string& path, const io::BoardEnd& end,
                                         const std::map<std::string, bool, std::less<>>& is_chip) {
    if (end.inst.empty()) return point(path, end.port);
    const auto at = is_chip.find(end.inst);
    if (at == is_chip.end()) return std::nullopt;
    const std::string inst_path = fmt::format("{}/{}", path, end.inst);
    if (!at->second) return point(inst_path, end.port);
    const Result<PortNum> port = parse_plug(end.port);
    return port ? std::optional(add_port(chips_.find(inst_path), *port)) : std::nullopt;
  }

  LinkEnd end(const ChipPort& port) const {
    LinkEnd end;
    end.kind = port.chip->second.kind;
    end.node = guids_.at(port.chip->first);
    end.port_guid = Guid{index(end.node) + index(port.port)};
    end.port = port.port;
    end.num_ports = port.chip->second.num_ports;
    end.name = port.chip->first;
    return end;
  }

  // Wires that touch are one link, if they end at two chips: inside a chassis it goes over connectors of boards.
  void join_pieces(const std::vector<const Wire*>& pieces, io::LinkList& links) const {
    std::map<std::string_view, std::size_t> number;  // of points
    for (const Wire* wire : pieces)
      for (const std::string_view key : {std::string_view(wire->a), std::string_view(wire->b)})
        number.emplace(key, number.size());
    DisjointSets touching(number.size());
    for (const Wire* wire : pieces) touching.join(number.at(wire->a), number.at(wire->b));
    std::map<std::size_t, std::vector<const ChipPort*>> ends;
    for (const auto& [key, at] : number)
      if (const auto port = ports_.find(key); port != ports_.end())
        ends[touching.representative(at)].push_back(&port->second);
    std::map<std::size_t, const Wire*> told;  // the first wire that knows a rate: links come first, chassis behind them
    for (const Wire* wire : pieces) {
      const Wire*& best = told[touching.representative(number.at(wire->a))];
      if (best == nullptr || (wire->rate != LinkRate{} && best->rate == LinkRate{})) best = wire;
    }
    for (const auto& [set, two] : ends)
      for (std::size_t i = 1; i < two.size(); ++i)
        links.add(end(*two[0]), end(*two[i]), told.at(set)->rate, told.at(set)->line);
  }

  // Switches without a link have no port to speak of; they are left out, as an unplugged switch is when a subnet is
  // discovered.
  Result<ParsedNet> join() {
    std::vector<std::string> names;
    for (const auto& chip : chips_) names.push_back(chip.first);
    const std::vector<Guid> guids = io::assign_guids(names, {});
    for (std::size_t i = 0; i < names.size(); ++i) guids_.emplace(names[i], guids[i]);

    io::LinkList links(file_name_, io::Ends::kAny);
    std::vector<const Wire*> pieces;
    for (const Wire& wire : wires_) {
      const auto a = ports_.find(wire.a);
      const auto b = ports_.find(wire.b);
      if (a != ports_.end() && b != ports_.end())
        links.add(end(a->second), end(b->second), wire.rate, wire.line);
      else
        pieces.push_back(&wire);
    }
    join_pieces(pieces, links);
    return std::move(links).finish();
  }

  io::Lines lines_;
  const std::string& file_name_;
  std::string_view own_;  // the system whose links we read; empty: none
  std::map<std::string_view, System> systems_;
  std::map<std::string, io::SystemDefinition, std::less<>> definitions_;
  std::map<std::string, Chip> chips_;                   // by path: "GZ1/leaf1/U1"; a system of one chip has its name
  std::map<std::string, ChipPort, std::less<>> ports_;  // by point
  std::map<std::string, int> plugs_of_chassis_;         // that links name, and in which line
  std::set<std::string> connectors_;                    // of chassis and boards, that their definitions name
  std::set<std::pair<std::string, std::string>> told_;  // wires of definitions
  std::size_t num_boards_ = 0;                          // of all systems
  std::vector<Wire> wires_;
  std::map<std::string, Guid, std::less<>> guids_;
};

}  // namespace

bool is_topo_line(std::string_view line) {
  const std::vector<std::string_view> words = io::words_of(line);
  return words.size() == 5 && is_arrow(words[1]);
}

Result<ParsedNet> read_topo(std::string_view text, const std::string& file_name) {
  return TopoReader(text, file_name).read();
}

}  // namespace espalier
