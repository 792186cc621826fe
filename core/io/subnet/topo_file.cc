// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/topo_file.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "core/io/subnet/topo_words.h"

namespace espalier {
namespace {

// More than there are LIDs. A definition of a few lines can have boards on boards by the billion.
constexpr std::size_t kMostBoards = 65'536;

using io::LinkEnd;
using io::NodeKind;

struct System {
  std::string_view type;
  NodeKind kind = NodeKind::kSwitch;                        // of a single chip
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
  NodeKind kind = NodeKind::kSwitch;
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
    if (words.size() == 5 && io::is_arrow(words[1])) return read_link(words);
    const bool has_variant = words.size() > 2 && words[2].starts_with("CFG:");
    if ((words.size() != 2 && !has_variant) || io::is_arrow(words[1]))
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
    if (const std::optional<io::ChipType> chip = io::find_chip_type(type)) {
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
    ESPALIER_TRY(const LinkRate rate, io::parse_arrow(words[1]));
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
    ESPALIER_TRY(const PortNum port, io::parse_plug(word));
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
      ESPALIER_TRY(const LinkRate rate, io::parse_arrow(wire.arrow));
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
    const Result<PortNum> port = io::parse_plug(end.port);
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
  return words.size() == 5 && io::is_arrow(words[1]);
}

Result<ParsedNet> read_topo(std::string_view text, const std::string& file_name) {
  return TopoReader(text, file_name).read();
}

}  // namespace espalier
