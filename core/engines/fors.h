// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// FORS (E. Stein, thesis 2024, chapter 6): routes for an exchange of all hosts in phases, together with the schedule by
// which no link ever carries two flows, as long as the fabric has the links for it. How schedules are made stands in
// core/schedule; this engine writes the tables that they need:
//
//   1. dmodc's closed form for every LID: hosts that take no part, switches, LID offsets that no flow uses.
//   2. The entries of the schedule's flows, at leaves and spines. *All of them go up, then down, as those of step 1: no
//      credit loop, and an offset whose spine is lost keeps its entry of step 1, so every LID delivers.*
//   3. complete_tables: pairs without an up-down path, among them leaves that have lost their last common spine.
//   4. Flows between such leaves turn where step 3 lets them turn, over spines of the schedule's choice (detours.h), or
//      are fitted into phases in which the links of their path happen to be free (fit_flows.h).
//
// Deviation from the thesis: it loads tables from a file, which stops all traffic while they are made anew; it needs
// 2^LMC >= spines. Here that is mode spine, and one of two modes.
#pragma once

#include <utility>

#include "core/engines/routing_engine.h"
#include "core/engines/switch_paths.h"
#include "core/schedule/exchanges/routed_exchange.h"

namespace espalier {

class Fors : public RoutingEngine {
 public:
  explicit Fors(ExchangeOptions options = {}, const SwitchPathOptions& switch_paths = {})
      : options_(std::move(options)), switch_paths_(switch_paths) {}
  [[nodiscard]] std::string_view name() const override { return "fors"; }
  // With a schedule. Errors, beside those of dmodc: a participant that is no host; an LMC too small for the wanted
  // mode.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  ExchangeOptions options_;
  SwitchPathOptions switch_paths_;
};

}  // namespace espalier
