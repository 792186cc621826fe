// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/repairable_reference.h"

#include <atomic>
#include <optional>
#include <utility>

#include "core/analysis/soundness/changes/sound_lanes.h"
#include "core/base/parallel.h"
#include "core/repair/lanes/repair_on_lanes.h"
#include "core/repair/new_equipment/extend_reference.h"
#include "core/repair/reference/prepared_reference.h"

namespace espalier {
namespace {

constexpr std::size_t kTurnShare = 16;  // one step in so many

class OnOneLane : public RepairableReference {
 public:
  explicit OnOneLane(Reference reference) : prepared_(std::move(reference)) {}
  [[nodiscard]] const Reference& reference() const override { return prepared_.reference(); }
  [[nodiscard]] Result<PatchedRepair> patch(const Fabric& now, const SwitchPathOptions& switch_paths) const override {
    return espalier::patch(prepared_, now, switch_paths);
  }
  [[nodiscard]] std::optional<Reference> extended(const Fabric& now) const override {
    Result<Reference> extended = extend(prepared_.reference(), now);
    return extended ? std::optional(*std::move(extended)) : std::nullopt;
  }
  [[nodiscard]] VerifyReport verify_change(const Fabric& now, const PatchedRepair& repaired) const override {
    return prepared_.verify_change(now, repaired.tables);
  }

 private:
  PreparedReference prepared_;
};

class OnLanes : public RepairableReference {
 public:
  explicit OnLanes(Reference reference) : prepared_(std::move(reference)) {
    if (prepared_.is_sound())
      sound_.emplace(prepared_.fabric(), prepared_.reference().tables, prepared_.lanes(), prepared_.graph(),
                     prepared_.dependencies());
  }
  [[nodiscard]] const Reference& reference() const override { return prepared_.reference(); }
  [[nodiscard]] Result<PatchedRepair> patch(const Fabric& now, const SwitchPathOptions&) const override {
    return repair_on_lanes(prepared_, now);
  }
  [[nodiscard]] std::optional<Reference> extended(const Fabric&) const override { return std::nullopt; }
  [[nodiscard]] VerifyReport verify_change(const Fabric& now, const PatchedRepair& repaired) const override {
    if (sound_ && repaired.reach != RepairReach::kAll) {
      auto report =
          sound_->verify_change(now, repaired.tables.rows(), repaired.lanes ? *repaired.lanes : one_lane(now));
      if (report && !repaired.lanes) report->dependencies.reset();
      if (report) return *std::move(report);
    }
    const ForwardingTables* const tables = repaired.tables.unshared();
    return tables != nullptr ? verify(now, *tables, repaired.lanes)
                             : verify(now, repaired.tables.whole(), repaired.lanes);
  }

 private:
  PreparedLanes prepared_;
  std::optional<SoundLanes> sound_;  // refers to it; nothing where it is not sound
};

// Whether its paths to end ports mostly go up, then down, as its orientation has it; those of a fabric that is no tree do
// not. Spines of a tree reach each other over leaves.
bool goes_up_and_down(const Reference& reference) {
  const Fabric& fabric = reference.fabric;
  std::atomic<std::size_t> steps = 0, turns = 0;  // turns: up again
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    const auto row = reference.tables.row(s);
    std::size_t all = 0, up_again = 0;
    for (std::size_t lid = 1; lid < row.size(); ++lid) {
      if (fabric.endport_of(id_at<Lid>(lid)) == kNoEndport) continue;
      if (index(row[lid]) > fabric.at(s).num_ports || !fabric.peer(s, row[lid]).is_switch()) continue;
      const SwitchId next = fabric.peer(s, row[lid]).as_switch();
      const PortNum port = reference.tables.at(next, id_at<Lid>(lid));
      if (index(port) > fabric.at(next).num_ports || !fabric.peer(next, port).is_switch()) continue;
      const SwitchId far = fabric.peer(next, port).as_switch();
      ++all;
      up_again +=
          reference.position[next] < reference.position[s] && reference.position[next] < reference.position[far];
    }
    steps += all;
    turns += up_again;
  });
  return turns * kTurnShare <= steps;
}

}  // namespace

std::shared_ptr<const RepairableReference> prepare(Reference reference) {
  if (reference.lanes || !goes_up_and_down(reference)) return std::make_shared<const OnLanes>(std::move(reference));
  return std::make_shared<const OnOneLane>(std::move(reference));
}

}  // namespace espalier
