// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The picture of the report: boxes of switches, lines between them, and what the links of a line carry.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/analysis/congestion/channel_load.h"
#include "core/analysis/congestion/traffic.h"
#include "core/dragonfly/dragonfly.h"
#include "core/io/report/report_page.h"
#include "core/tools/inputs/analysis_context.h"

namespace espalier::tools {

struct PatternLoads {
  TrafficPattern pattern;
  ChannelLoads loads;
};

// Draws into the page when it is made. A line is all links between two boxes, in both directions.
class ReportDrawing {
 public:
  // `dragonfly`: null of any other fabric.
  ReportDrawing(const AnalysisContext& context, const Dragonfly* dragonfly, const std::vector<PatternLoads>& patterns,
                ReportPage& page);

  // The line that a channel between two switches belongs to.
  [[nodiscard]] std::size_t line_of(ChannelId c) const;

 private:
  void add_boxes(const Dragonfly* dragonfly);
  void add_line(SwitchId lower, const PortGroup& group);
  void raise(ReportPage::Loads& most, SwitchId lower, SwitchId upper, ChannelId c);

  const AnalysisContext& context_;
  const std::vector<PatternLoads>& patterns_;
  ReportPage& page_;
  IdVector<SwitchId, std::size_t> box_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> lines_;
};

}  // namespace espalier::tools
