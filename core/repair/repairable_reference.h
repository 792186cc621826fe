// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A Reference with all that each repair of it needs and no fault changes, by the method that suits it: up-down paths
// (repair.h), or, where its tables have lanes or its fabric is no tree, paths of any kind (lanes/repair_on_lanes.h).
#pragma once

#include <memory>
#include <optional>

#include "core/analysis/soundness/verify.h"
#include "core/base/result.h"
#include "core/engines/switch_paths.h"
#include "core/fabric/fabric.h"
#include "core/repair/reference/reference.h"
#include "core/repair/repair.h"

namespace espalier {

class RepairableReference {
 public:
  RepairableReference() = default;
  RepairableReference(const RepairableReference&) = delete;
  RepairableReference& operator=(const RepairableReference&) = delete;
  virtual ~RepairableReference() = default;

  [[nodiscard]] virtual const Reference& reference() const = 0;
  // Pure, and safe from several threads. Errors: nothing sound can be made of it for this fabric.
  // REQUIRES: this outlives the result.
  [[nodiscard]] virtual Result<PatchedRepair> patch(const Fabric& now, const SwitchPathOptions& switch_paths) const = 0;
  // A reference with all the equipment of `now` as well (extend_reference.h). Nothing where that cannot be, or serves nothing: a
  // repair that finds paths of any kind finds those for new equipment each time.
  [[nodiscard]] virtual std::optional<Reference> extended(const Fabric& now) const = 0;
  // verify() of the fabric with what patch() made, in less time where that is possible. Of tables with lanes it may tell of
  // more dependencies than they make: also of those that the reference makes.
  [[nodiscard]] virtual VerifyReport verify_change(const Fabric& now, const PatchedRepair& repaired) const = 0;
};

[[nodiscard]] std::shared_ptr<const RepairableReference> prepare(Reference reference);

}  // namespace espalier
