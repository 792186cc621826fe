// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How evenly channels of one kind are loaded: those from level to level, of a dragonfly those within and between groups.
#pragma once

#include <vector>

#include "core/tools/report/report_drawing.h"

namespace espalier::tools {

// Adds a distribution for each kind and pattern. `dragonfly`: null of any other fabric. REQUIRES: the page has the
// patterns, with the edges of their colors.
void add_spreads(const AnalysisContext& context, const Dragonfly* dragonfly, const std::vector<PatternLoads>& patterns,
                 ReportPage& page);

}  // namespace espalier::tools
