// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/fabric_reader.h"

#include "core/io/net/net_line.h"
#include "core/io/scanner.h"
#include "core/io/subnet/ports_report.h"
#include "core/io/subnet/subnet_list.h"
#include "core/io/subnet/topo_file.h"

namespace espalier {
namespace {

FabricFormat format_of_line(std::string_view line) {
  if (line.empty() || line.front() == '#') return FabricFormat::kUnknown;
  if (io::is_header(line)) return FabricFormat::kNet;
  if (is_ports_report_line(line)) return FabricFormat::kPortsReport;
  if (is_subnet_list_line(line)) return FabricFormat::kSubnetList;
  if (is_topo_line(line)) return FabricFormat::kTopo;
  return FabricFormat::kUnknown;
}

bool has_tables(std::string_view text) {
  return text.find("Unicast lids [") != std::string_view::npos ||
         text.find("dump_ucast_routes: Switch") != std::string_view::npos;
}

}  // namespace

FabricFormat fabric_format(std::string_view text) {
  io::Lines lines(text);
  while (const auto line = lines.next())
    if (const FabricFormat format = format_of_line(*line); format != FabricFormat::kUnknown) return format;
  return FabricFormat::kUnknown;
}

Result<ParsedNet> read_fabric(std::string_view text, const std::string& file_name, PortGuids port_guids) {
  switch (fabric_format(text)) {
    case FabricFormat::kPortsReport:
      return read_ports_report(text, file_name);
    case FabricFormat::kSubnetList:
      return read_subnet_list(text, file_name);
    case FabricFormat::kTopo:
      return read_topo(text, file_name);
    case FabricFormat::kNet:
      return read_net(text, file_name, port_guids);
    case FabricFormat::kUnknown:
      break;
  }
  if (has_tables(text))
    return fail_at(file_name, 0, "this is a dump of forwarding tables, not a fabric",
                   "give the fabric first, then the tables");
  return read_net(text, file_name, port_guids);
}

}  // namespace espalier
