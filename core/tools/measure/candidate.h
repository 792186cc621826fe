// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One engine on one fabric, as `espalier advise` judges it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/tree/order/host_order.h"

namespace espalier::tools {

// The fabric, its hosts in order, and what all candidates lose in turn.
struct CandidateCase {
  CandidateCase(const Fabric& fabric, const std::string& order, unsigned max_vls, Progress* progress);

  const Fabric& fabric;
  std::string order_words;  // as given: also for what engines are told
  unsigned max_vls;         // data lanes that every link has
  HostOrder order;
  std::vector<EndportId> hosts;
  std::optional<Fabric> without_a_link;  // none where there is none
  std::optional<Fabric> without_a_spine;
  Progress* progress;
};

// What judging counts in CandidateCase::progress.
inline constexpr std::uint64_t kStepsOfOurs = 5;
inline constexpr std::uint64_t kStepsOfStock = 3;

// engine, via ("library", "opensm"), vls (virtual lanes), sound_hosts, sound_all, mu_sp_max, mu_sp_mean, mu_rp_median,
// bound_sp (the least mu_sp_max of any tables), route_ms (what OpenSM waits for), search_ms (of an engine that searches
// afterwards: the figures are those of the tables it ends with); of ours one_link and one_spine, each with entries,
// blocks and mu_sp_max: repaired where the plugin would repair, else routed anew. Or only engine, via, and a
// reason: declined, by the engine; not_run, of a stock engine that could not be tried. Where links carry more or less
// than a host's does, each mu_ is there with _per_capacity as well, as in measurement.h.
[[nodiscard]] nlohmann::ordered_json judge_ours(const CandidateCase& subject, const std::string& engine);
[[nodiscard]] nlohmann::ordered_json judge_stock(const CandidateCase& subject, const std::string& engine);

// A mu_ of a candidate or of its losses, by capacity where that differs: one flow is too many for a link at 1x.
[[nodiscard]] double figure_of(const nlohmann::ordered_json& judged, const char* field);

[[nodiscard]] bool has_opensm_and_ibsim();

}  // namespace espalier::tools
