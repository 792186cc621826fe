// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One run of a campaign: a damage, an engine, and the record that comes of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/fabric/fabric.h"
#include "core/fabric/rules/node_type_rules.h"
#include "core/tools/campaign/damage_steps.h"

namespace espalier::tools {

// Who routes: an engine of this library, called here; or OpenSM with this word as its routing_engine. Records tell the
// latter apart: "plugin" for an engine of ours in OpenSM, "opensm" for its own.
struct Contender {
  enum class Via : std::uint8_t { kLibrary, kOpenSm };
  std::string engine;
  Via via = Via::kLibrary;
};

struct Run {
  DamageStep step;
  unsigned trial = 0;  // with seed + this number for the damage
  Contender contender;
};

// What all runs of a campaign on one fabric share.
struct CampaignFabric {
  const Fabric& whole;
  std::string name;          // of its file, without folders
  std::string fingerprint;   // changes with everything that a net file says of a fabric
  std::uint64_t seed = 1;    // of the damage, and of random permutations: those are the same in every run
  std::string patterns;      // as given
  std::string order;         // as given; of the whole fabric: faults do not change who sends to whom
  std::string lid_offset;    // as given; which of a destination's LIDs traffic uses
  NodeTypeRules node_types;  // for gxmodk in the library, and for the pattern `phase`
  std::string types;         // changes with them; empty without any
  unsigned threads = 0;
  bool bound = false;    // record bounds as well
  std::string runner;    // scripts/run_opensm.sh
  std::string work_dir;  // an empty folder for a run's files
  std::chrono::seconds limit{900};
};

// The fields that name_of_record() looks at (record_text.h), and no others.
[[nodiscard]] nlohmann::ordered_json identity(const CampaignFabric& campaign, const Run& run);

// Performs the run and returns its whole record (README.md has the fields). A run that goes wrong gives a record too.
// REQUIRES: as run_in_child().
[[nodiscard]] nlohmann::ordered_json perform(const CampaignFabric& campaign, const Run& run);

// "links 86 of 17280, trial 0: ftree in OpenSM"
[[nodiscard]] std::string describe(const Run& run);

}  // namespace espalier::tools
