// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/fabric_reader.h"

#include <fmt/format.h>

#include "core/io/net/net_line.h"
#include "core/io/scanner.h"
#include "core/io/subnet/link_info.h"
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
  if (is_link_info_line(line)) return FabricFormat::kLinkInfo;
  if (is_topo_line(line)) return FabricFormat::kTopo;
  return FabricFormat::kUnknown;
}

// "Switch\t : 0x0002c90001000001 ports 4 devid 0x0 vendid 0x0 \"leaf 1\"", of ibnetdiscover -l.
bool is_node_list(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return (line.starts_with("Switch") || line.starts_with("Ca")) && line.find("\t : 0x") != std::string_view::npos &&
         line.find(" devid ") != std::string_view::npos;
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

bool is_discovery_cache(std::string_view content) {
  return content.starts_with(std::string_view("\x2b\x83\xe7\x8f", 4));  // a number of libibnetdisc
}

Result<ParsedNet> read_fabric(std::string_view text, const std::string& file_name, PortGuids port_guids) {
  if (is_discovery_cache(text))
    return fail_at(file_name, 0, "this is a cache of ibnetdiscover, which its library alone can read",
                   fmt::format("make text of it: ibnetdiscover --load-cache {} > fabric.net", file_name));
  if (is_node_list(text))
    return fail_at(file_name, 0, "this is a list of nodes (ibnetdiscover -l), without cables",
                   "give the output of ibnetdiscover without -l");
  switch (fabric_format(text)) {
    case FabricFormat::kPortsReport:
      return read_ports_report(text, file_name);
    case FabricFormat::kSubnetList:
      return read_subnet_list(text, file_name);
    case FabricFormat::kTopo:
      return read_topo(text, file_name);
    case FabricFormat::kLinkInfo:
      return read_link_info(text, file_name);
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
