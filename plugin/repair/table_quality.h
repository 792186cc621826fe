// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How good tables are, for the question whether better ones are worth moving routes: congestion risk under a sample of
// the shifts of the order in which jobs number hosts, and under random permutations
// (core/analysis/congestion/congestion.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/routes/host_routes.h"
#include "core/fabric/fabric.h"
#include "core/fabric/table_rows.h"

namespace espalier {

struct TableQuality {
  double worst_shift = 0;  // flows on the fullest channel
  double mean_shift = 0;
  double mean_random = 0;

  // Smaller is better: the geometric mean of the three.
  [[nodiscard]] double score() const;
  [[nodiscard]] std::string text() const;  // for people
};

// `hosts`: as jobs number them.
[[nodiscard]] TableQuality table_quality(const Fabric& fabric, const TableRows& tables,
                                         const std::vector<EndportId>& hosts, LidUse use = {});

// By which share `b` is better than `a`, below 0 when it is worse; of several uses of the tables, in the same order, by
// their geometric mean. 0 where `a` loads no channel.
[[nodiscard]] double gain(std::span<const TableQuality> a, std::span<const TableQuality> b);

}  // namespace espalier
