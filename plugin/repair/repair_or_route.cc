// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/repair_or_route.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/pipeline/route_and_verify.h"

namespace espalier {
namespace {

// Routes from a switch with hosts to a host's LID.
double count_routes(const FatTree& tree) {
  std::size_t leaves = 0, lids = 0;
  for (const SwitchId s : tree.fabric().switches()) {
    leaves += tree.hosts(s).empty() ? 0 : 1;
    for (const EndportId e : tree.hosts(s)) lids += std::size_t{1} << tree.fabric().at(e).lmc;
  }
  return static_cast<double>(leaves) * static_cast<double>(lids);
}

double share_moved(const FatTree& tree, const PatchedRepair& repaired) {
  if (repaired.reach == RepairReach::kAll) return 1;
  const double routes = count_routes(tree);
  return routes == 0 ? 0 : static_cast<double>(repaired.repaired_routes) / routes;
}

unsigned sls_of(const std::optional<Lanes>& lanes) { return lanes ? lanes->num_sls() : 1; }

// Null: nothing sound can be made of it.
std::shared_ptr<const SoundRouting> repair_reference(const Log& log, const RoutingTask& task,
                                                     std::shared_ptr<const RepairableReference> reference,
                                                     Repairs& repairs, Laps& laps) {
  RepairAttempt attempt = repair_reference(task, std::move(reference), laps);
  if (attempt.sound) return attempt.sound;
  log.error(fmt::format("{}: {}", task.engine, attempt.error));
  if (attempt.is_useless) repairs.discard_reference();
  return nullptr;
}

// Null: they are not there, and will not be.
std::shared_ptr<const SoundRouting> await(const Log& log, const std::optional<TablesAhead>& ahead,
                                          const RoutingTask& task, const RepairableReference* reference, Laps& laps) {
  if (!ahead || ahead->reference.get() != reference || !ahead->serve(task)) return nullptr;
  Stopwatch clock;
  std::shared_ptr<const SoundRouting> sound = ahead->sound.get();
  laps.route = clock.lap();
  if (sound && ahead->is_first)
    log.info(fmt::format("{}: tables were made and verified while OpenSM waited for answers of ports", task.engine));
  else if (sound)
    log.verbose(fmt::format("{}: tables were made and verified before OpenSM asked for them", task.engine));
  return sound;
}

std::shared_ptr<const SoundRouting> repaired(const Log& log, const PluginConfig& config, const RoutingTask& task,
                                             const MadeBefore& made, Laps& laps) {
  LastRepaired& last = made.last;
  std::shared_ptr<const RepairableReference> reference = made.repairs.reference(config, task);
  if (!reference || !last.serves(task, reference.get())) {
    last = {};  // its memory first
    if (!reference) return nullptr;
    last.sound = await(log, made.ahead, task, reference.get(), laps);
    if (!last.sound) last.sound = repair_reference(log, task, std::move(reference), made.repairs, laps);
    last.fabric = task.fabric;
    last.how = task.options.switch_paths.how;
    if (!last.sound) return nullptr;
  }
  log.info(fmt::format("{}: repair: {} changed from the reference, {} repaired", task.engine,
                       counted(last.sound->reference_entries, "entry", "entries"),
                       counted(last.sound->repaired_routes, "route")));
  return last.sound;
}

}  // namespace

RepairAttempt repair_reference(const RoutingTask& task, std::shared_ptr<const RepairableReference> reference,
                               Laps& laps) {
  Stopwatch clock;
  // The same wherever the subnet manager runs: `espalier repair` computes these tables, too.
  Result<PatchedRepair> result = reference->patch(*task.fabric, {.how = task.options.switch_paths.how});
  laps.route = clock.lap();
  if (!result) return {nullptr, fmt::format("the reference was discarded: {}", result.error().text()), true};
  VerifyReport proof = reference->verify_change(*task.fabric, *result);
  laps.verify = clock.lap();
  if (!proof.ok())
    return {nullptr,
            fmt::format("the repaired tables are not sound ({}), everything is routed from scratch; please report this "
                        "bug with the output of ibnetdiscover",
                        proof.violations.front().text)};
  const double moved = share_moved(*task.tree, *result);
  const unsigned num_sls = sls_of(result->lanes);
  return {std::make_shared<const SoundRouting>(SoundRouting{
      .routing = {.tables = {}, .warnings = std::move(result->warnings), .lanes = std::move(result->lanes)},
      .how = SoundRouting::How::kRepaired,
      .dependencies = std::move(proof.dependencies),
      .num_sls = num_sls,
      .repair = {moved, result->has_new_equipment, result->is_makeshift},
      .reference_entries = result->entries,
      .repaired_routes = result->repaired_routes,
      .reference = std::move(reference),
      .patched = std::move(result->tables)})};
}

Result<std::shared_ptr<const SoundRouting>> route_anew(const RoutingTask& task, Laps& laps) {
  EngineOptions options = task.options;
  if (!task.start.empty()) options.balance_ms = 0;
  ESPALIER_TRY(VerifiedRouting routed,
               route_and_verify(*task.tree, task.start.empty() ? task.engine : task.start, options));
  laps.route = routed.route_ms;
  laps.verify = routed.verify_ms;
  if (!routed.proof.ok())
    return fail(fmt::format("its tables are not sound: {}", routed.proof.violations.front().text),
                "nothing was uploaded; please report this bug with the output of ibnetdiscover");
  using How = SoundRouting::How;
  const unsigned num_sls = sls_of(routed.routing.lanes);
  return std::make_shared<const SoundRouting>(SoundRouting{.routing = std::move(routed.routing),
                                                           .how = task.start.empty() ? How::kRouted : How::kStarted,
                                                           .dependencies = std::move(routed.proof.dependencies),
                                                           .num_sls = num_sls});
}

Result<std::shared_ptr<const SoundRouting>> repair_or_route(const Log& log, const PluginConfig& config,
                                                            const RoutingTask& task, const MadeBefore& made,
                                                            Laps& laps) {
  if (!task.may_be_repaired) made.last = {};
  if (task.may_be_repaired)
    if (auto result = repaired(log, config, task, made, laps)) return result;

  std::shared_ptr<const SoundRouting> sound = await(log, made.ahead, task, nullptr, laps);
  if (!sound) {
    ESPALIER_TRY(sound, route_anew(task, laps));
  }
  if (sound->how == SoundRouting::How::kStarted)
    log.info(
        fmt::format("{}: the first tables are those of engine {}, until a search in the background has better ones",
                    task.engine, task.start));
  return sound;
}

void remember(const PluginConfig& config, RoutingTask task, const std::shared_ptr<const SoundRouting>& routed,
              Repairs& repairs) {
  if (!task.may_be_repaired) return;
  repairs.pause();
  using How = SoundRouting::How;
  if (routed->how == How::kRepaired) return repairs.in_use(config, std::move(task), routed->repair);
  const auto made = routed->how == How::kStarted ? Repairs::Made::kStart : Repairs::Made::kWhole;
  repairs.in_use(config, std::move(task), made, {routed, &routed->routing});
}

}  // namespace espalier
