// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/publish.h"

#include <fmt/format.h>

#include <string>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/engines/engines.h"
#include "core/io/file.h"
#include "core/io/lists/lid_choices_file.h"
#include "core/io/lists/source_offsets_file.h"
#include "core/io/schedule/schedule_directory.h"
#include "core/schedule/check_schedule.h"
#include "core/schedule/schedule.h"

namespace espalier {
namespace {

// The schedule, once somebody else has judged it; returns a sentence for the log.
Result<std::string> publish_schedule_of(const Routing& routing, const Fabric& fabric, const std::string& directory) {
  const Schedule& schedule = *routing.schedule;
  const ScheduleReport report =
      check_schedule(fabric, routing.tables, schedule, all_to_all_traffic(schedule.servers.size()));
  for (const std::string& fault : report.first)
    if (!fault.empty()) return fail(fmt::format("the schedule is wrong and was not published: {}", fault));
  ESPALIER_TRY(const std::uint64_t epoch, publish_schedule(directory, schedule));
  return fmt::format("epoch {} in {}: {}, mode {}, LMC {}, {}, lower bound {}", epoch, directory,
                     counted(schedule.servers.size(), "server"), name(schedule.mode), schedule.lmc,
                     counted(schedule.phases, "phase"), schedule.bound);
}

// The numbers by which hosts choose paths; returns a sentence for the log.
Result<std::string> publish_source_offsets(const Routing& routing, const Fabric& fabric, const std::string& path) {
  if (!routing.source_offsets)
    return fail(fmt::format("source_offsets_file {} was not written: these tables have no source offsets", path),
                "set gxmodk_mode grouped");
  const SourceOffsets& offsets = *routing.source_offsets;
  ESPALIER_TRY_STATUS(write_file(path, write_source_offsets(fabric, offsets), WriteTo::kRegularFile));
  std::size_t choices = 1;
  for (const std::uint32_t radix : offsets.radices) choices *= radix;
  return fmt::format("{}: sources choose among {}", path, counted(choices, "path"));
}

// By what weights hosts should use the LIDs of others; returns a sentence for the log.
Result<std::string> publish_lid_choices(const Routing& routing, const Fabric& fabric, const std::string& path) {
  if (!routing.choices)
    return fail(fmt::format("lid_choices_file {} was not written: these tables have no weights of LID offsets", path),
                "with an LMC above 0, use engine dragonfly-rlm on a dragonfly, or flows and flows_file");
  ESPALIER_TRY_STATUS(write_file(path, write_lid_choices(fabric, *routing.choices), WriteTo::kRegularFile));
  return fmt::format("{}: weights of LID offsets, {}", path,
                     counted(routing.choices->lists().size() - 1, "different list"));
}

void log_published(const Log& log, std::string_view engine_name, const Result<std::string>& published) {
  if (published)
    log.info(fmt::format("{}: {}", engine_name, *published));
  else
    log.error(fmt::format("{}: {}", engine_name, published.error().text()));
}

}  // namespace

void publish(const Log& log, std::string_view engine_name, const PluginConfig& config, const Fabric& fabric,
             const Routing& routing) {
  if (routing.schedule && !config.schedule_directory.empty())
    log_published(log, engine_name, publish_schedule_of(routing, fabric, config.schedule_directory));
  if (!config.source_offsets_file.empty() && traits_of(engine_name).source_offsets)
    log_published(log, engine_name, publish_source_offsets(routing, fabric, config.source_offsets_file));
  if (!config.lid_choices_file.empty() && traits_of(engine_name).lanes)
    log_published(log, engine_name, publish_lid_choices(routing, fabric, config.lid_choices_file));
}

}  // namespace espalier
