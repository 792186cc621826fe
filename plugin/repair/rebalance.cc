// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/rebalance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/base/try.h"
#include "core/engines/engines.h"
#include "core/pipeline/route_and_verify.h"
#include "core/tree/order/host_order.h"
#include "plugin/repair/table_quality.h"

namespace espalier {
namespace {

struct Judged {
  std::vector<double> scores;
  std::string text;  // for people
};

// By programs that know the first LID of a host alone; by those that spread over all, where these are to be balanced;
// and by known flows, where the engine is to look at them.
Judged judge(const RoutingTask& task, const TableRows& rows, const std::vector<EndportId>& hosts) {
  const Fabric& fabric = *task.fabric;
  const TableQuality first = table_quality(fabric, rows, hosts);
  Judged judged{{first.score()}, first.text()};
  const bool are_several = std::any_of(hosts.begin(), hosts.end(), [&](EndportId e) { return fabric.at(e).lmc > 0; });
  if (are_several && task.options.objective.offsets) {
    const TableQuality all = table_quality(fabric, rows, hosts, {.kind = LidUse::Kind::kEvenly});
    judged.scores.push_back(all.score());
    judged.text += "; over all LIDs " + all.text();
  }
  const bool has_use = traits_of(task.engine).lanes || task.options.objective.flows > 0;  // `flows` has no objective
  if (has_use && !task.options.known_flows.empty()) {
    const double load = known_flow_load(fabric, rows, task.options.known_flows);
    judged.scores.push_back(load);
    judged.text += fmt::format("; known flows {:.4g}", load);
  }
  return judged;
}

}  // namespace

Result<Rebalanced> rebalance(const RoutingTask& task, const RepairableReference* known, double least_gain,
                             const std::stop_token& stop) {
  EngineOptions options = task.options;
  options.balance_wall_ms = 0;  // nobody waits
  ESPALIER_TRY(Routing routing, route(*task.tree, task.engine, options));
  Rebalanced result{std::move(routing.tables), std::move(routing.lanes), true,
                    "these are the first tables of this engine"};
  if (stop.stop_requested()) return result;
  if (const VerifyReport proof = verify(*task.fabric, result.tables, result.lanes); !proof.ok())
    return fail(fmt::format("the new tables are not sound and were discarded: {}", proof.violations.front().text),
                "please report this bug with the output of ibnetdiscover");
  if (known == nullptr || stop.stop_requested()) return result;

  // The same wherever the subnet manager runs: `espalier repair` computes these tables, too.
  const Result<PatchedRepair> present = known->patch(*task.fabric, {.how = task.options.switch_paths.how});
  if (!present) result.verdict = "the reference cannot be repaired for this fabric, so the new tables take its place";
  if (!present || stop.stop_requested()) return result;
  const std::vector<EndportId> hosts = hosts_in_order(*task.tree, task.options.host_order);
  const Judged before = judge(task, present->tables.rows(), hosts);
  const Judged after = judge(task, TableRows(result.tables), hosts);
  const double gained = gain(before.scores, after.scores);
  result.is_worth_it = least_gain < 0 || gained > least_gain || (least_gain == 0 && gained == 0);
  result.verdict = fmt::format("the new tables are {} by {:.1f} % ({}; before: {}), {}",
                               gained < 0 ? "worse" : "better", std::abs(gained) * 100, after.text, before.text,
                               result.is_worth_it ? "and are the reference now" : "the reference stays");
  return result;
}

}  // namespace espalier
