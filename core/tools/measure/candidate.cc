// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/candidate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/analysis/soundness/verify_hosts.h"
#include "core/base/split.h"
#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/dragonfly/detect.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/pipeline/route_and_verify.h"
#include "core/repair/repairable_reference.h"
#include "core/tools/campaign/opensm_run.h"
#include "core/tools/campaign/work_folder.h"
#include "core/tools/command.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/measure/measurement.h"
#include "core/tools/measure/rewritten.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::optional<Fabric> after(const Fabric& fabric, const Damage& damage) {
  Result<Fabric> rest = degrade(fabric, damage);
  return rest ? std::optional<Fabric>(std::move(*rest)) : std::nullopt;
}

// With what links carry, where that differs.
void add_figure(Json& candidate, const char* field, const Json& measured) {
  candidate[field] = measured.at(field);
  const std::string by_capacity = fmt::format("{}_per_capacity", field);
  if (measured.contains(by_capacity)) candidate[by_capacity] = measured.at(by_capacity);
}

void add_figures(Json& candidate, const CandidateCase& subject, const ForwardingTables& tables,
                 const std::optional<Lanes>& lanes = std::nullopt) {
  candidate["vls"] = lanes ? lanes->num_vls() : 1U;
  candidate["sound_hosts"] = verify_hosts(subject.fabric, tables, lanes ? &*lanes : nullptr).ok();
  candidate["sound_all"] = verify(subject.fabric, tables, lanes).ok();
  advance(subject.progress);
  MeasureOptions options;
  options.also = {Extra::kBound};
  const Json measured = measure({subject.fabric, tables, subject.hosts},
                                patterns_or_refuse(shifts_and_permutations(subject.hosts.size())), 1, options);
  for (const char* field : {"mu_sp_max", "mu_sp_mean", "mu_rp_median"}) add_figure(candidate, field, measured);
  candidate["bound_sp"] = measured.at("bound").at("mu_sp_max");
  advance(subject.progress);
}

Result<Routing> rank_and_route(const CandidateCase& subject, const Fabric& fabric, const std::string& engine,
                               EngineOptions options = {}) {
  ESPALIER_TRY(const FatTree tree, rank(fabric));
  options.max_vls = subject.max_vls;
  options.host_order = host_order(tree, subject.order_words, UnknownHosts::kSkip);
  return route(tree, engine, options);
}

// What the plugin makes of the fabric with something lost: unless told otherwise it repairs the tables of an engine that
// takes long, and runs any other again.
Result<ForwardingTables> tables_after(const CandidateCase& subject, const Routing& before, const Fabric& rest,
                                      const std::string& engine) {
  if (!is_slow(engine, subject.fabric)) {
    ESPALIER_TRY(Routing routing, rank_and_route(subject, rest, engine));
    return std::move(routing.tables);
  }
  ESPALIER_TRY(const FatTree tree, rank(subject.fabric));
  const auto reference = prepare(make_reference(engine, tree, before.tables, subject.hosts, before.lanes));
  ESPALIER_TRY(const PatchedRepair repaired, reference->patch(rest, {}));
  return repaired.tables.whole();
}

void add_loss(Json& candidate, const char* key, const CandidateCase& subject, const Routing& before,
              const std::optional<Fabric>& rest, const std::string& engine) {
  advance(subject.progress);
  if (!rest) return;
  const Result<ForwardingTables> later = tables_after(subject, before, *rest, engine);
  if (!later) return;
  const TableDelta delta = rewritten(subject.fabric, before.tables, *rest, *later);
  const std::vector<EndportId> hosts = remaining_hosts(subject.fabric, subject.hosts, *rest);
  const Json measured = measure({*rest, *later, hosts}, patterns_or_refuse(shifts_and_permutations(hosts.size())), 1);
  candidate[key] = {{"entries", delta.num_entries}, {"blocks", delta.num_blocks}};
  add_figure(candidate[key], "mu_sp_max", measured);
}

// OpenSM routes what it can reach, and would look unsound on the rest.
void refuse_parts(const Fabric& fabric) {
  const std::uint32_t parts = value_or_refuse(rank(fabric)).num_components();
  if (parts > 1)
    throw Refused{
        {fmt::format("OpenSM would see only one of {} parts that no cable joins; give each a file of its own", parts),
         {},
         0,
         {}}};
}

}  // namespace

