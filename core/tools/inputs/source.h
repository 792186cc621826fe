// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where a subcommand has its fabric and its tables from: files, or with --live the subnet that this machine is in.
#pragma once

#include <optional>
#include <string>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"
#include "core/io/net/net_reader.h"
#include "core/live/live_subnet.h"
#include "core/tools/cli_fwd.h"

namespace espalier::tools {

struct Source {
  std::string net;              // empty: --live
  std::string tables;           // empty: --live, --engine, or not given
  std::string second_tables;    // others of the same fabric; empty: none
  std::string engine;           // whose tables, where no file has them
  std::optional<unsigned> lmc;  // as load_fabric() takes it
  bool live = false;
  live::LocalPort local_port;

  // For titles: the names of the files without their folders, or that and when the subnet was asked.
  [[nodiscard]] std::string net_title() const;
  [[nodiscard]] std::string tables_title() const;
};

enum class TablesNeed { kNone, kOptional, kRequired };

// Adds NET, LFTS and --lmc as far as they are needed, and --live with --ca, --port and --timeout.
void add_source(CLI::App& command, Source& source, TablesNeed tables,
                const std::string& net_help = "Net file or ibnetdiscover text, with the LIDs of the tables",
                const std::string& tables_help = "Forwarding tables, as in opensm-lfts.dump or from dump_lfts");

struct FabricAndTables {
  Fabric fabric;
  std::optional<ForwardingTables> tables = std::nullopt;  // always there with TablesNeed::kRequired
  std::optional<Lanes> lanes = std::nullopt;              // of an engine's tables that need several
  IdVector<SwitchId, live::TableAddress> addresses = {};  // of the switches of a live subnet
  std::optional<ForwardingTables> second_tables = std::nullopt;
};

// Reads what is needed, or throws Refused: also when files are given with --live, or missing without, and when a
// switch of the live subnet does not report its table, for then nobody knows where packets go. Warns of everything else
// in the subnet that does not answer. `port_guids` is about files; those of a live subnet are what they are.
[[nodiscard]] FabricAndTables load(const Source& source, TablesNeed tables,
                                   PortGuids port_guids = PortGuids::kNodePlusPort);

}  // namespace espalier::tools
