// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's subnet -> Fabric. Reads under the lock that OpenSM holds, writes nothing, follows no pointer of another sweep.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

extern "C" {
struct osm_opensm;
}

namespace espalier {

struct Readings;
enum class LidsRead : std::uint8_t;

// All switches that have forwarding tables, all ports of CAs and routers, all links that are up at both ends.
// Left out, since no packet takes them: links that are down or unhealthy, from a switch to itself, between two CAs.
// A port without LID, or whose LID OpenSM gave to another port, is there with kNoLid.
// Errors: those of FabricBuilder::build().
[[nodiscard]] Result<Fabric> take_snapshot(const osm_opensm& osm);

// The snapshots of one sweep after another: where only links between switches have changed, only these are looked at.
class Snapshots {
 public:
  // take_snapshot(osm); the very same fabric as in the sweep before where nothing has changed.
  [[nodiscard]] Result<std::shared_ptr<const Fabric>> take(const osm_opensm& osm);
  // Likewise, with LIDs as `lids` says.
  [[nodiscard]] Result<std::shared_ptr<const Fabric>> take(const osm_opensm& osm, LidsRead lids);
  // The last one; null: none has been taken.
  [[nodiscard]] const std::shared_ptr<const Fabric>& fabric() const { return fabric_; }
  // What the last one was made of. REQUIRES: it has been taken.
  [[nodiscard]] const Readings& readings() const { return *readings_; }

 private:
  [[nodiscard]] std::shared_ptr<const Fabric> relinked(const Readings& now) const;

  std::shared_ptr<const Readings> readings_;  // of the last sweep
  std::shared_ptr<const Fabric> fabric_;
};

}  // namespace espalier
