// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier explain --from X --to Y`.
#include <fmt/format.h>

#include <iterator>

#include "core/analysis/routes/path_explanation.h"
#include "core/base/text.h"
#include "core/tools/explain/explain.h"

namespace espalier::tools {
namespace {

std::string_view how_it_ends(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::kMissingEntry:
      return "the table has no entry for the LID, so the packet is dropped";
    case Step::Kind::kBadPort:
      return "the entry names a port without a link";
    case Step::Kind::kWrongDelivery:
      return "the entry delivers the packet to another node";
    case Step::Kind::kDelivered:
    case Step::Kind::kForward:
      break;
  }
  return "";
}

// One sentence. What was possible is said first where it was not done.
std::string reason_text(const ExplainedHop& hop) {
  const std::size_t groups = hop.choices.size();
  const std::string link = hop.num_links > 1 ? fmt::format(", link {} of {}", hop.link, hop.num_links) : "";
  const std::string ports = counted(hop.num_ports(), "port") + " to choose from";
  const std::string shortest = groups == 0
                                   ? std::string("there is no up-down path from here")
                                   : "shortest up-down paths leave by " + counted(hop.num_ports(), "other port");
  switch (hop.reason) {
    case ExplainedHop::Reason::kDelivered:
      return "delivered";
    case ExplainedHop::Reason::kDown:
      return groups == 1
                 ? fmt::format("down: the destination is below{} ({})", link, ports)
                 : fmt::format("down: the destination is below, group {} of {}{} ({})", hop.group, groups, link, ports);
    case ExplainedHop::Reason::kUp:
      return fmt::format("up: group {} of {} on shortest paths{} ({})", hop.group, groups, link, ports);
    case ExplainedHop::Reason::kLongerDown:
      return fmt::format("not on a shortest up-down path: detour down here; {}", shortest);
    case ExplainedHop::Reason::kLongerUp:
      return fmt::format("not on a shortest up-down path: detour up here; {}", shortest);
    case ExplainedHop::Reason::kTurn:
      return fmt::format("not on a shortest up-down path: detour (turn) here: the path came down and goes up again{}",
                         link);
    case ExplainedHop::Reason::kBroken:
      return std::string(how_it_ends(hop.step.kind));
  }
  return "";
}

Json hop_json(const FatTree& tree, const ExplainedHop& hop) {
  Json json{{"switch", to_json(tree, hop.at)}, {"reason", name(hop.reason)}};
  if (hop.step.kind != Step::Kind::kMissingEntry) json["port"] = index(hop.step.port);
  if (hop.step.kind == Step::Kind::kForward) {
    json["to"] = to_json(tree, hop.step.next);
    json["to_port"] = index(hop.far_port);
    json["group"] = hop.group;
    json["cable"] = hop.link;
    json["cables"] = hop.num_links;
  }
  json["groups"] = hop.choices.size();
  json["ports_to_choose_from"] = hop.num_ports();
  json["choices"] = Json::array();
  for (const Choice& choice : hop.choices) {
    Json ports = Json::array();
    for (const PortNum port : choice.ports) ports.push_back(index(port));
    json["choices"].push_back({{"to", to_json(tree, choice.remote)}, {"ports", std::move(ports)}});
  }
  json["text"] = reason_text(hop);
  return json;
}

std::string end_text(const AnalysisContext& context, const Node& node) {
  return fmt::format("{}{} LID {}", node.is_switch() ? "switch " : "", label(context.fabric, node), index(node.lid));
}

std::string hops_text(const Json& hops) {
  std::string text;
  for (const Json& hop : hops) {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "level {}  {}\n", hop.at("switch").at("level").get<int>(), node_text(hop.at("switch")));
    if (hop.contains("to"))
      fmt::format_to(out, "         port {} -> port {} of {}, level {}\n", hop.at("port").get<int>(),
                     hop.at("to_port").get<int>(), node_text(hop.at("to")), hop.at("to").at("level").get<int>());
    else if (hop.contains("port"))
      fmt::format_to(out, "         port {}\n", hop.at("port").get<int>());
    fmt::format_to(out, "         {}\n", hop.at("text").get<std::string>());
  }
  return text;
}

// The SL of the path, and the lane of each of its links.
void add_lanes(const AnalysisContext& context, const Node& source, const Node& target, const PathExplanation& path,
               Json& json) {
  const std::uint8_t sl = context.lanes->sl(source.lid, target.lid);
  json["sl"] = sl;
  PortNum in = source.is_switch() ? kManagementPort : context.fabric.at(source.endport).leaf_port;
  for (std::size_t i = 0; i < path.hops.size(); ++i) {
    const ExplainedHop& hop = path.hops[i];
    if (hop.step.kind != Step::Kind::kForward) break;
    const unsigned vl = context.lanes->vl(hop.at, in, hop.step.port, sl);
    json["hops"][i]["vl"] = vl;
    std::string& text = json["hops"][i]["text"].get_ref<std::string&>();
    text += fmt::format("; SL {}, VL {}", unsigned{sl}, vl);
    in = hop.far_port;
  }
}

std::string summary(const PathExplanation& path) {
  const std::string crossed = counted(path.num_links(), "link") + " between switches";
  if (path.circles) return fmt::format("does not arrive: loops after {}", crossed);
  if (!path.arrives()) return fmt::format("does not arrive: stops after {}", crossed);
  if (path.shortest == kUnreachable) return fmt::format("{}; there is no up-down path", crossed);
  return fmt::format("{}; the shortest up-down path has {}", crossed, path.shortest);
}

}  // namespace

Answer explain_path(const AnalysisContext& context, const std::string& from, const std::string& to) {
  const Node source = context.find(from);
  const Node target = context.find(to);
  const PathExplanation path =
      espalier::explain_path(context.tree, context.costs, context.tables, source.at, target.lid);
  Answer answer;
  answer.good = path.arrives();
  answer.json = {{"from", end_text(context, source)},
                 {"to", end_text(context, target)},
                 {"arrives", path.arrives()},
                 {"circles", path.circles},
                 {"links", path.num_links()},
                 {"shortest", nullptr},
                 {"hops", Json::array()}};
  if (path.shortest != kUnreachable) answer.json["shortest"] = path.shortest;
  for (const ExplainedHop& hop : path.hops) answer.json["hops"].push_back(hop_json(context.tree, hop));
  if (context.lanes) add_lanes(context, source, target, path, answer.json);
  answer.text = fmt::format("from {}\nto   {}\n\n{}\n{}\n", end_text(context, source), end_text(context, target),
                            hops_text(answer.json["hops"]), summary(path));
  return answer;
}

}  // namespace espalier::tools
