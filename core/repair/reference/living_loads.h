// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The loads of a reference's tables (class_loads.h) without the flows from and to hosts that are gone. A switch or host that
// is gone mostly stays so for many repairs, so which flows these are is kept, and added to when more go. What a repair makes
// of it does not depend on that.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/repair/reference/class_loads.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

class PreparedReference;

class LivingLoads {
 public:
  // REQUIRES: always the same reference, which outlives the result. Safe from several threads at once.
  [[nodiscard]] ClassLoads of(const PreparedReference& reference, const Survivors& alive);

 private:
  struct Ghosts {
    std::vector<std::uint32_t> leaves;  // by their places, ascending
    std::vector<std::uint32_t> lids;    // of hosts, ascending

    bool operator==(const Ghosts&) const = default;
  };
  [[nodiscard]] static Ghosts ghosts(const PreparedReference& reference, const Survivors& alive);
  // REQUIRES: `fewer` is without the flows of `before`, who are among those who are gone.
  static void take_out(const PreparedReference& reference, const Ghosts& before, const Ghosts& gone,
                       ClassLoads::Without& fewer);

  std::mutex mutex_;
  Ghosts of_;
  std::shared_ptr<ClassLoads::Without> last_;  // null: none yet
};

}  // namespace espalier
