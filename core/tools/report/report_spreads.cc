// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/report/report_spreads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace espalier::tools {
namespace {

ReportPage::Spread::Load spread_load(const std::vector<ChannelId>& channels, const std::vector<std::uint64_t>& flows,
                                     const std::vector<std::uint64_t>& edges) {
  ReportPage::Spread::Load load;
  load.of_color.assign(edges.size(), 0);
  load.min = flows[index(channels.front())];
  std::uint64_t sum = 0;
  for (const ChannelId c : channels) {
    const std::uint64_t f = flows[index(c)];
    load.min = std::min(load.min, f);
    load.max = std::max(load.max, f);
    sum += f;
    if (f == 0)
      ++load.idle;
    else
      ++load.of_color[static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), f) - edges.begin())];
  }
  load.mean = static_cast<double>(sum) / static_cast<double>(channels.size());
  return load;
}

// Channels whose loads are compared with each other, and what they are called.
using ChannelClass = std::pair<std::string, std::vector<ChannelId>>;

std::vector<ChannelClass> between_levels(const AnalysisContext& context) {
  std::map<std::pair<Level, Level>, std::pair<std::vector<ChannelId>, std::vector<ChannelId>>> channels;  // up, down
  for (const SwitchId s : context.fabric.switches())
    for (const PortGroup& group : context.tree.up_groups(s))
      for (const PortNum port : context.tree.ports(group)) {
        auto& [up, down] = channels[{context.tree.level(s), context.tree.level(group.remote)}];
        up.push_back(context.fabric.channel(s, port));
        down.push_back(context.fabric.channel(group.remote, context.fabric.peer(s, port).port));
      }
  std::vector<ChannelClass> classes;
  for (auto& [levels, lists] : channels) {
    const auto title = [&](const char* word, Level from, Level to) {
      return fmt::format("{} from level {} to {}", word, index(from), index(to));
    };
    classes.emplace_back(title("up", levels.first, levels.second), std::move(lists.first));
    classes.emplace_back(title("down", levels.second, levels.first), std::move(lists.second));
  }
  return classes;
}

std::vector<ChannelClass> of_groups(const Dragonfly& dragonfly) {
  const Fabric& fabric = dragonfly.fabric();
  std::vector<ChannelClass> classes{{"within groups", {}}, {"between groups", {}}};
  for (const SwitchId s : fabric.switches())
    for (const PortNum port : fabric.ports(s)) {
      const PortClass kind = dragonfly.port_class(s, port);
      if (kind != PortClass::kTerminal)
        classes[kind == PortClass::kLocal ? 0 : 1].second.push_back(fabric.channel(s, port));
    }
  std::erase_if(classes, [](const ChannelClass& c) { return c.second.empty(); });
  return classes;
}

}  // namespace

void add_spreads(const AnalysisContext& context, const Dragonfly* dragonfly, const std::vector<PatternLoads>& patterns,
                 ReportPage& page) {
  for (const auto& [title, channels] : dragonfly != nullptr ? of_groups(*dragonfly) : between_levels(context)) {
    ReportPage::Spread spread{title, channels.size(), {}};
    for (std::size_t i = 0; i < patterns.size(); ++i)
      spread.loads.push_back(spread_load(channels, patterns[i].loads.flows, page.patterns[i].edges));
    page.spreads.push_back(std::move(spread));
  }
}

}  // namespace espalier::tools
