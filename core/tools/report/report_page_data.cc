// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/report/report_page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/analysis/congestion/bound.h"
#include "core/analysis/congestion/congestion.h"
#include "core/analysis/routes/hops.h"
#include "core/analysis/soundness/verify.h"
#include "core/base/text.h"
#include "core/dragonfly/detect.h"
#include "core/dragonfly/missing_links.h"
#include "core/engines/layers/shortest_hops.h"
#include "core/engines/layers/switch_graph.h"
#include "core/tools/progress_bar.h"
#include "core/tools/report/report_drawing.h"
#include "core/tools/report/report_spreads.h"

namespace espalier::tools {
namespace {

constexpr std::uint64_t kSeed = 1;

// Shares of the ideal load, in percent, at which the colors end; the last has no end.
constexpr std::array<std::uint64_t, 5> kColorShares{50, 100, 125, 150, 200};

std::vector<std::uint64_t> color_edges(std::uint64_t ideal, std::uint64_t max) {
  std::vector<std::uint64_t> edges;
  for (const std::uint64_t share : kColorShares) edges.push_back(ideal * share / 100);
  edges.push_back(std::max(max, edges.back() + 1));
  return edges;
}

// "30 leaves to 9 hosts, most from L3 (18 hosts)".
std::string users_text(const AnalysisContext& context, const HostRoutes& routes, const std::vector<ChannelUse>& uses) {
  std::map<SwitchId, std::uint64_t> from;
  std::map<SwitchId, std::uint64_t> to;
  std::vector<std::uint32_t> destinations;
  for (const ChannelUse& use : uses) {
    from[use.from] += use.num_sources;
    to[routes.leaf(use.destination)] += use.num_sources;
    destinations.push_back(use.destination);
  }
  std::sort(destinations.begin(), destinations.end());
  const auto hosts = std::unique(destinations.begin(), destinations.end()) - destinations.begin();
  const auto most = [&](const std::map<SwitchId, std::uint64_t>& counts) {
    const auto it = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
    return fmt::format("{} ({})", context.fabric.at(it->first).description, counted(it->second, "flow"));
  };
  if (uses.empty()) return "nobody";
  return fmt::format("{} to {}; most from {}, to {}", counted(from.size(), "leaf", "leaves"),
                     counted(static_cast<std::uint64_t>(hosts), "host"), most(from), most(to));
}

void add_hot_links(const AnalysisContext& context, const HostRoutes& routes, const std::vector<PatternLoads>& patterns,
                   const ReportDrawing& drawing, std::size_t count, ReportPage& page) {
  const Fabric& fabric = context.fabric;
  const auto end = [&](SwitchId s, PortNum port) {
    return fmt::format("{} port {}", fabric.at(s).description, index(port));
  };
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto& [pattern, loads] = patterns[i];
    const bool all_to_all = pattern.kind == TrafficPattern::Kind::kAllToAll;
    const std::vector<ChannelId> channels = loads.fullest(count);
    const auto uses = all_to_all ? all_to_all_uses(routes, channels) : std::vector<std::vector<ChannelUse>>{};
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const ChannelId c = channels[k];
      const Peer& peer = fabric.peer(c);
      std::string users;
      if (all_to_all) {
        users = users_text(context, routes, uses[k]);
      } else {
        const std::uint32_t worst = loads.worst[index(c)];
        users = fmt::format(
            "shift by {}: {}", shift_distances(routes.num_hosts(), pattern.parameter).at(worst),
            users_text(context, routes,
                       permutation_uses(routes, c, permutation(routes.num_hosts(), pattern, kSeed, worst))));
      }
      page.hot_links.push_back({i, loads.flows[index(c)], end(fabric.source(c), fabric.port(c)),
                                end(peer.as_switch(), peer.port), std::move(users), drawing.line_of(c)});
    }
  }
}

void add_remarks(const AnalysisContext& context, const Dragonfly* dragonfly, ReportPage& page) {
  const auto add = [&](SwitchId where, std::string_view kind, const std::string& text) {
    if (where != kNoSwitch) page.marks[index(where)].remarks.push_back(page.remarks.size());
    page.remarks.push_back({std::string(kind), text});
  };
  // Links within a level are what makes a dragonfly one.
  for (const Irregularity& irregularity : context.tree.irregularities())
    if (dragonfly == nullptr || !is_about_levels(irregularity.kind))
      add(irregularity.where, name(irregularity.kind), irregularity.text);
  if (dragonfly == nullptr) return;
  for (const MissingLinkRemark& remark : describe(*dragonfly, find_missing_links(*dragonfly)))
    add(remark.where, remark.kind, remark.text);
}

// What the fullest channel carries at the least when all hosts send to each other: with any tables of a tree, with
// shortest paths of a dragonfly.
std::uint64_t least_of_all_to_all(const AnalysisContext& context, const CutBounds& bounds, const Dragonfly* dragonfly) {
  if (dragonfly == nullptr) return std::max<std::uint64_t>(1, bounds.all_to_all().shares);
  const SwitchGraph graph(context.fabric);
  HopsToAll hops(graph);
  return static_cast<std::uint64_t>(std::max(1.0, least_fullest_load(graph, hops)));
}

