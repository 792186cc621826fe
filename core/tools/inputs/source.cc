// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/source.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <span>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/io/lft/lft_dump.h"
#include "core/tools/command.h"
#include "core/tools/inputs/node_names.h"
#include "core/tools/inputs/routed.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kMaxLines = 20;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void warn_all(const std::string& where, const std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < std::min(warnings.size(), kMaxLines); ++i)
    warn(fmt::format("{}: {}", where, warnings[i]));
  if (warnings.size() > kMaxLines) warn(fmt::format("{}: {} more of these", where, warnings.size() - kMaxLines));
}

FabricAndTables load_live(const live::LocalPort& local_port, TablesNeed need) {
  live::LiveSubnet subnet = value_or_refuse(live::discover(local_port));
  warn_all(local_port.text(), subnet.warnings);
  subnet.fabric = with_names(std::move(subnet.fabric));
  if (need == TablesNeed::kNone) return {std::move(subnet.fabric), std::nullopt};
  live::LiveTables live = value_or_refuse(live::read_tables(local_port, subnet));
  if (!live.unknown.empty()) {
    const std::string last = std::move(live.unknown.back());
    live.unknown.pop_back();
    warn_all(local_port.text(), live.unknown);
    throw Refused{{last, local_port.text(), 0,
                   "without it the packets' paths are unknown; try again, perhaps with a longer --timeout"}};
  }
  return {std::move(subnet.fabric), std::move(live.tables), std::nullopt, std::move(subnet.tables)};
}

struct TablesFile {
  std::string path;
  std::string text;
};

struct FabricAndFiles {
  Fabric fabric;
  std::vector<ForwardingTables> tables;  // of each file
};

// Errors: tables that are not for this fabric.
Result<FabricAndFiles> read_files(Fabric fabric, std::span<const TablesFile> files) {
  std::vector<ForwardingTables> all;
  for (const TablesFile& file : files) {
    ESPALIER_TRY(ForwardingTables tables, read_lfts(file.text, file.path, fabric));
    all.push_back(std::move(tables));
  }
  return FabricAndFiles{std::move(fabric), std::move(all)};
}

// By the LMC of the fabric's file, or --lmc; without that else by the least LMC for which all the tables are. Files of
// fabrics without LIDs, and those of OpenSM without LMCs, leave it to the LIDs of the tables to say which LMC they were
// made with. Errors: there is none; those of the first attempt.
Result<FabricAndFiles> read_by_lmc(const Source& source, const FabricBuilder& builder,
                                   std::span<const TablesFile> files) {
  Result<FabricAndFiles> first = read_files(build_fabric(builder, source.net, source.lmc), files);
  if (first || source.lmc) return first;
  try {
    for (unsigned lmc = 1; lmc <= kMaxLmc; ++lmc)
      if (Result<FabricAndFiles> fits = read_files(build_fabric(builder, source.net, lmc), files)) return fits;
  } catch (const Refused&) {
    // No LIDs are left for this LMC.
  }
  return first;
}

// Refused where the tables are for no LMC together: for what is wrong with one of the files alone, if something is.
FabricAndFiles read_or_refuse(const Source& source, const FabricBuilder& builder, std::span<const TablesFile> files) {
  Result<FabricAndFiles> all = read_by_lmc(source, builder, files);
  if (all || files.size() < 2) return value_or_refuse(std::move(all));
  const FabricAndFiles first = value_or_refuse(read_by_lmc(source, builder, files.first(1)));
  if (read_by_lmc(source, builder, files.last(1)))
    throw Refused{{fmt::format("made with another LMC than {}", files.front().path), files.back().path, 0,
                   "give tables of one LMC"}};
  return value_or_refuse(read_files(first.fabric, files.last(1)));
}

FabricAndTables load_files(const Source& source, PortGuids port_guids) {
  std::vector<TablesFile> files;
  for (const std::string& path : {source.tables, source.second_tables})
    if (!path.empty()) files.push_back({path, load_text(path)});
  FabricAndFiles read = read_or_refuse(source, load_fabric_builder(source.net, port_guids), files);
  FabricAndTables loaded{.fabric = std::move(read.fabric)};
  if (!source.tables.empty()) loaded.tables = std::move(read.tables.front());
  if (!source.second_tables.empty()) loaded.second_tables = std::move(read.tables.back());
  return loaded;
}

}  // namespace

std::string Source::net_title() const { return live ? "Live subnet" : file_name(net); }

std::string Source::tables_title() const {
  if (!engine.empty()) return fmt::format("computed by {}", engine);
  if (!live) return file_name(tables);
  return fmt::format("read from the switches on {:%Y-%m-%d %H:%M}", fmt::localtime(std::time(nullptr)));
}

void add_source(CLI::App& command, Source& source, TablesNeed tables, const std::string& net_help,
                const std::string& tables_help) {
  command.add_option("NET", source.net, net_help + "; not with --live");
  if (tables != TablesNeed::kNone) {
    command.add_option("LFTS", source.tables, tables_help);
    command
        .add_option("--lmc", source.lmc,
                    "Give each end port 2^LMC LIDs, as when the tables were computed; keeps the LIDs of the file "
                    "where there is room for them, else reassigns all")
        ->check(CLI::Range(0, 7));
  }
  if (tables == TablesNeed::kRequired)
    add_engine_option(command, source.engine, "Instead of LFTS: use the tables that this engine computes now");
  CLI::Option* live =
      command.add_flag("--live", source.live,
                       tables == TablesNeed::kNone ? "Read the subnet of this machine"
                                                   : "Read the subnet of this machine, and the tables of its switches");
  command.add_option("-C,--ca", source.local_port.ca, "With --live: use this adapter; default: the first active one")
      ->needs(live);
  command.add_option("-P,--port", source.local_port.port, "With --live: use this port; default: the first active one")
      ->check(CLI::Range(1, 254))
      ->needs(live);
  command
      .add_option("-t,--timeout", source.local_port.timeout_ms, "With --live: milliseconds to wait for a node's answer")
      ->check(CLI::Range(1, 60000))
      ->capture_default_str()
      ->needs(live);
}

FabricAndTables load(const Source& source, TablesNeed need, PortGuids port_guids) {
  if (source.live && !source.net.empty())
    throw Refused{{"only one fabric is possible", source.net, 0, "omit the files or --live"}};
  if (source.live && !source.engine.empty())
    throw Refused{{"with --live the tables come from the switches", {}, 0, "omit --engine or --live"}};
  if (source.live && source.lmc) throw Refused{{"--lmc works only with files", {}, 0, "omit --lmc or --live"}};
  if (source.live) {
    FabricAndTables loaded = load_live(source.local_port, need);
    if (const std::string& path = source.second_tables; !path.empty())
      loaded.second_tables = value_or_refuse(read_lfts(load_text(path), path, loaded.fabric));
    return loaded;
  }
  if (source.net.empty()) throw CLI::RequiredError("NET or --live");
  if (need == TablesNeed::kRequired && source.tables.empty() && source.engine.empty())
    throw CLI::RequiredError("LFTS or --engine");
  if (!source.tables.empty() && !source.engine.empty())
    throw Refused{{"only one set of tables is possible", source.tables, 0, "omit the file or --engine"}};
  FabricAndTables loaded = load_files(source, port_guids);
  if (source.engine.empty()) return loaded;
  Routing routing = route_or_refuse(loaded.fabric, source.engine);
  loaded.tables = std::move(routing.tables);
  loaded.lanes = std::move(routing.lanes);
  return loaded;
}

}  // namespace espalier::tools