CandidateCase::CandidateCase(const Fabric& subject, const std::string& host_order, unsigned vls, Progress* steps)
    : fabric(subject),
      order_words(host_order),
      max_vls(vls),
      order(traffic_order(subject, host_order)),
      hosts(order.hosts),
      without_a_link(after(subject, {.links = 1, .switches = 0, .spines = 0, .endports = 0, .seed = 1})),
      without_a_spine(after(subject, {.links = 0, .switches = 0, .spines = 1, .endports = 0, .seed = 1})),
      progress(steps) {}

Json judge_ours(const CandidateCase& subject, const std::string& engine) {
  Json candidate{{"engine", engine}, {"via", "library"}};
  if (engine == "dragonfly")
    if (const Result<Dragonfly> dragonfly = recognize_dragonfly(subject.fabric); !dragonfly) {
      advance(subject.progress, kStepsOfOurs);
      candidate["declined"] = dragonfly.error().text();
      return candidate;
    }
  // The plugin uploads tables without a search, and searches in a thread of its own.
  EngineOptions at_once;
  at_once.balance_ms = 0;
  at_once.max_vls = subject.max_vls;
  Stopwatch watch;
  if (traits_of(engine).lanes) at_once.groups = groups_of(subject.fabric, nullptr);
  const std::string start(start_engine(engine, subject.fabric, at_once));
  Result<Routing> routing = rank_and_route(subject, subject.fabric, start.empty() ? engine : start, at_once);
  const double route_ms = watch.lap();
  const bool searches = routing && !start.empty();
  if (searches) routing = rank_and_route(subject, subject.fabric, engine);
  const double search_ms = watch.lap();
  advance(subject.progress);
  if (!routing) {
    advance(subject.progress, kStepsOfOurs - 1);
    candidate["declined"] = routing.error().text();
    return candidate;
  }
  add_figures(candidate, subject, routing->tables, routing->lanes);
  candidate["route_ms"] = route_ms;
  if (searches) candidate["search_ms"] = search_ms;
  add_loss(candidate, "one_link", subject, *routing, subject.without_a_link, engine);
  add_loss(candidate, "one_spine", subject, *routing, subject.without_a_spine, engine);
  return candidate;
}

Json judge_stock(const CandidateCase& subject, const std::string& engine) {
  Json candidate{{"engine", engine}, {"via", "opensm"}};
  try {
    refuse_parts(subject.fabric);
    const WorkFolder folder;
    const OpenSmRun run =
        run_opensm(subject.fabric, engine, {value_or_refuse(find_runner()), folder.fresh(), std::chrono::seconds(120)});
    advance(subject.progress);
    if (run.engine_used != engine) {
      advance(subject.progress, kStepsOfStock - 1);
      candidate["declined"] = fmt::format("OpenSM uses {} instead", run.engine_used);
      return candidate;
    }
    if (run.lanes && run.lanes->num_vls() > subject.max_vls) {
      advance(subject.progress, kStepsOfStock - 1);
      candidate["declined"] = fmt::format("it uses {}", counted(run.lanes->num_vls(), "virtual lane"));
      return candidate;
    }
    add_figures(candidate, subject, run.tables, run.lanes);
    candidate["route_ms"] = run.ms.value_or(0);
  } catch (const Refused& refused) {
    candidate["not_run"] = refused.error.text();
  }
  return candidate;
}

double figure_of(const Json& judged, const char* field) {
  const std::string by_capacity = fmt::format("{}_per_capacity", field);
  return judged.at(judged.contains(by_capacity) ? by_capacity : std::string(field)).get<double>();
}

bool has_opensm_and_ibsim() {
  const char* path = std::getenv("PATH");
  const std::string folders = std::string(path == nullptr ? "" : path) + ":/usr/sbin";
  const auto is_installed = [&](const char* program) {
    const std::vector<std::string_view> all = split(folders, ':');
    return std::any_of(all.begin(), all.end(), [&](std::string_view folder) {
      return ::access((fs::path(folder) / program).c_str(), X_OK) == 0;
    });
  };
  return is_installed("opensm") && is_installed("ibsim");
}

}  // namespace espalier::tools
