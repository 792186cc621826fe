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

std::size_t cables_up(const FatTree& tree, SwitchId s) {
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

Freedom freedom(const Scene& scene, SwitchId at, const Node& a, const Node& b) {
  const auto count = [&](const Node& node) {
    std::size_t ports = 0;
    for (const Choice& choice : shortest_choices(scene.tree, scene.costs, at, node.at)) ports += choice.ports.size();
    return ports;
  };
  return {count(a), count(b)};
}

Json shared_json(const Scene& scene, const SharedLinks& shared, const Node& a, const Node& b, std::size_t rows,
                 bool to) {
  Json json{{"channels", shared.channels.size()},
            {"pairs_of_flows", shared.num_pairs},
            {"colliding", shared.num_colliding},
            {"fraction", shared.fraction()},
            {"links", Json::array()}};
  for (std::size_t i = 0; i < shared.channels.size() && i < rows; ++i) {
    const SharedChannel& channel = shared.channels[i];
    Json link = to_json(scene.tree, channel.channel);
    link["flows_a"] = channel.flows_a;
    link["flows_b"] = channel.flows_b;
    if (to) {
      const Freedom free = freedom(scene, scene.fabric.source(channel.channel), a, b);
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

// What no routing can change: more hosts on a leaf than cables above it.
std::string leaf_text(const Scene& scene, const Node& node) {
  const std::size_t hosts = scene.tree.hosts(node.at).size();
  const std::size_t cables = cables_up(scene.tree, node.at);
  return fmt::format(
      "leaf {} has {} and {} upward{}", scene.fabric.label(node.at), counted(hosts, "host"), counted(cables, "cable"),
      hosts > cables && cables > 0
          ? fmt::format(": at best {} per cable, so some must share", counted((hosts + cables - 1) / cables, "host"))
          : "");
}

}  // namespace

Answer explain_shared_links(const Scene& scene, const std::string& a_words, const std::string& b_words,
                            std::size_t rows) {
  const Node a = scene.find(a_words);
  const Node b = scene.find(b_words);
  const std::size_t rank_a = scene.host_rank(a);
  const std::size_t rank_b = scene.host_rank(b);
  Answer answer;
  answer.json = {{"a", to_json(scene.fabric, a.endport)},
                 {"b", to_json(scene.fabric, b.endport)},
                 {"leaf_a", to_json(scene.tree, a.at)},
                 {"leaf_b", to_json(scene.tree, b.at)},
                 {"hosts_of_leaf_a", scene.tree.hosts(a.at).size()},
                 {"cables_up_of_leaf_a", cables_up(scene.tree, a.at)},
                 {"hosts_of_leaf_b", scene.tree.hosts(b.at).size()},
                 {"cables_up_of_leaf_b", cables_up(scene.tree, b.at)}};
  answer.text = fmt::format("A {}\nB {}\n{}\n", label(scene.fabric, a), label(scene.fabric, b), leaf_text(scene, a));
  if (a.at != b.at) answer.text += leaf_text(scene, b) + "\n";
  if (rank_a == rank_b) return answer.text += "they are the same host\n", answer;

  const HostRoutes routes(scene.fabric, scene.tables, scene.hosts);
  answer.json["to"] = shared_json(scene, links_shared_to(routes, rank_a, rank_b), a, b, rows, true);
  answer.json["from"] = shared_json(scene, links_shared_from(routes, rank_a, rank_b), a, b, rows, false);
  answer.text += shared_text(answer.json["to"], "traffic to them");
  answer.text += shared_text(answer.json["from"], "traffic from them");
  return answer;
}

}  // namespace espalier::tools
