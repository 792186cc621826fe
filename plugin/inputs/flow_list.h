// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The known flows of engines `flows` and `balanced`, from the file that flows_file names; read anew at each run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/known_flows.h"
#include "plugin/log.h"

namespace espalier {

class FlowList {
 public:
  // The file's flows. When it cannot be read or has bad lines: a line in the log for each of the first of them, and the
  // flows of the last good file, as far as both ends are still there; so tables stay as they are.
  [[nodiscard]] std::vector<KnownFlow> read(const std::string& path, const Fabric& fabric, const Log& log);

  // Changes when the file does, not when hosts come and go; 0: there was no good one yet.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  struct GuidFlow {
    Guid source;
    Guid destination;
    double weight;
  };
  std::uint64_t version_ = 0;
  std::vector<GuidFlow> last_good_;  // by port GUIDs: ids change with the fabric
};

}  // namespace espalier
