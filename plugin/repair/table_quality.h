// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How good tables are, for the question whether better ones are worth moving routes: congestion risk under a sample of
// the shifts of the order in which jobs number hosts, and under random permutations
// (core/analysis/congestion/congestion.h); and under flows that are known, where the tables are to be good for these.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/routes/host_routes.h"
#include "core/fabric/fabric.h"
#include "core/fabric/known_flows.h"
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

// What the fullest channel carries when these flows run at once, each to the first LID, by what it can carry.
[[nodiscard]] double known_flow_load(const Fabric& fabric, const TableRows& tables, std::span<const KnownFlow> flows);

// By which share scores `b` are better than `a`, below 0 when they are worse: by the geometric mean of several, in the
// same order. Those where `a` loads no channel do not count.
[[nodiscard]] double gain(std::span<const double> a, std::span<const double> b);

}  // namespace espalier
