// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/report/report_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "core/fabric/rules/host_name.h"
#include "core/tools/report/report_groups.h"
#include "core/tree/order/node_order.h"

namespace espalier::tools {
namespace {

std::vector<std::string> names_of_hosts(const Fabric& fabric, std::span<const EndportId> hosts) {
  std::vector<std::string> names;
  for (const EndportId e : hosts) names.push_back(fabric.at(e).description);
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

}  // namespace

ReportDrawing::ReportDrawing(const AnalysisContext& context, const Dragonfly* dragonfly,
                             const std::vector<PatternLoads>& patterns, ReportPage& page)
    : context_(context), patterns_(patterns), page_(page), box_(context.fabric.num_switches()) {
  add_boxes(dragonfly);
  for (const SwitchId s : context.fabric.switches())
    for (const PortGroup& group : context.tree.up_groups(s)) add_line(s, group);
}

std::size_t ReportDrawing::line_of(ChannelId c) const {
  const std::size_t a = box_[context_.fabric.source(c)];
  const std::size_t b = box_[context_.fabric.peer(c).as_switch()];
  const auto it = lines_.find({a, b});
  return it != lines_.end() ? it->second : lines_.at({b, a});
}

void ReportDrawing::add_boxes(const Dragonfly* dragonfly) {
  const Fabric& fabric = context_.fabric;
  for (const SwitchId s : fabric.switches())
    page_.marks.push_back({fmt::format("0x{:016x}", index(fabric.at(s).guid)),
                           fabric.at(s).description,
                           names_of_hosts(fabric, context_.tree.hosts(s)),
                           ReportPage::Loads(patterns_.size()),
                           {}});
  if (dragonfly != nullptr) page_.layout = ReportPage::Layout::kGroups;
  for (const DrawnGroup& group :
       dragonfly != nullptr
           ? drawn_groups(*dragonfly)
           : drawn_groups(context_.tree,
                          topological_order(context_.tree, context_.costs, context_.order.hosts).hosts)) {
    ReportPage::Box box{group.level, group_label(fabric, group), {}};
    for (const SwitchId s : group.switches) {
      box_[s] = page_.boxes.size();
      box.marks.push_back(index(s));
    }
    page_.boxes.push_back(std::move(box));
  }
}

void ReportDrawing::add_line(SwitchId lower, const PortGroup& group) {
  const auto [it, is_new] = lines_.try_emplace({box_[lower], box_[group.remote]}, page_.lines.size());
  if (is_new)
    page_.lines.push_back(
        {box_[lower], box_[group.remote], 0, ReportPage::Loads(patterns_.size()), ReportPage::Loads(patterns_.size())});
  ReportPage::Line& line = page_.lines[it->second];
  line.links += group.num_ports;
  for (const PortNum port : context_.tree.ports(group)) {
    const Peer& peer = context_.fabric.peer(lower, port);
    raise(line.up, lower, group.remote, context_.fabric.channel(lower, port));
    raise(line.down, lower, group.remote, context_.fabric.channel(group.remote, peer.port));
  }
}

void ReportDrawing::raise(ReportPage::Loads& most, SwitchId lower, SwitchId upper, ChannelId c) {
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const std::uint64_t flows = patterns_[i].loads.flows[index(c)];
    for (std::uint64_t* value : {&most[i], &page_.marks[index(lower)].loads[i], &page_.marks[index(upper)].loads[i]})
      *value = std::max(*value, flows);
  }
}

}  // namespace espalier::tools
