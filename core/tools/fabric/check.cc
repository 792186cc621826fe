// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier check`: is this file what its author meant? Everything that contradicts itself, everything that seems to be
// missing, and what shape is left. Made for net files that were written by hand: ibsim loads the half that it can make
// sense of, and the author looks for the rest in ibnetdiscover (linux-rdma/ibsim issue 39).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/fabric/net_findings.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

using Kind = Irregularity::Kind;

constexpr std::size_t kMaxOfAKind = 20;

// What somebody may have built on purpose: it is there, and was not forgotten.
bool may_be_meant(Kind kind) {
  return kind == Kind::kSameLevelLink || kind == Kind::kLevelSkippingLink || kind == Kind::kHostAboveLeaf ||
         kind == Kind::kAggregationNode;
}

bool has_no_cable(const Fabric& fabric, SwitchId s) {
  for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p)
    if (fabric.peer(s, id_at<PortNum>(p)).kind != Peer::Kind::kNone) return false;
  return true;
}

class Report {
 public:
  explicit Report(std::string file) : file_(std::move(file)) {}

  void add(const Error& finding) { line(finding.text()); }

  // The first of each kind are printed.
  void add(std::string_view kind, std::string_view text) {
    if (++of_kind_[std::string(kind)] <= kMaxOfAKind)
      line(fmt::format("{}: {}: {}", file_, kind, text));
    else
      ++findings_;
  }

  [[nodiscard]] std::size_t findings() const { return findings_; }

  void print_rest() const {
    for (const auto& [kind, count] : of_kind_)
      if (count > kMaxOfAKind) fmt::print("{}: {}: {} more of these\n", file_, kind, count - kMaxOfAKind);
  }

 private:
  void line(const std::string& text) {
    ++findings_;
    fmt::print("{}\n", text);
  }

  std::string file_;
  std::size_t findings_ = 0;
  std::map<std::string, std::size_t> of_kind_;
};

void print_shape(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::vector<std::size_t> switches(tree.num_levels());
  for (const SwitchId s : fabric.switches()) ++switches[index(tree.level(s))];
  fmt::print("shape: levels of {} switches from the leaves up, {} end ports, {} cables between switches, {} part{}\n",
             fmt::join(switches, ", "), fabric.num_endports(), fabric.num_switch_links(), tree.num_parts(),
             tree.num_parts() == 1 ? "" : "s");
  std::map<Kind, std::vector<const Irregularity*>> meant;
  for (const Irregularity& irregularity : tree.irregularities())
    if (may_be_meant(irregularity.kind)) meant[irregularity.kind].push_back(&irregularity);
  for (const auto& [kind, all] : meant)
    fmt::print("shape: {} {}, which may be meant; {}{}\n", all.size(), name(kind), all.size() > 1 ? "one is " : "",
               all.front()->text);
}

std::size_t check(const std::string& path) {
  const std::string file = path == "-" ? "standard input" : path;
  NetFindings net = value_or_refuse(find_in_text(load_text(path), file));
  Report report(file);
  for (const Error& finding : net.findings) report.add(finding);

  Result<Fabric> fabric = std::move(net.builder).build();
  if (!fabric) {
    fabric.error().file = file;
    report.add(fabric.error());
    return report.findings();
  }
  for (const SwitchId s : fabric->switches())
    if (has_no_cable(*fabric, s)) report.add("no cable", fabric->label(s) + " has no cable");
  const FatTree tree = value_or_refuse(rank(*fabric));
  for (const Irregularity& irregularity : tree.irregularities()) {
    const bool said = irregularity.where != kNoSwitch && has_no_cable(*fabric, irregularity.where);
    if (!said && !may_be_meant(irregularity.kind)) report.add(name(irregularity.kind), irregularity.text);
  }
  report.print_rest();
  print_shape(tree);
  return report.findings();
}

}  // namespace

void add_check(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("check", "Look for mistakes in a file that describes a fabric");
  command->add_option("NET", *path, "Net file, best one written by hand; - is standard input")->required();
  command->footer(
      "Exit code 0: clean. 1: findings, one per line, with their lines in the file. 2: it describes no fabric.\n"
      "Finds ports used twice, cables that one end does not know or that run at two speeds, GUIDs and LIDs given\n"
      "twice, nodes without a cable, parts without a connection, and cables that others of their level have.\n"
      "What may be meant (links within a level, hosts on spines) is told of as the shape and is no finding.\n"
      "Example:\n  espalier check my.net && ibsim -s my.net");
  command->callback([path] {
    const std::size_t findings = check(*path);
    fmt::print("{}\n", findings == 0 ? "clean" : findings == 1 ? "1 finding" : fmt::format("{} findings", findings));
    if (findings > 0) throw AnswerIsNo{};
  });
}

}  // namespace espalier::tools
