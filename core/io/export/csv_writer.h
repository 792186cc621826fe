// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Comma-separated values with a title line (RFC 4180, but lines end in LF), for spreadsheets and awk.
#pragma once

#include <string>

#include "core/fabric/fabric.h"

namespace espalier {

// Each link once: a_guid,a_port,a_description,b_kind,b_guid,b_port,b_description,rate,mbps. a is a switch; b_guid is
// the port GUID of an end port.
[[nodiscard]] std::string write_links_csv(const Fabric& fabric);
// guid,description,lid,ports,cabled_to_switches,cabled_to_end_ports
[[nodiscard]] std::string write_switches_csv(const Fabric& fabric);
// port_guid,node_guid,port,kind,description,lid,lmc,switch_guid,switch_port,switch_description
[[nodiscard]] std::string write_endports_csv(const Fabric& fabric);

}  // namespace espalier
