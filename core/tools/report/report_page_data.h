// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Asks core/analysis all that the report shows and writes it down for the page (core/io/report/report_page.h).
#pragma once

#include <cstdint>

#include "core/io/report/report_page.h"
#include "core/tools/inputs/analysis_context.h"

namespace espalier::tools {

struct ReportLimits {
  std::size_t shifts = 1000;         // at most so many, evenly spread
  std::uint32_t permutations = 100;  // random ones
  std::size_t hot_links = 15;        // per pattern
};

// Title and subtitle are left to the caller.
[[nodiscard]] ReportPage report_page(const AnalysisContext& context, const ReportLimits& limits);

}  // namespace espalier::tools
