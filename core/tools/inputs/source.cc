// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/source.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "core/io/lft/lft_dump.h"
#include "core/tools/command.h"
#include "core/tools/inputs/node_names.h"
#include "core/tools/inputs/routed.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kMaxLines = 20;
constexpr unsigned kMostLmc = 7;

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

// The fabric with the least LMC above 0 that these tables are for, if there is one.
std::optional<FabricAndTables> with_lmc_of_tables(const Source& source, const FabricBuilder& builder,
                                                  const std::string& text) {
  try {
    for (unsigned lmc = 1; lmc <= kMostLmc; ++lmc) {
      Fabric renumbered = build_fabric(builder, source.net, lmc);
      if (Result<ForwardingTables> fits = read_lfts(text, source.tables, renumbered))
        return FabricAndTables{std::move(renumbered), *std::move(fits)};
    }
  } catch (const Refused&) {
    // No LIDs are left for this LMC: what is wrong with the tables is what the first attempt said.
  }
  return std::nullopt;
}

// Files of fabrics without LIDs, and those of OpenSM without LMCs, leave it to the LIDs of the tables to say which LMC
// they were made with.
FabricAndTables load_files(const Source& source, PortGuids port_guids) {
  const std::string text = load_text(source.tables);
  const FabricBuilder builder = load_fabric_builder(source.net, port_guids);
  Fabric fabric = build_fabric(builder, source.net, source.lmc);
  Result<ForwardingTables> tables = read_lfts(text, source.tables, fabric);
  if (!tables && !source.lmc)
    if (std::optional<FabricAndTables> fits = with_lmc_of_tables(source, builder, text)) return *std::move(fits);
  return {std::move(fabric), value_or_refuse(std::move(tables))};
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
        .add_option(
            "--lmc", source.lmc,
            "Give each end port 2^LMC LIDs, as when the tables were computed: from its LID in the file on where there\n"
            "is room for all of them, otherwise all LIDs are assigned anew")
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
  if (source.live) return load_live(source.local_port, need);
  if (source.net.empty()) throw CLI::RequiredError("NET or --live");
  if (need == TablesNeed::kRequired && source.tables.empty() && source.engine.empty())
    throw CLI::RequiredError("LFTS or --engine");
  if (!source.tables.empty() && !source.engine.empty())
    throw Refused{{"only one set of tables is possible", source.tables, 0, "omit the file or --engine"}};
  if (need != TablesNeed::kNone && !source.tables.empty()) return load_files(source, port_guids);
  Fabric fabric = load_fabric(source.net, source.lmc, port_guids);
  if (source.engine.empty()) return {std::move(fabric), std::nullopt};
  Routing routing = route_or_refuse(fabric, source.engine);
  return {std::move(fabric), std::move(routing.tables), std::move(routing.lanes)};
}

}  // namespace espalier::tools
