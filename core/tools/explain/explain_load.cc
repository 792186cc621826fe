// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier explain --hot-links N`.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/analysis/congestion/channel_load.h"
#include "core/base/text.h"
#include "core/tools/command.h"
#include "core/tools/explain/explain.h"
#include "core/tools/progress_bar.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kTopUsers = 5;

// The greatest counts, largest first, equal ones by key.
template <class Key>
std::vector<std::pair<Key, std::uint64_t>> top(const std::map<Key, std::uint64_t>& counts) {
  std::vector<std::pair<Key, std::uint64_t>> list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  list.resize(std::min(list.size(), kTopUsers));
  return list;
}

Json users_json(const AnalysisContext& context, const HostRoutes& routes, const std::vector<ChannelUse>& uses,
                bool all_to_all) {
  std::map<std::pair<SwitchId, SwitchId>, std::uint64_t> pairs;
  std::map<SwitchId, std::uint64_t> leaves;
  std::map<std::uint32_t, std::uint64_t> destinations;
  for (const ChannelUse& use : uses) {
    pairs[{use.from, routes.leaf(use.destination)}] += use.num_sources;
    leaves[use.from] += use.num_sources;
    destinations[use.destination] += use.num_sources;
  }
  Json json{{"source_leaves", leaves.size()}, {"destinations", destinations.size()}};
  for (const auto& [leaf, flows] : top(leaves))
    json["top_source_leaves"].push_back({{"leaf", to_json(context.tree, leaf)}, {"flows", flows}});
  for (const auto& [pair, flows] : top(pairs))
    json["top_leaf_pairs"].push_back(
        {{"from", to_json(context.tree, pair.first)}, {"to", to_json(context.tree, pair.second)}, {"flows", flows}});
  if (all_to_all) {
    for (const auto& [rank, flows] : top(destinations))
      json["top_destinations"].push_back({{"host", to_json(context.fabric, context.hosts[rank])}, {"flows", flows}});
  } else {
    for (std::size_t i = 0; i < uses.size() && i < kTopUsers; ++i)
      json["flows_by_host"].push_back({{"from", to_json(context.fabric, context.hosts[uses[i].source])},
                                       {"to", to_json(context.fabric, context.hosts[uses[i].destination])}});
  }
  return json;
}

std::string users_text(const Json& users) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "     sending leaves: {}, receiving hosts: {}\n", users.at("source_leaves").get<std::size_t>(),
                 users.at("destinations").get<std::size_t>());
  for (const Json& item : users.value("top_leaf_pairs", Json::array()))
    fmt::format_to(out, "       {:>8}  leaf {} -> leaf {}\n", item.at("flows").get<std::uint64_t>(),
                   node_text(item.at("from")), node_text(item.at("to")));
  for (const Json& item : users.value("top_destinations", Json::array()))
    fmt::format_to(out, "       {:>8}  to {}\n", item.at("flows").get<std::uint64_t>(), node_text(item.at("host")));
  for (const Json& item : users.value("flows_by_host", Json::array()))
    fmt::format_to(out, "       {:>8}  {} -> {}\n", "flow", node_text(item.at("from")), node_text(item.at("to")));
  return text;
}

std::string permutation_text(const TrafficPattern& pattern, std::size_t num_hosts, std::uint32_t number) {
  if (pattern.kind == TrafficPattern::Kind::kRandomPermutations) return fmt::format("random permutation {}", number);
  if (pattern.kind != TrafficPattern::Kind::kShifts) return fmt::format("{} {}", pattern.name(), number);
  return fmt::format("shift by {}", shift_distances(num_hosts, pattern.parameter).at(number));
}

std::string hot_link_text(std::size_t place, const Json& link) {
  const std::string under = link.value("under", "");
  return fmt::format("\n{:>3}. {}{}{}: {}\n{}", place, counted(link.at("flows").get<std::uint64_t>(), "flow"),
                     under.empty() ? "" : " under ", under, channel_text(link), users_text(link.at("users")));
}

}  // namespace

Answer explain_hot_links(const AnalysisContext& context, std::size_t count, const std::string& pattern_text,
                         std::uint64_t seed) {
  const std::vector<TrafficPattern> patterns = value_or_refuse(parse_patterns(pattern_text));
  if (patterns.size() != 1) throw Refused{{"--hot-links takes one pattern at a time", {}, 0, {}}};
  const TrafficPattern& pattern = patterns.front();
  const bool all_to_all = pattern.kind == TrafficPattern::Kind::kAllToAll;
  if (!all_to_all && !pattern.has_permutations())
    throw Refused{{fmt::format("--hot-links does not support the pattern {}", pattern.name()),
                   {},
                   0,
                   "use a2a, sp, rp, bisect, bibisect or ring"}};

  const HostRoutes routes(context.fabric, context.tables, context.hosts);
  ProgressBar bar(pattern.text());
  const ChannelLoads loads = channel_loads(routes, pattern, seed, bar.progress());
  const std::vector<ChannelId> channels = loads.fullest(count);
  if (loads.unrouted > 0)
    warn(fmt::format("{} not delivered; run espalier verify to see why", counted(loads.unrouted, "flow")));
  const auto uses = all_to_all ? all_to_all_uses(routes, channels) : std::vector<std::vector<ChannelUse>>{};

  Answer answer;
  answer.json = {{"pattern", pattern.text()},
                 {"hosts", context.hosts.size()},
                 {"unrouted", loads.unrouted},
                 {"links", Json::array()}};
  answer.text =
      fmt::format("fullest channels under {} between {}; {}\n", pattern.text(), counted(context.hosts.size(), "host"),
                  all_to_all ? "flows of all pairs" : "flows under the worst permutation of each channel");
  for (std::size_t i = 0; i < channels.size(); ++i) {
    Json link = to_json(context.tree, channels[i]);
    link["flows"] = loads.flows[index(channels[i])];
    if (all_to_all) {
      link["users"] = users_json(context, routes, uses[i], all_to_all);
    } else {
      const std::uint32_t worst = loads.worst[index(channels[i])];
      link["under"] = permutation_text(pattern, context.hosts.size(), worst);
      link["users"] = users_json(
          context, routes,
          permutation_uses(routes, channels[i], permutation(context.hosts.size(), pattern, seed, worst)), all_to_all);
    }
    answer.text += hot_link_text(i + 1, link);
    answer.json["links"].push_back(std::move(link));
  }
  return answer;
}

}  // namespace espalier::tools
