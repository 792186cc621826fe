// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier check`: is this file what its author meant? Everything that contradicts itself, everything that seems to be
// missing, and what shape is left. Made for net files that were written by hand: ibsim loads the half that it can make
// sense of, and the author looks for the rest in ibnetdiscover (linux-rdma/ibsim issue 39).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/dragonfly/missing_links.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/fabric/finding.h"
#include "core/tools/fabric/net_findings.h"
#include "core/tools/inputs/fabric_text.h"
#include "core/tools/inputs/group_options.h"
#include "core/tools/summary.h"
#include "core/tree/cabling/cabling_pattern.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

using IrregularityKind = Irregularity::Kind;

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxOfAKind = 20;
constexpr const char* kInFile = "in the file";  // a contradiction in the text, with its line

// What somebody may have built on purpose: it is there, and was not forgotten.
bool may_be_meant(IrregularityKind kind) {
  return kind == IrregularityKind::kSameLevelLink || kind == IrregularityKind::kLevelSkippingLink ||
         kind == IrregularityKind::kHostAboveLeaf || kind == IrregularityKind::kAggregationNode ||
         kind == IrregularityKind::kExcludedSwitch || kind == IrregularityKind::kNarrowShortcut;
}

// What find_pattern_breaks() knows better.
bool is_about_pattern(IrregularityKind kind) {
  return kind == IrregularityKind::kMissingUplinks || kind == IrregularityKind::kMissingParallelLink ||
         kind == IrregularityKind::kMiswiredLink;
}

bool has_no_cable(const Fabric& fabric, SwitchId s) {
  for (const PortNum p : fabric.ports(s))
    if (fabric.peer(s, p).kind != Peer::Kind::kNone) return false;
  return true;
}

// Between two ports of one switch, where they carry nothing.
std::vector<Finding> looped_cables(const Fabric& fabric) {
  std::vector<Finding> findings;
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch() || peer.as_switch() != s || peer.port < p) continue;
      findings.push_back(
          {"looped cable", port_name(fabric, s, p), "",
           fmt::format("a cable joins ports {} and {} of {}", index(p), index(peer.port), fabric.label(s))});
    }
  return findings;
}

// Of each kind the first are printed; --json has all.
void print_findings(const std::string& file, const std::vector<Finding>& findings) {
  std::map<std::string, std::size_t> of_kind;
  for (const Finding& finding : findings) {
    if (++of_kind[finding.kind] > kMaxOfAKind) continue;
    if (finding.kind == kInFile)
      fmt::print("{}\n", printable(finding.text));
    else
      fmt::print("{}: {}: {}\n", printable(file), finding.kind, printable(finding.text));
  }
  for (const auto& [kind, count] : of_kind)
    if (count > kMaxOfAKind) fmt::print("{}: {}: {} more of these\n", file, kind, count - kMaxOfAKind);
}

Json as_json(const std::vector<Finding>& findings) {
  Json result;
  result["clean"] = findings.empty();
  result["findings"] = Json::array();
  for (const Finding& finding : findings)
    result["findings"].push_back(
        {{"kind", finding.kind}, {"at", finding.at}, {"expected", finding.expected}, {"text", finding.text}});
  return result;
}

// "3 same-level links". Aggregation Nodes are one irregularity, however many there are; hosts above leaves are one for
// each switch.
std::string counted_kind(IrregularityKind kind, std::size_t count) {
  if (kind == IrregularityKind::kAggregationNode) return std::string(name(kind));
  if (kind == IrregularityKind::kHostAboveLeaf)
    return counted(count, "switch above others has hosts", "switches above others have hosts");
  return counted(count, name(kind));
}

