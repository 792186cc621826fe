// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier explain --against NET2 LFTS2`.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/analysis/congestion/route_changes.h"
#include "core/base/text.h"
#include "core/tools/explain/explain.h"

namespace espalier::tools {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

Json differences_json(const AnalysisContext& context, const std::vector<SwitchId>& switches,
                      const std::vector<EndportId>& hosts, const std::vector<ChannelId>& links) {
  Json json{{"switches", Json::array()}, {"hosts", Json::array()}, {"cables", Json::array()}};
  for (const SwitchId s : switches) json["switches"].push_back(to_json(context.tree, s));
  for (const EndportId e : hosts) json["hosts"].push_back(to_json(context.fabric, e));
  for (const ChannelId c : links) json["cables"].push_back(to_json(context.tree, c));
  return json;
}

std::string differences_text(const Json& differences, std::string_view word, std::size_t rows) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const char* kind : {"switches", "hosts", "cables"}) {
    const Json& list = differences.at(kind);
    if (list.empty()) continue;
    fmt::format_to(out, "{} {} {}:\n", list.size(), kind, word);
    for (std::size_t i = 0; i < list.size() && i < rows; ++i)
      fmt::format_to(out, "  {}\n", list[i].contains("from") ? channel_text(list[i]) : node_text(list[i]));
    if (list.size() > rows) fmt::format_to(out, "  and {} more\n", list.size() - rows);
  }
  return text;
}

// The channels that got hotter; cooler ones and those that are gone are told as numbers only.
Json hotter_json(const AnalysisContext& after, const RouteChanges& changes, std::size_t rows) {
  Json json = Json::array();
  for (const LoadChange& change : changes.loads) {
    if (change.flows_after <= change.flows_before || json.size() == rows) break;
    Json link = to_json(after.tree, change.after);
    link["flows_before"] = change.flows_before;
    link["flows_after"] = change.flows_after;
    json.push_back(std::move(link));
  }
  return json;
}

std::string changes_text(const Json& json, std::size_t rows) {
  std::string text = differences_text(json.at("gone"), "gone", rows) + differences_text(json.at("new"), "new", rows);
  const auto out = std::back_inserter(text);
  const auto number = [&](const char* key) { return json.at(key).get<std::uint64_t>(); };
  const std::uint64_t flows = number("flows");
  const auto share = [&](const char* key) { return percent(number(key), flows); };
  fmt::format_to(out, "{} of {} changed ({:.2f} %)\n", number("entries_changed"),
                 counted(number("entries"), "entry", "entries"), percent(number("entries_changed"), number("entries")));
  fmt::format_to(out, "of {} between hosts present in both:\n", counted(flows, "flow"));
  fmt::format_to(out, "  {:>12} moved because their route broke ({:.2f} %)\n", number("flows_forced"),
                 share("flows_forced"));
  fmt::format_to(out, "  {:>12} moved though their route is intact ({:.2f} %)\n", number("flows_unforced"),
                 share("flows_unforced"));
  fmt::format_to(out, "  {:>12} no longer arrive\n", number("flows_lost"));
  if (number("flows_won") > 0) fmt::format_to(out, "  {:>12} did not arrive before\n", number("flows_won"));
  fmt::format_to(out, "all-to-all flows on the fullest channel: {} before, {} after\n", number("max_flows_before"),
                 number("max_flows_after"));
  fmt::format_to(out, "{} got hotter{}\n", counted(number("channels_hotter"), "channel"),
                 json.at("hotter").empty() ? "" : ", the greatest rises:");
  for (const Json& link : json.at("hotter"))
    fmt::format_to(out, "  {:>8} -> {:>8}  {}\n", link.at("flows_before").get<std::uint64_t>(),
                   link.at("flows_after").get<std::uint64_t>(), channel_text(link));
  return text;
}

}  // namespace

Answer explain_changes(const AnalysisContext& before, const AnalysisContext& after, std::size_t rows) {
  const RouteChanges changes =
      compare_routes({before.fabric, before.tables, before.hosts}, {after.fabric, after.tables, after.hosts});
  const auto hotter = std::count_if(changes.loads.begin(), changes.loads.end(),
                                    [](const LoadChange& change) { return change.flows_after > change.flows_before; });
  Answer answer;
  answer.good = changes.flows_lost == 0;
  answer.json = {{"gone", differences_json(before, changes.switches_gone, changes.hosts_gone, changes.links_gone)},
                 {"new", differences_json(after, changes.switches_new, changes.hosts_new, changes.links_new)},
                 {"entries", changes.num_entries},
                 {"entries_changed", changes.entries_changed},
                 {"flows", changes.num_flows},
                 {"flows_forced", changes.flows_forced},
                 {"flows_unforced", changes.flows_unforced},
                 {"flows_lost", changes.flows_lost},
                 {"flows_won", changes.flows_won},
                 {"max_flows_before", changes.max_before},
                 {"max_flows_after", changes.max_after},
                 {"channels_hotter", hotter},
                 {"hotter", hotter_json(after, changes, rows)}};
  answer.text = changes_text(answer.json, rows);
  return answer;
}

}  // namespace espalier::tools