void add_facts(const AnalysisContext& context, const Dragonfly* dragonfly, const HostRoutes& routes,
               const std::vector<PatternLoads>& patterns, const ReportLimits& limits, ReportPage& page) {
  const AllToAllRisk all = all_to_all_risk(routes);
  const TrafficPattern permutations{TrafficPattern::Kind::kRandomPermutations, limits.permutations};
  ProgressBar bar(fmt::format("report: {}", permutations.text()));
  const RiskDistribution random = permutation_risk(routes, permutations, kSeed, bar.progress());
  const HopReport hops = count_hops(context.fabric, context.tables, context.hosts);
  page.facts = {
      {"Hosts", fmt::format("{}", context.hosts.size()), counted(context.fabric.num_endports(), "end port")},
      {"Switches", fmt::format("{}", context.fabric.num_switches()),
       fmt::format("{}, {} between them",
                   dragonfly != nullptr ? counted(dragonfly->num_groups(), "group")
                                        : counted(context.tree.num_levels(), "level"),
                   counted(context.fabric.num_switch_links(), "link"))},
      {"Shifts (SP)", fmt::format("{}", patterns[1].loads.max()),
       "flows on the fullest link, worst shift; 1 is perfect"},
      {"Random (RP)", fmt::format("{:.1f}", random.median()),
       fmt::format("flows on the fullest link, median of {} permutations", limits.permutations)},
      {"All-to-all", fmt::format("{}", all.mu), "congestion risk: the worst min(sources, destinations) of a link"},
      {"Fullest link", fmt::format("{}", all.xi_switches), "all-to-all flows between two switches (Xi)"},
      {"Path length", fmt::format("{:.2f}", hops.mean()), fmt::format("links on average, at most {}", hops.diameter())},
      {"Detours", fmt::format("{}", hops.num_detours), "pairs of hosts with a route longer than the shortest"},
      {"Unrouted", fmt::format("{}", hops.unrouted), "pairs of hosts without a route"}};
}

}  // namespace

ReportPage report_page(const AnalysisContext& context, const ReportLimits& limits) {
  const HostRoutes routes(context.fabric, context.tables, context.hosts);
  const std::size_t n = context.hosts.size();
  const auto step = static_cast<std::uint32_t>(std::max<std::size_t>(1, (n + limits.shifts - 1) / limits.shifts));
  std::vector<PatternLoads> patterns;
  for (const TrafficPattern& pattern :
       {TrafficPattern{TrafficPattern::Kind::kAllToAll, 1}, TrafficPattern{TrafficPattern::Kind::kShifts, step}}) {
    ProgressBar bar(fmt::format("report: {}", pattern.text()));
    patterns.push_back({pattern, channel_loads(routes, pattern, kSeed, bar.progress())});
  }

  const Result<Dragonfly> detected = recognize_dragonfly(context.fabric);
  const Dragonfly* const dragonfly = detected ? &*detected : nullptr;
  ReportPage page;
  const std::size_t shifts = shift_distances(n, step).size();
  const CutBounds bounds(context.tree, context.hosts);
  const std::uint64_t ideal_all = least_of_all_to_all(context, bounds, dragonfly);
  const std::uint64_t ideal_shift =
      std::max<std::uint64_t>(1, shift_bound(bounds, n, patterns[1].pattern).worst.shares);
  page.patterns = {{"All to all", "Every host sends to every other: flows on each channel.",
                    color_edges(ideal_all, patterns[0].loads.max()), ideal_all},
                   {"Shifts",
                    fmt::format("Host i sends to host i + k: the most flows on each channel under any one of {} values "
                                "of k{}. 1 everywhere is perfect.",
                                shifts, step == 1 ? " (all)" : fmt::format(" (every {}th)", step)),
                    color_edges(ideal_shift, patterns[1].loads.max()), ideal_shift}};
  const VerifyReport verdict = verify(context.fabric, context.tables, context.lanes);
  page.sound = verdict.ok();
  page.verdict = verdict.ok()
                     ? fmt::format("Sound: all {} entries deliver, no loop, no credit loop", verdict.num_entries)
                     : fmt::format("Not sound: {}", counted(verdict.num_violations, "violation"));
  for (const Violation& violation : verdict.violations)
    page.verdict += fmt::format("\n{}: {}", name(violation.kind), violation.text);

  add_facts(context, dragonfly, routes, patterns, limits, page);
  const ReportDrawing drawing(context, dragonfly, patterns, page);
  add_spreads(context, dragonfly, patterns, page);
  add_hot_links(context, routes, patterns, drawing, limits.hot_links, page);
  add_remarks(context, dragonfly, page);
  return page;
}

}  // namespace espalier::tools
