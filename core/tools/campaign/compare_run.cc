// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/compare_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>

#include "core/analysis/soundness/verify_hosts.h"
#include "core/base/stopwatch.h"
#include "core/dragonfly/detect.h"
#include "core/engines/engines.h"
#include "core/io/export/json_text.h"
#include "core/pipeline/route_and_verify.h"
#include "core/tools/campaign/child_process.h"
#include "core/tools/campaign/opensm_run.h"
#include "core/tools/command.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/measure/measurement.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string_view via(const Contender& contender) {
  if (contender.via == Contender::Via::kLibrary) return "library";
  return is_first_in_plugin(contender.engine) ? "plugin" : "opensm";
}

// The order of the whole fabric, of those that are still there.
HostOrder remaining_order(const CampaignFabric& campaign, const Fabric& damaged) {
  HostOrder order = traffic_order(campaign.whole, campaign.order);
  order.hosts = remaining_hosts(campaign.whole, order.hosts, damaged);
  for (HostPart& part : order.parts) part.hosts = remaining_hosts(campaign.whole, part.hosts, damaged);
  return order;
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// `sound`: with all traffic; `sound_hosts`: with that between hosts alone, which is what stock engines see to.
void add_verdict(Json& record, const VerifyReport& report, bool sound_hosts, const std::optional<Lanes>& lanes) {
  const bool credit_loop = !report.credit_loop.empty();
  record["sound_hosts"] = sound_hosts;
  record["sound"] = report.ok();
  record["entries"] = report.num_entries;
  record["wrong_entries"] = report.num_violations - (credit_loop ? 1 : 0);
  record["credit_loop"] = credit_loop;
  record["vls"] = lanes ? lanes->num_vls() : 1;
  record["sls"] = lanes ? lanes->num_sls() : 1;
}

// rank, route, verify: what the plugin does between snapshot and upload. An engine that searches uploads tables without
// a search there (plugin/repair), and `search_ms` counts what it then takes in a thread of its own.
ForwardingTables route_here(Json& record, const Fabric& fabric, const std::string& engine, const NodeTypes& types,
                            const std::string& order) {
  Stopwatch watch;
  const std::clock_t cpu_start = std::clock();
  const FatTree tree = value_or_refuse(rank(fabric));
  EngineOptions engine_options;
  if (traits_of(engine).lanes) engine_options.groups = groups_of(fabric, nullptr);
  const double rank_ms = watch.lap();
  engine_options.node_types = types;
  engine_options.host_order = host_order(tree, order, UnknownHosts::kSkip);
  EngineOptions at_once = engine_options;
  at_once.balance_ms = 0;
  const std::string start(start_engine(engine, fabric, at_once));
  VerifiedRouting routed = value_or_refuse(route_and_verify(tree, start.empty() ? engine : start, at_once));
  record["engine_used"] = engine;
  record["ms"] = rank_ms + routed.route_ms + routed.verify_ms;
  record["cpu_ms"] = static_cast<double>(std::clock() - cpu_start) * 1000 / CLOCKS_PER_SEC;
  record["rank_ms"] = rank_ms;
  record["route_ms"] = routed.route_ms;
  record["verify_ms"] = routed.verify_ms;
  if (!start.empty()) {
    routed = value_or_refuse(route_and_verify(tree, engine, engine_options));
    record["search_ms"] = routed.route_ms;
  }
  record["peak_kib"] = peak_kib();
  const std::optional<Lanes>& lanes = routed.routing.lanes;
  add_verdict(record, routed.proof,
              routed.proof.ok() || verify_hosts(fabric, routed.routing.tables, lanes ? &*lanes : nullptr).ok(), lanes);
  return std::move(routed.routing.tables);
}

ForwardingTables route_in_opensm(Json& record, const CampaignFabric& campaign, const Fabric& fabric,
                                 const std::string& engine) {
  OpenSmRun run = run_opensm(fabric, engine, {campaign.runner, campaign.work_dir, campaign.limit});
  record["engine_used"] = run.engine_used;
  if (run.ms) record["ms"] = *run.ms;
  if (run.cpu_ms) record["cpu_ms"] = *run.cpu_ms;
  record["peak_kib"] = run.peak_kib;
  with_threads(campaign.threads, [&] {
    const VerifyReport report = verify(fabric, run.tables, run.lanes);
    const bool sound_hosts = report.ok() || verify_hosts(fabric, run.tables, run.lanes ? &*run.lanes : nullptr).ok();
    add_verdict(record, report, sound_hosts, run.lanes);
  });
  return std::move(run.tables);
}

Json measured(const CampaignFabric& campaign, const Run& run) {
  const Fabric fabric = value_or_refuse(degrade(campaign.whole, run.step.damage(campaign.seed + run.trial)));
  MeasureOptions options;
  options.also = {Extra::kDistances};
  if (campaign.bound) options.also.insert(Extra::kBound);
  if (!campaign.types.empty()) options.types = value_or_refuse(assign_node_types(fabric, campaign.node_types)).types;
  Json record;
  const std::string& engine = run.contender.engine;
  const ForwardingTables tables = run.contender.via == Contender::Via::kOpenSm
                                      ? route_in_opensm(record, campaign, fabric, engine)
                                      : with_threads(campaign.threads, [&] {
                                          return route_here(record, fabric, engine, options.types, campaign.order);
                                        });
  with_threads(campaign.threads, [&] {
    options.order = remaining_order(campaign, fabric);
    options.lids = lid_use(fabric, options.order.hosts, campaign.lid_offset);
    record.update(
        measure({fabric, tables, options.order.hosts}, patterns_or_refuse(campaign.patterns), campaign.seed, options));
  });
  return record;
}

}  // namespace

Json identity(const CampaignFabric& campaign, const Run& run) {
  Json record{{"fabric", campaign.name},
              {"fingerprint", campaign.fingerprint},
              {"damage", run.step.kind},
              {"amount", run.step.amount},
              {"trial", run.trial},
              {"seed", campaign.seed},
              {"engine", run.contender.engine},
              {"via", via(run.contender)},
              {"patterns", campaign.patterns},
              {"order", campaign.order}};
  if (campaign.lid_offset != "0") record["lid_offset"] = campaign.lid_offset;
  if (!campaign.types.empty()) record["types"] = campaign.types;
  return record;
}

Json perform(const CampaignFabric& campaign, const Run& run) {
  Json record = identity(campaign, run);
  record["of"] = run.step.of;
  // The runner has its own limit; ours is behind it, for all that follows as well.
  const Result<std::string> answer =
      run_in_child(campaign.limit * 2 + std::chrono::seconds(60), [&] { return json_text(measured(campaign, run)); });
  record["outcome"] = answer ? "routed" : "failed";
  if (answer)
    record.update(Json::parse(*answer));
  else
    record["reason"] = answer.error().text();
  return record;
}

std::string describe(const Run& run) {
  const std::string damage =
      run.step.amount == 0
          ? "no damage"
          : fmt::format("{} of {}, trial {}", in_words(run.step.kind, run.step.amount), run.step.of, run.trial);
  return fmt::format("{}: {}{}", damage, run.contender.engine,
                     run.contender.via == Contender::Via::kOpenSm ? " in OpenSM" : "");
}

}  // namespace espalier::tools
