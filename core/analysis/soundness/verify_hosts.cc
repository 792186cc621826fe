// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/verify_hosts.h"

#include <vector>

#include "core/fabric/endport_role.h"

namespace espalier {

VerifyReport verify_hosts(const Fabric& fabric, const ForwardingTables& tables, const Lanes* lanes) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports())
    if (is_host(fabric.at(e))) hosts.push_back(e);
  return verify_between(fabric, tables, hosts, lanes);
}

}  // namespace espalier
