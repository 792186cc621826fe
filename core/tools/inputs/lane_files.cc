// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/lane_files.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/io/lanes/lanes_file.h"
#include "core/io/lanes/path_records.h"
#include "core/io/lanes/sl2vl_dump.h"
#include "core/tools/command.h"
#include "core/tools/progress_bar.h"

namespace espalier::tools {
namespace {

std::string pairs(std::size_t count) { return counted(count, "pair") + " of a source and a LID"; }

}  // namespace

void add_lane_options(CLI::App& command, LaneFiles& files) {
  CLI::Option* own = command.add_option("--lanes", files.lanes,
                                        "Service levels and virtual lanes of the tables, as route --lanes writes "
                                        "them; default: one lane");
  command
      .add_option("--sl2vl", files.sl2vl,
                  "The lane of each service level in each switch, as OpenSM dumps them with qos TRUE "
                  "(opensm-sl2vl.dump)")
      ->excludes(own);
  command
      .add_option("--path-records", files.path_records,
                  "The service level of each path, as saquery -p prints them, or lines of SLID DLID SL; goes with "
                  "--sl2vl; default: service level 0")
      ->excludes(own);
}

std::optional<Lanes> load_lanes(const FabricAndTables& subject, const LaneFiles& files) {
  const Fabric& fabric = subject.fabric;
  if (!files.given()) return subject.lanes;
  if (!files.lanes.empty()) return value_or_refuse(read_lanes(load_text(files.lanes), files.lanes, fabric));
  if (files.sl2vl.empty())
    throw Refused{{"service levels say nothing without the lanes of each", files.path_records, 0,
                   "give --sl2vl opensm-sl2vl.dump as well"}};
  LaneMaps maps = value_or_refuse(read_sl2vl_dump(load_text(files.sl2vl), files.sl2vl, fabric)).maps();
  if (files.path_records.empty()) return Lanes(ServiceLevels(), std::move(maps));
  PairLevels levels = value_or_refuse(read_path_records(load_text(files.path_records), files.path_records, fabric));
  if (const std::size_t unknown = levels.num_unknown(); unknown > 0)
    warn(fmt::format("{}: no path record for {}; service level 0 is assumed", files.path_records, pairs(unknown)));
  return Lanes(levels.take(), std::move(maps));
}

std::optional<Lanes> load_live_lanes(const Source& source, const FabricAndTables& subject) {
  ProgressBar bar("path records");
  Result<live::LiveLanes> live = live::read_lanes(source.local_port, subject.fabric, subject.addresses, bar.progress());
  if (!live) {
    warn(fmt::format("{}; the tables are judged on one lane", live.error().text()));
    return std::nullopt;
  }
  if (live->num_unknown_tables > 0)
    warn(fmt::format("of {} nothing is known; VL 0 is assumed", counted(live->num_unknown_tables, "SL2VL table")));
  if (live->num_unknown_paths > 0)
    warn(fmt::format("the subnet administrator has no path for {}; service level 0 is assumed",
                     pairs(live->num_unknown_paths)));
  return std::move(live->lanes);
}

}  // namespace espalier::tools
