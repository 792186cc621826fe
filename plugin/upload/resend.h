// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Has OpenSM send whole tables anew to switches that may not hold what it believes (see upload_routes.h).
#pragma once

#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "plugin/upload/apply.h"
#include "plugin/upload/upload_routes.h"

extern "C" {
struct osm_opensm;
}

namespace espalier {

class Resend {
 public:
  // Marks the switches that get all of their blocks with the coming upload: those that the last one may have mixed up,
  // those that did not acknowledge all of it, and all of them at each `every`-th run; 0: never all.
  // Returns a sentence for the log; empty: nobody is marked. `report`, of the tables that will be sent, counts their
  // blocks then.
  // REQUIRES: OpenSM's lock is held; `fabric` is a snapshot of `osm` taken under it.
  [[nodiscard]] std::string mark(osm_opensm& osm, const Fabric& fabric, unsigned every, ApplyReport& report);

  // Remembers the routes of the upload that follows. REQUIRES: OpenSM's lock is held.
  void remember_routes(const osm_opensm& osm);

 private:
  std::vector<UploadRoute> routes_;
  unsigned runs_ = 0;  // since everything was sent to everybody
};

}  // namespace espalier