void print_shape(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::vector<std::size_t> switches(tree.num_levels());
  for (const SwitchId s : fabric.switches()) ++switches[index(tree.level(s))];
  fmt::print("shape: levels of {} switches from the leaves up, {}, {}, {}\n", fmt::join(switches, ", "),
             counted(fabric.num_endports(), "end port"),
             counted(fabric.num_switch_links(), "link between switches", "links between switches"),
             counted(tree.num_components(), "connected part"));
  std::map<IrregularityKind, std::vector<const Irregularity*>> meant;
  for (const Irregularity& irregularity : tree.irregularities())
    if (may_be_meant(irregularity.kind)) meant[irregularity.kind].push_back(&irregularity);
  for (const auto& [kind, all] : meant)
    fmt::print("shape: {}, possibly intended; {}{}\n", counted_kind(kind, all.size()), all.size() > 1 ? "one: " : "",
               all.front()->text);
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

// What the levels say, without what the pattern of the cables says more exactly.
std::vector<Finding> irregularities(const FatTree& tree, const std::vector<CablingFinding>& breaks) {
  const Fabric& fabric = tree.fabric();
  std::vector<Finding> findings;
  for (const Irregularity& irregularity : tree.irregularities()) {
    const bool said = irregularity.where != kNoSwitch && has_no_cable(fabric, irregularity.where);
    const bool is_explained = is_about_pattern(irregularity.kind) &&
                              std::any_of(breaks.begin(), breaks.end(), [&](const CablingFinding& finding) {
                                return finding.at.at == irregularity.where;
                              });
    if (said || is_explained || may_be_meant(irregularity.kind)) continue;
    const std::string at = irregularity.where == kNoSwitch ? "" : port_name(fabric, irregularity.where, kNoPort);
    findings.push_back({std::string(name(irregularity.kind)), at, "", irregularity.text});
  }
  return findings;
}

// What is not as in most of a dragonfly, and switches whose cabling contradicts what the site says of their group.
std::vector<Finding> group_findings(const Fabric& fabric, const std::optional<GroupNames>& given) {
  const std::optional<Dragonfly> dragonfly = find_dragonfly(fabric, given);
  if (!dragonfly) return {};
  std::vector<Finding> findings;
  const MissingLinks missing = find_missing_links(*dragonfly);
  for (const MissingLocal& pair : missing.local)
    findings.push_back({"missing local link", port_name(fabric, pair.a, kNoPort), port_name(fabric, pair.b, kNoPort),
                        fmt::format("{} and {} of one group have {}, where most pairs have {}", fabric.label(pair.a),
                                    fabric.label(pair.b), counted(pair.links, "link"), pair.wanted)});
  for (const MissingGlobal& pair : missing.global)
    findings.push_back({"missing global link", "", "",
                        fmt::format("{} and {} are joined by {}, where most pairs of groups have {}",
                                    group_title(*dragonfly, pair.a, given), group_title(*dragonfly, pair.b, given),
                                    counted(pair.links, "link"), pair.wanted)});
  if (!given) return findings;
  for (const GroupDifference& difference : compare_groups(*dragonfly, *given))
    findings.push_back({"wrong group", port_name(fabric, difference.at, kNoPort), "",
                        fmt::format("{} is said to be in group {}, but is cabled as one of group {}",
                                    fabric.label(difference.at), difference.given, difference.cabled_with)});
  return findings;
}

struct CheckOptions {
  std::string path;
  std::string plan;
  GroupOptions groups;
  bool json = false;
};

struct Checked {
  std::vector<Finding> findings;
  std::optional<Fabric> fabric;  // none where the file contradicts itself
};

Checked check(const CheckOptions& options) {
  const std::string file = options.path == "-" ? "standard input" : options.path;
  NetFindings net = value_or_refuse(find_in_text(load_fabric_text(options.path), file));
  Checked checked;
  for (const Error& finding : net.findings)
    checked.findings.push_back(
        {kInFile, finding.line > 0 ? fmt::format("{}:{}", finding.file, finding.line) : "", "", finding.text()});

  Result<Fabric> fabric = std::move(net.builder).build();
  if (!fabric) {
    fabric.error().file = file;
    checked.findings.push_back({kInFile, file, "", fabric.error().text()});
    return checked;
  }
  if (fabric->num_switches() == 0) throw Refused{{"it contains no switch: there is nothing to check", file, 0, {}}};
  for (const SwitchId s : fabric->switches())
    if (has_no_cable(*fabric, s))
      checked.findings.push_back({"no cable", port_name(*fabric, s, kNoPort), "", fabric->label(s) + " has no cable"});
  const FatTree tree = value_or_refuse(rank(*fabric));
  const std::vector<CablingFinding> breaks = find_pattern_breaks(tree);
  append(checked.findings, irregularities(tree, breaks));
  append(checked.findings,
         options.plan.empty() ? describe(*fabric, breaks) : differences_to_plan(*fabric, load_fabric(options.plan)));
  if (options.plan.empty()) append(checked.findings, looped_cables(*fabric));
  append(checked.findings, find_crossed_rails(*fabric));
  // With a plan the cables are compared one by one.
  if (options.plan.empty() || options.groups.given())
    append(checked.findings, group_findings(*fabric, load_groups(*fabric, options.groups)));
  if (!options.json) {
    print_findings(file, checked.findings);
    print_shape(tree);
  }
  checked.fabric = std::move(*fabric);
  return checked;
}

}  // namespace

void add_check(CLI::App& app) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Find cabling mistakes in a fabric and errors in its file");
  command->add_option("NET", options->path, "Net file, ibnetdiscover text, ...; - is standard input")->required();
  command->add_option("--plan", options->plan,
                      "The fabric as it should be, in any format (.topo, net file, a saved good state), compared cable "
                      "by cable, matched by GUID or else by name. Without it, the pattern of most cables is the plan");
  add_group_options(*command, options->groups);
  command->add_flag("--json", options->json, "Print one JSON object: findings, each with kind, at, expected and text");
  command->footer(
      "Exit code 0: clean. 1: findings, one per line. 2: the file describes no fabric.\n"
      "Finds misplaced cables and where they belong, missing cables, cables from a switch to itself, crossed rails of "
      "hosts\nwith several adapters, ports used twice, cables that only one end lists or whose ends run at different "
      "speeds,\nduplicate GUIDs and LIDs, nodes without a cable, and disconnected parts.\n"
      "What may be intended (links within a level, hosts on spines) is reported as part of the fabric's shape, not as "
      "a\nfinding.\n"
      "Example: is every cable where it should be?\n  ibnetdiscover | espalier check -\n"
      "Example: is every cable where it was last week?\n  espalier check today.net --plan last-week.net");
  command->callback([options] {
    const Checked checked = check(*options);
    const std::size_t count = checked.findings.size();
    if (options->json)
      print_json(as_json(checked.findings));
    else if (!checked.fabric)
      print_findings(options->path, checked.findings);
    if (!options->json) fmt::print("{}\n", count == 0 ? "clean" : counted(count, "finding"));
    if (count > 0) throw AnswerIsNo{};
  });
}

}  // namespace espalier::tools
