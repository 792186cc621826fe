// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier explain --share A B`.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/analysis/congestion/shared_links.h"
#include "core/analysis/routes/path_explanation.h"
#include "core/base/text.h"
#include "core/tools/explain/explain.h"

namespace espalier::tools {
namespace {

std::size_t links_up(const FatTree& tree, SwitchId s) {
  std::size_t count = 0;
  for (const PortGroup& group : tree.up_groups(s)) count += group.num_ports;
  return count;
}

// Could the switch have sent them apart? `ports` is how many ports it has on shortest paths to each of them.
struct Freedom {
  std::size_t ports_a = 0;
  std::size_t ports_b = 0;

  [[nodiscard]] bool apart() const { return ports_a > 1 || ports_b > 1; }
};

Freedom freedom(const AnalysisContext& context, SwitchId at, const Node& a, const Node& b) {
  const auto count = [&](const Node& node) {
    std::size_t ports = 0;
    for (const Choice& choice : shortest_choices(context.tree, context.costs, at, node.at))
      ports += choice.ports.size();
    return ports;
  };
  return {count(a), count(b)};
}

Json shared_json(const AnalysisContext& context, const SharedLinks& shared, const Node& a, const Node& b,
                 std::size_t rows, bool to) {
  Json json{{"channels", shared.channels.size()},
            {"pairs_of_flows", shared.num_pairs},
            {"colliding", shared.num_colliding},
            {"fraction", shared.fraction()},
            {"links", Json::array()}};
  for (std::size_t i = 0; i < shared.channels.size() && i < rows; ++i) {
    const SharedChannel& channel = shared.channels[i];
    Json link = to_json(context.tree, channel.channel);
    link["flows_a"] = channel.flows_a;
    link["flows_b"] = channel.flows_b;
    if (to) {
      const Freedom free = freedom(context, context.fabric.source(channel.channel), a, b);
      link["ports_to_a"] = free.ports_a;
      link["ports_to_b"] = free.ports_b;
      link["text"] = !free.apart()
                         ? std::string("the only path down from here: decided below, where the packets went up")
                         : fmt::format("the tables chose it for both, out of {} and {} on shortest paths", free.ports_a,
                                       counted(free.ports_b, "port"));
    }
    json["links"].push_back(std::move(link));
  }
  return json;
}

std::string shared_text(const Json& shared, std::string_view title) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "\n{}: {}, {:.1f} % of the pairs of flows with different other ends collide\n", title,
                 counted(shared.at("channels").get<std::size_t>(), "shared channel"),
                 100 * shared.at("fraction").get<double>());
  if (!shared.at("links").empty()) fmt::format_to(out, "  {:>7} {:>7}\n", "flows A", "flows B");
  for (const Json& link : shared.at("links")) {
    fmt::format_to(out, "  {:>7} {:>7}  {}\n", link.at("flows_a").get<int>(), link.at("flows_b").get<int>(),
                   channel_text(link));
    if (link.contains("text")) fmt::format_to(out, "                   {}\n", link.at("text").get<std::string>());
  }
  const std::size_t hidden = shared.at("channels").get<std::size_t>() - shared.at("links").size();
  if (hidden > 0) fmt::format_to(out, "  and {} more (--rows)\n", hidden);
  return text;
}

// What no routing can change: more hosts on a leaf than links above it.
std::string leaf_text(const AnalysisContext& context, const Node& node) {
  const std::size_t hosts = context.tree.hosts(node.at).size();
  const std::size_t links = links_up(context.tree, node.at);
  return fmt::format(
      "leaf {} has {} and {} upward{}", context.fabric.label(node.at), counted(hosts, "host"), counted(links, "link"),
      hosts > links && links > 0
          ? fmt::format(": at best {} per link, so some must share", counted((hosts + links - 1) / links, "host"))
          : "");
}

}  // namespace

Answer explain_shared_links(const AnalysisContext& context, const std::string& a_words, const std::string& b_words,
                            std::size_t rows) {
  const Node a = context.find(a_words);
  const Node b = context.find(b_words);
  const std::size_t rank_a = context.host_rank(a);
  const std::size_t rank_b = context.host_rank(b);
  Answer answer;
  answer.json = {{"a", to_json(context.fabric, a.endport)},
                 {"b", to_json(context.fabric, b.endport)},
                 {"leaf_a", to_json(context.tree, a.at)},
                 {"leaf_b", to_json(context.tree, b.at)},
                 {"hosts_of_leaf_a", context.tree.hosts(a.at).size()},
                 {"cables_up_of_leaf_a", links_up(context.tree, a.at)},
                 {"hosts_of_leaf_b", context.tree.hosts(b.at).size()},
                 {"cables_up_of_leaf_b", links_up(context.tree, b.at)}};
  answer.text =
      fmt::format("A {}\nB {}\n{}\n", label(context.fabric, a), label(context.fabric, b), leaf_text(context, a));
  if (a.at != b.at) answer.text += leaf_text(context, b) + "\n";
  if (rank_a == rank_b) return answer.text += "they are the same host\n", answer;

  const HostRoutes routes(context.fabric, context.tables, context.hosts);
  answer.json["to"] = shared_json(context, links_shared_to(routes, rank_a, rank_b), a, b, rows, true);
  answer.json["from"] = shared_json(context, links_shared_from(routes, rank_a, rank_b), a, b, rows, false);
  answer.text += shared_text(answer.json["to"], "traffic to them");
  answer.text += shared_text(answer.json["from"], "traffic from them");
  return answer;
}

}  // namespace espalier::tools
