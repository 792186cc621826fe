// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lanes/alternatives_file.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "core/io/scanner.h"

namespace espalier {
namespace {

// "1-4 12" for the LIDs of one set of a switch.
std::string lids_of(const Fabric& fabric, const AlternativePorts& alternatives, SwitchId s, std::uint16_t set) {
  std::string text;
  const std::size_t end = alternatives.width();
  const auto is_in = [&](std::size_t lid) {
    return alternatives.set_of(s, id_at<Lid>(lid)) == set && fabric.is_in_use(id_at<Lid>(lid));
  };
  for (std::size_t lid = 1; lid < end; ++lid) {
    if (!is_in(lid)) continue;
    const std::size_t first = lid;
    while (lid + 1 < end && is_in(lid + 1)) ++lid;
    text += first == lid ? fmt::format(" {}", lid) : fmt::format(" {}-{}", first, lid);
  }
  return text;
}

class AlternativesReader {
 public:
  explicit AlternativesReader(const Fabric& fabric)
      : fabric_(fabric), read_(fabric.num_switches(), fabric.top_lid()), named_(index(fabric.top_lid()) + 1) {}

  Status take(std::string_view line) {
    io::Scanner scan(line);
    scan.skip_blanks();
    if (scan.done()) return {};
    const std::string_view word = scan.eat_word();
    scan.skip_blanks();
    if (word == "switch") return take_switch(scan);
    if (word == "ports") return take_ports(scan);
    return fail(fmt::format("\"{}\" is not a word of files of alternative ports", word),
                "valid words are switch and ports");
  }
  [[nodiscard]] bool names_a_switch() const { return in_switch_; }
  [[nodiscard]] AlternativePorts finish() { return std::move(read_); }

 private:
  Status take_switch(io::Scanner& scan) {
    const auto guid = io::parse_hex(scan.eat_word());
    scan.skip_blanks();
    if (!guid || !scan.done()) return fail("after \"switch\" comes the GUID of a switch, and nothing else");
    at_ = fabric_.find_switch(Guid{*guid});
    in_switch_ = true;
    ++round_;
    return {};
  }

  Status take_ports(io::Scanner& scan) {
    if (!in_switch_) return fail("\"ports\" before the first line `switch`");
    PortSet ports;
    for (; !scan.done() && !scan.at(':'); scan.skip_blanks()) {
      const auto port = scan.eat_number<unsigned>();
      const unsigned last = at_ == kNoSwitch ? 254U : fabric_.at(at_).num_ports;
      if (!port || *port > last) return fail(fmt::format("after \"ports\" come ports of the switch, 0 to {}", last));
      ports.set(*port);
    }
    if (ports.none()) return fail("after \"ports\" comes at least one port");
    if (!scan.eat(":")) return fail("a ':' is missing after the ports");
    for (scan.skip_blanks(); !scan.done(); scan.skip_blanks())
      if (Status ok = take_lids(scan, ports); !ok) return ok;
    return {};
  }

  Status take_lids(io::Scanner& scan, const PortSet& ports) {
    const auto first = scan.eat_number<std::uint32_t>();
    auto last = first;
    if (first && scan.eat("-")) last = scan.eat_number<std::uint32_t>();
    if (!first || !last || *first == 0 || *first > *last || *last >= 0xC000)
      return fail("after ':' come LIDs from 1 to 49151, as \"5\" or \"5-8\"");
    for (std::size_t lid = *first; lid <= *last && lid < named_.size(); ++lid) {
      if (named_[lid] == round_) return fail(fmt::format("LID {} is named twice for this switch", lid));
      named_[lid] = round_;
      if (at_ != kNoSwitch) read_.set(at_, id_at<Lid>(lid), ports);
    }
    return {};
  }

  const Fabric& fabric_;
  AlternativePorts read_;
  std::vector<std::uint32_t> named_;  // per LID: the number of the line `switch` below which it was named last
  std::uint32_t round_ = 0;
  SwitchId at_ = kNoSwitch;
  bool in_switch_ = false;
};

}  // namespace

std::string write_alternatives(const Fabric& fabric, const AlternativePorts& alternatives) {
  std::string text =
      "# Alternative ports: by which ports a switch may send packets for these LIDs, at its own choice.\n"
      "# Proved free of deadlocks, all together, with the tables and lanes that they were made with.\n";
  for (const SwitchId s : fabric.switches()) {
    fmt::format_to(std::back_inserter(text), "switch 0x{:016x}\n", static_cast<std::uint64_t>(fabric.at(s).guid));
    const std::vector<PortSet>& sets = alternatives.sets(s);
    for (std::size_t set = 1; set < sets.size(); ++set) {
      const std::string lids = lids_of(fabric, alternatives, s, static_cast<std::uint16_t>(set));
      if (lids.empty()) continue;
      text += "ports";
      for (std::size_t p = 0; p < sets[set].size(); ++p)
        if (sets[set][p]) fmt::format_to(std::back_inserter(text), " {}", p);
      text += ":" + lids + "\n";
    }
  }
  return text;
}

Result<AlternativePorts> read_alternatives(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  AlternativesReader reader(fabric);
  io::Lines lines(text);
  while (const auto line = lines.next())
    if (Status ok = reader.take(io::without_comment(*line)); !ok)
      return fail_at(file_name, lines.number(), ok.error().message, ok.error().advice);
  if (!reader.names_a_switch())
    return fail_at(file_name, 1, "there is no line `switch`, so this is not a file of alternative ports",
                   "write one with `espalier route --alternatives FILE`");
  return reader.finish();
}

}  // namespace espalier
