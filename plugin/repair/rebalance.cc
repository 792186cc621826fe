// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/rebalance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/base/try.h"
#include "core/pipeline/route_and_verify.h"
#include "core/repair/repair.h"
#include "core/tree/order/host_order.h"
#include "plugin/repair/table_quality.h"

namespace espalier {
namespace {

// Of programs that know the first LID of a host alone; and of those that spread over all, where these are to be balanced.
std::vector<TableQuality> qualities(const RoutingTask& task, const ForwardingTables& tables,
                                    const std::vector<EndportId>& hosts) {
  const Fabric& fabric = *task.fabric;
  const TableRows rows(tables);
  std::vector<TableQuality> found{table_quality(fabric, rows, hosts)};
  const bool are_several = std::any_of(hosts.begin(), hosts.end(), [&](EndportId e) { return fabric.at(e).lmc > 0; });
  if (are_several && task.options.objective.offsets)
    found.push_back(table_quality(fabric, rows, hosts, {.kind = LidUse::Kind::kEvenly}));
  return found;
}

std::string text(const std::vector<TableQuality>& qualities) {
  std::string all = qualities[0].text();
  if (qualities.size() > 1) all += "; over all LIDs " + qualities[1].text();
  return all;
}

}  // namespace

Result<Rebalanced> rebalance(const RoutingTask& task, const PreparedReference* known, double least_gain,
                             const std::stop_token& stop) {
  EngineOptions options = task.options;
  options.balance_wall_ms = 0;  // nobody waits
  ESPALIER_TRY(Routing routing, route(*task.tree, task.engine, options));
  Rebalanced result{std::move(routing.tables), true, "these are the first tables of this engine"};
  if (stop.stop_requested()) return result;
  if (const VerifyReport proof = verify(*task.fabric, result.tables); !proof.ok())
    return fail(fmt::format("the new tables are not sound and were discarded: {}", proof.violations.front().text),
                "please report this bug with the output of ibnetdiscover");
  if (known == nullptr || stop.stop_requested()) return result;

  // The same wherever the subnet manager runs: `espalier repair` computes these tables, too.
  const Result<RepairResult> present = repair(*known, *task.fabric, {.how = task.options.switch_paths.how});
  if (!present) result.verdict = "the reference cannot be repaired for this fabric, so the new tables take its place";
  if (!present || stop.stop_requested()) return result;
  const std::vector<EndportId> hosts = hosts_in_order(*task.tree, task.options.host_order);
  const std::vector<TableQuality> before = qualities(task, present->tables, hosts);
  const std::vector<TableQuality> after = qualities(task, result.tables, hosts);
  const double gained = gain(before, after);
  result.is_worth_it = least_gain < 0 || gained > least_gain || (least_gain == 0 && gained == 0);
  result.verdict = fmt::format("the new tables are {} by {:.1f} % ({}; before: {}), {}",
                               gained < 0 ? "worse" : "better", std::abs(gained) * 100, text(after), text(before),
                               result.is_worth_it ? "and are the reference now" : "the reference stays");
  return result;
}

}  // namespace espalier
