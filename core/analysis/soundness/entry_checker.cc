// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/entry_checker.h"

#include <algorithm>

#include "core/analysis/routes/walk.h"
#include "core/fabric/connectivity/connected_components.h"

namespace espalier {
namespace {

constexpr std::size_t kAtOnce = 64;  // entries

}  // namespace

EntryChecker::EntryChecker(const Fabric& fabric, std::size_t width, const HostTraffic* traffic)
    : fabric_(fabric),
      width_(width),
      traffic_(traffic),
      part_(connected_components(fabric)),
      lids_(owned_lids(fabric)) {}

std::uint64_t EntryChecker::num_entries() const {
  if (traffic_ != nullptr)
    return static_cast<std::uint64_t>(std::count(traffic_->met.begin(), traffic_->met.end(), std::uint8_t{1}));
  std::uint64_t lids = 0;
  for (const LidRange& range : lids_) lids += range.end - range.first;
  return lids * fabric_.num_switches();
}

void EntryChecker::check_entry(SwitchId s, Lid lid, PortNum port, RowFindings& findings) const {
  if (index(lid) >= row_end(s)) return;
  switch (step_through(fabric_, port, s, lid).kind) {
    case Step::Kind::kForward:
    case Step::Kind::kDelivered:
      return;
    case Step::Kind::kMissingEntry:
      if (is_needed(s, lid)) findings.add(Violation::Kind::kMissingEntry, lid);
      return;
    case Step::Kind::kBadPort:
      findings.add(Violation::Kind::kBadPort, lid);
      return;
    case Step::Kind::kWrongDelivery:
      findings.add(Violation::Kind::kWrongDelivery, lid);
      return;
  }
}

void EntryChecker::check_end(SwitchId s, RowFindings& findings) const {
  for (const LidRange& range : lids_)
    for (std::size_t lid = std::clamp(row_end(s), range.first, range.end); lid < range.end; ++lid)
      if (is_needed(s, id_at<Lid>(lid))) findings.add(Violation::Kind::kMissingEntry, id_at<Lid>(lid));
}

void EntryChecker::check_row(SwitchId s, const PortNum* row, RowFindings& findings) const {
  std::array<std::uint8_t, 256> to_switch{};  // nearly all entries: a table look-up each, and done
  for (const PortNum p : fabric_.ports(s)) to_switch[index(p)] = fabric_.peer(s, p).is_switch() ? 1 : 0;
  for (const LidRange& range : lids_) {
    const std::size_t end = std::clamp(row_end(s), range.first, range.end);
    for (std::size_t first = range.first; first < end; first += kAtOnce) {
      const std::size_t last = std::min(first + kAtOnce, end);
      std::uint8_t all = 1;
      for (std::size_t lid = first; lid < last; ++lid) all &= to_switch[index(row[lid])];
      if (all != 0) continue;
      for (std::size_t lid = first; lid < last; ++lid)
        if (to_switch[index(row[lid])] == 0) check_entry(s, id_at<Lid>(lid), row[lid], findings);
    }
  }
  check_end(s, findings);
}

std::size_t EntryChecker::row_end(SwitchId s) const {
  return std::min<std::size_t>(width_, fabric_.at(s).lft_capacity);
}

bool EntryChecker::is_needed(SwitchId s, Lid lid) const {
  if (traffic_ != nullptr && !traffic_->meets(s, lid)) return false;
  const SwitchId destination = fabric_.destination_switch(lid);
  return destination != kNoSwitch && part_[destination] == part_[s];
}

}  // namespace espalier
